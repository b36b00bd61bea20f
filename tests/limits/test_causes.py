"""Rules on seconds that are written by hand: each cause holds of its own, and not of what differs in one thing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from smartsbd.limits.classified import LimitedSubflow, cause_of, classified, main_cause, shares
from smartsbd.limits.observed_seconds import SubflowSeconds
from smartsbd.limits.second import ABSENT, BACKUP, RESET, UNANSWERED, Second
from smartsbd.limits.table import CAUSES, NOT_CLASSIFIED, by_name

#: Sends, without any sign of a limit.
SENDS = Second(
    3.0,
    sent_bytes=500_000,
    base_rtt_us=40_000,
    queueing_us=500,
    most_queueing_us=1_000,
    full_share=0.0,
    held_share=0.0,
    idle_share=0.0,
    silent_share=0.1,
    unevenness=1.0,
    most_in_flight=30_000,
    most_in_flight_before=30_000,
    window_bytes=900_000,
    shared_with=(),
)
QUEUE = replace(SENDS, queueing_us=20_000, most_queueing_us=30_000)
FULL = replace(SENDS, full_share=0.9)
#: A second of each cause, and one that is nearly it and is not.
OF_CAUSES = {
    "not joined": (Second(3.0, standing=ABSENT), Second(3.0, standing=UNANSWERED, joined=1)),
    "reset": (Second(3.0, standing=RESET, reset_reason=3), Second(3.0)),
    "backup": (Second(3.0, standing=BACKUP), Second(3.0)),
    "head-of-line waiting": (replace(FULL, held_share=0.6), replace(FULL, held_share=0.1)),
    "receive window": (FULL, replace(SENDS, full_share=0.3)),
    "paced": (replace(SENDS, unevenness=0.08), replace(SENDS, unevenness=0.08, recently_resent=1)),
    "sender": (replace(SENDS, silent_share=0.8), replace(SENDS, silent_share=0.8, most_in_flight=90_000)),
    "shared bottleneck": (replace(QUEUE, shared_with=(1,)), replace(SENDS, shared_with=(1,))),
    "own bottleneck": (QUEUE, replace(QUEUE, queueing_us=3_900)),
    "queue, shared or not is not known": (replace(QUEUE, shared_with=None), replace(SENDS, shared_with=None)),
    "losses without a queue": (replace(SENDS, recently_resent=4, resent=1), replace(SENDS, recently_resent=0)),
}


def test_every_cause_is_here() -> None:
    assert list(OF_CAUSES) == [cause.name for cause in CAUSES]
    assert cause_of(SENDS) == NOT_CLASSIFIED


@pytest.mark.parametrize("name", OF_CAUSES)
def test_a_cause_holds_of_its_second_and_not_of_the_other(name: str) -> None:
    second, other = OF_CAUSES[name]
    assert cause_of(second) == name
    assert cause_of(other) != name
    cause = by_name(name)
    assert cause is not None
    words = cause.evidence([second, second])
    assert words and not words.endswith(".") and cause.step.endswith(".")


def test_a_reset_is_told_with_its_reason() -> None:
    cause = by_name("reset")
    assert cause is not None
    assert "reason 3, administratively prohibited" in cause.evidence([Second(2.0, standing=RESET, reset_reason=3)])
    assert "no reason" in cause.evidence([Second(2.0, standing=RESET, reset_reason=-1)])


def test_what_a_log_does_not_have_allows_no_cause_of_packets() -> None:
    logged = Second(3.0, sent_bytes=500_000, base_rtt_us=40_000, queueing_us=500, most_queueing_us=900)
    assert cause_of(logged) == NOT_CLASSIFIED
    assert cause_of(replace(logged, queueing_us=None)) == NOT_CLASSIFIED


def limited(*subflows: list[Second]) -> list[LimitedSubflow]:
    return classified([SubflowSeconds(number, None, tuple(seconds)) for number, seconds in enumerate(subflows)])


def of(second: Second, *starts: float) -> list[Second]:
    return [replace(second, start_s=start) for start in starts]


def test_shares_are_of_the_seconds_of_all_subflows() -> None:
    found = shares(limited(of(QUEUE, 0, 1, 2), [*of(QUEUE, 0), *of(FULL, 1, 2)]))
    assert found == pytest.approx({"own bottleneck": 4 / 6, "receive window": 2 / 6})
    assert next(iter(found)) == "own bottleneck"


def test_a_cause_of_a_whole_subflow_is_the_main_one_from_half_of_the_time_on() -> None:
    assert main_cause(limited(of(QUEUE, 0, 1, 2, 3), of(Second(0, standing=RESET), 2, 3))) == "reset"
    assert main_cause(limited(of(QUEUE, 0, 1, 2, 3), of(Second(0, standing=RESET), 3))) == "own bottleneck"
    assert main_cause([]) == NOT_CLASSIFIED


def test_silence_beside_a_sender_that_gives_little_is_the_sender_s() -> None:
    little = replace(SENDS, silent_share=0.9)
    assert limited(of(little, 0, 1), of(Second(0), 0, 1))[1].causes == ("sender", "sender")
    assert limited(of(QUEUE, 0, 1), of(Second(0), 0, 1))[1].causes == (NOT_CLASSIFIED, NOT_CLASSIFIED)


def test_of_less_than_a_second_only_what_a_whole_subflow_is_limited_by_is_named() -> None:
    half = [replace(QUEUE, start_s=0, length_s=0.5)]
    assert main_cause(limited(half)) == NOT_CLASSIFIED
    assert main_cause(limited(half, [Second(0, length_s=0.5, standing=RESET)])) == "reset"
    assert main_cause(limited(of(QUEUE, 0))) == "own bottleneck"
