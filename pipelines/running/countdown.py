"""How far a run of the pipeline is, and how long the rest takes."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from smartsbd.pipelines.params import Params
from smartsbd.pipelines.running.dag import Stage
from smartsbd.pipelines.running.journal import Entry

#: Seconds of each run on two idle cores, for a clone in which nothing has run yet.
TYPICAL = Path(__file__).with_name("typical_seconds.csv")
_MINUTE_S = 60
_REACHED = re.compile(r"(Running s|S)tage '([^']+)'")


def run_reached(line: str) -> tuple[str, bool] | None:
    """Return the run that DVC has reached by a line that it prints, and whether it is run or is skipped.

    Returns
    -------
    (str, bool) or None
        The run as DVC names it, and True if it is run; None of any other line.

    Examples
    --------
    >>> run_reached("Running stage 'search@sites':")
    ('search@sites', True)
    >>> run_reached("Stage 'rank' didn't change, skipping")
    ('rank', False)
    >>> run_reached("Updating lock file 'dvc.lock'")
    """
    match = _REACHED.match(line)
    return (match[2], match[1] != "S") if match else None


def runs(stages: Iterable[Stage], params: Params) -> list[str]:
    """Return the name of each run, as DVC has it, of stages in the file's order."""
    return [
        name
        for stage in stages
        for name in (
            [f"{stage.name}@{dataset}" for dataset in stage.datasets(params)] if stage.matrix else [stage.name]
        )
    ]


def typical_seconds(profile: str, journal: Iterable[Entry]) -> dict[str, float]:
    """Return how long each run took when it was last run: in this clone, else on two idle cores.

    Parameters
    ----------
    profile : str
        Such as ``default``.
    journal : iterable of Entry
        Of this clone.

    Returns
    -------
    dict of str to float
        Seconds of wall time, by the run as DVC names it; runs that nobody has timed are not in it.
    """
    with TYPICAL.open(newline="") as file:
        seconds = {row["run"]: float(row["wall_s"]) for row in csv.DictReader(file) if row["profile"] == profile}
    return seconds | {entry.stage: entry.wall_s for entry in journal if entry.exit_code == 0}


class Countdown:
    """Says before each run how many there are and how long the rest takes.

    Parameters
    ----------
    planned : sequence of str
        Every run.
    typical_s : mapping of str to float
        How long runs take, of those for which it is known.

    Examples
    --------
    >>> countdown = Countdown(["simulate@sites", "search@sites", "rank", "report"], {"rank": 60.0, "report": 90.0})
    >>> countdown.skip("simulate@sites")
    >>> countdown.line("search@sites", 0.0)
    'stage 2 of 4'
    >>> countdown.line("rank", 5.0)
    'stage 3 of 4, 2 min left'
    >>> countdown.line("report", 35.0)
    'stage 4 of 4, 1 min left'
    """

    def __init__(self, planned: Sequence[str], typical_s: Mapping[str, float]) -> None:
        self._left = dict.fromkeys(planned)
        self._count = len(self._left)
        self._typical_s = typical_s
        self._known_s = 0.0
        self._known_from_s: float | None = None

    def skip(self, run: str) -> None:
        """Note that a run need not be made."""
        self._left.pop(run, None)

    def line(self, run: str, elapsed_s: float) -> str:
        """Return the line to print when a run begins.

        Parameters
        ----------
        run : str
        elapsed_s : float
            Since DVC was started.

        Returns
        -------
        str
        """
        self._left.pop(run, None)
        text = f"stage {self._count - len(self._left)} of {self._count}"
        awaited = [run, *self._left]
        if not all(name in self._typical_s for name in awaited):
            return text
        if self._known_from_s is None:
            self._known_from_s = elapsed_s
        left_s = sum(self._typical_s[name] for name in awaited)
        # This machine's pace, and DVC's own time between the runs; the first minute says little of either.
        left_s *= (elapsed_s - self._known_from_s + _MINUTE_S) / (self._known_s + _MINUTE_S)
        self._known_s += self._typical_s[run]
        return f"{text}, {_span(left_s)} left"


def _span(seconds: float) -> str:
    """Return a span of time in words.

    Examples
    --------
    >>> _span(40), _span(200)
    ('less than a minute', '3 min')
    """
    return f"{round(seconds / _MINUTE_S)} min" if seconds >= _MINUTE_S else "less than a minute"
