"""Counts of inputs: of public captures as a table in git has them, and of a folder nothing is left out."""

from __future__ import annotations

import csv
import hashlib
import os
from pathlib import Path

import pytest

from smartsbd.traces import recording
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.input_counts import InputCounts, counted, files_of, total

IN_GIT = Path(__file__).parent / "samples/captures"
_ALL = os.environ.get("SBD_CAPTURES")
FOLDERS = [IN_GIT, *([Path(_ALL)] if _ALL is not None else [])]
with (IN_GIT / "counts.csv").open(newline="", encoding="utf-8") as _lines:
    ROWS = {row["file"]: row for row in csv.DictReader(_lines)}


def counts_of(paths: list[Path]) -> list[InputCounts]:
    return [counted(one) for one in recording.read_all(paths, Dialect())]


def cells_of(one: InputCounts) -> dict[str, object]:
    return {
        "source": one.source,
        "connections": str(one.connections),
        "subflows": str(one.subflows),
        "packets": str(one.records_in),
        "read": str(one.records_out),
        "unused": str(sum(one.unused.values())),
        "refused": str(sum(one.refused.values())),
    }


def test_the_table_is_of_the_27_captures() -> None:
    assert len(ROWS) == 27
    assert {path.name for path in IN_GIT.glob("*.pcap*")} <= set(ROWS)


@pytest.mark.parametrize("name", ROWS)
def test_a_public_capture_holds_what_the_table_says(name: str) -> None:
    paths = [folder / name for folder in FOLDERS if (folder / name).exists()]
    if not paths:
        pytest.skip("not in git, as some have no licence and others are large: SBD_CAPTURES names no folder of them")
    for path in paths:
        assert hashlib.sha256(path.read_bytes()).hexdigest() == ROWS[name]["sha256"]
        (one,) = counts_of([path])
        assert cells_of(one) == {key: ROWS[name][key] for key in cells_of(one)}


@pytest.mark.skipif(_ALL is None, reason="the 27 captures are not in git: SBD_CAPTURES names no folder of them")
def test_a_folder_of_them_holds_them_all() -> None:
    """What others print of each counts the packets; two captures are of one subflow, which counts once."""
    folder = Path(str(_ALL))
    counts = counts_of(files_of(folder))
    whole = total(counts)
    assert whole.inputs == sum(1 for path in folder.rglob("*") if path.is_file())
    assert whole.sources == {"pcap": 27} and whole.sources.total() + whole.unreadable.total() == whole.inputs
    assert (whole.connections, whole.subflows, whole.refused.total()) == (43, 94, 0)
    assert whole.records_in == whole.records_out + whole.unused.total() == 287_248
    with (folder / "captures.csv").open(newline="", encoding="utf-8") as lines:
        packets = {row["file"]: int(row["packets"]) for row in csv.DictReader(lines)}
    assert {Path(one.input).name: one.records_in for one in counts if one.source} == packets


def test_every_file_of_a_folder_is_counted_once(tmp_path: Path) -> None:
    (tmp_path / "below/deep").mkdir(parents=True)
    (tmp_path / "below/deep/a.log").write_text("1 C=1 SF=0 V=RTT 9\n2 C=1 SF=1 V=RTT 9\n3 C=1 SF=1 V=NONE 9\n")
    (tmp_path / "below/empty").touch()
    (tmp_path / ".hidden.log").write_text("1 C=1 SF=0 V=RTT 9\n")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "below", target_is_directory=True)
    found = files_of(tmp_path)
    assert [str(path.relative_to(tmp_path)) for path in found] == [
        ".hidden.log", "below/deep/a.log", "below/empty", "link", "pipe"
    ]  # fmt: skip
    hidden, log, empty, link, pipe = counts_of(found)
    assert (hidden.source, log.source) == ("event_log", "event_log")
    assert (log.connections, log.subflows, log.records_in, log.records_out) == (1, 2, 3, 2)
    assert log.refused == {"unknown kind of event": 1}
    assert [one.unreadable for one in (empty, link, pipe)] == [
        "is empty", "is no regular file", "is no regular file"
    ]  # fmt: skip
    whole = total([hidden, log, empty, link, pipe])
    assert whole.inputs == 5 == whole.sources.total() + whole.unreadable.total()
    assert whole.records_in == whole.records_out + whole.unused.total() + whole.refused.total() == 4


def test_a_folder_without_a_file_is_counted(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (one,) = counts_of(files_of(tmp_path))
    assert (one.input, one.unreadable) == (str(tmp_path), "is no regular file")


def test_a_folder_that_cannot_be_read_is_not_passed_over(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        files_of(tmp_path / "none")
