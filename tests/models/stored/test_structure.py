"""A stored model that was tampered with, or damaged, ends in one line, and never in the middle of scikit-learn."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skops.io
from sklearn.neighbors import KNeighborsClassifier

from smartsbd.models.families import FAMILIES, correlation, neighbours
from smartsbd.models.families.fitted import Fitted, Setting
from smartsbd.models.search import fitting
from smartsbd.models.stored import archive, store
from tests.models.families.test_neighbours import rtts
from tests.models.stored.test_store import POINT, fitted
from tests.models.windows_made import windows
from tests.night import few_now

ROOT = Path(__file__).parents[3]
KINDS = (*FAMILIES, "knn", "stump")
FLIPS = 100


def made(kind: str) -> Fitted:
    if kind == "knn":
        rows = windows(20, 2)
        return neighbours.fit(neighbours.queue_series(rtts(rows)), rows, np.arange(40), 3)
    if kind == "stump":
        rows = windows()
        names = (correlation.FEATURE, *rows.feature_names[1:])
        renamed = type(rows)(**(vars(rows) | {"feature_names": names}))
        return correlation.fit(renamed, np.arange(180))
    return fitted(kind)


def put(folder: Path, model: Fitted) -> Path:
    store.save(model, folder / "m.skops")
    return folder / "m.skops"


def parts_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archived:
        return {name: archived.read(name) for name in archived.namelist()}


def rewritten(path: Path, parts: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archived:
        for name, content in parts.items():
            archived.writestr(name, content)
    return path


def refused(path: Path) -> str:
    with pytest.raises(store.ModelError, match=r"m\.skops") as raised:
        store.load(path)
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize("kind", KINDS)
def test_what_we_store_is_built_as_we_say(kind: str, tmp_path: Path) -> None:
    model = made(kind)
    again = store.load(put(tmp_path, model))
    assert (again.feature_names, again.setting) == (model.feature_names, model.setting)


@pytest.mark.parametrize("name", ["logistic", "svm_linear", "svm_rbf"])
def test_so_is_what_is_scaled_otherwise(name: str, tmp_path: Path) -> None:
    setting = Setting(3, tuple(sorted((axis, POINT[axis]) for axis in FAMILIES[name].hyperparameters)))
    for scaling in ("min_max", "none"):
        method = fitting.Method(inner_folds=3, seed=0, scaling=scaling)
        model = fitting.fit(windows(), FAMILIES[name], setting, np.arange(9), np.arange(180), method)
        assert store.load(put(tmp_path, model)).feature_names == model.feature_names


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "point"),
    [
        ("svm_rbf", (("c", 1), ("gamma", 1))),
        ("svm_rbf", (("c", 0.5), ("gamma", 0.25))),
        ("logistic", (("c", 1), ("solver", "liblinear"))),
        ("tree", (("max_depth", None),)),
        ("forest", (("max_depth", None),)),
        ("boosting", (("max_depth", None),)),
    ],
)
def test_so_is_every_point_of_a_grid(name: str, point: tuple[tuple[str, object], ...], tmp_path: Path) -> None:
    method = fitting.Method(inner_folds=3, seed=0)
    model = fitting.fit(windows(), FAMILIES[name], Setting(3, point), np.arange(9), np.arange(180), method)
    assert store.load(put(tmp_path, model)).setting == model.setting


# scikit-learn's trees: their nodes are in an array of the archive.


def with_nodes(path: Path, change: Callable[[Any], object], field: str) -> Path:
    """Change every array of nodes; that of a tree, or those of all trees of a forest."""
    parts, changed = parts_of(path), 0
    for name, content in parts.items():
        if not name.endswith(".npy"):
            continue
        array = np.load(io.BytesIO(content))
        if array.dtype.names and field in array.dtype.names and len(array) > 1:
            change(array)
            target = io.BytesIO()
            np.save(target, array)
            parts[name], changed = target.getvalue(), changed + 1
    assert changed
    return rewritten(path, parts)


def setting_of(field: str, value: float, row: int = 0) -> Callable[[Any], object]:
    def change(nodes: Any) -> None:
        nodes[field][row] = value

    return change


@pytest.mark.parametrize("kind", few_now(["tree", "forest", "stump"], now=["tree", "stump"]))
@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("left_child", 500_000_000, "no tree"),
        ("right_child", 500_000_000, "no tree"),
        ("left_child", 0, "no tree"),
        ("right_child", 0, "no tree"),
        ("left_child", 2, "no tree"),
        ("left_child", -1, "one child"),
        ("left_child", -7, "no tree"),
        ("feature", 500_000_000, "feature that is not there"),
        ("feature", -2, "feature that is not there"),
        ("threshold", np.nan, "not finite"),
        ("threshold", np.inf, "not finite"),
    ],
)
def test_a_tree_is_a_tree(kind: str, field: str, value: float, why: str, tmp_path: Path) -> None:
    assert why in refused(with_nodes(put(tmp_path, made(kind)), setting_of(field, value), field))


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("left", 400_000_000, "no tree"),
        ("right", 0, "no tree"),
        ("left", 0, "no tree"),
        ("feature_idx", 400_000_000, "feature that is not there"),
        ("feature_idx", -1, "feature that is not there"),
        ("num_threshold", np.nan, "not finite"),
        ("value", np.inf, "not finite"),
        ("value", -1e308, "larger than any"),
        ("is_categorical", 1, "categories"),
        ("is_leaf", 7, "neither leaf nor split"),
    ],
)
def test_a_tree_of_boosting_is_a_tree(field: str, value: float, why: str, tmp_path: Path) -> None:
    assert why in refused(with_nodes(put(tmp_path, made("boosting")), setting_of(field, value), field))


def with_text(path: Path, old: str, new: str) -> Path:
    parts = parts_of(path)
    schema = parts["schema.json"].decode()
    assert old in schema
    return rewritten(path, parts | {"schema.json": schema.replace(old, new).encode()})


def in_schema(path: Path, key: str, value: str) -> Path:
    """Change what a schema says of a key, wherever it stands."""
    parts = parts_of(path)
    schema = json.loads(parts["schema.json"])
    changed = 0
    left = [schema]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            if isinstance(one.get(key), dict) and one[key].get("__loader__") == "JsonNode":
                one[key]["content"], changed = value, changed + 1
            left += one.values()
        elif isinstance(one, list):
            left += one
    assert changed
    return rewritten(path, parts | {"schema.json": json.dumps(schema).encode()})


@pytest.mark.parametrize("count", ["1", "0", "-5", "true", "null", "1e400"])
def test_a_tree_is_as_long_as_what_was_read(count: str, tmp_path: Path) -> None:
    refused(in_schema(put(tmp_path, made("tree")), "node_count", count))


def test_what_a_tree_is_made_from_is_looked_at_before_it_is_made(tmp_path: Path) -> None:
    path = put(tmp_path, made("tree"))
    parts = parts_of(path)
    for place, value in ((0, "500000000"), (2, "500000000"), (2, '"1"')):
        schema = json.loads(parts["schema.json"])
        tree = schema["content"]["estimator"]["content"]["content"]["tree_"]
        tree["__reduce__"]["args"]["content"][place]["content"] = value
        assert "a tree has" in refused(rewritten(path, parts | {"schema.json": json.dumps(schema).encode()}))


# All others: arrays and attributes of what was fitted.


def replaced(name: str, value: Any, step: int = -1) -> Callable[[Fitted], None]:
    def change(model: Fitted) -> None:
        owner = model.estimator.steps[step][1] if hasattr(model.estimator, "steps") else model.estimator
        setattr(owner, name, value(getattr(owner, name, None)) if callable(value) else value)

    return change


def filled(value: float) -> Callable[[Any], Any]:
    return lambda array: np.full_like(array, value)


def shorter(array: Any) -> Any:
    return np.ascontiguousarray(array[..., :-1])


WRONG = [
    ("logistic", replaced("coef_", shorter), "coef_"),
    ("logistic", replaced("coef_", filled(np.nan)), "not finite"),
    ("svm_linear", replaced("intercept_", filled(np.inf)), "not finite"),
    ("svm_linear", replaced("coef_", lambda array: array.astype(np.float32)), "no array of float64"),
    ("logistic", replaced("classes_", lambda array: array[::-1].copy()), "False and True"),
    ("logistic", replaced("solver", "newton-cg"), "solver"),
    ("logistic", replaced("decision_function", 1), "should not have, decision_function"),
    ("logistic", replaced("scale_", filled(0), 0), "scale"),
    ("logistic", replaced("scale_", filled(1e-306), 0), "smaller than any"),
    ("logistic", replaced("mean_", filled(1e300), 0), "larger than any"),
    ("svm_linear", replaced("coef_", filled(-1e305)), "larger than any"),
    ("logistic", replaced("mean_", shorter, 0), "mean_"),
    ("svm_rbf", replaced("support_vectors_", shorter), "support_vectors_"),
    ("svm_rbf", replaced("_dual_coef_", shorter), "dual_coef_"),
    ("svm_rbf", replaced("_dual_coef_", filled(1)), "reverse"),
    ("svm_rbf", replaced("_n_support", lambda array: array + 1_000_000), "support vectors"),
    ("svm_rbf", replaced("support_", filled(-1)), "no row"),
    ("svm_rbf", replaced("kernel", "precomputed"), "kernel"),
    ("svm_rbf", replaced("_gamma", 7.0), "gamma"),
    ("boosting", replaced("_baseline_prediction", filled(np.nan)), "not finite"),
    ("boosting", replaced("_predictors", lambda rounds: rounds[:-1]), "other trees"),
    ("boosting", replaced("n_features_in_", 4), "number of features"),
    ("forest", replaced("estimators_", lambda members: []), "other trees"),
    ("forest", replaced("n_outputs_", 2), "shape"),
    ("tree", replaced("max_depth", 7), "max_depth"),
    ("tree", replaced("n_features_in_", 2), "number of features"),
    ("tree", replaced("n_classes_", np.int64(3)), "shape"),
    ("knn", replaced("_ts_fit", shorter), "_ts_fit"),
    ("knn", replaced("_ts_fit", filled(np.nan)), "not finite"),
    ("knn", replaced("_y", filled(2)), "no label"),
    ("knn", replaced("_y", lambda array: array[:-1].copy()), "_y"),
    ("knn", replaced("n_neighbors", 41), "n_neighbors"),
    ("knn", replaced("classes_", np.array([0, 1])), "classes_"),
]


@pytest.mark.parametrize(("kind", "change", "why"), WRONG, ids=[f"{kind}-{why}" for kind, _, why in WRONG])
def test_what_the_estimator_promises_is_there(
    kind: str, change: Callable[[Fitted], None], why: str, tmp_path: Path
) -> None:
    model = made(kind)
    change(model)
    assert why in refused(put(tmp_path, model))


@pytest.mark.parametrize("kind", ["tree", "forest", "stump"])
def test_shares_of_a_leaf_are_shares(kind: str, tmp_path: Path) -> None:
    for value, why in ((7.0, "no share"), (np.nan, "no share"), (0.1, "sum to 1")):
        model = made(kind)
        tree = model.estimator.estimators_[3].tree_ if kind == "forest" else model.estimator.tree_
        tree.value[0] = value
        assert why in refused(put(tmp_path, model))


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (("rtt_ed_4us", "rtt_ed_4us", "rtt_dtwd_4us"), "twice"),
        (("rtt_ed_4us", "none", "rtt_dtwd_4us"), "catalogue"),
        (("rtt_ed_4us",), "number of features"),
    ],
)
def test_inputs_are_features_that_we_have(names: tuple[str, ...], why: str, tmp_path: Path) -> None:
    model = made("tree")
    assert why in refused(put(tmp_path, Fitted(model.estimator, names, model.setting)))


def test_the_setting_is_the_estimator_s(tmp_path: Path) -> None:
    for old in (Setting(2, (("max_depth", 4),)), Setting(3, ()), Setting(3, (("max_depth", 5),))):
        model = made("tree")
        refused(put(tmp_path, Fitted(model.estimator, model.feature_names, old)))


def test_swapped_counts_are_found_by_the_digest_alone(tmp_path: Path) -> None:
    path = put(tmp_path, made("tree"))
    recorded = store.digest(path)
    assert store.load(path, recorded).feature_names
    model = made("tree")
    model.estimator.tree_.value[:] = model.estimator.tree_.value[:, :, ::-1].copy()
    put(tmp_path, model)
    store.load(path)
    with pytest.raises(store.ModelError, match=f"m.skops: its digest is .*, the run that made it recorded {recorded}"):
        store.load(path, recorded)


# The archive itself.


@pytest.mark.parametrize("kind", KINDS)
def test_half_an_archive_is_refused(kind: str, tmp_path: Path) -> None:
    path = put(tmp_path, made(kind))
    whole = path.read_bytes()
    for length in (1, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        refused(path)


def test_a_bomb_does_not_go_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_BYTES", 64 << 20)
    path = put(tmp_path, made("tree"))
    parts = parts_of(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archived:
        for name, content in parts.items():
            archived.writestr(name, content)
        with archived.open("bomb.npy", "w", force_zip64=True) as bomb:
            for _ in range((archive.MOST_BYTES >> 20) + 1):
                bomb.write(bytes(1 << 20))
    assert path.stat().st_size < 1 << 20
    assert "unpacks to more than" in refused(path)


def test_nor_does_one_part_that_is_used_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, made("tree"))
    parts = parts_of(path)
    schema = json.loads(parts["schema.json"])
    array = {"__class__": "ndarray", "__loader__": "NdArrayNode", "__module__": "numpy", "type": "numpy"}
    often = [array | {"__id__": 1_000 + number, "file": "zeros.npy"} for number in range(20)]
    schema["content"]["feature_names"]["content"] = often
    target = io.BytesIO()
    np.save(target, np.zeros(100_000))
    rewritten(path, parts | {"schema.json": json.dumps(schema).encode(), "zeros.npy": target.getvalue()})
    monkeypatch.setattr(archive, "MOST_BYTES", 8 << 20)
    assert "unpacks to more than" in refused(path)


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "m.skops")
    assert "it is no file" in refused(tmp_path / "m.skops")


def test_nesting_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.skops"
    assert "recursion" in refused(rewritten(path, {"schema.json": b"[" * 100_000}))


def test_types_that_skops_trusts_and_we_do_not_have_are_refused(tmp_path: Path) -> None:
    x, setting = np.arange(20.0).reshape(10, 2), Setting(2, ())
    model = KNeighborsClassifier(algorithm="brute").fit(x, [False, True] * 5)
    path = put(tmp_path, Fitted(model, ("rtt_ed_4us", "rtt_dtwd_4us"), setting))
    assert skops.io.load(path) is not None
    assert "KNeighborsClassifier by ObjectNode is in no model of ours" in refused(path)


def test_no_part_stands_for_another(tmp_path: Path) -> None:
    """Of two parts with one id skops takes the first, whatever the second one says."""
    assert "one id" in refused(with_text(put(tmp_path, made("tree")), '"__id__": 21,', '"__id__": 3,'))


_FLIPPING = """
import io, random, sys, warnings, zipfile
from pathlib import Path
import numpy as np
from smartsbd.models.families import neighbours
from smartsbd.models.stored import store
warnings.simplefilter("ignore")
folder, flips = Path(sys.argv[1]), int(sys.argv[2])
path = folder / "m.skops"
whole = path.read_bytes()
with zipfile.ZipFile(path) as archived:
    parts = {name: archived.read(name) for name in archived.namelist()}
chance = random.Random(1)
target = folder / "flipped.skops"
refused = passed = 0
for number in range(flips):
    if number % 4 == 3:
        # The archive's own bytes, also those of its directory.
        content = bytearray(whole)
        for _ in range(1 + number % 3):
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        target.write_bytes(content)
    else:
        # A member: each in turn, its head rather than its end, with a checksum that fits.
        name = sorted(parts)[number % len(parts)] if number % 2 else "schema.json"
        content = bytearray(parts[name])
        for _ in range(1 + number % 3):
            content[chance.randrange(min(len(content), 200_000))] ^= 1 << chance.randrange(8)
        with zipfile.ZipFile(target, "w") as archived:
            for one in parts:
                archived.writestr(one, content if one == name else parts[one])
    print(number, file=sys.stderr, flush=True)
    try:
        model = store.load(target)
    except store.ModelError as error:
        assert chr(10) not in str(error)
        refused += 1
        continue
    passed += 1
    # What passes judges.
    x = np.random.default_rng(number).integers(0, 2_000, (50, len(model.feature_names))).astype(float)
    if model.feature_names == ("rtt_a_us", "rtt_b_us"):
        verdicts = neighbours.predict(np.ones((3, neighbours.POINTS, 2)), model)
    else:
        verdicts = model.judge(x)
    assert ((verdicts.score >= 0) & (verdicts.score <= 1)).all()
print(refused, passed)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[] if kind == "tree" else pytest.mark.slow) for kind in KINDS]
)
def test_flipped_bits_end_in_one_line_or_in_a_model_that_judges(kind: str, tmp_path: Path) -> None:
    put(tmp_path, made(kind))
    run = subprocess.run(
        [sys.executable, "-c", _FLIPPING, str(tmp_path), str(FLIPS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    refusals, passed = map(int, run.stdout.split())
    assert refusals + passed == FLIPS and refusals >= FLIPS // 4


@pytest.mark.slow
def test_loading_neighbours_says_nothing(tmp_path: Path) -> None:
    path = put(tmp_path, made("knn"))
    code = (
        "import sys; from pathlib import Path; from smartsbd.models.stored import store; store.load(Path(sys.argv[1]))"
    )
    run = subprocess.run([sys.executable, "-c", code, path], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == ("", "")
