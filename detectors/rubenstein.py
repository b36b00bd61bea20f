"""The comparison test of Rubenstein, Kurose and Towsley (ToN 2002), on passive delays. Evidence: M, R.

The closer two packets follow each other in a queue, the more alike are their delays. So, if two flows share, a packet's
delay resembles that of the other flow's next packet (the cross measure) more than that of its own flow's next, which
comes later still (the auto measure). The test has no threshold.

Known, from general knowledge of the literature, not read again (M): both measures are correlation coefficients, shared
is where cross is above auto, and the spacing of auto must be the larger one. The paper's packets are probes at Poisson
times.

Ours (R), for which it is called ``rubenstein-r``: there are no probes, only delays that come with ACKs. ACKs come in
bursts, and delays within one resemble each other whatever the queue does; hence time is cut into slots of a round-trip
time, and a flow's probe is its first delay of a slot. Its delay is compared with the other flow's first delay after it,
and with the next probe of its own; where the former does not come before the latter, both comparisons are left out. The
measures are the means of those of either direction, so that the order of the flows does not matter. Times are those of
the ACKs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from smartsbd.detectors.detector import DetectorKind
from smartsbd.detectors.event import Int64Array
from smartsbd.detectors.pairwise import DelayPair, Moving, Pairwise

_NS_PER_US = 1000


@dataclass(frozen=True)
class Comparing(Moving):
    """The window, and what is compared in it.

    Attributes
    ----------
    slot_rtts : int
        Length of a slot, in units of the larger of the two subflows' smallest delays so far, unless `slot_ms` is given.
    slot_ms : int or None
        Length of a slot.
    least_probes : int
        Probes of each subflow that must have been compared; with fewer there is no verdict.
    """

    window_ms: int | None = 10_000
    slot_rtts: int = 1
    slot_ms: int | None = None
    least_probes: int = 10


def probes(time_ns: Int64Array, start_ns: int, slot_ns: int) -> Int64Array:
    """Return the places of the first of the times in each slot.

    Parameters
    ----------
    time_ns : (n,) int64
        In order, none before `start_ns`.
    start_ns, slot_ns : int
        Beginning of the first slot, and length of each.

    Returns
    -------
    (slots,) int64
        Indices into `time_ns`, ascending; slots without a time have none.

    Examples
    --------
    >>> import numpy as np
    >>> probes(np.array([10, 11, 14, 30, 32]), start_ns=10, slot_ns=5).tolist()
    [0, 3]
    """
    slot = (time_ns - start_ns) // slot_ns
    return np.flatnonzero(np.diff(slot, prepend=-1)).astype(np.int64)


def compared(flow: DelayPair, other: DelayPair, places: Int64Array) -> Int64Array:
    """Return the delays of probes, of the other flow's next packets, and of the flow's own next probes.

    Parameters
    ----------
    flow, other : DelayPair
    places : (probes,) int64
        Of the probes in `flow`.

    Returns
    -------
    (3, k) int64, microseconds
        A column for each probe that a packet of the other flow follows before the next probe does.
    """
    probe, following = places[:-1], places[1:]
    crossing = np.searchsorted(other.time_ns, flow.time_ns[probe], side="right")
    between = np.searchsorted(other.time_ns, flow.time_ns[following], side="left")
    kept = crossing < between
    return np.stack([flow.delay_us[probe[kept]], other.delay_us[crossing[kept]], flow.delay_us[following[kept]]])


def measures(delays_us: Int64Array) -> tuple[float, float] | None:
    """Return the cross and the auto measure; None if delays are constant.

    Parameters
    ----------
    delays_us : (3, k) int64
        Of probes, of the other flow's next packets, and of the flow's own next probes.

    Returns
    -------
    (float, float) or None
        Correlation coefficients from -1 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> measures(np.array([[-1, -1, 1, 1], [6, 6, 8, 8], [-1, 1, -1, 1]]))
    (1.0, 0.0)
    """
    centred = delays_us - delays_us.mean(axis=1, keepdims=True)
    size = np.sqrt((centred * centred).sum(axis=1))
    if not size.all():
        return None
    cross, auto = centred[1:] @ centred[0] / (size[1:] * size[0])
    return float(cross), float(auto)


class Rubenstein(Pairwise):
    """Shared where delays resemble the other flow's next ones more than the flow's own."""

    def __init__(self, comparing: Comparing) -> None:
        super().__init__(comparing)
        self._comparing = comparing

    def _slot_ns(self, first: DelayPair, second: DelayPair) -> int:
        if self._comparing.slot_ms is not None:
            return self._comparing.slot_ms * 1_000_000
        return self._comparing.slot_rtts * max(first.min_us, second.min_us) * _NS_PER_US

    def judge(self, first: DelayPair, second: DelayPair, start_ns: int, end_ns: int) -> bool | None:
        """Compare the cross measure with the auto measure.

        Parameters
        ----------
        first, second, start_ns, end_ns
            As :meth:`~smartsbd.detectors.pairwise.Pairwise.judge` takes them.

        Returns
        -------
        bool or None
            Whether cross is above auto; None with too few probes, or constant delays.
        """
        slot_ns = self._slot_ns(first, second)
        lead = 0.0
        for flow, other in ((first, second), (second, first)):
            delays_us = compared(flow, other, probes(flow.time_ns, start_ns, slot_ns))
            cross_and_auto = measures(delays_us) if delays_us.shape[1] >= self._comparing.least_probes else None
            if cross_and_auto is None:
                return None
            cross, auto = cross_and_auto
            lead += cross - auto
        return lead > 0


RUBENSTEIN = DetectorKind(
    name="rubenstein-r",
    evidence="M, R",
    source="Rubenstein, Kurose and Towsley, ToN 2002",
    build=Rubenstein,
    presets={"default": Comparing(), "owd": Comparing(delay="owd", slot_ms=100)},
)
