"""``testbed_2``: half of all pairs share, and what is drawn beside ``wide`` knows nothing of the groups."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from smartsbd.scenarios import testbed_2, wide
from smartsbd.scenarios.scenario import OnOff, Rate, Run

RUNS = testbed_2.dataset(of_two=480, of_three=120, duration_s=40, seed=1001, attempt=0)


def groups(run: Run) -> tuple[int, ...]:
    return tuple(path.links[0] for path in run.scenario.subflows)


def is_idle(run: Run) -> bool:
    return run.setting.endswith(("idle", "half-loaded"))


def share(having: int) -> float:
    return having / len(RUNS)


def test_half_of_the_pairs_share_and_all_groups_occur() -> None:
    pairs = [a == b for run in RUNS for a, b in combinations(groups(run), 2)]
    assert sum(pairs) * 2 == len(pairs)
    three = Counter(groups(run) for run in RUNS if len(run.scenario.subflows) == 3)
    assert three == {(0, 0, 0): 40, (0, 0, 1): 20, (0, 1, 0): 20, (0, 1, 1): 20, (0, 1, 2): 20}


def test_what_is_drawn_occurs_about_as_often_as_the_protocol_says() -> None:
    """Within four standard deviations of six hundred draws."""
    connections = [run.scenario.connection for run in RUNS]
    applications = Counter(run.setting.rpartition(", ")[2] for run in RUNS)
    assert share(applications["bulk"]) == pytest.approx(0.5, abs=0.09)
    assert share(applications["on_off"]) == pytest.approx(0.3, abs=0.08)
    assert share(applications["rate"]) == pytest.approx(0.1, abs=0.05)
    assert share(applications["idle"] + applications["half-loaded"]) == pytest.approx(0.1, abs=0.05)
    for name in ("reno", "cubic", "bbr"):
        assert share(sum(one.controller == name for one in connections)) == pytest.approx(1 / 3, abs=0.08)
    assert {one.scheduler_name for one in connections} == {"min_rtt"}
    codel = sum(run.scenario.links[0].queue_discipline == "codel" for run in RUNS)
    assert share(codel) == pytest.approx(1 / 6, abs=0.07)
    unlimited = sum(one.receive_buffer_bytes == 1 << 26 for one in connections)
    assert share(unlimited) == pytest.approx(0.5, abs=0.09)
    back = [run for run in RUNS if run.scenario.links[0].back is not None]
    assert share(len(back)) == pytest.approx(0.25 * 0.9, abs=0.08)
    lossless = [path.access.loss < 1e-3 for run in RUNS for path in run.scenario.subflows]
    assert sum(lossless) / len(lossless) > 0.5


def test_an_idle_connection_has_a_rival_at_most_and_that_at_one_subflow_alone() -> None:
    idle = [run for run in RUNS if is_idle(run)]
    assert {run.setting.rpartition(", ")[2] for run in idle} == {"idle", "half-loaded"}
    for run in idle:
        scenario = run.scenario
        assert isinstance(scenario.connection.application, Rate)
        piece_bytes = scenario.connection.application.piece_bytes
        assert piece_bytes is not None and piece_bytes >= scenario.connection.mss_bytes * len(scenario.subflows)
        assert all(link.back is None for link in scenario.links)
        assert len(scenario.background) == run.setting.endswith("half-loaded")
        for flow in scenario.background:
            assert groups(run).count(scenario.subflows[flow.subflow].links[0]) == 1
            assert scenario.links[scenario.subflows[flow.subflow].links[0]].place == flow.enters


def test_rivals_back_are_at_each_line_back_and_nowhere_else() -> None:
    for run in RUNS:
        scenario = run.scenario
        back = [flow for flow in scenario.background if flow.direction is not None]
        met = {scenario.subflows[flow.subflow].links[0] for flow in back}
        assert met == {number for number, link in enumerate(scenario.links) if link.back is not None}
        assert all(scenario.links[scenario.subflows[flow.subflow].links[0]].place == flow.enters for flow in back)


def test_what_is_not_idle_is_as_wide_draws_it() -> None:
    """But for the queue's discipline, the way back and the receive buffer."""
    for number, run in enumerate(RUNS):
        of = list(groups(run))
        base = wide.draw([1001, number], of, testbed_2.RANGES, number=number, duration_s=40, setting="x").scenario
        assert run.scenario.subflows == base.subflows
        assert [link.rate_mbit_s for link in run.scenario.links] == [link.rate_mbit_s for link in base.links]
        assert [link.queue_bytes for link in run.scenario.links] == [link.queue_bytes for link in base.links]
        if is_idle(run):
            assert base.connection.application is None
        else:
            assert run.scenario.connection.application == base.connection.application
            assert [flow for flow in run.scenario.background if flow.direction is None] == list(base.background)
    assert {type(run.scenario.connection.application) for run in RUNS} == {type(None), OnOff, Rate}


def test_what_is_drawn_beside_wide_knows_nothing_of_the_groups() -> None:
    """The same number in another group has the same discipline, way back, and share of an idle sender."""
    for number in range(60):
        shared, apart = (testbed_2.draw(3, number, of, duration_s=40) for of in ([0, 0], [0, 1]))
        assert is_idle(shared) == is_idle(apart)
        assert shared.scenario.connection.congestion_control == apart.scenario.connection.congestion_control
        for name in ("queue_discipline", "back", "rate_mbit_s", "queue_bytes"):
            assert getattr(shared.scenario.links[0], name) == getattr(apart.scenario.links[0], name)
        limited = [one.scenario.connection.receive_buffer_bytes < 1 << 26 for one in (shared, apart)]
        assert limited[0] == limited[1]


def test_another_attempt_has_other_connections_of_the_same_groups() -> None:
    again = testbed_2.dataset(of_two=480, of_three=120, duration_s=40, seed=1001, attempt=1)
    assert [groups(run) for run in again] == [groups(run) for run in RUNS]
    assert not {run.scenario.seed for run in again} & {run.scenario.seed for run in RUNS}
