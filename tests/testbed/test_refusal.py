"""What does not go is refused by the name of its key."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from smartsbd.pipelines.__main__ import main
from smartsbd.scenarios import registry
from smartsbd.scenarios.scenario import Scenario
from smartsbd.scenarios.schema import scenario_schema
from smartsbd.testbed import machine
from smartsbd.testbed.examples import FOLDER, example
from smartsbd.testbed.refusal import refusals

AVAILABLE = {"reno", "cubic"}


def changed(name: str, **changes: Any) -> Scenario:
    """An example with other values, each by its place, such as `subflows__0__rtt_ms`."""
    content = json.loads((FOLDER / f"{name}.json").read_text())
    for place, value in changes.items():
        *parts, last = (int(part) if part.isdigit() else part for part in place.split("__"))
        inner = content
        for part in parts:
            inner = inner[part]
        inner[last] = value
    return Scenario.model_validate(content)


@pytest.mark.parametrize(
    ("changes", "controller", "words"),
    [
        ({}, "lia", "connection/congestion_control: this kernel has no lia, it has cubic, reno"),
        ({}, "bbr", "connection/congestion_control: this kernel has no bbr"),
        ({}, "sbd_smart", "connection/congestion_control: this kernel has no sbd_smart, it has cubic, reno"),
        ({"connection__scheduler": "round_robin"}, "reno", "connection/scheduler: Linux has no round_robin"),
        ({"subflows__1__start_s": 0.5}, "reno", "subflows/1/start_s: is before that of the subflow before"),
        ({"subflows__0__rtt_ms": 2.0}, "reno", "subflows/0/rtt_ms: is too short for the delays of its links"),
        ({"subflows__1__links": [1]}, "reno", "subflows/1/links: there are 1 links"),
        ({"subflows__1__links": [0, 0]}, "reno", "subflows/1/links: must be at most one server link"),
        ({"subflows__1__bottleneck": [[0, 0], [30, 0]]}, "reno", "subflows/1/bottleneck: times must be 0 first"),
        ({"subflows__1__start_s": 99}, "reno", "subflows/1/start_s: must be less than duration_s"),
        ({"links__0__rate_mbit_s": [[1, 5]]}, "reno", "links/0/rate_mbit_s: times must be 0 first"),
        ({"background__0__subflow": 2}, "reno", "background/0/subflow: there are 2 subflows"),
        ({"background__0__kind": "web"}, "reno", "background/0/rate_mbit_s: web needs a rate"),
        ({"background__0__rtt_ms": 1.0}, "reno", "background/0/rtt_ms: is too short"),
        ({"background__0__start_s": 26}, "reno", "background/0/start_s: must be less than duration_s"),
        ({"links__0__queue_discipline": "fq_codel"}, "reno", "links/0/queue_discipline: only the simulator has this"),
        (
            {"background__0__leaves": "first_link", "background__0__enters": "access"},
            "reno",
            "background/0/leaves: there is no link behind which it could leave",
        ),
    ],
)
def test_it_is_named(changes: dict[str, Any], controller: str, words: str) -> None:
    (found,) = refusals(changed("shared", **changes), controller, AVAILABLE)
    assert found.startswith(words)


def test_all_are_named_at_once() -> None:
    scenario = changed("separate", connection__scheduler="round_robin", subflows__1__links=[0])
    assert [one.partition(":")[0] for one in refusals(scenario, "lia", {"reno"})] == [
        "connection/congestion_control",
        "connection/scheduler",
        "background/1/kind",
        "links/1",
        "subflows/1/bottleneck",
    ]


def test_what_only_the_simulator_has() -> None:
    """Each key is named; a scheduler with parameters is known by its name."""
    content = json.loads((FOLDER / "shared.json").read_text())
    content["series_s"] = 1.0
    own = {key: content["subflows"][0][key] for key in ("links", "start_s", "rtt_ms", "access")}
    content["further_connections"] = [{"congestion_control": "lia", "scheduler": "min_rtt", "subflows": [own]}]
    content["subflows"][1] |= {"group": 0, "delay_changes_ms": [[2.0, 30.0]]}
    content["subflows"][1]["access"]["loss_changes"] = [[2.0, 0.01]]
    radio = {"kind": "802.11n", "rate_mbit_s": 6, "distance_m": 0, "speed_m_s": 0}
    kept = {key: content["subflows"][0]["access"][key] for key in ("queue_bytes", "loss", "jitter_ms")}
    content["subflows"][0]["access"] = radio | kept
    content["connection"] |= {"scheduler": {"name": "min_rtt"}, "application": {"kind": "transfer", "bytes": 30_000}}
    content["connection"]["segments_per_ack"] = 4
    content["links"][0]["queue_discipline"] = "red"
    content["background"][0] |= {"stop_s": 5.0, "kind": "vegas", "leaves": "first_link", "direction": "back"}
    found = refusals(Scenario.model_validate(content), "cubic", AVAILABLE)
    assert [one.partition(":")[0] for one in found] == [
        "series_s",
        "further_connections",
        "connection/application/bytes",
        "connection/segments_per_ack",
        "links/0/queue_discipline",
        "subflows/0/access/kind",
        "subflows/1/group",
        "subflows/1/delay_changes_ms",
        "subflows/1/access/loss_changes",
        "background/0/kind",
        "background/0/stop_s",
        "background/0/direction",
    ]


@pytest.mark.parametrize("name", ["sbd_none", "dctcp-none", "a_name_longer_than_any"])
def test_a_controller_that_the_kernel_has_not_is_one_line_and_nothing_is_made(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = json.loads((FOLDER / "shared.json").read_text())
    words = ["testbed", str(tmp_path / "asked.json"), "--out", str(tmp_path / "out")]
    for of_scenario, of_option in ((name, []), ("cubic", ["--congestion-control", name])):
        content["connection"]["congestion_control"] = of_scenario
        (tmp_path / "asked.json").write_text(json.dumps(content))
        assert main([*words, *of_option]) == 3
        said = capsys.readouterr().err
        assert f"connection/congestion_control: this kernel has no {name}, it has " in said and said.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["asked.json"]


@pytest.mark.parametrize("name", ["sbd_smart", "sbd_lia", "bbr", "reno"])
def test_a_scenario_names_any_controller_that_the_kernel_has(name: str) -> None:
    scenario = changed("shared", connection__congestion_control=name)
    assert scenario.connection.controller == name
    assert refusals(scenario, name, {"reno", name}) == []
    # The simulator's program refuses what it has not: its schema does not name it.
    assert (name in json.dumps(scenario_schema())) is (name in registry.names("congestion_control"))
    assert registry.parameter("congestion_control", name, "agent") is None


def test_what_is_a_module_is_loaded_before_the_kernel_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = tmp_path / "listed"
    listed.write_text("reno cubic\n")
    asked = []

    class _Socket(socket.socket):
        def setsockopt(self, *words: Any) -> None:
            asked.append(words)
            if words[2] == b"sbd_none":
                raise FileNotFoundError
            listed.write_text(f"{listed.read_text().strip()} {words[2].decode()}\n")

    monkeypatch.setattr(machine, "_CONTROLLERS", listed)
    monkeypatch.setattr(socket, "socket", _Socket)
    assert machine.controllers({"bbr", "cubic", "sbd_none"}) == {"reno", "cubic", "bbr"}
    assert sorted(name for _, _, name in asked) == [b"bbr", b"sbd_none"]
    assert {words[:2] for words in asked} == {(socket.IPPROTO_TCP, socket.TCP_CONGESTION)}


@pytest.mark.parametrize("every", [1, 65, -4, 0, 2.5, float("nan"), float("inf")])
def test_acks_are_thinned_within_bounds(every: float) -> None:
    with pytest.raises(ValidationError, match="ack_every"):
        changed("shared", subflows__0__ack_every=every)


def test_the_way_back_and_codel_go() -> None:
    content = json.loads((FOLDER / "shared.json").read_text())
    content["links"][0] |= {"queue_discipline": "codel", "back": {"rate_mbit_s": 2.0, "queue_bytes": 20_000}}
    place = content["links"][0]["place"]
    content["background"][0] |= {"leaves": "first_link", "direction": "back", "enters": place}
    assert refusals(Scenario.model_validate(content), "cubic", AVAILABLE) == []


def test_a_connection_of_one_subflow_is_simulated_alone() -> None:
    """It has no pair that could be judged."""
    content = json.loads((FOLDER / "shared.json").read_text())
    del content["subflows"][1]
    content["background"] = [flow for flow in content["background"] if flow["subflow"] == 0]
    (found,) = refusals(Scenario.model_validate(content), "cubic", AVAILABLE)
    assert found == "subflows: a connection of one has no pair to judge, only the simulator has it"


def test_the_command_says_so_and_makes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads((FOLDER / "shared.json").read_text())
    content["connection"]["scheduler"] = "round_robin"
    (tmp_path / "robin.json").write_text(json.dumps(content))
    assert main(["testbed", str(tmp_path / "robin.json"), "--out", str(tmp_path / "out")]) == 3
    assert "connection/scheduler: Linux has no round_robin" in capsys.readouterr().err
    content["colour"] = 1
    (tmp_path / "robin.json").write_text(json.dumps(content))
    assert main(["testbed", str(tmp_path / "robin.json"), "--out", str(tmp_path / "out")]) == 3
    assert "colour: Extra inputs are not permitted" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["robin.json"]


def test_examples_go() -> None:
    for path in FOLDER.glob("*.json"):
        assert refusals(example(path.stem), "cubic", AVAILABLE) == []
