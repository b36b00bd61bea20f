"""Make labelled MPTCP connections of this machine's own kernel, from the simulator's scenarios, in real time.

Each run has network namespaces of its own, which end with it, and a relay between them that shapes links in user space.
Root is needed. What a scenario asks for and this kernel has not got is refused by name. docs/testbed.md says what goes.
"""

from __future__ import annotations

import argparse
import logging
import shutil
import tempfile
from pathlib import Path

from contracts.fault import Fault, UsageFault
from pipelines.params import Params
from pipelines.running import stage
from scenarios.scenario import Scenario
from testbed import isolation, machine
from testbed.dataset_folder import CAPTURES, INPUTS, TRUTH, TRUTH_OF_CAPTURES, DatasetFolder
from testbed.refusal import RefusedScenarioError, read_scenario, refusals
from testbed.running_program import EmulationError

log = logging.getLogger(__name__)


class OutputError(UsageFault):
    """The folder to write cannot be used, or two runs would have one name."""


class FailedRunsError(Fault):
    """Some runs failed; the folder has the others."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    # What is wrong is one line.
    parser.usage = argparse.SUPPRESS
    parser.add_argument("scenarios", metavar="SCENARIO", nargs="+", type=Path, help="scenario files (JSON)")
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="folder to make")
    parser.add_argument(
        "--congestion-control", metavar="NAME", help="controller of the connection, in place of the scenario's"
    )
    parser.add_argument("--captures-only", action="store_true", help="no logs: needs no `sbd record`")


def _read(paths: list[Path], controller: str | None) -> dict[str, tuple[Scenario, str]]:
    """Return scenarios and controllers by the names of their runs, all of which go."""
    found: dict[str, tuple[Scenario, str]] = {}
    available = machine.controllers()
    for path in paths:
        scenario = read_scenario(path)
        own = controller or scenario.connection.congestion_control
        refused = refusals(scenario, own, available)
        if refused:
            raise RefusedScenarioError(f"{path}: does not go here:", refused)
        if path.stem in found:
            raise OutputError(f"{path}: another scenario has the name {path.stem}")
        found[path.stem] = scenario, own
    return found


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    out: Path = arguments.out
    if out.exists():
        raise OutputError(f"{out} is there already")
    runs = _read(arguments.scenarios, arguments.congestion_control)
    machine.check(recorder=not arguments.captures_only)
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(f".{out.name}.part")
    # What a run that was killed left is written over.
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    failures: list[str] = []
    try:
        folder = DatasetFolder(part, params.validate_.min_utilisation)
        for name, (scenario, controller) in runs.items():
            log.info("%s: %g s", name, scenario.duration_s)
            with tempfile.TemporaryDirectory(dir=part, prefix=".run-") as work:
                try:
                    recorder = not arguments.captures_only
                    folder.add(name, isolation.run(scenario, controller, Path(work), recorder=recorder))
                except EmulationError as error:
                    failures.append(f"{name}: {error}")
                    log.error("%s: %s", name, error)
        if len(failures) == len(runs):
            raise FailedRunsError(f"no run came to its end, first {failures[0]}")
        folder.finish()
        part.rename(out)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    for remark in folder.remarks:
        log.warning("%s", remark)
    stage.say(f"{out}: {len(runs) - len(failures)} runs")
    for inputs, labels in ((INPUTS, TRUTH), (CAPTURES, TRUTH_OF_CAPTURES)):
        if (out / inputs).exists():
            stage.say(f"sbd new-dataset {out / inputs} --labels {out / labels} --name NAME")
    if failures:
        raise FailedRunsError(f"{len(failures)} of {len(runs)} runs failed, first {failures[0]}")
    return stage.EXIT_OK
