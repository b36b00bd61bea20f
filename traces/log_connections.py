"""The connections of a log, held as columns of events: a connection with few events takes few bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from smartsbd.traces.connection import Connection, Subflow
from smartsbd.traces.vantage import SENDER

Int64Array = npt.NDArray[np.int64]

#: Stands for a token that the log does not give.
NO_TOKEN = -1


@dataclass(frozen=True)
class SubflowColumns:
    """The subflows of a log, in order of their first record.

    Attributes
    ----------
    connection : (subflows,) integers
        Number of each one's connection; those count from 0 in the same order.
    token : (connections,) integers
        :data:`NO_TOKEN` where there is none.
    """

    connection: npt.NDArray[np.integer]
    token: npt.NDArray[np.integer]


@dataclass(frozen=True)
class EventOrder:
    """Where the events of each subflow are among all, in their own order.

    Attributes
    ----------
    order : (events,) int64
    starts : (subflows + 1,) int64
        Where each one's part of `order` begins.
    """

    order: Int64Array
    starts: Int64Array

    @classmethod
    def of(cls, subflow: npt.NDArray[np.integer], subflows: int) -> EventOrder:
        """Order events by the number of the subflow that each is of."""
        ends = np.cumsum(np.bincount(subflow, minlength=subflows))
        # Small numbers are put in order by their digits, in a tenth of the time.
        narrow = subflow.astype(np.uint16) if subflows <= 1 << 16 else subflow
        return cls(np.argsort(narrow, kind="stable"), np.concatenate([np.zeros(1, dtype=np.int64), ends]))

    def own(self, subflow: int) -> Int64Array:
        """Return where the events of a subflow are."""
        return self.order[self.starts[subflow] : self.starts[subflow + 1]]


class LogConnections(Sequence[Connection]):
    """The connections of a log; each is built when it is asked for, each time anew.

    Parameters
    ----------
    columns : SubflowColumns
    build : callable
        Makes the subflow of a number.
    vantage : str
        Where the log was recorded.
    """

    def __init__(self, columns: SubflowColumns, build: Callable[[int], Subflow], vantage: str = SENDER) -> None:
        self._token = columns.token
        self._subflows = EventOrder.of(columns.connection, len(columns.token))
        self._build = build
        self._vantage = vantage

    def __len__(self) -> int:
        return len(self._token)

    def __getitem__(self, index: int) -> Connection:  # type: ignore[override]
        number = range(len(self))[index]
        token = int(self._token[number])
        connection = Connection(
            token=None if token == NO_TOKEN else token, vantages={0: self._vantage}, states_inferred=False
        )
        for subflow in map(self._build, self._subflows.own(number).tolist()):
            connection.subflows[subflow.subflow_id] = subflow
        return connection

    def __iter__(self) -> Iterator[Connection]:
        return (self[number] for number in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]
