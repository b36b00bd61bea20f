"""The lines of docs/python.md and docs/tutorial.md are run as they stand, and say what is shown there."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.smartsbd.recorded import KERNEL, ROOT, arrays_of
from tests.traces import rewritten

DOCUMENT, TUTORIAL = ROOT / "docs/python.md", ROOT / "docs/tutorial.md"


def _program(document: Path) -> tuple[str, str]:
    """Return the first program of a document, and what is shown that it prints."""
    shown = re.search(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", document.read_text(), re.MULTILINE | re.DOTALL)
    assert shown is not None
    program, said = shown.groups()
    return program, said


def _printed(program: str, folder: Path) -> tuple[str, str]:
    """Return what a program prints in a folder, and its errors."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout, done.stderr


def test_the_five_lines_say_what_is_shown(tmp_path: Path) -> None:
    program, said = _program(DOCUMENT)
    assert len([line for line in program.splitlines() if line]) == 5
    for name, (times_s, rtts_s) in zip(("wifi", "lte"), arrays_of(KERNEL[0]).paths.values(), strict=True):
        rows = [f"{time_s!r},{rtt_s!r}\n" for time_s, rtt_s in zip(times_s.tolist(), rtts_s.tolist(), strict=True)]
        (tmp_path / f"{name}.csv").write_text("".join(["time_s,rtt_s\n", *rows]))
    assert _printed(program, tmp_path) == (said, "")


def test_the_tutorial_s_program_says_what_is_shown_and_draws(tmp_path: Path) -> None:
    program, said = _program(TUTORIAL)
    rewritten.write_all(KERNEL[0], tmp_path)
    assert _printed(program, tmp_path) == (said, "")
    assert (tmp_path / "judged.png").stat().st_size > 10_000


@pytest.mark.parametrize(("document", "examples"), [(DOCUMENT, 9), (TUTORIAL, 7)], ids=["python", "tutorial"])
def test_its_examples_are_right(document: Path, examples: int) -> None:
    tried = doctest.testfile(str(document), module_relative=False)
    assert tried.attempted >= examples
    assert not tried.failed
