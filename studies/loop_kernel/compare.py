"""What controllers of the kernel came to, beside `sbd_lia` and Reno on the same networks at the same time."""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from smartsbd.pipelines.closed_loop.comparison import ALL, NETWORK, beside_control, compared
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_csv
from smartsbd.pipelines.running import stage

COUPLED = "lia"
#: Goodput over LIA's above which a run on one link is counted.
MOST_OVER_LIA = 1.25
_KEYS = ["variant", "control"]


def beside_lia(outcomes: pd.DataFrame, *, resamples: int, seed: int) -> pd.DataFrame:
    """Return a row for each kind of network and control, over all its networks.

    Parameters
    ----------
    outcomes : DataFrame
        What ``sbd testbed --experiment loop_kernel`` writes as ``outcomes.csv``.
    resamples, seed : int
        Of the intervals.

    Returns
    -------
    DataFrame
        ``runs``, ``goodput_mbit_s``, ``over_lia`` and ``over_reno`` with intervals, ``most_over_lia``, ``above``: runs
        with more than :data:`MOST_OVER_LIA`, ``rival_over_lia``: the mean of what bulk flows have over what they have
        beside LIA, ``right_share`` and ``right_at_end``.
    """
    table = pd.DataFrame(compared(outcomes, lambda _control: COUPLED, resamples=resamples, seed=seed))
    table = table[table["place"] == ALL].rename(columns={"over_twin_most": "most_over_lia"})
    runs = outcomes
    for column in ("goodput_mbit_s", "rival_mbit_s"):
        runs = beside_control(runs, COUPLED, column).rename(columns={COUPLED: f"{column}_beside_lia"})
    runs["above"] = runs["goodput_mbit_s"] / runs["goodput_mbit_s_beside_lia"] > MOST_OVER_LIA
    runs["rival_over_lia"] = runs["rival_mbit_s"] / runs["rival_mbit_s_beside_lia"]
    counted = runs.groupby(_KEYS, as_index=False).agg({"above": "sum", "rival_over_lia": "mean"})
    kept = ["runs", "goodput_mbit_s", *(f"over_{of}{end}" for of in ("lia", "reno") for end in ("", "_low", "_high"))]
    return table[[*_KEYS, *kept, "most_over_lia", "right_share", "right_at_end"]].merge(counted, on=_KEYS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    parser.add_argument("--outcomes", type=Path, required=True, help="outcomes.csv of sbd testbed --experiment")
    parser.add_argument("--table", type=Path, required=True, help="CSV to write")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Compare the runs, and write the table."""
    outcomes = pd.read_csv(arguments.outcomes)
    missing = {*NETWORK, "control", "goodput_mbit_s", "rival_mbit_s"} - set(outcomes.columns)
    if missing:
        stage.say(f"{arguments.outcomes}: no column {', '.join(sorted(missing))}")
        return stage.EXIT_USAGE
    table = beside_lia(outcomes, resamples=params.evaluate.resamples, seed=params.evaluate.seed)
    write_csv(table, arguments.table)
    for row in table.to_dict("records"):
        stage.say(
            f"{row['variant']}, {row['control']}: {row['over_lia']:.2f} of LIA, at most {row['most_over_lia']:.2f}, "
            f"above {MOST_OVER_LIA}: {row['above']} of {row['runs']}; bulk flows {row['rival_over_lia']:.2f}"
        )
    return stage.EXIT_OK
