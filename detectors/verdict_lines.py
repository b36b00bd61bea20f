"""Verdict lines: what somebody else's detector writes of the pairs of a connection's subflows.

One line is one change of opinion on one pair, as an event line is one record::

    smartsbd: <ns> C=<token, hex> SF=<a>,<b> V=SHARED <1|0|->

1 says that the two share a bottleneck, 0 that they do not, ``-`` that there is no opinion any more. A verdict holds
until the next one on the same pair; before the first there is none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from smartsbd.detectors.detector import Opinion
from smartsbd.detectors.partition import Pair, pairs_of
from smartsbd.detectors.scoring import OnPair

MARKER = b"smartsbd: "
#: A longer line is no verdict line.
MOST_LINE_BYTES = 128
NO_VERDICT_LINE = "not a verdict line"
NOT_OURS = "of another connection"
OTHER_PAIR = "not two subflows of the connection, the lower first"
OUTSIDE = "a time outside of the connection"
BACKWARDS = "earlier than the verdict before"

_LINE = re.compile(rb"(?:smartsbd: )?(\d{1,18}) C=([0-9a-f]{1,8}) SF=(\d{1,4}),(\d{1,4}) V=SHARED ([01-])\r?")
_VERDICTS = {b"1": True, b"0": False, b"-": None}
_LETTER = {verdict: letter.decode() for letter, verdict in _VERDICTS.items()}


def read(
    output: bytes, token: int, subflow_ids: Sequence[int], span_ns: tuple[int, int]
) -> tuple[dict[Pair, OnPair], Counter[str]]:
    r"""Return what verdict lines say of each pair over time, and how many lines are refused, by reason.

    Of several verdicts of one time, the last one counts. Empty lines are passed over.

    Parameters
    ----------
    output : bytes
        All that the detector wrote.
    token : int
        Of the connection.
    subflow_ids : sequence of int
        Its subflows.
    span_ns : (int, int)
        Times of its first and last event.

    Returns
    -------
    (dict of Pair to OnPair, Counter of str)
        An entry for every pair of `subflow_ids`; lines by reason.

    Examples
    --------
    >>> output = b"smartsbd: 20 C=1 SF=0,1 V=SHARED 1\nsmartsbd: 30 C=1 SF=0,1 V=SHARED 0\nshared!\n"
    >>> read(output, 1, [0, 1], (10, 40))
    ({(0, 1): OnPair(from_ns=(20, 30), verdicts=(True, False))}, Counter({'not a verdict line': 1}))
    """
    changes: dict[Pair, dict[int, bool | None]] = {pair: {} for pair in pairs_of(subflow_ids)}
    last_ns = dict.fromkeys(changes, -1)
    refused: Counter[str] = Counter()
    for line in output.split(b"\n"):
        if not line.strip():
            continue
        match = _LINE.fullmatch(line) if len(line) <= MOST_LINE_BYTES else None
        if match is None:
            refused[NO_VERDICT_LINE] += 1
            continue
        time_ns, pair = int(match[1]), (int(match[3]), int(match[4]))
        if int(match[2], 16) != token:
            refused[NOT_OURS] += 1
        elif pair not in changes:
            refused[OTHER_PAIR] += 1
        elif not span_ns[0] <= time_ns <= span_ns[1]:
            refused[OUTSIDE] += 1
        elif time_ns < last_ns[pair]:
            refused[BACKWARDS] += 1
        else:
            last_ns[pair] = time_ns
            changes[pair][time_ns] = _VERDICTS[match[5]]
    return {pair: OnPair(tuple(verdicts), tuple(verdicts.values())) for pair, verdicts in changes.items()}, refused


def write(on_pairs: Mapping[Pair, OnPair], token: int) -> bytes:
    """Return opinions on pairs as verdict lines, in order of time; those that change nothing are left out.

    Parameters
    ----------
    on_pairs : mapping of Pair to OnPair
    token : int
        Of the connection.

    Returns
    -------
    bytes
        Each line ends with a line feed.

    Examples
    --------
    >>> print(write({(0, 1): OnPair((20, 25, 30), (True, True, None))}, 26).decode(), end="")
    smartsbd: 20 C=1a SF=0,1 V=SHARED 1
    smartsbd: 30 C=1a SF=0,1 V=SHARED -
    """
    lines = []
    for (a, b), on in on_pairs.items():
        held: bool | None = None
        for time_ns, verdict in zip(on.from_ns, on.verdicts, strict=True):
            if verdict is not held:
                fields = f"C={token:x} SF={a},{b} V=SHARED {_LETTER[verdict]}"
                lines.append((time_ns, f"{MARKER.decode()}{time_ns} {fields}\n"))
            held = verdict
    return "".join(line for _, line in sorted(lines)).encode()


def on_pairs_of(opinions: Sequence[Opinion], subflow_ids: Sequence[int]) -> dict[Pair, OnPair]:
    """Return a detector's opinions pair by pair.

    Parameters
    ----------
    opinions : sequence of Opinion
        On one connection, in order of time.
    subflow_ids : sequence of int
        Its subflows, in order.

    Returns
    -------
    dict of Pair to OnPair
        An entry for every pair of `subflow_ids`.
    """
    place = {subflow_id: number for number, subflow_id in enumerate(subflow_ids)}
    return {(a, b): OnPair.of(opinions, place[a], place[b]) for a, b in pairs_of(subflow_ids)}


def silent(pairs: Iterable[Pair]) -> dict[Pair, OnPair]:
    """Return, for each pair, that there is no opinion on it."""
    return dict.fromkeys(pairs, OnPair((), ()))
