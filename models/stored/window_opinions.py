"""A learned model among the replayed detectors: its verdict on a window holds from the window's end on.

The paper's kernel module decides in the same way: with the window that has just ended, for the next one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from smartsbd.detectors.detector import Opinion
from smartsbd.detectors.partition import Pair, partition_of

if TYPE_CHECKING:
    import pandas as pd

    from smartsbd.models.families.fitted import Fitted


@dataclass(frozen=True)
class WindowVerdict:
    """A model's verdict on two subflows in a window that ends at a time."""

    end_ns: int
    pair: Pair
    shared: bool


def opinions_of(verdicts: Iterable[WindowVerdict], subflow_ids: Sequence[int]) -> list[Opinion]:
    """Return the changes of opinion that follow from verdicts on windows; each pair's last verdict holds.

    Returns
    -------
    list of Opinion
        In order of time; each differs from the one before.

    Examples
    --------
    >>> verdicts = [WindowVerdict(30, (0, 1), False), WindowVerdict(10, (0, 1), True), WindowVerdict(20, (0, 2), True)]
    >>> [(opinion.time_ns, opinion.partition) for opinion in opinions_of(verdicts, [0, 1, 2])]
    [(10, (0, 0, None)), (20, (0, 0, 0)), (30, (0, 1, 0))]

    References
    ----------
    SmartSBD, section 3.5 (decisions every T) and section 7 (more than two subflows).
    """
    opinions: list[Opinion] = []
    last: dict[Pair, bool | None] = {}
    in_order = sorted(verdicts, key=lambda verdict: verdict.end_ns)
    for end_ns, at_once in itertools.groupby(in_order, key=lambda verdict: verdict.end_ns):
        last.update({verdict.pair: verdict.shared for verdict in at_once})
        partition = partition_of(subflow_ids, last)
        if not opinions or partition != opinions[-1].partition:
            opinions.append(Opinion(end_ns, partition))
    return opinions


def opinions_by_connection(
    fitted: Fitted, windows: pd.DataFrame, subflow_ids: Mapping[str, Sequence[int]]
) -> dict[str, list[Opinion]]:
    """Return a model's opinions on each connection; none where a connection has no window.

    Parameters
    ----------
    fitted : Fitted
    windows : DataFrame of the ``pair_window`` table
        Of one rule.
    subflow_ids : mapping of connection_id to sequence of int
        Its subflows, in order.

    Returns
    -------
    dict of str to list of Opinion
        By connection_id.
    """
    shared = fitted.judge(windows[list(fitted.feature_names)].to_numpy(dtype=np.float64)).shared_pred
    by_connection: dict[str, list[Opinion]] = {name: [] for name in subflow_ids}
    for connection_id, rows in windows.assign(shared_pred=shared).groupby("connection_id"):
        verdicts = [
            WindowVerdict(
                row["window_start_ns"] + row["window_ns"],
                (row["subflow_a"], row["subflow_b"]),
                bool(row["shared_pred"]),
            )
            for row in rows.to_dict("records")
        ]
        name = str(connection_id)
        by_connection[name] = opinions_of(verdicts, subflow_ids[name])
    return by_connection
