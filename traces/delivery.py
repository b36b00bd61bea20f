"""RTT samples and delivery rate of a subflow over the time of its connection, from its ACKs, within bounded memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from smartsbd.traces.connection import NOT_OBSERVED, Subflow
from smartsbd.traces.connection_analysis import SpacedPoints

#: Parts of a connection's time in which its delivery rate is taken.
PARTS = 200
_NS_PER_S, _BITS_PER_BYTE, _BITS_PER_MBIT = 1e9, 8, 1e6


@dataclass(frozen=True)
class Delivery:
    """How one subflow delivered.

    Attributes
    ----------
    rtts : SpacedPoints
        Time and ``rtt_us`` of RTT samples.
    least_rtt_us, most_rtt_us : int or None, microseconds
        Of all samples.
    acked_bytes : int
        From its first ACK to its last.
    part_ns : int, nanoseconds
        How long a part of the connection's time is.
    acked_in_part : (PARTS,) int64, bytes
        Acknowledged first in each part.
    """

    rtts: SpacedPoints
    least_rtt_us: int | None
    most_rtt_us: int | None
    acked_bytes: int
    part_ns: int
    acked_in_part: npt.NDArray[np.int64]

    def median_rtt_us(self) -> float | None:
        """Return the median of the RTT samples that are kept, None if there are none."""
        rtt_us = self.rtts.column("rtt_us")
        return float(np.median(rtt_us)) if rtt_us.size else None

    def rate_mbit_s(self) -> npt.NDArray[np.float64]:
        """Return the delivery rate in each part, Mbit/s."""
        rate_mbit_s: npt.NDArray[np.float64] = (
            self.acked_in_part * _BITS_PER_BYTE / _BITS_PER_MBIT / (self.part_ns / _NS_PER_S)
        )
        return rate_mbit_s


def delivery(subflow: Subflow, start_ns: int, end_ns: int) -> Delivery:
    """Return how a subflow delivered.

    Parameters
    ----------
    subflow : Subflow
    start_ns, end_ns : int, nanoseconds
        When the recording of its connection begins and ends.

    Returns
    -------
    Delivery
        RTT samples, and bytes acknowledged in each of :data:`PARTS` parts of the connection's time.
    """
    rtts = SpacedPoints("time_ns", "rtt_us")
    part_ns = max(1, -(-(end_ns - start_ns + 1) // PARTS))
    in_part = np.zeros(PARTS, dtype=np.int64)
    least_us: int | None = None
    most_us: int | None = None
    first: int | None = None
    last = 0
    for acks in subflow.ack_pieces():
        if not len(acks):
            continue
        time_ns, acked, rtt_us = (
            np.array(column, dtype=np.int64) for column in (acks.time_ns, acks.acked_bytes, acks.rtt_us)
        )
        if first is None:
            first = last = int(acked[0])
        advanced = np.diff(acked, prepend=last)
        last = int(acked[-1])
        np.add.at(in_part, np.clip((time_ns - start_ns) // part_ns, 0, PARTS - 1), advanced)
        known = rtt_us != NOT_OBSERVED
        if known.any():
            samples_us = rtt_us[known]
            least_us = int(samples_us.min()) if least_us is None else min(least_us, int(samples_us.min()))
            most_us = int(samples_us.max()) if most_us is None else max(most_us, int(samples_us.max()))
            for at_ns, sample_us in zip(time_ns[known].tolist(), samples_us.tolist(), strict=True):
                rtts.append(at_ns, sample_us)
    return Delivery(rtts, least_us, most_us, 0 if first is None else last - first, part_ns, in_part)
