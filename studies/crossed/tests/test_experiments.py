"""Controllers crossed with schedulers: one network under every pair, and transfers are what settings name."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from pydantic import ValidationError

from smartsbd.scenarios.scenario import FiniteTransfer
from studies.crossed.experiments import BASE, CHOICES, RANGES, CrossedExperiments
from studies.transfers.tests.project import parameters
from studies.transfers.transfer_experiment import ExperimentRun

#: What a controller and a scheduler decide.
OWN = ("congestion_control", "lia_counts", "scheduler", "verdicts")


def settings() -> dict[str, Any]:
    found = parameters("crossed", "full")
    found["transfers"]["runs"] = 4
    return found


PLANNED = CrossedExperiments.model_validate(settings()).planned()


def unlike(run: ExperimentRun) -> dict[str, Any]:
    whole = run.run.scenario.model_dump()
    whole["connection"] = {key: value for key, value in whole["connection"].items() if key not in OWN}
    return whole


def test_each_network_is_run_under_every_pair() -> None:
    found = defaultdict(list)
    for run in PLANNED:
        found[run.setting, run.number].append(run)
    assert len(found) == 2 * 2 * 4 * 4
    for runs in found.values():
        assert [run.controller for run in runs] == list(CHOICES)
        assert all(unlike(run) == unlike(runs[0]) for run in runs)
    assert CrossedExperiments.model_validate(settings()).planned() == PLANNED


def test_pairs_are_of_each_controller_and_each_scheduler() -> None:
    assert len(CHOICES) == 9
    assert next(iter(CHOICES)) == BASE == "lia, min_rtt"
    for run in PLANNED:
        connection = run.run.scenario.connection
        name, scheduler = run.controller.split(", ")
        assert connection.scheduler_name == scheduler
        assert connection.controller == ("lia" if name == "smartsbd" else name)
        assert (connection.verdicts == "lag_excess") == (name == "smartsbd")


def test_networks_and_transfers_are_what_settings_name() -> None:
    for run in PLANNED:
        bottlenecks, buffer, task = run.setting.split(", ")
        scenario = run.run.scenario
        assert len(scenario.links) == {"shared": 1, "separate": 2}[bottlenecks]
        assert scenario.connection.receive_buffer_bytes == float(buffer.removesuffix(" kB")) * 1000
        application = scenario.connection.application
        if task == "bulk":
            assert application is None
        else:
            assert isinstance(application, FiniteTransfer)
            assert application.bytes == float(task.removesuffix(" MB")) * 1e6
        assert all(link.rate_at_mbit_s(0) <= RANGES.rate_mbit_s[1] for link in scenario.links)
        assert len(scenario.background) <= len(scenario.links)


def test_what_is_no_experiment_is_refused() -> None:
    own = settings()
    own["transfers"]["bottlenecks"] = ["both"]
    with pytest.raises(ValidationError):
        CrossedExperiments.model_validate(own)
