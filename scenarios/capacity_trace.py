"""Recorded capacity of a link, in the format of mahimahi: the moments at which a packet of 1500 bytes could leave.

A file has a whole number of milliseconds on each line. They do not descend, and the last is not 0: there the trace
begins again. A file may be compressed (zstd, gzip or xz).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from smartsbd.contracts.fault import InputFault, printable
from smartsbd.scenarios.scenario import mean_mbit_s
from smartsbd.traces import stored
from smartsbd.traces.quarantine import UnreadableInputError

_MOST_BYTES = 1 << 24
#: A day.
_MOST_MS = 86_400_000
_MOST_DIGITS = 9
#: What a link of a scenario may carry.
_MOST_MBIT_S = 1000
_MOST_SHOWN = 40


class CapacityTraceError(InputFault):
    """A trace that cannot be used; the message names the file and the line."""


@dataclass(frozen=True)
class CapacityTrace:
    """A recorded link.

    Attributes
    ----------
    name : str
        Of its file, without the endings of compression.
    moments_ms : (opportunities,) int64
        When it could send; the last is where the trace begins again.
    """

    name: str
    moments_ms: npt.NDArray[np.int64]

    @property
    def length_ms(self) -> int:
        """After how long the trace begins again."""
        return int(self.moments_ms[-1])

    def part(self, start_ms: int, duration_ms: int) -> tuple[int, ...]:
        """Return the moments of a part, counted from its start; the trace goes round.

        Parameters
        ----------
        start_ms : int
            Where the part begins, less than the trace's length.
        duration_ms : int
            How long it must last. The last moment is the first one that is not within that time, so what replays the
            part does not begin again before.

        Returns
        -------
        tuple of int
            Moments in ms.

        Examples
        --------
        >>> trace = CapacityTrace("a", np.array([2, 5, 5, 10]))
        >>> trace.part(0, 6), trace.part(8, 6), trace.part(4, 20)
        ((2, 5, 5, 10), (2, 4, 7), (1, 1, 6, 8, 11, 11, 16, 18, 21))
        """
        rounds = -(-(start_ms + duration_ms) // self.length_ms) + 1
        starts_ms = np.arange(rounds, dtype=np.int64) * self.length_ms
        every = (starts_ms[:, None] + self.moments_ms[None, :]).ravel() - start_ms
        every = every[every > 0]
        return tuple(every[: np.searchsorted(every, duration_ms) + 1].tolist())


def name_of(path: Path) -> str:
    """Return the name of a trace's file without the endings of compression.

    Returns
    -------
    str
        The name; it may have other endings, such as ``.down``.

    Examples
    --------
    >>> name_of(Path("traces/a.down.zst")), name_of(Path("b.up"))
    ('a.down', 'b.up')
    """
    return path.stem if path.suffix in {".zst", ".gz", ".xz"} else path.name


def read(path: Path) -> CapacityTrace:
    """Read a trace.

    Parameters
    ----------
    path : Path

    Returns
    -------
    CapacityTrace
        Its name, and its moments in ms.

    Raises
    ------
    CapacityTraceError
        If it cannot be read, is larger than 16 MiB, or is no trace.
    """
    content = bytearray()
    try:
        for block in stored.blocks(path):
            content += block
            if len(content) > _MOST_BYTES:
                raise CapacityTraceError(f"{path}: is larger than {_MOST_BYTES >> 20} MiB when unpacked")
    except UnreadableInputError as error:
        raise CapacityTraceError(str(error)) from error
    if not content:
        raise CapacityTraceError(f"{path}: is empty")
    lines = bytes(content).removesuffix(b"\n").split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.isdigit() or len(line) > _MOST_DIGITS:
            shown = printable(line[:_MOST_SHOWN].decode(errors="backslashreplace"))
            raise CapacityTraceError(f"{path}, line {number}: '{shown}' is no whole number of ms of at most 9 digits")
    moments_ms = np.fromiter(map(int, lines), np.int64, len(lines))
    (descents,) = np.nonzero(np.diff(moments_ms) < 0)
    if len(descents):
        at = int(descents[0])
        raise CapacityTraceError(f"{path}, line {at + 2}: {moments_ms[at + 1]} ms is before {moments_ms[at]}")
    if not 0 < moments_ms[-1] <= _MOST_MS:
        raise CapacityTraceError(f"{path}: lasts {moments_ms[-1]} ms, and must last 1 ms to a day")
    if mean_mbit_s(moments_ms.tolist()) > _MOST_MBIT_S:
        raise CapacityTraceError(f"{path}: carries more than {_MOST_MBIT_S} Mbit/s in the mean")
    return CapacityTrace(name_of(path), moments_ms)


def read_folder(folder: Path) -> list[CapacityTrace]:
    """Read all traces of a folder, by name; documents (``.md``) and hidden files are none.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    list of CapacityTrace
        At least one, of different names.

    Raises
    ------
    CapacityTraceError
        If there is no such folder, no trace in it, two have one name, or one cannot be used.
    """
    if not folder.is_dir():
        raise CapacityTraceError(f"{folder}: is no folder of traces")
    files = sorted(path for path in folder.iterdir() if path.suffix != ".md" and not path.name.startswith("."))
    if not files:
        raise CapacityTraceError(f"{folder}: has no traces")
    traces = [read(path) for path in files]
    names = [trace.name for trace in traces]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise CapacityTraceError(f"{folder}: two traces are named {twice[0]}")
    return traces
