"""Connections of a real kernel as arrays of seconds, as somebody who has no log of ours would have them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from smartsbd.features import connection_pairs
from smartsbd.features.reading import DEFAULT
from smartsbd.traces import recording
from smartsbd.traces.dialect import Dialect

ROOT = Path(__file__).parents[2]
KERNEL = sorted((ROOT / "data/samples/kernel/inputs").iterdir())
#: Of the harder ones ten, with and without a verdict: there is none on 206, 224, 225 and 230.
HARD = [
    ROOT / f"data/samples/kernel_hard/inputs/{number}.state.csv.zst"
    for number in (201, 202, 203, 204, 205, 206, 207, 224, 225, 230)
]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Arrays:
    """RTT samples of a connection's subflows.

    Attributes
    ----------
    start_ns, end_ns : int, nanoseconds
        Of the connection; the arrays' times count from its start.
    paths : dict of str to (times, RTTs), seconds
        By the number of the subflow.
    """

    start_ns: int
    end_ns: int
    paths: dict[str, tuple[Array, Array]]

    def pair(self) -> tuple[Array, Array, Array, Array]:
        """What `judge` takes, of the first two subflows."""
        first, second = list(self.paths.values())[:2]
        return (*first, *second)


def arrays_of(path: Path) -> Arrays:
    """Return the samples of an input with one connection."""
    connection = recording.only_connection([path], Dialect())
    start_ns, end_ns = connection.span_ns()
    found = connection_pairs.signals(connection, DEFAULT)
    paths = {str(number): ((own.rtt_time_ns - start_ns) / 1e9, own.rtt_us / 1e6) for number, own in found.items()}
    return Arrays(start_ns, end_ns, paths)
