"""The truth's series: what each interval came to."""

import copy
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.simulator.program import Run, Scenario, flow, link, network, separate, simulate, simulate_all, subflow


def with_series(scenario: Scenario, step_s: float) -> Scenario:
    changed = copy.deepcopy(scenario)
    changed["series_s"] = step_s
    return changed


def intervals(run: Run) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = run.truth["series"]["intervals"]
    return listed


def test_a_series_changes_nothing_else(tmp_path: Path) -> None:
    """The event lines are the same bytes, and so is the rest of the truth."""
    plain, told = simulate_all(tmp_path, [separate(), with_series(separate(), 0.7)])
    assert told.events == plain.events
    truth = told.truth
    assert truth.pop("series")
    assert truth == plain.truth


def test_intervals_add_up(tmp_path: Path) -> None:
    """They follow each other to the end, the last one is shorter, and their sums are those of the run."""
    run = simulate(tmp_path, with_series(separate(), 5.0))
    found = intervals(run)
    edges = [0, 5_000_000_000, 10_000_000_000, 12_000_000_000]
    assert [(one["from_ns"], one["to_ns"]) for one in found] == list(pairwise(edges))
    assert sum(one["delivered_bytes"] for one in found) == run.truth["connection"]["delivered_bytes"]
    for place, own in enumerate(run.truth["subflows"]):
        assert sum(one["subflows"][place]["acked_bytes"] for one in found) == own["acked_bytes"]
        second = run.acked(place, 5, 10)
        assert found[1]["subflows"][place]["acked_bytes"] == second


def test_the_queue_of_the_bottleneck_is_seen(tmp_path: Path) -> None:
    """A queue of 60 kB at 8 Mbit/s is 60 ms long when it is full; Reno fills it, and the path has no other queue."""
    scenario = network([link(8.0)], [subflow([0], 60.0), subflow([0], 60.0)], congestion_control="reno", duration=20.0)
    run = simulate(tmp_path, with_series(scenario, 1.0))
    assert run.truth["series"]["quantiles"] == [0.1, 0.5, 0.9, 0.99]
    for one in intervals(run)[5:]:
        for own in one["subflows"]:
            assert own["queueing_us"] == sorted(own["queueing_us"])
            assert 5_000 < own["queueing_us"][1] < 62_000
            # Base RTT, queue, and what the line and the host's delay take.
            assert 60_000 + own["queueing_us"][0] < own["srtt_us"] < 67_000 + own["queueing_us"][3]
            assert own["window_bytes"] > 1400
    assert max(own["queueing_us"][3] for one in intervals(run) for own in one["subflows"]) > 50_000


def test_without_a_sample_there_is_no_quantile(tmp_path: Path) -> None:
    """Before a subflow begins, it has acknowledged nothing."""
    scenario = with_series(separate(), 0.5)
    scenario["subflows"][1]["start_s"] = 6.0
    scenario["subflows"][1]["group"] = 3
    early = intervals(simulate(tmp_path, scenario))[4]["subflows"][1]
    assert (early["acked_bytes"], early["queueing_us"], early["timeouts"], early["group"]) == (0, [], 0, 3)


def test_timeouts_are_counted(tmp_path: Path) -> None:
    """A path of much random loss has timeouts; each state of Loss begins with one, and the clean path has none."""
    scenario = network([link(8.0), link(8.0)], [subflow([0], 60.0, loss=0.15), subflow([1], 60.0)], duration=30.0)
    run = simulate(tmp_path, with_series(scenario, 1.0))
    lossy, clean = (sum(one["subflows"][place]["timeouts"] for one in intervals(run)) for place in range(2))
    begun = sum((e.kind, e.value, e.subflow) == ("CA", 4, 0) for e in run.parse())
    assert lossy >= begun > 0
    assert clean == 0


def test_rivals_are_seen_at_their_sinks(tmp_path: Path) -> None:
    """A flow of 2 Mbit/s arrives with 2 Mbit/s, wherever its sink is."""
    rivals = [flow("cbr", 2.0), {**flow("cbr", 1.0, on=1), "leaves": "first_link"}]
    scenario = network([link(8.0), link(8.0)], [subflow([0], 60.0), subflow([1], 60.0)], rivals)
    for one in intervals(simulate(tmp_path, with_series(scenario, 1.0)))[2:5]:
        for received, rate in zip(one["background_bytes"], (2.0, 1.0), strict=True):
            assert abs(received * 8e-6 - rate) < 0.15 * rate
