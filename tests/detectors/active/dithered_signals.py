"""Made symbols of two subflows and the RTTs in which they show, or do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from smartsbd.features.fixed import Int64Array

MS = 1_000_000
M_US = 40_000
#: Half of a round trip.
WAY_MS = 20


class Sample(NamedTuple):
    """An RTT sample of a subflow."""

    time_ns: int
    which: int
    rtt_us: int


class Sign(NamedTuple):
    """A symbol of a subflow, told when it ends."""

    time_ns: int
    which: int
    begin_ns: int
    middle_ns: int
    amplitude: int


Told = Sample | Sign


@dataclass(frozen=True)
class Network:
    """Two subflows, and how their windows move queues.

    Parameters
    ----------
    shared : bool
        Whether both pass one queue; else each has its own.
    together : bool
        Whether what else moves the queues is the same for both.
    gain_us : int
        How much a segment delays.
    lag_ms : int
        How much later the second subflow's segments leave to meet the first one's in a queue.
    symbols : int
    """

    shared: bool
    together: bool = False
    gain_us: int = 300
    lag_ms: int = 15
    symbols: int = 150

    def told(self, seed: int) -> list[Told]:
        """Return symbols and samples in order of time."""
        rng = np.random.default_rng(seed)
        signs = [_signs(rng, which, self.symbols) for which in (0, 1)]
        length = max(sign.time_ns for of_one in signs for sign in of_one) // MS + 200
        offsets = [_offsets(of_one, length) for of_one in signs]
        weather = [_weather(rng, length) for _ in (0, 1)]
        told: list[Told] = [sign for of_one in signs for sign in of_one]
        for which in (0, 1):
            lag_ms = self.lag_ms if which == 0 else -self.lag_ms
            segments = offsets[which] + (np.roll(offsets[1 - which], -lag_ms) if self.shared else 0)
            queue = weather[0 if self.together else which] + self.gain_us * segments
            sent_ms = np.cumsum(rng.integers(1, 6, length // 2))
            sent_ms = sent_ms[sent_ms < length - 60]
            rtt_us = np.maximum(M_US + 5_000 + queue[sent_ms] + rng.normal(0, 300, sent_ms.size), M_US).astype(np.int64)
            times_ns = np.maximum.accumulate(sent_ms * MS + rtt_us * 1000)
            told += [Sample(int(at), which, int(rtt)) for at, rtt in zip(times_ns, rtt_us, strict=True)]
        return sorted(told, key=lambda one: (one.time_ns, isinstance(one, Sign)))


def _signs(rng: np.random.Generator, which: int, symbols: int) -> list[Sign]:
    """Return the symbols of a subflow, one after another."""
    halves = WAY_MS + rng.integers(0, 15, 2 * symbols)
    edges = (np.concatenate([[0], np.cumsum(halves)]) + 100 + 7 * which) * MS
    amplitudes = rng.choice([-1, 1], symbols) * rng.integers(1, 5, symbols)
    return [
        Sign(int(edges[2 * i + 2]), which, int(edges[2 * i]), int(edges[2 * i + 1]), int(amplitudes[i]))
        for i in range(symbols)
    ]


def _offsets(signs: list[Sign], length: int) -> Int64Array:
    """Return by how many segments a window is above its base, at each millisecond."""
    offsets = np.zeros(length, np.int64)
    for sign in signs:
        begin, middle, end = (time_ns // MS for time_ns in (sign.begin_ns, sign.middle_ns, sign.time_ns))
        offsets[begin:middle] = sign.amplitude
        offsets[middle:end] = -sign.amplitude
    return offsets


def _weather(rng: np.random.Generator, length: int) -> Int64Array:
    """Return what else is in a queue at each millisecond, in us: it wanders."""
    pushes = rng.normal(0, 120, length)
    weather = np.zeros(length)
    for i in range(1, length):
        weather[i] = 0.99 * weather[i - 1] + pushes[i]
    return weather.astype(np.int64)
