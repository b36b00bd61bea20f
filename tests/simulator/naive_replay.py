"""Definitions in plain loops: when packets leave a recorded link, and a line of constant rate."""

from __future__ import annotations

from collections.abc import Sequence

_NS_PER_MS = 1_000_000
_OPPORTUNITY_BYTES = 1500
#: Of a packet on a link of the simulator.
LINK_HEADER_BYTES = 2


def replayed(
    arrivals: Sequence[tuple[int, int]], moments_ms: Sequence[int], queue_bytes: int, end_ns: int
) -> list[int | None]:
    """When each packet leaves a recorded link; None if it finds the queue full, or is not out at the end.

    Parameters
    ----------
    arrivals : sequence of (int, int)
        When each comes, in ns, in order; and its bytes without the link's header.
    moments_ms : sequence of int
        When the link sends; the trace begins again at its last moment.
    queue_bytes : int
        Limit, with the headers of the link.
    end_ns : int
        Nothing happens then or later.
    """
    left: list[int | None] = [None] * len(arrivals)
    waiting: list[int] = []
    coming = list(range(len(arrivals)))
    begun: int | None = None
    rest = 0
    round_start_ms = 0
    while round_start_ms * _NS_PER_MS < end_ns:
        for moment_ms in moments_ms:
            now_ns = (round_start_ms + moment_ms) * _NS_PER_MS
            if now_ns >= end_ns:
                break
            while coming and arrivals[coming[0]][0] < now_ns:
                packet = coming.pop(0)
                occupied = sum(arrivals[one][1] + LINK_HEADER_BYTES for one in waiting)
                if occupied + arrivals[packet][1] + LINK_HEADER_BYTES <= queue_bytes:
                    waiting.append(packet)
            room = _OPPORTUNITY_BYTES
            while room > 0 and (begun is not None or waiting):
                if begun is None:
                    begun = waiting.pop(0)
                    rest = arrivals[begun][1]
                carried = min(room, rest)
                room -= carried
                rest -= carried
                if rest == 0:
                    left[begun] = now_ns
                    begun = None
        round_start_ms += moments_ms[-1]
    return left


def through_line(arrivals: Sequence[tuple[int, int]], ns_per_byte: int, delay_ns: int) -> list[tuple[int, int]]:
    """When each packet is at the other end of a line whose queue is never full, in ns; and its bytes.

    Parameters
    ----------
    arrivals : sequence of (int, int)
        As :func:`replayed` takes them.
    ns_per_byte : int
        Of its rate.
    delay_ns : int
        Of propagation.
    """
    free_ns = 0
    found = []
    for at_ns, own in arrivals:
        free_ns = max(free_ns, at_ns) + (own + LINK_HEADER_BYTES) * ns_per_byte
        found.append((free_ns + delay_ns, own))
    return found
