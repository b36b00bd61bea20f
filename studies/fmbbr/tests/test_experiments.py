"""Networks of the FMBBR paper: Table II, what each subflow could have alone, and what its paths tell."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from smartsbd.detectors.partition import Partition
from smartsbd.scenarios import simulator
from smartsbd.scenarios.bottleneck_network import HEADER_BYTES
from smartsbd.scenarios.closed_loop import loop_program
from smartsbd.scenarios.scenario import Scenario
from studies.fmbbr.experiments import RIVAL_MBIT_S, DrawsExperiment, FmbbrExperiments, alone_mbit_s
from studies.transfers.tests.project import parameters
from studies.transfers.transfer_experiment import ExperimentRun
from tests.simulator.topology_partition import by_links, by_nodes, ends_of

PARAMS = parameters("fmbbr")


def planned(**changed: Any) -> list[ExperimentRun]:
    own = {key: dict(value) if isinstance(value, dict) else value for key, value in PARAMS.items()}
    for part, values in changed.items():
        own[part] |= values
    return FmbbrExperiments.model_validate(own).planned()


DRAWS = [
    run
    for run in planned(draws={"runs": 10, "rivals": ["limited", "bulk"]})
    if run.experiment == "draws" and run.controller == "bbr"
]


@pytest.mark.parametrize("run", DRAWS, ids=lambda run: f"{run.setting} {run.number}")
def test_a_network_is_one_of_table_ii(run: ExperimentRun) -> None:
    scenario = run.run.scenario
    *own, shared = scenario.links
    rates = [link.rate_at_mbit_s(0) for link in own]
    assert all(10 <= rate <= 25 for rate in rates)
    assert all(10 <= link.delay_ms <= 25 for link in own)
    assert shared.rate_at_mbit_s(0) == pytest.approx(0.8 * (rates[1] + rates[2]))
    assert shared.delay_ms == 15
    assert [subflow.links for subflow in scenario.subflows] == [(0,), (1, 3), (2, 3)]
    assert [subflow.access.loss for subflow in scenario.subflows] == pytest.approx([0.0005, 0.0014995, 0.0014995])
    (rival,) = scenario.background
    assert rival.rate_mbit_s == (RIVAL_MBIT_S if run.setting == "limited rival" else None)
    for link, subflow in zip(own, scenario.subflows, strict=True):
        assert link.queue_bytes == pytest.approx(link.rate_at_mbit_s(0) * 125 * subflow.rtt_ms, abs=1)


def test_networks_of_one_number_differ_in_the_choice_alone() -> None:
    runs = [run for run in planned() if run.experiment == "draws"]
    assert len(runs) == len(DrawsExperiment.choices) == len({run.controller for run in runs})
    unlike = {"congestion_control", "scheduler", "verdicts", "lia_counts"}
    alike = [run.run.scenario.model_dump() for run in runs]
    for one in alike:
        one["connection"] = {key: value for key, value in one["connection"].items() if key not in unlike}
    assert all(one == alike[0] for one in alike)


def test_what_a_subflow_could_have_alone() -> None:
    """The rival's 5 Mbit/s are not to be had on the shared link, where they limit."""
    scenario = DRAWS[0].run.scenario
    links = [
        link.model_copy(update={"rate_mbit_s": ((0.0, rate),)})
        for link, rate in zip(scenario.links, (20, 25, 10, 28), strict=True)
    ]
    payload = 1 - HEADER_BYTES / (scenario.connection.mss_bytes + HEADER_BYTES)
    own = scenario.model_copy(update={"links": tuple(links)})
    assert alone_mbit_s(own) == pytest.approx([20 * payload, 28 * payload - 5, 10 * payload])
    bulk = next(run.run.scenario for run in DRAWS if run.setting == "bulk rival")
    limits = alone_mbit_s(bulk)
    assert limits[1] == pytest.approx(bulk.links[1].rate_at_mbit_s(0) * payload)


def links_seen(scenario: Scenario) -> dict[tuple[str, str], set[int]]:
    """Which subflows pass each link, as captures at its ends tell: server, routers of the backbone, client."""
    seen: dict[tuple[str, str], set[int]] = {}
    for number, subflow in enumerate(scenario.subflows):
        nodes = ["server"]
        for link in subflow.links:
            entry = "backbone" if scenario.links[link].place == "client" else f"before {link}"
            nodes += [entry, f"after {link}"]
        nodes += ["backbone", "client"] if "backbone" not in nodes else ["client"]
        for way in pairwise(nodes):
            seen.setdefault(way, set()).add(number)
    return seen


@pytest.mark.parametrize("by", ["links", "routers"])
def test_paths_are_what_the_oracle_of_captures_tells(by: str, tmp_path: Path) -> None:
    """On a network of Table II, by common links and by common nodes."""
    scenario = DRAWS[0].run.scenario
    changed = scenario.connection.model_dump() | {"verdicts": {"name": "paths", "by": by}}
    connection = type(scenario.connection).model_validate(changed)
    own = scenario.model_copy(update={"connection": connection, "duration_s": 3.0})
    told = loop_program.run(loop_program.build(), own, tmp_path / "scenario.json").verdicts
    assert told is not None
    seen = links_seen(scenario)
    ids = range(len(scenario.subflows))
    due: Partition = by_nodes(list(ids), ends_of(seen)) if by == "routers" else by_links(list(ids), seen)
    assert [one["groups"] for one in told["groups"]] == [list(due)]
    assert due == ((0, 0, 0) if by == "routers" else (0, 1, 1))
    assert json.loads((tmp_path / "scenario.json").read_text())["connection"]["verdicts"]["by"] == by
    simulator.check_program()


def test_another_connection_has_the_same_paths() -> None:
    runs = [run for run in planned(peers={"runs": 1}) if run.experiment == "peers"]
    assert {run.setting for run in runs} == {"beside bbr", "beside fmbbr", "beside lia"}
    for run in runs:
        scenario = run.run.scenario
        assert not scenario.background and scenario.further_connections is not None
        (other,) = scenario.further_connections
        assert [subflow.links for subflow in other.subflows] == [subflow.links for subflow in scenario.subflows]
        assert [subflow.group for subflow in other.subflows] == [0, 1, 1]
