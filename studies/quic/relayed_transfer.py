"""One transfer of rust/quic's sender over the testbed's relay, in namespaces of its own, in real time.

Run as a program with the folder of the run, by :mod:`studies.quic.sent_transfers`: process 1 of its PID namespace.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from smartsbd.contracts.fault import Fault
from smartsbd.scenarios.path import CONNECTION_START_S
from smartsbd.scenarios.scenario import Scenario
from smartsbd.testbed import hosts, machine
from smartsbd.testbed.emulation import rival_flows
from smartsbd.testbed.relay_network import (
    CLIENT,
    CLIENT_ADDRESS,
    HOSTS,
    RIVALS,
    SERVER,
    plan_lines,
    server_address,
    to_ns,
)
from smartsbd.testbed.running_program import EmulationError, RunningProgram, python
from smartsbd.testbed.sender import sleep_until

ROOT = Path(__file__).parents[2]
SENDER = ROOT / "build/quic/sbd-quic"
#: Files in the folder of a run: what is asked for, and what comes out.
SETTINGS, SCENARIO, QLOG, RESULT = "settings.json", "scenario.json", "sender.sqlog", "result.json"
_PLAN, _CERTIFICATE = "plan.txt", "receiver.der"
_ADDRESS = f"{CLIENT_ADDRESS}:4433"
_AHEAD_NS = 300_000_000
#: For the handshake, and for what is in flight at the end.
_LONGER_S = 10.0


def emulate(folder: Path) -> dict[str, Any]:
    """Run what a folder asks for; return what was counted.

    Parameters
    ----------
    folder : Path
        With :data:`SETTINGS` and :data:`SCENARIO`; the qlog is written there.

    Returns
    -------
    dict
        ``received_bytes`` of the transfer, ``rival_bytes`` of all rivals until the transfer's time is over, ``sender``,
        what the sender says at its end, ``relay``, the relay's report, and ``load``, processes that ran or waited for
        a processor, a mean over the last minute.

    Raises
    ------
    EmulationError
        If something failed; the others are ended.
    """
    settings = json.loads((folder / SETTINGS).read_text())
    scenario = Scenario.model_validate_json((folder / SCENARIO).read_text())
    hosts.make(scenario)
    namespaces = [str(hosts.file_of(host)) for host in range(len(HOSTS))]
    # No capture is made: the sender logs.
    plan = [line for line in plan_lines(scenario, namespaces, "") if not line.startswith("capture ")]
    (folder / _PLAN).write_text("\n".join(plan) + "\n")
    os.chdir(folder)
    with ExitStack() as stack:

        def started(name: str, command: list[str]) -> RunningProgram:
            program = RunningProgram(name, command, folder)
            stack.callback(program.kill)
            return program

        relay = started("sbd-relay", [str(machine.RELAY), _PLAN])
        relay.wait_ready()
        hosts.connect(scenario)
        flows = rival_flows(scenario)
        sinks = json.dumps({"address": CLIENT_ADDRESS, "flows": flows, "rivals_have_room": False})
        sink = started("receiver", hosts.on(CLIENT, *python("smartsbd.testbed.receiver", sinks)))
        sink.wait_ready()
        rivals = started(
            "rivals", hosts.on(RIVALS, *python("smartsbd.testbed.rival", json.dumps(rival_flows(scenario))))
        )
        rivals.wait_ready()
        words = ["receive", settings["stack"], _ADDRESS, _CERTIFICATE]
        receiver = started("sbd-quic", hosts.on(CLIENT, str(SENDER), *words))
        receiver.wait_ready()
        origin_ns = time.monotonic_ns() + _AHEAD_NS
        for program in (relay, sink, rivals):
            program.begin(origin_ns)
        sleep_until(origin_ns + to_ns(CONNECTION_START_S))
        seconds = scenario.duration_s - CONNECTION_START_S
        locals_ = [server_address(subflow) for subflow in range(2)]
        words = ["send", settings["stack"], settings["mode"], str(seconds), _ADDRESS, *locals_, _CERTIFICATE, QLOG]
        sender = subprocess.Popen(
            hosts.on(SERVER, str(SENDER), *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        stack.callback(sender.kill)
        sleep_until(origin_ns + to_ns(scenario.duration_s))
        rival_bytes = sum(json.loads(sink.end(signal.SIGTERM))["background"])
        try:
            said, complaint = sender.communicate(timeout=_LONGER_S)
        except subprocess.TimeoutExpired:
            raise EmulationError("sbd-quic: does not end") from None
        if sender.returncode:
            raise EmulationError((complaint.strip().splitlines() or [f"exit {sender.returncode}"])[-1])
        return {
            **json.loads(receiver.end(signal.SIGTERM)),
            "rival_bytes": rival_bytes,
            "sender": json.loads(said),
            "relay": json.loads(relay.end(signal.SIGTERM)),
            "load": os.getloadavg()[0],
        }


def main(folder: Path) -> int:
    """Run it; return the exit code."""
    try:
        result = emulate(folder)
    except (Fault, OSError, ValueError) as error:
        print(EmulationError(str(error)), file=sys.stderr)
        return 1
    (folder / RESULT).write_text(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
