"""Ratios are to the same network and stack, and a failed run takes its network's others with it."""

from __future__ import annotations

import pandas as pd
import pytest

from studies.quic.modes import beside_others


def runs() -> pd.DataFrame:
    rows = [
        {
            "stack": "noq",
            "variant": "own links",
            "number": number,
            "mode": mode,
            "goodput_mbit_s": goodput * (number + 1),
            "rival_mbit_s": 3.0 / goodput,
            "judgements": 4,
            "decided": 4,
            "decided_right": 3,
            "first_right_s": 2.0,
            "last_verdict": "apart",
            "replayed_equal": 4,
            "failed": None,
        }
        for number in range(3)
        for mode, goodput in (("coupled", 1.0), ("uncoupled", 2.0), ("verdicts", 1.5))
    ]
    return pd.DataFrame(rows)


def test_ratios_are_to_the_same_network() -> None:
    table = beside_others(runs()).set_index("mode").loc["verdicts"]
    assert table["over_coupled"] == pytest.approx(1.5)
    assert table["over_uncoupled_low"] == pytest.approx(0.75)
    assert table["rival_over_coupled"] == pytest.approx(1 / 1.5)
    assert (table["runs"], table["last_right"], table["decided_right"]) == (3, 3, 0.75)


def test_a_failed_run_takes_those_of_its_network_with_it() -> None:
    table = runs()
    table.loc[4, ["failed", "goodput_mbit_s"]] = ["sbd-quic: does not end", None]
    compared = beside_others(table)
    assert compared["runs"].tolist() == [2, 2, 2]
    assert compared["over_coupled"].tolist() == pytest.approx([1.0, 2.0, 1.5])
