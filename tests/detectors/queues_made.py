"""Delays of made queues, of which it is known which subflows share one, and what a detector says of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from smartsbd.detectors import DetectorKind, Opinion, replayed
from smartsbd.detectors.event import Event, Int64Array, Kind

MS = 1_000_000
#: Delays of a subflow: times (ns) and values (us).
Trace = tuple[Int64Array, Int64Array]
#: Periods (ms) and heights (us) of two queues that have nothing to do with each other.
ONE_QUEUE, OTHER_QUEUE = (1700, 60_000), (900, 90_000)


def sawtooth_us(time_ns: Int64Array, period_ms: int, height_us: int) -> Int64Array:
    """Return the delay in a queue that builds up evenly and then is empty at once."""
    return time_ns % (period_ms * MS) * height_us // (period_ms * MS)


def delays(
    queue: tuple[int, int], base_us: int, every_ms: int, end_ms: int, start_ms: int = 0, scale: float = 1.0
) -> Trace:
    """Return the delays of a subflow through a queue, a little noise on them."""
    rng = np.random.default_rng([abs(base_us), every_ms])
    time_ns = np.arange(start_ms * MS, end_ms * MS, every_ms * MS) + rng.integers(0, MS)
    noise_us = rng.integers(-100, 101, len(time_ns))
    return time_ns, base_us + (scale * (sawtooth_us(time_ns, *queue) + noise_us)).astype(np.int64)


def opinions(kind: DetectorKind, preset: str, traces: Mapping[int, Trace], end_ms: int) -> list[Opinion]:
    """Return what a detector says of subflows, told of RTT samples or one-way delays as it wants."""
    detector = kind.build(kind.presets[preset])
    (wanted,) = detector.kinds
    assert wanted in {Kind.RTT, Kind.OWD}
    events = [
        Event(int(time_ns), subflow_id, wanted, int(value))
        for subflow_id, (times_ns, values) in traces.items()
        for time_ns, value in zip(times_ns, values, strict=True)
    ]
    return replayed(detector, sorted(traces), sorted(events), end_ms * MS)
