"""Trained models on disk: skops archives, normalised so that the same model is the same bytes.

A skops archive names its parts by Python object ids and dates them; parts are named by their content instead. Loading
refuses every type but those listed here, so a foreign archive cannot run code.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from contracts.fault import InputFault
from models.families.fitted import Fitted, Setting

#: Types in an archive of ours that skops does not trust by itself.
TRUSTED = [
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.tree._tree.Tree",
    "tslearn.neighbors.neighbors.KNeighborsTimeSeriesClassifier",
]

_EPOCH = (1980, 1, 1, 0, 0, 0)


class ModelError(InputFault):
    """A model file that cannot be used; the message names the file and the reason."""


def _canonical(node: Any, new_id: Callable[[], int], new_name: Callable[[str], str]) -> Any:
    """Return a part of a schema with ids of its own, one for each occurrence, and other names of files.

    Whether two equal parts of an estimator are one object depends on the process that fitted it.
    """
    if isinstance(node, list):
        return [_canonical(one, new_id, new_name) for one in node]
    if not isinstance(node, dict):
        return node
    renamed = {name: _canonical(node[name], new_id, new_name) for name in sorted(node)}
    if "__id__" in renamed:
        renamed["__id__"] = new_id()
    if "file" in renamed:
        renamed["file"] = new_name(renamed["file"])
    return renamed


def _normalised(archive: bytes) -> bytes:
    source = zipfile.ZipFile(io.BytesIO(archive))
    parts: dict[str, bytes] = {}

    def new_name(old: str) -> str:
        content = source.read(old)
        name = hashlib.sha256(content).hexdigest()[:16] + old[old.index(".") :]
        parts[name] = content
        return name

    schema = _canonical(json.loads(source.read("schema.json")), itertools.count().__next__, new_name)
    parts["schema.json"] = json.dumps(schema, sort_keys=True, indent=1).encode()
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archived:
        for name in sorted(parts):
            archived.writestr(zipfile.ZipInfo(name, _EPOCH), parts[name], zipfile.ZIP_DEFLATED)
    return target.getvalue()


def save(fitted: Fitted, path: Path) -> None:
    """Write a fitted model; equal models become equal bytes."""
    import skops.io

    content = {
        "estimator": fitted.estimator,
        "feature_names": list(fitted.feature_names),
        "top": fitted.setting.top,
        "hyperparameters": dict(fitted.setting.hyperparameters),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_normalised(skops.io.dumps(content)))


def load(path: Path) -> Fitted:
    """Read a model that :func:`save` wrote.

    Raises
    ------
    ModelError
        If the file is no such archive, or holds a type that is not trusted.
    """
    # It takes seconds to import.
    import skops.io

    try:
        content: dict[str, Any] = skops.io.load(path, trusted=TRUSTED)
        return Fitted(
            content["estimator"],
            tuple(content["feature_names"]),
            Setting(content["top"], tuple(sorted(content["hyperparameters"].items()))),
        )
    except (
        OSError,
        zipfile.BadZipFile,
        KeyError,
        TypeError,
        ValueError,
        skops.io.exceptions.UntrustedTypesFoundException,
    ) as error:
        raise ModelError(f"{path}: no model of ours: {error}") from error


def digest(path: Path) -> str:
    """Return the first 16 hex digits of the model file's SHA-256: the name in a header's banner."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
