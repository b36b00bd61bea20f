"""The ten rows of SmartSBD's Table 6, with the detector running: section 5.2, the dataset ``unseen``."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios.closed_loop.loop_experiment import LoopExperiment, LoopNetwork
from smartsbd.scenarios.closed_loop.sender_control import FEW
from smartsbd.scenarios.scenario import Names
from smartsbd.scenarios.unseen import draw as draw_cases


def draw(
    *, cases: Names, repetitions: PositiveInt, duration_s: PositiveFloat, seed: NonNegativeInt
) -> Iterator[LoopNetwork]:
    """Draw each case `repetitions` times.

    Parameters
    ----------
    cases : list of str
        Names in :data:`~smartsbd.scenarios.unseen.CASES`.
    repetitions : int
    duration_s : float, seconds
        Length of each transfer; 60 in the paper.
    seed : int

    Yields
    ------
    LoopNetwork
        Case by case.
    """
    for place, run in enumerate(draw_cases(cases, "lia", repetitions=repetitions, duration_s=duration_s, seed=seed)):
        yield LoopNetwork("Table 6", run.setting, place % repetitions, run.scenario)


EXPERIMENT = LoopExperiment(draw, FEW)
