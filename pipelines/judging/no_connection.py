"""Why an input holds no connection: what became of its records, what to do instead, and which page says how."""

from __future__ import annotations

from collections import Counter

from smartsbd.traces import recorded
from smartsbd.traces.recording import Recording
from smartsbd.traces.unread_content import PAGE

NO_CONNECTION = "no connection"

# Of the reasons for which records are of no connection, so many are listed.
_LISTED = 3
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
# Sections of the page that say how to record each kind.
_SECTIONS = {
    "pcap": "packets-at-the-sender",
    "socket_stats": "ss",
    "ping": "ping",
    "fping": "ping",
    "irtt": "ping",
    "iperf3": "what-you-have-what-is-read",
    "tcp_probe": "tcp_probe",
    "rtt_table": "a-table-of-rtts",
    "packet_table": "tsharks-fields",
    "qlog": "qlog",
}


def why(recording: Recording) -> str:
    """Return why no connection was taken of an input.

    Returns
    -------
    str
        The most frequent reasons with their counts, what to do about the first, and the section on recording.
        Empty if a connection was taken, or its subflows are of connections in other inputs.

    Examples
    --------
    >>> from pathlib import Path
    >>> from smartsbd.traces.trace import Trace
    >>> trace = Trace(records_in=60, unused=Counter({"not IP": 60}))
    >>> why(Recording(Path("a.pcap"), "pcap", trace)).partition(";")[0]
    'no connection: of 60 records nothing was taken: not IP (60)'
    """
    trace = recording.trace
    if trace.connections or recording.is_part():
        return ""
    counts = (Counter(trace.unused) + Counter(trace.refused())).most_common()
    if counts:
        listed = [f"{reason} ({count:,})" for reason, count in counts[:_LISTED]]
        if further := counts[_LISTED:]:
            listed.append(f"and {sum(count for _, count in further):,} for {len(further)} more reasons")
        words = f"of {trace.records_in:,} records nothing was taken: {', '.join(listed)}"
        first = counts[0][0]
        to_do = _AT_THE_HOST if first.startswith(recorded.UNKNOWN_LINK) else _TO_DO.get(first, "")
    else:
        words, to_do = "it holds no record", ""
    if trace.left_out:
        to_do = " ".join(trace.left_out).removesuffix(".")
    section = f"#{_SECTIONS[recording.source]}" if recording.source in _SECTIONS else ""
    return f"{NO_CONNECTION}: {words}{'; ' if to_do else ''}{to_do} ({PAGE}{section})"
