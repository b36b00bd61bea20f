"""Which model carries over best: on small tables made by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from smartsbd.models.search.shipped_choice import best_model


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
def test_the_best_model(rows: list[tuple[str, str, str, float]], model: str, chosen_on: str | None) -> None:
    named = best_model(overall(rows), ["sites", "diverse"], "kernel", "tiled", exported=["sites/tree_paper"])
    assert (named["model"], named["chosen_on"]) == (model, chosen_on)
    assert named["exported"]["model"] == "sites/tree_paper"


def test_without_an_exported_model_none_is_named() -> None:
    named = best_model(
        overall([("sites", "sites", "tree", 0.6)]), ["sites"], "kernel", "tiled", exported=["sites/forest"]
    )
    assert named["exported"] is None
    assert named["balanced"] == {"development": None, "transferred": None, "own": 0.6}
