"""The simulator's program for the tests: scenarios, runs, and what the runs wrote."""

import fcntl
import functools
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from smartsbd.scenarios import learnt_agent, registry
from smartsbd.scenarios.scenario import ConnectionSettings

PROGRAM = Path(sys.prefix) / "bin" / "smartsbd-sim"
RADIO_PROGRAM = PROGRAM.with_name("smartsbd-radio")
SIMULATOR = Path(__file__).resolve().parents[2] / "simulator"
WEIGHTS = SIMULATOR / "agents"
LINE = re.compile(r"(\d+) C=7f3a91c2 SF=(\d) V=(CA|ACK|DUP|RTT|OWD|ECE|DACK|LOSS|GROUP) (\d+)\n")
CWR, RECOVERY, LOSS = 2, 3, 4
MSS = 1400
# A data packet without options on a link: payload, TCP, IP and PPP headers.
PACKET = MSS + 20 + 20 + 2

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

    def delays(self, subflow: int) -> Iterator[tuple[int, int, int]]:
        """Time in ns, RTT and one way delay in us of each sample."""
        own = [event for event in self.parse() if event.subflow == subflow]
        for event, following in pairwise(own):
            if event.kind == "RTT":
                yield event.ns, event.value, following.value

    def acked(self, subflow: int, begin: float, end: float) -> int:
        """Bytes acknowledged between two times in s."""
        acks = [e for e in self.parse() if e.kind == "ACK" and e.subflow == subflow]
        before = max((e.value for e in acks if e.ns < begin * 1e9), default=0)
        return max((e.value for e in acks if e.ns < end * 1e9), default=0) - before


def access(kind: str = "plain", rate: float = 100.0, loss: float = 0.0, jitter: float = 0.0) -> dict[str, Any]:
    """An access link that is no bottleneck by default."""
    link: dict[str, Any] = {"kind": kind, "rate_mbit_s": rate, "queue_bytes": 300000, "loss": loss, "jitter_ms": jitter}
    if kind == "wifi":
        link["burst_packets"] = [4, 16]
    if kind == "lte":
        link.update(rate_sigma=0.3, rate_step_ms=100.0)
    if kind == "802.11n":
        link.update(distance_m=1.0, speed_m_s=0.0)
    return link


def link(rate: float, queue: int = 60000, place: str = "server") -> dict[str, Any]:
    return {
        "place": place,
        "rate_mbit_s": [[0.0, rate]],
        "delay_ms": 1.0,
        "queue_bytes": queue,
        "mark_bytes": None,
    }


def subflow(links: list[int], rtt: float, start: float = 0.5, **last: Any) -> dict[str, Any]:
    """A subflow whose first link is its bottleneck; the rest describes its access link."""
    return {
        "path": "plain",
        "links": links,
        "bottleneck": [[0.0, links[0]]],
        "start_s": start,
        "rtt_ms": rtt,
        "access": access(**last),
    }


def flow(kind: str, rate: float | None, enters: str = "server", rtt: float = 60.0, on: int = 0) -> dict[str, Any]:
    """Background traffic beside a subflow."""
    return {"kind": kind, "subflow": on, "enters": enters, "rate_mbit_s": rate, "start_s": 0.2, "rtt_ms": rtt}


def network(
    links: list[dict[str, Any]],
    subflows: list[dict[str, Any]],
    background: Iterable[dict[str, Any]] = (),
    duration: float = 12.0,
    **connection: Any,
) -> Scenario:
    """A scenario with the usual connection, except for what is given."""
    usual = {
        "token": "7f3a91c2",
        "congestion_control": "lia",
        "lia_counts": "packets",
        "scheduler": "min_rtt",
        "mss_bytes": MSS,
        "receive_buffer_bytes": 4194304,
        "ecn": False,
        "host_delay_us": 200.0,
    }
    return {
        "seed": 17,
        "duration_s": duration,
        "connection": {**usual, **connection},
        "links": links,
        "subflows": subflows,
        "background": list(background),
    }


def shared(loss: float = 0.001) -> Scenario:
    """Two unlike paths through one bottleneck, and background traffic on their access links."""
    return network(
        [link(8.0)],
        [
            {**subflow([0], 24.0, 1.0, kind="wifi", rate=30.0, loss=loss, jitter=2.0), "path": "wifi"},
            {**subflow([0], 60.0, 1.1, kind="lte", rate=20.0, loss=loss, jitter=5.0), "path": "lte"},
        ],
        [flow("reno", 3.5, "client", 40.0), flow("cubic", None, "access", 50.0, on=1)],
    )


def separate(loss: float = 0.001) -> Scenario:
    """The same paths through a bottleneck each, which the background traffic crosses too."""
    scenario = shared(loss)
    scenario["links"] = [link(7.0, 50000), link(3.0, 30000, "client")]
    scenario["subflows"][1].update(links=[1], bottleneck=[[0.0, 1]])
    scenario["background"] = [flow("reno", 3.5, "server", 40.0), flow("cubic", 1.0, "client", 80.0, on=1)]
    return scenario


def given_by(application: dict[str, Any]) -> Scenario:
    """A connection whose data an application gives."""
    scenario = shared()
    scenario["connection"]["application"] = application
    return scenario


def every_choice() -> dict[str, Scenario]:
    """A scenario for everything that is chosen by name, as an object with the defaults of all its parameters."""
    scenarios = {}
    for key, kinds in json.loads(registry.REGISTRY.read_text()).items():
        for kind in kinds:
            chosen = {name: part.get("const", part.get("default")) for name, part in kind["properties"].items()}
            scenario = shared()
            del scenario["connection"]["lia_counts"]
            scenario["connection"][key] = chosen
            scenarios[f"{key}-{chosen['name']}"] = scenario
    return scenarios


@functools.cache
def loop_program() -> Path:
    """Build the program with all sources of verdicts, which `make setup` does not; one test at a time does."""
    program = PROGRAM.with_name("smartsbd-loop")
    with Path(SIMULATOR / "Makefile").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        command = ["make", "--silent", "--jobs=2", "-C", str(SIMULATOR), f"PREFIX={sys.prefix}", "loop"]
        subprocess.run(command, check=True)
    return program


def program_for(scenario: Scenario) -> Path:
    """The program that has what a scenario chooses."""
    if any(one["access"]["kind"] == "802.11n" for one in scenario["subflows"]):
        return RADIO_PROGRAM
    verdicts = scenario["connection"].get("verdicts", "fixed")
    name = verdicts["name"] if isinstance(verdicts, dict) else verdicts
    return PROGRAM if name in {"fixed", "oracle"} else loop_program()


def execute(directory: Path, text: str, *options: str, program: Path = PROGRAM) -> subprocess.CompletedProcess[str]:
    """Run a program in a directory on a scenario with this text."""
    (directory / "scenario.json").write_text(text)
    command = [str(program), "--scenario=scenario.json", "--events=events", "--truth=truth.json", *options]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)


def agent_options(scenario: Scenario) -> list[str]:
    """What the program is told of the agent that the connection's controller asks for, if it does."""
    return learnt_agent.options(ConnectionSettings.model_validate(scenario["connection"]), WEIGHTS)


def simulate(directory: Path, scenario: Scenario, *options: str) -> Run:
    """Run the program, which must succeed in silence."""
    told = (*agent_options(scenario), *options)
    result = execute(directory, json.dumps(scenario), *told, program=program_for(scenario))
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    return Run((directory / "events").read_bytes(), (directory / "truth.json").read_bytes())


def simulate_all(directory: Path, scenarios: Iterable[Scenario]) -> list[Run]:
    """Run many scenarios, two at a time."""

    def simulate_one(numbered: tuple[int, Scenario]) -> Run:
        own = directory / str(numbered[0])
        own.mkdir(parents=True)
        return simulate(own, numbered[1])

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(simulate_one, enumerate(scenarios)))


def seeds(scenario: Scenario, count: int) -> list[Scenario]:
    """The same scenario with several seeds."""
    return [{**scenario, "seed": seed} for seed in range(1, count + 1)]
