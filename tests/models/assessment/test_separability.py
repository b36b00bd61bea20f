"""How well plain correlation and configured values tell labels, by hand."""

from __future__ import annotations

from typing import Any

import pandas as pd

from smartsbd.models.assessment.separability import by_configured_value, by_correlation


def windows(shared: list[bool]) -> pd.DataFrame:
    """Two windows of each connection; the first feature tells the label but for one window, the second does not."""
    return pd.DataFrame(
        {
            "connection_id": ["a", "a", "b", "b"],
            "subflow_a": 0,
            "subflow_b": 1,
            "shared": shared,
            "min_rtt_ratio_q10": [100, 900, 900, 900],
            "rtt_correlation_q10": [1024, 512, 512, 0],
            "rtt_rank_correlation_q10": [0, 0, 0, 0],
        }
    )


def test_correlation_by_hand() -> None:
    found = by_correlation(windows([True, True, False, False]))
    # Of the ratios the first of each connection counts: 100 and 900.
    assert found["min_rtt_ratio_overlap"] == 0
    assert found["pearson"] == {
        "median_shared": 0.75,
        "median_non_shared": 0.25,
        "best_threshold": 0.5,
        "balanced_accuracy_at_best_threshold": 0.75,
    }
    assert found["spearman"]["balanced_accuracy_at_best_threshold"] == 0.5


def test_one_label_tells_nothing() -> None:
    assert by_correlation(windows([True] * 4)) == {}
    assert by_configured_value(truth([True, True, True])) == {}


def truth(shared: list[bool]) -> pd.DataFrame:
    columns = ("bottleneck_{}_mbit_s", "queue_{}_bytes", "base_rtt_{}_us", "loss_{}_ratio", "jitter_{}_us")
    none = {name.format(side): None for name in columns for side in "ab"}
    rows: dict[str, Any] = {"valid": [True, True, True], "shared": shared} | none
    rows |= {"loss_a_ratio": [0.1, 0.2, 0.3], "queue_a_bytes": [1.0, None, 2.0], "queue_b_bytes": [1.0, 2.0, None]}
    invalid = pd.DataFrame({name: [9.0] for name in rows}).assign(valid=False, shared=True)
    return pd.concat([pd.DataFrame(rows), invalid], ignore_index=True).astype({"valid": bool, "shared": bool})


def test_a_value_that_one_label_has_alone_is_left_out() -> None:
    assert by_configured_value(truth([False, False, True])) == {"loss_a_ratio": 1.0, "queue_a_bytes": 1.0}
