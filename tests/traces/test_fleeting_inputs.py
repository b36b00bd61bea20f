"""Inputs that vanish or shrink while they are read: each is read as a whole, or counted as one that cannot be read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path, PosixPath

import pytest

from smartsbd.traces import stored
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import InputPart
from smartsbd.traces.parsed_input import UNREADABLE, ParsedInput, parse_input
from smartsbd.traces.quarantine import UnreadableInputError
from tests.fuzz.targets import CORPUS

LINE = "{} C=7f3a91c2 SF=0 V=RTT 24511\n"
LOG = "".join(LINE.format(1_000_000 + number) for number in range(200)).encode()
CAPTURE = (CORPUS / "pcap/good-version-0").read_bytes()
#: More often than any input is looked at while it is parsed.
_MOMENTS = 9


class Fleeting(PosixPath):
    """A file to which something happens when it has been looked at so many times."""

    looks = _MOMENTS
    then: Callable[[Path], object]

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        try:
            return super().stat(follow_symlinks=follow_symlinks)
        finally:
            self.looks -= 1
            if self.looks == 0:
                self.then(Path(self))


def pipe_instead(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


HAPPENINGS: dict[str, Callable[[Path], object]] = {
    "vanishes": Path.unlink,
    "shrinks": lambda path: os.truncate(path, 700),
    "is emptied": lambda path: os.truncate(path, 0),
    "becomes a pipe": pipe_instead,
}


@pytest.mark.parametrize("moment", range(1, _MOMENTS))
@pytest.mark.parametrize("happening", HAPPENINGS)
@pytest.mark.parametrize("content", [LOG, CAPTURE], ids=["log", "capture"])
def test_what_happens_to_an_input_at_any_moment(tmp_path: Path, content: bytes, happening: str, moment: int) -> None:
    (tmp_path / "spools").mkdir()
    (tmp_path / "whole").write_bytes(content)
    path = Fleeting(tmp_path / "a")
    path.write_bytes(content)
    path.looks, path.then = moment, HAPPENINGS[happening]
    found = parse_input(path, "made", Dialect(), tmp_path / "spools")
    if isinstance(found, ParsedInput) and found.unreadable:
        assert [refusal.reason for refusal in found.trace.refusals] == [UNREADABLE]
        assert [name for name, _ in found.chunks if name in ("capture", "quarantine")] == ["capture", "quarantine"]
        assert not list((tmp_path / "spools").iterdir())
    else:
        known = found.recorded if isinstance(found, InputPart) else found
        assert known.capture_id == stored.capture_id(tmp_path / "whole")
        assert known.size_bytes == len(content)


@pytest.mark.parametrize("moment", [1, 2, 3])
def test_some_moments_are_too_early(tmp_path: Path, moment: int) -> None:
    """So the test above does see what it is for."""
    path = Fleeting(tmp_path / "a")
    path.write_bytes(LOG)
    path.looks, path.then = moment, Path.unlink
    found = parse_input(path, "made", Dialect(), tmp_path)
    assert isinstance(found, ParsedInput) and found.unreadable


def test_a_file_that_shrinks_between_two_blocks(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(LOG * 500)
    read = stored.blocks(path)
    next(read)
    os.truncate(path, 100)
    with pytest.raises(UnreadableInputError, match="cannot be read: it became shorter while it was read"):
        list(read)


def test_a_file_that_grows_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(LOG * 500)
    read = stored.blocks(path)
    size = len(next(read))
    with path.open("ab") as log:
        log.write(LOG)
    assert size + sum(map(len, read)) == 501 * len(LOG)
