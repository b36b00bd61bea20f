"""Observations of tests that nobody ran, with every figure as it is wanted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from smartsbd.doctor.guided_test import BOTH, FIRST, IDLE, LOADED, SECOND
from smartsbd.doctor.observed import Array, Echoes, JudgedTogether, Observed, PhaseObserved
from smartsbd.doctor.received import Received

#: RTTs without load, and seconds of a phase.
BASES_MS = (30.0, 45.0)
_SECONDS = {IDLE: 5, FIRST: 10, SECOND: 10, BOTH: 40}
_BYTES = 125_000


def queue_ms(seed: int, seconds: float) -> Array:
    """Return how long a queue that fills and drains at random delays, a hundred times a second."""
    steps = np.random.default_rng(seed).normal(0, 2.0, int(seconds * 100)).cumsum()
    waits_ms: Array = np.abs(steps % 80 - 40)
    return waits_ms


def echoes(begin_s: float, waits_ms: Array, base_ms: float) -> Echoes:
    """Return answers, a hundred a second, that waited so long."""
    return Echoes(begin_s + np.arange(waits_ms.size) / 100, base_ms + waits_ms)


def came(begin_s: float, seconds: float, mbit_s: float) -> Received:
    """Return what came at a constant rate, ten times a second."""
    times_s = [begin_s + number / 10 for number in range(int(seconds * 10) + 1)]
    return Received(times_s, [round(mbit_s * _BYTES * (one - begin_s)) for one in times_s])


def observed(
    *, queue_shared: bool, first: float = 10, second: float = 8, both: tuple[float, float] = (5, 5), loads: bool = True
) -> Observed:
    """Return what is observed of two paths.

    Parameters
    ----------
    queue_shared : bool
        They have one queue; else each has its own.
    first, second : float, Mbit/s
        What comes over each alone.
    both : (float, float), Mbit/s
        What comes over each when both are loaded.
    loads : bool
        A queue stands where a load is; else nothing waits.
    """
    phases, begin_s = {}, 1_000.0
    rates = {IDLE: {}, FIRST: {0: first}, SECOND: {1: second}, BOTH: dict(enumerate(both))}
    for phase, loaded in LOADED.items():
        seconds = _SECONDS[phase]
        own = [np.zeros(seconds * 100), np.zeros(seconds * 100)]
        for number in loaded if loads else ():
            of_queue = queue_ms(0 if queue_shared else number, seconds)
            for path in (0, 1) if queue_shared else (number,):
                own[path] = of_queue
        answered = [echoes(begin_s, waits_ms, base_ms) for waits_ms, base_ms in zip(own, BASES_MS, strict=True)]
        phases[phase] = PhaseObserved(
            begin_s=begin_s,
            end_s=begin_s + seconds,
            cut=False,
            echoes=(answered[0], answered[1]),
            received={number: came(begin_s, seconds, rate) for number, rate in rates[phase].items()},
            still=0.0,
        )
        begin_s += seconds + 1
    return Observed(("wlan0", "wwan0"), JudgedTogether(phases[BOTH].echoes, None, []), phases)


def with_phase(seen: Observed, name: str, **changes: object) -> Observed:
    """Return observations with something else in a phase."""
    return replace(seen, phases={**seen.phases, name: replace(seen.phases[name], **changes)})  # type: ignore[arg-type]
