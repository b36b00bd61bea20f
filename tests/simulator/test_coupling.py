"""Groups that are decided while the connection runs: what is the same as given groups is so byte for byte."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.simulator.program import (
    LINE,
    Run,
    Scenario,
    execute,
    link,
    network,
    separate,
    shared,
    simulate,
    simulate_all,
    subflow,
)

SOURCE = "oracle"


def decided(scenario: Scenario, verdicts: Any, controller: Any = "lia") -> Scenario:
    """The same scenario with a source of verdicts and a controller."""
    changed = copy.deepcopy(scenario)
    changed["connection"]["verdicts"] = verdicts
    return under(changed, controller)


def under(scenario: Scenario, controller: Any) -> Scenario:
    changed = copy.deepcopy(scenario)
    changed["connection"]["congestion_control"] = controller
    changed["connection"].pop("lia_counts", None)
    return changed


def three_paths() -> Scenario:
    """Three subflows, of which the last two share a bottleneck; the last one joins late."""
    scenario = separate()
    scenario["subflows"].append(subflow([1], 70.0, 4.0))
    return scenario


def moving(duration: float = 40.0) -> Scenario:
    """A bottleneck that is shared, two, and shared again, for a third of the time each."""
    first, second = round(duration / 3, 1), round(2 * duration / 3, 1)
    links = [link(8.0), link(30.0, place="client"), link(30.0, place="client")]
    links[0]["rate_mbit_s"] = [[0.0, 8.0], [first, 30.0], [second, 8.0]]
    for place, rate in ((1, 5.0), (2, 3.0)):
        links[place]["rate_mbit_s"] = [[0.0, 30.0], [first, rate], [second, 30.0]]
    subflows = [subflow([0, 1], 40.0), subflow([0, 2], 60.0)]
    for index, spec in enumerate(subflows):
        spec["bottleneck"] = [[0.0, 0], [first, index + 1], [second, 0]]
    return network(links, subflows, duration=duration)


def groups_of(events: bytes) -> list[tuple[int, int, int]]:
    """Time in ns, subflow and group of each line that tells of a group."""
    found = re.findall(rb"^(\d+) C=7f3a91c2 SF=(\d) V=GROUP (\d+)$", events, re.MULTILINE)
    return [(int(ns), int(index), int(group)) for ns, index, group in found]


def without_groups(events: bytes) -> bytes:
    return re.sub(rb"^.* V=GROUP .*\n", b"", events, flags=re.MULTILINE)


@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(scenario, id=name, marks=[] if name in ("separate", "moving") else pytest.mark.slow)
        for name, scenario in {
            "shared": shared(),
            "separate": separate(),
            "three": three_paths(),
            "moving": moving(20.0),
        }.items()
    ],
)
@pytest.mark.parametrize(
    "controller",
    [
        "lia",
        *(
            pytest.param(chosen, marks=pytest.mark.slow)
            for chosen in ("olia", {"name": "lia", "mode": "kernel"}, "balia", "wvegas")
        ),
    ],
    ids=["lia", "olia", "lia-kernel", "balia", "wvegas"],
)
def test_fixed_verdicts_are_the_controller_and_reno(controller: Any, scenario: Scenario, tmp_path: Path) -> None:
    """Shared is the coupled controller and apart is Reno, byte for byte, truth and series too, but for groups."""
    scenario = {**scenario, "series_s": 1.0}
    together, apart, coupled, reno = simulate_all(
        tmp_path,
        [
            decided(scenario, "fixed", controller),
            decided(scenario, {"name": "fixed", "groups": "apart"}, controller),
            under(scenario, controller),
            under(scenario, "reno"),
        ],
    )
    assert together == coupled
    assert without_groups(apart.events) == reno.events
    count = len(scenario["subflows"])
    assert sorted((index, group) for _, index, group in groups_of(apart.events)) == [(i, i) for i in range(1, count)]
    truth, expected = apart.truth, reno.truth
    for interval in truth["series"]["intervals"]:
        assert [one.pop("group") for one in interval["subflows"]] == list(range(count))
    for interval in expected["series"]["intervals"]:
        assert {one.pop("group") for one in interval["subflows"]} == {0}
    assert truth == expected


def test_what_a_log_tells_of_groups_comes_before_the_signals(tmp_path: Path) -> None:
    """A subflow's group is told with its first line, and every line fits the grammar."""
    run = simulate(tmp_path, decided(three_paths(), {"name": "fixed", "groups": "apart"}))
    assert all(LINE.fullmatch(line) for line in run.events.decode().splitlines(keepends=True))
    first = {event.subflow: event for event in reversed(run.parse())}
    assert {index: (event.kind, event.value) for index, event in first.items()} == {
        0: ("CA", 0),
        1: ("GROUP", 1),
        2: ("GROUP", 2),
    }


def changes_ns(run: Run) -> list[int]:
    return sorted({ns for ns, _, _ in groups_of(run.events)})


def first_signal_ns(run: Run, from_ns: int) -> int:
    """The first signal from a moment on."""
    return min(event.ns for event in run.parse() if event.ns >= from_ns)


def test_oracle_switches_when_the_truth_does(tmp_path: Path) -> None:
    """At the first signal from the moment on; the groups in the file are those of the log."""
    scenario = decided(moving(), "oracle")
    run = simulate(tmp_path, scenario, "--verdicts=verdicts.json")
    found = json.loads((tmp_path / "verdicts.json").read_text())
    pairs = run.truth["pairs"]
    assert [one["shared"] for one in pairs] == [True, False, True]
    assert [one["from_ns"] for one in found["verdicts"]] == [one["from_ns"] for one in pairs]
    assert [one["groups"] for one in found["verdicts"]] == [[0, 0], [0, 1], [0, 0]]
    assert [one["groups"] for one in found["groups"]] == [[0, 0], [0, 1], [0, 0]]
    assert changes_ns(run) == [one["from_ns"] for one in found["groups"]][1:]
    assert found["held"] == 0
    assert changes_ns(run) == [first_signal_ns(run, one["from_ns"]) for one in pairs[1:]]


def test_a_truth_that_never_changes_is_a_fixed_verdict(tmp_path: Path) -> None:
    runs = simulate_all(
        tmp_path,
        [
            decided(shared(), "oracle"),
            under(shared(), "lia"),
            decided(separate(), "oracle"),
            decided(separate(), {"name": "fixed", "groups": "apart"}),
        ],
    )
    assert runs[0] == runs[1]
    assert runs[2] == runs[3]


def test_a_partition_couples_those_that_share(tmp_path: Path) -> None:
    """Groups that the truth tells are the groups that a scenario may give."""
    scenario = three_paths()
    given = under(scenario, "lia")
    for index, group in enumerate((0, 1, 1)):
        given["subflows"][index]["group"] = group
    told, expected = simulate_all(tmp_path, [decided(scenario, "oracle"), given])
    assert without_groups(told.events) == expected.events
    assert [(index, group) for _, index, group in groups_of(told.events)] == [(1, 1), (2, 1)]


def slow_start(duration: float = 12.0) -> Scenario:
    """Two paths that part while both are in slow start, as nothing is lost for long."""
    scenario = moving(duration)
    links = [link(50.0, 2_000_000), link(50.0, 2_000_000, "client"), link(50.0, 2_000_000, "client")]
    scenario["links"] = links
    for index, spec in enumerate(scenario["subflows"]):
        spec.update(rtt_ms=200.0, bottleneck=[[0.0, 0], [1.2, index + 1]])
    return scenario


@pytest.mark.slow
def test_groups_are_held_in_slow_start(tmp_path: Path) -> None:
    """What is decided while a subflow is in slow start holds once none is; with `open`, not in Recovery either."""
    waits = {}
    for avoidance in ("window", "open"):
        folder = tmp_path / avoidance
        folder.mkdir()
        scenario = decided(slow_start(), {"name": "oracle", "avoidance": avoidance})
        run = simulate(folder, scenario, "--verdicts=verdicts.json")
        found = json.loads((folder / "verdicts.json").read_text())
        assert found["held"] == 1
        (change,) = changes_ns(run)
        lost = [next(event.ns for event in run.parse() if event.kind == "LOSS" and event.subflow == i) for i in (0, 1)]
        assert change >= max(lost) > 1.2e9
        waits[avoidance] = change
    assert waits["open"] > waits["window"]


def test_the_same_scenario_gives_the_same_bytes(tmp_path: Path) -> None:
    scenario = decided(moving(20.0), "oracle")
    found = []
    for name in ("one", "other"):
        folder = tmp_path / name
        folder.mkdir()
        found.append((simulate(folder, scenario, "--verdicts=v"), (folder / "v").read_bytes()))
    assert found[0] == found[1]


def test_costs_are_told_apart_from_everything_else(tmp_path: Path) -> None:
    """Only with --cost, and then the rest is as it was."""
    scenario = decided(moving(20.0), "oracle")
    usual = simulate(tmp_path, scenario, "--verdicts=usual")
    assert simulate(tmp_path, scenario, "--verdicts=measured", "--cost") == usual
    expected, measured = (json.loads((tmp_path / name).read_text()) for name in ("usual", "measured"))
    cost = measured.pop("cost")
    assert measured == expected
    assert cost["signals"]["count"] == len(without_groups(usual.events).splitlines())
    assert cost["decisions"]["count"] == len(expected["verdicts"]) - 1
    for one in cost.values():
        assert 0 < one["worst_ns"] <= one["sum_ns"]


@pytest.mark.parametrize(
    ("verdicts", "options", "message"),
    [
        (None, ["--verdicts=v"], "smartsbd-sim: option --verdicts: the scenario has no source of verdicts\n"),
        ("oracle", ["--verdicts=events"], "smartsbd-sim: option --verdicts names the same file as another\n"),
        ("oracle", ["--cost"], "smartsbd-sim: option --cost needs --verdicts=FILE\n"),
        ("oracle", ["--model=m"], "smartsbd-sim: option --model: no source of verdicts of the scenario takes it\n"),
        ("none", [], 'scenario.json: /connection/verdicts: "none" is not one of fixed, oracle, paths\n'),
        ({"name": "fixed", "groups": "both"}, [], "scenario.json: /connection/verdicts/groups: "),
        ({"name": "fixed", "before": "apart"}, [], "scenario.json: /connection/verdicts/before: unknown key\n"),
    ],
)
def test_what_does_not_suit_is_refused_in_one_line(
    verdicts: Any, options: list[str], message: str, tmp_path: Path
) -> None:
    scenario = shared()
    if verdicts is not None:
        scenario = decided(scenario, verdicts)
    result = execute(tmp_path, json.dumps(scenario), *options)
    assert result.returncode == 2
    assert result.stderr.startswith(message) and result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["scenario.json"]


def test_given_groups_and_verdicts_exclude_each_other(tmp_path: Path) -> None:
    scenario = decided(shared(), "oracle")
    scenario["subflows"][1]["group"] = 1
    result = execute(tmp_path, json.dumps(scenario))
    assert result.returncode == 2
    assert result.stderr == "scenario.json: /subflows/1/group: the connection's verdicts decide on groups\n"


def test_an_unwritable_file_of_verdicts_is_a_failure(tmp_path: Path) -> None:
    result = execute(tmp_path, json.dumps(decided(shared(), "oracle")), "--verdicts=no/such/v")
    assert result.returncode == 1
    assert "no/such/v" in result.stderr and result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["scenario.json"]
