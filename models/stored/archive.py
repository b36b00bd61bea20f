"""The checks of a model's archive before anything in it is made: its size, its types, the arguments of its trees.

scikit-learn's trees trust the numbers that they are made from: a wrong one reads past the end of an array, and the
process dies. So those numbers are looked at while they are still text. An archive of ours has few types, and every part
has an id of its own (:func:`smartsbd.models.stored.store.save`).
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

#: The most that an archive may hold, in bytes, each part counted as often as it is used. Of ours, nearest neighbours
#: are the largest: 24 MB for 1,200 windows, which grows with their square.
MOST_BYTES = 2 << 30
_SCHEMA = "schema.json"
_MOST_SCHEMA_BYTES = 64 << 20
_MOST_FEATURES = 1_000
_CLASSES = 2

_ESTIMATORS = (
    "sklearn.ensemble._forest.RandomForestClassifier",
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting.HistGradientBoostingClassifier",
    "sklearn.linear_model._logistic.LogisticRegression",
    "sklearn.pipeline.Pipeline",
    "sklearn.preprocessing._data.MinMaxScaler",
    "sklearn.preprocessing._data.StandardScaler",
    "sklearn.svm._classes.LinearSVC",
    "sklearn.svm._classes.SVC",
    "sklearn.tree._classes.DecisionTreeClassifier",
    "tslearn.neighbors.neighbors.KNeighborsTimeSeriesClassifier",
)
_PARTS_OF_BOOSTING = (
    "sklearn._loss.link.Interval",
    "sklearn._loss.link.LogitLink",
    "sklearn._loss.loss.HalfBinomialLoss",
    "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.preprocessing._label.LabelEncoder",
)
#: Each type in an archive of ours, with the node by which skops makes it.
_TYPES = {
    ("builtins.dict", "DictNode"),
    ("builtins.list", "ListNode"),
    ("builtins.tuple", "TupleNode"),
    ("builtins.str", "JsonNode"),
    ("builtins.str", "TypeNode"),
    *((f"numpy.{name}", "NdArrayNode") for name in ("ndarray", "float64", "int64", "uint64")),
    ("numpy.random._generator.Generator", "RandomGeneratorNode"),
    ("sklearn._loss._loss.CyHalfBinomialLoss", "LossNode"),
    ("sklearn.tree._tree.Tree", "TreeNode"),
    *((name, "ObjectNode") for name in (*_ESTIMATORS, *_PARTS_OF_BOOSTING)),
}


class ArchiveError(ValueError):
    """An archive that no model of ours can be in; the message says why."""


def _parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every part of a schema that has a type."""
    left = [schema]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            if "__class__" in node or "__loader__" in node:
                yield node
            left += node.values()
        elif isinstance(node, list):
            left += node


def _check_arguments_of_tree(part: dict[str, Any], archived: zipfile.ZipFile) -> None:
    """Check what a tree is made from: the number of its features, that of its classes, that of its outputs."""
    features, classes, outputs = part["__reduce__"]["args"]["content"]
    if not 1 <= _whole(features) <= _MOST_FEATURES or _whole(outputs) != 1:
        raise ArchiveError("a tree has other inputs or outputs")
    if classes["__loader__"] != "NdArrayNode" or classes["__class__"] != "ndarray":
        raise ArchiveError("a tree has other classes")
    of_classes = np.load(io.BytesIO(archived.read(classes["file"])), allow_pickle=False)
    if of_classes.dtype != np.intp or of_classes.shape != (1,) or of_classes[0] != _CLASSES:
        raise ArchiveError("a tree has other classes than two")


def _whole(part: dict[str, Any]) -> int:
    value = json.loads(part["content"]) if part["__loader__"] == "JsonNode" else None
    if type(value) is not int:
        raise ArchiveError("a tree has a number that is not whole")
    return value


def check_archive(content: bytes) -> None:
    """Check an archive before anything in it is made.

    Parameters
    ----------
    content : bytes
        The file.

    Raises
    ------
    ArchiveError
        If it is larger than any model of ours, has a type that none of ours has, a part twice, or a tree that is not
        made from features, two classes and one output.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archived:
        sizes = {entry.filename: entry.file_size for entry in archived.infolist()}
        if sizes.get(_SCHEMA, 0) > _MOST_SCHEMA_BYTES or sum(sizes.values()) > MOST_BYTES:
            raise ArchiveError(f"it unpacks to more than {MOST_BYTES >> 20} MB")
        used, ids = 0, set()
        for part in _parts(json.loads(archived.read(_SCHEMA))):
            kind, loader = f"{part['__module__']}.{part['__class__']}", part["__loader__"]
            if (kind, loader) not in _TYPES:
                raise ArchiveError(f"type {kind} by {loader} is in no model of ours")
            if type(part["__id__"]) is not int or part["__id__"] in ids:
                raise ArchiveError("two parts have one id")
            ids.add(part["__id__"])
            if "file" in part:
                used += sizes[part["file"]]
                if used > MOST_BYTES:
                    raise ArchiveError(f"it unpacks to more than {MOST_BYTES >> 20} MB")
            if loader == "TreeNode":
                _check_arguments_of_tree(part, archived)
