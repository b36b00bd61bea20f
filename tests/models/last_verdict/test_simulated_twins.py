"""Recordings beside their twins: paired by name and order of subflows, each difference counted."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from smartsbd.models.last_verdict import simulated_twins
from smartsbd.models.last_verdict.final_verdict import judged
from smartsbd.models.last_verdict.simulated_twins import NoTwinsError

#: Label of each scenario, and what is said of its recording and of its twin; None: nothing.
PAIRS: list[tuple[bool, bool | None, bool | None]] = [
    (True, True, True),
    (True, None, True),
    (True, False, True),
    (False, False, False),
    (False, False, True),
    (False, False, None),
]


def truth(dataset: str, first: int, labels: list[bool]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "connection_id": f"{dataset}/{number:05d}.log.zst#0",
                "subflow_a": first,
                "subflow_b": first + 1,
                "shared": shared,
                "scenario": "odd" if number % 2 else "even",
            }
            for number, shared in enumerate(labels)
        ]
    )


def verdicts(truths: pd.DataFrame, said: list[bool | None]) -> pd.DataFrame:
    rows = truths.drop(columns="scenario").assign(said=pd.Series(said, dtype=object), detector="d", preset="default")
    return judged(rows).astype({"said": "boolean"})


LABELS = [shared for shared, _, _ in PAIRS]
RECORDED, SIMULATED = truth("testbed", 1, LABELS), truth("wide_linux", 0, LABELS)
SAID = verdicts(RECORDED, [said for _, said, _ in PAIRS])
TWINS_SAID = verdicts(SIMULATED, [said for _, _, said in PAIRS])


def test_each_way_to_part_is_counted() -> None:
    both = simulated_twins.paired(SAID, TWINS_SAID, RECORDED, SIMULATED)
    (row,) = simulated_twins.compared(both, resamples=200, seed=0)
    assert (row["pairs"], row["shared"]) == (6, 3)
    assert row["recorded"] == pytest.approx(4 / 6)
    assert row["simulated"] == pytest.approx(4 / 6)
    assert row["less"] == 0
    assert row["less_low"] < 0 < row["less_high"]
    assert (row["decided_recorded"], row["decided_simulated"]) == (5, 5)
    assert (row["wrong_recorded"], row["wrong_simulated"]) == (1, 1)
    assert (row["right_recorded_only"], row["right_simulated_only"]) == (2, 2)
    assert row["opposite"] == 2


def test_settings_are_counted_one_by_one() -> None:
    both = simulated_twins.paired(SAID, TWINS_SAID, RECORDED, SIMULATED)
    found = {row["scenario"]: row for row in simulated_twins.by_scenario(both, [("d", "default")])}
    assert [found[name]["pairs"] for name in ("even", "odd")] == [3, 3]
    assert (found["even"]["right_recorded"], found["even"]["right_simulated"]) == (2, 2)
    assert (found["odd"]["right_recorded"], found["odd"]["right_simulated"]) == (2, 2)
    assert (found["odd"]["decided_recorded"], found["odd"]["decided_simulated"]) == (2, 2)


def test_a_pair_counts_where_its_label_is_valid_in_both() -> None:
    both = simulated_twins.paired(SAID[SAID.index != 0], TWINS_SAID[TWINS_SAID.index != 5], RECORDED, SIMULATED)
    assert sorted(both["input"]) == [f"{number:05d}.log.zst#0" for number in (1, 2, 3, 4)]
    with pytest.raises(NoTwinsError, match="no pair has a valid label in both"):
        simulated_twins.paired(SAID[SAID.index == 0], TWINS_SAID[TWINS_SAID.index != 0], RECORDED, SIMULATED)


def test_a_twin_of_another_label_is_refused() -> None:
    other = truth("wide_linux", 0, [not shared for shared in LABELS])
    with pytest.raises(ValueError, match="are not of one scenario"):
        simulated_twins.paired(SAID, verdicts(other, [True] * 6), RECORDED, other)


def test_pairs_of_three_subflows_keep_their_order() -> None:
    """No pair is taken for another one because the first is not valid."""
    rows = [(1, 2, True), (1, 3, False), (2, 3, False)]

    def of(dataset: str, shift: int) -> pd.DataFrame:
        return pd.DataFrame(
            [
                {
                    "connection_id": f"{dataset}/a.log#0",
                    "subflow_a": a - shift,
                    "subflow_b": b - shift,
                    "shared": shared,
                    "scenario": "three",
                }
                for a, b, shared in rows
            ]
        )

    one, other = of("testbed", 0), of("twin", 1)
    said, twins_said = verdicts(one, [True, True, False]), verdicts(other, [True, None, False])
    both = simulated_twins.paired(said[said.index != 0], twins_said, one, other)
    assert list(zip(both["rank_a"], both["rank_b"], strict=True)) == [(0, 2), (1, 2)]
    assert both["right_recorded"].tolist() == [0, 1]


def seen(dataset: str, first: int, rtts_us: list[list[int]], states: list[tuple[int, int]]) -> pd.DataFrame:
    ack = [
        {
            "connection_id": f"{dataset}/a.log#0",
            "subflow_id": first + number,
            "rtt_us": rtt,
            "acked_bytes": 1000 * place,
        }
        for number, own in enumerate(rtts_us)
        for place, rtt in enumerate(own)
    ]
    state = [
        {"connection_id": f"{dataset}/a.log#0", "subflow_id": first + number, "ca_state": value}
        for number, value in states
    ]
    return simulated_twins.signals(
        pd.DataFrame(ack), pd.DataFrame(state, columns=["connection_id", "subflow_id", "ca_state"])
    )


def test_signals_of_a_subflow_are_those_of_its_records() -> None:
    # Open, Recovery, Loss (one episode), Open, Recovery; the other subflow is in Disorder alone.
    states = [(0, 0), (0, 3), (0, 4), (0, 0), (0, 3), (1, 1)]
    found = seen("testbed", 1, [[10, 20, 30], [40, 40, 40, 40]], states)
    assert found.index.tolist() == [("a.log#0", 0), ("a.log#0", 1)]
    assert found["rtt_samples"].tolist() == [3, 4]
    assert found["min_rtt_us"].tolist() == [10, 40]
    assert found["mean_queueing_us"].tolist() == [10, 0]
    assert found["sd_rtt_us"].tolist() == [pytest.approx((200 / 3) ** 0.5), 0]
    assert found["acked_bytes"].tolist() == [2000, 3000]
    assert found["episodes"].tolist() == [2, 0]


def test_signals_are_compared_subflow_by_subflow() -> None:
    recorded = seen("testbed", 1, [[20, 40], [60, 80]], [])
    simulated = seen("wide_linux", 0, [[10, 30], [30, 50]], [])
    found: dict[str, dict[str, Any]] = {
        row["signal"]: row for row in simulated_twins.compared_signals(recorded, simulated)
    }
    assert found["min_rtt_us"]["subflows"] == 2
    assert found["min_rtt_us"]["ratio_median"] == 2
    assert found["min_rtt_us"]["correlation"] == pytest.approx(1)
    assert (found["min_rtt_us"]["recorded"], found["min_rtt_us"]["simulated"]) == (40, 20)
    # Nothing was ever congested: no ratio is made up.
    assert pd.isna(found["episodes"]["ratio_median"])
