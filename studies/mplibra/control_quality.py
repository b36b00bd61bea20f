"""What a controller makes of a network: goodput, what it leaves to others, delay, and how soon it follows changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

from studies.mplibra.convergence import has_followed, settled_after_s
from studies.mplibra.load_shift import shifted_after_s
from studies.mplibra.queueing_delay import queueing_ms
from studies.mplibra.rate_series import RateSeries, acknowledged
from studies.mplibra.rtt_recovery import rtt_back
from studies.transfers.performance import others_bytes, performance

#: What a run is measured by; nan where it does not apply.
METRICS = (
    *("goodput_mbit_s", "link_share", "utilisation", "jain", "rivals_mbit_s", "first_mbit_s", "queueing_ms"),
    *("completion_s", "up_s", "down_s", "rtt_back_s", "loss_first", "shift_s", "right_share"),
)
_OF_PERFORMANCE = ("goodput_mbit_s", "link_share", "jain", "completion_s")
_MBIT_PER_BYTE = 8e-6


def control_quality(
    truth: Mapping[str, Any], *, capacity_mbit_s: float, start_s: float, warm_up_s: float
) -> dict[str, float]:
    """Return what a run came to, changes of the network apart.

    Parameters
    ----------
    truth : mapping
        The simulator's, with a series.
    capacity_mbit_s : float
        Payload that the bottlenecks can carry, mean after the warm-up.
    start_s : float
        When the connection sends its first SYN.
    warm_up_s : float
        Intervals that begin before are left out, but for a transfer that ends.

    Returns
    -------
    dict
        ``goodput_mbit_s``, ``link_share``, ``jain`` and ``completion_s`` as
        :func:`~studies.transfers.performance.performance` has them. ``utilisation``: of what the bottlenecks can carry,
        what the connection and all others received. ``rivals_mbit_s``: what all others received; ``first_mbit_s``: what
        was acknowledged of the first subflow. ``queueing_ms``: :func:`~studies.mplibra.queueing_delay.queueing_ms`.
        Of a transfer that ends there is no utilisation, and nothing of others.
    """
    of_transfer = performance(truth, capacity_mbit_s=capacity_mbit_s, start_s=start_s, warm_up_s=warm_up_s)
    found = {name: of_transfer[name] for name in _OF_PERFORMANCE}
    found["queueing_ms"] = queueing_ms(truth, start_s if "transfer_bytes" in truth["connection"] else warm_up_s)
    late = [one for one in truth["series"]["intervals"] if one["from_ns"] >= warm_up_s * 1e9]
    measured_s = sum(one["to_ns"] - one["from_ns"] for one in late) / 1e9
    if "transfer_bytes" in truth["connection"] or not measured_s:
        return found | dict.fromkeys(("utilisation", "rivals_mbit_s", "first_mbit_s"), nan)
    others = sum(sum(others_bytes(one)) for one in late)
    first = sum(one["subflows"][0]["acked_bytes"] for one in late)
    beside = any(others_bytes(one) for one in late)
    rivals_mbit_s, first_mbit_s = (total * _MBIT_PER_BYTE / measured_s for total in (others, first))
    return found | {
        "utilisation": (found["goodput_mbit_s"] + rivals_mbit_s) / capacity_mbit_s,
        "rivals_mbit_s": rivals_mbit_s if beside else nan,
        "first_mbit_s": first_mbit_s,
    }


def after_capacity_steps(
    truth: Mapping[str, Any],
    events: bytes,
    *,
    up_s: float,
    down_s: float,
    base_rtts_ms: Sequence[float],
) -> dict[str, float]:
    """Return how soon rates and RTTs follow capacities that are doubled and halved again (MPLibra, Figs. 2b, 3 and 7).

    Parameters
    ----------
    truth : mapping
        The simulator's, with a series.
    events : bytes
        Its event lines.
    up_s, down_s : float
        When capacities change.
    base_rtts_ms : sequence of float
        One for each subflow.

    Returns
    -------
    dict
        ``up_s`` and ``down_s``: until the rates of all subflows have settled
        (:func:`~studies.mplibra.convergence.settled_after_s`), or the whole time if one has not followed
        (:func:`~studies.mplibra.convergence.has_followed`); ``rtt_back_s`` and ``loss_first`` after the halving
        (:func:`~studies.mplibra.rtt_recovery.rtt_back`).
    """
    end_s = float(truth["duration_s"])
    rates = [acknowledged(truth, subflow) for subflow in range(len(base_rtts_ms))]
    return {
        "up_s": max(_followed_after_s(own, up_s, down_s, 2) for own in rates),
        "down_s": max(_followed_after_s(own, down_s, end_s, 0.5) for own in rates),
        **rtt_back(truth, events, change_s=down_s, end_s=end_s, base_rtts_ms=base_rtts_ms),
    }


def _followed_after_s(rates: RateSeries, change_s: float, end_s: float, factor: float) -> float:
    """Return how long after a change of capacity a rate has settled; the whole time if it has not followed."""
    if not has_followed(rates, change_s, end_s, factor):
        return end_s - change_s
    return settled_after_s(rates, change_s, end_s)


def after_rival_moved(truth: Mapping[str, Any], change_s: float) -> dict[str, float]:
    """Return how soon the load of two subflows has shifted to the second one, whose rival went to the first (Fig. 13).

    Parameters
    ----------
    truth : mapping
        The simulator's, with a series.
    change_s : float

    Returns
    -------
    dict
        ``shift_s``: :func:`~studies.mplibra.load_shift.shifted_after_s`.
    """
    leaving, taking = (acknowledged(truth, subflow) for subflow in range(2))
    return {"shift_s": shifted_after_s(leaving, taking, change_s, float(truth["duration_s"]))}
