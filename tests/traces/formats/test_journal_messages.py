"""Journal entries are taken apart by SSE2 where the processor has it, else byte by byte: both say the same."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.traces.formats.test_line_runs import LINES

HERE = Path(__file__).parent
SOURCES = HERE.parents[2] / "native/logs/src"
ENTRY = b'{"PRIORITY":"6","MESSAGE":"smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 24511","_TRANSPORT":"kernel"}'
MESSAGE = b"<smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 24511>"
LINE_END = ord("\n")


def lines() -> Iterator[bytes]:
    """Yield entries, good and broken: each byte at each place of a step, and bytes changed at random."""
    for kind in ("journal", "event lines"):
        good, odd = LINES[kind]
        yield from (line for line in (good, *odd) if b"\n" not in line)
    for padding in range(17):
        yield ENTRY + b" " * padding
    for at in range(26, 43):
        for byte in set(range(256)) - {LINE_END}:
            yield ENTRY[:at] + bytes([byte]) + ENTRY[at + 1 :]
    draw = random.Random(1)  # noqa: S311 - the same each time
    for _ in range(5_000):
        changed = bytearray(ENTRY)
        for _ in range(draw.randrange(1, 4)):
            changed[draw.randrange(len(changed))] = draw.choice(b'"\\{},: \x7f\x80\xff\x1f~a')
        yield bytes(changed[: draw.randrange(len(changed) // 2, len(changed) + 1)])


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[bytes]]:
    """What the build for this processor says of each line, and what the one without SSE2 says."""
    folder = tmp_path_factory.mktemp("messages")
    content = b"".join(line + b"\n" for line in lines())
    printed = {}
    for name, flags in (("here", []), ("portable", ["-U__SSE2__"])):
        program = folder / name
        command = ["g++", "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", *flags, f"-I{SOURCES}"]
        subprocess.run([*command, HERE / "journal_messages.cc", SOURCES / "messages.cc", "-o", program], check=True)
        printed[name] = subprocess.run([program], input=content, capture_output=True, check=True).stdout.split(b"\n")
    return printed


def test_both_say_the_same(answers: dict[str, list[bytes]]) -> None:
    assert answers["portable"] == answers["here"]


def test_entries_are_taken_and_left(answers: dict[str, list[bytes]]) -> None:
    """A comparison of nothing with nothing would hold too."""
    portable = answers["portable"]
    assert portable.count(MESSAGE) > 17
    assert portable.count(b"none") > 1_000
    assert len(set(portable)) > 1_000
