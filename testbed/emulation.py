"""One run, in namespaces of its own: hosts, relay, recorder and programs, from the first to the last second.

Run as a program with the folder of the run, by :mod:`smartsbd.testbed.isolation`. It is process 1 of its PID namespace.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from smartsbd.contracts.fault import Fault
from smartsbd.scenarios.path import RECEIVE_BUFFER_BYTES
from smartsbd.scenarios.scenario import Scenario
from smartsbd.testbed import hosts, machine
from smartsbd.testbed.receiver import FIRST_RIVAL_PORT, PORT
from smartsbd.testbed.relay_network import (
    CLIENT,
    CLIENT_ADDRESS,
    HOSTS,
    RIVALS,
    SERVER,
    plan_lines,
    rival_address,
    server_address,
    to_ns,
    traces,
)
from smartsbd.testbed.running_program import EmulationError, RunningProgram, python
from smartsbd.testbed.sender import sleep_until

#: Files in the folder of a run: what is asked for, and what comes out.
SETTINGS, SCENARIO, LOG, CAPTURE, RESULT = "settings.json", "scenario.json", "events.log", "server.pcap", "result.json"
_PLAN = "plan.txt"
#: From the moment at which all programs receive the time 0 until it comes.
_AHEAD_NS = 200_000_000
_LOOK_NS = 500_000_000


def _sender(scenario: Scenario, controller: str) -> str:
    application = scenario.connection.application
    return json.dumps(
        {
            "congestion_control": controller,
            "address": server_address(0),
            "to": CLIENT_ADDRESS,
            "port": PORT,
            "start_ns": to_ns(scenario.subflows[0].start_s),
            "application": None if application is None else application.model_dump(),
            "mss_bytes": scenario.connection.mss_bytes,
            "seed": scenario.seed,
        }
    )


def rival_flows(scenario: Scenario) -> list[dict[str, Any]]:
    """Return the background flows as :mod:`smartsbd.testbed.rival` takes them.

    Parameters
    ----------
    scenario : Scenario

    Returns
    -------
    list of dict
        One for each flow, in order.
    """
    return [
        {
            "kind": flow.kind,
            "address": rival_address(number),
            "to": CLIENT_ADDRESS,
            "port": FIRST_RIVAL_PORT + number,
            "rate_mbit_s": flow.rate_mbit_s,
            "back": flow.direction is not None,
            "start_ns": to_ns(flow.start_s),
            "mss_bytes": scenario.connection.mss_bytes,
            "seed": scenario.seed * 100 + number,
        }
        for number, flow in enumerate(scenario.background)
    ]


def _receiver(scenario: Scenario) -> str:
    flows = [
        {
            "kind": flow.kind,
            "back": flow.direction is not None,
            "rate_mbit_s": flow.rate_mbit_s,
            "mss_bytes": scenario.connection.mss_bytes,
        }
        for flow in scenario.background
    ]
    # The limit of the connection's buffer is the whole host's, and rivals have none.
    limited = scenario.connection.receive_buffer_bytes < RECEIVE_BUFFER_BYTES
    return json.dumps({"address": CLIENT_ADDRESS, "flows": flows, "rivals_have_room": limited})


def _wait(until_ns: int, programs: list[RunningProgram]) -> None:
    """Wait, and see to it that all programs run meanwhile."""
    while time.monotonic_ns() < until_ns:
        for program in programs:
            program.check()
        sleep_until(min(until_ns, time.monotonic_ns() + _LOOK_NS))


def emulate(folder: Path) -> dict[str, Any]:
    """Run what a folder asks for; return what was counted.

    Parameters
    ----------
    folder : Path
        With :data:`SETTINGS` and :data:`SCENARIO`; the log and the capture are written there.

    Returns
    -------
    dict
        ``origin_ns``, 0 of the scenario by the clock of log and capture; ``relay``, the relay's report;
        ``opened``, the subflows whose SYN was sent; ``device_drops``; ``received``, bytes that came of the connection
        and of each background flow, None where nobody counts them; ``load``, processes that ran or waited for a
        processor, a mean over the last minute.

    Raises
    ------
    EmulationError
        If something failed; the others are ended.
    """
    settings = json.loads((folder / SETTINGS).read_text())
    scenario = Scenario.model_validate_json((folder / SCENARIO).read_text())
    hosts.make(scenario)
    namespaces = [str(hosts.file_of(host)) for host in range(len(HOSTS))]
    plan = folder / _PLAN
    plan.write_text("\n".join(plan_lines(scenario, namespaces, CAPTURE)) + "\n")
    for name, text in traces(scenario):
        (folder / name).write_text(text)
    with ExitStack() as stack:

        def started(name: str, command: list[str]) -> RunningProgram:
            program = RunningProgram(name, command, folder)
            stack.callback(program.kill)
            return program

        # Relative names stand for those of the run's folder, which may have spaces.
        os.chdir(folder)
        relay = started("sbd-relay", [str(machine.RELAY), _PLAN])
        relay.wait_ready()
        hosts.connect(scenario)
        receiver = started("receiver", hosts.on(CLIENT, *python("smartsbd.testbed.receiver", _receiver(scenario))))
        receiver.wait_ready()
        ends = [
            started(
                "sender",
                hosts.on(SERVER, *python("smartsbd.testbed.sender", _sender(scenario, settings["controller"]))),
            ),
            started("rivals", hosts.on(RIVALS, *python("smartsbd.testbed.rival", json.dumps(rival_flows(scenario))))),
        ]
        for end in ends:
            end.wait_ready()
        recorder = None
        if settings["recorder"]:
            recorder = started("sbd record", [str(machine.RECORDER), "--netns", namespaces[SERVER], "--out", LOG])
            recorder.wait_file(folder / LOG)
        running = [relay, receiver, *ends, *([recorder] if recorder else [])]
        origin_ns = time.monotonic_ns() + _AHEAD_NS
        for program in (relay, receiver, *ends):
            program.begin(origin_ns)
        end_ns = origin_ns + to_ns(scenario.duration_s)
        opened = [0]
        for number in range(1, len(scenario.subflows)):
            _wait(origin_ns + to_ns(scenario.subflows[number].start_s), running)
            if hosts.join(number, end_ns):
                opened.append(number)
        if len(opened) == 1:
            raise EmulationError("no further subflow was opened: the connection was not established, or is plain TCP")
        _wait(end_ns, running)
        received = json.loads(receiver.end(signal.SIGTERM))
        if recorder:
            recorder.end(signal.SIGINT)
        # The devices end with the relay.
        dropped = hosts.dropped()
        return {
            "origin_ns": origin_ns,
            "relay": json.loads(relay.end(signal.SIGTERM)),
            "opened": opened,
            "device_drops": dropped,
            "received": received,
            "load": os.getloadavg()[0],
        }


def main(folder: Path) -> int:
    """Run it; return the exit code."""
    try:
        result = emulate(folder)
    except (Fault, OSError) as error:
        print(EmulationError(str(error)), file=sys.stderr)
        return 1
    (folder / RESULT).write_text(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
