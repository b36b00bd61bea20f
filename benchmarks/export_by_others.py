"""C of a fitted tree and a fitted forest by other exporters, for `benchmarks.export`; runs in their environment.

python benchmarks/export_by_others.py FOLDER SHIFT COLUMNS

The folder has `tree.joblib` and `forest.joblib`; a C file for each exporter and an index of them, `peers.json`, are
added. Rows of int16 come with their first COLUMNS shifted right by SHIFT.
"""

from __future__ import annotations

import copy
import importlib.metadata
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import emlearn
import joblib
import m2cgen
import tl2cgen
import treelite
from sklearn.ensemble import RandomForestClassifier

Made = tuple[str, str, list[str]]


def shifted(estimator: Any) -> Any:
    """Copy an estimator, its thresholds those of shifted columns."""
    shift, columns = int(sys.argv[2]), int(sys.argv[3])
    copied = copy.deepcopy(estimator)
    for member in getattr(copied, "estimators_", [copied]):
        inner = member.tree_
        inner.threshold[(inner.feature >= 0) & (inner.feature < columns)] /= 1 << shift
    return copied


def emlearn_(estimator: Any, kind: str, method: str, leaf_bits: int) -> Made:
    if kind == "int16":
        estimator = shifted(estimator)
    model = emlearn.convert(estimator, method=method, dtype=f"{kind}_t", leaf_bits=leaf_bits)
    text = model.save(name="model", format="c", include_proba=False)
    inputs = estimator.n_features_in_
    call = f"int decide(const {kind}_t *x)\n{{\n\treturn model_predict(x, {inputs});\n}}\n"
    return f"{text}\n{call}", kind, [str(Path(emlearn.__file__).parent)]


def m2cgen_(estimator: Any) -> Made:
    text = m2cgen.export_to_c(estimator)
    call = "int decide(const double *x)\n{\n\tdouble votes[2];\n\n\tscore((double *)x, votes);\n"
    return f"{text}\n{call}\treturn votes[1] > votes[0];\n}}\n", "float64", []


def tl2cgen_(estimator: Any, folder: Path) -> Made:
    if not hasattr(estimator, "estimators_"):  # treelite takes no lone tree: a forest of one says the same
        forest = RandomForestClassifier(1)
        forest.estimators_, forest.n_outputs_ = [estimator], 1
        forest.classes_, forest.n_classes_ = estimator.classes_, estimator.n_classes_
        forest.n_features_in_ = estimator.n_features_in_
        estimator = forest
    tl2cgen.generate_c_code(treelite.sklearn.import_model(estimator), folder, {})
    call = "int decide(const double *x)\n{\n\tdouble votes[2] = { 0, 0 };\n\n\tpredict((union Entry *)x, 0, votes);\n"
    text = f"{(folder / 'main.c').read_text()}\n{call}\treturn votes[1] > votes[0];\n}}\n"
    return text, "float64", [str(folder)]


def main() -> int:
    place = Path(sys.argv[1])
    sys.setrecursionlimit(100_000)
    exporters: dict[str, Callable[[Any, str], Made]] = {
        "emlearn, inline, int32": lambda model, _: emlearn_(model, "int32", "inline", 0),
        "emlearn, inline, int32, leaves of 8 bits": lambda model, _: emlearn_(model, "int32", "inline", 8),
        "emlearn, inline, int16": lambda model, _: emlearn_(model, "int16", "inline", 0),
        "emlearn, loadable, int16": lambda model, _: emlearn_(model, "int16", "loadable", 0),
        "m2cgen": lambda model, _: m2cgen_(model),
        "tl2cgen": lambda model, name: tl2cgen_(model, place / f"tl2cgen_{name}"),
    }
    made = []
    for name in ("tree", "forest"):
        model = joblib.load(place / f"{name}.joblib")
        for number, (exporter, export) in enumerate(exporters.items()):
            text, row, include = export(model, name)
            path = place / f"peer{number}_{name}.c"
            path.write_text(text)
            made.append({"model": name, "exporter": exporter, "path": str(path), "row": row, "include": include})
    packages = ("scikit-learn", "emlearn", "m2cgen", "tl2cgen", "treelite")
    versions = {package: importlib.metadata.version(package) for package in packages}
    (place / "peers.json").write_text(json.dumps({"made": made, "versions": versions}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
