"""Lines of C++ are of 100 columns at most, in every source that git tracks."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("simulator", "packets", "warping")
MOST_COLUMNS = 100


def sources() -> list[str]:
    """Return the sources' paths from the root of the repository."""
    patterns = [f"{folder}/*{suffix}" for folder in FOLDERS for suffix in (".cc", ".h")]
    listed = subprocess.run(["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.split("\0")[:-1]


def test_no_line_is_too_long() -> None:
    names = sources()
    assert {name.partition("/")[0] for name in names} == set(FOLDERS)
    long = [
        f"{name}:{number}: {len(line)} columns"
        for name in names
        for number, line in enumerate((ROOT / name).read_text().splitlines(), start=1)
        if len(line) > MOST_COLUMNS
    ]
    assert long == []
