"""Labelled connections: their clock, their labels, and what is made of them that shares nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from smartsbd.features import connection_pairs
from smartsbd.models.assessment.trend import ramps
from smartsbd.models.labelled.labelled_connection import (
    RAMPS,
    START_NS,
    SWAPPED_LATER_NS,
    SWAPPED_PARTNERS,
    LabelledConnection,
    LabelledPair,
    labelled,
    ramped,
    swapped_partners,
)
from smartsbd.traces import recording
from smartsbd.traces.dialect import Dialect

KERNEL = Path(__file__).parents[3] / "data/samples/kernel/inputs"


def kernel(number: int, *truth: dict[str, Any], dataset: str = "kernel") -> LabelledConnection | None:
    (connection,) = recording.read(KERNEL / f"{number}.state.csv.zst", Dialect()).trace.connections
    return labelled(str(number), dataset, number, connection_pairs.rows(connection), truth)


def row(shared: bool, **more: Any) -> dict[str, Any]:
    return {"subflow_a": 0, "subflow_b": 1, "shared": shared, "from_ns": 0, **more}


def shared(number: int, **more: Any) -> LabelledConnection:
    one = kernel(number, row(True, congestion_control="reno"), **more)
    assert one is not None
    return one


def test_it_begins_at_one_second_and_its_label_holds_when_both_subflows_are_there() -> None:
    one = shared(101)
    assert one.span_ns()[0] == START_NS
    begins = [time_ns[0] for time_ns, _ in one.rtts().values()]
    assert one.pairs[0].from_ns == max(begins) > START_NS


def test_the_last_label_counts_and_one_that_is_not_valid_does_not() -> None:
    change_ns = 1795231455 * 10**9
    one = kernel(101, row(True), row(False, from_ns=change_ns))
    assert one is not None
    assert [(pair.shared, pair.from_ns) for pair in one.pairs] == [(False, START_NS + change_ns - 1795231448953986000)]
    assert kernel(101, row(True), row(False, from_ns=change_ns, valid=False)) is None
    assert kernel(101, row(True, subflow_b=5)) is None


def test_swapped_partners_are_subflows_of_two_connections() -> None:
    ones = [shared(101), shared(103), shared(105)]
    found = list(swapped_partners([*ones, shared(107, dataset="other")]))
    assert [one.name for one in found] == ["101+103", "103+105", "105+101"]
    for made, (one, other) in zip(found, [(0, 1), (1, 2), (2, 0)], strict=True):
        assert made.made == SWAPPED_PARTNERS
        assert [(pair.subflow_a, pair.subflow_b, pair.shared) for pair in made.pairs] == [(0, 1, False)]
        a, b = made.rtts().values()
        np.testing.assert_array_equal(a[1], ones[one].rtts()[0][1][: len(a[1])])
        np.testing.assert_array_equal(b[1], ones[other].rtts()[1][1][: len(b[1])])
        assert b[0][0] - a[0][0] >= SWAPPED_LATER_NS
    # What is made of two is not swapped again.
    assert list(swapped_partners(found)) == []


def test_a_ramp_is_one_over_its_whole_length() -> None:
    swapped = next(swapped_partners([shared(101), shared(103)]))
    for one, is_ramp in ((swapped, False), (ramped(swapped), True)):
        a, b = one.rtts().values()
        grid_ns = np.linspace(b[0][0], min(a[0][-1], b[0][-1]), 200)
        series = np.stack([np.interp(grid_ns, *own) for own in (a, b)], axis=1)
        assert ramps(series[None, :, :]).tolist() == [is_ramp]
    assert ramped(swapped).made == RAMPS
    assert ramped(swapped).span_ns() == swapped.span_ns()


def test_the_first_half_is_what_is_known_at_the_middle() -> None:
    one = shared(101)
    half = one.first_half()
    start_ns, end_ns = one.span_ns()
    assert half.span_ns()[0] == start_ns
    assert (start_ns + end_ns) / 2 - half.span_ns()[1] < 10**8
    for number, (time_ns, rtt_us) in half.rtts().items():
        np.testing.assert_array_equal(time_ns, one.rtts()[number][0][: len(time_ns)])
        np.testing.assert_array_equal(rtt_us, one.rtts()[number][1][: len(rtt_us)])


@pytest.mark.parametrize(
    ("path", "loss", "queue", "controller"),
    [
        ({}, "not known", "not known", "not known"),
        ({"loss_a_ratio": 0.0, "loss_b_ratio": 0.0, "congestion_control": "bbr"}, "none", "not known", "bbr"),
        ({"loss_a_ratio": 0.001, "loss_b_ratio": None}, "to 0.1 %", "not known", "not known"),
        (
            {"loss_b_ratio": 0.02, "queue_b_bytes": 250_001, "bottleneck_b_mbit_s": 10.0},
            "above 1 %",
            "above 200 ms",
            "not known",
        ),
        ({"queue_a_bytes": 62_500, "bottleneck_a_mbit_s": 10.0}, "not known", "to 50 ms", "not known"),
    ],
)
def test_pairs_are_told_apart_by_what_their_paths_were_set_to(
    path: dict[str, Any], loss: str, queue: str, controller: str
) -> None:
    pair = LabelledPair(0, 1, True, 0, path)
    assert (pair.loss(), pair.queue(), pair.controller()) == (loss, queue, controller)
