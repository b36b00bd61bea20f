"""What is outstanding, SACKed and sent again equals what plain sets of bytes say."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.traces.naive.scoreboard import Covered, Kind, Scoreboard


def board(*sent: tuple[int, int]) -> Scoreboard:
    """Return a scoreboard of segments sent at 100, 200, ... ns."""
    made = Scoreboard(sent[0][0], sent[0][0])
    for number, (seq, end) in enumerate(sent):
        made.send(seq, end, 100 * (number + 1))
    return made


def test_new_again_old() -> None:
    made = Scoreboard(0, 0)
    assert made.send(0, 10, 1) == (Kind.NEW, 1)
    assert made.send(10, 30, 2) == (Kind.NEW, 2)
    assert made.send(10, 20, 3) == (Kind.AGAIN, 3)
    assert made.resent_bytes == 10
    made.acknowledge(20)
    assert made.resent_bytes == 0
    assert made.send(0, 20, 4) == (Kind.OLD, 4)
    # In part acknowledged, in part new.
    assert made.send(10, 40, 5)[0] is Kind.AGAIN
    assert (made.snd_una, made.snd_nxt, made.resent_bytes) == (20, 40, 10)


def test_the_last_segment_of_an_acknowledgement_is_its_sample() -> None:
    made = board((0, 10), (10, 20), (20, 30))
    assert made.acknowledge(20) == Covered(covered_bytes=20, sent_ns=200, original_below=10)


def test_a_segment_acknowledged_in_parts() -> None:
    made = board((0, 100))
    assert made.acknowledge(30) == Covered(covered_bytes=30, sent_ns=100, original_below=30)
    assert made.sack(((60, 80),)) == Covered(covered_bytes=20, sent_ns=100, original_below=80)
    assert made.acknowledge(100) == Covered(covered_bytes=50, sent_ns=100, original_below=60)
    assert made.sacked_bytes == 0
    assert not made.outstanding


def test_what_was_sent_again_gives_no_sample() -> None:
    made = board((0, 10), (10, 20), (20, 30), (0, 10))
    assert made.acknowledge(20) == Covered(covered_bytes=20, sent_ns=200, resent=True, original_below=20)


def test_what_was_sacked_gives_no_second_sample() -> None:
    made = board((0, 10), (10, 20), (20, 30))
    assert made.sack(((20, 30),)).sent_ns == 300
    assert made.sack(((10, 30),)) == Covered(covered_bytes=10, sent_ns=200, original_below=20)
    assert made.sack(((10, 30),)) == Covered()
    # Another block in between: known still.
    assert made.sack(((20, 30),)) == Covered()
    assert made.acknowledge(30) == Covered(covered_bytes=10, sent_ns=100, original_below=10)


def test_what_was_sacked_after_it_was_sent_again_counts_as_sent_again() -> None:
    made = board((0, 10), (10, 20), (0, 10), (10, 20))
    assert made.sack(((10, 20),)) == Covered(covered_bytes=10, resent=True)
    assert made.resent_outstanding()
    assert made.acknowledge(20).resent
    assert not made.resent_outstanding()


def test_what_was_sent_again_and_sacked_spoils_the_sample_of_the_acknowledgement() -> None:
    made = board((0, 10), (10, 20), (10, 20))
    made.sack(((10, 20),))
    assert made.acknowledge(20) == Covered(covered_bytes=10, sent_ns=100, resent=True, original_below=10)


def test_a_gap_that_is_filled_tells_since_when() -> None:
    made = board((0, 10), (30, 40), (60, 70))
    assert made.send(45, 55, 900) == (Kind.FILLED, 300)
    assert made.send(10, 30, 901) == (Kind.FILLED, 200)
    # No gap any more.
    assert made.send(10, 30, 902) == (Kind.AGAIN, 902)


def test_a_gap_in_part_acknowledged() -> None:
    made = board((0, 10), (30, 40))
    made.acknowledge(20)
    assert made.send(10, 30, 900) == (Kind.FILLED, 200)
    made.as_first(10)
    assert made.resent_bytes == 0
    assert made.acknowledge(40) == Covered(covered_bytes=20, sent_ns=200, original_below=30)


def test_what_is_late_is_its_first_copy() -> None:
    made = board((0, 10), (20, 30))
    assert made.send(10, 20, 250) == (Kind.FILLED, 200)
    assert made.resent_bytes == 10
    made.as_first(10)
    assert made.resent_bytes == 0
    assert made.acknowledge(20) == Covered(covered_bytes=20, sent_ns=250, original_below=10)


def test_what_was_sacked_before_it_was_seen_is_sacked() -> None:
    made = board((0, 10), (20, 30))
    made.sack(((15, 30),))
    assert made.sacked_bytes == 10
    made.send(10, 20, 900)
    assert (made.sacked_bytes, made.resent_bytes) == (15, 5)


def test_an_acknowledgement_of_what_was_not_seen() -> None:
    made = board((0, 10))
    assert made.acknowledge(50) == Covered(covered_bytes=10, sent_ns=100, original_below=10)
    assert (made.snd_una, made.snd_nxt) == (50, 50)
    assert not made.outstanding


@dataclass
class Naive:
    """Sets of bytes."""

    una: int = 0
    nxt: int = 0
    sent: set[int] = field(default_factory=set)
    sacked: set[int] = field(default_factory=set)
    again: set[int] = field(default_factory=set)

    def send(self, seq: int, end: int, *, is_first: bool) -> None:
        for byte in range(max(seq, self.una), end):
            if byte < self.nxt and not is_first:
                self.again.add(byte)
            self.sent.add(byte)
        self.nxt = max(self.nxt, end)

    def sack(self, left: int, right: int) -> int:
        new = {byte for byte in range(max(left, self.una), min(right, self.nxt)) if byte not in self.sacked}
        self.sacked |= new
        return len(new & self.sent)

    def acknowledge(self, ack: int) -> int:
        new = {byte for byte in self.sent if byte < ack and byte not in self.sacked}
        self.una, self.nxt = ack, max(self.nxt, ack)
        for one in (self.sent, self.sacked, self.again):
            one -= {byte for byte in one if byte < ack}
        return len(new)


EDGES = st.integers(0, 80)
STEPS = st.lists(st.tuples(st.sampled_from("ssskka"), EDGES, st.integers(1, 25), st.booleans()), max_size=60)


@settings(max_examples=400, deadline=None)
@given(STEPS)
def test_it_equals_sets_of_bytes(steps: list[tuple[str, int, int, bool]]) -> None:
    made, naive = Scoreboard(0, 0), Naive()
    for now, (what, offset, size, late) in enumerate(steps):
        low = max(0, made.snd_una - 10) + offset
        if what == "s":
            span = range(max(low, naive.una), min(low + size, naive.nxt))
            if low >= naive.nxt:
                expected = Kind.NEW
            elif low + size <= naive.una:
                expected = Kind.OLD
            else:
                expected = Kind.FILLED if span and naive.sent.isdisjoint(span) else Kind.AGAIN
            kind, _ = made.send(low, low + size, now)
            assert kind is expected
            is_first = late and kind is Kind.FILLED
            if is_first:
                made.as_first(low)
            naive.send(low, low + size, is_first=is_first)
        elif what == "k":
            assert made.sack(((low, low + size),)).covered_bytes == naive.sack(low, low + size)
        elif low > made.snd_una:
            assert made.acknowledge(low).covered_bytes == naive.acknowledge(low)
        assert (made.snd_una, made.snd_nxt) == (naive.una, naive.nxt)
        assert made.sacked_bytes == len(naive.sacked & naive.sent)
        if not any(one[3] for one in steps):
            assert made.resent_bytes == len(naive.again - naive.sacked)
        held = made._sent[made._head :]
        assert {byte for one in held for byte in range(one.seq, one.end)} == naive.sent
        assert sum(one.end - one.seq for one in held) == len(naive.sent)
        assert [one.seq for one in held] == sorted(one.seq for one in held)
        assert sum(one.end - one.seq for one in held if one.sacked) == made.sacked_bytes
        assert sum(one.end - one.seq for one in held if one.copies and not one.sacked) == made.resent_bytes


def _cpu_s(work: Callable[[], None]) -> float:
    """Return what it took of this process: others that run beside it do not count."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def test_blocks_that_take_turns_are_not_walked_again() -> None:
    made = Scoreboard(0, 0)
    for number in range(20_000):
        made.send(number * 10, number * 10 + 10, number)
    made.sack(((10, 100_000), (100_010, 200_000)))

    def turns() -> None:
        for _ in range(2_000):
            made.sack(((10, 100_000),))
            made.sack(((100_010, 200_000),))
            made.resent_outstanding()

    # Walking 10 000 segments 4 000 times takes seconds.
    assert _cpu_s(turns) < 0.5


@pytest.mark.parametrize("size", [1, 700])
def test_what_is_acknowledged_is_dropped(size: int) -> None:
    made = Scoreboard(0, 0)
    for number in range(5_000):
        # Every other segment is not seen, and the last is SACKed.
        made.send((2 * number + 1) * size, (2 * number + 2) * size, number)
        made.sack((((2 * number + 1) * size, (2 * number + 2) * size),))
        made.acknowledge((2 * number + 2) * size)
    assert len(made._sent) + len(made._gaps) + len(made._runs) < 2_000
