"""Which model becomes the default, and which windows without a verdict count: on small tables made by hand."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from features.window import Rejected
from models.extraction import _label_of
from pipelines.params import Params, read_params
from pipelines.stages.compare import _compared
from pipelines.stages.evaluate import _detector, _none
from tests.models.windows_made import pair_window

ROOT = Path(__file__).parents[2]


@pytest.fixture
def params() -> Params:
    return read_params(ROOT / "params.yaml")


def overall(rows: list[tuple[str, str, str, float]]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["train_set", "test_set", "model", "balanced"])
    for name in ("train_set", "test_set"):
        table[name] += "/tiled"
    return table.assign(feature_set="paper")


@pytest.mark.parametrize(
    ("rows", "model", "chosen_on"),
    [
        # The development set decides, whatever the others say.
        (
            [
                ("sites", "kernel", "tree", 0.9),
                ("sites", "diverse", "tree", 0.1),
                ("diverse", "kernel", "tree", 0.8),
                ("diverse", "sites", "tree", 1.0),
            ],
            "sites/tree_paper",
            "kernel",
        ),
        # Of equals, the other simulated dataset, then its own.
        (
            [
                ("sites", "kernel", "tree", 0.9),
                ("sites", "kernel", "forest", 0.9),
                ("sites", "diverse", "tree", 0.6),
                ("sites", "diverse", "forest", 0.7),
                ("sites", "sites", "tree", 1.0),
                ("sites", "sites", "forest", 0.5),
            ],
            "sites/forest_paper",
            "kernel",
        ),
        (
            [
                ("sites", "kernel", "tree", 0.9),
                ("sites", "kernel", "forest", 0.9),
                ("sites", "diverse", "tree", 0.7),
                ("sites", "diverse", "forest", 0.7),
                ("sites", "sites", "tree", 0.8),
                ("sites", "sites", "forest", 0.5),
            ],
            "sites/tree_paper",
            "kernel",
        ),
        # What is only tested on decides nothing.
        (
            [
                ("sites", "kernel", "tree", 0.9),
                ("sites", "kernel", "forest", 0.9),
                ("sites", "diverse", "tree", 0.7),
                ("sites", "diverse", "forest", 0.6),
                ("sites", "kernel_captures", "tree", 0.1),
                ("sites", "kernel_captures", "forest", 1.0),
            ],
            "sites/tree_paper",
            "kernel",
        ),
        # Without the development set, and never a model of a site left out: it is not stored.
        (
            [
                ("sites", "sites", "tree", 0.6),
                ("sites", "sites", "forest", 0.7),
                ("sites but the site", "sites", "tree", 1.0),
            ],
            "sites/forest_paper",
            None,
        ),
    ],
)
def test_the_default_model(
    params: Params, rows: list[tuple[str, str, str, float]], model: str, chosen_on: str | None
) -> None:
    named = _detector(overall(rows), params)
    assert (named["model"], named["chosen_on"]) == (model, chosen_on)


def test_windows_without_a_verdict_belong_to_their_set_and_site(params: Params) -> None:
    rows = pd.DataFrame({"connection_id": ["a", "b"], "shared": [True, False], "site": ["here", "there"]})
    without_verdict = {"diverse/tiled": rows}
    found = _none(without_verdict, ("sites/tiled", "diverse/tiled"), "here", params)
    assert found is not None and found["connection_id"].tolist() == ["a"]
    found = _none(without_verdict, ("sites/tiled", "diverse/tiled"), "all", params)
    assert found is not None and len(found) == 2
    for train_set, test_set in (
        ("diverse/tiled", "diverse/tiled"),
        ("diverse but the site/tiled", "diverse/tiled"),
        ("sites/tiled", "kernel/tiled"),
    ):
        assert _none(without_verdict, (train_set, test_set), "all", params) is None


def test_a_rejected_window_has_the_label_of_its_place() -> None:
    truth = [{"from_ns": 50, "shared": True, "site": None, "valid": True}]
    connection = {"start_ns": 0, "end_ns": 100}
    placed = _label_of(truth, connection, Rejected("tiled", "why", 60, 20))
    assert placed is not None and placed.shared
    assert _label_of(truth, connection, Rejected("tiled", "why", 40, 20)) is None
    assert _label_of(truth, connection, Rejected("tiled", "why")) is None


def test_a_comparison_by_hand() -> None:
    from models.windows import labelled_windows

    rows = pair_window(4, per_connection=1, seed=0).assign(shared=[True, True, False, False])
    trained = labelled_windows(rows.assign(rtt_ed_4us=[1, 2, 3, 4]), "tiled", ("rtt_ed_4us",))
    other = labelled_windows(rows.assign(rtt_ed_4us=[1, 9, 3, 4]), "tiled", ("rtt_ed_4us",))
    found = _compared(0, trained, other)
    # Of the four pairs of a shared and another window, the shared one is larger in none, and in two.
    assert (found["auc_trained"], found["auc_development"]) == (0.0, 0.5)
    assert (found["ks_shared"], found["ks_non_shared"]) == (0.5, 0.0)
    # 1 lies below the 1 % quantile (1.03), 4 above the 99 % one (3.97), and so does 9.
    assert found["outside"] == 0.75
