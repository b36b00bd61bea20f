"""A folder is put to its place whole, once, by one process."""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from pipelines.running.unfinished_folder import OutputError, unfinished


def test_what_was_renamed_stays_and_what_was_not_goes(tmp_path: Path) -> None:
    with unfinished(tmp_path / "new/out") as part:
        (part / "file").write_text("whole")
        part.rename(tmp_path / "new/out")
    assert (tmp_path / "new/out/file").read_text() == "whole"
    with unfinished(tmp_path / "other") as part:
        (part / "file").write_text("half")
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError, match="out is there already"), unfinished(tmp_path / "out"):
        pass


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".out.part").mkdir()
    (tmp_path / ".out.part/old").touch()
    with unfinished(tmp_path / "out") as part:
        assert list(part.iterdir()) == []


@pytest.mark.parametrize("kind", ["link to a folder", "link to nothing", "file"])
def test_what_is_no_folder_is_not_removed(tmp_path: Path, kind: str) -> None:
    part, elsewhere = tmp_path / ".out.part", tmp_path / "elsewhere"
    if kind == "file":
        part.touch()
    else:
        part.symlink_to(elsewhere)
    if kind == "link to a folder":
        elsewhere.mkdir()
        (elsewhere / "file").touch()
    with (
        pytest.raises(OutputError, match=r"\.out\.part, where out is written at first: "),
        unfinished(tmp_path / "out"),
    ):
        pass
    assert os.path.lexists(part)
    assert kind != "link to a folder" or (elsewhere / "file").exists()


@pytest.mark.parametrize("letters", [250, 255])
def test_a_name_that_is_too_long_for_the_folder_beside_is_refused(tmp_path: Path, letters: int) -> None:
    with pytest.raises(OutputError, match="File name too long"), unfinished(tmp_path / ("a" * letters)):
        pass
    assert list(tmp_path.iterdir()) == []


def _first(out: Path, pipe: Connection) -> None:
    with unfinished(out) as part:
        (part / "first").touch()
        pipe.send("writes")
        pipe.recv()
        part.rename(out)


def test_the_second_of_two_ends_and_the_first_goes_on(tmp_path: Path) -> None:
    here, there = multiprocessing.Pipe()
    first = multiprocessing.get_context("spawn").Process(target=_first, args=(tmp_path / "out", there))
    first.start()
    assert here.recv() == "writes"
    with pytest.raises(OutputError, match="another run is writing it"), unfinished(tmp_path / "out"):
        pass
    here.send("end")
    first.join(20)
    assert first.exitcode == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["first"]
