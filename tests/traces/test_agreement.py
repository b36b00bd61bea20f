"""Inferred against logged: what agrees by construction agrees, and what was moved is measured."""

from __future__ import annotations

from collections.abc import Sequence

from smartsbd.traces.agreement import agreement, grid_differences_us, summary
from smartsbd.traces.connection import Subflow

MS = 1_000_000
S = 1_000 * MS


def subflow(
    rtts: Sequence[tuple[int, int]], states: Sequence[tuple[int, int]], *, end_ns: int = S, again: int | None = 0
) -> Subflow:
    """One with samples (ns, us) and changes of state (ns, state)."""
    made = Subflow(0, 0, end_ns, retransmissions=again)
    for time_ns, rtt_us in rtts:
        made.acks.append(time_ns, 0, rtt_us=rtt_us)
    for time_ns, state in states:
        made.state_time_ns.append(time_ns)
        made.state_ca_state.append(state)
    return made


def test_equal_subflows_agree_in_everything() -> None:
    own = subflow([(100 * MS, 20_000), (200 * MS, 30_000)], [(0, 0), (300 * MS, 3), (500 * MS, 0)], again=4)
    found = agreement(own, own)
    assert (found.logged, found.inferred) == (2, 2)
    assert found.rtt_difference_us.tolist() == [0, 0]
    # Grid points at 0, 10, ... 990 ms; samples from 100 ms on; congested from 300 to 490 ms.
    assert found.grid_difference_us.tolist() == [0] * 90
    assert found.confusion.tolist() == [[80, 0], [0, 20]]
    assert found.entry_difference_us.tolist() == [0]
    assert (found.entries_logged, found.entries_inferred) == (1, 1)
    assert (found.retransmissions_logged, found.retransmissions_inferred) == (4, 4)


def test_what_differs_is_measured_with_its_sign() -> None:
    logged = subflow([(100 * MS, 20_000), (200 * MS, 30_000), (900 * MS, 25_000)], [(300 * MS, 3), (500 * MS, 0)])
    inferred = subflow(
        # The first a little later and 40 us less; the second 5 ms off: another ACK; the third was not seen.
        [(100 * MS + 500_000, 19_960), (205 * MS, 30_000)],
        [(310 * MS, 3), (480 * MS, 0), (700 * MS, 4), (710 * MS, 0)],
    )
    found = agreement(inferred, logged)
    assert (found.logged, found.inferred) == (3, 2)
    assert found.rtt_difference_us.tolist() == [-40]
    # Logged 300-490, inferred 310-470 and 700.
    assert found.confusion.tolist() == [[79, 1], [3, 17]]
    assert found.entry_difference_us.tolist() == [10_000]
    assert (found.entries_logged, found.entries_inferred) == (1, 2)
    # Both have a sample from 110 ms on: -40 us to 190; at 200 the old one against the new; equal; from 900 on 5 ms.
    assert found.grid_difference_us.tolist() == [-40] * 9 + [19_960 - 30_000] + [0] * 69 + [5_000] * 10


def test_recovery_to_loss_is_no_second_entry() -> None:
    logged = subflow([], [(100 * MS, 3), (200 * MS, 4), (300 * MS, 0)])
    found = agreement(logged, logged)
    assert (found.entries_logged, found.confusion.tolist()) == (1, [[80, 0], [0, 20]])


def test_without_samples_or_states_there_is_nothing_to_compare() -> None:
    found = agreement(subflow([], []), subflow([(100 * MS, 20_000)], [(100 * MS, 4)]))
    assert (found.logged, found.inferred) == (1, 0)
    assert found.rtt_difference_us.size == found.grid_difference_us.size == found.entry_difference_us.size == 0
    assert found.confusion.tolist() == [[10, 0], [90, 0]]


def test_only_the_time_both_cover_is_compared() -> None:
    found = agreement(subflow([], [], end_ns=400 * MS), subflow([], [(0, 4)]))
    assert found.confusion.tolist() == [[0, 0], [40, 0]]


def test_a_summary_adds_up_and_knows_what_no_log_counts() -> None:
    own = subflow([(100 * MS, 20_000), (200 * MS, 30_000)], [(0, 0), (300 * MS, 3), (500 * MS, 0)], again=4)
    later = subflow([(100 * MS, 20_040), (200 * MS, 30_040)], [(0, 0), (310 * MS, 3), (500 * MS, 0)], again=None)
    both = [agreement(later, own), agreement(own, own)]
    found = summary(both)
    assert (found["rtts_logged"], found["rtts_inferred"], found["rtts_of_one_ack"]) == (4, 4, 4)
    assert found["rtt_difference_us_50"] == 20
    assert found["grid_difference_us_97.5"] == 40
    assert len(grid_differences_us(both)) == 180
    assert (found["both_uncongested"], found["only_logged_congested"], found["both_congested"]) == (160, 1, 39)
    assert (found["entries_logged"], found["entries_inferred"]) == (2, 2)
    assert (found["sent_again_logged"], found["sent_again_inferred"]) == (8, 4)
    alone = summary([agreement(subflow([], [], again=None), subflow([], [], again=None))])
    assert alone["rtt_difference_us_50"] is alone["sent_again_logged"] is None
