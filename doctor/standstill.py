"""Whether this host, or its clock, stood still: a thread that sleeps for a moment and looks how long that was."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

#: The thread sleeps for so long; if it wakes later than it should by more than the second, that is a standstill.
_SLEEP_S = 0.01
_LEAST_S = 0.05


class StandstillWatch:
    """Watches from now on."""

    def __init__(self) -> None:
        self._standstills: list[tuple[float, float]] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def end(self) -> list[tuple[float, float]]:
        """End it; return the standstills, each from when to when in seconds since 1970."""
        self._ended.set()
        self._thread.join()
        return self._standstills

    def _watch(self) -> None:
        before = time.time(), time.monotonic()
        while not self._ended.is_set():
            time.sleep(_SLEEP_S)
            now = time.time(), time.monotonic()
            # A clock of the day that is set makes times useless too.
            late_s = max(abs(now[0] - before[0]), now[1] - before[1]) - _SLEEP_S
            if late_s > _LEAST_S:
                self._standstills.append((max(0.0, now[0] - late_s), max(0.0, now[0])))
            before = now


def share(standstills: Sequence[tuple[float, float]], from_s: float, to_s: float) -> float:
    """Return the share of the time between two moments that this host stood still.

    Parameters
    ----------
    standstills : sequence of (float, float), seconds
        Each from when to when.
    from_s, to_s : float, seconds

    Returns
    -------
    float in [0, 1]

    Examples
    --------
    >>> share([(1.0, 2.0), (9.5, 12.0)], 0.0, 10.0)
    0.15
    """
    inside = (max(0.0, min(end_s, to_s) - max(begin_s, from_s)) for begin_s, end_s in standstills)
    return min(1.0, sum(inside) / (to_s - from_s))
