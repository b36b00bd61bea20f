"""What features are computed from: one subflow's signals, and two subflows on one grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from features.fixed import BoolArray, Int64Array


@dataclass(frozen=True)
class SubflowSignals:
    """The sender's signals of one subflow, in time order.

    Attributes
    ----------
    rtt_time_ns, rtt_us : (m,) int64, nanoseconds and microseconds
        RTT samples and when they were taken.
    state_time_ns, ca_state : (s,) int64
        Changes of congestion state: 0 Open, 1 Disorder, 2 CWR, 3 Recovery, 4 Loss. A socket is in
        Open before the first change.
    """

    rtt_time_ns: Int64Array
    rtt_us: Int64Array
    state_time_ns: Int64Array
    ca_state: Int64Array


@dataclass(frozen=True)
class PairGrid:
    """Two subflows resampled on the same grid; `b` is the denominator of every ratio.

    Attributes
    ----------
    rtt_a_us, rtt_b_us : (n,) int64, microseconds
        Resampled RTT, less the smaller of both minima, clamped to [0, RTT_LIMIT_US].
    congested_a, congested_b : (n,) bool
        In Recovery or Loss.
    min_rtt_a_us, min_rtt_b_us : int, microseconds
        Smallest RTT sample up to the window's start.
    """

    rtt_a_us: Int64Array
    rtt_b_us: Int64Array
    congested_a: BoolArray
    congested_b: BoolArray
    min_rtt_a_us: int
    min_rtt_b_us: int


def signals_of(acks: pa.Table, states: pa.Table, subflow_id: int) -> SubflowSignals:
    """Take one subflow's signals from its connection's rows.

    Parameters
    ----------
    acks, states : rows of the ``ack`` and ``state`` tables
        All of one connection.
    subflow_id : int
    """
    own_acks = acks.filter(pc.equal(acks.column("subflow_id"), subflow_id))
    sampled = own_acks.filter(pc.is_valid(own_acks.column("rtt_us")))
    own_states = states.filter(pc.equal(states.column("subflow_id"), subflow_id))
    return SubflowSignals(
        rtt_time_ns=sampled.column("time_ns").to_numpy(),
        rtt_us=sampled.column("rtt_us").to_numpy().astype(np.int64),
        state_time_ns=own_states.column("time_ns").to_numpy(),
        ca_state=own_states.column("ca_state").to_numpy().astype(np.int64),
    )
