"""How long RTTs stay high once a capacity has been halved, and whether a loss had to bring them down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

#: An RTT is high from this multiple of the base RTT on.
HIGH = 1.5
#: A queue that the change makes grow does so within this time, in s (ours): one that grows later has other reasons.
GROWS_WITHIN_S = 2.0
#: States of a sender that has lost something: Recovery and Loss, as event lines have them.
_LOST = (b"3", b"4")
_P90 = 0.9


def losses_s(events: bytes, subflow: int) -> list[float]:
    r"""Return when a subflow went into Recovery or Loss, in s.

    Parameters
    ----------
    events : bytes
        The simulator's event lines: time in ns, connection, subflow, kind, value.
    subflow : int

    Examples
    --------
    >>> losses_s(b"5 C=1 SF=0 V=CA 0\n1500000000 C=1 SF=0 V=CA 3\n7 C=1 SF=1 V=CA 4\n", 0)
    [1.5]
    """
    lines = (line.split() for line in events.splitlines())
    own = b"SF=%d" % subflow
    return [int(words[0]) / 1e9 for words in lines if words[2:4] == [own, b"V=CA"] and words[4] in _LOST]


def rtt_back(
    truth: Mapping[str, Any],
    events: bytes,
    *,
    change_s: float,
    end_s: float,
    base_rtts_ms: Sequence[float],
) -> dict[str, float]:
    """Return how long after a change the RTTs of all subflows are no longer high (MPLibra, Fig. 7).

    The RTT of an interval is the base RTT and the 90 % quantile of the queueing delay. What counts is when it is below
    :data:`HIGH` again after it first was not, within :data:`GROWS_WITHIN_S` of the change.

    Parameters
    ----------
    truth : mapping
        The simulator's, with a series.
    events : bytes
        As :func:`losses_s` takes them.
    change_s, end_s : float
    base_rtts_ms : sequence of float
        One for each subflow.

    Returns
    -------
    dict
        ``rtt_back_s``: of the subflow that takes longest; 0 if none was high, all the time if one stays so.
        ``loss_first``: 1 if a subflow that was high lost something before it was back, else 0.
    """
    place = truth["series"]["quantiles"].index(_P90)
    intervals = [one for one in truth["series"]["intervals"] if change_s * 1e9 <= one["from_ns"] < end_s * 1e9]
    longest_s, lost = 0.0, []
    for subflow, base_ms in enumerate(base_rtts_ms):
        back_s = None
        for one in intervals:
            delays_us = one["subflows"][subflow]["queueing_us"]
            # Nothing was acknowledged in time: there is no telling, so it is as before.
            high = (base_ms + delays_us[place] / 1e3 >= HIGH * base_ms) if delays_us else back_s is not None
            in_time = back_s is not None or one["from_ns"] / 1e9 < change_s + GROWS_WITHIN_S
            if high and in_time:
                back_s = min(one["to_ns"] / 1e9, end_s) - change_s
            elif back_s is not None:
                break
        if back_s is not None:
            longest_s = max(longest_s, back_s)
            lost.append(any(change_s <= at_s <= change_s + back_s for at_s in losses_s(events, subflow)))
    return {"rtt_back_s": longest_s, "loss_first": float(any(lost))}
