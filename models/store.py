"""Trained models on disk: skops archives, normalised so that the same model is the same bytes.

A skops archive names its parts by Python object ids and dates them; both are replaced. Loading
refuses every type but those listed here, so a foreign archive cannot run code.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import skops.io

from models.search import Fitted, Setting
from traces.fault import InputFault

#: Types in an archive of ours that skops does not trust by itself.
TRUSTED = ["sklearn.tree._tree.Tree"]

_EPOCH = (1980, 1, 1, 0, 0, 0)
_ID = re.compile(r'"__id__": (\d+)|"file": "(\d+)\.(npy|npz|bin)"')


class ModelError(InputFault):
    """A model file that cannot be used: names the file and the reason."""


def _normalised(archive: bytes) -> bytes:
    source = zipfile.ZipFile(io.BytesIO(archive))
    schema = json.dumps(json.loads(source.read("schema.json")), sort_keys=True, indent=1)
    ordinals: dict[str, str] = {}

    def ordinal(match: re.Match[str]) -> str:
        old = match[1] or match[2]
        new = ordinals.setdefault(old, str(len(ordinals)))
        return match[0].replace(old, new)

    schema = _ID.sub(ordinal, schema)
    parts = {"schema.json": schema.encode()}
    for name in source.namelist():
        if name != "schema.json":
            stem, dot, suffix = name.partition(".")
            parts[ordinals[stem] + dot + suffix] = source.read(name)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archived:
        for name in sorted(parts):
            archived.writestr(zipfile.ZipInfo(name, _EPOCH), parts[name], zipfile.ZIP_DEFLATED)
    return target.getvalue()


def save(fitted: Fitted, path: Path) -> None:
    """Write a fitted model; equal models become equal bytes."""
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
