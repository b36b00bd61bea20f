"""The table of controls beside LIA."""

from __future__ import annotations

import pandas as pd
import pytest

from studies.loop_kernel.compare import beside_lia


def test_each_control_is_beside_lia_on_its_network() -> None:
    rows = [
        ("one link", number, control, goodput, rival)
        for number, of_control in enumerate(
            [{"lia": (2.0, 4.0), "common_lag": (3.0, 3.0)}, {"lia": (4.0, 4.0), "common_lag": (4.0, 5.0)}]
        )
        for control, (goodput, rival) in of_control.items()
    ]
    outcomes = pd.DataFrame(rows, columns=["variant", "number", "control", "goodput_mbit_s", "rival_mbit_s"])
    outcomes = outcomes.assign(experiment="loop_kernel", place="wired", jain=None, right_at_end=1.0)
    outcomes = outcomes.assign(apart_share=0.5, right_share=0.5)
    # Nothing was run under Reno.
    table = beside_lia(outcomes, resamples=10, seed=1).set_index("control")
    row = table.loc["common_lag"]
    assert (row["runs"], row["above"]) == (2, 1)
    assert row["over_lia"] == pytest.approx(1.25)
    assert row["most_over_lia"] == pytest.approx(1.5)
    assert row["rival_over_lia"] == pytest.approx(1.0)
    assert table.loc["lia", "over_lia"] == pytest.approx(1.0)
