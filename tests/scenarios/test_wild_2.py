"""``wild_2`` has every row of the protocol's table, and nothing that is drawn knows the groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from smartsbd.scenarios import path, wild, wild_2
from smartsbd.scenarios.scenario import OnOff, Rate, Run, Scenario

RUNS = wild_2.dataset(connections=1000, duration_s=60, seed=1000)
IDLE = [run for run in RUNS if run.setting.endswith(", idle")]
#: Chance of a false alarm of each comparison below.
P_VALUE = 1e-4


def discipline(run: Run) -> str:
    (found,) = {link.queue_discipline or ("marks" if link.mark_bytes else "tail") for link in run.scenario.links}
    assert run.scenario.connection.ecn == (found == "marks")
    return found


def sender(run: Run) -> str:
    return run.setting.rpartition(", ")[2]


def way_back(run: Run) -> str:
    if run.scenario.connection.segments_per_ack is not None:
        assert 2 <= run.scenario.connection.segments_per_ack <= 8
        assert all(link.back is None for link in run.scenario.links)
        return "thinned"
    return "rivals" if run.scenario.links[0].back is not None else "free"


#: Shares of the table; idle senders have no rivals on the way back.
SHARES: list[tuple[Callable[[Run], str], dict[str, float]]] = [
    (discipline, {"tail": 0.5, "red": 0.1, "codel": 0.1, "fq_codel": 0.1, "policer": 0.1, "marks": 0.1}),
    (sender, {"bulk": 0.5, "on_off": 0.3, "rate": 0.1, "idle": 0.1}),
    (way_back, {"free": 0.5 + 0.025, "rivals": 0.25 - 0.025, "thinned": 0.25}),
    (
        lambda run: run.scenario.connection.scheduler_name,
        {"round_robin": 0.4, "min_rtt": 0.3, "blest": 0.15, "redundant": 0.15},
    ),
    (
        lambda run: run.scenario.connection.controller,
        dict.fromkeys(("lia", "olia", "balia", "reno", "cubic", "bbr", "mpcc", "wvegas"), 0.125),
    ),
]


@pytest.mark.parametrize(("of", "shares"), SHARES)
def test_shares_are_those_of_the_table(of: Callable[[Run], str], shares: dict[str, float]) -> None:
    counts = Counter(map(of, RUNS))
    assert counts.keys() == shares.keys()
    expected = [share * len(RUNS) for share in shares.values()]
    assert stats.chisquare([counts[name] for name in shares], expected).pvalue > P_VALUE


def test_every_scenario_keeps_the_contract() -> None:
    for run in RUNS[:200]:
        assert Scenario.model_validate(run.scenario.model_dump()) == run.scenario


def test_the_groups_are_those_of_wild() -> None:
    for ours, theirs in zip(RUNS[:20], wild.dataset(connections=20, duration_s=60, seed=1000), strict=True):
        assert [one.links for one in ours.scenario.subflows] == [one.links for one in theirs.scenario.subflows]


def test_ranges_are_those_of_the_table() -> None:
    rtts_ms = [one.rtt_ms for run in RUNS for one in run.scenario.subflows]
    assert 3.9 < min(rtts_ms) < 4.5 and 380 < max(rtts_ms) < 404.1
    rates = [link.rate_at_mbit_s(0) for run in RUNS for link in run.scenario.links]
    assert 90 < max(rates) <= 100
    losses = [one.access.loss for run in RUNS for one in run.scenario.subflows]
    assert np.mean(np.array(losses) == 0) == pytest.approx(0.5, abs=0.05)
    assert 1e-5 <= min(loss for loss in losses if loss) < 1.5e-5 and 0.017 < max(losses) <= 0.02
    for run in RUNS:
        for number, link in enumerate(run.scenario.links):
            queue_ms = link.queue_bytes / 125 / link.rate_at_mbit_s(0)
            assert queue_ms <= 4000.1 or link.queue_bytes == 10 * path.PACKET_BYTES
            forward = [
                flow
                for flow in run.scenario.background
                if flow.direction is None and run.scenario.subflows[flow.subflow].links == (number,)
            ]
            assert len(forward) <= 6


def test_nobody_else_is_there_beside_an_idle_sender() -> None:
    for run in IDLE:
        scenario = run.scenario
        assert scenario.background == () and all(link.back is None for link in scenario.links)
        application = scenario.connection.application
        assert isinstance(application, Rate)
        smallest = min(link.rate_at_mbit_s(0) for link in scenario.links)
        assert 0.0195 <= application.rate_mbit_s / smallest <= 0.205 or application.rate_mbit_s == 0.01
    for run in RUNS:
        kinds = {"bulk": type(None), "on_off": OnOff, "rate": Rate, "idle": Rate}
        assert type(run.scenario.connection.application) is kinds[sender(run)]


def test_rivals_on_the_way_back_have_a_line_as_narrow_as_the_bottleneck() -> None:
    for run in RUNS:
        back = [flow for flow in run.scenario.background if flow.direction == "back"]
        if way_back(run) != "rivals":
            assert not back
            continue
        crossed = {run.scenario.subflows[flow.subflow].links[0] for flow in back}
        assert crossed == set(range(len(run.scenario.links)))
        for link in run.scenario.links:
            assert link.back is not None
            assert (link.back.rate_mbit_s, link.back.queue_bytes) == (link.rate_at_mbit_s(0), link.queue_bytes)


def test_receive_buffers_are_shares_of_what_the_paths_hold() -> None:
    products = []
    for run in RUNS:
        scenario = run.scenario
        held = sum(scenario.links[one.links[0]].rate_at_mbit_s(0) * one.rtt_ms * 125 for one in scenario.subflows)
        buffer_bytes = scenario.connection.receive_buffer_bytes
        if 1 << 14 < buffer_bytes < path.RECEIVE_BUFFER_BYTES:
            products.append(buffer_bytes / held)
    assert 0.5 <= min(products) < 0.55 and 3.6 < max(products) <= 4.001
    unlimited = [run.scenario.connection.receive_buffer_bytes == path.RECEIVE_BUFFER_BYTES for run in RUNS]
    assert 0.45 < np.mean(unlimited) < 0.57


def numbers(run: Run) -> dict[str, float]:
    """What could tell a label of two subflows."""
    scenario = run.scenario
    first = scenario.links[scenario.subflows[0].links[0]]
    own = [flow for flow in scenario.background if scenario.subflows[flow.subflow].links == (0,)]
    return {
        "rtt_ms": scenario.subflows[0].rtt_ms,
        "loss": scenario.subflows[0].access.loss,
        "rate_mbit_s": first.rate_at_mbit_s(0),
        "queue_bytes": first.queue_bytes,
        "rivals": sum(flow.direction is None for flow in own),
        "rivals_back": sum(flow.direction == "back" for flow in own),
        "receive_buffer_bytes": scenario.connection.receive_buffer_bytes,
        "segments_per_ack": scenario.connection.segments_per_ack or 0,
        "host_delay_us": scenario.connection.host_delay_us,
    }


def pairs(of: Callable[[Run], Any]) -> tuple[list[Any], list[Any]]:
    """What connections of two subflows have: those that share, and those that do not."""
    two = [run for run in RUNS if len(run.scenario.subflows) == 2]
    shared = [of(run) for run in two if len(run.scenario.links) == 1]
    apart = [of(run) for run in two if len(run.scenario.links) == 2]
    assert min(len(shared), len(apart)) > 150
    return shared, apart


@pytest.mark.parametrize("what", list(numbers(RUNS[0])))
def test_no_number_gives_the_label_away(what: str) -> None:
    shared, apart = pairs(lambda run: numbers(run)[what])
    assert stats.ks_2samp(shared, apart).pvalue > P_VALUE


@pytest.mark.parametrize("of", [of for of, _ in SHARES])
def test_no_choice_gives_the_label_away(of: Callable[[Run], Hashable]) -> None:
    shared, apart = (Counter(values) for values in pairs(of))
    names = sorted(shared | apart, key=str)
    table = [[counts[name] for name in names] for counts in (shared, apart)]
    assert stats.chi2_contingency(table).pvalue > P_VALUE
