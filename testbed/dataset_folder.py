"""The folder that runs become: logs, captures, their truth, and how far both can be believed.

=====================  ==================================================================================
``inputs/``            event lines of the sender, one file for each run
``truth.csv``          labels of these, and what was set up and measured
``captures/``          packets at the server, one file for each run
``captures.csv``       labels of these
``scenarios/``         what was run
``utilisation.csv``    each link in each phase: whether it was full
``received.csv``       bytes that came of the connection and of background flows, and how long each was sent
``subflows.csv``       each subflow of the connection: whether it was opened, its number and RTT samples in the log
``lateness.csv``       how late the relay was, run by run
``failures.csv``       runs that did not come to their end, and why, if there are any
=====================  ==================================================================================
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zstandard

from smartsbd.contracts.whole_file import write_whole, written_whole
from smartsbd.scenarios.scenario import Scenario
from smartsbd.scenarios.simulator import written
from smartsbd.testbed.isolation import FinishedRun
from smartsbd.testbed.logged_subflows import LoggedSubflows, logged_subflows
from smartsbd.testbed.measurement import links, truth_of
from smartsbd.traces.truth import write_csv

#: Files of the folder.
INPUTS, CAPTURES, SCENARIOS = "inputs", "captures", "scenarios"
TRUTH, TRUTH_OF_CAPTURES, UTILISATION, LATENESS = "truth.csv", "captures.csv", "utilisation.csv", "lateness.csv"
RECEIVED, SUBFLOWS, FAILURES = "received.csv", "subflows.csv", "failures.csv"
_COMPRESSION_LEVEL = 6
#: A relay that is later than this with a hundredth of the packets blurs RTTs.
_LATE_US = 2_000.0
_NS_PER_S = 1e9


@dataclass
class DatasetFolder:
    """A folder of runs.

    Attributes
    ----------
    path : Path
        It is there and empty.
    min_utilisation : float
        Below this, a bottleneck is remarked on.
    remarks : list of str
        What the user of the labels should know.
    """

    path: Path
    min_utilisation: float
    remarks: list[str] = field(default_factory=list)
    _truth: list[dict[str, Any]] = field(default_factory=list)
    _captured: list[dict[str, Any]] = field(default_factory=list)
    _utilisation: list[dict[str, Any]] = field(default_factory=list)
    _lateness: list[dict[str, Any]] = field(default_factory=list)
    _received: list[dict[str, Any]] = field(default_factory=list)
    _subflows: list[dict[str, Any]] = field(default_factory=list)
    _failures: list[dict[str, Any]] = field(default_factory=list)

    def add(self, name: str, setting: str, recorded: FinishedRun) -> None:
        """Add a run.

        Parameters
        ----------
        name : str
            Name of its files, without a suffix.
        setting : str
            Name in the truth table.
        recorded : FinishedRun

        Raises
        ------
        EmulationError
            If the log does not have the connection's first subflow.
        """
        scenario, result = recorded.scenario, recorded.result
        ports, origin_ns = result["relay"]["ports"], result["origin_ns"]
        token, known, logged = "", (scenario, setting, recorded.controller, ports), None
        if recorded.log is not None:
            content = recorded.log.read_bytes()
            logged = logged_subflows(content.decode(errors="replace"), scenario)
            token = logged.token
            stored = f"{name}.log.zst"
            self._store(content, INPUTS, stored)
            self._truth += truth_of(*known, stored, token=token, numbers=logged.numbers, origin_ns=origin_ns)
        stored = f"{name}.pcap.zst"
        self._store(recorded.capture.read_bytes(), CAPTURES, stored)
        # A capture numbers subflows by their SYNs.
        captured = {subflow: number for number, subflow in enumerate(result["opened"])}
        self._captured += truth_of(*known, stored, token=token, numbers=captured, origin_ns=origin_ns)
        (self.path / SCENARIOS).mkdir(exist_ok=True)
        write_whole((written(scenario) + "\n").encode(), self.path / SCENARIOS / f"{name}.json")
        self._add_utilisation(name, scenario, links(scenario, ports))
        self._add_lateness(name, result)
        self._add_subflows(name, scenario, result, logged)
        self._received += received(name, recorded)

    def add_failure(self, name: str, attempt: int, reason: str) -> None:
        """Note a run that did not come to its end.

        Parameters
        ----------
        name : str
            Of its files, had it come to its end.
        attempt : int
            How often it had been drawn again.
        reason : str
        """
        self._failures.append({"run": name, "attempt": attempt, "reason": reason})

    def labelled(self) -> list[tuple[str, str]]:
        """Return the folders of inputs that have a label, each with the name of its table.

        Returns
        -------
        list of (str, str)
        """
        tables = ((INPUTS, TRUTH, self._truth), (CAPTURES, TRUTH_OF_CAPTURES, self._captured))
        return [(inputs, labels) for inputs, labels, rows in tables if rows]

    def finish(self) -> None:
        """Write the tables."""
        if (self.path / INPUTS).exists():
            write_csv(self._truth, self.path / TRUTH)
        write_csv(self._captured, self.path / TRUTH_OF_CAPTURES)
        _write(self._utilisation, self.path / UTILISATION)
        _write(self._received, self.path / RECEIVED)
        _write(self._subflows, self.path / SUBFLOWS)
        _write(self._lateness, self.path / LATENESS)
        if self._failures:
            _write(self._failures, self.path / FAILURES)

    def _store(self, content: bytes, folder: str, name: str) -> None:
        (self.path / folder).mkdir(exist_ok=True)
        compressed = zstandard.ZstdCompressor(level=_COMPRESSION_LEVEL).compress(content)
        write_whole(compressed, self.path / folder / name)

    def _add_utilisation(self, name: str, scenario: Scenario, measured: Sequence[Mapping[str, Any]]) -> None:
        for phase in measured:
            at_s = phase["from_ns"] / _NS_PER_S
            limited = [
                str(number)
                for number, path in enumerate(scenario.subflows)
                if path.bottleneck_at(at_s) == phase["link"]
            ]
            link = scenario.links[phase["link"]]
            self._utilisation.append(
                {
                    "run": name,
                    "link": phase["link"],
                    "from_s": at_s,
                    "bottleneck_of": " ".join(limited),
                    "rate_mbit_s": link.rate_at_mbit_s(at_s),
                    "queue_bytes": link.queue_bytes,
                    **{key: value for key, value in phase.items() if key not in ("link", "from_ns")},
                }
            )
            if limited and (phase["utilisation"] is None or phase["utilisation"] < self.min_utilisation):
                used = "was not measured" if phase["utilisation"] is None else f"was used {phase['utilisation']:.2f}"
                self.remarks.append(
                    f"{name}: link {phase['link']}, meant to limit subflow {' and '.join(limited)} from {at_s:g} s on,"
                    f" {used} of the time: the label need not hold"
                )

    def _add_lateness(self, name: str, result: Mapping[str, Any]) -> None:
        relay = result["relay"]
        lost = result["device_drops"] + relay["no_room"] + relay["undelivered"]
        self._lateness.append(
            {
                "run": name,
                **relay["lateness"],
                "lost_packets": lost,
                "relay_cpu_s": relay["cpu_s"],
                "load": round(result["load"], 2),
            }
        )
        late_us = relay["lateness"]["p99_us"]
        if late_us > _LATE_US or lost:
            self.remarks.append(
                f"{name}: a hundredth of the packets left more than {late_us / 1000:.1f} ms late, and {lost} were lost"
                " by the testbed itself: the machine is too busy"
            )

    def _add_subflows(
        self, name: str, scenario: Scenario, result: Mapping[str, Any], logged: LoggedSubflows | None
    ) -> None:
        for subflow, path in enumerate(scenario.subflows):
            opened, number = subflow in result["opened"], logged.numbers.get(subflow) if logged else None
            samples = logged.samples[subflow] if logged else None
            self._subflows.append(
                {
                    "run": name,
                    "subflow": subflow,
                    "path": path.path,
                    "opened": opened,
                    "number": number,
                    "rtt_samples": samples,
                    "thinned_acks": result["relay"]["thinned_acks"][subflow],
                }
            )
            unlabelled = not opened or (logged is not None and number is None)
            if unlabelled or samples == 0:
                what = "has no RTT sample" if opened else "was not opened"
                label = (
                    "it is not in the log, so its pairs have no label there" if unlabelled else "its pairs are labelled"
                )
                self.remarks.append(f"{name}: subflow {subflow} {what}: the run is kept, {label}")


def received(name: str, recorded: FinishedRun) -> Iterator[dict[str, Any]]:
    """Yield what came of a run's connection and of each background flow; None where nobody counts it.

    Parameters
    ----------
    name : str
        Of the run.
    recorded : FinishedRun

    Yields
    ------
    dict
        A row of :data:`RECEIVED`.
    """
    scenario, came = recorded.scenario, recorded.result["received"]
    flows = [("connection", recorded.controller, scenario.subflows[0].start_s, came["connection"])]
    for number, (flow, received_bytes) in enumerate(zip(scenario.background, came["background"], strict=True)):
        flows.append((f"background {number}", flow.kind, flow.start_s, received_bytes))
    for flow_name, kind, start_s, received_bytes in flows:
        yield {
            "run": name,
            "flow": flow_name,
            "kind": kind,
            "sent_s": scenario.duration_s - start_s,
            "bytes": received_bytes,
        }


def _write(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    with written_whole(path) as part, part.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]) if rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            {key: round(value, 4) if isinstance(value, float) else value for key, value in row.items()} for row in rows
        )
