"""One-way delays from the timestamps of ACKs: built from delays that are known, in every tick, over either wrap."""

from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import fmean

import numpy as np
import pytest

from smartsbd.traces.connection import NOT_OBSERVED
from tests.night import few_now
from tests.traces import packets
from tests.traces.comparison import assert_same_content
from tests.traces.packets import Talk

KEYS = b"A" * 8, b"B" * 8
#: Receivers' clocks: a time of theirs in milliseconds makes so many ticks.
TICKS_MS = (0.001, 1, 4, 10)


def talked(
    sent_ms: Sequence[float],
    there_ms: Sequence[float],
    back_ms: Sequence[float],
    *,
    tick_ms: float = 1,
    fast: float = 1,
    origin: int = 123,
    near: int = 0,
) -> Talk:
    """A subflow captured beside its sender: segments, each acknowledged when it comes, by a clock `fast` times ours."""
    talk = Talk(origin_ms=0)
    no_clock = packets.timestamps(1, 0)
    talk.open(0, [options + no_clock for options in packets.v1(*KEYS)], near=near)
    said = []
    for number, (at_ms, one_ms, other_ms) in enumerate(zip(sent_ms, there_ms, back_ms, strict=True)):
        end = 1001 + 100 * (number + 1)
        value = (origin + int((at_ms + one_ms) * fast / tick_ms)) % 2**32
        said.append((at_ms, 0, end, 1000 + number))
        said.append((at_ms + one_ms + other_ms, 1, end, value))
    for at_ms, who, end, value in sorted(said):
        if who == 0:
            talk.say(0, at_ms, size=100, options=packets.timestamps(value, 1) + packets.dss(1))
        else:
            talk.say(1, at_ms, ack=end, options=packets.timestamps(value, 1000) + packets.dss(1))
    return talk


def delays_us(talk: Talk, sender: int = 0) -> list[int]:
    """One-way delays of the ACKs with an RTT sample."""
    (ends,) = assert_same_content(packets.pcapng(talk.packets))
    acks = ends[packets_end(talk, sender)].acks
    return [owd_us for owd_us, rtt_us in zip(acks.owd_us, acks.rtt_us, strict=True) if rtt_us != NOT_OBSERVED]


def packets_end(talk: Talk, end: int) -> tuple[bytes, int]:
    address, port = (talk.client, talk.server)[end]
    return bytes(int(part) for part in address.split(".")), port


def test_what_the_way_back_varies_is_taken_off() -> None:
    """The round trip falls from 44 to 36 ms, and one way back of five is 6 ms, not 1: its mean is 2 ms."""
    sent_ms = [100, 200, 300, 400, 500]
    rtt_ms = [44, 42, 40, 38, 36]
    back_ms = [1, 1, 6, 1, 1]
    # ACKs come at 144, 242, 340, 438, 536: like the ways back alike from either end, the slope is that of the clock.
    there_ms = [43, 41, 34, 37, 35]
    found = delays_us(talked(sent_ms, there_ms, back_ms))
    assert [rtt - back for rtt, back in zip(rtt_ms, back_ms, strict=True)] == there_ms
    assert found == [(one + 2) * 1000 for one in there_ms]


def scattered(seed: int, count: int) -> tuple[list[float], list[float], list[float]]:
    """Segments, 20 ms apart, whose ways there make and lose a queue, and whose ways back jitter by 8 ms."""
    rng = random.Random(seed)  # noqa: S311 - test data
    sent_ms = [100 + 20 * number + round(rng.random(), 3) for number in range(count)]
    there_ms = [20 + 0.6 * abs(number % 100 - 50) + round(rng.random(), 3) for number in range(count)]
    return sent_ms, there_ms, [round(20 + 8 * rng.random(), 3) for _ in range(count)]


@pytest.mark.parametrize("tick_ms", TICKS_MS)
@pytest.mark.parametrize("fast", few_now([1, 1.0001, 0.9999], now=[0.9999]))
@pytest.mark.parametrize("origin", [5, 2**32 - 500])
def test_clocks_of_any_tick_offset_and_speed(tick_ms: float, fast: float, origin: int) -> None:
    """However the clocks are set, a delay is right to a tick; a clock 1 in 10,000 fast would be off by 4 ms in 40 s."""
    sent_ms, there_ms, back_ms = scattered(1, 2000)
    found = delays_us(talked(sent_ms, there_ms, back_ms, tick_ms=tick_ms, fast=fast, origin=origin))
    off_ms = np.array(found) / 1000 - np.array(there_ms) - fmean(back_ms)
    # The slope: the jitter of 2,000 ways back of 2.3 ms each and a tick, at either end of the line, three times over.
    slope_ms = 3 * np.sqrt(12 / 2000) / 2 * np.hypot(8, tick_ms) / np.sqrt(12)
    assert len(found) == 2000 and np.abs(off_ms).max() <= tick_ms + slope_ms
    if tick_ms <= 1:
        assert off_ms.std() < tick_ms / np.sqrt(12) + slope_ms < np.std(back_ms) / 4


@pytest.mark.parametrize("tick_ms", [0.1, 2, 3.333, 100])
def test_a_clock_that_is_not_known_tells_no_delay(tick_ms: float) -> None:
    found = delays_us(talked(*scattered(2, 200), tick_ms=tick_ms))
    assert found == [NOT_OBSERVED] * 200


def test_a_clock_that_stands_and_a_single_ack_tell_no_delay() -> None:
    assert delays_us(talked(*scattered(3, 50), fast=0)) == [NOT_OBSERVED] * 50
    assert delays_us(talked([100], [20], [20])) == [NOT_OBSERVED]


def test_far_from_the_sender_there_is_none() -> None:
    """Captured beside the receiver: what comes back to the capture's point is not the way back."""
    sent_ms = [100.0 + 100 * number for number in range(20)]
    talk = talked(sent_ms, [0.1] * 20, [0.1] * 20, near=1)
    (ends,) = assert_same_content(packets.pcapng(talk.packets))
    assert {owd_us for rows in ends.values() for owd_us in rows.acks.owd_us} == {NOT_OBSERVED}


def test_a_delay_that_cannot_be_is_none() -> None:
    """A timestamp half a second too early: the segment would have come before it was sent."""
    sent_ms, there_ms, back_ms = scattered(4, 200)
    talk = talked(sent_ms, there_ms, back_ms)
    assert NOT_OBSERVED not in delays_us(talk)
    talk.say(0, 4200, size=100, options=packets.timestamps(1200, 1) + packets.dss(1))
    talk.say(1, 4240, options=packets.timestamps(123 + 4220 - 500, 1200) + packets.dss(1))
    found = delays_us(talk)
    assert len(found) == 201 and found[-1] == NOT_OBSERVED and NOT_OBSERVED not in found[:-1]


def test_a_duplicate_ack_tells_no_delay() -> None:
    """Its sample is of a segment it SACKs first; its timestamp is good, but its echo is an old one."""
    sent_ms = [100.0 + 100 * number for number in range(20)]
    talk = talked(sent_ms, [20.0] * 20, [20.0] * 20)
    for size, at_ms in ((100, 2200), (100, 2201)):
        talk.say(0, at_ms, size=size, options=packets.timestamps(int(at_ms), 1) + packets.dss(1))
    last = talk.sent[0]
    sacked = packets.timestamps(123 + 2221, 2200) + packets.sack((last - 100, last))
    talk.say(1, 2241, ack=last - 200, options=sacked)
    (ends,) = assert_same_content(packets.pcapng(talk.packets))
    acks = ends[packets_end(talk, 0)].acks
    assert (acks.is_dup[-1], acks.rtt_us[-1], acks.owd_us[-1]) == (1, 40_000, NOT_OBSERVED)
    assert acks.owd_us[-2] == 40_000
