"""Connections that a baseline detector must bear: one queue and several, silences, ties, next to no event."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from smartsbd.contracts.tables import OPEN, RECOVERY
from smartsbd.detectors.event import Event, Int64Array, Kind

_NS_PER_MS = 1_000_000
_NS_PER_S = 1_000_000_000
_SEED = 20230105
#: From one sample of a subflow to its next, and how long a stretch of samples lasts.
_STEP_NS = 20 * _NS_PER_MS
_STRETCH_S = 30
#: When the first sample comes, and how long the connection lasts after the last.
_BEFORE_NS, _AFTER_NS = 3 * _NS_PER_MS, 500 * _NS_PER_MS
#: Base RTTs, far apart: what subflows have in common is the queue alone.
_BASES_US = (20_000, 90_000, 50_000)
_DEEPEST_US = (60_000, 120_000, 60_000)
#: A one-way delay's zero is not known.
_CLOCKS_APART_US = 50_000
_SEGMENT_BYTES = 1448
#: Level of a full queue; that from which on ACKs are marked; how long Recovery lasts.
_FULL = 1000
_MARKED_FROM = 900
_RECOVERY_NS = 200 * _NS_PER_MS


@dataclass(frozen=True)
class GeneratedConnection:
    """What a detector receives of one connection.

    Attributes
    ----------
    subflow_ids : tuple of int
        Those without any event are among them.
    events : tuple of Event
        Of every kind, in order of time, kind and subflow.
    end_ns : int
    tied : bool
        Several subflows have events of one kind at one time.
    """

    subflow_ids: tuple[int, ...]
    events: tuple[Event, ...]
    end_ns: int
    tied: bool = False

    def of_kinds(self, kinds: Collection[Kind]) -> GeneratedConnection:
        """Return the same connection, with its events of some kinds alone."""
        return replace(self, events=tuple(event for event in self.events if event.kind in kinds))

    def until(self, end_ns: int) -> GeneratedConnection:
        """Return what is known at a time: the events up to it, and with it."""
        return replace(self, events=tuple(event for event in self.events if event.time_ns <= end_ns), end_ns=end_ns)

    def later(self, by_ns: int) -> GeneratedConnection:
        """Return the same connection, `by_ns` nanoseconds later."""
        events = tuple(event._replace(time_ns=event.time_ns + by_ns) for event in self.events)
        return replace(self, events=events, end_ns=self.end_ns + by_ns)

    def relabelled(self, labels: Mapping[int, int]) -> GeneratedConnection:
        """Return the same connection with other numbers of its subflows."""
        events = [event._replace(subflow_id=labels[event.subflow_id]) for event in self.events]
        return replace(self, subflow_ids=tuple(sorted(labels.values())), events=_ordered(events))

    def repeated(self, times: int, silent_ns: int = 0) -> GeneratedConnection:
        """Return a connection of so many times the same events, end to end except for a silence."""
        every_ns = self.end_ns + silent_ns
        events = tuple(event for number in range(times) for event in self.later(number * every_ns).events)
        return replace(self, events=events, end_ns=(times - 1) * every_ns + self.end_ns)


def _ordered(events: Sequence[Event]) -> tuple[Event, ...]:
    return tuple(sorted(events, key=lambda event: (event.time_ns, event.kind, event.subflow_id)))


def _queue(rng: np.random.Generator, samples: int) -> Int64Array:
    """Return how full a queue is, in thousandths: it fills, and drains to some part when a packet is lost."""
    level = np.empty(samples, dtype=np.int64)
    now = _FULL / 2
    for place in range(samples):
        now += rng.uniform(0, _FULL / 50)
        if now > _FULL:
            now = rng.uniform(_FULL / 5, 3 * _FULL / 5)
        level[place] = now
    return level


def _subflow_events(rng: np.random.Generator, subflow_id: int, level: Int64Array, *, tied: bool = False) -> list[Event]:
    """Return the events of a subflow of a queue: an ACK for each sample, marks and a loss where it is full."""
    base_us, deepest_us = _BASES_US[subflow_id], _DEEPEST_US[subflow_id]
    events: list[Event] = []
    acked_bytes = 0
    for place, thousandths in enumerate(level.tolist()):
        # No two subflows at one time, unless all are.
        apart_ns = 0 if tied else int(rng.integers(1, _STEP_NS // 3)) * 3 + subflow_id
        time_ns = _BEFORE_NS + place * _STEP_NS + apart_ns
        acked_bytes += _SEGMENT_BYTES * int(rng.integers(1, 4))
        rtt_us = base_us + thousandths * deepest_us // _FULL + int(rng.integers(0, 300))
        values = {Kind.ACK: acked_bytes, Kind.RTT: rtt_us, Kind.OWD: rtt_us - _CLOCKS_APART_US}
        if thousandths > _MARKED_FROM:
            values[Kind.MARK] = _SEGMENT_BYTES
        if place and thousandths < level[place - 1]:
            values |= {Kind.CA: RECOVERY, Kind.LOSS: int(rng.integers(1, 4))}
            events.append(Event(time_ns + _RECOVERY_NS, subflow_id, Kind.CA, OPEN))
        events += [Event(time_ns, subflow_id, kind, value) for kind, value in values.items()]
    return events


def _connection(queues: Sequence[int | None], *, tied: bool = False) -> GeneratedConnection:
    """Return a connection of one subflow for each number of a queue; one of None has no events."""
    samples = _STRETCH_S * _NS_PER_S // _STEP_NS
    events: list[Event] = []
    for subflow_id, number in enumerate(queues):
        if number is not None:
            level = _queue(np.random.default_rng([_SEED, 0, number]), samples)
            events += _subflow_events(np.random.default_rng([_SEED, 1, subflow_id]), subflow_id, level, tied=tied)
    end_ns = max((event.time_ns for event in events), default=0) + _AFTER_NS
    return GeneratedConnection(tuple(range(len(queues))), _ordered(events), end_ns, tied)


def _without(connection: GeneratedConnection, subflow_id: int, start_ns: int, end_ns: int) -> GeneratedConnection:
    """Return a connection in which a subflow has no events for a while."""
    events = tuple(
        event for event in connection.events if event.subflow_id != subflow_id or not start_ns <= event.time_ns < end_ns
    )
    return replace(connection, events=events)


def generated_connections() -> dict[str, GeneratedConnection]:
    """Return the connections by what each is; the same ones each time.

    Returns
    -------
    dict of str to GeneratedConnection
        By what each connection is.

    Examples
    --------
    >>> connections = generated_connections()
    >>> len(connections["one event of each kind"].events), connections["a subflow without events"].subflow_ids
    (6, (0, 1, 2))
    """
    alone, half_ns = _connection([0, 1]), _STRETCH_S * _NS_PER_S // 2
    constant = tuple(
        event._replace(value=_BASES_US[event.subflow_id]) if event.kind in (Kind.RTT, Kind.OWD) else event
        for event in alone.events
    )
    once = {Kind.CA: RECOVERY, Kind.LOSS: 1, Kind.ACK: 1, Kind.MARK: 1, Kind.RTT: 1, Kind.OWD: -1}
    return {
        "two subflows that share": _connection([0, 0]),
        "two subflows that do not share": alone,
        "three subflows, two of which share": _connection([0, 1, 0]),
        "three subflows that share": _connection([0, 0, 0]),
        "a subflow without events": _connection([0, None, 0]),
        "no events": GeneratedConnection((0, 1), (), _NS_PER_S),
        "one event of each kind": GeneratedConnection(
            (0, 1), _ordered([Event(_BEFORE_NS, 0, kind, value) for kind, value in once.items()]), _NS_PER_S
        ),
        "events of one time": _connection([0, 1, 0], tied=True),
        "constant delays": replace(alone, events=constant),
        "a silence of a subflow": _without(_connection([0, 0]), 1, half_ns, half_ns + half_ns // 2),
        "a silence of all": _connection([0, 0]).repeated(2, silent_ns=100 * _NS_PER_S),
    }
