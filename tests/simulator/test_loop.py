"""The exported C and the baseline detectors in the running simulation: their verdicts are those of a replay."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Container, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

from smartsbd.detectors import DETECTORS, replayed
from smartsbd.detectors.event import events_of
from smartsbd.detectors.verdict import coupling
from smartsbd.features import connection_pairs
from smartsbd.scenarios import registry, simulator
from smartsbd.traces import recording
from smartsbd.traces.dialect import Dialect
from tests.night import few_now
from tests.simulator.program import (
    SIMULATOR,
    Run,
    Scenario,
    execute,
    link,
    loop_program,
    network,
    separate,
    shared,
    simulate,
    subflow,
)
from tests.simulator.test_coupling import changes_ns, decided, groups_of, moving, three_paths, under, without_groups

EXPORT = SIMULATOR.parent / "export"
MODEL_FILE = EXPORT / "generated" / "forest_invariant.sbd"
MODELS = ["tree_paper", "tree_invariant", "forest_invariant", "file"]
#: Sources by the detectors that they are.
DETECTOR = {
    "common_lag": "common-lag",
    "correlation": "correlation",
    "dwc_r": "dwc-r",
    "emptcp_r": "emptcp-r",
    "lag_excess": "lag-excess",
    "mptcp_sbd": "mptcp-sbd",
    "rfc8382": "rfc8382",
    "ton20_r": "ton20-r",
}
SOURCES = [*MODELS, *DETECTOR]
WINDOW_RTTS = 50


def lasting(scenario: Scenario, duration: float = 40.0) -> Scenario:
    return {**scenario, "duration_s": duration}


def marked() -> Scenario:
    """Separate bottlenecks that mark packets."""
    scenario = copy.deepcopy(separate())
    scenario["connection"]["ecn"] = True
    for one in scenario["links"]:
        one["mark_bytes"] = one["queue_bytes"] // 3
    return scenario


def five_paths() -> Scenario:
    """Two groups of bottlenecks, of three and of two subflows."""
    scenario = separate()
    scenario["subflows"] += [subflow([0], 45.0, 1.5), subflow([1], 70.0, 2.0), subflow([0], 90.0, 2.5)]
    return scenario


SCENARIOS = {
    "shared": lasting(shared()),
    "separate": lasting(separate()),
    "moving": moving(60.0),
    "three": lasting(three_paths()),
    "five": lasting(five_paths()),
    "marked": lasting(marked()),
}


#: The source that a sender takes by default.
DEFAULT = "lag_excess"


def on_scenarios(sources: Iterable[str], now: Container[tuple[str, str]]) -> list[ParameterSet]:
    """Return each source with each scenario; a change waits for some of them."""
    return [
        pytest.param(source, scenario, id=f"{source}-{name}", marks=[] if (source, name) in now else pytest.mark.slow)
        for source in sources
        for name, scenario in SCENARIOS.items()
    ]


@dataclass(frozen=True)
class Looped:
    """A run with a source of verdicts, and what its file of verdicts says."""

    run: Run
    told: dict[str, Any]


def looped(folder: Path, scenario: Scenario, verdicts: Any, *options: str, controller: Any = "lia") -> Looped:
    folder.mkdir(parents=True, exist_ok=True)
    name = verdicts["name"] if isinstance(verdicts, dict) else verdicts
    model = [f"--model={MODEL_FILE}"] if name == "file" else []
    run = simulate(folder, decided(scenario, verdicts, controller), "--verdicts=verdicts.json", *model, *options)
    return Looped(run, json.loads((folder / "verdicts.json").read_text()))


@pytest.fixture(scope="module")
def replay_programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """For each model the command that replays a log."""
    folder = tmp_path_factory.mktemp("replay")
    commands: dict[str, list[Any]] = {}
    for name in MODELS:
        program = folder / name
        model = [] if name == "file" else [f"-DSBD_MODEL=sbd_{name}"]
        source = [str(EXPORT / "programs" / "replay.c"), "-o", str(program)]
        subprocess.run(["gcc", "-O2", "-I", str(EXPORT / "generated"), *model, *source], check=True)
        commands[name] = [program, "-f", *([MODEL_FILE] if name == "file" else [])]
    return commands


def window_lines(told: dict[str, Any]) -> str:
    """What the replay program prints of windows, features and groups."""
    token, lines = told["token"], []
    for one in told["verdicts"]:
        features = "".join(f" {name}={value}" for name, value in one["features"].items())
        place = f"{one['subflow_a']},{one['subflow_b']} {one['window_start_ns']} {one['window_ns']}"
        lines.append(f"C={token} SF={place} {'SB' if one['shared'] else 'NSB'}{features}\n")
    groups = " ".join(f"{index}:{'-' if group is None else group}" for index, group in told["last_groups"].items())
    return "".join(lines) + f"C={token} GROUPS {groups}\n"


@pytest.mark.parametrize(
    ("source", "scenario"), on_scenarios(MODELS, now={("tree_paper", "moving"), ("forest_invariant", "three")})
)
def test_windows_are_those_of_the_replay_program(
    source: str, scenario: Scenario, replay_programs: dict[str, list[Any]], tmp_path: Path
) -> None:
    """Every window with its place, features and verdict, the groups at the end, and all counts."""
    one = looped(tmp_path, scenario, source)
    done = subprocess.run(replay_programs[source], input=one.run.events, capture_output=True, check=True)
    assert window_lines(one.told) == done.stdout.decode()
    assert len(one.told["verdicts"]) > 5
    counts = dict(re.findall(r"(decided|rejected|missed|refused) (\d+)", done.stderr.decode()))
    assert len(counts) == 4
    assert counts == {name: str(one.told[name]) for name in counts}
    left_out = re.search(r"left out (\d+)", done.stderr.decode())
    assert left_out
    others = [event for event in one.run.parse() if event.kind not in {"RTT", "ACK", "CA"}]
    assert int(left_out[1]) == len(others) >= len(groups_of(one.run.events)) > 0


@cache
def python_opinions(events: bytes, folder: Path, name: str) -> list[tuple[int, list[int | None]]]:
    """What the Python detector says of a log."""
    (folder / "events.log").write_bytes(events)
    trace = recording.read(folder / "events.log", Dialect()).trace
    assert not trace.refused()
    (connection,) = trace.connections
    kind = DETECTORS[name]
    detector = kind.build(kind.presets[kind.default])
    told = events_of(*connection_pairs.rows(connection), detector.kinds)
    opinions = replayed(detector, sorted(connection.subflows), told, connection.span_ns()[1])
    return [(one.time_ns, list(one.partition)) for one in opinions]


def opinions_of(told: dict[str, Any]) -> list[tuple[int, list[int | None]]]:
    return [(one["from_ns"], one["groups"]) for one in told["verdicts"]]


@pytest.mark.parametrize(
    ("source", "scenario"),
    on_scenarios(
        DETECTOR, now={(DEFAULT, "moving"), ("common_lag", "moving"), ("common_lag", "three"), ("rfc8382", "three")}
    ),
)
def test_partitions_are_those_of_the_python_detector(source: str, scenario: Scenario, tmp_path: Path) -> None:
    """At the same times, on the run's own log, whatever the loop did."""
    one = looped(tmp_path, scenario, source)
    assert opinions_of(one.told) == python_opinions(one.run.events, tmp_path, DETECTOR[source])
    marks = DETECTOR[source] == "emptcp-r"
    assert one.told["verdicts"] or (marks and not scenario["connection"]["ecn"])


def test_marks_are_the_signal_that_was_chosen(tmp_path: Path) -> None:
    """TON20-R by marks is the Python detector with the preset of that name."""
    one = looped(tmp_path, lasting(marked()), {"name": "ton20_r", "signal": "ecn"})
    kind = DETECTORS["ton20-r"]
    (connection,) = recording.read(tmp_path / "events", Dialect()).trace.connections
    detector = kind.build(kind.presets["ecn"])
    told = events_of(*connection_pairs.rows(connection), detector.kinds)
    expected = replayed(detector, [0, 1], told, connection.span_ns()[1])
    assert opinions_of(one.told) == [(each.time_ns, list(each.partition)) for each in expected] != []


@pytest.mark.slow
@pytest.mark.parametrize("source", few_now(SOURCES, now=[DEFAULT]))
def test_before_the_first_verdict_the_run_is_a_coupled_one(source: str, tmp_path: Path) -> None:
    """Up to the first change of groups, byte for byte; with `before` apart, it is Reno's up to the second."""
    scenario = SCENARIOS["separate"]
    for before, controller in (("coupled", "lia"), ("apart", "reno")):
        one = looped(tmp_path / before, scenario, {"name": source, "before": before})
        (tmp_path / controller).mkdir()
        expected = simulate(tmp_path / controller, under(scenario, controller)).events
        change = rb"^(?=.* V=GROUP 0\n)" if before == "apart" else rb"^(?=.* V=GROUP)"
        begins = re.split(change, one.run.events, maxsplit=1, flags=re.MULTILINE)[0]
        assert expected.startswith(without_groups(begins))
        assert len(begins.splitlines()) > 50
        assert one.told["groups"][0]["groups"] == [0, int(before == "apart")]


def test_a_model_file_is_the_header_of_its_model(tmp_path: Path) -> None:
    """The same log, windows and groups."""
    header, file = (looped(tmp_path / source, SCENARIOS["moving"], source) for source in ("forest_invariant", "file"))
    assert header.run == file.run
    assert header.told == file.told | {"source": "forest_invariant"}


def known_verdicts(told: dict[str, Any]) -> list[tuple[int, bool]]:
    """Time and verdict of everything that was said of two subflows while the connection ran."""
    if "judgements" in told:
        judgements = [one for one in told["judgements"] if one["said"] in {"shared", "apart"}]
        return [(one["decided_ns"], one["said"] == "shared") for one in judgements]
    return [(one["decided_ns"], one["shared"]) for one in told["verdicts"] if "after_end" not in one]


def larger_least_rtt_ns(run: Run, until_ns: int) -> int:
    """The larger one of the subflows' least RTTs up to a time."""
    least: dict[int, int] = {}
    for event in run.parse():
        if event.kind == "RTT" and event.ns <= until_ns:
            least[event.subflow] = min(event.value, least.get(event.subflow, event.value))
    return 1000 * max(least.values())


def due_changes(one: Looped, hold_windows: float, *, majority: bool) -> list[tuple[int, int]]:
    """When groups of two subflows are due to change, and to what: the rules once more, verdict by verdict."""
    signals = sorted({event.ns for event in one.run.parse() if event.kind != "GROUP"})
    last: list[bool] = []
    changes, group = [], 0
    verdicts = known_verdicts(one.told)
    for place, (time_ns, shared_now) in enumerate(verdicts):
        last = [*last, shared_now][-3:]
        holds = sum(last) >= 2 if majority and len(last) == 3 else shared_now
        until_ns = time_ns + int(hold_windows * WINDOW_RTTS * larger_least_rtt_ns(one.run, time_ns))
        following_ns = verdicts[place + 1][0] if place + 1 < len(verdicts) else signals[-1] + 1
        if group != int(not holds):
            group = int(not holds)
            changes.append((time_ns, group))
        ended = [ns for ns in signals if until_ns < ns < following_ns]
        if group and ended:
            group = 0
            changes.append((ended[0], group))
    return changes


@pytest.mark.slow
@pytest.mark.parametrize("hysteresis", ["none", "majority"])
@pytest.mark.parametrize("hold_windows", [0.3, 4.0])
@pytest.mark.parametrize("source", [DEFAULT, "tree_paper", "tree_invariant"])
def test_verdicts_hold_as_long_as_they_are_to(
    source: str, hold_windows: float, hysteresis: str, tmp_path: Path
) -> None:
    """Groups change with the verdict that holds, and back to coupled when it has held for so many windows."""
    scenario = SCENARIOS["moving"]
    verdicts = {"name": source, "hold_windows": hold_windows, "hysteresis": hysteresis}
    one = looped(tmp_path, scenario, verdicts)
    assert one.told["held"] == 0
    expected = due_changes(one, hold_windows, majority=hysteresis == "majority")
    found = [(epoch["from_ns"], epoch["groups"][1]) for epoch in one.told["groups"]][1:]
    assert found == expected != []
    assert changes_ns(one.run) == [ns for ns, _ in found]


def with_wide_links_from(widened_s: float, rate_mbit_s: float, duration: float) -> Scenario:
    """Two bottlenecks of their own, of which no queue is left once they widen: the application gives data at a rate."""
    links = [link(4.0, 40000), link(3.0, 30000, "client")]
    for one in links:
        one["rate_mbit_s"] = [[0.0, 50.0]] if widened_s == 0 else [*one["rate_mbit_s"], [widened_s, 50.0]]
    subflows = [subflow([0], 24.0), subflow([1], 30.0, 0.6)]
    application = {"kind": "rate", "rate_mbit_s": rate_mbit_s}
    return network(links, subflows, duration=duration, application=application, scheduler="round_robin")


@pytest.mark.parametrize("hold_windows", [1.0, 4.0])
def test_what_is_unknown_is_coupled_once_evidence_is_old(hold_windows: float, tmp_path: Path) -> None:
    """Groups stay as they are for so many windows from the last samples with a queue on, then all are coupled."""
    verdicts = {"name": "common_lag", "hold_windows": hold_windows}
    one = looped(tmp_path, with_wide_links_from(10.0, 6.5, duration=20.0), verdicts)
    known = [said for _, said in known_verdicts(one.told)]
    later = one.told["judgements"][len(known) :]
    assert set(known) == {False} and {each["said"] for each in later} == {"no_queue"}
    evidence_ns = max(each["decided_ns"] for each in one.told["judgements"][: len(known)] if each["speaks"])
    assert evidence_ns < later[0]["decided_ns"]
    until_ns = evidence_ns + int(hold_windows * WINDOW_RTTS * larger_least_rtt_ns(one.run, later[0]["decided_ns"]))
    apart, again = one.told["groups"][1:]
    assert (apart["groups"], again["groups"]) == ([0, 1], [0, 0])
    assert again["from_ns"] == min(event.ns for event in one.run.parse() if event.ns > until_ns)


def test_a_run_that_begins_without_queues_stays_coupled(tmp_path: Path) -> None:
    """Neither path shows a queue, so nothing can be known."""
    one = looped(tmp_path, with_wide_links_from(0.0, 2.0, duration=10.0), "common_lag")
    assert {each["said"] for each in one.told["judgements"]} == {"no_queue"}
    assert [each["groups"] for each in one.told["groups"]] == [[0, 0]]
    assert changes_ns(one.run) == []


def by_odds(epsilon: float, **parameters: float) -> dict[str, Any]:
    return {"name": "common_lag", "coupling": "odds", "epsilon": epsilon, **parameters}


@pytest.mark.parametrize(
    ("name", "epsilon", "controller"), [("shared", 0.0, "lia"), ("five", 0.0, "lia"), ("separate", 1.0, "reno")]
)
def test_where_nothing_may_be_lost_it_is_lia_and_where_all_may_be_it_is_reno(
    name: str, epsilon: float, controller: str, tmp_path: Path
) -> None:
    """Packet by packet."""
    scenario = {**SCENARIOS[name], "duration_s": 15.0}
    mixed = looped(tmp_path / "mixed", scenario, by_odds(epsilon))
    plain = simulate(tmp_path, under(scenario, controller))
    assert without_groups(mixed.run.events) == without_groups(plain.events)
    assert mixed.told["judgements"]


def test_odds_couple_by_each_score(tmp_path: Path) -> None:
    """Subflows have what their score allows, and before the first one what odds of 1 allow."""
    one = looped(tmp_path, {**SCENARIOS["separate"], "duration_s": 20.0}, by_odds(0.1))
    scores = [each["score_q10"] for each in one.told["judgements"] if each["speaks"]]
    expected = [coupling.theta_q10(score_q10, 102) for score_q10 in (0, *scores)]
    found = [each["theta_q10"] for each in one.told["thetas"]]
    assert found[0] == [expected[0]] * 2
    assert {a for a, _ in found} <= set(expected) and all(a == b for a, b in found)
    assert coupling.APART_Q10 in expected and one.told["groups"][-1]["groups"] == [0, 1]


def test_by_odds_a_subflow_has_the_least_of_its_pairs_in_its_set(tmp_path: Path) -> None:
    one = looped(tmp_path, SCENARIOS["five"], by_odds(0.1))
    pairs = {
        (each["subflow_a"], each["subflow_b"]): coupling.theta_q10(each["score_q10"], 102, subflows=5)
        for each in one.told["judgements"]
        if each["speaks"]
    }
    groups, found = one.told["groups"][-1]["groups"], one.told["thetas"][-1]["theta_q10"]
    within = {pair: theta for pair, theta in pairs.items() if groups[pair[0]] == groups[pair[1]]}
    assert all(theta == coupling.APART_Q10 for pair, theta in pairs.items() if pair not in within)
    for place, theta_q10 in enumerate(found):
        of_pairs = [theta for pair, theta in within.items() if place in pair]
        assert theta_q10 == min(of_pairs, default=coupling.APART_Q10)
    assert 1 < len(set(groups)) < 5


def test_what_is_coupled_by_odds_is_coupled_once_evidence_is_old(tmp_path: Path) -> None:
    one = looped(tmp_path, with_wide_links_from(0.0, 2.0, duration=10.0), by_odds(0.1, hold_windows=1.0))
    assert [each["theta_q10"] for each in one.told["thetas"]] == [[coupling.theta_q10(0, 102)] * 2, [0, 0]]


@pytest.mark.slow
def test_a_wait_of_more_windows_leaves_more_time_apart(tmp_path: Path) -> None:
    """What is decided matters: runs differ by how long verdicts hold."""
    runs = [
        looped(tmp_path / str(hold), SCENARIOS["separate"], {"name": "tree_paper", "hold_windows": hold})
        for hold in (0.3, 4.0)
    ]
    assert len(changes_ns(runs[0].run)) > len(changes_ns(runs[1].run))


@pytest.mark.parametrize("source", few_now(registry.names("verdicts"), now=[DEFAULT, "file"]))
def test_every_source_gives_the_same_bytes_again(source: str, tmp_path: Path) -> None:
    """In two processes, with OLIA as the coupled half; the series has the groups of the file."""
    scenario = {**SCENARIOS["three"], "duration_s": 20.0, "series_s": 1.0}
    one, other = (looped(tmp_path / name, scenario, source, controller="olia") for name in ("one", "other"))
    assert (one.run, one.told) == (other.run, other.told)
    assert one.told["source"] == source
    last = one.run.truth["series"]["intervals"][-1]["subflows"]
    assert [each["group"] for each in last] == one.told["groups"][-1]["groups"]


@pytest.mark.parametrize(
    ("verdicts", "options", "message"),
    [
        ("file", [], "smartsbd-loop: option --model=FILE is missing\n"),
        (
            "lag_excess",
            ["--model=m"],
            "smartsbd-loop: option --model: no source of verdicts of the scenario takes it\n",
        ),
        ("file", ["--model=none.sbd"], "none.sbd: cannot be read\n"),
        ("file", ["--model=."], ".: "),
        ("file", ["--model=scenario.json"], "scenario.json: refused, "),
        ({"name": "lag_excess", "tiles": 3}, [], "scenario.json: /connection/verdicts/tiles: unknown key\n"),
        ({"name": "tree_paper", "hysteresis": "all"}, [], "scenario.json: /connection/verdicts/hysteresis: "),
        ({"name": "tree_paper", "hold_windows": -1}, [], "scenario.json: /connection/verdicts/hold_windows: "),
    ],
)
def test_what_does_not_suit_is_refused_in_one_line(
    verdicts: Any, options: list[str], message: str, tmp_path: Path
) -> None:
    result = execute(tmp_path, json.dumps(decided(shared(), verdicts)), *options, program=loop_program())
    assert result.returncode == 2
    assert result.stderr.startswith(message) and result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["scenario.json"]


@pytest.mark.parametrize("at", [0, 30, 2000, -1])
def test_a_damaged_model_file_is_refused_in_one_line(at: int, tmp_path: Path) -> None:
    damaged = bytearray(MODEL_FILE.read_bytes())
    damaged[at] ^= 1
    (tmp_path / "model.sbd").write_bytes(damaged)
    options = ["--model=model.sbd", "--verdicts=v"]
    result = execute(tmp_path, json.dumps(decided(shared(), "file")), *options, program=loop_program())
    assert (result.returncode, result.stdout) == (2, "")
    assert re.fullmatch(r"model\.sbd: refused, .*\n", result.stderr)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.sbd", "scenario.json"]


def test_the_plain_program_has_no_source_of_export(tmp_path: Path) -> None:
    result = execute(tmp_path, json.dumps(decided(shared(), "lag_excess")))
    assert result.returncode == 2
    assert result.stderr == 'scenario.json: /connection/verdicts: "lag_excess" is not one of fixed, oracle, paths\n'


def test_without_verdicts_it_is_the_plain_program(tmp_path: Path) -> None:
    for scenario in (shared(), marked(), moving(20.0)):
        plain = simulate(tmp_path, scenario)
        result = execute(tmp_path, json.dumps(scenario), program=loop_program())
        assert (result.returncode, result.stderr) == (0, "")
        assert Run((tmp_path / "events").read_bytes(), (tmp_path / "truth.json").read_bytes()) == plain


def test_costs_are_counted(tmp_path: Path) -> None:
    """A signal each line, a decision each moment at which windows were judged; nothing else is another."""
    usual = looped(tmp_path / "usual", SCENARIOS["separate"], "tree_invariant")
    measured = looped(tmp_path / "measured", SCENARIOS["separate"], "tree_invariant", "--cost")
    cost = measured.told.pop("cost")
    assert measured == usual
    assert cost["signals"]["count"] == len(without_groups(usual.run.events).splitlines())
    assert cost["decisions"]["count"] == len({time_ns for time_ns, _ in known_verdicts(usual.told)})
    assert 0 < cost["decisions"]["worst_ns"] <= cost["decisions"]["sum_ns"]


def test_version_names_both_digests() -> None:
    """Those of the simulator's sources, and those of the loop, of the headers and of the detectors."""
    shown = subprocess.run([loop_program(), "--version"], capture_output=True, text=True, check=True).stdout
    detectors = SIMULATOR.parent / "detectors"
    parts = [SIMULATOR / "loop", detectors / "in_c"]
    files = [path for part in parts for path in part.rglob("*") if path.is_file()]
    for headers in (EXPORT / "generated", detectors / "verdict", detectors / "active"):
        files += headers.glob("*.h")
    named = sorted(files, key=lambda path: os.path.relpath(path, SIMULATOR).encode())
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in named)).hexdigest()[:16]
    assert shown == f"smartsbd-loop 0.1.0 sources={simulator.source_digest()} loop={digest}\n"


def test_other_sources_of_the_simulator_are_a_reason_to_build_it(tmp_path: Path) -> None:
    """What is not of the loop is in an object named by its sources: where that is missing, the program is older."""
    command = ["make", "--question", "--silent", "-C", str(SIMULATOR), f"LOOP={loop_program()}", "loop"]
    results = [
        subprocess.run([*command, f"PREFIX={prefix}"], capture_output=True, check=False).returncode
        for prefix in (sys.prefix, tmp_path)
    ]
    assert results == [0, 1]


def test_the_plain_program_is_built_without_export(tmp_path: Path) -> None:
    """Nothing that `make all` needs lies in export/ or in simulator/loop/."""
    command = ["make", "--dry-run", "--always-make", "-C", str(SIMULATOR), f"PREFIX={sys.prefix}", f"BUILD={tmp_path}"]
    shown = subprocess.run([*command, "all"], capture_output=True, text=True, check=True).stdout
    assert "verdicts/oracle" in shown
    assert not re.search(r"exported|generated|baselines|loop-program", shown)
