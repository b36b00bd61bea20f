"""The first witness: the rate over both paths at once against the rates over each alone."""

from __future__ import annotations

from smartsbd.doctor.guided_test import BOTH, FIRST, SECOND
from smartsbd.doctor.observed import Observed
from smartsbd.doctor.queue_signs import is_filled
from smartsbd.doctor.witness import Witness

NAME = "rates"
#: The second path adds at most, or at least, this share of what the slower one brings alone.
MOST_SHARED, LEAST_NOT_SHARED = 0.35, 0.65
#: And where it counts alone.
_CLEARLY_SHARED, _CLEARLY_NOT_SHARED = 0.2, 0.8


def witness(observed: Observed) -> Witness:
    """Return what the rates say.

    Parameters
    ----------
    observed : Observed

    Returns
    -------
    Witness

    Notes
    -----
    With a shared bottleneck both together bring what the faster one brings alone. Without one, they bring the sum. It
    cannot tell if no queue stood on a path: then the rate is that of whoever sends.
    """
    if not observed.phases:
        return Witness(NAME, None, "recordings have no rates of each path alone")
    alone = {0: observed.phases[FIRST].mbit_s(0), 1: observed.phases[SECOND].mbit_s(1)}
    together = sum(observed.phases[BOTH].mbit_s(number) for number in alone)
    first, second = observed.names
    figures = f"{first} alone {alone[0]:.3g} Mbit/s, {second} alone {alone[1]:.3g}, both at once {together:.3g}"
    for number, phase in enumerate((FIRST, SECOND)):
        if not is_filled(observed, phase, number):
            return Witness(NAME, None, f"{figures}; no queue stood on {observed.names[number]}: it was not filled")
    slower, faster = sorted(alone.values())
    if not slower:
        return Witness(NAME, None, f"{figures}; nothing came over one of them")
    added = (together - faster) / slower
    share = f"the second adds {max(0.0, added):.0%} of what the slower one brings alone"
    shared = True if added <= MOST_SHARED else False if added >= LEAST_NOT_SHARED else None
    clear = not _CLEARLY_SHARED < added < _CLEARLY_NOT_SHARED
    sentence = f"{figures}: {share}" + ("" if shared is not None else ", neither little nor all")
    return Witness(NAME, shared, sentence, counts_alone=clear)
