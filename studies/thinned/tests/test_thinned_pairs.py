"""Views of a pair, its last verdict on what is shown, and the interval that is still allowed."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pandas as pd
import pytest

from smartsbd.detectors.lag_excess import Criterion, judgements
from smartsbd.features.lag_excess import gate
from smartsbd.features.lag_excess.lattice import TOO_FEW_SAMPLES, TOO_SHORT
from smartsbd.features.series import SubflowSignals
from studies.thinned.shown_rtts import smoothed_signals
from studies.thinned.thinned_pairs import ToolView, accuracy_rows, allowed_ms, last_said, spread_labels, views
from tests.features.delays_made import MS, queue_us, subflow

BASE_US = 20_000
END_NS = 16_000 * MS
CONNECTION = {"connection_id": "made#0", "start_ns": 0, "end_ns": END_NS}


def pair(seed: int, *, shared: bool) -> dict[int, SubflowSignals]:
    """Two subflows for sixteen seconds with a sample in about two milliseconds, of one queue or of two."""
    rng = random.Random(seed)  # noqa: S311 - test data
    queues = [queue_us(rng, 16_000, 2 * BASE_US) for _ in range(2)]
    return {
        number: subflow(rng, queues[0 if shared else number], base_us, 3 * number, MS, odd=False)
        for number, base_us in enumerate((BASE_US, BASE_US * 2 // 3))
    }


def seen(view: ToolView, signals: dict[int, SubflowSignals], seed: int = 0) -> list[SubflowSignals]:
    smooth = {number: smoothed_signals(own) for number, own in signals.items()}
    return list(view.shown(signals, smooth, CONNECTION, seed).values())


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("view", [ToolView("log"), ToolView("ping", "own", 10), ToolView("csv", "own", 10)], ids=str)
def test_a_clear_pair_is_told_by_samples_close_together(view: ToolView, shared: bool) -> None:
    for seed in range(4):
        x, y = seen(view, pair(seed, shared=shared))
        said, reason, first_ns = last_said(x, y)
        assert (said, reason) == (shared, None)
        assert first_ns is not None and 0 < first_ns < END_NS


def test_the_verdict_is_the_last_judgement() -> None:
    x, y = pair(7, shared=True).values()
    every = list(judgements(x, y, Criterion()))
    said, reason, first_ns = last_said(x, y)
    assert (said, reason) == (every[-1].shared, every[-1].reason)
    assert first_ns == min(one.decided_ns for one in every if one.shared is not None)


def test_samples_far_apart_give_no_verdict_and_a_reason() -> None:
    signals = pair(0, shared=True)
    for view, reason in (
        (ToolView("csv", "own", 2000), TOO_FEW_SAMPLES),
        (ToolView("csv", "own", 500), gate.IDLE),
        # Silences of half a round trip end at one time, as when the host stops.
        (ToolView("ss", "common", 20), gate.STALLED),
    ):
        assert last_said(*seen(view, signals)) == (None, reason, None)
    few = [SubflowSignals.of_rtts(own.rtt_time_ns[:60], own.rtt_us[:60]) for own in signals.values()]
    assert last_said(*few) == (None, TOO_SHORT, None)


def test_own_ticks_differ_and_common_ones_do_not() -> None:
    signals = pair(0, shared=True)
    for whose, equal in (("own", False), ("common", True)):
        x, y = seen(ToolView("ss", whose, 50), signals)
        phases = [set((one.rtt_time_ns % (50 * MS)).tolist()) for one in (x, y)]
        assert [len(one) for one in phases] == [1, 1]
        assert (phases[0] == phases[1]) is equal
    other = seen(ToolView("ss", "common", 50), signals, seed=1)[0]
    assert (other.rtt_time_ns[:100] != x.rtt_time_ns[:100]).all()


def test_tcp_probe_is_smoothed_at_every_sample() -> None:
    signals = pair(0, shared=True)
    for shown, own in zip(seen(ToolView("tcp_probe"), signals), signals.values(), strict=True):
        assert shown.rtt_time_ns.tolist() == own.rtt_time_ns.tolist()
        assert shown.rtt_us.tolist() == smoothed_signals(own).rtt_us.tolist()


def test_views_are_every_combination_and_the_log() -> None:
    found = views(["ss", "log", "tcp_probe"], ["own", "common"], [10, 100])
    assert [(one.kind, one.ticks, one.interval_ms) for one in found] == [
        ("log", "", None),
        *(("ss", whose, interval_ms) for whose in ("own", "common") for interval_ms in (10, 100)),
        ("tcp_probe", "", None),
    ]


def truth(count: int) -> list[dict[str, Any]]:
    return [
        {"connection_id": f"c{number:02d}", "subflow_a": 0, "subflow_b": 1, "from_ns": 0, "valid": number != 3}
        for number in range(count)
    ]


def test_pairs_are_spread_and_have_a_valid_label() -> None:
    found = [row["connection_id"] for row in spread_labels(truth(11), 4)]
    assert found == ["c00", "c02", "c06", "c08"]
    assert len(spread_labels(truth(11), None)) == len(spread_labels(truth(11), 10)) == 10
    assert spread_labels([], 4) == []


def judged_rows(kind: str, interval_ms: int | None, said: list[bool | None]) -> list[dict[str, Any]]:
    return [
        {
            **{"kind": kind, "ticks": "own" if interval_ms else "", "interval_ms": interval_ms},
            **{"connection_id": f"c{number}", "subflow_a": 0, "subflow_b": 1, "shared": number < 2},
            **{"said": one, "reason": None if one is not None else gate.STALLED, "first_s": np.nan},
        }
        for number, one in enumerate(said)
    ]


def test_accuracy_is_counted_and_compared_with_the_log() -> None:
    rows = judged_rows("log", None, [True, True, False, False]) + judged_rows("ping", 10, [True, None, True, None])
    log, ping = accuracy_rows(pd.DataFrame(rows), resamples=100, seed=0)
    assert (log["kind"], log["right"], log["decided"], log["coverage"], log["less"]) == ("log", 1, 1, 1, 0)
    assert log["reason"] == ""
    assert (ping["kind"], ping["ticks"], ping["interval_ms"]) == ("ping", "own", 10)
    assert (ping["pairs"], ping["shared"], ping["wrong"], ping["none"]) == (4, 2, 1, 2)
    assert (ping["right"], ping["less"], ping["decided"], ping["coverage"]) == (0.25, -0.75, 0.5, 0.5)
    assert (ping["coverage_shared"], ping["coverage_not_shared"]) == (0.5, 0.5)
    assert ping["reason"] == gate.STALLED


def test_who_decides_nothing_has_no_accuracy_where_decided() -> None:
    rows = pd.DataFrame(judged_rows("log", None, [None] * 4))
    (found,) = accuracy_rows(rows, resamples=100, seed=0)
    assert (found["right"], found["coverage"], found["reason"]) == (0, 0, gate.STALLED)
    assert np.isnan(found["decided"])


@pytest.mark.parametrize(
    ("decided", "coverage", "allowed"),
    [
        ([0.95, 0.95, 0.95], [0.6, 0.6, 0.6], 50),
        # What is right again further on does not count.
        ([0.95, 0.90, 0.99], [0.6, 0.6, 0.6], 10),
        ([0.95, 0.99, 0.99], [0.6, 0.5, 0.6], 10),
        ([0.94, 0.99, 0.99], [0.6, 0.6, 0.6], None),
        ([0.95, 0.95, np.nan], [0.6, 0.6, 0.0], 20),
    ],
)
def test_the_allowed_interval(decided: list[float], coverage: list[float], allowed: int | None) -> None:
    one = pd.DataFrame({"interval_ms": [10, 20, 50], "decided": decided, "coverage": coverage})
    good = pd.DataFrame({"interval_ms": [50, 10, 20], "decided": 1.0, "coverage": 1.0})
    for rows in (one, pd.concat([good, one])):
        assert allowed_ms(rows, least_right=0.95, least_coverage=0.5) == allowed
