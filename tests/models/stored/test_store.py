"""Stored models: the same model is the same bytes, and a foreign archive runs no code."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
import skops.io
from sklearn.tree import DecisionTreeClassifier

from smartsbd.models.families import FAMILIES
from smartsbd.models.families.fitted import Fitted, Setting
from smartsbd.models.search import fitting
from smartsbd.models.stored import store
from tests.models.windows_made import windows

POINT = {"max_depth": 4, "c": 10, "gamma": 0.1, "solver": "lbfgs"}


def fitted(name: str = "tree") -> Fitted:
    family = FAMILIES[name]
    setting = Setting(3, tuple(sorted((axis, POINT[axis]) for axis in family.hyperparameters)))
    return fitting.fit(windows(), family, setting, np.arange(9), np.arange(180), fitting.Method(inner_folds=3, seed=0))


@pytest.mark.parametrize("name", FAMILIES)
def test_the_same_model_is_the_same_bytes(name: str, tmp_path: Path) -> None:
    held = [fitted(name) for _ in range(3)]  # held, so that object ids differ
    for number, model in enumerate(held):
        store.save(model, tmp_path / f"{number}.skops")
    assert len({(tmp_path / f"{number}.skops").read_bytes() for number in range(3)}) == 1
    assert store.digest(tmp_path / "0.skops") == store.digest(tmp_path / "2.skops")


@pytest.mark.parametrize("name", FAMILIES)
def test_a_model_comes_back(name: str, tmp_path: Path) -> None:
    model = fitted(name)
    store.save(model, tmp_path / "m.skops")
    again = store.load(tmp_path / "m.skops")
    assert (again.feature_names, again.setting) == (model.feature_names, model.setting)
    made, rows = windows(seed=9), np.arange(180)
    np.testing.assert_array_equal(fitting.predict(made, again, rows).score, fitting.predict(made, model, rows).score)


class Foreign(DecisionTreeClassifier):  # type: ignore[misc]
    """A type the store does not trust."""


def test_an_untrusted_type_is_refused(tmp_path: Path) -> None:
    model = Foreign().fit([[0], [1]], [False, True])
    content = {"estimator": model, "feature_names": ["x"], "top": 1, "hyperparameters": {}}
    (tmp_path / "m.skops").write_bytes(skops.io.dumps(content))
    with pytest.raises(store.ModelError, match=r"m\.skops"):
        store.load(tmp_path / "m.skops")


def archive(name: str, content: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archived:
        archived.writestr(name, content)
    return target.getvalue()


@pytest.mark.parametrize(
    "content", [b"", b"noise", archive("other", b""), archive("schema.json", b"{"), archive("schema.json", b"{}")]
)
def test_garbage_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.skops").write_bytes(content)
    with pytest.raises(store.ModelError, match=r"m\.skops"):
        store.load(tmp_path / "m.skops")
    with pytest.raises(store.ModelError, match=r"none\.skops"):
        store.load(tmp_path / "none.skops")
