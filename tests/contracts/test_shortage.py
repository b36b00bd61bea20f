"""What a machine has not got is said in a line, as each library raises it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import sqlalchemy

from smartsbd.contracts.fault import printable
from smartsbd.contracts.shortage import said_of

FULL = "/dev/full"


def full_disk(_: Path) -> None:
    with Path(FULL).open("w") as file:
        file.write("x")


def full_disk_for_arrow(_: Path) -> None:
    with pa.OSFile(FULL, "wb") as file:
        file.write(b"x")


def no_memory_for_numpy(_: Path) -> None:
    np.zeros(1 << 60, dtype=np.int8)


def no_memory_for_arrow(_: Path) -> None:
    pa.allocate_buffer(1 << 60)


def full_database(folder: Path) -> None:
    """As MLflow has it: SQLAlchemy's error is raised from SQLite's, and another from that."""
    engine = sqlalchemy.create_engine(f"sqlite:///{folder / 'full.db'}")
    try:
        with engine.begin() as connection:
            connection.execute(sqlalchemy.text("pragma max_page_count = 2"))
            connection.execute(sqlalchemy.text("create table one (a)"))
            connection.execute(sqlalchemy.text("insert into one values (zeroblob(99999))"))
    except sqlalchemy.exc.OperationalError as error:
        raise RuntimeError("it did not work") from error


def read_only_database(folder: Path) -> None:
    sqlite3.connect(folder / "some.db").execute("create table one (a)")
    sqlite3.connect(f"file:{folder / 'some.db'}?mode=ro", uri=True).execute("insert into one values (1)")


def killed_worker(_: Path) -> None:
    with ProcessPoolExecutor(1) as pool:
        pool.submit(os._exit, 9).result()


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        (full_disk, "No space left on device"),
        (full_disk_for_arrow, "No space left on device"),
        (no_memory_for_numpy, "out of memory: "),
        (no_memory_for_arrow, "out of memory: "),
        (full_database, "SQLite: database or disk is full"),
        (read_only_database, "SQLite: attempt to write a readonly database"),
        (killed_worker, "a process of this one ended of itself"),
    ],
)
def test_it_is_said_in_a_line(missing: Callable[[Path], None], said: str, tmp_path: Path) -> None:
    with pytest.raises(Exception) as raised:  # noqa: PT011 - each library has its own
        missing(tmp_path)
    line = said_of(raised.value)
    assert line is not None
    assert line.startswith(said)
    assert printable(line) == line


@pytest.mark.parametrize("error", [ValueError("No space left on device"), OSError(9, "Bad file"), sqlite3.Error("x")])
def test_other_errors_are_no_shortage(error: Exception) -> None:
    assert said_of(error) is None


def test_a_statement_that_is_wrong_is_no_shortage() -> None:
    with pytest.raises(sqlite3.OperationalError) as raised:
        sqlite3.connect(":memory:").execute("select a from nowhere")
    assert said_of(raised.value) is None


def test_a_library_that_does_not_fit_is_said_in_a_line() -> None:
    limit_kb, root = 500_000, Path(__file__).parents[2]
    run = 'ulimit -v "$1"; shift; exec "$@"'
    words = [sys.executable, "-m", "smartsbd.pipelines", "benchmark", "run", "kernel-1", "logistic"]
    done = subprocess.run(
        ["sh", "-c", run, "sh", str(limit_kb), *words],
        capture_output=True,
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "out of memory" in line
