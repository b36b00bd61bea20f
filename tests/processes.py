"""Processes that a test looks at: they run, or are gone."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

#: How long what is waited for may take on a machine that others share.
PATIENCE_S = 60


def runs(number: int) -> bool:
    """Tell whether a process has not ended."""
    try:
        state = Path(f"/proc/{number}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def within(folder: Path) -> dict[int, str]:
    """Return the processes that work in a folder, each with the name of its program."""
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if (place / "cwd").readlink() == folder and runs(int(place.name)):
                found[int(place.name)] = (place / "comm").read_text().strip()
        except OSError:
            continue
    return found


def waited_for(what: Callable[[], object]) -> bool:
    """Wait until something is so; return whether it came to be."""
    until_s = time.monotonic() + PATIENCE_S
    while not what():
        if time.monotonic() > until_s:
            return False
        time.sleep(0.01)
    return True
