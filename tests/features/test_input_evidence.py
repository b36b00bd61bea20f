"""What an input's limits are said to be, and that a sender's own log has none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from smartsbd.features.input_evidence import InputEvidence
from smartsbd.features.judged_rtts import (
    KIND_NOT_JUDGED,
    NO_RTTS,
    SAMPLES,
    SMOOTHED,
    TOO_FAR_APART,
    JudgedRtts,
    VerdictRule,
    judged,
)
from smartsbd.features.series import SubflowSignals
from smartsbd.traces import recording
from smartsbd.traces.connection import Connection, Subflow
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.vantage import RECEIVER, SENDER, UNKNOWN

ROOT = Path(__file__).parents[2]
MS = 1_000_000
NO_STATES = "There are no congestion states"


def subflow(
    number: int,
    rtts_us: Sequence[int],
    *,
    every_ms: int = 5,
    start_ms: int = 0,
    kind: str = "rtt_us",
    states: Sequence[int] = (0,),
) -> Subflow:
    """A subflow with an RTT every so often."""
    found = Subflow(number, start_ms * MS, (start_ms + every_ms * len(rtts_us)) * MS)
    for place, rtt_us in enumerate(rtts_us):
        found.acks.append((start_ms + every_ms * place) * MS, 0, **{kind: rtt_us})
    found.state_time_ns.extend([0] * len(states))
    found.state_ca_state.extend(states)
    return found


def limits(*subflows: Subflow, vantage: str = SENDER) -> list[str]:
    connection = Connection(None, {0: vantage}, False, subflows={one.subflow_id: one for one in subflows})
    return InputEvidence.of(connection).limits()


LOADED = [20_000, 30_000] * 50
IDLE = [20_000, 20_100] * 50


def test_a_sender_s_samples_and_states_of_loaded_paths_have_no_limit() -> None:
    assert limits(subflow(0, LOADED), subflow(1, LOADED)) == []


@pytest.mark.parametrize(
    ("subflows", "sentence"),
    [
        (lambda: [subflow(0, LOADED), subflow(1, [])], "Subflow 1: no RTT."),
        (
            lambda: [subflow(0, LOADED, kind="srtt_us"), subflow(1, LOADED, kind="srtt_us")],
            "Subflows 0 and 1: smoothed RTTs at every ACK",
        ),
        (
            lambda: [replace(subflow(number, LOADED, kind="srtt_us"), at_intervals=True) for number in range(2)],
            "Subflows 0 and 1: judged from smoothed RTTs",
        ),
        (lambda: [subflow(0, LOADED), subflow(1, LOADED[:9])], "Subflow 1: fewer than 10 RTTs"),
        (
            lambda: [subflow(0, LOADED), subflow(1, LOADED, every_ms=11)],
            "Subflow 1: an RTT every 11 ms, 0.6 of the smallest round trip, and what changes faster is not seen."
            " Sample every 10 ms or more often.",
        ),
        (
            lambda: [
                subflow(0, [400_000, 500_000] * 50),
                replace(subflow(1, LOADED, every_ms=100), at_intervals=True),
            ],
            "Subflow 1: an RTT every 100 ms, 0.2 of the smallest round trip, and what changes faster is not seen."
            " Sample every 60 ms or more often.",
        ),
        (
            lambda: [subflow(0, LOADED), subflow(1, LOADED[:40], every_ms=1000)],
            "Subflow 1: an RTT every 1000 ms, 50.0 of the smallest round trip, and beyond 16 round trips nothing is"
            " compared. Sample every 10 ms or more often.",
        ),
        (
            lambda: [
                subflow(0, LOADED),
                replace(subflow(1, LOADED), at_intervals=True, resolution_ns=1_000_000_000),
            ],
            "Subflow 1: dated to 1000 ms, too coarse for a verdict. Date each sample with a fraction of a second",
        ),
        (
            lambda: [subflow(0, LOADED), replace(subflow(1, LOADED[:9]), few_rtts="it does nothing. Wait")],
            "Subflow 1: it does nothing. Wait.",
        ),
        (
            lambda: [subflow(0, LOADED), replace(subflow(1, []), few_rtts="it does nothing. Wait")],
            "Subflow 1: it does nothing. Wait.",
        ),
        (
            lambda: [subflow(0, LOADED), subflow(1, IDLE)],
            "Subflow 1: no sign of a queue; the RTT was on average 0.05 ms above its smallest.",
        ),
        (
            lambda: [subflow(0, LOADED), subflow(1, LOADED, start_ms=10_000)],
            "Some subflows were never recorded at the same time.",
        ),
        (lambda: [subflow(0, LOADED, states=()), subflow(1, LOADED, states=())], NO_STATES),
    ],
    ids=[
        *(
            "none",
            "smoothed",
            "smoothed at intervals",
            "few",
            "sparse",
            "slow for a tool",
            "too sparse",
            "coarse",
            "few for a reason",
            "none for a reason",
            "idle",
            "apart",
        ),
        "no states",
    ],
)
def test_each_limit_is_said_alone(subflows: Callable[[], list[Subflow]], sentence: str) -> None:
    (said,) = limits(*subflows())
    assert said.startswith(sentence)
    assert said.count(". ") >= 1 and said.endswith(".")


@pytest.mark.parametrize(
    ("vantage", "sentence"), [(RECEIVER, "Recorded at the receiver:"), (UNKNOWN, "It cannot be told where")]
)
def test_where_it_was_recorded_is_a_limit(vantage: str, sentence: str) -> None:
    (said,) = limits(subflow(0, LOADED), subflow(1, LOADED), vantage=vantage)
    assert said.startswith(sentence)


def test_a_path_that_was_congested_was_loaded() -> None:
    assert limits(subflow(0, LOADED), subflow(1, IDLE, states=(0, 3))) == []


@pytest.mark.parametrize("folder", ["kernel", "kernel_hard", "kernel_captures"])
def test_samples_in_git_have_no_limit(folder: str) -> None:
    """So what `sbd detect` says of them is what it said before there were limits."""
    inputs = sorted((ROOT / "data/samples" / folder / "inputs").iterdir())[:: 1 if folder == "kernel" else 4]
    if folder == "kernel_captures":
        inputs = [path for one in inputs[:3] for path in sorted(one.parent.glob(f"{one.name[:3]}.*"))]
    count = 0
    for one in recording.read_all(inputs, Dialect()):
        assert isinstance(one, recording.Recording)
        for _, connection in one.connections():
            assert InputEvidence.of(connection).limits() == []
            count += 1
    assert count >= 3


def test_samples_are_judged_where_there_are_any() -> None:
    both = subflow(0, [20_000])
    both.acks.append(9 * MS, 0, srtt_us=21_000)
    found = judged(Connection(None, {0: SENDER}, False, subflows={0: both, 1: subflow(1, []), 2: subflow(2, [])}))
    assert (found[0].kind, found[0].signals.rtt_us.tolist()) == (SAMPLES, [20_000])
    assert (found[1].kind, found[1].min_us, found[1].median_interval_us, found[1].mean_queueing_us) == (
        NO_RTTS,
        None,
        None,
        None,
    )


def test_what_a_tool_shows_again_is_no_rtt() -> None:
    own = subflow(0, [], every_ms=0)
    for place, (srtt_us, acked_bytes) in enumerate([(20_000, 0), (20_000, 0), (20_000, 9), (21_000, 9), (21_000, 9)]):
        own.acks.append(place * MS, acked_bytes, srtt_us=srtt_us)
    for at_intervals, places in ((True, [0, 2, 3]), (False, [0, 1, 2, 3, 4])):
        seen = replace(own, at_intervals=at_intervals)
        found = judged(Connection(None, {0: SENDER}, False, subflows={0: seen}))[0]
        assert (found.kind, found.at_intervals) == (SMOOTHED, at_intervals)
        assert (found.signals.rtt_time_ns // MS).tolist() == places


def test_rtts_are_as_far_apart_as_their_times_are_coarse() -> None:
    fine, coarse = (replace(rtts(SAMPLES, 5, at_intervals=True), resolution_us=us) for us in (0, 1_000_000))
    assert (fine.median_interval_us, coarse.median_interval_us) == (5_000, 1_000_000)
    assert (VerdictRule().refused(fine, fine), VerdictRule().refused(fine, coarse)) == (None, TOO_FAR_APART)


def rtts(kind: str, every_ms: int, *, at_intervals: bool) -> JudgedRtts:
    return JudgedRtts(kind, SubflowSignals.of_rtts(np.arange(50) * every_ms * MS, np.full(50, 20_000)), at_intervals)


@pytest.mark.parametrize(
    ("kind", "every_ms", "at_intervals", "reason"),
    [
        (SAMPLES, 500, False, None),
        (SAMPLES, 60, True, None),
        (SAMPLES, 61, True, TOO_FAR_APART),
        (SMOOTHED, 60, True, None),
        (SMOOTHED, 61, True, TOO_FAR_APART),
        (SMOOTHED, 5, False, KIND_NOT_JUDGED),
    ],
)
def test_one_rule_says_which_kinds_and_intervals_allow_a_verdict(
    kind: str, every_ms: int, at_intervals: bool, reason: str | None
) -> None:
    own = rtts(kind, every_ms, at_intervals=at_intervals)
    good, none = rtts(SAMPLES, 5, at_intervals=False), JudgedRtts(NO_RTTS, SubflowSignals.of_rtts([], []))
    for pair in ((own, good), (good, own), (own, none)):
        assert VerdictRule().refused(*pair) == reason
