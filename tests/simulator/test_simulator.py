"""The simulator's program, run as a user runs it."""

import copy
import hashlib
import json
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(sys.prefix) / "bin" / "smartsbd-sim"
SIMULATOR = Path(__file__).resolve().parents[2] / "simulator"
LINE = re.compile(r"(\d+) C=7f3a91c2 SF=(\d) V=(CA|ACK|DUP|RTT|OWD|ECE|DACK|LOSS) (\d+)\n")
RECOVERY, LOSS = 3, 4

Scenario = dict[str, Any]


@dataclass(frozen=True)
class Event:
    """One event line."""

    ns: int
    subflow: int
    kind: str
    value: int


@dataclass(frozen=True)
class Run:
    """What one run wrote."""

    events: bytes
    truth_bytes: bytes

    @property
    def truth(self) -> dict[str, Any]:
        truth: dict[str, Any] = json.loads(self.truth_bytes)
        return truth

    def parse(self) -> list[Event]:
        """Every line, each of which must match the grammar."""
        events = []
        for line in self.events.decode("ascii").splitlines(keepends=True):
            match = LINE.fullmatch(line)
            assert match, line
            ns, subflow, kind, value = match.groups()
            events.append(Event(int(ns), int(subflow), kind, int(value)))
        return events


def access(rate: float, loss: float, jitter: float) -> dict[str, Any]:
    return {"rate_mbit_s": rate, "queue_bytes": 300000, "loss": loss, "jitter_ms": jitter}


def shared(loss: float = 0.001) -> Scenario:
    """Two unlike paths through one bottleneck, and background traffic on their access links."""
    return {
        "seed": 17,
        "duration_s": 12.0,
        "connection": {
            "token": "7f3a91c2",
            "congestion_control": "lia",
            "mss_bytes": 1400,
            "receive_buffer_bytes": 4194304,
        },
        "bottlenecks": [{"rate_mbit_s": 8.0, "delay_ms": 1.0, "queue_bytes": 60000}],
        "subflows": [
            {
                "path": "wifi",
                "bottleneck": 0,
                "start_s": 1.0,
                "rtt_ms": 24.0,
                "access": access(30.0, loss, 2.0),
            },
            {
                "path": "lte",
                "bottleneck": 0,
                "start_s": 1.1,
                "rtt_ms": 60.0,
                "access": access(20.0, loss, 5.0),
            },
        ],
        "background": [
            {
                "subflow": 0,
                "enters": "access",
                "rate_mbit_s": 3.5,
                "congestion_control": "reno",
                "start_s": 0.2,
                "rtt_ms": 40.0,
            },
            {
                "subflow": 1,
                "enters": "access",
                "rate_mbit_s": None,
                "congestion_control": "cubic",
                "start_s": 0.3,
                "rtt_ms": 50.0,
            },
        ],
    }


def separate(loss: float = 0.001) -> Scenario:
    """The same paths through a bottleneck each, which the background traffic crosses too."""
    scenario = shared(loss)
    scenario["bottlenecks"] = [
        {"rate_mbit_s": 7.0, "delay_ms": 1.0, "queue_bytes": 50000},
        {"rate_mbit_s": 3.0, "delay_ms": 1.0, "queue_bytes": 30000},
    ]
    scenario["subflows"][1]["bottleneck"] = 1
    scenario["background"][0]["enters"] = "bottleneck"
    scenario["background"][1].update(enters="bottleneck", rate_mbit_s=1.0, rtt_ms=80.0)
    return scenario


def execute(directory: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Run the program in a directory on a scenario with this text."""
    (directory / "scenario.json").write_text(text)
    options = ["--scenario=scenario.json", "--events=events", "--truth=truth.json"]
    command = [str(PROGRAM), *options]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)


def simulate(directory: Path, scenario: Scenario) -> Run:
    """Run the program, which must succeed in silence."""
    result = execute(directory, json.dumps(scenario))
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    return Run((directory / "events").read_bytes(), (directory / "truth.json").read_bytes())


def refuse(directory: Path, text: str, place: str) -> None:
    """Run the program, which must refuse the scenario in one line that names the place."""
    result = execute(directory, text)
    assert result.returncode == 2, result
    assert result.stdout == ""
    assert result.stderr.startswith(f"scenario.json: {place}: "), result.stderr
    assert result.stderr.count("\n") == 1 and result.stderr.endswith("\n")
    assert [path.name for path in directory.iterdir()] == ["scenario.json"]


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


def delays(run: Run, subflow: int) -> Iterator[tuple[int, int]]:
    """Pairs of RTT and one way delay in us."""
    own = [event for event in run.parse() if event.subflow == subflow]
    for event, following in pairwise(own):
        if event.kind == "RTT":
            yield event.value, following.value


def test_no_delay_is_below_propagation(scenario: Scenario, run: Run) -> None:
    """RTT >= base RTT and RTT >= OWD >= half the base RTT; the smallest RTT is near its base."""
    for subflow, spec in enumerate(scenario["subflows"]):
        pairs = list(delays(run, subflow))
        base = spec["rtt_ms"] * 1000
        assert len(pairs) > 100
        assert all(rtt >= base and rtt >= owd >= base / 2 for rtt, owd in pairs)
        assert min(rtt for rtt, _ in pairs) < base + 1000 * (2 * spec["access"]["jitter_ms"] + 8)


@pytest.mark.parametrize("build", [shared, separate])
def test_no_rtt_exceeds_what_a_segment_can_meet(build: Any, tmp_path: Path) -> None:
    """Without lost ACKs no sample is above propagation, full queues, jitter and delayed ACK.

    ns-3's own samples are seconds long after a recovery; so is a sample of a retransmission.
    """
    scenario = build(loss=0.0)
    run = simulate(tmp_path, scenario)
    for subflow, spec in enumerate(scenario["subflows"]):
        line = scenario["bottlenecks"][spec["bottleneck"]]
        # One packet that is being sent may add to a full queue.
        drain = sum((link["queue_bytes"] + 1500) * 8e-3 / link["rate_mbit_s"] for link in (line, spec["access"]))
        bound = spec["rtt_ms"] + drain + 2 * spec["access"]["jitter_ms"] + 40 + 1
        samples = [rtt for rtt, _ in delays(run, subflow)]
        assert max(samples) <= bound * 1000
    assert sum(subflow["drops_at_bottleneck"] for subflow in run.truth["subflows"]) > 0


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
    acked = sum(subflow["acked_bytes"] for subflow in run.truth["subflows"])
    assert data_acks[-1] <= acked


def test_receive_buffer_limits_the_data_on_the_way(tmp_path: Path) -> None:
    """A small shared buffer stalls the fast subflow behind the slow one."""
    scenario = shared()
    wide = simulate(tmp_path, scenario).truth["connection"]["delivered_bytes"]
    scenario["connection"]["receive_buffer_bytes"] = 65536
    scenario["subflows"][1]["rtt_ms"] = 300.0
    assert simulate(tmp_path, scenario).truth["connection"]["delivered_bytes"] < 0.8 * wide


def test_bottlenecks_are_filled_and_labelled(scenario: Scenario, run: Run) -> None:
    """The intended bottlenecks are the real ones, and the label is what was built."""
    bottlenecks = run.truth["bottlenecks"]
    assert len(bottlenecks) == len(scenario["bottlenecks"])
    for bottleneck in bottlenecks:
        assert 0.8 < bottleneck["utilisation"] <= 1
        assert bottleneck["drops"] > 0
    together = len(bottlenecks) == 1
    pair = {"subflow_a": 0, "subflow_b": 1, "from_ns": 0, "shared": together}
    assert run.truth["pairs"] == [pair]
    own_drops = sum(subflow["drops_at_bottleneck"] for subflow in run.truth["subflows"])
    assert 0 < own_drops <= sum(bottleneck["drops"] for bottleneck in bottlenecks)


def test_random_losses_have_the_given_probability(tmp_path: Path) -> None:
    """Data segments and ACKs are lost with probability 0.02 each, within four deviations."""
    probability = 0.02
    scenario = separate(loss=probability)
    scenario["duration_s"] = 40.0
    run = simulate(tmp_path, scenario)
    events = run.parse()
    for subflow, truth in enumerate(run.truth["subflows"]):
        segments = truth["acked_bytes"] / scenario["connection"]["mss_bytes"]
        acks = sum(e.kind in ("ACK", "DUP") and e.subflow == subflow for e in events)
        survivors = segments + acks
        expected = survivors * probability / (1 - probability)
        deviation = math.sqrt(survivors * probability) / (1 - probability)
        assert survivors > 1000
        assert abs(truth["random_losses"] - expected) < 4 * deviation


def test_lia_takes_less_than_uncoupled_reno(tmp_path: Path) -> None:
    """Beside a bulk Reno flow at a shared bottleneck, coupling costs the connection its excess."""
    scenario = shared()
    scenario["background"] = [{**scenario["background"][1], "enters": "bottleneck", "congestion_control": "reno"}]
    scenario["background"][0]["rtt_ms"] = 60.0
    scenario["subflows"][0]["rtt_ms"] = 60.0
    delivered = {}
    for controller in ("lia", "reno"):
        scenario["connection"]["congestion_control"] = controller
        runs = [simulate(tmp_path, {**scenario, "seed": seed}) for seed in range(1, 6)]
        delivered[controller] = sum(r.truth["connection"]["delivered_bytes"] for r in runs)
    assert delivered["lia"] < 0.9 * delivered["reno"]


@pytest.mark.parametrize("name", ["lia-test", "rtt-sampler-test"])
def test_unit_agrees_with_values_computed_by_hand(name: str) -> None:
    """The LIA increase is RFC 6356's; RTT samples follow Linux's rules (simulator/test)."""
    make = ["make", "-C", str(SIMULATOR), f"PREFIX={sys.prefix}", "unit-tests"]
    subprocess.run(make, check=True, capture_output=True)
    program = SIMULATOR.parent / "build" / "simulator" / "test" / name
    result = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


def set_value(scenario: Scenario, place: str, value: object) -> str:
    """The scenario's text with another value at a JSON pointer."""
    *parents, last = place.split("/")[1:]
    changed: Any = copy.deepcopy(scenario)
    node = changed
    for key in parents:
        node = node[int(key) if isinstance(node, list) else key]
    if isinstance(node, list):
        node[int(last)] = value
    else:
        node[last] = value
    return json.dumps(changed)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("/surplus", 1),
        ("/subflows/1/access/surplus", 1),
        ("/seed", 17.5),
        ("/seed", "17"),
        ("/duration_s", "long"),
        ("/duration_s", True),
        ("/connection", []),
        ("/subflows", {}),
        ("/connection/token", "7F3A91C2"),
        ("/connection/token", 7),
        ("/connection/congestion_control", "cubic"),
        ("/background/0/congestion_control", "lia"),
        ("/background/0/enters", "server"),
        ("/background/0/subflow", 2),
        ("/subflows/0/bottleneck", 1),
        ("/subflows/0/path", "two words"),
        ("/subflows/0/start_s", 12.0),
        ("/background/0/start_s", 12.0),
        ("/subflows/1/access/loss", 1.5),
        ("/subflows/0/rtt_ms", 2.3),
        ("/background/0/rtt_ms", 0.1),
    ],
)
def test_wrong_value_is_refused_by_its_place(place: str, value: object, tmp_path: Path) -> None:
    """Unknown keys, wrong types, bad names, indices and times exit 2 and leave no file."""
    refuse(tmp_path, set_value(shared(), place, value), place)


def test_unused_bottleneck_is_refused(tmp_path: Path) -> None:
    """A bottleneck nobody crosses has no meaning in the truth."""
    scenario = separate()
    scenario["subflows"][1]["bottleneck"] = 0
    refuse(tmp_path, json.dumps(scenario), "/bottlenecks/1")


def walk(schema: dict[str, Any], value: Any, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The places of a scenario, each with its part of the schema."""
    yield place, schema
    if isinstance(value, dict):
        for key, child in value.items():
            yield from walk(schema["properties"][key], child, f"{place}/{key}")
    if isinstance(value, list):
        for index, child in enumerate(value):
            yield from walk(schema["items"], child, f"{place}/{index}")


def outside(schema: dict[str, Any]) -> Iterator[object]:
    """Numbers just outside the schema's limits."""
    step = 1 if schema.get("type") == "integer" else 0.001
    if "minimum" in schema:
        yield schema["minimum"] - step
    if "exclusiveMinimum" in schema:
        yield schema["exclusiveMinimum"]
    if "maximum" in schema:
        yield schema["maximum"] + step
    if "exclusiveMaximum" in schema:
        yield schema["exclusiveMaximum"]


def test_schema_and_program_agree(tmp_path: Path) -> None:
    """Each key the schema requires is missed and each limit it states is enforced."""
    schema = json.loads((SIMULATOR / "scenario.schema.json").read_text())
    checks = 0
    for place, part in walk(schema, shared(), ""):
        for value in outside(part):
            refuse(tmp_path, set_value(shared(), place, value), place)
            checks += 1
        if part.get("type") == "object":
            assert part["additionalProperties"] is False
            assert part["required"] == list(part["properties"])
            for key in part["required"]:
                changed = json.loads(set_value(shared(), f"{place}/{key}", None))
                node = changed
                for step in place.split("/")[1:]:
                    node = node[int(step) if isinstance(node, list) else step]
                del node[key]
                refuse(tmp_path, json.dumps(changed), f"{place}/{key}")
                checks += 1
    assert checks > 80


@pytest.mark.parametrize("text", ["", json.dumps(shared())[:200], json.dumps(shared()) + "]"])
def test_broken_json_is_refused_by_its_line(text: str, tmp_path: Path) -> None:
    """A truncated or overlong file exits 2 and names line and column."""
    (tmp_path / "scenario.json").write_text(text)
    result = execute(tmp_path, text)
    assert result.returncode == 2
    assert re.fullmatch(r"scenario\.json: .*line 1, column \d+.*\n", result.stderr)
    assert [path.name for path in tmp_path.iterdir()] == ["scenario.json"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scenario=none.json", "--events=e", "--truth=t"], "none.json: cannot be read\n"),
        (["--scenario=none.json", "--events=e"], "option --truth=FILE is missing"),
        (["--scenario=none.json", "--events=e", "--truth=t", "--fast"], "unknown option --fast"),
        (["--scenario", "none.json"], "unknown option --scenario"),
        (["--scenario=none.json", "--events=e", "--truth=e"], "--events and --truth name the same file"),
    ],
)
def test_bad_options_are_refused(arguments: list[str], message: str, tmp_path: Path) -> None:
    """A missing file, an unknown option and a missing option exit 2 with one line."""
    command = [str(PROGRAM), *arguments]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert message in result.stderr and result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_unwritable_output_fails_without_a_trace(tmp_path: Path) -> None:
    """If one output cannot be written, the exit status is 1 and the other is not left behind."""
    (tmp_path / "scenario.json").write_text(json.dumps(shared()))
    command = [str(PROGRAM), "--scenario=scenario.json", "--events=e", "--truth=no/such/t"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "no/such/t" in result.stderr and result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["scenario.json"]


def test_subflow_never_established_is_a_failure(tmp_path: Path) -> None:
    """A run without all its subflows has no truth to state: exit 1 and no file."""
    scenario = shared()
    scenario["subflows"][1]["start_s"] = 11.99
    result = execute(tmp_path, json.dumps(scenario))
    assert result.returncode == 1
    assert "not established" in result.stderr and result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["scenario.json"]


def test_version_names_the_sources() -> None:
    """The hash in the version is that of the sources the program was built from."""
    sources = sorted((SIMULATOR / "src").rglob("*"), key=bytes)
    expected = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    result = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True)
    assert result.stdout == f"smartsbd-sim 0.1.0 sources={expected}\n"
