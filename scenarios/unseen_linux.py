"""The dataset ``unseen_linux``: the cases of ``unseen`` with Reno, since Linux has no LIA.

The testbed runs the same scenarios on a kernel (``sbd testbed --dataset unseen_linux``). Evaluation only.
"""

from __future__ import annotations

from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios import unseen
from smartsbd.scenarios.scenario import Names, Run


def dataset(*, cases: Names, repetitions: PositiveInt, duration_s: PositiveFloat, seed: NonNegativeInt) -> list[Run]:
    """Draw the dataset: each case `repetitions` times with random starts and queues.

    Parameters
    ----------
    cases : list of str
        Names in :data:`smartsbd.scenarios.unseen.CASES`.
    repetitions : int
        Connections of each case.
    duration_s : float, seconds
        Length of each transfer.
    seed : int

    Returns
    -------
    list of Run
        Case by case.
    """
    return unseen.draw(cases, "reno", repetitions=repetitions, duration_s=duration_s, seed=seed)
