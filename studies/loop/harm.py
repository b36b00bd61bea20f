"""What a control does to a flow that shares its bottleneck."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from smartsbd.pipelines.closed_loop.comparison import beside_control, by_place, mean_with_interval

#: Columns of what :func:`harm` yields.
HARM = (
    *("place", "control", "runs", "goodput_mbit_s", "rival_mbit_s", "jain"),
    *("rival_share", "rival_share_low", "rival_share_high"),
)


def harm(runs: pd.DataFrame, alone: str, *, resamples: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield what a rival has beside each control, over what it has beside a connection of one path.

    Parameters
    ----------
    runs : DataFrame
        Runs with a rival at a shared bottleneck.
    alone : str
        The control of one path.
    resamples, seed : int

    Yields
    ------
    dict
        ``place``, ``control``, ``runs``, ``goodput_mbit_s``, ``rival_mbit_s``, ``jain``, and ``rival_share`` with its
        interval.

    References
    ----------
    RFC 9743, section 5, asks what a new controller does to flows of the standard ones.
    """
    whole = beside_control(runs, alone, "rival_mbit_s")
    whole["rival_share"] = whole["rival_mbit_s"] / whole[alone]
    for (_, _, place, control), own in by_place(whole):
        row: dict[str, Any] = {"place": place, "control": control, "runs": len(own)}
        row |= {one: own[one].mean() for one in ("goodput_mbit_s", "rival_mbit_s", "jain")}
        yield row | mean_with_interval("rival_share", own["rival_share"], resamples=resamples, seed=seed)
