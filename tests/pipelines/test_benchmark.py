"""The benchmark: what is in git, `sbd benchmark`, the leaderboard, and a stranger's path with pandas alone."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from smartsbd.contracts.tables import BENCHMARK_SIGNAL
from smartsbd.detectors import DETECTORS
from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.benchmark import task_file
from smartsbd.pipelines.benchmark.named_split import connection_name
from smartsbd.pipelines.benchmark.task import TASKS
from smartsbd.pipelines.benchmark.task_file import TABLE_FILES, TASK_FILE, TaskChangedError
from smartsbd.pipelines.benchmark.task_folder import TaskFolder, TaskFolderError
from smartsbd.pipelines.benchmark.task_score import NOT_RUN
from smartsbd.pipelines.benchmark.task_tables import LEARNT
from smartsbd.pipelines.judging.detector_opinions import ours
from smartsbd.pipelines.judging.task_run import TaskRun
from smartsbd.pipelines.judging.task_verdicts import by_ours
from smartsbd.pipelines.labelling.labelled_connections import of_datasets
from smartsbd.pipelines.params import read_params
from smartsbd.pipelines.running.stage import EXIT_USAGE
from smartsbd.traces.stored import capture_id

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "data/benchmark"
#: Tasks whose datasets the default profile has: these have the size S.
#: Tasks of datasets that the main road does not make by default: that of the profile `full`, and that of a study.
ELSEWHERE = {"wild-1": "wild", "testbed-1": "testbed"}
OF_DEFAULT = [name for name in TASKS if name != "wild-1"]
EXIT_INPUT = 3
#: The tasks whose lines for strangers a change waits for.
NOW = ("kernel-1", "wild-1")


@pytest.fixture(autouse=True)
def _in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="module")
def leaderboard() -> pd.DataFrame:
    return pd.read_csv(ROOT / "reports/leaderboard.csv").set_index(["task", "size", "detector"]).sort_index()


def rows_of(table: pd.DataFrame, task: str, size: str) -> pd.DataFrame:
    """The figures of a task at a size, by detector."""
    own = table.reset_index()
    return own[(own["task"] == task) & (own["size"] == size)].set_index("detector")


def right(table: pd.DataFrame, task: str, detector: str) -> str:
    """The figure at the size in git."""
    return f"{float(rows_of(table, task, 'XS')['right'][detector]):.3f}"


#: Detectors that were not there when the profile ``full`` was run; docs/benchmark.md says so.
NEWER_THAN_FULL = frozenset({"common-lag"})


def has_every_detector(rows: pd.DataFrame, task: str, without: frozenset[str] = frozenset()) -> None:
    """Each has a figure, and a star where the judged connections were in view."""
    assert set(rows.index) == {*DETECTORS, *LEARNT} - without
    assert rows["right"].between(0, 1).all()
    assert set(rows.index[rows["seen"]]) == set(TASKS[task].seen_by) - without


def copied(task: str, folder: Path) -> Path:
    return Path(shutil.copytree(FOLDER / task, folder / task))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, str]:
    """What `sbd benchmark run` prints, by column."""
    assert main(["benchmark", "run", *arguments]) == 0
    said = capsys.readouterr().out.splitlines()
    head = re.split(r" +", said[0].replace("labels: shared, not", "labels").replace("right of decided", "of").strip())
    assert head[:5] == ["task", "size", "detector", "labels", "right"]
    figure = re.search(r"(\S+) \(\S+ to \S+\)", said[1])
    assert figure is not None
    task, size, *_ = said[1].split()
    return {"task": task, "size": size, "right": figure[1], "all": said[1]}


def test_all_tasks_are_in_git_with_their_tables() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(TASKS)
    assert all({path.name for path in (FOLDER / name).iterdir()} == {TASK_FILE, *TABLE_FILES} for name in TASKS)
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < 3e6


@pytest.mark.parametrize("name", TASKS)
def test_what_is_in_git_is_whole_and_its_sides_are_apart(name: str) -> None:
    folder = TaskFolder(FOLDER / name)
    folder.check()
    assert folder.file.contents == {"XS": folder.contents()}
    made, splits = folder.tables(), folder.file.splits
    assert set(splits) == ({"XS", "S", "M", "L"} if name in OF_DEFAULT else {"XS", "M", "L"})
    small, whole = splits["XS"], splits["L"]
    for split in splits.values():
        assert not set(split.train) & set(split.test)
        assert set(split.train) <= set(whole.train) and set(split.test) <= set(whole.test)
    assert set(small.train) <= set(splits.get("S", whole).train)
    assert set(small.test) <= set(splits.get("S", whole).test)
    assert len(splits["M"].train) == min(200, len(whole.train)) and len(splits["M"].test) == min(100, len(whole.test))
    assert set(made.train["connection"]) <= set(small.train)
    assert set(made.labels["connection"]) == set(small.test)
    assert not set(made.train["connection"]) & set(made.labels["connection"])
    assert set(made.train["shared"]) == {True, False}
    assert [one for one, rows in folder.signals(small.test) if len(rows[0])] == list(small.test)


def test_tests_of_several_tasks_are_not_learnt_from_in_another() -> None:
    """What one task judges, no other task learns from, but where both are of one dataset."""
    whole = {name: task_file.read(FOLDER / name).splits["L"] for name in TASKS}
    for one in TASKS:
        for other in TASKS:
            if not set(TASKS[one].tested) & set(TASKS[other].trained):
                assert not set(whole[one].test) & set(whole[other].train)


def test_names_are_those_of_the_samples_in_git() -> None:
    named = task_file.read(FOLDER / "kernel-1").splits["S"].test
    paths = sorted((ROOT / "data/samples/kernel/inputs").iterdir())
    assert len(paths) == 12
    assert {connection_name([capture_id(path)], 0) for path in paths} < set(named)


def test_detectors_say_of_the_signals_what_they_say_of_the_logs() -> None:
    task = TaskRun.of_folder(FOLDER / "kernel-1")
    own = {one.name: one for one in task.connections()}
    by_name = {
        connection_name([capture_id(path)], 0): path.name.partition(".")[0]
        for dataset in ("kernel", "kernel_hard")
        for path in (ROOT / "data/samples" / dataset / "inputs").iterdir()
    }
    logs = {
        one.name.partition("/")[2].partition(".")[0]: one
        for one in of_datasets(["kernel", "kernel_hard"], read_params()).connections
    }
    known = ours()
    from_signals = by_ours(task.tables, own.values(), known)
    renamed = [
        type(one)(name, one.dataset, one.token, logs[by_name[name]].rows, one.pairs) for name, one in own.items()
    ]
    from_logs = by_ours(task.tables, renamed, known)
    assert {name: {label: on.verdicts for label, on in said.items()} for name, said in from_signals.items()} == {
        name: {label: on.verdicts for label, on in said.items()} for name, said in from_logs.items()
    }
    assert any(on.verdicts for on in from_signals["lag-excess"].values())


@pytest.mark.parametrize("table", TABLE_FILES)
def test_a_table_that_was_changed_is_refused(tmp_path: Path, table: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = copied("wide-1", tmp_path)
    content = bytearray((folder / table).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / table).write_bytes(content)
    assert main(["benchmark", "run", "wide-1", "logistic", "--folder", str(folder)]) == EXIT_INPUT
    assert f"{table} was changed" in capsys.readouterr().err


def rewritten(folder: Path, table: str, rows: pa.Table) -> Path:
    """A folder with another table, which task.json says is its own: as somebody could make one."""
    pq.write_table(rows, folder / table)
    content = json.loads((folder / TASK_FILE).read_text())
    content["sha256"][table] = hashlib.sha256((folder / table).read_bytes()).hexdigest()
    (folder / TASK_FILE).write_text(json.dumps(content))
    return folder


def forged(folder: Path, table: str, change: Callable[[pa.Table], pa.Table]) -> Path:
    """A folder with another table, whose task.json has every digest that this table asks for."""
    rewritten(folder, table, change(pq.read_table(folder / table)))
    there = TaskFolder(folder)
    there.check()
    content = json.loads((folder / TASK_FILE).read_text())
    content["connections"]["XS"]["content_sha256"] = there.contents()
    (folder / TASK_FILE).write_text(json.dumps(content))
    return folder


def replaced(rows: pa.Table, column: str, values: pa.ChunkedArray) -> pa.Table:
    place = rows.column_names.index(column)
    return rows.set_column(place, rows.schema.field(place), values)


def as_the_labels_say(rows: pa.Table) -> pa.Table:
    """The first feature of each row, 1000 for a label that is shared: what is learnt from this is right."""
    labels = pq.read_table(FOLDER / "wide-1/labels.parquet")
    shared = dict(zip(labels.column("label").to_pylist(), labels.column("shared").to_pylist(), strict=True))
    told = [shared[label] for label in rows.column("label").to_pylist()]
    name = next(name for name in rows.column_names if name.endswith("_q10"))
    return replaced(rows, name, pa.array([1000 if is_shared else -1000 for is_shared in told], pa.int32()))


def with_the_same_rtts(rows: pa.Table) -> pa.Table:
    return replaced(rows, "rtt_us", pc.if_else(pc.is_valid(rows.column("rtt_us")), 50_000, None).cast(pa.int64()))


def with_all_labels_turned(rows: pa.Table) -> pa.Table:
    return replaced(rows, "shared", pc.invert(rows.column("shared")))


FORGED = [
    ("signals.parquet", with_the_same_rtts, "correlation"),
    ("test.parquet", as_the_labels_say, "logistic"),
    ("train.parquet", with_all_labels_turned, "tree"),
]


@pytest.mark.parametrize(("table", "change", "detector"), FORGED)
def test_a_folder_of_a_forged_table_is_refused_whatever_it_says_of_itself(
    tmp_path: Path,
    table: str,
    change: Callable[[pa.Table], pa.Table],
    detector: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = forged(copied("wide-1", tmp_path), table, change)
    assert main(["benchmark", "run", "wide-1", detector, "--folder", str(folder)]) == EXIT_INPUT
    said = capsys.readouterr()
    (message,) = said.err.splitlines()
    assert f"wide-1, size XS: {table} is not what was named" in message
    assert said.out == ""


def in_a_project_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tasks of a project without data, in a folder."""
    shutil.copytree(FOLDER, folder / "data/benchmark")
    in_a_project_without_data(folder, monkeypatch)
    return folder / "data/benchmark"


def changed(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a task.json."""
    content = json.loads((folder / TASK_FILE).read_text())
    change(content)
    (folder / TASK_FILE).write_text(json.dumps(content))


@pytest.mark.parametrize(("table", "change", "detector"), FORGED)
def test_without_digests_in_git_a_figure_is_not_said_to_be_the_task_s(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    table: str,
    change: Callable[[pa.Table], pa.Table],
    detector: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = forged(copied("wide-1", tmp_path), table, change)
    tasks = in_a_project_of(tmp_path / "project", monkeypatch)
    changed(tasks / "wide-1", lambda content: content["connections"]["XS"].pop("content_sha256"))
    for arguments in (["--folder", str(folder)], []):
        assert main(["benchmark", "run", "wide-1", detector, *arguments]) == 0
        said = capsys.readouterr().out.splitlines()
        assert re.search(r" \d\.\d{3} \(\S+ to \S+\), tables are not ours ", said[1])
        why = "tables are not ours: data/benchmark/wide-1/task.json has no digests of them at XS"
        assert said[-1] == f"{why}, so they may be anybody's"


def test_a_folder_of_a_size_that_git_does_not_name_is_not_said_to_be_the_task(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied("wild-1", tmp_path)
    changed(folder, lambda content: content["connections"].update(S=content["connections"]["XS"]))
    changed(folder, lambda content: content.update(size="S"))
    assert "tables are not ours" in run(capsys, "wild-1", "tree", "--folder", str(folder))["all"]


def test_a_row_says_whether_its_tables_are_ours() -> None:
    params = read_params()
    given = TaskRun.of_folder(FOLDER / "wide-1")
    assert given.learnt("tree", params).row()["why"] == "tables are not ours"
    known = task_file.read(FOLDER / "wide-1")
    assert given.compared(known).learnt("tree", params).row()["why"] == ""


@pytest.mark.parametrize(("table", "change", "detector"), FORGED)
def test_a_table_in_git_is_compared_too(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    table: str,
    change: Callable[[pa.Table], pa.Table],
    detector: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whoever changes the table and the digest of its file alone is noticed."""
    folder = in_a_project_of(tmp_path, monkeypatch) / "wide-1"
    rewritten(folder, table, change(pq.read_table(folder / table)))
    assert main(["benchmark", "run", "wide-1", detector]) == EXIT_INPUT
    assert f"{table} is not what was named" in capsys.readouterr().err


def test_other_bytes_of_the_same_tables_are_the_task(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As another version of what writes them would make them."""
    folder = copied("wide-1", tmp_path)
    before = {name: (folder / name).read_bytes() for name in TABLE_FILES}
    for name in TABLE_FILES:
        rows = pq.read_table(folder / name)
        pq.write_table(rows.replace_schema_metadata(), folder / name, compression="snappy", row_group_size=1_000)
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in TABLE_FILES}
    changed(folder, lambda content: content.update(sha256=digests))
    assert all((folder / name).read_bytes() != content for name, content in before.items())
    for detector in ("correlation", "tree"):
        given = run(capsys, "wide-1", detector, "--folder", str(folder))
        assert given == run(capsys, "wide-1", detector)


def with_footer(folder: Path, change: Callable[[bytes], bytes]) -> Path:
    """A folder with another footer of the signals' file, of the same length; every value stays."""
    path = folder / "signals.parquet"
    before = path.read_bytes()
    begin = len(before) - 8 - int.from_bytes(before[-8:-4], "little")
    path.write_bytes(before[:begin] + change(before[begin:-8]) + before[-8:])
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    changed(folder, lambda content: content["sha256"].update({"signals.parquet": digest}))
    return folder


@pytest.mark.slow
def test_statistics_that_lead_to_another_connection_s_rows_are_refused(tmp_path: Path) -> None:
    """A reader of one connection goes by them, and a digest of the values does not change."""
    first, second = (name.encode() for name in task_file.read(FOLDER / "wide-1").splits["XS"].test[:2])
    hidden = b"x" * len(first)
    folder = with_footer(
        copied("wide-1", tmp_path),
        lambda footer: footer.replace(first, hidden).replace(second, first).replace(hidden, second),
    )
    assert TaskFolder(folder).contents() == TaskFolder(FOLDER / "wide-1").contents()
    with pytest.raises(TaskFolderError, match=r"signals\.parquet has statistics that are not of its rows"):
        TaskRun.of_folder(folder)


def test_statistics_that_are_no_text_are_refused(tmp_path: Path) -> None:
    name = task_file.read(FOLDER / "wide-1").splits["XS"].test[0].encode()
    folder = with_footer(copied("wide-1", tmp_path), lambda footer: footer.replace(name, b"\xff" * len(name)))
    with pytest.raises(TaskFolderError, match=r"signals\.parquet is no Parquet file"):
        TaskRun.of_folder(folder)


def test_what_a_file_tells_pandas_is_not_done(tmp_path: Path) -> None:
    folder = copied("wide-1", tmp_path)
    rows = pq.read_table(folder / "labels.parquet")
    told = pa.Table.from_pandas(rows.to_pandas().set_index("shared")).schema.metadata
    rewritten(folder, "labels.parquet", rows.replace_schema_metadata(told))
    assert "shared" not in pq.read_table(folder / "labels.parquet").to_pandas()
    pd.testing.assert_frame_equal(TaskFolder(folder).tables().labels, TaskFolder(FOLDER / "wide-1").tables().labels)


def test_a_folder_that_learns_from_what_is_judged_is_refused(tmp_path: Path) -> None:
    folder = copied("wide-1", tmp_path)
    rows = pq.read_table(folder / "train.parquet")
    judged = pq.read_table(folder / "labels.parquet").column("connection")[0].as_py()
    names = pa.array([judged, *rows.column("connection").to_pylist()[1:]], pa.string())
    place = rows.column_names.index("connection")
    rewritten(folder, "train.parquet", rows.set_column(place, rows.schema.field(place), names))
    with pytest.raises(TaskFolderError, match=r"train\.parquet has rows of what task\.json does not name on this side"):
        TaskRun.of_folder(folder)


def test_a_folder_with_other_labels_is_refused(tmp_path: Path) -> None:
    folder = copied("wide-1", tmp_path)
    rows = pq.read_table(folder / "labels.parquet")
    place = rows.column_names.index("shared")
    rewritten(
        folder, "labels.parquet", rows.set_column(place, rows.schema.field(place), pc.invert(rows.column("shared")))
    )
    with pytest.raises(TaskChangedError, match="the labels are not those that were named"):
        TaskRun.of_folder(folder)


def test_a_folder_of_other_connections_is_not_the_task(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = copied("wide-1", tmp_path)
    content = json.loads((folder / TASK_FILE).read_text())
    content["connections"]["XS"]["train"] = [*content["connections"]["XS"]["train"], "f" * 16]
    (folder / TASK_FILE).write_text(json.dumps(content))
    assert main(["benchmark", "run", "wide-1", "wavelet", "--folder", str(folder)]) == EXIT_INPUT
    assert "other connections were named" in capsys.readouterr().err


def test_a_small_file_of_many_rows_is_refused_before_it_is_read(tmp_path: Path) -> None:
    folder = copied("wide-1", tmp_path)
    rows = pq.read_table(folder / "labels.parquet")
    many = pa.concat_tables([rows.slice(0, 1)] * 100_001).combine_chunks()
    rewritten(folder, "labels.parquet", many)
    with pytest.raises(TaskFolderError, match=r"labels\.parquet has more than 100000 rows"):
        TaskFolder(folder).check()


def signals_of(name: str, first: int, count: int) -> pa.Table:
    """Rows of one connection, each an ACK, that take little room in a file."""
    number = np.arange(first, first + count)
    known = {"row": number, "time_ns": number * 1000, "subflow_id": 0 * number, "acked_bytes": number}
    columns = [
        pa.array([name]).take(pa.array(0 * number))
        if field.name == "connection"
        else pa.array(known[field.name], field.type)
        if field.name in known
        else pa.nulls(count, field.type)
        for field in BENCHMARK_SIGNAL.schema()
    ]
    return pa.table(columns, schema=BENCHMARK_SIGNAL.schema())


def with_signals(folder: Path, *groups: pa.Table, claimed_bytes: int | None = None) -> Path:
    """A folder with other signals, whose file may claim another size of its groups; its digest is right."""
    path = folder / "signals.parquet"
    deltas = {"row": "DELTA_BINARY_PACKED", "time_ns": "DELTA_BINARY_PACKED", "acked_bytes": "DELTA_BINARY_PACKED"}
    with pq.ParquetWriter(
        path, BENCHMARK_SIGNAL.schema(), compression="zstd", use_dictionary=False, column_encoding=deltas
    ) as writer:
        for rows in groups:
            writer.write_table(rows, row_group_size=len(rows))

    def claiming(footer: bytes) -> bytes:
        size = varint(pq.ParquetFile(path).metadata.row_group(0).total_byte_size)
        assert size in footer
        return footer.replace(size, varint(claimed_bytes or 0, len(size)))

    return with_footer(folder, claiming if claimed_bytes else bytes)


def varint(number: int, width: int = 0) -> bytes:
    """A number as Thrift's compact protocol writes it, in at least so many bytes."""
    digits = [2 * number >> shift & 0x7F for shift in range(0, max((2 * number).bit_length(), 7 * width), 7)]
    return bytes([*(digit | 0x80 for digit in digits[:-1]), digits[-1]])


def test_many_rows_of_one_connection_are_refused(tmp_path: Path) -> None:
    folder = copied("wide-1", tmp_path)
    name, half = task_file.read(folder).splits["XS"].test[0], (1 << 20) + 1
    with_signals(folder, signals_of(name, 0, half), signals_of(name, half, half))
    assert (folder / "signals.parquet").stat().st_size < 1e6
    with pytest.raises(TaskFolderError, match=r"signals\.parquet has more than 2097152 rows of one connection"):
        TaskFolder(folder).check()


@pytest.mark.slow
def test_a_file_that_lies_about_its_size_is_not_decoded_beyond_a_gib(tmp_path: Path) -> None:
    folder = copied("wide-1", tmp_path)
    with_signals(folder, signals_of("a" * 2000, 0, 1 << 20), claimed_bytes=1)
    signals = folder / "signals.parquet"
    assert pq.ParquetFile(signals).metadata.row_group(0).total_byte_size == 1
    assert signals.stat().st_size < 5e6
    with pytest.raises(TaskFolderError, match=r"signals\.parquet needs more than 1024 MiB of memory to be decoded"):
        TaskFolder(folder).check()


def test_a_page_that_is_damaged_is_said_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever made the folder gave task.json the digest of the damaged file."""
    folder = copied("wide-1", tmp_path)
    for table in TABLE_FILES:
        content = (folder / table).read_bytes()
        # Within the first page, behind its header.
        (folder / table).write_bytes(content[:40] + bytes(8) + content[48:])
        digest = hashlib.sha256((folder / table).read_bytes()).hexdigest()
        there = json.loads((folder / TASK_FILE).read_text())
        there["sha256"][table] = digest
        (folder / TASK_FILE).write_text(json.dumps(there))
        assert main(["benchmark", "run", "wide-1", "tree", "--folder", str(folder)]) == EXIT_INPUT
        (message,) = capsys.readouterr().err.splitlines()
        assert f"{folder}: {table} is no Parquet file" in message
        shutil.copy(FOLDER / "wide-1" / table, folder)
        shutil.copy(FOLDER / "wide-1" / TASK_FILE, folder)


def test_what_is_no_name_is_refused_before_it_is_read(tmp_path: Path) -> None:
    folder = copied("wide-1", tmp_path)
    rows = pq.read_table(folder / "signals.parquet")
    place = rows.column_names.index("connection")
    long = pa.array(["x" * 1_000] * len(rows), pa.string())
    rewritten(folder, "signals.parquet", rows.set_column(place, rows.schema.field(place), long))
    with pytest.raises(TaskFolderError, match=r"signals\.parquet names a connection by what is no name"):
        TaskFolder(folder).check()


def test_a_table_of_other_columns_is_refused(tmp_path: Path) -> None:
    folder = copied("wide-1", tmp_path)
    rewritten(folder, "test.parquet", pq.read_table(folder / "test.parquet").drop_columns(["at_ns"]))
    with pytest.raises(TaskFolderError, match=r"test\.parquet table benchmark_test: column at_ns is missing"):
        TaskFolder(folder).check()


def test_a_table_that_is_not_there_is_said(tmp_path: Path) -> None:
    folder = copied("wide-1", tmp_path)
    (folder / "signals.parquet").unlink()
    with pytest.raises(TaskFolderError, match=r"signals\.parquet is not there"):
        TaskFolder(folder).check()


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (["run", "kernel-9", "lag-excess"], EXIT_USAGE, "task 'kernel-9' is unknown"),
        (["run", "../../etc/passwd", "lag-excess"], EXIT_USAGE, "is unknown"),
        (["run", "\x1b[31m", "lag-excess"], EXIT_USAGE, "is unknown"),
        (["folder", "", "--out", "nowhere"], EXIT_USAGE, "is unknown"),
        (["name", "..", "--size", "S"], EXIT_USAGE, "is unknown"),
        (["run", "kernel-1", "no-such-program-anywhere"], EXIT_USAGE, "no such program"),
        (["run", "kernel-1", "lag-excess", "--seconds", "0"], EXIT_USAGE, "--seconds"),
        (["run", "kernel-1", "lag-excess", "--folder", "data/benchmark/wide-1"], EXIT_USAGE, "holds the task wide-1"),
        (["run", "kernel-1", "lag-excess", "--folder", "data/samples"], EXIT_INPUT, "No such file"),
        (["run", "wild-1", "lag-excess", "--size", "S"], EXIT_INPUT, "have not been named at S.*name wild-1 --size S"),
        (["name", "kernel-1", "--size", "L"], EXIT_USAGE, "size L is of the profile full; params.yaml has default"),
    ],
)
def test_what_cannot_be_run_is_said_in_one_line(
    arguments: list[str], code: int, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["benchmark", *arguments]) == code
    (message,) = capsys.readouterr().err.splitlines()
    assert re.search(why, message) and message.isprintable()


def in_a_project_without_data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("params.yaml", "dvc.yaml"):
        shutil.copy(ROOT / name, folder)
    monkeypatch.chdir(folder)


def test_a_size_whose_data_are_not_there_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(FOLDER, tmp_path / "data/benchmark")
    in_a_project_without_data(tmp_path, monkeypatch)
    assert main(["benchmark", "run", "kernel-1", "lag-excess", "--size", "L"]) == EXIT_INPUT
    (message,) = capsys.readouterr().err.splitlines()
    assert message.endswith("the dataset diverse is not there")


def test_list_shows_every_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["benchmark", "list"]) == 0
    said = capsys.readouterr().out
    for name in TASKS:
        (_, after) = said.split(f"{name}: ")
        sizes = ", ".join(
            f"{size} {len(own.train)}+{len(own.test)}"
            for size in ("XS", "S", "M", "L")
            if (own := task_file.read(FOLDER / name).split(size))
        )
        assert f" {sizes}\n" in after.partition("connections, ")[2].partition("\n")[0] + "\n"
    assert max(map(len, said.splitlines())) <= 100
    monkeypatch.chdir(tmp_path)
    assert main(["benchmark", "list"]) == 0
    assert capsys.readouterr().out == said
    in_a_project_without_data(tmp_path, monkeypatch)
    assert main(["benchmark", "list"]) == 0
    assert capsys.readouterr().out.count("not named: not run") == len(TASKS)


@pytest.mark.parametrize("name", TASKS)
def test_one_task_with_one_detector_has_the_leaderboard_s_figure(
    name: str, leaderboard: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(capsys, name, "lag-excess")
    assert (found["task"], found["size"]) == (name, "XS")
    assert found["right"] == right(leaderboard, name, "lag-excess")
    assert ("lag-excess*" in found["all"]) is ("lag-excess" in TASKS[name].seen_by)


@pytest.mark.slow
def test_ours_as_somebody_else_s_process_has_our_figure(
    leaderboard: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    process = shlex.join([sys.executable, "-m", "smartsbd.detectors.detector_process", "lag-excess"])
    assert run(capsys, "wide-1", process)["right"] == right(leaderboard, "wide-1", "lag-excess")


def test_a_process_that_fails_is_wrong_everywhere_and_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["benchmark", "run", "unseen-1", "false"]) == 0
    said = capsys.readouterr()
    assert "0.000 (0.000 to 0.000)" in said.out
    assert "No answer on 4: ended with status 1." in said.err


@pytest.mark.slow
def test_a_process_that_dates_verdicts_before_their_evidence_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It has read the whole connection when it says what it knew at the start."""
    early = tmp_path / "early.py"
    early.write_text(
        "import sys\n"
        "last_ns = int(sys.stdin.read().splitlines()[-1].split()[1])\n"
        "print(f'smartsbd: 1000000001 C=1 SF=0,1 V=SHARED {int(last_ns > 40e9)}')\n"
    )
    assert main(["benchmark", "run", "unseen-1", f"{sys.executable} {early}"]) == 0
    assert "it dates verdicts before their evidence" in capsys.readouterr().err


def test_a_folder_has_a_size_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = copied("wide-1", tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["benchmark", "run", "wide-1", "lag-excess", "--folder", str(folder), "--size", "S"])
    assert ended.value.code == EXIT_USAGE and "not allowed with" in capsys.readouterr().err


def lines_of_the_page() -> str:
    """The lines of docs/benchmark.md that a stranger runs."""
    (block,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/benchmark.md").read_text(), re.DOTALL)
    return str(block)


def test_the_stranger_s_lines_are_ten_and_need_none_of_our_code() -> None:
    lines = lines_of_the_page().strip().splitlines()
    assert len(lines) <= 10
    taken = {line.split()[1].partition(".")[0] for line in lines if line.startswith(("import", "from"))}
    assert taken == {"pandas", "sklearn"}


@pytest.mark.parametrize("name", [pytest.param(name, marks=[] if name in NOW else pytest.mark.slow) for name in TASKS])
def test_a_stranger_gets_the_leaderboard_s_figure(name: str, tmp_path: Path, leaderboard: pd.DataFrame) -> None:
    folder = copied(name, tmp_path)
    assert {path.name for path in folder.iterdir()} == {TASK_FILE, *TABLE_FILES}
    # Isolated: nothing but what is installed, no folder of ours in the path.
    done = subprocess.run(
        [sys.executable, "-I", "-c", lines_of_the_page()], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == right(leaderboard, name, "logistic")


@pytest.mark.slow
def test_the_figure_is_of_these_labels(tmp_path: Path) -> None:
    """The stranger's figure would be another one if the labels were: the test above can fail."""
    folder = copied("wide-1", tmp_path)
    labels = pd.read_parquet(folder / "labels.parquet")
    labels.assign(shared=~labels["shared"]).to_parquet(folder / "labels.parquet")
    done = subprocess.run(
        [sys.executable, "-I", "-c", lines_of_the_page()], cwd=folder, capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 0.5


@pytest.mark.slow
def test_without_a_run_s_data_the_stage_runs_what_is_in_git(tmp_path: Path, leaderboard: pd.DataFrame) -> None:
    nothing = [
        one for name in ("tables", "truths", "features", "tiles", "replayed") for one in (f"--{name}", str(tmp_path))
    ]
    table = tmp_path / "leaderboard.csv"
    figures = tmp_path / "leaderboard.parquet"
    assert main(["leaderboard", *nothing, "--figures", str(figures), "--table", str(table)]) == 0
    assert len(pd.read_parquet(figures)) == len(pd.read_csv(table))
    found = pd.read_csv(table).set_index(["task", "size", "detector"]).sort_index()
    names = {*DETECTORS, *LEARNT}
    for name in TASKS:
        assert set(rows_of(found, name, "XS").index) == names
        pd.testing.assert_frame_equal(rows_of(found, name, "XS"), rows_of(leaderboard, name, "XS"))
        assert rows_of(found, name, "S").index.tolist() == [NOT_RUN]


def test_the_leaderboard_has_every_detector_of_ours_at_both_sizes(leaderboard: pd.DataFrame) -> None:
    for name in TASKS:
        for size in ("XS", "S") if name in OF_DEFAULT and name not in ELSEWHERE else ("XS",):
            has_every_detector(rows_of(leaderboard, name, size), name)
    for name, dataset in ELSEWHERE.items():
        rows = rows_of(leaderboard, name, "S")
        assert rows.index.tolist() == [NOT_RUN]
        assert rows["why"][NOT_RUN] == f"the dataset {dataset} is not one of this profile's"


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("size", ["M", "L"])
def test_the_published_figures_of_larger_sizes_are_of_every_detector(name: str, size: str) -> None:
    full = pd.read_csv(ROOT / "reports/full/leaderboard.csv").set_index(["task", "size", "detector"])
    rows = rows_of(full, name, size)
    has_every_detector(rows, name, NEWER_THAN_FULL)
    (labels,) = set(rows["labels"])
    assert labels >= len(task_file.read(FOLDER / name).splits[size].test)
