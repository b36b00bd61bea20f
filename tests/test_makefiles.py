"""What the Makefiles build, without building it."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]


def written(folder: str, *arguments: object) -> Counter[str]:
    """Return how often each file would be written by a compiler."""
    make = ["make", "-C", str(ROOT / folder), "--always-make", "--dry-run", *map(str, arguments)]
    printed = subprocess.run(make, check=True, capture_output=True, text=True).stdout
    return Counter(re.findall(r" -o (\S+)", printed))


def test_a_set_up_compiles_each_object_of_the_simulator_once(tmp_path: Path) -> None:
    """Two compilers that write one file at once leave it broken."""
    objects = written("simulator", f"PREFIX={tmp_path}", f"BUILD={tmp_path}", "all", "loop-parts")
    assert len(objects) > 50
    assert set(objects.values()) == {1}
