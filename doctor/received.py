"""What a load has brought over a path: bytes against time, as a table in a file."""

from __future__ import annotations

import bisect
import csv
import io
import itertools
import math
import os
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from smartsbd.contracts import regular_file
from smartsbd.contracts.fault import InputFault

HEAD = ["time_s", "bytes"]
#: A test of an hour with ten rows a second has 36,000.
_MOST_ROWS = 1_000_000
_MOST_FILE_BYTES = 64 << 20
_BITS_PER_MBIT = 1e6
#: More is not counted.
MOST_OCTETS = 2**62


class ReceivedError(InputFault):
    """A table of received bytes that cannot be read."""


@dataclass(frozen=True)
class Received:
    """Bytes that came over a path.

    Attributes
    ----------
    times_s : list of float
        Seconds since 1970, in order.
    octets : list of int
        How many had come until then.
    """

    times_s: list[float]
    octets: list[int]

    @classmethod
    def read(cls, path: Path) -> Received:
        """Read the table in a file.

        Parameters
        ----------
        path : Path

        Returns
        -------
        Received

        Raises
        ------
        ReceivedError
            If it is no such table: a wrong head or number, times or bytes that go back, more than a million rows.
        NoRegularFileError
            If it is no regular file.
        """
        times_s, octets = [], []
        try:
            with regular_file.opened(path) as stored:
                if os.fstat(stored.fileno()).st_size > _MOST_FILE_BYTES:
                    raise ReceivedError(f"{path}: more than {_MOST_FILE_BYTES} bytes")
                rows = csv.reader(io.TextIOWrapper(stored, encoding="ascii", newline=""))
                if next(rows, None) != HEAD:
                    raise ReceivedError(f"{path}: the first line is not {','.join(HEAD)}")
                for time_text, bytes_text in itertools.islice(rows, _MOST_ROWS):
                    times_s.append(float(time_text))
                    octets.append(int(bytes_text))
                if next(rows, None) is not None:
                    raise ReceivedError(f"{path}: more than {_MOST_ROWS} rows")
        except (OSError, ValueError, csv.Error) as error:
            raise ReceivedError(f"{path}: {error}") from error
        if not all(map(math.isfinite, times_s)) or not _ascend(times_s) or not _ascend([0, *octets, MOST_OCTETS]):
            raise ReceivedError(f"{path}: times and bytes do not ascend")
        return cls(times_s, octets)

    def write(self, path: Path) -> None:
        """Write the table to a file."""
        with path.open("w", newline="", encoding="ascii") as stream:
            rows = csv.writer(stream, lineterminator="\n")
            rows.writerow(HEAD)
            rows.writerows((f"{time_s:.6f}", count) for time_s, count in zip(self.times_s, self.octets, strict=True))

    def until(self, time_s: float) -> int:
        """Return how many bytes had come at a time.

        Returns
        -------
        int, bytes
            0 before the first row.

        Examples
        --------
        >>> Received([1.0, 2.0], [10, 30]).until(1.5), Received([1.0, 2.0], [10, 30]).until(0.5)
        (10, 0)
        """
        place = bisect.bisect_right(self.times_s, time_s)
        return self.octets[place - 1] if place else 0

    def mbit_s(self, from_s: float, to_s: float) -> float:
        """Return the mean rate between two times, Mbit/s.

        Returns
        -------
        float, Mbit/s

        Examples
        --------
        >>> Received([1.0, 2.0, 3.0], [0, 125_000, 250_000]).mbit_s(1, 3)
        1.0
        """
        return (self.until(to_s) - self.until(from_s)) * 8 / _BITS_PER_MBIT / (to_s - from_s)

    def silent_share(self, from_s: float, to_s: float) -> float:
        """Return the share of whole seconds between two times in which nothing came.

        Returns
        -------
        float in [0, 1]

        Examples
        --------
        >>> Received([0.5, 1.5, 2.5], [10, 20, 20]).silent_share(0, 4)
        0.5
        """
        seconds = [from_s + second for second in range(max(1, int(to_s - from_s)))]
        return sum(self.until(second + 1) == self.until(second) for second in seconds) / len(seconds)


class ReceivedCounter:
    """Counts what several streams receive; each look adds a row to the table."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._octets = 0
        self._table = Received([], [])

    def add(self, octets: int) -> None:
        """Count some more."""
        with self._lock:
            self._octets += octets

    def look(self) -> int:
        """Put a row into the table; return how many have come so far."""
        with self._lock:
            octets = self._octets
        # The clock of the day may be set back meanwhile; the table does not go back.
        last_s = self._table.times_s[-1] if self._table.times_s else 0.0
        self._table.times_s.append(max(time.time(), last_s))
        self._table.octets.append(octets)
        return octets

    def table(self) -> Received:
        """Return the table so far."""
        return self._table


def _ascend(numbers: Iterable[float]) -> bool:
    return all(before <= after for before, after in itertools.pairwise(numbers))
