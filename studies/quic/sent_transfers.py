"""Transfers over two paths by rust/quic's sender: coupled, uncoupled and by verdicts, on the same networks.

Run as root, after ``make quic`` and ``make testbed``; nothing is loaded into the kernel.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.contracts.lifetime import ending_with_this
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_csv
from smartsbd.pipelines.running import stage
from smartsbd.scenarios.closed_loop import kernel_paths
from smartsbd.scenarios.path import CONNECTION_START_S
from smartsbd.scenarios.scenario import Scenario
from smartsbd.scenarios.simulator import written
from studies.quic.qlog_replay import compared, judged
from studies.quic.relayed_transfer import QLOG, RESULT, SCENARIO, SETTINGS

SEED = 20261130
STACKS = ("noq", "quinn")
MODES = ("coupled", "uncoupled", "verdicts")
_RIVAL = "cubic"
_ROOT = Path(__file__).parents[2]
#: When process 1 of a PID namespace dies, the kernel kills the others; then nothing holds the other namespaces.
_UNSHARE = ("unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc")
_NS_PER_S = 10**9


@dataclass(frozen=True)
class QuicTransfer:
    """One transfer.

    Attributes
    ----------
    variant : str
        Kind of network.
    number : int
        Which of its kind.
    stack, mode : str
    scenario : Scenario
        The network, and the rivals beside the transfer.
    """

    variant: str
    number: int
    stack: str
    mode: str
    scenario: Scenario

    @property
    def name(self) -> str:
        """The folder of its files."""
        return f"{self.stack}-{self.variant.replace(' ', '_')}-{self.number:02}-{self.mode}"


def draw(networks: int, seconds: float, stack: str, seed: int = SEED) -> Iterator[QuicTransfer]:
    """Yield transfers, the three modes of a network one after the other.

    Parameters
    ----------
    networks : int
        Of each kind.
    seconds : float
    stack : str
    seed : int

    Yields
    ------
    QuicTransfer
    """
    drawn = list(kernel_paths.draw(runs=networks, duration_s=seconds, seed=seed))
    # Both kinds meet the same load of the machine.
    drawn.sort(key=lambda network: network.number)
    for network in drawn:
        beside = tuple(flow.model_copy(update={"kind": _RIVAL}) for flow in network.scenario.background)
        scenario = network.scenario.model_copy(update={"background": beside})
        for mode in MODES:
            yield QuicTransfer(network.variant, network.number, stack, mode, scenario)


def _run(transfer: QuicTransfer, folder: Path) -> None:
    """Run a transfer in namespaces of its own; what it says of a failure is in ``stderr``."""
    folder.mkdir(parents=True)
    (folder / SETTINGS).write_text(json.dumps({"stack": transfer.stack, "mode": transfer.mode}))
    (folder / SCENARIO).write_text(written(transfer.scenario))
    known = os.environ.get("PYTHONPATH")
    environment = os.environ | {"PYTHONPATH": f"{_ROOT}{os.pathsep}{known}" if known else str(_ROOT)}
    command = ending_with_this(
        [*_UNSHARE, sys.executable, "-m", "studies.quic.relayed_transfer", str(folder.absolute())]
    )
    with (folder / "stderr").open("wb") as stderr:
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=stderr, check=False)


def row(transfer: QuicTransfer, folder: Path) -> dict[str, Any]:
    """Return what a transfer came to, and what its qlog says beside it.

    Parameters
    ----------
    transfer : QuicTransfer
    folder : Path
        Of its files.

    Returns
    -------
    dict
    """
    begun = {
        "stack": transfer.stack,
        "variant": transfer.variant,
        "number": transfer.number,
        "mode": transfer.mode,
        "rates_mbit_s": " ".join(f"{link.rate_at_mbit_s(0.0):g}" for link in transfer.scenario.links),
        "rtts_ms": " ".join(f"{path.rtt_ms:g}" for path in transfer.scenario.subflows),
    }
    if not (folder / RESULT).exists():
        lines = (folder / "stderr").read_text(errors="replace").strip().splitlines()
        return {**begun, "failed": lines[-1] if lines else "without a word"}
    result = json.loads((folder / RESULT).read_text())
    seconds = transfer.scenario.duration_s - CONNECTION_START_S
    sender = judged(folder / QLOG)
    replay = compared(folder / QLOG, sender)
    truth = "shared" if transfer.variant == kernel_paths.SHARED else "apart"
    decided = [judgement for judgement in sender if judgement.verdict in {"shared", "apart"}]
    first = next((judgement.time_ns / _NS_PER_S for judgement in decided if judgement.verdict == truth), None)
    return {
        **begun,
        "goodput_mbit_s": round(result["received_bytes"] * 8e-6 / seconds, 4),
        "rival_mbit_s": round(result["rival_bytes"] * 8e-6 / transfer.scenario.duration_s, 4),
        "acked_bytes": " ".join(map(str, result["sender"]["acked_bytes"])),
        "judgements": len(sender),
        "decided": len(decided),
        "decided_right": sum(judgement.verdict == truth for judgement in decided),
        "first_right_s": None if first is None else round(first, 3),
        "last_verdict": sender[-1].verdict if sender else "",
        "replayed": replay.judgements,
        "replayed_equal": replay.equal,
        "last_replayed": replay.last_verdict,
        "load": round(result["load"], 2),
        "failed": "",
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    parser.add_argument("--out", type=Path, required=True, help="folder for runs.csv and the files of each run; new")
    parser.add_argument("--stack", choices=STACKS, default="noq")
    parser.add_argument("--networks", type=int, default=10, help="of each kind (10)")
    parser.add_argument("--seconds", type=float, default=30.0, help="of a transfer (30)")
    parser.add_argument("--jobs", type=int, default=3, help="transfers at a time (3)")


def run(arguments: argparse.Namespace, _params: Params) -> int:
    """Run the transfers, and write a row for each."""
    transfers = list(draw(arguments.networks, arguments.seconds, arguments.stack))
    folders = [arguments.out / transfer.name for transfer in transfers]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for place, _ in enumerate(pool.map(_run, transfers, folders), 1):
            stage.say(f"{place} of {len(transfers)} transfers")
    rows = [row(transfer, folder) for transfer, folder in zip(transfers, folders, strict=True)]
    write_csv(pd.DataFrame(rows), arguments.out / "runs.csv")
    return stage.EXIT_OK
