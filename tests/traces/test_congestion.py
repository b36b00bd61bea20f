"""States and loss events follow from the packets as ``tcp_fastretrans_alert`` and its neighbours have them.

The RTT is 20 ms, so that the RTO is 220 ms: the kernel adds no less than 200 ms.
"""

from __future__ import annotations

import pytest

from smartsbd.contracts.tables import CWR, DISORDER, OPEN, RECOVERY
from smartsbd.contracts.tables import LOSS_STATE as LOSS
from tests.traces.naive.congestion import Congestion, Resent
from tests.traces.naive.scoreboard import Scoreboard
from tests.traces.script import ECE, FIN, Outcome, Packet, back, flight, handshake, out, run

# Segments 1 to 3 are SACKed: the first is missing.
SACKS = [back(120.1, 0, (1000, 2000)), back(120.2, 0, (1000, 3000)), back(120.3, 0, (1000, 4000))]
RECOVERING = [*handshake(), *flight(100, 0, 6), *SACKS, out(120.35, 0)]
TIMED_OUT = [*flight(100, 0, 4), out(320, 0)]


def states(*packets: Packet, sack: bool = True, ecn: bool = False) -> list[tuple[float, int]]:
    return run([*handshake(sack=sack), *packets], ecn=ecn).states


def test_without_loss_there_is_no_state() -> None:
    outcome = run([*handshake(), *flight(100, 0, 2), back(120, 1000), back(121, 2000)])
    assert outcome.states == []
    assert outcome.losses == []


def test_disorder_from_the_first_sack_until_nothing_is_sacked() -> None:
    found = states(*flight(100, 0, 4), back(120, 0, (1000, 2000)), back(121, 2000, (3000, 4000)), back(122, 4000))
    assert found == [(120, DISORDER), (122, OPEN)]


def test_a_duplicate_without_sack_is_disorder() -> None:
    assert states(*flight(100, 0, 2), back(120, 0), back(121, 2000), sack=False) == [(120, DISORDER), (121, OPEN)]


def test_recovery_from_the_ack_before_until_high_seq() -> None:
    outcome = run([*RECOVERING, out(121, 6000), back(140, 5000), back(141, 6000)])
    assert outcome.states == [(120.1, DISORDER), (120.3, RECOVERY), (141, OPEN)]
    assert outcome.losses == [(120.3, "fast", 1)]


def test_what_is_sent_again_in_an_episode_is_of_its_loss() -> None:
    outcome = run([*RECOVERING, back(140, 4000), out(140.1, 4000), out(140.2, 5000), back(160, 6000)])
    assert outcome.losses == [(120.3, "fast", 3)]
    assert outcome.sender.resent_segments == 3


def test_a_loss_beyond_high_seq_begins_a_second_recovery_at_once() -> None:
    beyond = [*flight(121, 6, 4), back(141, 0, (1000, 4000), (7000, 10000)), out(141.1, 6000)]
    done = [back(142, 6000, (7000, 10000)), *flight(143, 10, 1), back(162, 9999), back(163, 10000)]
    assert run([*RECOVERING, *beyond, *done]).states == [(120.1, DISORDER), (120.3, RECOVERY), (163, OPEN)]


def test_recovery_ends_in_disorder_if_something_beyond_is_sacked() -> None:
    beyond = [*flight(121, 6, 2), back(141, 6000, (7000, 8000)), back(142, 8000)]
    expected = [(120.1, DISORDER), (120.3, RECOVERY), (141, DISORDER), (142, OPEN)]
    assert run([*RECOVERING, *beyond]).states == expected


def test_three_duplicates_without_sack_wait_for_more_than_high_seq() -> None:
    duplicates = [back(120.1, 0), back(120.2, 0), back(120.3, 0), out(120.35, 0)]
    done = [back(140, 5000), out(140.1, 5000), back(160, 6000)]
    found = states(*flight(100, 0, 5), *duplicates, *done, sack=False)
    assert found == [(120.1, DISORDER), (120.3, RECOVERY), (160, OPEN)]


def test_a_reordering_timer_enters_recovery_when_it_fires() -> None:
    outcome = run([*handshake(), *flight(100, 0, 2), back(120, 0, (1000, 2000)), out(125, 0), back(145, 2000)])
    assert outcome.states == [(120, DISORDER), (125, RECOVERY), (145, OPEN)]
    assert outcome.losses == [(125, "fast", 1)]


def test_silence_is_a_timeout() -> None:
    outcome = run([*handshake(), *flight(100, 0, 3), out(320, 0), back(340, 3000)])
    assert outcome.states == [(320, LOSS), (340, OPEN)]
    assert outcome.losses == [(320, "rto", 1)]


@pytest.mark.parametrize(("silence_ms", "state"), [(190, RECOVERY), (205, LOSS)])
def test_silence_is_nine_tenths_of_the_timeout(silence_ms: float, state: int) -> None:
    found = states(*flight(100, 0, 3), back(120, 0, (1000, 2000)), out(120 + silence_ms, 0))
    assert found == [(120, DISORDER), (120 + silence_ms, state)]


def test_a_timeout_that_repeats_stays_in_loss() -> None:
    outcome = run([*handshake(), *flight(100, 0, 3), out(320, 0), out(760, 0), back(780, 3000)])
    assert outcome.states == [(320, LOSS), (780, OPEN)]
    assert outcome.losses == [(320, "rto", 1), (760, "rto", 1)]


def test_the_opener_is_established_by_the_syn_ack() -> None:
    outcome = run([*handshake(), *flight(21, 0, 2), out(400, 0)])
    assert outcome.states == [(400, LOSS)]
    assert outcome.losses == [(400, "rto", 1)]


def test_a_timeout_in_recovery_is_loss_and_needs_no_frto() -> None:
    # 4000 was sent once and is acknowledged: F-RTO would end Loss.
    outcome = run([*RECOVERING, out(400, 0), back(420, 4000), back(421, 5000), back(422, 6000)])
    assert outcome.states == [(120.1, DISORDER), (120.3, RECOVERY), (400, LOSS), (422, OPEN)]
    assert outcome.losses == [(120.3, "fast", 1), (400, "rto", 1)]


# A tail loss probe after one of two segments is acknowledged.
PROBED = [*flight(100, 0, 2), back(120, 1000), out(180, 1000)]


def test_a_probe_that_repaired_a_loss_is_a_pulse_of_cwr() -> None:
    outcome = run([*handshake(), *PROBED, back(200, 2000), out(201, 2000), back(221, 3000)])
    # tcp_process_tlp_ack: not before something above what was sent by then is acknowledged.
    assert outcome.states == [(221, CWR), (221, OPEN)]
    assert outcome.losses == [(180, "tlp", 1)]


@pytest.mark.parametrize("second", [back(200, 2000, (1000, 2000)), back(200, 2000)])
def test_a_probe_in_vain_is_none(second: Packet) -> None:
    assert states(*PROBED, back(190, 2000), second, out(201, 2000), back(221, 3000)) == []


def test_a_probe_that_came_twice_is_none_though_more_is_acknowledged() -> None:
    assert states(*PROBED, back(190, 2000), out(191, 2000), back(211, 3000, (1000, 2000))) == []


def test_recovery_ends_the_wait_for_the_answer_to_a_probe() -> None:
    probed = [*flight(100, 0, 6), out(150, 5000), back(170, 0, (5000, 6000)), out(170.05, 0)]
    again = [out(170.1 + number / 100, 1000 * number) for number in range(1, 5)]
    done = [back(190.1, 6000), out(191, 6000), back(211, 7000)]
    assert states(*probed, *again, *done) == [(170, RECOVERY), (190.1, OPEN)]


def test_a_probe_without_an_answer_is_followed_by_a_timeout() -> None:
    outcome = run([*handshake(), *PROBED, out(420, 1000), back(440, 2000), out(441, 2000), back(461, 3000)])
    assert outcome.states == [(420, LOSS), (440, OPEN)]
    assert outcome.losses == [(180, "tlp", 1), (420, "rto", 1)]


def test_a_lone_segment_without_sack_is_no_probe() -> None:
    assert states(out(100, 0), out(330, 0), sack=False) == [(330, LOSS)]


def test_frto_undoes_when_something_sent_once_is_acknowledged() -> None:
    found = states(*TIMED_OUT, back(330, 1000), out(330.05, 4000), back(331, 2000), back(350, 5000))
    assert found == [(320, LOSS), (331, OPEN)]


def test_frto_undoes_when_something_sent_once_is_sacked() -> None:
    # The segment below is missing still, and what was sent again is not acknowledged.
    assert states(*TIMED_OUT, back(330, 0, (1000, 2000))) == [(320, LOSS), (330, DISORDER)]


def test_frto_ends_where_nothing_new_can_be_sent() -> None:
    again = [back(330, 1000), out(330.05, 1000), back(350, 2000), back(351, 3000), back(352, 4000)]
    assert states(*TIMED_OUT, *again) == [(320, LOSS), (352, OPEN)]


def test_frto_ends_when_new_data_arrives_before_the_old() -> None:
    new = [back(330, 1000), out(330.05, 4000), back(350, 1000, (4000, 5000))]
    done = [back(370, 2000, (4000, 5000)), back(371, 5000)]
    assert states(*TIMED_OUT, *new, *done) == [(320, LOSS), (371, OPEN)]


def test_without_sack_an_ack_of_old_and_resent_together_says_nothing() -> None:
    # tcp_clean_rtx_queue clears FLAG_ORIG_SACK_ACKED.
    done = [back(340, 3000), out(340.05, 3000), back(360, 4000), out(360.05, 4000), back(380, 5000)]
    assert states(*TIMED_OUT, *done, sack=False) == [(320, LOSS), (380, OPEN)]


def test_dsack_undoes_recovery() -> None:
    outcome = run([*RECOVERING, back(121, 4000), back(141, 4000, (0, 1000)), back(142, 6000)])
    assert outcome.states == [(120.1, DISORDER), (120.3, RECOVERY), (141, OPEN)]
    assert outcome.sender.congestion.undone == 1


def test_dsack_inside_the_second_block_undoes_recovery() -> None:
    # 1000 was sent again too, and came twice.
    resent = [out(120.36, 1000), back(140.4, 1000, (1000, 2000), (1000, 4000))]
    assert run([*RECOVERING, *resent]).states == [(120.1, DISORDER), (120.3, RECOVERY)]
    both = [*resent, back(140.5, 4000, (0, 1000))]
    assert run([*RECOVERING, *both]).states == [(120.1, DISORDER), (120.3, RECOVERY), (140.5, OPEN)]


def test_dsack_of_half_of_what_was_sent_again_undoes_nothing() -> None:
    found = run([*RECOVERING, back(121, 4000), out(121.1, 4000), back(141, 4000, (0, 1000)), back(142, 6000)]).states
    assert found == [(120.1, DISORDER), (120.3, RECOVERY), (142, OPEN)]


def test_dsack_of_what_came_before_the_episode_undoes_nothing() -> None:
    before = [out(50, 0), back(70, 1000), out(71, 0), *flight(100, 1, 6)]
    sacks = [back(120.1 + number / 10, 1000, (2000, 3000 + 1000 * number)) for number in range(3)]
    found = states(*before, *sacks, out(120.35, 1000), back(121, 1000, (0, 1000), (2000, 5000)), back(141, 7000))
    assert found == [(120.1, DISORDER), (120.3, RECOVERY), (141, OPEN)]


def test_dsack_undoes_loss_with_the_next_ack_that_advances() -> None:
    again = [back(330, 1000), out(330.05, 1000), back(331, 2000)]
    doubled = [back(340, 2000, (0, 1000)), back(341, 2000, (1000, 2000)), back(342, 3000)]
    assert states(*TIMED_OUT, *again, *doubled) == [(320, LOSS), (342, OPEN)]


def test_sack_blocks_of_a_late_ack_are_no_dsack() -> None:
    late = [back(140.4, 5000), back(140.5, 0, (1000, 4000)), back(141, 6000)]
    assert run([*RECOVERING, *late]).states == [(120.1, DISORDER), (120.3, RECOVERY), (141, OPEN)]


def stamped(*, recovery: bool = True) -> list[Packet]:
    sent = [out(100 + number / 100, 1000 * number, stamps=(100, 70)) for number in range(6)]
    if not recovery:
        return [*handshake(stamps=True), *sent, out(320, 0, stamps=(320, 70))]
    sacks = [back(120.1 + number / 10, 0, (1000, 2000 + 1000 * number), stamps=(80, 100)) for number in range(3)]
    return [*handshake(stamps=True), *sent, *sacks, out(120.35, 0, stamps=(121, 80))]


@pytest.mark.parametrize(("echo", "open_ms"), [(100, 121), (121, 141)])
def test_a_timestamp_undoes_recovery(echo: int, open_ms: float) -> None:
    found = run([*stamped(), back(121, 4000, stamps=(81, echo)), back(141, 6000, stamps=(82, 121))]).states
    assert found == [(120.1, DISORDER), (120.3, RECOVERY), (open_ms, OPEN)]


def test_a_timestamp_undoes_nothing_while_something_sent_again_is_under_way() -> None:
    # tcp_try_undo_partial: retrans_out.
    more = [out(120.4, 4000, stamps=(121, 80)), back(121.5, 4000, stamps=(81, 100)), back(141, 6000, stamps=(82, 121))]
    assert run([*stamped(), *more]).states == [(120.1, DISORDER), (120.3, RECOVERY), (141, OPEN)]


@pytest.mark.parametrize(("echo", "open_ms"), [(100, 330), (320, 350)])
def test_a_timestamp_undoes_loss(echo: int, open_ms: float) -> None:
    done = [back(330, 1000, stamps=(81, echo)), back(350, 6000, stamps=(82, 320))]
    assert run([*stamped(recovery=False), *done]).states == [(320, LOSS), (open_ms, OPEN)]


def test_the_timestamp_of_the_first_that_was_sent_again_counts_over_a_timeout() -> None:
    # retrans_stamp stays: the ACK is of what Recovery sent again, not of the original.
    late = [out(400, 0, stamps=(400, 80)), back(401, 4000, stamps=(81, 121)), back(402, 6000, stamps=(82, 121))]
    assert run([*stamped(), *late]).states == [(120.1, DISORDER), (120.3, RECOVERY), (400, LOSS), (402, OPEN)]


CONGESTED = [*flight(100, 0, 3), back(120, 1000, flags=ECE), back(121, 3000), out(122, 3000), back(142, 4000)]


def test_an_echo_of_congestion_is_cwr_until_above_high_seq() -> None:
    assert states(*CONGESTED, ecn=True) == [(120, CWR), (142, OPEN)]


def test_an_echo_of_congestion_without_ecn_is_nothing() -> None:
    assert states(*CONGESTED) == []


def test_an_echo_on_an_old_ack_is_nothing() -> None:
    assert states(*flight(100, 0, 3), back(120, 1000), back(121, 0, flags=ECE), ecn=True) == []


def test_cwr_ends_in_disorder_if_something_is_sacked() -> None:
    sacked = [*flight(121, 3, 4), back(141, 3000, (5000, 6000)), back(142, 4000, (5000, 6000))]
    assert states(*flight(100, 0, 3), back(120, 1000, flags=ECE), *sacked, ecn=True) == [(120, CWR), (142, DISORDER)]


def test_recovery_may_begin_in_cwr() -> None:
    sacks = [back(121, 1000, (2000, 3000)), out(125, 1000), back(145, 3000)]
    found = states(*flight(100, 0, 3), back(120, 1000, flags=ECE), *sacks, ecn=True)
    assert found == [(120, CWR), (125, RECOVERY), (145, OPEN)]


def test_what_is_sent_again_after_it_was_acknowledged_changes_no_state() -> None:
    outcome = run([*handshake(), *flight(100, 0, 2), back(120, 2000), out(121, 0)])
    assert outcome.states == []
    assert sum(packets for _, _, packets in outcome.losses) == outcome.sender.resent_segments == 1


def test_packets_of_losses_are_the_segments_on_the_wire() -> None:
    outcome = run([*handshake(), out(100, 0, 2500), *flight(101, 3, 2), out(330, 0, 2500)])
    assert outcome.losses == [(330, "rto", 3)]


def test_a_syn_sent_again_is_of_no_loss() -> None:
    first, answer, third = handshake()
    again = Packet(1, 0, -1, ack=None, flags=first.flags, sack_permitted=True, mss=first.mss)
    outcome = run([first, again, answer, third])
    assert outcome.sender.resent_segments == 1
    assert outcome.states == []
    assert outcome.losses == []


def test_a_fin_sent_again_is_of_a_loss() -> None:
    fins = [out(101, 1000, 0, flags=FIN), out(330, 1000, 0, flags=FIN)]
    outcome = run([*handshake(), out(100, 0), back(120, 1000), *fins])
    assert outcome.losses == [(330, "tlp", 1)]


@pytest.mark.parametrize(("offered", "answered"), [(False, True), (True, False), (False, False)])
def test_sack_is_used_if_both_ends_permit_it(offered: bool, answered: bool) -> None:
    outcome: Outcome = run(handshake(sack=offered, answer_sack=answered))
    assert [sender.congestion.has_sack for sender in outcome.senders] == [False, False]
    assert [sender.congestion.has_sack for sender in run(handshake()).senders] == [True, True]


def test_loss_times_are_in_order() -> None:
    congestion, board = Congestion(), Scoreboard(0, 0)
    congestion.has_sack = True
    for seq in range(0, 60, 10):
        board.send(seq, seq + 10, seq)
    board.acknowledge(10)

    def resent(time_ns: int, seq: int, cause_ns: int) -> None:
        board.send(seq, seq + 10, time_ns)
        congestion.resent(Resent(time_ns, seq, seq + 10, 1, 0, 1000, cause_ns, None), board)

    resent(100, 0, 100)
    board.sack(((20, 50),))
    resent(110, 10, 80)
    assert congestion.losses.kind == ["tlp", "fast"]
    assert congestion.losses.time_ns == [100, 100]
