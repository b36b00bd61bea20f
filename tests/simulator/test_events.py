"""Event lines of the sender: grammar, order, and agreement with the truth."""

from itertools import pairwise
from pathlib import Path

import pytest

from tests.simulator.program import LOSS, RECOVERY, Event, Run, Scenario, separate, shared, simulate


@pytest.fixture(scope="module", params=["shared", "separate"])
def scenario(request: pytest.FixtureRequest) -> Scenario:
    return shared() if request.param == "shared" else separate()


@pytest.fixture(scope="module")
def run(scenario: Scenario, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return simulate(tmp_path_factory.mktemp("run"), scenario)


def test_same_scenario_gives_same_bytes(scenario: Scenario, run: Run, tmp_path: Path) -> None:
    """Nothing but the scenario decides the outputs: no clock, address or unnumbered stream."""
    assert simulate(tmp_path, scenario) == run


def test_another_seed_gives_another_run(scenario: Scenario, run: Run, tmp_path: Path) -> None:
    """The seed reaches the random streams."""
    other = simulate(tmp_path, {**scenario, "seed": scenario["seed"] + 1})
    assert other.events != run.events
    assert other.truth["seed"] == scenario["seed"] + 1


def test_lines_match_the_grammar_and_time_never_runs_back(run: Run) -> None:
    """Every line parses, times do not decrease, and all subflows have lines of most kinds."""
    events = run.parse()
    assert all(a.ns <= b.ns for a, b in pairwise(events))
    assert events[-1].ns <= run.truth["duration_s"] * 1e9
    for subflow in range(2):
        kinds = {event.kind for event in events if event.subflow == subflow}
        assert kinds >= {"CA", "ACK", "DUP", "RTT", "OWD", "LOSS"}


def test_lines_come_in_the_promised_order(run: Run) -> None:
    """The first line is the establishment; OWD follows RTT; LOSS follows each loss entry."""
    events = run.parse()
    for subflow, truth in enumerate(run.truth["subflows"]):
        own = [event for event in events if event.subflow == subflow]
        assert own[0] == Event(truth["established_ns"], subflow, "CA", 0)
        states = [event.value for event in own if event.kind == "CA"]
        assert all(a != b for a, b in pairwise(states))
        for event, following in pairwise(own):
            same_time = following.ns == event.ns
            assert (event.kind == "RTT") == (following.kind == "OWD")
            entry = event.kind == "CA" and event.value in (RECOVERY, LOSS)
            assert entry == (following.kind == "LOSS")
            if following.kind in ("OWD", "LOSS", "RTT", "DACK"):
                assert same_time and following.value >= 1
            if following.kind in ("RTT", "DACK"):
                assert event.kind in ("ACK", "DUP", "OWD")


def test_no_delay_is_below_propagation(scenario: Scenario, run: Run) -> None:
    """RTT >= base RTT and RTT >= OWD >= half the base RTT; the smallest RTT is near its base."""
    for subflow, spec in enumerate(scenario["subflows"]):
        pairs = list(run.delays(subflow))
        base = spec["rtt_ms"] * 1000
        assert len(pairs) > 100
        assert all(rtt >= base and rtt >= owd >= base / 2 for _, rtt, owd in pairs)
        assert min(rtt for _, rtt, _ in pairs) < base + 1000 * (2 * spec["access"]["jitter_ms"] + 8)


def test_acks_never_fall_and_end_at_the_truth(run: Run) -> None:
    """Subflow and data-level ACKs advance with each line; the truth repeats the last ones."""
    events = run.parse()
    for subflow, truth in enumerate(run.truth["subflows"]):
        acks = [e.value for e in events if e.kind == "ACK" and e.subflow == subflow]
        assert all(a < b for a, b in pairwise(acks))
        assert acks[-1] == truth["acked_bytes"]


def test_data_arrive_once_and_are_acknowledged_after_arrival(run: Run) -> None:
    """No byte arrives twice; DATA_ACKs advance and stay below delivery, and near it at the end."""
    data_acks = [event.value for event in run.parse() if event.kind == "DACK"]
    connection = run.truth["connection"]
    assert connection["duplicated_bytes"] == 0
    assert all(a < b for a, b in pairwise(data_acks))
    assert connection["delivered_bytes"] - 200_000 < data_acks[-1] <= connection["delivered_bytes"]
