"""The networks of ``controllers`` are the same under every choice, labels are balanced, no controller is left out."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from pydantic import ValidationError

from scenarios import datasets, registry
from scenarios.controllers import CHOICES, RANGES, Choice, parts_of
from scenarios.scenario import Run
from tests.scenarios.test_datasets import RUNS, SETTINGS, is_shared

#: What a choice decides, and what tells the logs of two runs apart.
OWN = ("congestion_control", "lia_counts", "scheduler", "token")


def networks() -> dict[tuple[str, bool], list[Run]]:
    found = defaultdict(list)
    for run in RUNS["controllers"]:
        found[parts_of(run.setting)[0], is_shared(run)].append(run)
    return found


def unlike(run: Run) -> dict[str, Any]:
    """What is drawn of a network."""
    whole = run.scenario.model_dump()
    whole["connection"] = {key: value for key, value in whole["connection"].items() if key not in OWN}
    return whole


def test_every_controller_of_the_registry_occurs_with_its_defaults() -> None:
    """Whoever adds one adds a line to CHOICES; bbr is there for schedulers, whose experiments have it."""
    plain = {choice.controller for choice in CHOICES if not choice.parameters and choice.scheduler == "min_rtt"}
    assert plain == set(registry.names("congestion_control")) - {"bbr"}
    assert {choice.scheduler for choice in CHOICES} <= set(registry.names("scheduler"))
    assert len({choice.name for choice in CHOICES}) == len(CHOICES)


def test_every_network_is_run_once_under_every_choice() -> None:
    found = networks()
    assert len(found) == 2 * SETTINGS["controllers"]["connections_per_label"]
    for runs in found.values():
        assert sorted(parts_of(run.setting)[1] for run in runs) == sorted(choice.name for choice in CHOICES)
        assert all(unlike(run) == unlike(runs[0]) for run in runs)
    # Runs in which a controller never acts would have one log.
    assert len({run.scenario.connection.token for run in RUNS["controllers"]}) == len(RUNS["controllers"])


def test_what_the_setting_names_is_what_the_scenario_has() -> None:
    by_name = {choice.name: choice for choice in CHOICES}
    for run in RUNS["controllers"]:
        choice, connection = by_name[parts_of(run.setting)[1]], run.scenario.connection
        assert (connection.controller, connection.scheduler_name) == (choice.controller, choice.scheduler)
        given = {} if isinstance(connection.congestion_control, str) else connection.congestion_control.model_dump()
        own = {key: value for key, value in given.items() if key != "name" and value is not None}
        assert own == choice.parameters
        assert connection.lia_counts is None
        assert not connection.ecn


def test_networks_of_one_number_have_the_same_paths_under_both_labels() -> None:
    found = networks()
    for base in {base for base, _ in found}:
        shared, apart = (found[base, label][0].scenario for label in (True, False))
        assert [one.rtt_ms for one in shared.subflows] == [one.rtt_ms for one in apart.subflows]
        assert [one.access for one in shared.subflows] == [one.access for one in apart.subflows]
        assert shared.links[0] in apart.links
        assert shared.seed != apart.seed


def test_queues_and_rates_are_such_that_runs_end_soon() -> None:
    for run in RUNS["controllers"]:
        for link in run.scenario.links:
            rate_mbit_s = link.rate_at_mbit_s(0)
            assert rate_mbit_s <= RANGES.rate_mbit_s[1]
            assert link.queue_bytes <= max(14_400, rate_mbit_s * 125 * 1000)


def test_what_the_simulator_does_not_have_is_refused() -> None:
    connection = RUNS["controllers"][0].scenario.connection
    for choice in (Choice("ewtcp"), Choice("lia", "random"), Choice("lia", parameters={"counts": "bytes"})):
        with pytest.raises(ValidationError):
            choice.applied(connection)
    for setting in ("wide, bulk", "base 1", "lia, base 001, bulk"):
        with pytest.raises(ValueError, match="is no setting of the dataset controllers"):
            parts_of(setting)


def test_another_choice_leaves_the_runs_of_the_others_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scenarios.controllers.CHOICES", (*CHOICES, Choice("olia", "round_robin")))
    more = datasets.draw("controllers", SETTINGS["controllers"])
    assert len(more) == len(RUNS["controllers"]) // len(CHOICES) * (len(CHOICES) + 1)
    assert all(run in more for run in RUNS["controllers"])
