"""A benchmark task on a run's data: what is replayed is what is asked, and a folder of it has the same figures."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from smartsbd.models.last_verdict.dataset_tables import DatasetTables
from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.benchmark import task_file, task_folder
from smartsbd.pipelines.benchmark.run_connections import RunConnections, TaskNotRunError
from smartsbd.pipelines.benchmark.task import TASKS
from smartsbd.pipelines.benchmark.task_file import TASK_FILE, TaskChangedError, TaskFile
from smartsbd.pipelines.benchmark.task_folder import TaskFolder
from smartsbd.pipelines.benchmark.task_score import NOT_OURS
from smartsbd.pipelines.judging.task_run import TaskRun
from smartsbd.pipelines.params import read_params
from smartsbd.pipelines.running.stage import EXIT_BAD_INPUT, EXIT_OK, EXIT_USAGE
from smartsbd.traces.log_writing import log_lines

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


def test_a_run_s_tables_are_the_task_s_if_git_has_their_digests(quick: Path, tmp_path: Path) -> None:
    data = DatasetTables(*(quick / "data" / name for name in ("tables", "truth", "features", "tiles")))
    params = read_params(quick / "params.yaml")
    run = RunConnections.of(TASK, data)
    split = run.split(TASK, "S")
    made = run.tables(split)
    without = TaskFile(TASK, {}, {}, None, {}).named("S", split, made.labels_sha256())
    task = TaskRun.of_run(without, "S", run)
    assert task.compared(without).learnt("tree", params).why == NOT_OURS
    assert task.compared(without, made_here=True).learnt("tree", params).why == ""
    known = without.named("S", split, made.labels_sha256(), task_folder.contents(made, split, run))
    assert task.compared(known).learnt("tree", params).why == ""
    # Written twice, a folder has the same bytes; and what is named is what it holds.
    for name in ("first", "second"):
        task_folder.write(tmp_path / name, "S", known, split, run)
    first, second = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("first", "second")
    )
    assert first == second and TaskFolder(tmp_path / "first").contents() == known.contents["S"]
    other = known.contents["S"] | {"train.parquet": "ab" * 32}
    changed = TaskFile(TASK, {"S": split}, {"S": made.labels_sha256()}, None, {}, {"S": other})
    with pytest.raises(TaskChangedError, match=r"train\.parquet is not what was named"):
        task.compared(changed)
    with pytest.raises(TaskChangedError, match=r"train\.parquet is not what was named"):
        task_folder.write(tmp_path / "third", "S", changed, split, run)


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
    tasks = Path("data/benchmark/sites-1")
    named = task_file.read(tasks)
    assert named.contents == {"XS": TaskFolder(Path("made")).contents()}
    before = {path.name: path.read_bytes() for path in Path("made").iterdir()}
    capsys.readouterr()
    assert main(["benchmark", "run", "sites-1", "wavelet", "--folder", "made"]) == EXIT_OK
    assert NOT_OURS not in capsys.readouterr().out
    # A size that was named before its tables were: its figure says so until it is named once more.
    replace(named, contents={}).write(tasks)
    assert main(["benchmark", "run", "sites-1", "wavelet", "--folder", "made"]) == EXIT_OK
    assert NOT_OURS in capsys.readouterr().out
    assert main(["benchmark", "name", "sites-1"]) == EXIT_OK
    assert task_file.read(tasks) == named
    content = (tasks / TASK_FILE).read_bytes()
    assert main(["benchmark", "name", "sites-1"]) == EXIT_OK
    assert (tasks / TASK_FILE).read_bytes() == content
    assert main(["benchmark", "folder", "sites-1", "--out", "made"]) == EXIT_USAGE
    assert "made is there already" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in Path("made").iterdir()} == before
