"""Flows of TCP without MPTCP in captures: which of them are paths, where the user says that flows are.

Those that carried data are, at least :data:`BULK_BYTES` by one end: what carried less has no queue of its own to see.
Where the captures hold MPTCP with data, its subflows are the paths, and no flow is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from smartsbd.native import packet_recording
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.recorded import CUT_OPTIONS, PLAIN_KINDS, Recorded

BULK_BYTES = packet_recording.BULK_BYTES
# Of those left out, so many are named.
_NAMED = 4


def chosen(captures: Sequence[Recorded], most: Bounds) -> tuple[Sequence[Recorded], list[list[str]]]:
    """Leave the flows out of captures that are no paths.

    Parameters
    ----------
    captures : sequence of Recorded
        That were read within `most`.
    most : Bounds
        So many flows of all captures are paths: those that carried most.

    Returns
    -------
    captures : sequence of Recorded
        The segments of what is left out are among those that are unused.
    left_out : list of list of str
        For each capture, sentences that say what is left out and why.
    """
    if not most.plain_flows:
        return captures, [[] for _ in captures]
    sent = [recorded.summaries["senders"]["payloadBytes"].max(axis=1, initial=0) for recorded in captures]
    # Of what is cut too little is known: it is no path.
    cut = [recorded.summaries["plain"] == PLAIN_KINDS.index(CUT_OPTIONS) for recorded in captures]
    plain = [(recorded.summaries["plain"] != 0) & ~is_cut for recorded, is_cut in zip(captures, cut, strict=True)]
    has_mptcp = any(
        (sent_bytes[recorded.summaries["plain"] == 0] > 0).any()
        for recorded, sent_bytes in zip(captures, sent, strict=True)
    )
    bulk = np.concatenate(
        [sent_bytes[is_plain & (sent_bytes >= BULK_BYTES)] for sent_bytes, is_plain in zip(sent, plain, strict=True)]
        or [np.zeros(0)]
    )
    # A path carried as much as the last that there is room for.
    least = max(BULK_BYTES, int(np.sort(bulk)[-most.subflows])) if len(bulk) > most.subflows else BULK_BYTES
    kept, left_out = [], []
    for recorded, sent_bytes, is_plain, is_cut in zip(captures, sent, plain, cut, strict=True):
        is_small = is_plain if has_mptcp else is_plain & (sent_bytes < least)
        is_left = is_small | is_cut
        flows = recorded.summaries[is_left]
        unused = Counter(recorded.unused)
        for kind, segments in zip(flows["plain"].tolist(), flows["segments"].tolist(), strict=True):
            unused[PLAIN_KINDS[kind]] += segments
        kept.append(replace(recorded, summaries=recorded.summaries[~is_left], unused=unused))
        why = "the inputs hold MPTCP with data" if has_mptcp else f"a path carries {least:,} bytes or more"
        left_out.append(_sentences(recorded.summaries[is_small], sent_bytes[is_small], why))
    return kept, left_out


def _sentences(flows: np.ndarray, sent_bytes: np.ndarray, why: str) -> list[str]:
    """Return which flows are left out: those that carried most by their ports, the others by their number."""
    if not len(flows):
        return []
    order = np.argsort(-sent_bytes, kind="stable")[:_NAMED].tolist()
    named = []
    for place in order:
        first, second = flows["port"][place].tolist()
        carried = f"{sent_bytes[place]:,} bytes" if sent_bytes[place] else "no data"
        named.append(f"port {first} to {second} ({carried})")
    more = len(flows) - len(order)
    others = [f"{more} more"] if more else []
    count = f"{len(flows)} flow{'s' * (len(flows) > 1)}"
    return [f"Left out, {count} of TCP without MPTCP: {', '.join(named + others)}; {why}."]
