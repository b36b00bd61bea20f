"""A benchmark task on a run's data: what is replayed is what is asked, and a folder of it has the same figures."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from models.benchmark import task_folder
from models.benchmark.run_connections import RunConnections, TaskNotRunError
from models.benchmark.task import TASKS
from models.benchmark.task_file import TaskChangedError, TaskFile
from models.last_verdict.dataset_tables import DatasetTables
from pipelines.__main__ import main
from pipelines.judging.task_run import TaskRun
from pipelines.params import read_params
from pipelines.running.stage import EXIT_BAD_INPUT, EXIT_OK, EXIT_USAGE
from traces.log_writing import log_lines

TASK = TASKS["sites-1"]


def figures(scores: list[object]) -> dict[str, str]:
    return {vars(one)["detector"]: str(vars(one)) for one in scores}


def test_replayed_asked_and_of_a_folder_alike(quick: Path, tmp_path: Path) -> None:
    data = DatasetTables(*(quick / "data" / name for name in ("tables", "truth", "features", "tiles")))
    params = read_params(quick / "params.yaml")
    run = RunConnections.of(TASK, data)
    split = run.split(TASK, "S")
    known = TaskFile(TASK, {"S": split}, {"S": run.tables(split).labels_sha256()}, None, {})
    task = TaskRun.of_run(known, "S", run)
    replayed = figures([*task.replayed(quick / "data/replayed", params)])
    assert replayed == figures([*task.asked(None, params)])
    task_folder.write(tmp_path, "S", known, split, run)
    assert replayed == figures([*TaskRun.of_folder(tmp_path).asked(None, params)])
    of_folder = TaskRun.of_folder(tmp_path)
    assert figures([task.learnt("tree", params)]) == figures([of_folder.learnt("tree", params)])
    for of_run, of_file in zip(task.connections(), of_folder.connections(), strict=True):
        assert log_lines(1, *of_run.rows) == log_lines(1, *of_file.rows)


def test_a_run_with_other_labels_is_not_that_task(quick: Path) -> None:
    """Parameters of a run may find a label valid or not; the task's labels stay."""
    data = DatasetTables(*(quick / "data" / name for name in ("tables", "truth", "features", "tiles")))
    run = RunConnections.of(TASK, data)
    split = run.split(TASK, "S")
    name = split.test[0]
    turned = [{**label, "shared": not label["shared"]} for label in run.tested[name].labels]
    other = replace(run, tested={**run.tested, name: replace(run.tested[name], labels=turned)})
    known = TaskFile(TASK, {"S": split}, {"S": run.tables(split).labels_sha256()}, None, {})
    with pytest.raises(TaskChangedError, match="the labels are not those that were named"):
        TaskRun.of_run(known, "S", other)


def test_connections_that_a_run_does_not_have_are_not_run(quick: Path) -> None:
    data = DatasetTables(*(quick / "data" / name for name in ("tables", "truth", "features", "tiles")))
    with pytest.raises(TaskNotRunError, match="the dataset diverse is not there"):
        RunConnections.of(TASKS["kernel-1"], data)
    run = RunConnections.of(TASK, data)
    split = run.split(TASK, "S")
    other = type(split)(split.train, (*split.test, "f" * 16))
    with pytest.raises(TaskNotRunError, match=f"1 of {len(other.test)} connections"):
        run.check(other)


def test_a_task_is_named_and_its_folder_written_once(
    quick: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data").mkdir()
    for name in ("tables", "truth", "features", "tiles"):
        (tmp_path / "data" / name).symlink_to(quick / "data" / name)
    for name in ("params.yaml", "dvc.yaml"):
        shutil.copy(quick / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["benchmark", "folder", "sites-1", "--out", "made"]) == EXIT_BAD_INPUT
    assert "`sbd benchmark name sites-1 --size XS` names those of a run" in capsys.readouterr().err
    assert main(["benchmark", "name", "sites-1"]) == EXIT_OK
    assert main(["benchmark", "folder", "sites-1", "--out", "made"]) == EXIT_OK
    before = {path.name: path.read_bytes() for path in Path("made").iterdir()}
    assert main(["benchmark", "run", "sites-1", "wavelet", "--folder", "made"]) == EXIT_OK
    assert main(["benchmark", "folder", "sites-1", "--out", "made"]) == EXIT_USAGE
    assert "made is there already" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in Path("made").iterdir()} == before
