"""Verdicts on connections inferred from captures: how often they are those on the sender's log."""

from __future__ import annotations

from collections.abc import Sequence

from smartsbd.features.inferred_connection import InferredConnection
from smartsbd.models.stored.loaded_model import WindowJudge


def same_verdicts(connections: Sequence[InferredConnection], judge: WindowJudge) -> dict[str, int]:
    """Count the windows of some connections, and on how many the verdict is the same.

    Returns
    -------
    dict
        Windows that the log has (``windows_logged``), of which RTTs were inferred too (``windows_compared``), with the
        same verdict (``same_verdict``), and those that the inferred signals have by themselves (``windows_inferred``).
    """
    pairs = [pair for one in connections for pair in one.windows]
    same = 0
    if pairs:
        inferred = judge.judge([pair[0] for pair in pairs]).shared_pred
        same = int((inferred == judge.judge([pair[1] for pair in pairs]).shared_pred).sum())
    return {
        "windows_logged": sum(one.placed_logged for one in connections),
        "windows_compared": len(pairs),
        "same_verdict": same,
        "windows_inferred": sum(one.placed_inferred for one in connections),
    }
