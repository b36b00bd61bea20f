"""How well the signals inferred from packets agree with the sender's own log of the same subflow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from smartsbd.contracts.tables import RECOVERY
from smartsbd.traces.connection import NOT_OBSERVED, Subflow

Int64Array = npt.NDArray[np.int64]

_US = 1_000
#: Grid on which the congested series are compared.
GRID_NS = 10_000_000
# An inferred and a logged sample belong to the same ACK if they are no further apart.
_SAME_ACK_NS = 1_000_000
# Of the differences of many subflows.
_PERCENT = (2.5, 50, 97.5)


@dataclass(frozen=True)
class Agreement:
    """One subflow, inferred and logged.

    Attributes
    ----------
    logged, inferred : int
        RTT samples.
    rtt_difference_us : (n,) int64, microseconds
        Inferred less logged, of the samples that both have of the same ACK.
    grid_difference_us : (n,) int64, microseconds
        The same of the latest sample at every grid point, where both have one.
    confusion : (2, 2) int64
        Grid points by congested: logged (row) and inferred (column).
    entry_difference_us : (n,) int64, microseconds
        For each logged entry into Recovery or Loss, how much later the nearest inferred entry is.
    entries_logged, entries_inferred : int
    retransmissions_logged, retransmissions_inferred : int or None
    """

    logged: int
    inferred: int
    rtt_difference_us: Int64Array
    grid_difference_us: Int64Array
    confusion: Int64Array
    entry_difference_us: Int64Array
    entries_logged: int
    entries_inferred: int
    retransmissions_logged: int | None
    retransmissions_inferred: int | None


def _samples(subflow: Subflow) -> tuple[Int64Array, Int64Array]:
    acks = subflow.all_acks()
    time_ns, rtt_us = (np.array(values, dtype=np.int64) for values in (acks.time_ns, acks.rtt_us))
    known = rtt_us != NOT_OBSERVED
    return time_ns[known], rtt_us[known]


def _congested(subflow: Subflow) -> tuple[Int64Array, Int64Array]:
    """Return the times of changes between congested and not, and what each changes to; the first to 0."""
    time_ns = np.array(subflow.state_time_ns, dtype=np.int64)
    is_congested = (np.array(subflow.state_ca_state, dtype=np.int64) >= RECOVERY).astype(np.int64)
    changes = np.flatnonzero(np.diff(np.concatenate(([0], is_congested))))
    return time_ns[changes], is_congested[changes]


def _at(grid_ns: Int64Array, time_ns: Int64Array, values: Int64Array, before: int) -> Int64Array:
    """Return the latest value at each grid point, `before` ahead of the first."""
    return np.concatenate(([before], values))[np.searchsorted(time_ns, grid_ns, side="right")]


def _nearest(reference_ns: Int64Array, time_ns: Int64Array) -> Int64Array:
    """Return the position of the time nearest to each of `reference_ns`; there must be one."""
    after = np.clip(np.searchsorted(time_ns, reference_ns), 1, max(1, len(time_ns) - 1))
    closer = np.abs(time_ns[after - 1] - reference_ns) <= np.abs(
        time_ns[np.minimum(after, len(time_ns) - 1)] - reference_ns
    )
    return np.where(closer, after - 1, np.minimum(after, len(time_ns) - 1)).astype(np.int64)


def agreement(inferred: Subflow, logged: Subflow) -> Agreement:
    """Compare a subflow inferred from packets with its sender's log; both have the same clock.

    Parameters
    ----------
    inferred, logged : Subflow

    Returns
    -------
    Agreement
        What both have in common, and what each of them counts.
    """
    inferred_ns, inferred_us = _samples(inferred)
    logged_ns, logged_us = _samples(logged)
    rtt_difference_us = np.zeros(0, dtype=np.int64)
    if len(inferred_ns) and len(logged_ns):
        place = _nearest(logged_ns, inferred_ns)
        same = np.abs(inferred_ns[place] - logged_ns) <= _SAME_ACK_NS
        rtt_difference_us = (inferred_us[place] - logged_us)[same]
    start_ns = max(inferred.start_ns, logged.start_ns)
    grid_ns = np.arange(start_ns, min(inferred.end_ns, logged.end_ns), GRID_NS, dtype=np.int64)
    inferred_grid_us, logged_grid_us = (
        _at(grid_ns, *samples, before=NOT_OBSERVED) for samples in ((inferred_ns, inferred_us), (logged_ns, logged_us))
    )
    known = (inferred_grid_us != NOT_OBSERVED) & (logged_grid_us != NOT_OBSERVED)
    changes, log_changes = _congested(inferred), _congested(logged)
    confusion = np.zeros((2, 2), dtype=np.int64)
    np.add.at(confusion, (_at(grid_ns, *log_changes, before=0), _at(grid_ns, *changes, before=0)), 1)
    entries_ns, log_entries_ns = changes[0][changes[1] == 1], log_changes[0][log_changes[1] == 1]
    entry_difference_us = np.zeros(0, dtype=np.int64)
    if len(entries_ns):
        entry_difference_us = (entries_ns[_nearest(log_entries_ns, entries_ns)] - log_entries_ns) // _US
    return Agreement(
        logged=len(logged_ns),
        inferred=len(inferred_ns),
        rtt_difference_us=rtt_difference_us,
        grid_difference_us=(inferred_grid_us - logged_grid_us)[known],
        confusion=confusion,
        entry_difference_us=entry_difference_us,
        entries_logged=len(log_entries_ns),
        entries_inferred=len(entries_ns),
        retransmissions_logged=logged.retransmissions,
        retransmissions_inferred=inferred.retransmissions,
    )


def _quantiles(name: str, values: Int64Array) -> dict[str, float | None]:
    percentiles = np.percentile(values, _PERCENT) if len(values) else [None] * len(_PERCENT)
    return {f"{name}_{percent:g}": value for percent, value in zip(_PERCENT, percentiles, strict=True)}


def _sum(counts: Sequence[int | None]) -> int | None:
    """Return a sum, None where a log does not count."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def summary(subflows: Sequence[Agreement]) -> dict[str, Any]:
    """Return how well the RTTs and states of some subflows agree together.

    Parameters
    ----------
    subflows : sequence of Agreement
        One at least.

    Returns
    -------
    dict
        Samples (``rtts_*``), the 2.5th, 50th and 97.5th percentile of each difference in microseconds (None where there
        is none), grid points by congestion, entries into Recovery or Loss, and segments sent again (None where no log
        counts them).
    """
    confusion = sum((subflow.confusion for subflow in subflows), np.zeros((2, 2), dtype=np.int64))
    matched = np.concatenate([subflow.rtt_difference_us for subflow in subflows])
    return {
        "rtts_logged": sum(subflow.logged for subflow in subflows),
        "rtts_inferred": sum(subflow.inferred for subflow in subflows),
        "rtts_of_one_ack": len(matched),
        **_quantiles("rtt_difference_us", matched),
        **_quantiles("grid_difference_us", grid_differences_us(subflows)),
        "both_uncongested": confusion[0, 0],
        "only_inferred_congested": confusion[0, 1],
        "only_logged_congested": confusion[1, 0],
        "both_congested": confusion[1, 1],
        "entries_logged": sum(subflow.entries_logged for subflow in subflows),
        "entries_inferred": sum(subflow.entries_inferred for subflow in subflows),
        **_quantiles("entry_difference_us", np.concatenate([subflow.entry_difference_us for subflow in subflows])),
        "sent_again_logged": _sum([subflow.retransmissions_logged for subflow in subflows]),
        "sent_again_inferred": _sum([subflow.retransmissions_inferred for subflow in subflows]),
    }


def grid_differences_us(subflows: Sequence[Agreement]) -> Int64Array:
    """Return the differences on the grid of some subflows, one after the other."""
    return np.concatenate([subflow.grid_difference_us for subflow in subflows])
