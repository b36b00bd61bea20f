"""What a stranger who sees both paths can make the active check say, by delaying packets of one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from smartsbd.detectors.active.dithered_pair import ActiveVerdict, DitheredPair
from smartsbd.features.series import SubflowSignals

_Int64Array = npt.NDArray[np.int64]


def verdict(record: Mapping[str, Any], x: SubflowSignals, y: SubflowSignals) -> ActiveVerdict:
    """Return what the check says at last of the symbols of a run and some RTTs.

    Parameters
    ----------
    record : mapping
        What the simulator wrote of a connection of two subflows whose windows moved.
    x, y : SubflowSignals
        RTTs of the subflows, which need not be those of the run.

    Returns
    -------
    ActiveVerdict
    """
    (begun,) = record["begun"]
    pair = DitheredPair(begun["m_us"])
    symbols = iter([symbol for symbol in record["symbols"] if symbol["end_ns"] >= begun["from_ns"]])
    symbol = next(symbols, None)
    which = np.repeat([0, 1], [x.rtt_us.size, y.rtt_us.size])
    time_ns, rtt_us = np.append(x.rtt_time_ns, y.rtt_time_ns), np.append(x.rtt_us, y.rtt_us)
    order = np.lexsort((which, time_ns))
    for subflow, at_ns, sample_us in zip(
        which[order].tolist(), time_ns[order].tolist(), rtt_us[order].tolist(), strict=True
    ):
        if at_ns < begun["from_ns"]:
            continue
        while symbol is not None and symbol["end_ns"] < at_ns:
            parts = (symbol["begin_ns"], symbol["middle_ns"], symbol["end_ns"])
            pair.on_symbol(symbol["subflow"], *parts, symbol["segments"])
            symbol = next(symbols, None)
        pair.on_rtt(subflow, at_ns, sample_us)
    return pair.verdict


def queue_us(of: SubflowSignals, sent_ns: _Int64Array) -> _Int64Array:
    """Return what waits before segments that leave at some times, by a subflow's RTTs above its smallest one.

    Parameters
    ----------
    of : SubflowSignals
    sent_ns : (m,) int64, nanoseconds

    Returns
    -------
    (m,) int64, microseconds
        Between its samples on a line, by the time at which their segments left.

    Examples
    --------
    >>> of = SubflowSignals.of_rtts([10_000, 20_000], [2, 8])
    >>> queue_us(of, np.array([8_000, 10_000, 99_000])).tolist()
    [0, 3, 6]
    """
    left_ns = of.rtt_time_ns - of.rtt_us * 1000
    order = np.argsort(left_ns, kind="stable")
    delays_us = of.rtt_us[order] - of.rtt_us.min()
    waits_us: _Int64Array = np.interp(sent_ns, left_ns[order], delays_us).astype(np.int64)
    return waits_us


def delayed(y: SubflowSignals, more_us: _Int64Array) -> SubflowSignals:
    """Return a subflow whose RTTs are longer. ACKs come in the order in which they came."""
    rtt_us = y.rtt_us + more_us
    time_ns = np.maximum.accumulate(y.rtt_time_ns + more_us * 1000)
    return SubflowSignals.of_rtts(time_ns, rtt_us)


def copied(x: SubflowSignals, y: SubflowSignals) -> SubflowSignals:
    """Return the second subflow where a stranger delays it by what waits in the first one's queue."""
    return delayed(y, queue_us(x, y.rtt_time_ns - y.rtt_us * 1000))


def hidden(x: SubflowSignals, y: SubflowSignals) -> SubflowSignals:
    """Return the second subflow where a stranger delays it the more, the less waits in the first one's queue."""
    waits_us = queue_us(x, y.rtt_time_ns - y.rtt_us * 1000)
    return delayed(y, waits_us.max() - waits_us)
