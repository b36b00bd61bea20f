"""Achieved throughput: a sample per ACK, smoothed."""

from __future__ import annotations

import math

import numpy as np

from smartsbd.features.fixed import Float64Array, Int64Array
from smartsbd.native import window_features

_NS_PER_S = 1_000_000_000


def achieved_mbit_s(
    time_ns: Int64Array, acked_bytes: Int64Array, *, weight: float, tau_s: float | None = None
) -> tuple[Int64Array, Float64Array]:
    """Smoothed throughput at each ACK that acknowledges new data.

    The sample at ACK i is x[i] = 8 * (bytes[i] - bytes[i - 1]) / (t[i] - t[i - 1]), t in microseconds, over the ACKs
    that acknowledge more than any before. The smoothed value y begins as the first sample; then, with w the weight,

        y[i] = y[i - 1] + w * (x[i] - y[i - 1]).

    Parameters
    ----------
    time_ns, acked_bytes : (m,) int64
        ACKs in time order and the bytes acknowledged so far; of several at one time the last counts.
    weight : float in (0, 1]
        Of a new sample in the exponentially weighted moving average, which starts at the first sample.
    tau_s : float, optional
        If given, a sample's weight is ``1 - exp(-dt / tau_s)`` instead, dt being the time it spans.

    Returns
    -------
    time_ns : (k,) int64, nanoseconds
    rate_mbit_s : (k,) float64, Mbit/s
        k < m: the first ACK has none before it.

    Examples
    --------
    >>> import numpy as np
    >>> at_ns, rate = achieved_mbit_s(np.array([0, 1000, 3000]), np.array([0, 1000, 1000 + 4000]), weight=0.5)
    >>> at_ns.tolist(), rate.tolist()
    ([1000, 3000], [8000.0, 12000.0])

    References
    ----------
    SmartSBD, section 3.2: bytes newly acknowledged over the time between two ACKs, smoothed; 1/8 is
    our reading (docs/ambiguities.md, 8).
    """
    time_ns, sample_mbit_s = window_features.rates(time_ns, acked_bytes)
    if tau_s is None:
        smoothed = window_features.smoothed(sample_mbit_s, weight)
    else:
        samples_mbit_s = sample_mbit_s.tolist()
        weights = (-math.expm1(exponent) for exponent in (-np.diff(time_ns) / (tau_s * _NS_PER_S)).tolist())
        level = samples_mbit_s[0] if samples_mbit_s else 0.0
        weighted = zip(samples_mbit_s, weights, strict=True)
        levels = [level := level + (sample_mbit_s - level) * share for sample_mbit_s, share in weighted]
        smoothed = np.array(levels, dtype=np.float64)
    return time_ns[1:], smoothed
