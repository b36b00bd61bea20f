"""Lines of C and C++ are of 100 columns at most, in every source that git tracks."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: What is as it is, and why.
LEFT = {
    "export/generated/": "made of templates",
    "studies/svm/reports/": "made of templates",
    "export/fragments/": "their bytes stand in the exported headers, whose digests are published",
    "detectors/in_c/sbd_lag_excess.h": "frozen: its digest is in default.json",
}
MOST_COLUMNS = 100


def sources() -> list[str]:
    """Return the sources' paths from the root of the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "*.c", "*.cc", "*.h"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [name for name in listed.stdout.split("\0")[:-1] if not name.startswith(tuple(LEFT))]


def test_no_line_is_too_long() -> None:
    names = sources()
    folders = {"benchmarks", "detectors", "kernel", "simulator", "native", "export", "docs", "testbed", "tests"}
    assert {name.partition("/")[0] for name in names} == folders
    long = [
        f"{name}:{number}: {len(line)} columns"
        for name in names
        for number, line in enumerate((ROOT / name).read_text().splitlines(), start=1)
        if len(line) > MOST_COLUMNS
    ]
    assert long == []
