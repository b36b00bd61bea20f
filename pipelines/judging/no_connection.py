"""Why an input holds no connection: what its records are, and what to do instead."""

from __future__ import annotations

from collections import Counter

from smartsbd.traces import recorded
from smartsbd.traces.recording import Recording
from smartsbd.traces.trace import Trace

NO_CONNECTION = "no connection"

# Of the reasons for which records are of no connection, so many are said.
_SAID = 3
_TOGETHER = "flows of plain TCP are paths only with --together"
_AT_THE_HOST = "capture on the sender itself: tcpdump -i any -s 128 -w capture.pcap tcp"
_TO_DO = {
    recorded.PLAIN: _TOGETHER,
    recorded.NOT_ANSWERED: f"the other end, or a middlebox, does without MPTCP; {_TOGETHER}",
    recorded.CUT_HEADERS: "capture with -s 128",
    recorded.NOT_IP: _AT_THE_HOST,
    recorded.NOT_TCP: _AT_THE_HOST,
    recorded.FRAGMENT: _AT_THE_HOST,
    recorded.ENCRYPTED: _AT_THE_HOST,
    recorded.AGGREGATE: _AT_THE_HOST,
    recorded.DAMAGED: _AT_THE_HOST,
    recorded.UNKNOWN_LINK: _AT_THE_HOST,
}


def is_unusable(held: Recording) -> bool:
    """Tell whether an input has records, and none of them is of a connection, its own or another input's."""
    return not held.trace.connections and not held.is_part() and bool(held.trace.unused or held.trace.refused())


def why(trace: Trace) -> str:
    """Return why a trace has no connection.

    Returns
    -------
    str
        The most frequent reasons with their counts, and what to do about the first.

    Examples
    --------
    >>> why(Trace(unused=Counter({"TCP without MPTCP": 2})))
    'no connection: TCP without MPTCP (2 records); flows of plain TCP are paths only with --together'
    >>> why(Trace())
    'no connection'
    """
    counts = Counter(trace.unused) + Counter(trace.refused())
    if not counts:
        return NO_CONNECTION
    said = [f"{reason} ({count:,} records)" for reason, count in counts.most_common(_SAID)]
    if len(counts) > _SAID:
        said.append(f"{len(counts) - _SAID} more reasons")
    first = counts.most_common(1)[0][0]
    to_do = _AT_THE_HOST if first.startswith("link type ") else _TO_DO.get(first, "")
    if trace.left_out:
        to_do = " ".join(trace.left_out).removesuffix(".")
    return f"{NO_CONNECTION}: {', '.join(said)}{'; ' if to_do else ''}{to_do}"
