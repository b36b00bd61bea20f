"""What one simulated transfer came to, by the simulator's truth and its series."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import isnan, nan
from statistics import fmean, pstdev
from typing import Any

#: What a run is measured by; nan where it does not apply.
METRICS = (
    *("goodput_mbit_s", "link_share", "jain", "completion_s", "last_share"),
    *("learn_share", "learns_per_minute", "noticed_share", "variation"),
)
_LEARN = "learn"
#: How long after a change a subflow may begin to learn, in s.
NOTICED_WITHIN_S = 5.0


def jain_index(rates: Sequence[float]) -> float:
    """Return Jain's index of fairness, nan if all rates are 0.

    Parameters
    ----------
    rates : sequence of float

    Examples
    --------
    >>> jain_index([3, 3]), jain_index([1, 0]), round(jain_index([3, 1]), 3)
    (1.0, 0.5, 0.8)
    """
    squares = sum(rate**2 for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else nan


def variation(values: Sequence[float]) -> float:
    """Return the coefficient of variation, nan if the mean is 0 or there is no value.

    Parameters
    ----------
    values : sequence of float

    Examples
    --------
    >>> variation([1, 3]), variation([2, 2])
    (0.5, 0.0)
    """
    mean = fmean(values) if values else 0
    return pstdev(values) / mean if mean else nan


def share_in_mode(mode: str, modes: Sequence[Mapping[str, Any]], end_s: float) -> float:
    """Return the share of a subflow's time that its controller is in a mode, from the first mode on.

    Parameters
    ----------
    mode : str
    modes : sequence of mapping
        ``modes`` of the truth: ``from_ns`` and ``mode``.
    end_s : float

    Examples
    --------
    >>> share_in_mode("learn", [{"from_ns": 0, "mode": "start"}, {"from_ns": 1_000_000_000, "mode": "learn"}], 4)
    0.75
    """
    edges = [*(one["from_ns"] for one in modes), end_s * 1e9]
    spent = sum(
        after - begin for (begin, after), one in zip(pairwise(edges), modes, strict=True) if one["mode"] == mode
    )
    return float(spent / (edges[-1] - edges[0]))


def begun(mode: str, modes: Sequence[Mapping[str, Any]], begin_s: float, end_s: float) -> int:
    """Return how often a mode begins from one time on, and before another.

    Parameters
    ----------
    mode : str
    modes : sequence of mapping
        As :func:`share_in_mode` takes them.
    begin_s, end_s : float

    Examples
    --------
    >>> begun("learn", [{"from_ns": 0, "mode": "learn"}, {"from_ns": 2_000_000_000, "mode": "learn"}], 1, 3)
    1
    """
    return sum(one["mode"] == mode and begin_s <= one["from_ns"] / 1e9 < end_s for one in modes)


def noticed(modes: Sequence[Mapping[str, Any]], change_s: float) -> bool:
    """Tell whether a subflow learns at a change, or begins to within :data:`NOTICED_WITHIN_S`.

    Parameters
    ----------
    modes : sequence of mapping
        As :func:`share_in_mode` takes them.
    change_s : float
    """
    before = [one["mode"] for one in modes if one["from_ns"] / 1e9 < change_s]
    return before[-1:] == [_LEARN] or begun(_LEARN, modes, change_s, change_s + NOTICED_WITHIN_S) > 0


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return fmean(known) if known else nan


def others_bytes(interval: Mapping[str, Any]) -> list[float]:
    """Return the bytes of each background flow and of each further connection in an interval.

    Parameters
    ----------
    interval : mapping
        Of the truth's series.
    """
    further = interval.get("further_connections", ())
    return [*interval["background_bytes"], *(one["delivered_bytes"] for one in further)]


def performance(
    truth: Mapping[str, Any],
    *,
    capacity_mbit_s: float,
    start_s: float,
    warm_up_s: float,
    changes_s: Sequence[float] = (),
    learns: bool = False,
) -> dict[str, float]:
    """Return what a run came to, by each of :data:`METRICS`.

    Parameters
    ----------
    truth : mapping
        The simulator's, with a series.
    capacity_mbit_s : float
        Payload that the shaped links can carry.
    start_s : float
        When the connection sends its first SYN.
    warm_up_s : float
        Intervals that begin before are left out; of a transfer that ends, and of the share of time in a mode, none is.
    changes_s : sequence of float
        When the network changes.
    learns : bool
        Whether the controller has a mode ``learn``.

    Returns
    -------
    dict
        ``goodput_mbit_s``: bytes in order at the client over time; of a transfer that ends, over ``completion_s``,
        which is counted from the first SYN, and nan if it did not end. ``link_share``: of ``capacity_mbit_s``.
        ``jain``: of the connection, as one flow, each background flow and each further connection. ``last_share``:
        the last subflow's share of what was acknowledged. ``learn_share``: share of the subflows' time in mode
        ``learn``; ``learns_per_minute``: how often a subflow begins to, after the warm-up; ``noticed_share``: of
        changes, by each subflow (:func:`noticed`). ``variation``: of goodputs in the series' intervals.
    """
    end_s = float(truth["duration_s"])
    intervals = [one for one in truth["series"]["intervals"] if one["from_ns"] >= warm_up_s * 1e9]
    delivered = [float(one["delivered_bytes"]) for one in intervals]
    rivals = [sum(flow) for flow in zip(*(others_bytes(one) for one in intervals), strict=True)]
    if "transfer_bytes" in truth["connection"]:
        completed_ns = truth["connection"]["completed_ns"]
        completion_s = nan if completed_ns is None else completed_ns / 1e9 - start_s
        goodput_mbit_s = truth["connection"]["delivered_bytes"] * 8e-6 / completion_s
        varies = nan
    else:
        completion_s = nan
        measured_s = sum(one["to_ns"] - one["from_ns"] for one in intervals) / 1e9
        goodput_mbit_s = sum(delivered) * 8e-6 / measured_s if measured_s else nan
        varies = variation(delivered)
    acked = [float(own["acked_bytes"]) for own in truth["subflows"]]
    lasts = learns and "transfer_bytes" not in truth["connection"]
    # A subflow that was never established has none.
    modes = [own["modes"] for own in truth["subflows"] if lasts and own["modes"]]
    watched_min = (end_s - warm_up_s) / 60
    return {
        "goodput_mbit_s": goodput_mbit_s,
        "link_share": goodput_mbit_s / capacity_mbit_s,
        "jain": jain_index([sum(delivered), *rivals]) if rivals else nan,
        "completion_s": completion_s,
        "last_share": acked[-1] / sum(acked) if sum(acked) else nan,
        "learn_share": _mean(share_in_mode(_LEARN, own, end_s) for own in modes),
        "learns_per_minute": nan
        if watched_min <= 0
        else _mean(begun(_LEARN, own, warm_up_s, end_s) / watched_min for own in modes),
        "noticed_share": _mean(float(noticed(own, at_s)) for own in modes for at_s in changes_s),
        "variation": varies,
    }


def ended(row: Mapping[str, float]) -> bool:
    """Tell whether a run has a goodput: one of a transfer that did not end has none.

    Parameters
    ----------
    row : mapping
        As :func:`performance` returns it.
    """
    return not isnan(row["goodput_mbit_s"])
