"""A folder of a benchmark task that is anybody's: refused in one line, or read to the last row of its signals.

An input is an archive of some of its files; the others are those of a small task in git.
"""

from __future__ import annotations

import atexit
import hashlib
import io
import resource
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from smartsbd.contracts.bounded_decoding import limit_memory
from smartsbd.contracts.fault import InputFault
from smartsbd.pipelines.benchmark import table_check, task_file
from smartsbd.pipelines.benchmark.named_split import NamedSplit
from smartsbd.pipelines.benchmark.table_check import LABELS_FILE, SIGNALS_FILE, TEST_FILE, TRAIN_FILE
from smartsbd.pipelines.benchmark.task_file import TABLE_FILES, TASK_FILE, TaskFile
from smartsbd.pipelines.benchmark.task_folder import TaskFolder
from smartsbd.pipelines.benchmark.task_tables import TaskTables
from smartsbd.pipelines.judging.task_verdicts import connections

_WHOLE = Path(__file__).parents[2] / "data/benchmark/wide-1"
_SIZE = "XS"
_FILES = (TASK_FILE, *TABLE_FILES)
#: Of a table of the small task.
_ROWS = 24
_MOST_BYTES = 1 << 20
_MOST_LETTERS = 600


def _rows(name: str, split: NamedSplit, column: str = "connection") -> pa.Table:
    """Return some rows of a table in git, of the connections of a split."""
    rows = pq.read_table(_WHOLE / name)
    names = pa.array([*split.train, *split.test]) if column == "connection" else pa.array([0])
    return rows.filter(pc.is_in(rows.column(column), value_set=names)).slice(0, _ROWS)


def _write_small(folder: Path) -> None:
    """Write a task of two connections and few rows, with digests that are right."""
    whole = task_file.read(_WHOLE)
    labels = pq.read_table(_WHOLE / LABELS_FILE)
    split = NamedSplit(whole.splits[_SIZE].train[:2], (labels.column("connection")[0].as_py(),))
    first = labels.filter(pc.equal(labels.column("label"), 0))
    tables = {
        LABELS_FILE: first,
        TRAIN_FILE: _rows(TRAIN_FILE, split),
        TEST_FILE: _rows(TEST_FILE, split, "label"),
        SIGNALS_FILE: _rows(SIGNALS_FILE, split),
    }
    for name, rows in tables.items():
        # Without a schema in Base64, where most changes would end.
        pq.write_table(rows.combine_chunks(), folder / name, compression="none", store_schema=False)
    train, test, judged = (tables[name].to_pandas() for name in (TRAIN_FILE, TEST_FILE, LABELS_FILE))
    labels_sha256 = TaskTables(train=train, test=test, labels=judged).labels_sha256()
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in TABLE_FILES}
    known = TaskFile(whole.task, {_SIZE: split}, {_SIZE: labels_sha256}, _SIZE, digests)
    known.write(folder)
    replace(known, contents={_SIZE: TaskFolder(folder).contents()}).write(folder)


@cache
def _small() -> dict[str, bytes]:
    """Return the files of the small task."""
    with tempfile.TemporaryDirectory() as made:
        _write_small(Path(made))
        return {name: Path(made, name).read_bytes() for name in _FILES}


def packed(files: dict[str, bytes]) -> bytes:
    """Return files as an archive."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return whole.getvalue()


@cache
def broken() -> dict[str, bytes]:
    """Return archives of files that are broken, by what is wrong with them."""
    signals, text = _small()[SIGNALS_FILE], _small()[TASK_FILE]
    name = pq.read_table(io.BytesIO(signals)).column("connection")[0].as_py().encode()
    tables = {
        "cut": signals[:-5],
        "a name that is no UTF-8": signals.replace(name, b"\xff" * len(name)),
        # The row group's type of the names, in Thrift's compact protocol, is FLOAT.
        "two types of a column": signals.replace(b"\x15\x0c\x19", b"\x15\x08\x19"),
    }
    files = {
        "nested": b"[" * 100_000,
        "a task of 20,000 letters": text.replace(b'"wide-1"', b'"%s"' % (b"w" * 20_000)),
        "no size": text.replace(b'"size": "XS"', b'"size": null'),
    }
    return {what: packed({SIGNALS_FILE: content}) for what, content in tables.items()} | {
        what: packed({TASK_FILE: content}) for what, content in files.items()
    }


def archives() -> list[bytes]:
    """Return each file of the small task by itself, all together, and those that are broken."""
    good = [packed(files) for files in (*({name: content} for name, content in _small().items()), _small())]
    return [*good, *broken().values()]


def _unpacked(content: bytes) -> dict[str, bytes]:
    """Return the files of a folder that an archive has; none if it is broken or large."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(member.file_size for member in archive.infolist()) > _MOST_BYTES:
                return {}
            return {name: archive.read(name) for name in _FILES if name in archive.namelist()}
    except Exception:  # Whatever is wrong with an archive: it is how an input is written, and no input.
        return {}


@cache
def _folder() -> Path:
    """Return a folder with the small task."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, content in _small().items():
        (folder / name).write_bytes(content)
    return folder


@contextmanager
def _bounded() -> Iterator[None]:
    """Bound the memory of this process meanwhile, as that of the process is which checks tables."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    limit_memory()
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _read(folder: Path, given: Iterable[str]) -> str:
    """Read a folder as `sbd benchmark` does, tables that are given checked in this process; say what it is."""
    source = TaskFolder(folder)
    for name in given:
        why = table_check.wrong_with(folder / name)
        if why:
            return f"{name} {why}"
    split = None if source.file.size is None else source.file.split(source.file.size)
    if source.file.size is None or split is None:
        return "no tables"
    # Whoever made the tables gave the file their digests.
    source.file.labels.clear()
    tables, contents = source.tables(), source.contents()
    assert set(contents) == set(TABLE_FILES)
    judged = connections(source.file.task.name, tables, source.signals(split.test))
    return f"{sum(len(rows) for connection in judged for rows in connection.rows)} signals"


def outcome(content: bytes) -> str:
    """Return in one line what a folder with the files of an archive is; empty if the archive has none."""
    files, folder = _unpacked(content), _folder()
    try:
        for name, changed in files.items():
            (folder / name).write_bytes(changed)
        with _bounded():
            return _read(folder, [name for name in TABLE_FILES if name in files]) if files else ""
    except InputFault as error:
        return "\n".join([str(error).replace(str(folder), "").strip(":/ "), *error.details])
    finally:
        for name in files:
            (folder / name).write_bytes(_small()[name])


def check(content: bytes) -> bool:
    """Read a folder with the files of an archive; False if it has none."""
    found = outcome(content)
    assert found.isprintable() and len(found) < _MOST_LETTERS, found
    return bool(found)
