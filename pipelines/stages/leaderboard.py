"""Run every benchmark task with every detector of ours, at the size in git and at those of this run's data."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pandas as pd

from smartsbd.models.families import growth as growth  # noqa: PLC0414 - before processes are forked, which need it
from smartsbd.models.last_verdict.dataset_tables import DatasetTables
from smartsbd.pipelines.benchmark import task_file
from smartsbd.pipelines.benchmark.run_connections import RunConnections, TaskNotRunError
from smartsbd.pipelines.benchmark.task import SMALLEST, TASKS, BenchmarkTask
from smartsbd.pipelines.benchmark.task_score import NOT_RUN, TaskScore
from smartsbd.pipelines.judging.task_run import TaskRun
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_csv, write_parquet
from smartsbd.pipelines.running import stage

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--tasks", type=Path, required=True, help="folder with one folder for each task")
    parser.add_argument("--tables", type=Path, required=True, help="folder with one folder of tables for each dataset")
    parser.add_argument("--truths", type=Path, required=True, help="folder with one truth table for each dataset")
    parser.add_argument(
        "--features", type=Path, required=True, help="folder with one folder of windows for each dataset"
    )
    parser.add_argument("--tiles", type=Path, required=True, help="folder with one folder of tiles for each dataset")
    parser.add_argument(
        "--replayed", type=Path, required=True, help="folder with the detectors' opinions on each dataset"
    )
    parser.add_argument("--figures", type=Path, required=True, help="parquet file: the rows of the CSV file")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: every task, size and detector")


def _scores(task: BenchmarkTask, size: str, of: Callable[[], Iterator[TaskScore]]) -> list[TaskScore]:
    """Return the figures of a task at a size; if its data are not there, why."""
    try:
        return list(of())
    except TaskNotRunError as error:
        log.warning("%s, size %s: not run: %s", task.name, size, error)
        return [TaskScore.not_run(task, size, str(error))]


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    data = DatasetTables(arguments.tables, arguments.truths, arguments.features, arguments.tiles)
    scores: list[TaskScore] = []
    for task in TASKS.values():
        folder = arguments.tasks / task.name

        def in_git(folder: Path = folder) -> Iterator[TaskScore]:
            task_run = TaskRun.of_folder(folder).compared(task_file.read(folder))
            yield from task_run.asked(None, params)
            yield from task_run.all_learnt(params)

        def of_run(size: str, task: BenchmarkTask = task, folder: Path = folder) -> Iterator[TaskScore]:
            for dataset in (*task.trained, *task.tested):
                if dataset not in params.datasets:
                    raise TaskNotRunError(f"the dataset {dataset} is not one of this profile's")
            known = task_file.read(folder)
            task_run = TaskRun.of_run(known, size, RunConnections.of(task, data)).compared(known, made_here=True)
            yield from task_run.replayed(arguments.replayed, params)
            yield from task_run.all_learnt(params)

        scores += _scores(task, SMALLEST, in_git)
        for size in params.leaderboard.sizes:
            scores += _scores(task, size, partial(of_run, size))
    table = pd.DataFrame([score.row() for score in scores])
    write_parquet(table, arguments.figures)
    write_csv(table, arguments.table)
    log.info("%d tasks, %d figures", len(TASKS), sum(score.detector != NOT_RUN for score in scores))
    return stage.EXIT_OK
