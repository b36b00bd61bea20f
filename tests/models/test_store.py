"""Stored models: the same model is the same bytes, and a foreign archive runs no code."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
import skops.io
from sklearn.tree import DecisionTreeClassifier

from models import search, store
from models.families import FAMILIES
from tests.models.windows_made import windows


def fitted() -> search.Fitted:
    return search.refit(windows(), FAMILIES["tree"], search.Setting(3, (("max_depth", 4),)), seed=0)


def test_the_same_model_is_the_same_bytes(tmp_path: Path) -> None:
    held = [fitted() for _ in range(3)]  # held, so that object ids differ
    for number, model in enumerate(held):
        store.save(model, tmp_path / f"{number}.skops")
    assert len({(tmp_path / f"{number}.skops").read_bytes() for number in range(3)}) == 1
    assert store.digest(tmp_path / "0.skops") == store.digest(tmp_path / "2.skops")


def test_a_model_comes_back(tmp_path: Path) -> None:
    model = fitted()
    store.save(model, tmp_path / "m.skops")
    again = store.load(tmp_path / "m.skops")
    assert (again.feature_names, again.setting) == (model.feature_names, model.setting)
    x = np.random.default_rng(0).integers(0, 1 << 24, size=(500, 3))
    np.testing.assert_array_equal(again.estimator.predict_proba(x), model.estimator.predict_proba(x))


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
