"""Networks are the same under every choice, labels are balanced, no controller and no scheduler is left out."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from pydantic import ValidationError

from smartsbd.scenarios import controllers, datasets, registry, schedulers
from smartsbd.scenarios.choice import LINUX, Choice
from smartsbd.scenarios.paired_networks import RANGES, parts_of
from smartsbd.scenarios.path import RECEIVE_BUFFER_BYTES
from smartsbd.scenarios.scenario import Run
from tests.scenarios.test_datasets import RUNS, SETTINGS, is_shared

#: What a choice decides, and what tells the logs of two runs apart.
OWN = ("congestion_control", "lia_counts", "scheduler", "receive_buffer_bytes", "meta_queue", "token")
CHOICES = {"controllers": controllers.CHOICES, "schedulers": schedulers.CHOICES}


def networks(dataset: str) -> dict[tuple[str, bool], list[Run]]:
    found = defaultdict(list)
    for run in RUNS[dataset]:
        found[parts_of(run.setting)[0], is_shared(run)].append(run)
    return found


def unlike(run: Run) -> dict[str, Any]:
    """What is drawn of a network."""
    whole = run.scenario.model_dump()
    whole["connection"] = {key: value for key, value in whole["connection"].items() if key not in OWN}
    return whole


def given(chosen: Any) -> dict[str, Any]:
    """The parameters that a controller or a scheduler was given."""
    own = {} if isinstance(chosen, str) else chosen.model_dump()
    return {key: value for key, value in own.items() if key != "name" and value is not None}


def test_every_controller_of_the_registry_occurs_with_its_defaults() -> None:
    """Whoever adds one adds a line to CHOICES; the BBRs have experiments of their own, and dither is above others."""
    own = controllers.CHOICES
    plain = {choice.controller for choice in own if not choice.parameters and choice.scheduler == "min_rtt"}
    assert plain == set(registry.names("congestion_control")) - {
        "bbr",
        "cmpbbr",
        "coupled_bbr",
        "dither",
        "fmbbr",
        "mplibra",
        "rl_joint",
    }
    assert {choice.scheduler for choice in own} <= set(registry.names("scheduler"))


def test_every_scheduler_of_the_registry_occurs_with_its_defaults_and_every_buffer() -> None:
    for buffer_kb in (None, 512, 64, 17):
        own = [choice for choice in schedulers.CHOICES if choice.buffer_kb == buffer_kb and not choice.linux_hosts]
        assert {choice.scheduler for choice in own if not choice.scheduling} == set(registry.names("scheduler"))
    assert len(schedulers.CHOICES) == 4 * (len(registry.names("scheduler")) + 2)
    assert {choice.controller for choice in schedulers.CHOICES} == {"lia"}


def test_a_scheduler_is_compared_with_smallest_rtts_of_its_buffer() -> None:
    assert list(schedulers.REFERENCES) == [choice.name for choice in schedulers.CHOICES]
    assert schedulers.REFERENCES["lia olaps, 64 kB"] == "lia, 64 kB"
    assert schedulers.REFERENCES["lia, Linux hosts"] == "lia"
    assert {schedulers.REFERENCES[name] for name in ("lia", "lia, 512 kB", "lia, 17 kB")} == {"lia"}
    assert set(controllers.REFERENCES.values()) == {"lia"}


@pytest.mark.parametrize("dataset", CHOICES)
def test_every_network_is_run_once_under_every_choice(dataset: str) -> None:
    found, names = networks(dataset), [choice.name for choice in CHOICES[dataset]]
    assert len(set(names)) == len(names)
    assert len(found) == 2 * SETTINGS[dataset]["connections_per_label"]
    for runs in found.values():
        assert sorted(parts_of(run.setting)[1] for run in runs) == sorted(names)
        assert all(unlike(run) == unlike(runs[0]) for run in runs)
    # Runs in which a controller never acts would have one log.
    assert len({run.scenario.connection.token for run in RUNS[dataset]}) == len(RUNS[dataset])


@pytest.mark.parametrize("dataset", CHOICES)
def test_what_the_setting_names_is_what_the_scenario_has(dataset: str) -> None:
    by_name = {choice.name: choice for choice in CHOICES[dataset]}
    for run in RUNS[dataset]:
        choice, connection = by_name[parts_of(run.setting)[1]], run.scenario.connection
        assert (connection.controller, connection.scheduler_name) == (choice.controller, choice.scheduler)
        assert given(connection.congestion_control) == choice.parameters
        assert given(connection.scheduler) == choice.scheduling
        assert connection.meta_queue == (LINUX if choice.linux_hosts else None)
        drawn = RECEIVE_BUFFER_BYTES if choice.buffer_kb is None else choice.buffer_kb * 1000
        assert connection.receive_buffer_bytes == drawn
        assert connection.lia_counts is None
        assert not connection.ecn


@pytest.mark.parametrize("dataset", CHOICES)
def test_networks_of_one_number_have_the_same_paths_under_both_labels(dataset: str) -> None:
    found = networks(dataset)
    for base in {base for base, _ in found}:
        shared, apart = (found[base, label][0].scenario for label in (True, False))
        assert [one.rtt_ms for one in shared.subflows] == [one.rtt_ms for one in apart.subflows]
        assert [one.access for one in shared.subflows] == [one.access for one in apart.subflows]
        assert shared.links[0] in apart.links
        assert shared.seed != apart.seed


@pytest.mark.parametrize("dataset", CHOICES)
def test_queues_and_rates_are_such_that_runs_end_soon(dataset: str) -> None:
    for run in RUNS[dataset]:
        for link in run.scenario.links:
            rate_mbit_s = link.rate_at_mbit_s(0)
            assert rate_mbit_s <= RANGES.rate_mbit_s[1]
            assert link.queue_bytes <= max(14_400, rate_mbit_s * 125 * 1000)


def test_what_the_simulator_does_not_have_is_refused() -> None:
    connection = RUNS["controllers"][0].scenario.connection
    unknown = Choice("ewtcp"), Choice("lia", "random"), Choice("lia", parameters={"counts": "bytes"})
    for choice in (*unknown, Choice("lia", buffer_kb=16)):
        with pytest.raises(ValidationError):
            choice.applied(connection)
    for setting in ("wide, bulk", "base 1", "lia, base 001, bulk"):
        with pytest.raises(ValueError, match="names no base scenario and no choice"):
            parts_of(setting)


def test_another_choice_leaves_the_runs_of_the_others_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    own = controllers.CHOICES
    monkeypatch.setattr("smartsbd.scenarios.controllers.CHOICES", (*own, Choice("olia", "round_robin")))
    more = datasets.draw("controllers", SETTINGS["controllers"])
    assert len(more) == len(RUNS["controllers"]) // len(own) * (len(own) + 1)
    assert all(run in more for run in RUNS["controllers"])
