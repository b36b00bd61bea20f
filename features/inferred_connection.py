"""A connection inferred from captures beside its sender's log: what the inference changes in windows and features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from smartsbd.features import connection_pairs
from smartsbd.features.catalog import feature_names
from smartsbd.features.pair import PairWindow, pair_window
from smartsbd.features.reading import Reading
from smartsbd.traces.agreement import Agreement, agreement, summary
from smartsbd.traces.connection import Connection
from smartsbd.traces.recording import NoPartnerError


@dataclass
class InferredConnection:
    """One connection, inferred and logged.

    Attributes
    ----------
    subflows : list of Agreement
    windows : list of (PairWindow, PairWindow)
        The same window of the inferred and of the logged signals, where RTT samples were inferred.
    placed_inferred, placed_logged : int
        How many windows the inferred signals place by themselves, and how many the logged ones.
    vantages : set of str
    """

    subflows: list[Agreement]
    windows: list[tuple[PairWindow, PairWindow]]
    placed_inferred: int
    placed_logged: int
    vantages: set[str]


def compared(inferred: Connection, logged: Connection, rule: str, reading: Reading) -> InferredConnection:
    """Compare a connection inferred from captures with its sender's log.

    Windows lie where the log puts them, so a feature differs only by its series.

    Parameters
    ----------
    inferred, logged : Connection
        With the same subflows.
    rule : str
        How windows are placed.
    reading : Reading

    Returns
    -------
    InferredConnection

    Raises
    ------
    NoPartnerError
        If their subflows are not the same.
    """
    if sorted(inferred.subflows) != sorted(logged.subflows):
        raise NoPartnerError(f"subflows {sorted(inferred.subflows)} are inferred, {sorted(logged.subflows)} logged")
    estimated = connection_pairs.signals(inferred, reading)
    reference = connection_pairs.signals(logged, reading)
    placed = [(pair, window) for pair in connection_pairs.pairs(logged, rule, reading) for window in pair.windows]
    windows = [
        (pair_window(estimated[pair.subflow_a], estimated[pair.subflow_b], of_log.window, reading), of_log)
        for pair, of_log in placed
        if len(estimated[pair.subflow_a].rtt_us) and len(estimated[pair.subflow_b].rtt_us)
    ]
    return InferredConnection(
        subflows=[agreement(inferred.subflows[number], logged.subflows[number]) for number in sorted(reference)],
        windows=windows,
        placed_inferred=sum(len(pair.windows) for pair in connection_pairs.pairs(inferred, rule, reading)),
        placed_logged=len(placed),
        vantages=set(inferred.vantages.values()),
    )


def agreements(connections: Sequence[InferredConnection]) -> list[Agreement]:
    """Return the agreements of all subflows of some connections."""
    return [subflow for connection in connections for subflow in connection.subflows]


def signals_row(connections: Sequence[InferredConnection]) -> dict[str, Any]:
    """Return how many connections there are, where they were recorded, and how well their RTTs and states agree."""
    return {
        "connections": len(connections),
        "vantage": "/".join(sorted(set().union(*(connection.vantages for connection in connections)))),
        **summary(agreements(connections)),
    }


def window_rows(connections: Sequence[InferredConnection]) -> Iterator[dict[str, Any]]:
    """Yield every feature of every window, inferred and logged."""
    for number, connection in enumerate(connections):
        for inferred, logged in connection.windows:
            for name in feature_names("all"):
                yield {
                    "connection": number,
                    "window_start_ns": logged.window.start_ns,
                    "feature": name,
                    "inferred": float(inferred.features[name]),
                    "logged": float(logged.features[name]),
                }


def feature_rows(connections: Sequence[InferredConnection]) -> Iterator[dict[str, Any]]:
    """Yield, for each feature, what the inference changes in it and how much it varies from window to window."""
    pairs = [pair for connection in connections for pair in connection.windows]
    for name in feature_names("all"):
        inferred, logged = (np.array([pair[side].features[name] for pair in pairs], dtype=float) for side in (0, 1))
        change = np.abs(inferred - logged)
        low, high = np.percentile(logged, [25, 75]) if pairs else (np.nan, np.nan)
        yield {
            "feature": name,
            "windows": len(pairs),
            "equal": int((change == 0).sum()),
            "median_change": float(np.median(change)) if pairs else None,
            "change_95": float(np.percentile(change, 95)) if pairs else None,
            "interquartile_range": float(high - low),
        }
