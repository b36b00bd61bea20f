"""Tables of what came over a path."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from smartsbd.contracts.regular_file import NoRegularFileError
from smartsbd.doctor.received import Received, ReceivedCounter, ReceivedError


def test_what_is_written_is_read(tmp_path: Path) -> None:
    table = Received([1.5, 2.0, 2.0], [0, 10, 30])
    table.write(tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_text().splitlines()[:2] == ["time_s,bytes", "1.500000,0"]
    assert Received.read(tmp_path / "table.csv") == table


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "the first line"),
        ("bytes,time_s\n", "the first line"),
        ("time_s,bytes\n1,2,3\n", "too many values"),
        ("time_s,bytes\n1\n", "not enough values"),
        ("time_s,bytes\none,2\n", "could not convert"),
        ("time_s,bytes\n1,2.5\n", "invalid literal"),
        ("time_s,bytes\n2,2\n1,3\n", "do not ascend"),
        ("time_s,bytes\n1,3\n2,2\n", "do not ascend"),
        ("time_s,bytes\n1,-3\n", "do not ascend"),
        ("time_s,bytes\nnan,3\n", "do not ascend"),
        ("time_s,bytes\n1,\N{SUPERSCRIPT TWO}\n", "ascii"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(ReceivedError, match=why):
        Received.read(path)


def test_a_table_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReceivedError, match="No such file"):
        Received.read(tmp_path / "table.csv")


def test_what_might_never_end_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "table.csv")
    with pytest.raises(NoRegularFileError):
        Received.read(tmp_path / "table.csv")
    (tmp_path / "other.csv").symlink_to("/dev/zero")
    with pytest.raises(NoRegularFileError):
        Received.read(tmp_path / "other.csv")


def test_more_bytes_than_a_test_brings_are_refused(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(f"time_s,bytes\n1,{10**400}\n")
    with pytest.raises(ReceivedError, match="do not ascend"):
        Received.read(tmp_path / "table.csv")


def test_a_path_that_falls_silent() -> None:
    table = Received([0.0, 1.0, 2.0, 10.0], [0, 125_000, 250_000, 250_000])
    assert table.mbit_s(0, 2) == 1.0
    assert table.mbit_s(0, 10) == 0.2
    assert table.silent_share(0, 10) == 0.8


def test_streams_count_together() -> None:
    counter = ReceivedCounter()

    def stream() -> None:
        for _ in range(10_000):
            counter.add(1)

    threads = [threading.Thread(target=stream) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.look() == 40_000
    counter.add(2)
    assert counter.look() == 40_002
    assert counter.table().octets == [40_000, 40_002]
