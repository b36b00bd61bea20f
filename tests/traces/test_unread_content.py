"""What no parser reads is named: what it looks like, and what to give in its place."""

from __future__ import annotations

import gzip
import json
import struct
from pathlib import Path

import pytest

from smartsbd.pipelines.__main__ import main
from smartsbd.traces import formats, stored, unread_content
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.quarantine import UnreadableInputError
from tests.traces import unread_texts

#: Those that a parser may know as a broken input of its kind.
NEAR_A_PARSER = {
    *("a summary of ping", "fping", "irtt", "ss without a socket", "a table", "Wireshark's CSV", "ns-3's series"),
    *("UTF-16", "UTF-16 without a mark"),
}


def why(path: Path) -> str:
    """Return why an input is not read."""
    (read,) = formats.read([path], Dialect())
    assert isinstance(read.outcome, UnreadableInputError), read
    return read.outcome.why


@pytest.mark.parametrize("name", unread_texts.CONTENTS)
def test_it_is_said_what_it_looks_like_and_what_to_give(tmp_path: Path, name: str) -> None:
    content, what, instead = unread_texts.CONTENTS[name]
    known = unread_content.appearance(content)
    assert known is not None and what in known.what and instead in known.instead
    if name in NEAR_A_PARSER:
        return
    path = tmp_path / "a"
    path.write_bytes(content)
    if name == "tar.gz in gzip":
        path.write_bytes(gzip.compress(content, mtime=0))
    said = why(path)
    reason, _, rest = said.partition(": it looks like ")
    assert reason in {"no parser knows this content", f"no event line among {len(content.splitlines())} lines"}
    looks_like, _, in_its_place = rest.partition("; ")
    assert what in looks_like
    assert instead in in_its_place and in_its_place.endswith("(docs/questions.md)")
    assert said.isprintable()


@pytest.mark.parametrize("name", unread_texts.TEXTS)
def test_lines_may_end_as_windows_ends_them_and_follow_what_was_typed(name: str) -> None:
    content, what, _ = unread_texts.CONTENTS[name]
    contents = [content.replace(b"\n", b"\r\n")]
    # JSON, pages and tables are known by their first byte or line.
    if not content.startswith((b"<", b"version", b"{", b"[ {", b"[{", b"when")):
        contents.append(b"\n$ # what I saw\n\n" + content)
    for changed in contents:
        known = unread_content.appearance(changed)
        assert known is not None and what in known.what


@pytest.mark.parametrize("content", [b"Dear all,\nit does not work.\n", b"\x01\x02\x00\x03", b"{}", b"[]", b"\n"])
def test_of_what_looks_like_nothing_the_page_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(content)
    assert unread_content.appearance(stored.head(path)) is None
    assert why(path).endswith(": docs/questions.md tells what is read, and how to record it")


def test_names_of_columns_are_shown_as_text(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"a\x1b[31m,\xff,%b,\xe2\x80\xae\n1,2,3,4\n" % (b"x" * 100))
    said = unread_content.in_words(path.read_bytes())
    assert said.isprintable() and len(said) < 300
    assert r"a\x1b[31m, �, xxxxxxxxxxxxxxxxxxxxxxxx, \u202e;" in said


def test_what_a_log_holds_beside_its_records_is_nothing_to_say(tmp_path: Path) -> None:
    path = tmp_path / "a"
    text = unread_texts.CONTENTS["dmesg"][0]
    path.write_bytes(text + b"[    6.0] smartsbd: 5 C=7f SF=0 V=RTT 9000\n")
    (read,) = formats.read([path], Dialect())
    assert read.source == "event_log" and not isinstance(read.outcome, UnreadableInputError)
    assert (read.outcome.records_out, read.outcome.other_lines) == (1, 2)


def test_detect_says_in_one_line_what_inspect_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(unread_texts.CONTENTS["tcpdump"][0])
    said = []
    for command in ("detect", "inspect"):
        assert main([command, str(path)]) == 3
        (line,) = capsys.readouterr().err.splitlines()
        said.append(line.partition(": ")[2])
    assert said[0] == said[1] and "it looks like the text of tcpdump" in said[0]


def arp_capture(packets: int) -> bytes:
    """Return a capture of Ethernet frames that hold no IP."""
    frame = bytes(12) + b"\x08\x06" + bytes(28)
    records = b"".join(struct.pack("<IIII", second, 0, len(frame), len(frame)) + frame for second in range(packets))
    return struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) + records


@pytest.mark.parametrize(
    ("content", "why_none"),
    [
        (
            arp_capture(6),
            "of 6 records nothing was taken: not IP (6); capture on the sender itself: tcpdump -i any"
            " -s 128 -w capture.pcap tcp (docs/questions.md#packets-at-the-sender)",
        ),
        (b"t,sf,var,value\n", "it holds no record (docs/questions.md)"),
        (b"t,sf,var,value\n1.5,0,cwnd,9\nworn\n", "of 2 records nothing was taken: not a row of t,sf,var,value (1)"),
    ],
    ids=["capture", "header alone", "rows that are refused and unused"],
)
def test_detect_and_inspect_say_why_nothing_was_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, why_none: str
) -> None:
    path = tmp_path / "a"
    path.write_bytes(content)
    for command in ("detect", "inspect"):
        assert main([command, str(path)]) == 3
        captured = capsys.readouterr()
        # What stands in no table has an order by its count; those of one count may stand in either.
        assert f"no connection: {why_none.partition(': ')[0]}" in captured.err
        assert all(part in captured.err for part in why_none.partition(": ")[::2])
        assert captured.err.count("\n") == 1
    assert main(["detect", "--json", str(path)]) == 3
    (said,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert said["reason"].startswith("no connection: ") and said["connection_id"] is None


def test_of_a_single_path_what_was_not_taken_stands_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"t,sf,var,value\n1.5,0,rtt_us,9000\n1.6,0,cwnd,9\nworn\n")
    assert main(["detect", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "fewer than two subflows" in shown
    assert "  - Refused: not a row of t,sf,var,value 1.\n" in shown
