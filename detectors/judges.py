"""A detector as a judge of recordings, by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from smartsbd.detectors import detector_of
from smartsbd.detectors.delay_judge import DelayJudge
from smartsbd.detectors.lag_excess import LAG_EXCESS
from smartsbd.detectors.lag_excess_judge import LagExcessJudge
from smartsbd.detectors.pair_opinion import Judge
from smartsbd.detectors.replayed_judge import ReplayedJudge
from smartsbd.detectors.verdict.common_lag import COMMON_LAG
from smartsbd.detectors.verdict.common_lag_judge import CommonLagJudge
from smartsbd.features.reading import Reading

#: Detectors that are not replayed event by event.
_DELAY_JUDGES: dict[str, Callable[[Any, Reading], DelayJudge]] = {
    COMMON_LAG.name: CommonLagJudge,
    LAG_EXCESS.name: LagExcessJudge,
}


def detector_judge(name: str, reading: Reading) -> Judge:
    """Return a detector as a judge of recordings, by ``detector`` or ``detector/preset``.

    Parameters
    ----------
    name : str
    reading : Reading

    Returns
    -------
    Judge
        The detector, replayed, or a judge of delays with its parameters.

    Raises
    ------
    UnknownDetectorError
        If there is none of that name.
    """
    kind, preset = detector_of(name)
    parameters = kind.presets[preset]
    delay_judge = _DELAY_JUDGES.get(kind.name)
    return ReplayedJudge(kind.build(parameters)) if delay_judge is None else delay_judge(parameters, reading)
