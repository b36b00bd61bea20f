"""Run a task of the benchmark with a detector, show the tasks, and make a task's folder at a size.

DETECTOR is the name of one of ours, of a family that learns from the task's training side, or somebody else's detector
as `sbd score --detector` takes it: a command in one argument, or a C header.
"""

from __future__ import annotations

import argparse
import logging
import textwrap
from collections.abc import Iterator
from pathlib import Path

from smartsbd.contracts.fault import UsageFault
from smartsbd.contracts.shortage import check_memory
from smartsbd.detectors import DETECTORS
from smartsbd.export.compiled_header import HEADER
from smartsbd.models.last_verdict.dataset_tables import DatasetTables
from smartsbd.pipelines.benchmark import task_file, task_folder
from smartsbd.pipelines.benchmark.named_split import NamedSplit
from smartsbd.pipelines.benchmark.run_connections import RunConnections, TaskNotRunError
from smartsbd.pipelines.benchmark.task import PROFILES, SIZES, SMALLEST, TASKS, BenchmarkTask, task_of
from smartsbd.pipelines.benchmark.task_file import TaskFile
from smartsbd.pipelines.benchmark.task_score import NOT_OURS, TaskScore
from smartsbd.pipelines.benchmark.task_tables import LEARNT
from smartsbd.pipelines.judging.detector_opinions import foreign
from smartsbd.pipelines.judging.foreign_options import add_foreign_options, limits_of
from smartsbd.pipelines.judging.task_run import TaskRun, not_named
from smartsbd.pipelines.judging.task_verdicts import by_foreign
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.scorecard_page import said_of_answers
from smartsbd.pipelines.reporting.tables.cell import interval, number
from smartsbd.pipelines.reporting.text_table import aligned
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.running.dag import in_project
from smartsbd.pipelines.running.unfinished_folder import unfinished
from smartsbd.pipelines.running.written_path import written_folder

log = logging.getLogger(__name__)

#: Beyond what is mapped by all that is imported.
_LEAST_BYTES = 512 << 20
_COLUMNS, _INDENT = 100, "  "
TASKS_FOLDER = Path("data/benchmark")
_CODE = Path(__file__).resolve().parents[2]
#: Of the project that this is typed in; of the checkout whose program this is; of an installed package.
_TASKS = (TASKS_FOLDER, _CODE / TASKS_FOLDER, _CODE / "benchmark")
_RUN_DATA = DatasetTables(Path("data/tables"), Path("data/truth"), Path("data/features"), Path("data/tiles"))


class BenchmarkUsageError(UsageFault):
    """Arguments that do not go together."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    what = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    what.add_parser("list", help="show the tasks, and which sizes are named")
    run_one = what.add_parser("run", help="run a task with a detector")
    run_one.add_argument("task", metavar="TASK", help=f"one of {', '.join(TASKS)}")
    run_one.add_argument(
        "detector",
        metavar="DETECTOR",
        help=f"one of {', '.join((*DETECTORS, *LEARNT))}, a command in one argument, or a path that ends with {HEADER}",
    )
    where = run_one.add_mutually_exclusive_group()
    _add_size(where)
    where.add_argument(
        "--folder", metavar="DIR", type=Path, help="a folder that `sbd benchmark folder` made, in place of --size"
    )
    add_foreign_options(run_one)
    folder = what.add_parser("folder", help="write a task's tables at a size, of this run's data")
    folder.add_argument("task", metavar="TASK")
    _add_size(folder)
    folder.add_argument("--out", metavar="DIR", type=written_folder, required=True, help="folder to make")
    name = what.add_parser("name", help="name the connections and tables of a task at a size, of this run's data")
    name.add_argument("task", metavar="TASK")
    _add_size(name)


def _add_size(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--size",
        choices=SIZES,
        default=SMALLEST,
        help="XS is in git, S is of the default profile's data, M and L of the profile full's (default: %(default)s)",
    )


def _home(task: BenchmarkTask) -> Path:
    """Return the folder of a task's file and of its smallest size; a project has its own."""
    homes = [place / task.name for place in (_TASKS[:1] if in_project() else _TASKS)]
    return next((home for home in homes if (home / task_file.TASK_FILE).is_file()), homes[0])


def _file_of(task: BenchmarkTask) -> TaskFile:
    """Return a task's file in git; of a new task, one that names nothing."""
    home = _home(task)
    return task_file.read(home) if (home / task_file.TASK_FILE).exists() else TaskFile(task, {}, {}, None, {})


def _named_split(task: BenchmarkTask, size: str) -> NamedSplit:
    """Return the connections that are named at a size."""
    known = _file_of(task)
    split = known.split(size)
    if split is None:
        raise TaskNotRunError(f"{task.name}: {not_named(known, size)}")
    return split


def _listed() -> Iterator[str]:
    """Yield the tasks, each with its connections to learn from and to judge at every size; 100 columns are enough."""
    for task in TASKS.values():
        splits = _file_of(task).splits
        named = ", ".join(
            f"{size} {len(splits[size].train)}+{len(splits[size].test)}" for size in SIZES if size in splits
        )
        question = textwrap.wrap(task.question, _COLUMNS - len(_INDENT))
        yield f"{task.name}: learnt from {', '.join(task.trained)}, judged on {', '.join(task.tested)}"
        yield from (f"{_INDENT}{line}" for line in question)
        yield f"{_INDENT}connections, learnt from + judged: {named or 'not named: not run'}"


def _task_run(arguments: argparse.Namespace, task: BenchmarkTask) -> TaskRun:
    """Return the task to run, compared with its file in git: whoever made a folder wrote the folder's own file too."""
    return _with_tables(arguments, task).compared(_file_of(task))


def _with_tables(arguments: argparse.Namespace, task: BenchmarkTask) -> TaskRun:
    if arguments.folder is not None:
        given = TaskRun.of_folder(arguments.folder)
        if given.task != task:
            raise BenchmarkUsageError(f"{arguments.folder} holds the task {given.task.name}")
        return given
    if arguments.size == SMALLEST:
        home = _home(task)
        if home.parent == _TASKS[-1]:
            raise TaskNotRunError(
                f"{task.name}: an installed package has the task's features (smartsbd.datasets) and not its signals:"
                " run this in a checkout, or on a --folder"
            )
        return TaskRun.of_folder(home)
    # Said first: without names, data would not help.
    _named_split(task, arguments.size)
    return TaskRun.of_run(_file_of(task), arguments.size, RunConnections.of(task, _RUN_DATA))


def _score(arguments: argparse.Namespace, params: Params) -> TaskScore:
    detector = arguments.detector
    limits = limits_of(arguments)
    check_memory(_LEAST_BYTES)
    if detector in DETECTORS or detector in LEARNT:
        task_run = _task_run(arguments, task_of(arguments.task))
        return task_run.learnt(detector, params) if detector in LEARNT else task_run.asked([detector], params)[0]
    asked = foreign(detector, limits, trusted=arguments.trust_header)
    task_run = _task_run(arguments, task_of(arguments.task))
    on_labels, answers = by_foreign(task_run.tables, task_run.connections(), asked)
    for sentence in said_of_answers(answers):
        log.warning("%s", sentence)
    return task_run.score("this detector", on_labels, params)


def _in_words(score: TaskScore) -> list[dict[str, str]]:
    row = score.row()
    return [
        {
            "task": score.task,
            "size": score.size,
            "detector": score.detector + "*" * score.seen,
            "labels: shared, not": f"{score.shared}, {score.labels - score.shared}",
            "right": ", ".join([interval(row, "right"), *([score.why] if score.why else [])]),
            "decided": number(score.decided, 3),
            "right of decided": number(score.right_of_decided, 3),
            "first verdict, s": number(score.first_s, 1),
        }
    ]


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    if arguments.what == "list":
        stage.say(*_listed())
        return stage.EXIT_OK
    if arguments.what == "run":
        score = _score(arguments, params)
        stage.say(*aligned(_in_words(score)))
        if score.seen:
            stage.say("* its thresholds or inputs were chosen with the judged connections in view")
        if score.why == NOT_OURS:
            stage.say(
                f"{NOT_OURS}: {TASKS_FOLDER / score.task / task_file.TASK_FILE} has no digests of them at {score.size},"
                " so they may be anybody's"
            )
        return stage.EXIT_OK
    task, size = task_of(arguments.task), arguments.size
    if arguments.what == "name":
        profile = PROFILES.get(size, params.profile)
        if params.profile != profile:
            raise BenchmarkUsageError(f"size {size} is of the profile {profile}; params.yaml has {params.profile}")
        there = RunConnections.of(task, _RUN_DATA)
        split = there.split(task, size)
        made = there.tables(split)
        named = _file_of(task).named(size, split, made.labels_sha256(), task_folder.contents(made, split, there))
        named.write(TASKS_FOLDER / task.name)
        stage.say(f"{task.name}, size {size}: {len(split.train)} to learn from, {len(split.test)} to judge")
        return stage.EXIT_OK
    split = _named_split(task, size)
    there = RunConnections.of(task, _RUN_DATA)
    there.check(split)
    with unfinished(arguments.out) as part:
        written = task_folder.write(part, size, _file_of(task), split, there)
    stage.say(f"{arguments.out}: {', '.join(written.digests)}")
    return stage.EXIT_OK
