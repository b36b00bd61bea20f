"""Idle connections send little, and where a path is loaded the other is not."""

from __future__ import annotations

from collections import Counter

import pytest

from smartsbd.scenarios import idle_linux
from smartsbd.scenarios.scenario import Rate, Run, Scenario

RUNS = idle_linux.dataset(connections=400, duration_s=30, seed=5, attempt=0)


def sent(scenario: Scenario) -> Rate:
    application = scenario.connection.application
    assert isinstance(application, Rate)
    return application


def is_loaded(run: Run) -> bool:
    return len(run.scenario.background) > 0


def test_half_share_and_of_the_others_half_have_a_loaded_path() -> None:
    kinds = Counter((len(run.scenario.links), is_loaded(run), run.setting) for run in RUNS)
    assert kinds == {
        (1, False, "idle, rate"): 100,
        (1, False, "idle, pings"): 100,
        (2, False, "idle, rate"): 50,
        (2, False, "idle, pings"): 50,
        (2, True, "half-loaded, rate"): 50,
        (2, True, "half-loaded, pings"): 50,
    }


@pytest.mark.parametrize("run", RUNS[:80])
def test_no_more_is_sent_than_a_fifth_of_the_smallest_capacity(run: Run) -> None:
    scenario = run.scenario
    rate_mbit_s = sent(scenario).rate_mbit_s
    capacities = [link.rate_at_mbit_s(0) for link in scenario.links]
    capacities += [path.access.rate_mbit_s for path in scenario.subflows]
    share = rate_mbit_s / min(capacities)
    assert share < 0.2001
    piece_bytes = sent(scenario).piece_bytes
    assert piece_bytes is not None
    # Two segments at least: one for each subflow.
    assert 2 <= piece_bytes / scenario.connection.mss_bytes <= 4
    if run.setting.endswith("rate"):
        assert share > 0.0199
    else:
        assert 49.9 < piece_bytes * 8e-3 / rate_mbit_s < 1000.1 or share == pytest.approx(0.2, rel=1e-3)


def test_a_loaded_path_has_a_bulk_flow_and_a_queue_for_it() -> None:
    for run in filter(is_loaded, RUNS):
        (flow,) = run.scenario.background
        link = run.scenario.links[run.scenario.subflows[flow.subflow].links[0]]
        assert (flow.rate_mbit_s, flow.enters) == (None, link.place)
        assert link.queue_bytes >= 0.99 * link.rate_at_mbit_s(0) * flow.rtt_ms * 125


def test_jitter_is_each_access_links_own() -> None:
    kinds = {"plain": (0, 0.05), "wifi": (0.5, 4), "lte": (1, 8)}
    seen = set()
    for run in RUNS:
        one, other = (path.access for path in run.scenario.subflows)
        assert one.jitter_ms != other.jitter_ms or one.kind == other.kind == "plain"
        for access in (one, other):
            low, high = kinds[access.kind]
            assert low <= access.jitter_ms <= high
            seen.add(access.kind)
    assert seen == kinds.keys()


def test_another_attempt_has_other_connections_of_the_same_kinds() -> None:
    again = idle_linux.dataset(connections=400, duration_s=30, seed=5, attempt=1)
    assert [run.setting for run in again] == [run.setting for run in RUNS]
    assert [len(run.scenario.links) for run in again] == [len(run.scenario.links) for run in RUNS]
    assert not {run.scenario.seed for run in again} & {run.scenario.seed for run in RUNS}
