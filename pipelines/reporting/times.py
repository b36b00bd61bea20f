"""Where the time of a run went, as a table of text."""

from __future__ import annotations

from collections.abc import Sequence

from smartsbd.pipelines.reporting.text_table import aligned
from smartsbd.pipelines.running.journal import Entry


def where_time_went(entries: Sequence[Entry], whole_s: float) -> str:
    """Return a table with one line for each stage, the longest first, and one for the time outside of stages.

    Parameters
    ----------
    entries : sequence of Entry
        Of one run.
    whole_s : float
        What the run took.

    Returns
    -------
    str
        Several lines; times in seconds.

    Examples
    --------
    >>> print(where_time_went([Entry("search@sites", 9.0, 4.0, 6.5, 0), Entry("rank", 12.0, 1.0, 1.0, 0)], 7.0))
           stage wall s CPU s
    search@sites    4.0   6.5
            rank    1.0   1.0
             DVC    2.0     -
             all    7.0   7.5
    """
    rows = [
        {"stage": entry.stage, "wall s": f"{entry.wall_s:.1f}", "CPU s": f"{entry.cpu_s:.1f}"}
        for entry in sorted(entries, key=lambda entry: entry.wall_s, reverse=True)
    ]
    between_s = whole_s - sum(entry.wall_s for entry in entries)
    rows.append({"stage": "DVC", "wall s": f"{between_s:.1f}"})
    all_cpu_s = sum(entry.cpu_s for entry in entries)
    rows.append({"stage": "all", "wall s": f"{whole_s:.1f}", "CPU s": f"{all_cpu_s:.1f}"})
    return "\n".join(aligned(rows))
