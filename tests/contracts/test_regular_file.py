"""Files that can be read to an end: what else a path may name is refused without a wait."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path, PosixPath

import pytest

from smartsbd.contracts.regular_file import NoRegularFileError, opened, size_bytes


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as own:
        own.bind(str(path))


#: What a path may name that is no regular file, and how it is made.
OTHERS: dict[str, Callable[[Path], object]] = {
    "fifo": os.mkfifo,
    "socket": make_socket,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "terminal": lambda path: path.symlink_to("/dev/tty"),
    "folder": Path.mkdir,
}


class Swapped(PosixPath):
    """A file that becomes a pipe as soon as somebody has looked at it."""

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        status = super().stat(follow_symlinks=follow_symlinks)
        self.unlink()
        os.mkfifo(self)
        return status


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("linked", [False, True])
def test_what_is_no_regular_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, linked: bool
) -> None:
    # A socket's path must be short.
    monkeypatch.chdir(tmp_path)
    OTHERS[kind](Path("other"))
    path = Path("link") if linked else Path("other")
    if linked:
        path.symlink_to("other")
    with pytest.raises(NoRegularFileError, match=f"^{path}: is no regular file$"):
        opened(path)
    assert size_bytes(path) is None


def test_a_pipe_put_in_a_file_s_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"content")
    with pytest.raises(NoRegularFileError):
        opened(Swapped(tmp_path / "a"))


def test_a_regular_file_is_read_through_a_link_too(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"content")
    (tmp_path / "b").symlink_to("a")
    for name in ("a", "b"):
        with opened(tmp_path / name) as stream:
            assert stream.read() == b"content"
        assert size_bytes(tmp_path / name) == len(b"content")
    assert size_bytes(tmp_path / "c") is None
    with pytest.raises(FileNotFoundError):
        opened(tmp_path / "c")
