"""The folder of the spools: what killed runs left goes, what another run uses stays."""

from __future__ import annotations

import errno
import fcntl
from pathlib import Path

import pytest

from smartsbd.traces.spool_folder import spool_folder


def test_it_goes_with_all_that_it_holds(tmp_path: Path) -> None:
    with spool_folder(tmp_path) as spools:
        (spools / "one.spool").touch()
        assert spools.parent == tmp_path
    assert list(tmp_path.iterdir()) == []


def test_what_was_left_goes_and_what_is_no_spool_stays(tmp_path: Path) -> None:
    left, table = tmp_path / ".spool-of-another", tmp_path / "ack.parquet"
    left.mkdir()
    (left / "one.spool").touch()
    table.touch()
    with spool_folder(tmp_path) as spools:
        assert set(tmp_path.iterdir()) == {spools, table}


def test_what_another_run_uses_stays(tmp_path: Path) -> None:
    with spool_folder(tmp_path) as first:
        with spool_folder(tmp_path) as second:
            assert set(tmp_path.iterdir()) == {first, second}
        assert list(tmp_path.iterdir()) == [first]


def test_a_file_system_without_locks_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_descriptor: int, _how: int) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    left = tmp_path / ".spool-of-another"
    left.mkdir()
    with spool_folder(tmp_path) as spools:
        assert spools != left
    assert list(tmp_path.iterdir()) == [left]
