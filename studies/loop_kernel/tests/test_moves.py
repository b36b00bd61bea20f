"""What is drawn, and how a settled and a faded pair are told."""

from __future__ import annotations

from typing import Any

from studies.loop_kernel.moves import IDLE, JOINING, PARTING, draw, faded_s, settled_s


def _rows(coupled: str, signals: list[int] | None = None) -> list[dict[str, Any]]:
    """A row for each second."""
    return [
        {"time_ns": second * 10**9, "coupled": letter == "c", "signals": signals[second] if signals else 0}
        for second, letter in enumerate(coupled)
    ]


def test_bottlenecks_move_both_ways_and_senders_fall_idle() -> None:
    runs = list(draw(2))
    assert [kind for kind, _, _ in runs] == [PARTING] * 2 + [JOINING] * 2 + [IDLE] * 2
    for kind, _, scenario in runs:
        limits = [[link for _, link in subflow.bottleneck] for subflow in scenario.subflows]
        assert limits == {PARTING: [[0, 1], [0, 2]], JOINING: [[1, 0], [2, 0]], IDLE: [[0], [1]]}[kind]
        for subflow in scenario.subflows:
            for place, (from_s, link) in enumerate(subflow.bottleneck):
                rates = dict(scenario.links[link].rate_mbit_s)
                # What limits is slower than all that does not.
                assert rates[from_s] <= 10, (kind, place)
    assert len({scenario.seed for _, _, scenario in runs}) == 6


def test_a_pair_is_settled_from_its_last_change_on() -> None:
    second = 10**9
    assert settled_s(_rows("cccuuu"), False, second, 5 * second) == 2
    assert settled_s(_rows("ccucuu"), False, second, 5 * second) == 3
    assert settled_s(_rows("uuuuuu"), False, second, 5 * second) == 0
    assert settled_s(_rows("cccccc"), False, second, 5 * second) is None
    # What comes after the end does not count.
    assert settled_s(_rows("ccccuc"), False, second, 4 * second) == 3


def test_an_idle_pair_fades_once_it_is_coupled() -> None:
    busy, idle = list(range(5)), [4] * 15
    assert faded_s(_rows("u" * 8 + "c" * 12, busy + idle)) == 4
    assert faded_s(_rows("u" * 20, busy + idle)) == float("inf")
    # It was coupled before, or not idle for long.
    assert faded_s(_rows("c" * 20, busy + idle)) is None
    assert faded_s(_rows("u" * 20, list(range(20)))) is None
