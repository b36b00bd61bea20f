"""How long the segments of a connection wait in queues, by the series of the simulator's truth."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from typing import Any

_MEDIAN = 0.5


def queueing_ms(truth: Mapping[str, Any], warm_up_s: float) -> float:
    """Return the mean queueing delay in ms: of the intervals' medians, each weighted by what was acknowledged in it.

    Parameters
    ----------
    truth : mapping
        The simulator's, with a series: it has quantiles of one way delays, less the least of the run.
    warm_up_s : float
        Intervals that begin before are left out.

    Returns
    -------
    float
        nan if nothing was acknowledged.
    """
    place = truth["series"]["quantiles"].index(_MEDIAN)
    known = [
        (own["acked_bytes"], own["queueing_us"][place] / 1e3)
        for one in truth["series"]["intervals"]
        if one["from_ns"] >= warm_up_s * 1e9
        for own in one["subflows"]
        if own["queueing_us"]
    ]
    acked = sum(weight for weight, _ in known)
    return float(sum(weight * delay_ms for weight, delay_ms in known) / acked) if acked else nan
