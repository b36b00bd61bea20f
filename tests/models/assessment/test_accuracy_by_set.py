"""Which windows without a verdict count, and in which order rows stand: on small tables made by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import pytest

from smartsbd.models.assessment.accuracy_by_set import accuracy_by_set, accuracy_by_site, missing_of

MISSING = {
    "diverse/tiled": pd.DataFrame({"connection_id": ["a", "b"], "shared": [True, False], "site": ["here", "there"]})
}
LEARNT = ["sites", "diverse"]


def test_windows_without_a_verdict_belong_to_their_set_and_site() -> None:
    found = missing_of(MISSING, "sites/tiled", "diverse/tiled", "here", LEARNT)
    assert found is not None and found["connection_id"].tolist() == ["a"]
    found = missing_of(MISSING, "sites/tiled", "diverse/tiled", "all", LEARNT)
    assert found is not None and len(found) == 2


@pytest.mark.parametrize(
    ("train_set", "test_set"),
    [
        ("diverse/tiled", "diverse/tiled"),
        ("diverse but the site/tiled", "diverse/tiled"),
        ("sites/tiled", "kernel/tiled"),
        ("groups/tiled", "diverse/tiled"),
    ],
)
def test_where_not_all_was_tested_none_counts(train_set: str, test_set: str) -> None:
    assert missing_of(MISSING, train_set, test_set, "all", LEARNT) is None


def predictions(*sets: tuple[str, str, str]) -> pd.DataFrame:
    """Of each model, trained and tested on these sets, one right and one wrong shared window, and a right other one."""

    def rows() -> Iterator[dict[str, object]]:
        for train_set, test_set, model in sets:
            known = {"train_set": train_set, "test_set": test_set, "model": model, "feature_set": "paper"}
            key = {"subflow_a": 0, "subflow_b": 1, "rule": "tiled", "window_start_ns": 0}
            for name, shared, said in (("c", True, True), ("d", True, False), ("e", False, False)):
                yield {**known, **key, "connection_id": name, "shared": shared, "shared_pred": said, "site": "here"}

    return pd.DataFrame(list(rows()))


def test_a_window_without_a_verdict_is_wrong_on_its_site_and_on_all() -> None:
    found = accuracy_by_site(
        predictions(("sites/tiled", "diverse/tiled", "tree"), ("sites/tiled", "sites/tiled", "tree")),
        MISSING,
        LEARNT,
        ["sites", "diverse", "tree", "paper"],
        resamples=100,
        seed=0,
    )
    assert found[["test_set", "site", "none"]].to_numpy().tolist() == [
        ["sites/tiled", "here", 0],
        ["sites/tiled", "all", 0],
        ["diverse/tiled", "here", 1],
        ["diverse/tiled", "there", 1],
        ["diverse/tiled", "all", 2],
    ]
    assert found["recall_shared"].tolist()[2:] == pytest.approx([1 / 3, float("nan"), 1 / 3], nan_ok=True)
    assert found["recall_not_shared"].tolist()[2:] == [1, 0, 0.5]


def test_rows_stand_in_the_order_of_the_names() -> None:
    sets = [
        (f"{one}/tiled", f"{other}/tiled", model) for one in LEARNT for other in LEARNT for model in ("svm", "tree")
    ]
    found = accuracy_by_site(
        predictions(*sets), {}, LEARNT, ["sites", "diverse", "tree", "svm", "paper"], resamples=100, seed=0
    )
    whole = found[found["site"] == "all"]
    assert whole[["test_set", "train_set", "model"]].to_numpy().tolist() == [
        [f"{tested}/tiled", f"{trained}/tiled", model]
        for tested in ("sites", "diverse")
        for trained in ("diverse", "sites")
        for model in ("tree", "svm")
    ]


def test_what_was_learnt_from_beside_another_is_held_out() -> None:
    made = predictions(("sites+diverse/tiled", "diverse/tiled", "tree"), ("sites/tiled", "diverse/tiled", "tree"))
    found = accuracy_by_set(made, MISSING, resamples=100, seed=0)
    assert found[["train_set", "none"]].to_numpy().tolist() == [["sites+diverse/tiled", 0], ["sites/tiled", 2]]
    assert found["recall_shared"].tolist() == pytest.approx([1 / 2, 1 / 3])
