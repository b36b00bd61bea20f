"""What a detector costs a sender, over many runs: mean and most, as in SmartSBD's Table 7."""

from __future__ import annotations

import pandas as pd

#: Columns to average over runs: shares of one processor, in percent, and the time that a window takes.
AVERAGED = ("hook_percent", "work_percent", "percent", "ms_per_window")
#: Columns of what :func:`over_runs` returns.
COLUMNS = (
    *("experiment", "control", "runs"),
    *AVERAGED,
    *(f"{name}_most" for name in AVERAGED),
    "work_most_ms",
)


def over_runs(costs: pd.DataFrame) -> pd.DataFrame:
    """Return mean and most over the runs of each experiment and control.

    Parameters
    ----------
    costs : DataFrame
        One row for each run: ``experiment``, ``control``, :data:`AVERAGED` and ``work_most_ms``, the longest time that
        signals were taken and verdicts asked for at once. May have no rows.

    Returns
    -------
    DataFrame
        Of :data:`COLUMNS`. A figure that was counted in no run is nan.
    """
    rows = []
    if not costs.empty:
        for (experiment, control), group in costs.groupby(["experiment", "control"], sort=False):
            rows.append(
                {"experiment": experiment, "control": control, "runs": len(group)}
                | {name: group[name].mean() for name in AVERAGED}
                | {f"{name}_most": group[name].max() for name in AVERAGED}
                | {"work_most_ms": group["work_most_ms"].max()}
            )
    return pd.DataFrame(rows, columns=list(COLUMNS))
