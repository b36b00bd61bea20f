"""Make labelled MPTCP connections of this machine's own kernel, from the simulator's scenarios, in real time.

Each run has network namespaces of its own, which end with it, and a relay between them that shapes links in user space.
Root is needed. What a scenario asks for and this kernel has not got is refused by name. docs/testbed.md says what goes.
"""

from __future__ import annotations

import argparse
import logging
import shutil
import tempfile
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from smartsbd.contracts.fault import Fault, UsageFault
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.params.block import ParamsError
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.running.unfinished_folder import unfinished
from smartsbd.pipelines.running.written_path import written_folder
from smartsbd.scenarios import datasets
from smartsbd.scenarios.closed_loop import EXPERIMENTS
from smartsbd.scenarios.closed_loop.loop_experiment import LoopNetwork
from smartsbd.testbed import machine, planned_run
from smartsbd.testbed.dataset_folder import FAILURES, INPUTS, RECEIVED, TRUTH, DatasetFolder
from smartsbd.testbed.decided_groups import COLUMNS, DecidedGroups, status
from smartsbd.testbed.isolation import IsolatedRun
from smartsbd.testbed.planned_run import PlannedRun
from smartsbd.testbed.running_program import EmulationError

log = logging.getLogger(__name__)

_VERDICTS = "verdicts.csv"
#: The setting of a dataset that counts how often it was drawn again.
_ATTEMPT = "attempt"
#: Tables of an experiment's outcome.
_GROUPS, _OUTCOMES, _ACCURACY, _COSTS = "groups.csv", "outcomes.csv", "accuracy.csv", "costs.csv"


class WhatToRunError(UsageFault):
    """Neither scenarios nor a dataset are named, or both are, or the options cannot be used together."""


class FailedRunsError(Fault):
    """Some runs failed; the folder has the others."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    # An error is one line.
    parser.usage = argparse.SUPPRESS
    parser.add_argument("scenarios", metavar="SCENARIO", nargs="*", type=Path, help="scenario files (JSON)")
    parser.add_argument(
        "--dataset",
        metavar="NAME",
        help="in place of files, the scenarios of a simulated dataset, as params.yaml has it; wide_linux and"
        " unseen_linux have what Linux has",
    )
    parser.add_argument("--seed", metavar="N", type=int, help="of a dataset: seed in place of that of params.yaml")
    parser.add_argument(
        "--experiment",
        metavar="NAME",
        choices=planned_run.KERNEL_EXPERIMENTS,
        help="in place of files, the networks of an experiment with the loop closed, of"
        f" {', '.join(planned_run.KERNEL_EXPERIMENTS)}, each under controllers that `sbd kernel load` brings;"
        f" {_GROUPS}, {_OUTCOMES}, {_ACCURACY} and {_COSTS} tell what came of each",
    )
    parser.add_argument(
        "--controls",
        metavar="NAME",
        nargs="+",
        choices=planned_run.KERNEL_CONTROLS,
        help=f"of an experiment: what each network is run under, of {', '.join(planned_run.KERNEL_CONTROLS)} (default:"
        f" {', '.join(planned_run.DEFAULT_CONTROLS)}); the last two are sbd_smart, by what was loaded",
    )
    parser.add_argument("--networks", metavar="N", type=int, help="of an experiment: networks of each kind")
    parser.add_argument("--seconds", metavar="S", type=float, help="of an experiment: length of each transfer")
    parser.add_argument("--out", metavar="DIR", type=written_folder, required=True, help="folder to make")
    parser.add_argument(
        "--congestion-control",
        metavar="NAME",
        help="controller of the connection, any that the kernel has, in place of the scenario's",
    )
    parser.add_argument("--captures-only", action="store_true", help="no logs: needs no `sbd record`")
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=int,
        default=1,
        help="runs at once (default: 1); lateness.csv says whether the machine kept up",
    )
    parser.add_argument(
        "--most-mbit-s",
        metavar="R",
        type=float,
        help="of runs at once: none begins while its bottlenecks and those of the others are faster than this in sum,"
        " unless it is alone",
    )
    parser.add_argument(
        "--again",
        metavar="N",
        type=int,
        default=0,
        help="of a dataset with `attempt`: how often what fails is drawn again, with the next number of its kind"
        f" (default: 0); {FAILURES} has what failed",
    )
    parser.add_argument(
        "--judge",
        action="store_true",
        help=f"judge the logs by the default detector, and say how many verdicts are right; {_VERDICTS} has each",
    )


def _networks(arguments: argparse.Namespace) -> list[LoopNetwork]:
    settings = planned_run.KERNEL_EXPERIMENTS[arguments.experiment]
    asked = {"runs": arguments.networks, "repetitions": arguments.networks, "duration_s": arguments.seconds}
    changed = {name: value for name, value in asked.items() if value is not None and name in settings}
    return list(EXPERIMENTS[arguments.experiment].draw(**settings | changed))


def _controls(arguments: argparse.Namespace) -> Sequence[str]:
    """Return what networks are run under; make sure that sbd_smart asks what the runs are named by."""
    controls: Sequence[str] = arguments.controls or planned_run.DEFAULT_CONTROLS
    wanted = [planned_run.ASKED[control] for control in controls if control in planned_run.ASKED]
    if len(wanted) > 1:
        raise WhatToRunError("--controls names two that sbd_smart would ask, and it asks one")
    loaded = status()
    if loaded is None:
        raise WhatToRunError("--experiment needs controllers of the kernel: sbd kernel load")
    if wanted and wanted != [loaded["asks"]]:
        raise WhatToRunError(f"sbd_smart asks {loaded['asks']}, not {wanted[0]}: sbd kernel unload, and load it anew")
    return controls


def _planned(arguments: argparse.Namespace, params: Params) -> list[PlannedRun]:
    if sum(map(bool, (arguments.scenarios, arguments.dataset, arguments.experiment))) != 1:
        raise WhatToRunError("name scenario files, or a dataset by --dataset, or an experiment by --experiment")
    if arguments.jobs < 1:
        raise WhatToRunError("--jobs must be at least 1")
    if arguments.judge and arguments.captures_only:
        raise WhatToRunError("--judge judges logs, and --captures-only makes none")
    if arguments.experiment:
        if arguments.captures_only or arguments.congestion_control:
            raise WhatToRunError("--experiment needs logs, and has controllers of its own")
        networks = _networks(arguments)
        return planned_run.of_networks(arguments.experiment, networks, _controls(arguments))
    if arguments.controls:
        raise WhatToRunError("--controls are of an experiment")
    if not arguments.dataset and (arguments.seed is not None or arguments.again):
        raise WhatToRunError("--seed and --again are of a dataset")
    if arguments.scenarios:
        return planned_run.of_files(arguments.scenarios, arguments.congestion_control)
    return _draw_runs(arguments, params, attempt=0)


def _draw_runs(arguments: argparse.Namespace, params: Params, attempt: int) -> list[PlannedRun]:
    """Return the runs of a dataset, drawn again `attempt` times."""
    settings = params.simulate.model_dump().get(arguments.dataset)
    if settings is None:
        raise ParamsError(f"{arguments.params}: simulate.{arguments.dataset} is missing")
    if arguments.again and _ATTEMPT not in settings:
        raise WhatToRunError(f"--again needs a dataset that is drawn with `{_ATTEMPT}`, {arguments.dataset} is not")
    if arguments.seed is not None:
        settings["seed"] = arguments.seed
    if attempt:
        settings[_ATTEMPT] += attempt
    return planned_run.of_dataset(
        arguments.dataset, datasets.draw(arguments.dataset, settings), arguments.congestion_control
    )


@dataclass(frozen=True)
class _Together:
    """How many runs there may be at once, and how fast their bottlenecks in sum; without a limit, as fast as may be."""

    jobs: int
    most_mbit_s: float | None

    def has_room(self, running: Sequence[PlannedRun], another: PlannedRun) -> bool:
        if not running:
            return True
        if len(running) == self.jobs:
            return False
        asked = sum(planned.fastest_mbit_s for planned in (*running, another))
        return self.most_mbit_s is None or asked <= self.most_mbit_s


def _running(runs: Sequence[PlannedRun], part: Path, together: _Together, *, recorder: bool) -> Generator[IsolatedRun]:
    """Yield runs in order, several of them running at once; those that have not been yielded are killed at the end."""
    ahead: deque[tuple[PlannedRun, IsolatedRun]] = deque()
    try:
        for planned in runs:
            while not together.has_room([begun for begun, _ in ahead], planned):
                yield ahead.popleft()[1]
            log.info("%s: %g s", planned.name, planned.scenario.duration_s)
            work = Path(tempfile.mkdtemp(dir=part, prefix=".run-"))
            ahead.append((planned, IsolatedRun(planned.scenario, planned.controller, work, recorder=recorder)))
        while ahead:
            yield ahead.popleft()[1]
    finally:
        for _, left in ahead:
            left.kill()


def _added(
    folder: DatasetFolder, runs: Sequence[PlannedRun], arguments: argparse.Namespace
) -> Iterator[tuple[str, EmulationError]]:
    """Run all and add them to a folder; yield the names of those that failed, with the reason."""
    together = _Together(arguments.jobs, arguments.most_mbit_s)
    running = _running(runs, folder.path, together, recorder=not arguments.captures_only)
    with closing(running):
        for planned, isolated in zip(runs, running, strict=True):
            try:
                folder.add(planned.name, planned.setting, isolated.finished())
            except EmulationError as error:
                yield planned.name, error
            finally:
                isolated.kill()
                shutil.rmtree(isolated.folder)


def _recorded(
    folder: DatasetFolder, runs: Sequence[PlannedRun], arguments: argparse.Namespace, params: Params
) -> list[str]:
    """Run all and add them to a folder, and draw again those that fail; return those that failed to the last."""
    failed: dict[str, str] = {}
    for attempt in range(arguments.again + 1):
        if attempt:
            runs = [planned for planned in _draw_runs(arguments, params, attempt) if planned.name in failed]
        failed = {}
        for name, error in _added(folder, runs, arguments):
            failed[name] = f"{name}: {error}"
            folder.add_failure(name, attempt, str(error))
            log.error("%s: %s", name, error)
        if not failed:
            break
    return list(failed.values())


def _judge(out: Path, params: Params) -> None:
    """Judge the logs of a folder, write every verdict and say how many are right."""
    # Needed here alone, and slow to import.
    import pandas as pd

    from smartsbd.pipelines.judging.last_verdicts import LastVerdict, counted, last_verdicts
    from smartsbd.pipelines.reporting.report_files import write_csv
    from smartsbd.pipelines.reporting.text_table import aligned
    from smartsbd.traces.truth import read_csv

    verdicts = list(last_verdicts(out / INPUTS, read_csv(out / TRUTH), params))
    columns = [column.name for column in fields(LastVerdict)]
    table = pd.DataFrame([asdict(verdict) for verdict in verdicts], columns=columns)
    table = table.rename(columns={"verdict": "said"})
    write_csv(table, out / _VERDICTS)
    stage.say(*aligned(counted(verdicts)))


def _tell(out: Path, runs: Sequence[PlannedRun], groups: DecidedGroups, params: Params) -> None:
    """Write the controllers' decisions and each run's outcome and cost, and say how the controllers compare."""
    # Needed here alone, and slow to import.
    import pandas as pd

    from smartsbd.pipelines.closed_loop import comparison, kernel_cost, kernel_loop
    from smartsbd.pipelines.reporting.report_files import write_csv
    from smartsbd.pipelines.reporting.text_table import aligned

    decided = pd.DataFrame(groups.rows, columns=COLUMNS)
    received, truth = pd.read_csv(out / RECEIVED), pd.read_csv(out / TRUTH, dtype={"token": str})
    loops = {planned.name: planned.loop for planned in runs if planned.loop is not None}
    outcomes = kernel_loop.outcomes(loops, received, truth, decided)
    costs = kernel_cost.costs(loops, received, truth, decided, kernel_cost.hook_ns(groups.programs()))
    accuracy = comparison.accuracy_by_force(kernel_loop.judged(loops, received, truth, decided))
    for table, name in ((decided, _GROUPS), (outcomes, _OUTCOMES), (accuracy, _ACCURACY), (costs, _COSTS)):
        write_csv(table, out / name)
    stage.say(*aligned(list(kernel_loop.compared(outcomes, params))))
    stage.say(*aligned(list(kernel_cost.summed(costs))))


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    out: Path = arguments.out
    runs = _planned(arguments, params)
    machine.check(recorder=not arguments.captures_only)
    groups = DecidedGroups()
    with unfinished(out) as part, groups if arguments.experiment else nullcontext():
        folder = DatasetFolder(part, params.validate_.min_utilisation)
        failures = _recorded(folder, runs, arguments, params)
        if len(failures) == len(runs):
            raise FailedRunsError(f"no run came to its end, first {failures[0]}")
        folder.finish()
    for remark in folder.remarks:
        log.warning("%s", remark)
    stage.say(f"{out}: {len(runs) - len(failures)} runs")
    for inputs, labels in folder.labelled():
        stage.say(f"sbd new-dataset {out / inputs} --labels {out / labels} --name NAME")
    if arguments.experiment and (INPUTS, TRUTH) in folder.labelled():
        _tell(out, runs, groups, params)
    if arguments.judge:
        _judge(out, params)
    if failures:
        raise FailedRunsError(f"{len(failures)} of {len(runs)} runs failed, first {failures[0]}")
    return stage.EXIT_OK
