"""The interface of replayed detectors: from events in time order to partitions of the subflows over time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from smartsbd.detectors.event import Event, Kind
from smartsbd.detectors.partition import Partition

#: Takes an event's time (ns), subflow and value.
Handler = Callable[[int, int, int], None]
#: Delay that a detector works on: RTT samples, or one-way delays, where the input has them.
Delay = Literal["rtt", "owd"]


@dataclass(frozen=True)
class Opinion:
    """A detector's opinion from a moment on.

    Attributes
    ----------
    time_ns : int
    partition : Partition
        Group of each subflow.
    """

    time_ns: int
    partition: Partition


class Detector(ABC):
    """A detector that is replayed.

    Subclasses say what they do with which kind of event (:meth:`handlers`), and call :meth:`_decide` whenever they
    come to an opinion.
    """

    subflow_ids: tuple[int, ...] = ()
    _partition: Partition = ()
    _opinions: list[Opinion]

    @abstractmethod
    def handlers(self) -> Mapping[int, Handler]:
        """Return the handler of each kind of event; other kinds are not wanted."""

    @property
    def kinds(self) -> frozenset[Kind]:
        """Kinds of events that it wants."""
        return frozenset(Kind(kind) for kind in self.handlers())

    def reset(self, subflow_ids: Iterable[int]) -> None:
        """Begin with a new connection of these subflows; there is no opinion yet."""
        self.subflow_ids = tuple(sorted(subflow_ids))
        self._partition = (None,) * len(self.subflow_ids)
        self._opinions = []

    def on_event(self, time_ns: int, subflow_id: int, kind: int, value: int) -> None:
        """Take an event; none is older than the one before.

        Parameters
        ----------
        time_ns : int, nanoseconds
        subflow_id : int
            One of those that :meth:`reset` received.
        kind : int
            One of :attr:`kinds`.
        value : int
            :class:`~smartsbd.detectors.event.Kind` says what it is.
        """
        self.handlers()[kind](time_ns, subflow_id, value)

    def advance(self, time_ns: int) -> None:  # noqa: B027 - many detectors act on events alone
        """Do what is due up to a time, even if there is no event."""

    def groups(self, time_ns: int) -> Partition:
        """Return the partition at a time no older than the last event."""
        self.advance(time_ns)
        return self._partition

    def _decide(self, time_ns: int, partition: Partition) -> None:
        if partition == self._partition:
            return
        self._partition = partition
        # Of several opinions at one time the last one counts.
        if self._opinions and self._opinions[-1].time_ns == time_ns:
            self._opinions.pop()
        if not self._opinions or self._opinions[-1].partition != partition:
            self._opinions.append(Opinion(time_ns, partition))

    def opinions(self) -> list[Opinion]:
        """Return the changes of opinion on the connection, in time order; before the first there is none."""
        return list(self._opinions)


@dataclass(frozen=True)
class DetectorKind:
    """A detector that may be replayed, with its parameter sets.

    Attributes
    ----------
    name : str
        In parameters, tables and on the command line; ``-r`` at its end marks a reconstruction.
    evidence : str
        What its rules rest on: T read in full, K read in public source code, A an abstract or a fragment only,
        M general knowledge, not read again, R our own reconstruction.
    source : str
        Where it was published.
    build : callable
        From a parameter set, a frozen dataclass, to the detector.
    presets : mapping of str to a parameter set
        The first is the default.
    """

    name: str
    evidence: str
    source: str
    build: Callable[[Any], Detector]
    presets: Mapping[str, Any]

    @property
    def default(self) -> str:
        """Name of the default parameter set."""
        return next(iter(self.presets))


def replayed(detector: Detector, subflow_ids: Sequence[int], events: Iterable[Event], end_ns: int) -> list[Opinion]:
    """Return a detector's changes of opinion on a connection.

    Parameters
    ----------
    detector : Detector
    subflow_ids : sequence of int
    events : iterable of Event
        Of the kinds that it wants, in time order.
    end_ns : int
        End of the connection.

    Returns
    -------
    list of Opinion
        In time order; before the first there is no opinion.
    """
    detector.reset(subflow_ids)
    handler = detector.handlers()
    for time_ns, subflow_id, kind, value in events:
        handler[kind](time_ns, subflow_id, value)
    detector.advance(end_ns)
    return detector.opinions()
