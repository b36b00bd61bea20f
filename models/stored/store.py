"""Trained models on disk: skops archives, normalised so that the same model is the same bytes.

A skops archive names its parts by Python object ids and dates them; parts are named by their content instead. Loading
refuses every type but those listed here, so a foreign archive cannot run code, and every model that is not built as
ours are (:mod:`smartsbd.models.stored.archive`, :mod:`smartsbd.models.stored.structure`): what predicts believes its
indices.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import lzma
import stat
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from smartsbd.contracts.fault import InputFault, printable
from smartsbd.contracts.whole_file import write_whole
from smartsbd.models.families.fitted import Fitted, Setting
from smartsbd.models.stored.archive import MOST_BYTES, check_archive

#: Types in an archive of ours that skops does not trust by itself.
TRUSTED = [
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.tree._tree.Tree",
    "tslearn.neighbors.neighbors.KNeighborsTimeSeriesClassifier",
]

_EPOCH = (1980, 1, 1, 0, 0, 0)
_DIGITS = 16
#: Errors of zip, JSON, numpy, skops and scikit-learn over an archive that was damaged or made up.
_DAMAGED = (
    OSError,
    EOFError,
    MemoryError,
    # Includes RecursionError and NotImplementedError.
    RuntimeError,
    # Includes skops' untrusted types, JSON's and Unicode's errors, and OverflowError.
    TypeError,
    ValueError,
    ArithmeticError,
    LookupError,
    AttributeError,
    ImportError,
    SyntaxError,
    AssertionError,
    tokenize.TokenError,
    struct.error,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
)


class ModelError(InputFault):
    """A model file that cannot be used; the message names the file and the reason."""


def _canonical(node: Any, new_id: Callable[[], int], new_name: Callable[[str], str]) -> Any:
    """Return a part of a schema with ids of its own, one for each occurrence, and other names of files.

    Whether two equal parts of an estimator are one object depends on the process that fitted it.
    """
    if isinstance(node, list):
        return [_canonical(part, new_id, new_name) for part in node]
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
    write_whole(_normalised(skops.io.dumps(content)), path)


def _content(path: Path) -> bytes:
    """Return a model's bytes; what is no file, or larger than any model, is not read."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise ModelError(f"{path}: no model of ours: it is no file")
    if status.st_size > MOST_BYTES:
        raise ModelError(f"{path}: no model of ours: it is larger than {MOST_BYTES >> 20} MB")
    return path.read_bytes()


def _made(content: bytes) -> Fitted:
    """Make the model of an archive, and check it before and after."""
    # They take seconds to import.
    import skops.io

    from smartsbd.models.stored.structure import check_structure

    check_archive(content)
    held: dict[str, Any] = skops.io.loads(content, trusted=TRUSTED)
    fitted = Fitted(
        held["estimator"],
        tuple(held["feature_names"]),
        Setting(held["top"], tuple(sorted(held["hyperparameters"].items()))),
    )
    check_structure(fitted)
    return fitted


def load(path: Path, recorded: str | None = None) -> Fitted:
    """Read a model that :func:`save` wrote.

    Parameters
    ----------
    path : Path
    recorded : str, optional
        The :func:`digest` that the file must have.

    Returns
    -------
    Fitted
        As it was saved.

    Raises
    ------
    ModelError
        If the file is no such archive, holds a type that is not trusted or a model that is not built as ours are, or is
        not the one that was recorded.
    """
    try:
        content = _content(path)
        if recorded is not None and _digest(content) != recorded:
            raise ModelError(f"{path}: its digest is {_digest(content)}, the run that made it recorded {recorded}")
        return _made(content)
    except _DAMAGED as error:
        # skops' messages have many lines.
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise ModelError(f"{path}: no model of ours: {printable(why)}") from error


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_DIGITS]


def digest(path: Path) -> str:
    """Return the first 16 hex digits of the model file's SHA-256: the name in a header's banner."""
    return _digest(path.read_bytes())
