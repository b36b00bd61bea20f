"""What a scheduler made of one simulated connection, by the simulator's truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from statistics import fmean
from typing import Any

#: What a run is measured by; nan where it does not apply.
METRICS = (
    *("goodput_mbit_s", "copies_share", "order_delay_ms", "order_delay_p95_ms", "third_share"),
    *("mean_reward", "restarts", "until_none_s", "until_half_s", "until_all_s"),
)
#: Shares of copies that OLAPS chooses from, by the metric that tells when it has found each.
UNTIL = {"until_none_s": 0.0, "until_half_s": 0.5, "until_all_s": 1.0}
#: A share is found once more than half of so many intervals have had it.
LAST_INTERVALS = 10
_NEAR = 0.01


def found_after_s(rounds: Sequence[Mapping[str, Any]], share: float, change_s: float) -> float:
    """Return how long after a change a share of copies is found.

    Parameters
    ----------
    rounds : sequence of mapping
        ``rounds`` of the truth: ``from_ns`` and ``share``.
    share : float
        It is found at the first interval that begins after the change and with which more than half of the last
        :data:`LAST_INTERVALS` have had it.
    change_s : float

    Returns
    -------
    float
        nan if it never is.

    Examples
    --------
    >>> rounds = [{"from_ns": second * 1_000_000_000, "share": 0.0 if second < 30 else 1.0} for second in range(60)]
    >>> found_after_s(rounds, 1.0, 25), found_after_s(rounds, 0.5, 25), found_after_s(rounds, 0.0, 25)
    (10.0, nan, 0.0)
    """
    # The authors' module has a share of 1/8192 in place of 0.
    chosen = [abs(one["share"] - share) < _NEAR for one in rounds]
    for place, one in enumerate(rounds):
        begun_s = one["from_ns"] / 1e9
        last = chosen[max(0, place + 1 - LAST_INTERVALS) : place + 1]
        if begun_s >= change_s and sum(last) > LAST_INTERVALS / 2:
            return float(begun_s - change_s)
    return nan


def scheduling(
    truth: Mapping[str, Any], *, mss_bytes: int, start_s: float, changes_s: Sequence[float] = ()
) -> dict[str, float]:
    """Return what a run came to, by each of :data:`METRICS`.

    Parameters
    ----------
    truth : mapping
        The simulator's, with ``delivery_details``.
    mss_bytes : int
        Payload of a segment.
    start_s : float
        When the connection sends its first SYN.
    changes_s : sequence of float
        When the network changes; at most one time.

    Returns
    -------
    dict
        ``goodput_mbit_s``: bytes in order at the client, from the first SYN to the end. ``copies_share``: of the bytes
        that subflows acknowledged, those that went out on another before. ``order_delay_ms`` and its 95 % quantile:
        how long segments waited at the client for those before them. ``third_share``: the third subflow's share of
        what was acknowledged. ``mean_reward``, ``restarts``: of a scheduler that learns, the mean reward of its
        intervals, and how often it began again. ``until_none_s`` and so on: :func:`found_after_s` of each share.
    """
    connection = truth["connection"]
    end_s = float(truth["duration_s"])
    acked = [float(own["acked_bytes"]) for own in truth["subflows"]]
    all_acked = sum(acked)
    delays = connection["order_delay_us"]
    copied_bytes = connection["copied_segments"] * mss_bytes
    rounds = connection.get("rounds", [])
    rewards: list[float] = [one["reward"] for one in rounds if one["reward"] is not None]
    return {
        "goodput_mbit_s": connection["delivered_bytes"] * 8e-6 / (end_s - start_s),
        "copies_share": copied_bytes / all_acked if all_acked else nan,
        "order_delay_ms": delays["mean"] / 1e3 if delays else nan,
        "order_delay_p95_ms": delays["p95"] / 1e3 if delays else nan,
        "third_share": acked[2] / all_acked if len(acked) > 2 and all_acked else nan,  # noqa: PLR2004 - the third
        "mean_reward": fmean(rewards) if rewards else nan,
        "restarts": float(len([one for one in rounds if one["changed"]])) if rounds else nan,
        **dict.fromkeys(UNTIL, nan),
        **{name: found_after_s(rounds, share, change_s) for change_s in changes_s for name, share in UNTIL.items()},
    }
