"""A file is there whole or as it was before, whatever ends the writing of it."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from smartsbd.contracts.contract import TableWriter
from smartsbd.contracts.tables import TRUTH
from smartsbd.contracts.whole_file import write_whole, written_whole
from smartsbd.export import header_folder
from smartsbd.pipelines.reporting.report_files import write_csv, write_json, write_parquet

OLD, NEW = b"as it was\n", b"as it is now\n"
#: Every write to it fails for want of room.
FULL = Path("/dev/full")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "report.csv").write_bytes(OLD)
    return tmp_path / "report.csv"


def test_it_takes_the_place_of_what_was_there(path: Path) -> None:
    with written_whole(path) as part:
        part.write_bytes(NEW)
        assert path.read_bytes() == OLD
    assert path.read_bytes() == NEW
    assert list(path.parent.iterdir()) == [path]


def fail(path: Path, error: type[BaseException]) -> None:
    with written_whole(path) as part:
        part.write_bytes(NEW)
        raise error


@pytest.mark.parametrize("error", [ValueError, MemoryError, KeyboardInterrupt])
def test_what_was_there_stays_after_an_error(path: Path, error: type[BaseException]) -> None:
    with pytest.raises(error):
        fail(path, error)
    assert path.read_bytes() == OLD
    assert list(path.parent.iterdir()) == [path]


def fill(path: Path) -> None:
    with written_whole(path) as part:
        part.write_bytes(NEW)
        with FULL.open("wb", buffering=0) as full:
            full.write(NEW)


def test_an_error_names_the_file(path: Path) -> None:
    with pytest.raises(OSError, match="No space") as raised:
        fill(path)
    assert (raised.value.errno, raised.value.filename) == (errno.ENOSPC, str(path))


_KILLED = """
import os, signal, sys
from pathlib import Path
from smartsbd.contracts.whole_file import written_whole

with written_whole(Path(sys.argv[1])) as part:
    part.write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_there_stays_when_the_process_is_killed(path: Path) -> None:
    for _ in range(2):
        subprocess.run([sys.executable, "-c", _KILLED, str(path)], check=False)
    assert path.read_bytes() == OLD
    # One name: there is never more than one part of a file.
    assert len(list(path.parent.iterdir())) == 2
    write_whole(NEW, path)
    assert list(path.parent.iterdir()) == [path]


def test_what_a_link_points_to_is_written(path: Path) -> None:
    link = path.with_name("link")
    link.symlink_to(path)
    write_whole(NEW, link)
    assert link.is_symlink()
    assert path.read_bytes() == NEW


def test_a_device_stays_one() -> None:
    with pytest.raises(OSError, match="No space"):
        write_whole(NEW, FULL)
    assert FULL.is_char_device()
    write_whole(NEW, Path("/dev/null"))
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize(
    "write", [lambda path: write_json([1], path), lambda path: write_csv(pd.DataFrame({"a": [1]}), path)]
)
def test_a_report_is_written_whole(path: Path, write: object) -> None:
    """A reader that has opened the one before has it to its end."""
    assert callable(write)
    with path.open("rb") as before:
        write(path)
        assert before.read() == OLD


def half_a_table(path: Path) -> None:
    with TableWriter(TRUTH, path):
        assert path.read_bytes() == OLD
        raise ValueError("half")


def test_tables_are_written_whole(path: Path) -> None:
    with path.open("rb") as before:
        write_parquet(pd.DataFrame({"a": [1]}), path)
        assert before.read() == OLD
    path.write_bytes(OLD)
    with pytest.raises(ValueError, match="half"):
        half_a_table(path)
    assert path.read_bytes() == OLD
    assert list(path.parent.iterdir()) == [path]


def test_headers_are_written_whole(tmp_path: Path) -> None:
    header_folder.write({"a.h": NEW}, tmp_path / "headers")
    assert [one.name for one in (tmp_path / "headers").iterdir()] == ["a.h"]
