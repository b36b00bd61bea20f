"""The lines of docs/python.md are run as they stand, and say what is shown there."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.smartsbd.recorded import KERNEL, ROOT, arrays_of

DOCUMENT = ROOT / "docs/python.md"


def test_the_five_lines_say_what_is_shown(tmp_path: Path) -> None:
    shown = re.search(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
    assert shown is not None
    program, said = shown.groups()
    assert len([line for line in program.splitlines() if line]) == 5
    for name, (times_s, rtts_s) in zip(("wifi", "lte"), arrays_of(KERNEL[0]).paths.values(), strict=True):
        rows = [f"{time_s!r},{rtt_s!r}\n" for time_s, rtt_s in zip(times_s.tolist(), rtts_s.tolist(), strict=True)]
        (tmp_path / f"{name}.csv").write_text("".join(["time_s,rtt_s\n", *rows]))
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == (said, "")


def test_its_examples_are_right() -> None:
    tried = doctest.testfile(str(DOCUMENT), module_relative=False)
    assert tried.attempted >= 9
    assert not tried.failed
