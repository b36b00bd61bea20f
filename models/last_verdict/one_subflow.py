"""A control: numbers of one subflow alone, which cannot tell the label unless the settings do."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.contracts import tables

Float64Array = npt.NDArray[np.float64]

NUMBERS = (
    "min_rtt",
    "rtt_rise",
    "queue_spread",
    "queue_spread_us",
    "queue_low",
    "queue_median",
    "queue_high",
    "rtt_step",
    "sample_rate",
    "gap_median",
    "gap_high",
    "gap_highest",
    "gap_longest",
    "byte_rate",
    "losses",
    "states",
    "loss_states",
    "recovery_states",
    "bytes_a_loss",
    "silences",
    "rtt_memory",
    "bytes_in_flight",
)
_FEWEST_SAMPLES = 10
_NS_PER_S, _NS_PER_MS, _US_PER_MS = 1e9, 1e6, 1e3
_RECOVERY = tables.CA_STATES.index("Recovery")
_LOSS = tables.CA_STATES.index("Loss")
#: A silence is longer than half of a round trip.
_SILENT_SHARE = 0.5


def numbers_of(acks: pd.DataFrame, states: pd.DataFrame, losses: pd.DataFrame, duration_s: float) -> Float64Array:
    """Return :data:`NUMBERS` of one subflow, many as logarithms.

    All are 0 for a subflow with fewer than ten RTT samples.

    Parameters
    ----------
    acks, states, losses : DataFrame of the ``ack``, ``state`` and ``loss`` tables
        Rows of the subflow alone.
    duration_s : float
        Of the connection.

    Returns
    -------
    (22,) float64
        What is not finite is replaced as :func:`numpy.nan_to_num` does.
    """
    rtt_us = acks["rtt_us"].dropna().to_numpy(dtype=np.float64)
    if len(rtt_us) < _FEWEST_SAMPLES:
        return np.zeros(len(NUMBERS))
    lowest_us = rtt_us.min()
    queue_us = rtt_us - lowest_us
    gaps_ms = np.diff(acks["time_ns"].to_numpy(dtype=np.float64)) / _NS_PER_MS
    acked = acks["acked_bytes"].to_numpy(dtype=np.float64)
    bytes_in_all = acked[-1] - acked[0]
    state = states["ca_state"].to_numpy()
    follows = np.corrcoef(rtt_us[:-1], rtt_us[1:])[0, 1] if queue_us.any() else 0.0
    numbers = [
        np.log(lowest_us),
        np.log(rtt_us.mean() / lowest_us),
        queue_us.std() / lowest_us,
        np.log1p(queue_us.std()),
        *np.percentile(queue_us / lowest_us, [10, 50, 90]),
        np.log1p(np.abs(np.diff(rtt_us)).mean()),
        np.log(len(rtt_us) / duration_s),
        *np.log1p(np.percentile(gaps_ms, [50, 90, 99])),
        gaps_ms.max(),
        np.log1p(bytes_in_all / duration_s),
        len(losses) / duration_s,
        len(state) / duration_s,
        (state == _LOSS).sum() / duration_s,
        (state == _RECOVERY).sum() / duration_s,
        np.log1p(bytes_in_all / max(1, len(losses))),
        np.log1p((gaps_ms > _SILENT_SHARE * lowest_us / _US_PER_MS).sum()),
        follows,
        np.log1p(rtt_us.mean() * bytes_in_all / duration_s),
    ]
    return np.nan_to_num(np.array(numbers, dtype=np.float64))
