"""What each stage took: a line for every run by DVC, and where the time of a whole run went."""

from __future__ import annotations

import json
import logging
import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from smartsbd.pipelines.running.ancestry import DVC_STAGE

log = logging.getLogger("sbd")

#: The file of the lines, in the project's folder.
JOURNAL = Path("data/journal.jsonl")


@dataclass(frozen=True)
class Entry:
    """One run of a stage.

    Attributes
    ----------
    stage : str
        As DVC names it, for instance ``search@sites``.
    ended_s : float
        When, in seconds since 1970.
    wall_s, cpu_s : float
        How long it took, and the processor's time of it and all its processes.
    exit_code : int
    """

    stage: str
    ended_s: float
    wall_s: float
    cpu_s: float
    exit_code: int

    def after(self, before: Entry | None) -> Entry:
        """Return the run with the time of the stage's command before this one, if it has several.

        Returns
        -------
        Entry

        Examples
        --------
        >>> Entry("prepare@radio", 9.0, 2.0, 2.5, 0).after(Entry("prepare@radio", 7.0, 1.0, 1.5, 0))
        Entry(stage='prepare@radio', ended_s=9.0, wall_s=3.0, cpu_s=4.0, exit_code=0)
        """
        if before is None:
            return self
        return replace(self, wall_s=self.wall_s + before.wall_s, cpu_s=self.cpu_s + before.cpu_s)


def _cpu_s() -> float:
    """Return the processor's time of this process and of those it started that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


class Clock:
    """Measures one run of a stage, from the start of its process."""

    def __init__(self) -> None:
        self.exit_code = 1

    def ended(self, stage: str) -> Entry:
        """Return what the run took."""
        return Entry(stage, round(time.time(), 3), round(_age_s(), 3), round(_cpu_s(), 3), self.exit_code)


def _age_s() -> float:
    """Return how long ago this process was started, by a clock that nobody sets."""
    ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    up_s = float(Path("/proc/uptime").read_text().split()[0])
    return up_s - ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def measured() -> Iterator[Clock]:
    """Write down what a stage took, if it is DVC that runs it."""
    clock = Clock()
    try:
        yield clock
    finally:
        stage = os.environ.get(DVC_STAGE)
        if stage:
            try:
                _append(clock.ended(stage))
            except OSError as error:
                # What the stage has done stays, and how it ended.
                log.warning("%s: what the stage took is not written down: %s", JOURNAL, error.strerror)


def _append(entry: Entry) -> None:
    JOURNAL.parent.mkdir(parents=True, exist_ok=True)
    with JOURNAL.open("ab+") as file:
        size_bytes = file.tell()
        cut_off = size_bytes and os.pread(file.fileno(), 1, size_bytes - 1) != b"\n"
        file.write(b"\n" * bool(cut_off) + json.dumps(asdict(entry)).encode() + b"\n")


def _entry(line: str) -> Entry | None:
    try:
        return Entry(**json.loads(line))
    except (ValueError, TypeError):
        return None


def read(path: Path = JOURNAL) -> list[Entry]:
    """Return the entries of a journal, in order; none if there is no such file. A line that was cut off is left out."""
    if not path.exists():
        return []
    *lines, _ = path.read_text().split("\n")
    return [entry for line in lines if (entry := _entry(line)) is not None]
