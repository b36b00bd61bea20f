"""Lines of UTF-16 are those of the same text in UTF-8, with their places in the file."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartsbd.traces import stored
from smartsbd.traces.formats import text_lines


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@given(text=st.text(st.characters(exclude_categories=["Cs"])), longest=st.integers(1, 30), block=st.integers(1, 9))
def test_lines_are_those_of_the_text(
    tmp_path_factory: pytest.TempPathFactory, codec: str, text: str, longest: int, block: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "utf-16.txt"
    path.write_bytes("\ufeff".encode(codec) + text.encode(codec))
    offset, expected = 0, []
    for number, line in enumerate(("\ufeff" + text).split("\n")):
        shown = line.removeprefix("\ufeff") if number == 0 else line
        expected.append((offset, shown.encode()[: longest + 1]))
        offset += len((line + "\n").encode(codec))
    if text.endswith("\n"):
        expected.pop()
    with patch.object(stored, "_BLOCK_BYTES", block):
        found = list(text_lines.lines(path, longest))
    assert [(place, line[:longest]) for place, line in found] == [(place, line[:longest]) for place, line in expected]


def test_other_texts_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"a\xff\r\nb")
    assert list(text_lines.lines(path, 9)) == list(stored.lines(path, 9))
