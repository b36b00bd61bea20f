"""Signs of a queue on a path: how long its echoes wait for the load, and whether they wait at all."""

from __future__ import annotations

import numpy as np

from smartsbd.doctor.guided_test import IDLE
from smartsbd.doctor.observed import Echoes, Observed

#: Echoes over a path with a queue wait at least so long, as a share of the RTT without load, and in milliseconds.
_LEAST_PART, _LEAST_MS = 0.05, 1.0
#: RTTs without load lie within so many of their median deviations.
_DEVIATIONS = 5.0
_LEAST_ECHOES = 10


def waited_ms(observed: Observed, phase: str, number: int) -> float | None:
    """Return how long echoes over a path waited in a phase, by its median RTT beyond that without load.

    Parameters
    ----------
    observed : Observed
    phase : str
    number : int
        Of the path.

    Returns
    -------
    float or None
        Milliseconds, 0 at least; None if fewer than ten echoes of either phase were answered.
    """
    idle, loaded = (observed.phases[name].echoes[number] for name in (IDLE, phase))
    if min(idle.rtts_ms.size, loaded.rtts_ms.size) < _LEAST_ECHOES:
        return None
    return max(0.0, loaded.median_ms - idle.median_ms)


def least_wait_ms(idle: Echoes) -> float:
    """Return how long echoes of a path wait at least if a queue stands on it.

    Parameters
    ----------
    idle : Echoes
        Of the path without load.

    Returns
    -------
    float, milliseconds

    Examples
    --------
    >>> least_wait_ms(Echoes(np.arange(4.0), np.array([39.0, 40.0, 40.0, 41.0])))
    2.5
    """
    median_ms = idle.median_ms
    deviation_ms = float(np.median(np.abs(idle.rtts_ms - median_ms)))
    return max(_LEAST_MS, _LEAST_PART * median_ms, _DEVIATIONS * deviation_ms)


def is_filled(observed: Observed, phase: str, number: int) -> bool:
    """Tell whether there is a sign that a queue stood on a path in a phase, whoever filled it.

    Parameters
    ----------
    observed : Observed
    phase : str
    number : int
        Of the path.

    Returns
    -------
    bool
        False also if too few echoes were answered.

    Notes
    -----
    What others send may keep a queue full before the test begins. So its RTTs are compared with the smallest of the
    test, not with those without load.
    """
    echoes = observed.phases[phase].echoes[number]
    if echoes.rtts_ms.size < _LEAST_ECHOES:
        return False
    smallest_ms = min(
        float(of_phase.echoes[number].rtts_ms.min())
        for of_phase in observed.phases.values()
        if of_phase.echoes[number].rtts_ms.size
    )
    return echoes.median_ms - smallest_ms >= max(_LEAST_MS, _LEAST_PART * smallest_ms)
