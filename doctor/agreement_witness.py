"""The third witness: the detector's verdict on the RTTs of both paths while both are loaded."""

from __future__ import annotations

import numpy as np

from smartsbd import judge
from smartsbd.doctor.guided_test import BOTH
from smartsbd.doctor.observed import Observed
from smartsbd.doctor.queue_signs import is_filled
from smartsbd.doctor.witness import Witness

NAME = "agreement"
_S_PER_MS = 1e-3


def witness(observed: Observed) -> Witness:
    """Return what ``sbd detect --together`` says of the same recordings.

    Parameters
    ----------
    observed : Observed

    Returns
    -------
    Witness

    Notes
    -----
    In a test, it says nothing if no queue stood on a path: then delays have another cause.
    """
    both = observed.both
    if both.refused is not None:
        return Witness(NAME, None, both.refused)
    for number, name in enumerate(observed.names) if observed.phases else ():
        if not is_filled(observed, BOTH, number):
            return Witness(NAME, None, f"with both loaded no queue stood on {name}")
    first, second = both.echoes
    verdict = judge(first.times_s, first.rtts_ms * _S_PER_MS, second.times_s, second.rtts_ms * _S_PER_MS)
    if verdict.shared is None:
        return Witness(NAME, None, verdict.reason or "no reason is known")
    first_s = min(float(np.min(echoes.times_s)) for echoes in both.echoes)
    since_s = (verdict.since_s or first_s) - first_s
    words = "move together" if verdict.shared else "do not move together"
    score = "" if verdict.score is None else f"; score {verdict.score:.2f}"
    figures = f"with both loaded their delays {words}, since {since_s:.1f} s{score}"
    return Witness(NAME, verdict.shared, figures, counts_alone=True)
