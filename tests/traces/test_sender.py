"""RTT samples, duplicates and bytes acknowledged are those of the packets, wherever they were captured."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from smartsbd.contracts.tables import DISORDER, OPEN, RECOVERY
from smartsbd.traces.connection import NOT_OBSERVED
from smartsbd.traces.vantage import RECEIVER, SENDER, UNKNOWN
from tests.traces.script import (
    ACK,
    ECE,
    FIN,
    ISN,
    PSH,
    RST,
    SYN,
    Outcome,
    Packet,
    back,
    flight,
    handshake,
    out,
    run,
    segments,
)


def rtts(*packets: Packet, stamps: bool = False) -> dict[float, float]:
    outcome = run([*handshake(stamps=stamps), *packets])
    assert outcome.answers.vantage(0) == SENDER
    return outcome.rtts


def test_a_plain_ack() -> None:
    assert rtts(out(100, 0), back(120, 1000)) == {120: 20}


def test_a_delayed_ack_is_a_sample_of_the_last_segment() -> None:
    assert rtts(out(100, 0), out(105, 1000), back(125.5, 2000)) == {125.5: 20.5}


def test_what_was_sent_again_gives_no_sample() -> None:
    assert rtts(out(100, 0), out(330, 0), back(350, 1000)) == {}
    # Nor does what is acknowledged with it.
    assert rtts(*flight(100, 0, 2), out(330, 0), back(350, 2000)) == {}


@pytest.mark.parametrize(("echo", "rtt_ms"), [(330, 20), (100, 250)])
def test_what_was_sent_again_gives_a_sample_by_timestamp(echo: int, rtt_ms: float) -> None:
    sent = [out(100, 0, stamps=(100, 70)), out(330, 0, stamps=(330, 70))]
    assert rtts(*sent, back(350, 1000, stamps=(80, echo)), stamps=True) == {350: rtt_ms}


def test_an_echo_of_what_was_not_seen_gives_no_sample() -> None:
    sent = [out(100, 0, stamps=(100, 70)), out(330, 0, stamps=(330, 70))]
    assert rtts(*sent, back(350, 1000, stamps=(80, 99)), stamps=True) == {}


def test_the_timestamp_does_not_count_where_the_segment_does() -> None:
    sent = [out(100, 0, stamps=(100, 70)), out(110, 1000, stamps=(110, 70))]
    assert rtts(*sent, back(130, 2000, stamps=(80, 100)), stamps=True) == {130: 20}


def test_a_sack_overrides_the_acknowledgement() -> None:
    sent = [out(100, 0), out(101, 1000), out(103, 2000)]
    assert rtts(*sent, back(124, 1000, (2000, 3000))) == {124: 21}


def test_the_last_segment_sacked_counts() -> None:
    sent = [out(100, 0), out(101, 1000), out(103, 2000), out(104, 3000)]
    assert rtts(*sent, back(124, 0, (3000, 4000), (1000, 2000))) == {124: 20}


def test_what_was_sacked_gives_no_second_sample() -> None:
    sent = [out(100, 0), out(101, 1000), out(102, 2000)]
    again = [back(121, 0, (1000, 2000)), back(122, 0, (1000, 2000)), back(123, 0, (1000, 3000)), back(124, 3000)]
    assert rtts(*sent, *again) == {121: 20, 123: 21, 124: 24}


def test_a_sack_in_recovery_gives_a_sample_and_what_is_sent_again_none() -> None:
    sent = [*flight(100, 0, 2), back(120, 0, (1000, 2000)), out(125, 0), out(125.5, 2000)]
    assert rtts(*sent, back(145, 2000), back(146, 3000)) == {120: pytest.approx(19.99), 146: 20.5}


def test_a_large_segment_is_acknowledged_in_parts() -> None:
    acks = [back(120, 1000), back(121, 2000), back(122, 3000)]
    outcome = run([*handshake(), out(100, 0, 3000), *acks])
    assert outcome.rtts == {120: 20, 121: 21, 122: 22}
    assert list(outcome.subflow().acks.acked_bytes) == [1000, 2000, 3000]


@pytest.mark.parametrize("isn", [ISN, 2**32 - 1, 2**32 - 2, 2**32 - 1001, 2**32 - 2501, 2**31 - 1500])
def test_numbers_wrap(isn: int) -> None:
    sent = [out(100, 0), out(101, 1000), out(102, 2000), out(103, 3000)]
    acks = [back(120, 1000), back(122, 1000, (2000, 3000)), back(123, 1000, (2000, 4000)), out(123.1, 1000)]
    outcome = run([*handshake(), *sent, *acks, back(143, 4000), back(144, 4000, (1000, 2000))], isn=isn)
    assert outcome.rtts == {120: 20, 122: 20, 123: 20}
    subflow = outcome.subflow()
    assert list(subflow.acks.acked_bytes) == [1000, 1000, 1000, 4000, 4000]
    assert list(subflow.acks.newly_sacked_bytes) == [0, 1000, 1000, 0, 0]
    assert outcome.states == [(122, DISORDER), (123, RECOVERY), (143, OPEN)]
    assert outcome.losses == [(123, "fast", 1)]


@pytest.mark.parametrize(("late_ms", "resent"), [(9.9, 0), (10.1, 1)])
def test_what_is_late_by_less_than_half_an_rtt_is_not_sent_again(late_ms: float, resent: int) -> None:
    outcome = run([*handshake(), out(100, 0), out(100.1, 2000), out(100.1 + late_ms, 1000), back(130, 3000)])
    assert outcome.sender.resent_segments == resent
    assert len(outcome.losses) == resent


@pytest.mark.parametrize(("late_ms", "resent"), [(2.9, 0), (3.1, 1)])
def test_what_is_late_where_no_rtt_is_known(late_ms: float, resent: int) -> None:
    outcome = run([back(90, 0), out(100, 0), out(100.1, 2000), out(100.1 + late_ms, 1000)])
    assert outcome.sender.resent_segments == resent


@pytest.mark.parametrize(
    ("second", "is_dup"),
    [
        (back(121, 1000, data_ack=5), 1),
        (back(121, 1000, (2000, 3000), data_ack=5), 1),
        (back(121, 1000), 1),
        (back(121, 1000, length=10), 0),
        (back(121, 1000, flags=FIN), 0),
        (back(121, 1000, window=501), 0),
        (back(121, 1000, window=499), 0),
        (back(121, 1000, data_ack=6), 0),
        (back(121, 2000), 0),
        (back(121, 0), 0),
    ],
)
def test_what_a_duplicate_is(second: Packet, is_dup: int) -> None:
    outcome = run([*handshake(), *flight(100, 0, 3), back(120, 1000, data_ack=5), second])
    assert list(outcome.subflow().acks.is_dup) == [0, is_dup]


def test_there_is_no_duplicate_with_nothing_outstanding() -> None:
    outcome = run([*handshake(), out(100, 0), back(120, 1000), back(121, 1000)])
    assert list(outcome.subflow().acks.is_dup) == [0, 0]


def test_there_is_no_duplicate_with_a_closed_window() -> None:
    outcome = run([*handshake(), *flight(100, 0, 2), back(120, 1000, window=0), back(121, 1000, window=0)])
    assert list(outcome.subflow().acks.is_dup) == [0, 0]


def test_probes_of_a_closed_window_are_not_sent_again() -> None:
    closed = [back(120, 1000, window=0), out(330, 1000, 1), back(350, 1000, window=0), out(800, 1000, 1)]
    outcome = run([*handshake(), out(100, 0), *closed, back(820, 1000, window=0), back(900, 1001), out(901, 1001)])
    assert list(outcome.subflow().acks.is_dup) == [0, 0, 0, 0]
    assert outcome.sender.resent_segments == 0
    assert outcome.states == []
    assert outcome.losses == []


def test_keep_alives_are_not_sent_again() -> None:
    keep = [out(5000, 999, 1), back(5020, 1000), out(9000, 999, 0), back(9020, 1000)]
    outcome = run([*handshake(), out(100, 0), back(120, 1000), *keep])
    assert outcome.rtts == {120: 20}
    assert list(outcome.subflow().acks.is_dup) == [0, 0, 0]
    assert outcome.sender.resent_segments == 0
    assert outcome.states == []
    assert outcome.losses == []


def test_a_byte_that_is_pushed_is_no_keep_alive() -> None:
    assert run([*handshake(), out(100, 0), back(120, 1000), out(400, 999, 1, flags=PSH)]).sender.resent_segments == 1


def test_syn_and_fin_are_no_bytes() -> None:
    outcome = run([*handshake(), out(100, 0), back(120, 1000), out(121, 1000, 500, flags=FIN), back(141, 1501)])
    assert list(outcome.subflow().acks.acked_bytes) == [1000, 1500]
    assert outcome.sender.payload_bytes == outcome.sender.acked_bytes == 1500
    assert run([*handshake(), back(30, 0)]).subflow().acks.acked_bytes[0] == 0


def test_a_fin_below_what_is_acknowledged_takes_nothing_back() -> None:
    outcome = run([*handshake(), *flight(100, 0, 3), back(120, 3000), out(121, 0, 10, flags=FIN), back(141, 3000)])
    assert list(outcome.subflow().acks.acked_bytes) == [3000, 3000]


def test_a_handshake_gives_no_row() -> None:
    outcome = run(handshake())
    assert len(outcome.subflow().acks.time_ns) == 0
    # Nor does the ACK of a SYN/ACK give a sample.
    assert outcome.senders[1].matched_us == [NOT_OBSERVED]


def test_broken_edges_cover_nothing() -> None:
    blocks = [(0, 1000), (2000, 1000), (2000, 9000), (2000, 2000)]
    acks = [back(120 + number, 0, block) for number, block in enumerate(blocks)]
    outcome = run([*handshake(), *flight(100, 0, 3), *acks])
    assert list(outcome.subflow().acks.newly_sacked_bytes) == [0] * len(blocks)
    assert outcome.states == []


def test_a_dsack_inside_the_second_block_covers_nothing_itself() -> None:
    doubled = [back(120, 0, (1000, 2000), (1000, 3000)), back(121, 0, (2000, 3000), (1000, 3000))]
    outcome = run([*handshake(), *flight(100, 0, 4), *doubled])
    assert list(outcome.subflow().acks.newly_sacked_bytes) == [2000, 0]


def test_a_dsack_below_the_acknowledgement_covers_nothing() -> None:
    outcome = run([*handshake(), *flight(100, 0, 4), back(120, 2000), back(121, 2000, (0, 1000), (3000, 4000))])
    assert list(outcome.subflow().acks.newly_sacked_bytes) == [0, 1000]


def test_ece_is_told_without_ecn() -> None:
    outcome = run([*handshake(), *flight(100, 0, 2), back(120, 1000, flags=ECE), back(121, 2000)])
    assert list(outcome.subflow().acks.ece) == [1, 0]


def test_a_reset_is_no_ack() -> None:
    outcome = run([*handshake(), out(100, 0), back(120, 1000, flags=RST)])
    assert len(outcome.subflow().acks.time_ns) == 0


def test_a_capture_that_starts_inside_a_connection() -> None:
    packets = [back(50, 5000, stamps=(70, 1)), out(50.05, 5000, stamps=(11, 70)), back(70.05, 6000, stamps=(71, 11))]
    outcome = run(packets)
    assert outcome.answers.vantage(0) == SENDER
    assert list(outcome.subflow().acks.acked_bytes) == [0, 1000]
    assert outcome.rtts == {70.05: 20}
    # Without timestamps nothing tells that it was captured at the sender.
    bare = run([dataclasses.replace(packet, stamps=None) for packet in packets])
    assert bare.answers.vantage(0) == UNKNOWN
    assert bare.sender.matched_us == [NOT_OBSERVED, 20_000]
    assert bare.rtts == {}


def test_a_capture_that_misses_packets() -> None:
    outcome = run([*handshake(), out(100, 0), back(120, 3000), out(121, 3000), back(141, 4000)])
    assert outcome.rtts == {120: 20, 141: 20}
    assert list(outcome.subflow().acks.acked_bytes) == [3000, 4000]
    assert outcome.sender.resent_segments == 0
    assert outcome.states == []
    assert outcome.losses == []


def test_samples_at_the_receiver_are_of_echoes() -> None:
    passed = [
        out(100, 0, stamps=(100, 70)),
        back(100.05, 1000, stamps=(80, 100)),
        out(120.05, 1000, stamps=(120, 80)),
        # An echo that comes back a second time says nothing.
        out(121, 2000, stamps=(121, 80)),
    ]
    outcome = run([*handshake(20, 0.05, stamps=True), *passed])
    assert outcome.answers.vantage(0) == RECEIVER
    assert outcome.rtts == {120.05: 20}


def test_samples_half_way_are_there_and_back_on_either_side() -> None:
    passed = [out(100, 0, stamps=(100, 70)), back(110, 1000, stamps=(80, 100)), out(122, 1000, stamps=(122, 80))]
    outcome = run([*handshake(11, 10, stamps=True), *passed])
    assert outcome.answers.vantage(0) == UNKNOWN
    assert outcome.rtts == {122: 22}


@pytest.mark.parametrize("size", [1000, 980])
def test_at_the_receiver_recovery_is_dated_to_the_third_duplicate(size: int) -> None:
    passed = [out(200, 0, size), back(200.05, size)]
    for number in (2, 3, 4):
        ms = 200 + number / 10
        passed += [out(ms, number * size, size), back(ms + 0.05, size, (2 * size, (number + 1) * size))]
    # One RTT after the third duplicate.
    passed += [out(220.5, size, size), back(220.55, 5 * size)]
    outcome = run([*handshake(20, 0.05), *passed])
    assert outcome.sender.resent_segments == 1
    assert outcome.states == [(200.25, DISORDER), (200.45, RECOVERY), (220.55, OPEN)]
    assert outcome.losses == [(200.45, "fast", 1)]


NUMBERS = st.one_of(st.integers(-3, 8).map(lambda n: n * 500), st.integers(-(2**31), 2**31))
STAMPS = st.none() | st.tuples(st.integers(0, 20), st.integers(0, 20))
PACKETS = st.lists(
    st.builds(
        Packet,
        ms=st.sampled_from([0, 0.1, 0.9, 5, 20, 300]),
        end=st.integers(0, 1),
        seq=NUMBERS,
        length=st.sampled_from([0, 0, 1, 500, 500, 1000, 2500]),
        ack=st.none() | NUMBERS,
        sack=st.lists(st.tuples(NUMBERS, NUMBERS), max_size=4).map(tuple),
        stamps=STAMPS,
        window=st.sampled_from([0, 500, 500, 501]),
        flags=st.sampled_from([0, 0, 0, 0, 0, SYN, FIN, RST, PSH, ECE, SYN | FIN]),
        sack_permitted=st.booleans(),
        mss=st.sampled_from([None, 0, 500, 1000]),
        data_ack=st.none() | st.integers(0, 5),
    ),
    max_size=40,
)


@settings(max_examples=150, deadline=None)
@given(steps=PACKETS, isn=st.sampled_from([0, 2**32 - 2000, 2**31]), begins=st.booleans(), ecn=st.booleans())
@example(steps=[out(0, 0), back(1, 0), out(300, 0), out(0, 0)], isn=0, begins=True, ecn=False)
def test_any_packets(steps: list[Packet], isn: int, begins: bool, ecn: bool) -> None:
    ms = 100.0
    packets = list(handshake()) if begins else []
    for step in steps:
        ms += step.ms
        packets.append(dataclasses.replace(step, ms=ms))
    outcome = Outcome()
    for sender in outcome.senders:
        sender.congestion.has_ecn = ecn
    heard_ack = [False, False]
    counted = [0, 0]
    for packet, segment in zip(packets, segments(packets, isn), strict=True):
        end = packet.end
        before = outcome.senders[end].resent_segments
        outcome.take(end, segment, packet.data_ack)
        if heard_ack[end] and not segment.flags & SYN:
            counted[end] += outcome.senders[end].resent_segments - before
        heard_ack[1 - end] |= bool(segment.flags & ACK) and not segment.flags & RST
    for end, sender in enumerate(outcome.senders):
        congestion = sender.congestion
        losses = congestion.losses
        assert congestion.state_ns == sorted(congestion.state_ns)
        assert losses.time_ns == sorted(losses.time_ns)
        assert len(congestion.state_ns) == len(congestion.states) <= 3 * len(packets)
        assert len(losses.time_ns) == len(losses.kind) == len(losses.packets) <= len(packets)
        assert sum(losses.packets) == counted[end]
        assert all(packets > 0 for packets in losses.packets)
        rows = sender._acked_bytes.tolist()
        assert rows == sorted(rows)
        assert all(rows[index] >= 0 for index in range(len(rows)))
        board = sender._board
        if board is not None:
            held = board._sent[board._head :]
            assert board.sacked_bytes == sum(one.end - one.seq for one in held if one.sacked)
            assert all(one.seq >= board.snd_una for one in held)
    assert len(outcome.subflow().acks.time_ns) <= len(packets)
