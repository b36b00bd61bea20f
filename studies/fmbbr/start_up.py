"""What subflows find while they start up, and what becomes of a TCP flow meanwhile, by the simulator's truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import nan
from statistics import fmean
from typing import Any

from studies.transfers.performance import jain_index, others_bytes

#: What a run is measured by; nan where it does not apply.
METRICS = (
    *("goodput_mbit_s", "jain", "rival_first_mbit_s", "rival_least_mbit_s", "rival_later_mbit_s"),
    *("probed_first", "probed_second", "probed_third", "startup_s", "after_2s_mb", "after_4s_mb"),
    *("right_share", "copies_share", "order_delay_ms"),
)
#: How long a rival is watched from the connection's first SYN on, in s.
FIRST_S = 10.0
_PROBED = ("probed_first", "probed_second", "probed_third")
_AFTER_S = {"after_2s_mb": 2.0, "after_4s_mb": 4.0}


def _others(interval: Mapping[str, Any]) -> float:
    """Return the bytes of the background flow, or of the further connection, in an interval."""
    return float(sum(others_bytes(interval)))


def rival_rates(truth: Mapping[str, Any], start_s: float) -> Iterator[tuple[float, float]]:
    """Yield what everybody else received, interval by interval: seconds since the start at its end, and Mbit/s.

    Parameters
    ----------
    truth : mapping
        The simulator's, with a series.
    start_s : float
        When the connection sends its first SYN.

    Examples
    --------
    >>> interval = {"from_ns": 2_000_000_000, "to_ns": 2_500_000_000, "background_bytes": [312500]}
    >>> list(rival_rates({"series": {"intervals": [interval]}}, 2.0))
    [(0.5, 5.0)]
    """
    for one in truth["series"]["intervals"]:
        seconds = (one["to_ns"] - one["from_ns"]) / 1e9
        yield one["to_ns"] / 1e9 - start_s, _others(one) * 8e-6 / seconds


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else nan


def start_up(
    truth: Mapping[str, Any], *, start_s: float, warm_up_s: float, alone_mbit_s: Sequence[float], beside: bool
) -> dict[str, float]:
    """Return what a run came to, by each of :data:`METRICS` but the last three.

    Parameters
    ----------
    truth : mapping
        The simulator's, with a series whose intervals divide ``start_s``.
    start_s : float
        When the connection sends its first SYN.
    warm_up_s : float
        What goodput and fairness leave out, from ``start_s`` on.
    alone_mbit_s : sequence of float
        What each subflow could have if the others were still, in payload.
    beside : bool
        Whether there is a TCP flow, or another connection.

    Returns
    -------
    dict
        ``goodput_mbit_s``: bytes in order at the client; ``jain``: of the connection and the rival; both after the
        warm-up. ``rival_first_mbit_s``: the rival's mean over the first :data:`FIRST_S`, ``rival_least_mbit_s`` the
        least interval of these, ``rival_later_mbit_s`` its mean afterwards. ``probed_first`` and so on: the largest
        delivery rate of a subflow while it started up, over what it could have alone; nan under a controller that does
        not tell. ``startup_s``: until the last start has ended; nan if one has not. ``after_2s_mb``, ``after_4s_mb``:
        MB in order at the client by then.
    """
    end_s = float(truth["duration_s"])
    intervals = truth["series"]["intervals"]
    late = [one for one in intervals if one["from_ns"] / 1e9 >= start_s + warm_up_s]
    late_s = end_s - start_s - warm_up_s
    delivered_bytes, others_bytes = (
        float(sum(values)) for values in ([one["delivered_bytes"] for one in late], [_others(one) for one in late])
    )
    rates = [(at_s, rate) for at_s, rate in rival_rates(truth, start_s) if at_s > 0]
    first, later = ([rate for at_s, rate in rates if (at_s <= FIRST_S) == early] for early in (True, False))
    subflows = truth["subflows"]
    told = [own for own in subflows if "probed_mbit_s" in own]
    ended = [own["startup_ended_ns"] for own in told]
    all_ended = bool(ended) and len(told) == len(subflows) and None not in ended
    probed = {
        name: own["probed_mbit_s"] / alone
        for name, own, alone in zip(_PROBED, subflows, alone_mbit_s, strict=False)
        if "probed_mbit_s" in own
    }
    after = {
        name: sum(one["delivered_bytes"] for one in intervals if one["to_ns"] / 1e9 <= start_s + seconds) / 1e6
        for name, seconds in _AFTER_S.items()
    }
    return {
        "goodput_mbit_s": delivered_bytes * 8e-6 / late_s,
        "jain": jain_index([delivered_bytes, others_bytes]) if beside else nan,
        "rival_first_mbit_s": _mean(first) if beside else nan,
        "rival_least_mbit_s": min(first) if beside else nan,
        "rival_later_mbit_s": _mean(later) if beside else nan,
        **dict.fromkeys(_PROBED, nan),
        **probed,
        "startup_s": max(ended) / 1e9 - start_s if all_ended else nan,
        **after,
    }
