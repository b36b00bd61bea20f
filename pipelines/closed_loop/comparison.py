"""Controls compared network by network, beside closed forms; accuracy by the control in force."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from smartsbd.models.assessment.accuracy import mean_share
from smartsbd.pipelines.closed_loop.run_outcome import BOTH

#: Columns that identify a network.
NETWORK = ("experiment", "variant", "place", "number")
#: All places together.
ALL = "all"


def mean_with_interval(name: str, values: pd.Series[float], *, resamples: int, seed: int) -> dict[str, float]:
    """Return a mean with its interval; one value alone has no interval, and none has no mean.

    Parameters
    ----------
    name : str
        Of the mean; its interval's ends have ``_low`` and ``_high`` behind it.
    values : Series
    resamples, seed : int

    Returns
    -------
    dict of str to float
        The mean and both ends of its 95 % interval, in the unit of the values; nan where there is none.
    """
    known = np.asarray(values.dropna(), dtype=np.float64)
    mean = mean_share(known, resamples=resamples, seed=seed) if len(known) else None
    value, ends = (np.nan, (np.nan, np.nan)) if mean is None else (mean.value, (mean.low, mean.high))
    low, high = ends if len(known) > 1 else (np.nan, np.nan)
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def beside(runs: pd.DataFrame, name: str, control_of: Callable[[str], str], column: str) -> pd.DataFrame:
    """Return runs with the outcome of another control on the same network; nan where that was not run.

    Parameters
    ----------
    runs : DataFrame
        One row for each run: :data:`NETWORK`, ``control`` and its outcome.
    name : str
        Of the column to add.
    control_of : callable
        Returns the other control.
    column : str
        Column of the other run to take.

    Returns
    -------
    DataFrame
        All rows of `runs`, with one column more.
    """
    other = runs[[*NETWORK, "control", column]].rename(columns={"control": "_other", column: name})
    keyed = runs.assign(_other=runs["control"].map(control_of))
    return keyed.merge(other, on=[*NETWORK, "_other"], how="left", validate="many_to_one").drop(columns="_other")


def compared(runs: pd.DataFrame, twin: Callable[[str], str], *, resamples: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield for each experiment, variant, place and control how its goodput compares with its coupled twin's.

    Parameters
    ----------
    runs : DataFrame
        One row for each run.
    twin : callable
        Returns the control that behaves as a given one does while all subflows are coupled.
    resamples, seed : int

    Yields
    ------
    dict
        ``runs``; means of ``goodput_mbit_s``, ``rival_mbit_s``, ``jain``, ``apart_share``, ``right_share`` and
        ``right_at_end``; ``over_twin``: the mean over networks of its goodput over the twin's, ``over_twin_most`` the
        largest; ``over_lia`` and ``over_reno`` likewise; ``off_closed_form``: ``over_twin`` less
        ``1 + apart_share * (reno / twin - 1)``, network by network. Intervals end in ``_low`` and ``_high``.

    References
    ----------
    The closed form takes goodput as that of either control in its share of the time.
    """
    means = ("goodput_mbit_s", "rival_mbit_s", "jain", "apart_share", "right_share", "right_at_end")
    whole = beside(runs, "twin", twin, "goodput_mbit_s")
    for control in ("lia", "reno"):
        whole = beside_control(whole, control, "goodput_mbit_s")
        whole[f"over_{control}"] = whole["goodput_mbit_s"] / whole[control]
    whole["over_twin"] = whole["goodput_mbit_s"] / whole["twin"]
    whole["off"] = whole["over_twin"] - 1 - whole["apart_share"] * (whole["reno"] / whole["twin"] - 1)
    for name, group in by_place(whole):
        row: dict[str, Any] = dict(zip(("experiment", "variant", "place", "control"), name, strict=True))
        row |= {"runs": len(group)} | {column: group[column].mean() for column in means}
        row |= mean_with_interval("over_twin", group["over_twin"], resamples=resamples, seed=seed)
        row["over_twin_most"] = group["over_twin"].max()
        for key, column in (("over_lia", "over_lia"), ("over_reno", "over_reno"), ("off_closed_form", "off")):
            row |= mean_with_interval(key, group[column], resamples=resamples, seed=seed)
        yield row


def beside_control(runs: pd.DataFrame, control: str, column: str) -> pd.DataFrame:
    """Return runs with the outcome of a control on the same network, in a column of its name; nan where it was not run.

    Parameters
    ----------
    runs : DataFrame
        One row for each run.
    control : str
    column : str
        Column of that control's run to take.

    Returns
    -------
    DataFrame
        All rows of `runs`, with one column more.
    """
    other = runs.loc[runs["control"] == control, [*NETWORK, column]].rename(columns={column: control})
    return runs.merge(other, on=list(NETWORK), how="left", validate="many_to_one")


def by_place(runs: pd.DataFrame) -> Iterator[tuple[tuple[str, ...], pd.DataFrame]]:
    """Yield the runs of each control by place, and of all places together.

    Parameters
    ----------
    runs : DataFrame
        One row for each run.

    Yields
    ------
    tuple of str
        Experiment, variant, place and control.
    DataFrame
        Their runs.
    """
    keys = ["experiment", "variant", "place", "control"]
    pooled = runs.assign(place=ALL)
    for part in (runs, pooled):
        for name, group in part.groupby(keys, sort=False):
            yield tuple(str(value) for value in name), group


def accuracy_by_force(judged: pd.DataFrame) -> pd.DataFrame:
    """Return how often a source is right, by the label and by the control in force while it watched.

    Windows in which the label or the groups changed are counted apart.

    Parameters
    ----------
    judged : DataFrame
        One row for each verdict: ``experiment``, ``judge``, ``control``, ``shared``, ``said`` and ``in_force``.

    Returns
    -------
    DataFrame
        ``experiment``, ``judge``, ``control``, ``shared``, ``in_force``, ``verdicts``, ``open`` (those that left it
        open) and ``right``: the share right of the others.
    """
    keys = ["experiment", "judge", "control", "shared", "in_force"]
    columns = [*keys, "verdicts", "open", "right"]
    if judged.empty:
        return pd.DataFrame(columns=columns)
    known = judged[judged["shared"].notna() & (judged["in_force"] != BOTH)]
    known = known.assign(open=known["said"].isna(), hit=known["said"] == known["shared"])
    rows = []
    for name, group in known.groupby(keys, sort=True):
        decided = group[~group["open"]]
        row = dict(zip(keys, name, strict=True))
        rows.append(row | {"verdicts": len(group), "open": int(group["open"].sum()), "right": decided["hit"].mean()})
    return pd.DataFrame(rows, columns=columns)
