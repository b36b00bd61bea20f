"""The simulator's Makefile."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_set_up_compiles_each_object_once(tmp_path: Path) -> None:
    """Two compilers that write one file at once leave it broken."""
    make = [
        "make",
        "-C",
        ROOT / "simulator",
        f"PREFIX={tmp_path}",
        f"BUILD={tmp_path}",
        "--dry-run",
        "all",
        "loop-parts",
    ]
    printed = subprocess.run(make, check=True, capture_output=True, text=True).stdout
    written = Counter(re.findall(r" -o (\S+)", printed))
    assert len(written) > 50
    assert set(written.values()) == {1}
