"""The programs that search in C++ find what breaks a promise: here, a line of the source that is changed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fuzz import programs
from tests.fuzz.programs import PROGRAMS
from tests.fuzz.targets import CORPUS, ROOT, TARGETS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not programs.has_clang(), reason="clang is not installed"),
]


def copied(folder: Path, name: str, file: str = "", old: str = "", new: str = "") -> Path:
    """Return a copy of the sources in a folder, one line changed."""
    shutil.copytree(ROOT / "native" / name, folder / name)
    shutil.copytree(ROOT / "requirements", folder / "requirements")
    if file:
        path = folder / name / "src" / file
        assert path.read_text().count(old) == 1
        path.write_text(path.read_text().replace(old, new))
    return folder / name


def searched(program: Path, *arguments: object) -> str:
    """Return how a search of one program ends."""
    command: Sequence[str] = [str(program), "-seed=1", "-max_len=16384", *map(str, arguments)]
    done = subprocess.run(command, cwd=program.parent, capture_output=True, text=True, timeout=600, check=False)
    return done.stderr[-2000:]


@pytest.mark.parametrize("old", ["", "                least = left[part] < least ? left[part] : least;\n"])
def test_a_warping_that_is_not_the_least_is_found(tmp_path: Path, old: str) -> None:
    folder = copied(tmp_path, "warping", *(["warp.cc", old, ""] if old else []))
    program = replace(PROGRAMS["warping"], headers=lambda _: folder / "src")
    said = searched(programs.build_with_clang(program, tmp_path / "built"), "-runs=5000")
    assert ("deadly signal" in said) == bool(old) and ("Done 5000 runs" in said) == (not old), said


BROKEN = [
    ("ack-rows.cc", "    m_tsval = 0;\n", ""),
    ("recording.cc", "    --m_verdicts[static_cast<size_t>(Verdict::Segment)];\n", ""),
    ("recording.cc", "frame.timeNs > MAX_TIME_NS", "frame.timeNs > 2 * (MAX_TIME_NS - 1)"),
    ("pcap.cc", "Read(m_rest.data(), m_rest.size(), false)", "Read(m_rest.data(), m_rest.size(), m_rest.size() > 60)"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("file", "old", "new"), BROKEN)
def test_a_parser_of_captures_that_breaks_a_promise_is_found(tmp_path: Path, file: str, old: str, new: str) -> None:
    folder = copied(tmp_path, "packets", file, old, new)
    program = replace(PROGRAMS["packets"], headers=lambda _: folder / "src", objects=folder / "src")
    built = programs.build_with_clang(program, tmp_path / "built")
    seeds = tmp_path / "seeds"
    seeds.mkdir()
    for number, content in enumerate(TARGETS["packets"].seeds()):
        (seeds / str(number)).write_bytes(content)
    said = searched(built, "-runs=200000", seeds, CORPUS / "pcap")
    assert "deadly signal" in said, said
