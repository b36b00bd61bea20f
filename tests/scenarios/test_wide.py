"""Settings of ``wide`` are the same for both labels; those of ``wild`` go beyond them."""

from __future__ import annotations

from collections import Counter

import pytest

from smartsbd.scenarios import simulator, wide, wild
from smartsbd.scenarios.scenario import OnOff, Rate, Run

NUMBERS = 60
RUNS = wide.dataset(connections_per_label=NUMBERS, duration_s=25, seed=5)
SHARED, APART = RUNS[:NUMBERS], RUNS[NUMBERS:]
WILD = wild.dataset(connections=100, duration_s=25, seed=5)


@pytest.mark.parametrize(("shared", "apart"), list(zip(SHARED, APART, strict=True)))
def test_a_number_has_one_setting_for_both_labels(shared: Run, apart: Run) -> None:
    """Paths, senders and rivals are alike; the shared bottleneck is that of the first."""
    one, two = shared.scenario, apart.scenario
    assert [path.links for path in one.subflows] == [(0,), (0,)]
    assert [path.links for path in two.subflows] == [(0,), (1,)]
    for own, its in zip(one.subflows, two.subflows, strict=True):
        assert (own.rtt_ms, own.access, own.path) == (its.rtt_ms, its.access, its.path)
    assert one.links[0] == two.links[0]
    assert shared.setting == apart.setting
    for name in ("congestion_control", "scheduler", "application", "ecn"):
        assert getattr(one.connection, name) == getattr(two.connection, name), name
    rivals = [(flow.kind, flow.rate_mbit_s, flow.start_s, flow.rtt_ms) for flow in two.background]
    assert all((flow.kind, flow.rate_mbit_s, flow.start_s, flow.rtt_ms) in rivals for flow in one.background)


def test_runs_are_their_own() -> None:
    for runs in (RUNS, WILD):
        assert len({run.scenario.seed for run in runs}) == len(runs)
        assert len({run.scenario.connection.token for run in runs}) == len(runs)


def test_a_sender_that_pauses_has_rivals_that_do_not() -> None:
    for run in RUNS:
        if run.scenario.connection.application is not None:
            kinds = [flow.kind for flow in run.scenario.background]
            assert kinds.count("reno") + kinds.count("cubic") >= len(run.scenario.links)


def test_every_kind_of_sender_controller_and_scheduler_occurs() -> None:
    connections = [run.scenario.connection for run in RUNS]
    assert {type(one.application) for one in connections} == {type(None), OnOff, Rate}
    assert {one.congestion_control for one in connections} == {"lia", "reno", "cubic"}
    assert {one.scheduler for one in connections} == {"min_rtt", "round_robin"}
    assert {len(run.scenario.background) > 0 for run in RUNS} == {True, False}


def test_a_bulk_transfer_is_written_as_before_and_others_name_their_application() -> None:
    for run in RUNS:
        text = simulator.written(run.scenario)
        assert ('"application"' in text) == (run.scenario.connection.application is not None)


def test_wild_has_what_wide_has_not() -> None:
    assert {len(run.scenario.subflows) for run in WILD} == {2, 3}
    groups = Counter(tuple(path.links[0] for path in run.scenario.subflows) for run in WILD)
    assert groups.keys() == {(0, 0), (0, 1), (0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2)}
    rtts_ms = [path.rtt_ms for run in WILD for path in run.scenario.subflows]
    assert min(rtts_ms) < wide.RANGES.rtt_ms[0]
    assert max(rtts_ms) > wide.RANGES.rtt_ms[1]
    assert any(run.scenario.connection.ecn for run in WILD)
    assert not any(run.scenario.connection.ecn for run in RUNS)
