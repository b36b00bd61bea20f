"""What modes of rust/quic's sender came to, beside coupled and uncoupled on the same networks."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_csv
from smartsbd.pipelines.running import stage

COUPLED, UNCOUPLED = "coupled", "uncoupled"
_NETWORK = ["stack", "variant", "number"]
_CONFIDENCE = 0.95


def geometric_mean(ratios: np.ndarray) -> tuple[float, float, float]:
    """Return the geometric mean of ratios and its 95 % interval, by Student's t on logarithms.

    Parameters
    ----------
    ratios : ndarray
        Above 0, at least two.

    Returns
    -------
    mean, low, high : float

    Examples
    --------
    >>> geometric_mean(np.array([2.0, 8.0]))[0]
    4.0
    """
    logs = np.log(ratios)
    half = float(stats.t.ppf((1 + _CONFIDENCE) / 2, len(logs) - 1)) * float(stats.sem(logs))
    mean = float(logs.mean())
    return float(np.exp(mean)), float(np.exp(mean - half)), float(np.exp(mean + half))


def complete(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of networks on which no mode of the stack failed."""
    failed = runs["failed"].fillna("") != ""
    return runs[~failed.groupby([runs[name] for name in _NETWORK]).transform("any")]


def _ratios(runs: pd.DataFrame, of_mode: pd.DataFrame, column: str, other: str) -> np.ndarray:
    """Return a column of a mode's runs over the other mode's on the same networks."""
    beside = of_mode.merge(runs[runs["mode"] == other], on=_NETWORK, suffixes=("", "_beside"), validate="one_to_one")
    return np.asarray(beside[column] / beside[f"{column}_beside"], dtype=float)


def beside_others(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each stack, kind of network and mode.

    Parameters
    ----------
    runs : DataFrame
        ``runs.csv`` of ``python -m studies quic sent_transfers``.

    Returns
    -------
    DataFrame
        ``runs``, ``goodput_mbit_s`` and its ratios ``over_coupled`` and ``over_uncoupled``, with intervals,
        ``most_over_coupled``, ``rival_over_coupled`` with its interval, shares of judgements that decide and are right,
        last verdicts that are right, judgements and those that the replay repeats.
    """
    runs = complete(runs)
    rows = []
    for (stack, variant, mode), of_mode in runs.groupby(["stack", "variant", "mode"], sort=False):
        row: dict[str, object] = {"stack": stack, "variant": variant, "mode": mode, "runs": len(of_mode)}
        row["goodput_mbit_s"] = of_mode["goodput_mbit_s"].mean()
        for name, column, other in (
            ("over_coupled", "goodput_mbit_s", COUPLED),
            ("over_uncoupled", "goodput_mbit_s", UNCOUPLED),
            ("rival_over_coupled", "rival_mbit_s", COUPLED),
        ):
            row[name], row[f"{name}_low"], row[f"{name}_high"] = geometric_mean(_ratios(runs, of_mode, column, other))
        row["most_over_coupled"] = _ratios(runs, of_mode, "goodput_mbit_s", COUPLED).max()
        truth = "shared" if variant == "one link" else "apart"
        row["decided_right"] = of_mode["decided_right"].sum() / max(of_mode["decided"].sum(), 1)
        row["decided"] = int(of_mode["decided"].sum())
        row["last_right"] = int((of_mode["last_verdict"] == truth).sum())
        row["first_right_s"] = of_mode["first_right_s"].mean()
        row["judgements"] = int(of_mode["judgements"].sum())
        row["replayed_equal"] = int(of_mode["replayed_equal"].sum())
        rows.append(row)
    return pd.DataFrame(rows)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    parser.add_argument(
        "--runs", type=Path, nargs="+", required=True, help="runs.csv of python -m studies quic sent_transfers"
    )
    parser.add_argument("--table", type=Path, required=True, help="CSV to write")


def run(arguments: argparse.Namespace, _params: Params) -> int:
    """Compare the runs, and write the table."""
    runs = pd.concat([pd.read_csv(path) for path in arguments.runs], ignore_index=True)
    table = beside_others(runs)
    write_csv(table, arguments.table)
    stage.say(f"{len(runs)} runs, of which {int((runs['failed'].fillna('') != '').sum())} failed")
    for row in table.to_dict("records"):
        stage.say(
            f"{row['stack']}, {row['variant']}, {row['mode']}: {row['goodput_mbit_s']:.2f} Mbit/s, "
            f"{row['over_coupled']:.2f} ({row['over_coupled_low']:.2f} to {row['over_coupled_high']:.2f}) of coupled, "
            f"{row['over_uncoupled']:.2f} ({row['over_uncoupled_low']:.2f} to {row['over_uncoupled_high']:.2f}) of "
            f"uncoupled; rivals {row['rival_over_coupled']:.2f} ({row['rival_over_coupled_low']:.2f} to "
            f"{row['rival_over_coupled_high']:.2f}); verdicts right {row['decided_right']:.3f} of {row['decided']}, "
            f"at the end {row['last_right']} of {row['runs']}, first after {row['first_right_s']:.1f} s; at most "
            f"{row['most_over_coupled']:.2f} of coupled; replayed {row['replayed_equal']} of {row['judgements']}"
        )
    return stage.EXIT_OK
