"""Signals whose answer is known by construction."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from smartsbd.detectors.event import Event, Kind

NS_PER_MS = 1_000_000
#: Base delays, far apart: what is common is the queue alone.
BASES_US = (20_000, 90_000, 50_000, 140_000)


def queue_us(seed: int, samples: int, peak_us: int = 60_000) -> npt.NDArray[np.int64]:
    """A queue that fills and drains in sawteeth of random length: mostly full, as at a bottleneck."""
    rng = np.random.default_rng(seed)
    level = np.empty(samples)
    value = 0.5
    for place in range(samples):
        value = value + rng.uniform(0, 0.01)
        if value > 1:
            value = rng.uniform(0.2, 0.6)
        level[place] = value
    return (level * peak_us).astype(np.int64)


def delays(queues_us: list[npt.NDArray[np.int64]], kind: Kind = Kind.RTT, step_ms: int = 10) -> list[Event]:
    """Delays of subflows 0, 1, ...: each its base above its queue, one sample for each step, in turn."""
    found = []
    for place in range(len(queues_us[0])):
        for subflow_id, own in enumerate(queues_us):
            time_ns = (place * step_ms + 1) * NS_PER_MS + subflow_id * 1000
            found.append(Event(time_ns, subflow_id, kind, BASES_US[subflow_id] + int(own[place])))
    return found
