"""When nothing can be said of a pair, and why, in words."""

from __future__ import annotations

from smartsbd.features.lag_excess.excess import LEAST_BANDS, Excess
from smartsbd.features.lag_excess.memory import Evidence
from smartsbd.features.lag_excess.tile import Motion

IDLE = "a subflow was idle for more than half of the time"
TOO_SPARSE = "the RTT samples of a subflow are too sparse, or too few"
STALLED = "both subflows fall silent and go on together, as when the host or the application stops"
STILL = "nothing moves: the delay of a subflow has no more changes over four round trips than over a quarter of one"
TOO_DEEP = "the queues are so deep that fifty of the smallest round trips hold fewer than five of the true ones"
BETWEEN = "the delays agree more than those of separate queues, and less than those of a shared one"

#: Share of the silences that may end together with one of the other subflow, of the subflow that has fewer, and at
#: least four. Chosen on stalls put into connections of `wide` (docs/experiments/lag-excess.md).
_MOST_TOGETHER = (3, 10)
_LEAST_SILENCES = 4
#: Over the mean change over 4 steps, that over 64 is at least 6 / 10.
_LEAST_MOTION = (6, 10)
#: Half of a span of 64 steps over half of one of 4: changes are sums of so many.
_SLOW_OVER_FAST = 16


def _is_idle(motion: Motion) -> bool:
    return 2 * motion.silent > motion.steps


def _is_still(motion: Motion) -> bool:
    slow = motion.slow * motion.fast_points * _LEAST_MOTION[1]
    return slow < _LEAST_MOTION[0] * _SLOW_OVER_FAST * motion.fast * motion.slow_points


def _is_stalled(evidence: Evidence) -> bool:
    fewer = min(evidence.motion_a.silences, evidence.motion_b.silences)
    return fewer >= _LEAST_SILENCES and evidence.ended_together * _MOST_TOGETHER[1] > fewer * _MOST_TOGETHER[0]


def closed(evidence: Evidence, bands: list[Excess | None]) -> str | None:
    """Return why nothing can be said, None if something can.

    In this order: idle, if more than half of a subflow's steps lie in silences longer than 256 steps; too sparse, if
    fewer than four bands say something; stalled, if of the silences of the subflow that has fewer, and at least four,
    more than 3/10 end together with one of the other; still, if a subflow's mean absolute change over 64 steps is less
    than 6/10 of that over 4.

    Parameters
    ----------
    evidence : Evidence
    bands : list of Excess or None
        What its bands say.

    Returns
    -------
    str or None
        A constant of this module.
    """
    motions = (evidence.motion_a, evidence.motion_b)
    if any(_is_idle(motion) for motion in motions):
        return IDLE
    if sum(band is not None for band in bands) < LEAST_BANDS:
        return TOO_SPARSE
    if _is_stalled(evidence):
        return STALLED
    if any(_is_still(motion) for motion in motions):
        return STILL
    return None
