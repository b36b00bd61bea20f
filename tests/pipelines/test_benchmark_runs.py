"""A benchmark task on a run's data: what is replayed is what is asked, and a folder of it has the same figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.benchmark import task_folder
from models.benchmark.run_connections import RunConnections, TaskNotRunError
from models.benchmark.task import TASKS
from models.benchmark.task_file import TaskFile
from models.last_verdict.dataset_tables import DatasetTables
from pipelines.judging.task_run import TaskRun
from pipelines.params import read_params

TASK = TASKS["sites-1"]


def figures(scores: list[object]) -> dict[str, str]:
    return {vars(one)["detector"]: str(vars(one)) for one in scores}


def test_replayed_asked_and_of_a_folder_alike(quick: Path, tmp_path: Path) -> None:
    data = DatasetTables(*(quick / "data" / name for name in ("tables", "truth", "features", "tiles")))
    params = read_params(quick / "params.yaml")
    run = RunConnections.of(TASK, data)
    split = run.split(TASK, "S")
    known = TaskFile(TASK, {"S": split}, None, {})
    task = TaskRun.of_run(known, "S", run)
    replayed = figures([*task.replayed(quick / "data/replayed", params)])
    assert replayed == figures([*task.asked(None, params)])
    task_folder.write(tmp_path, "S", known, split, run)
    assert replayed == figures([*TaskRun.of_folder(tmp_path).asked(None, params)])
    assert figures([task.learnt("tree", params)]) == figures([TaskRun.of_folder(tmp_path).learnt("tree", params)])


def test_connections_that_a_run_does_not_have_are_not_run(quick: Path) -> None:
    data = DatasetTables(*(quick / "data" / name for name in ("tables", "truth", "features", "tiles")))
    with pytest.raises(TaskNotRunError, match="the dataset diverse is not there"):
        RunConnections.of(TASKS["kernel-1"], data)
    run = RunConnections.of(TASK, data)
    split = run.split(TASK, "S")
    other = type(split)(split.train, (*split.test, "f" * 16))
    with pytest.raises(TaskNotRunError, match=f"1 of {len(other.test)} connections"):
        run.check(other)
