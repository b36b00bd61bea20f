"""What features are computed from: one subflow's signals, and two subflows on one grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from smartsbd.features.fixed import RTT_LIMIT_US, BoolArray, Float64Array, Int64Array
from smartsbd.features.reading import DEFAULT, Reading
from smartsbd.features.throughput import achieved_mbit_s

_CWR = 2
_CONGESTED_FROM = 3


@dataclass(frozen=True)
class SubflowSignals:
    """The sender's signals of one subflow, in time order.

    Attributes
    ----------
    rtt_time_ns, rtt_us : (m,) int64, nanoseconds and microseconds
        RTT samples and when they were taken.
    state_time_ns : (s,) int64, nanoseconds
    congested : (s,) bool
        Changes of congestion state, and whether the new one is congested. Before the first, a socket is in Open, which
        is not.
    ack_time_ns, acked_bytes : (k,) int64, nanoseconds and bytes
        ACKs and what they acknowledged so far.
    rate_time_ns : (r,) int64, nanoseconds
    rate_mbit_s : (r,) float64, Mbit/s
        Smoothed throughput.
    on_wifi : bool or None
        The subflow runs on WiFi; None where that is not known.
    """

    rtt_time_ns: Int64Array
    rtt_us: Int64Array
    state_time_ns: Int64Array
    congested: BoolArray
    ack_time_ns: Int64Array
    acked_bytes: Int64Array
    rate_time_ns: Int64Array
    rate_mbit_s: Float64Array
    on_wifi: bool | None = None

    @classmethod
    def of_rtts(cls, rtt_time_ns: Sequence[int] | Int64Array, rtt_us: Sequence[int] | Int64Array) -> SubflowSignals:
        """Return the signals of a subflow of which RTTs alone are known: no ACK, no change of state."""
        none = np.empty(0, dtype=np.int64)
        return cls(
            rtt_time_ns=np.asarray(rtt_time_ns, dtype=np.int64),
            rtt_us=np.asarray(rtt_us, dtype=np.int64),
            state_time_ns=none,
            congested=none.astype(np.bool_),
            ack_time_ns=none,
            acked_bytes=none,
            rate_time_ns=none,
            rate_mbit_s=none.astype(np.float64),
        )

    @cached_property
    def lowest_rtt_us(self) -> Int64Array:
        """Smallest RTT up to each sample, (m,) int64, microseconds."""
        return np.minimum.accumulate(self.rtt_us)

    def shifted(self, by_ns: int) -> SubflowSignals:
        """Return the same signals, seen `by_ns` nanoseconds later."""
        return replace(
            self,
            rtt_time_ns=self.rtt_time_ns + by_ns,
            state_time_ns=self.state_time_ns + by_ns,
            ack_time_ns=self.ack_time_ns + by_ns,
            rate_time_ns=self.rate_time_ns + by_ns,
        )

    def thinned(self, missing_share: float, rng: np.random.Generator) -> SubflowSignals:
        """Return the same signals without some RTT samples; ACKs, their throughput, and states stay.

        Parameters
        ----------
        missing_share : float in [0, 1)
            Probability that a sample is missing, independent of the others.
        rng : numpy.random.Generator
            Draws one number for each sample: from the same state, what is missing at a smaller share is also missing at
            a larger one.

        Returns
        -------
        SubflowSignals
        """
        kept = rng.random(self.rtt_us.size) >= missing_share
        return replace(self, rtt_time_ns=self.rtt_time_ns[kept], rtt_us=self.rtt_us[kept])


@dataclass(frozen=True)
class PairGrid:
    """Two subflows resampled on the same grid; `b` is the denominator of every ratio.

    Attributes
    ----------
    rtt_a_us, rtt_b_us : (n,) int64, microseconds
        Resampled RTT.
    congested_a, congested_b : (n,) bool
        In Recovery or Loss.
    acked_a_bytes, acked_b_bytes : (n,) int64, bytes
        Acknowledged up to each grid point.
    rate_a_mbit_s, rate_b_mbit_s : (n,) float64, Mbit/s
        Resampled throughput.
    min_rtt_a_us, min_rtt_b_us : int, microseconds
        Smallest RTT sample up to the window's start.
    step_ns : int, nanoseconds
        Step of the grid.
    reading : Reading
        How the paper's features are to be computed.
    """

    rtt_a_us: Int64Array
    rtt_b_us: Int64Array
    congested_a: BoolArray
    congested_b: BoolArray
    acked_a_bytes: Int64Array
    acked_b_bytes: Int64Array
    rate_a_mbit_s: Float64Array
    rate_b_mbit_s: Float64Array
    min_rtt_a_us: int
    min_rtt_b_us: int
    step_ns: int
    reading: Reading = DEFAULT

    @classmethod
    def of(
        cls,
        *,
        rtt_a_us: Sequence[int] = (),
        rtt_b_us: Sequence[int] = (),
        congested_a: Sequence[bool] = (),
        congested_b: Sequence[bool] = (),
        acked_a_bytes: Sequence[int] = (),
        acked_b_bytes: Sequence[int] = (),
        rate_a_mbit_s: Sequence[float] = (),
        rate_b_mbit_s: Sequence[float] = (),
        reading: Reading = DEFAULT,
    ) -> PairGrid:
        """Return the grid of some series, for examples and tests.

        A series that is not given is as quiet as can be: an RTT of 50 ms, no congestion, nothing acknowledged. The
        minimum RTTs are the series' own, the step is the smaller one.

        Parameters
        ----------
        rtt_a_us, rtt_b_us, congested_a, congested_b, acked_a_bytes, acked_b_bytes, rate_a_mbit_s, rate_b_mbit_s
            Series of n points each, as the class has them; at least one is given.
        reading : Reading
            How the paper's features are to be computed.

        Returns
        -------
        PairGrid
            n points.

        Raises
        ------
        ValueError
            If the series are not all of one length, or none is given.

        Examples
        --------
        >>> grid = PairGrid.of(rtt_a_us=[60_000, 70_000])
        >>> grid.rtt_b_us.tolist(), grid.above_a_us.tolist(), grid.queue_a_us.tolist(), grid.rtt_steps
        ([50000, 50000], [10000, 20000], [0, 10000], 1)
        """
        given = (rtt_a_us, rtt_b_us, congested_a, congested_b, acked_a_bytes, acked_b_bytes)
        sizes = {len(series) for series in (*given, rate_a_mbit_s, rate_b_mbit_s)} - {0}
        if len(sizes) != 1:
            raise ValueError(f"the series have {sorted(sizes)} points: one length is needed")
        n = sizes.pop()
        rtt_us = [np.array(series or [50_000] * n, dtype=np.int64) for series in (rtt_a_us, rtt_b_us)]
        congested = [np.array(series or [False] * n, dtype=np.bool_) for series in (congested_a, congested_b)]
        acked_bytes = [np.array(series or [0] * n, dtype=np.int64) for series in (acked_a_bytes, acked_b_bytes)]
        rate_mbit_s = [np.array(series or [0.0] * n, dtype=np.float64) for series in (rate_a_mbit_s, rate_b_mbit_s)]
        min_rtt_us = [int(series.min()) for series in rtt_us]
        return cls(
            rtt_a_us=rtt_us[0],
            rtt_b_us=rtt_us[1],
            congested_a=congested[0],
            congested_b=congested[1],
            acked_a_bytes=acked_bytes[0],
            acked_b_bytes=acked_bytes[1],
            rate_a_mbit_s=rate_mbit_s[0],
            rate_b_mbit_s=rate_mbit_s[1],
            min_rtt_a_us=min_rtt_us[0],
            min_rtt_b_us=min_rtt_us[1],
            step_ns=min(min_rtt_us) * 1000,
            reading=reading,
        )

    @property
    def n(self) -> int:
        """Grid points."""
        return self.rtt_a_us.size

    @cached_property
    def _common_min_us(self) -> int:
        return min(int(self.rtt_a_us.min()), int(self.rtt_b_us.min()))

    @cached_property
    def above_a_us(self) -> Int64Array:
        """RTT of `a` above both series' common minimum, clamped to RTT_LIMIT_US; (n,) int64, microseconds."""
        return np.minimum(self.rtt_a_us - self._common_min_us, RTT_LIMIT_US)

    @cached_property
    def above_b_us(self) -> Int64Array:
        """RTT of `b` above both series' common minimum, clamped to RTT_LIMIT_US; (n,) int64, microseconds."""
        return np.minimum(self.rtt_b_us - self._common_min_us, RTT_LIMIT_US)

    @cached_property
    def queue_a_us(self) -> Int64Array:
        """Queueing delay of `a`: RTT above its own minimum, clamped to RTT_LIMIT_US; (n,) int64, microseconds."""
        return np.minimum(self.rtt_a_us - int(self.rtt_a_us.min()), RTT_LIMIT_US)

    @cached_property
    def queue_b_us(self) -> Int64Array:
        """Queueing delay of `b`: RTT above its own minimum, clamped to RTT_LIMIT_US; (n,) int64, microseconds."""
        return np.minimum(self.rtt_b_us - int(self.rtt_b_us.min()), RTT_LIMIT_US)

    @cached_property
    def saturated(self) -> int:
        """Points of both series that the clamp changes."""
        limit_us = self._common_min_us + RTT_LIMIT_US
        return int((self.rtt_a_us > limit_us).sum()) + int((self.rtt_b_us > limit_us).sum())

    @property
    def rtt_steps(self) -> int:
        """Grid steps in the larger of the two minimum RTTs, truncated; at least 1."""
        return max(self.min_rtt_a_us, self.min_rtt_b_us) * 1000 // self.step_ns


def _smoothed_us(rtt_us: Int64Array) -> Int64Array:
    """Return srtt after each sample, as tcp_rtt_estimator keeps it: eighths of microseconds."""
    smoothed = np.empty_like(rtt_us)
    eighths = 0
    for place, sample_us in enumerate(rtt_us.tolist()):
        eighths = sample_us << 3 if place == 0 else eighths + sample_us - (eighths >> 3)
        smoothed[place] = max(1, eighths >> 3)
    return smoothed


def _congestion(states: pa.Table, reading: Reading) -> tuple[Int64Array, BoolArray]:
    time_ns = states.column("time_ns").to_numpy()
    ca_state = states.column("ca_state").to_numpy().astype(np.int64)
    if reading.cwr == "ignored":
        kept = ca_state != _CWR
        time_ns, ca_state = time_ns[kept], ca_state[kept]
    congested: BoolArray = ca_state >= _CONGESTED_FROM
    if reading.cwr == "congested":
        congested = congested | (ca_state == _CWR)
    return time_ns, congested


def _subflow_rows(rows: pa.Table, subflow_id: int) -> pa.Table:
    """Return a subflow's rows; those that follow each other, as tables have them, are not copied."""
    places = np.flatnonzero(rows.column("subflow_id").to_numpy() == subflow_id)
    if not places.size:
        return rows.slice(0, 0)
    first, last = places[0], places[-1]
    return rows.slice(first, places.size) if last - first + 1 == places.size else rows.take(places)


def _data_level_bytes(acks: pa.Table, at_ns: Int64Array) -> Int64Array:
    """Return the data-level bytes acknowledged on any subflow up to each time, 0 where none is known."""
    known = acks.filter(pc.is_valid(acks.column("data_ack"))).sort_by("time_ns")
    level = np.maximum.accumulate(np.concatenate(([0], known.column("data_ack").to_numpy().astype(np.int64))))
    return level[np.searchsorted(known.column("time_ns").to_numpy(), at_ns, side="right")]


def signals_of(
    acks: pa.Table, states: pa.Table, subflow_id: int, reading: Reading = DEFAULT, *, on_wifi: bool | None = None
) -> SubflowSignals:
    """Take one subflow's signals from its connection's rows.

    Parameters
    ----------
    acks, states : rows of the ``ack`` and ``state`` tables
        All of one connection; of ``ack`` the columns ``subflow_id``, ``time_ns``, ``acked_bytes``,
        ``rtt_us`` and ``data_ack``, of ``state`` ``subflow_id``, ``time_ns`` and ``ca_state``.
    subflow_id : int
    reading : Reading
    on_wifi : bool, optional
        The subflow runs on WiFi, if that is known.

    Returns
    -------
    SubflowSignals

    References
    ----------
    SmartSBD, section 3.1: Recovery and Loss are congested, Open and Disorder are not; CWR, which it
    leaves out, is not either unless the reading says so.
    """
    subflow_acks = _subflow_rows(acks, subflow_id)
    state_time_ns, congested = _congestion(_subflow_rows(states, subflow_id), reading)
    ack_time_ns = subflow_acks.column("time_ns").to_numpy()
    acked_bytes = subflow_acks.column("acked_bytes").to_numpy()
    rtts = subflow_acks.column("rtt_us")
    rtt_time_ns = ack_time_ns[rtts.is_valid().to_numpy()] if rtts.null_count else ack_time_ns
    rtt_us = rtts.drop_null().to_numpy().astype(np.int64)
    if reading.rtt_while_congested == "dropped":
        kept = ~congested_at(state_time_ns, congested, rtt_time_ns)
        rtt_time_ns, rtt_us = rtt_time_ns[kept], rtt_us[kept]
    if reading.rtt == "srtt":
        rtt_us = _smoothed_us(rtt_us)
    rate_time_ns, rate_mbit_s = achieved_mbit_s(
        ack_time_ns,
        _data_level_bytes(acks, ack_time_ns) if reading.acked == "meta" else acked_bytes,
        weight=reading.rate_weight,
        tau_s=reading.rate_tau_s,
    )
    return SubflowSignals(
        rtt_time_ns=rtt_time_ns,
        rtt_us=rtt_us,
        state_time_ns=state_time_ns,
        congested=congested,
        ack_time_ns=ack_time_ns,
        acked_bytes=acked_bytes,
        rate_time_ns=rate_time_ns,
        rate_mbit_s=rate_mbit_s,
        on_wifi=on_wifi,
    )


def congested_at(state_time_ns: Int64Array, congested: BoolArray, at_ns: Int64Array) -> BoolArray:
    """Tell at each time whether the subflow is congested: the last change holds, none means it is not.

    Parameters
    ----------
    state_time_ns, congested : (s,) int64, nanoseconds, and (s,) bool
        Changes of state in time order, and whether each new state is congested.
    at_ns : (n,) int64, nanoseconds
        The times asked for.

    Returns
    -------
    (n,) bool

    Examples
    --------
    >>> import numpy as np
    >>> congested_at(np.array([5, 9]), np.array([True, False]), np.array([4, 5, 8, 9])).tolist()
    [False, True, True, False]
    """
    if not state_time_ns.size:
        return np.zeros(at_ns.size, dtype=np.bool_)
    last = np.searchsorted(state_time_ns, at_ns, side="right") - 1
    is_congested: BoolArray = (last >= 0) & congested[np.maximum(last, 0)]
    return is_congested
