"""Where a capture was taken follows from which end answers sooner, and from nothing else."""

from __future__ import annotations

import pytest

from smartsbd.traces.vantage import RECEIVER, SENDER, UNKNOWN
from tests.traces import script
from tests.traces.naive.vantage import Answers


@pytest.mark.parametrize(
    ("near_us", "far_us", "vantage"),
    [
        (50, 20_000, SENDER),
        (20_000, 50, RECEIVER),
        (10_000, 10_000, UNKNOWN),
        # A quarter of the whole is not near.
        (5_000, 15_000, UNKNOWN),
        (4_999, 15_000, SENDER),
        (15_000, 4_999, RECEIVER),
        (0, 0, UNKNOWN),
    ],
)
def test_answers(near_us: int, far_us: int, vantage: str) -> None:
    answers = Answers()
    answers.take(0, near_us)
    answers.take(1, far_us)
    assert answers.vantage(0) == vantage
    assert answers.vantage(1) == {SENDER: RECEIVER, RECEIVER: SENDER, UNKNOWN: UNKNOWN}[vantage]
    assert answers.round_trip_ns() == near_us + far_us


@pytest.mark.parametrize("end", [0, 1])
def test_without_evidence_of_both_ends_it_is_unknown(end: int) -> None:
    answers = Answers()
    assert answers.vantage(0) == answers.vantage(1) == UNKNOWN
    answers.take(end, 10)
    assert answers.vantage(0) == answers.vantage(1) == UNKNOWN
    assert answers.round_trip_ns() is None


def test_the_shortest_answer_counts() -> None:
    answers = Answers()
    for time_ns in (9_000, 10, 40_000):
        answers.take(0, time_ns)
    answers.take(1, 1_000)
    assert answers.round_trip_ns() == 1_010
    assert answers.vantage(0) == SENDER


@pytest.mark.parametrize(
    ("near_ms", "far_ms", "vantage"), [(0.05, 20, SENDER), (20, 0.05, RECEIVER), (10, 10, UNKNOWN)]
)
def test_a_handshake_tells(near_ms: float, far_ms: float, vantage: str) -> None:
    outcome = script.run(script.handshake(near_ms, far_ms))
    assert outcome.answers.vantage(0) == vantage
    assert outcome.answers.round_trip_ns() == round((near_ms + far_ms) * 1_000_000)


def test_a_syn_sent_again_tells_nothing_of_the_peer() -> None:
    first, answer, third = script.handshake()
    again = script.Packet(1, 0, -1, ack=None, flags=script.SYN, sack_permitted=True, mss=script.MSS)
    outcome = script.run([first, again, answer, third])
    assert outcome.answers.vantage(0) == UNKNOWN
