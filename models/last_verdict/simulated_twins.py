"""Recorded connections beside their simulated twins, which come from the same scenarios: where the two part.

A twin has the name of its recording. Subflows are matched by their order, since a kernel and the simulator begin to
count them at different numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from smartsbd.contracts.fault import Fault
from smartsbd.models.assessment.comparison import RIGHT, accuracy_of
from smartsbd.models.last_verdict.final_verdict import SAID

#: Columns that identify a pair in both, and those of a detector.
TWIN = ("input", "rank_a", "rank_b")
DETECTOR = ("detector", "preset")
_RECORDED, _SIMULATED = "_recorded", "_simulated"
_AT_LEAST_RECOVERY = 3


class NoTwinsError(Fault):
    """No pair has a valid label in both datasets."""


def _input_of(connection_id: pd.Series[str]) -> pd.Series[str]:
    return connection_id.str.split("/", n=1).str[1]


def _ranked(rows: pd.DataFrame, truth: pd.DataFrame) -> pd.DataFrame:
    """Return rows with the name and subflows that a pair has in both datasets."""
    first = truth.groupby("connection_id")[["subflow_a"]].min()["subflow_a"]
    start = rows["connection_id"].map(first)
    ranks = {"rank_a": rows["subflow_a"] - start, "rank_b": rows["subflow_b"] - start}
    return rows.assign(input=_input_of(rows["connection_id"]), **ranks)


def paired(
    recorded: pd.DataFrame, simulated: pd.DataFrame, recorded_truth: pd.DataFrame, simulated_truth: pd.DataFrame
) -> pd.DataFrame:
    """Return the last verdicts on every pair that has a valid label in both datasets.

    Parameters
    ----------
    recorded, simulated : DataFrame
        Last verdicts, as :func:`~smartsbd.models.last_verdict.final_verdict.judged` returns them.
    recorded_truth, simulated_truth : DataFrame
        Their ``truth`` tables.

    Returns
    -------
    DataFrame
        One row for each pair and detector that both have: :data:`TWIN`, :data:`DETECTOR`, ``shared``, ``scenario``,
        ``connection_id`` of the recording, and ``said_*`` and ``right_*`` of both.

    Raises
    ------
    NoTwinsError
        If there is none.
    ValueError
        If the labels of a recording and its twin differ: they are not of one scenario.
    """
    settings = recorded_truth.drop_duplicates("connection_id").set_index("connection_id")["scenario"]
    recordings = _ranked(recorded.assign(scenario=recorded["connection_id"].map(settings)), recorded_truth)
    twins = _ranked(simulated, simulated_truth)
    both = recordings.merge(
        twins[[*TWIN, *DETECTOR, "shared", SAID, RIGHT]],
        on=[*TWIN, *DETECTOR],
        validate="one_to_one",
        suffixes=(_RECORDED, _SIMULATED),
    )
    if both.empty:
        raise NoTwinsError("no pair has a valid label in both datasets")
    if (both[f"shared{_RECORDED}"] != both[f"shared{_SIMULATED}"]).any():
        raise ValueError("a recording and its twin have different labels: they are not of one scenario")
    return both.rename(columns={f"shared{_RECORDED}": "shared"})[
        [
            *TWIN,
            *DETECTOR,
            "connection_id",
            "scenario",
            "shared",
            *(f"{what}{where}" for what in (SAID, RIGHT) for where in (_RECORDED, _SIMULATED)),
        ]
    ]


def _accuracy(rows: pd.DataFrame, right: pd.Series[float], name: str, resamples: int, seed: int) -> dict[str, float]:
    accuracy = accuracy_of(rows.assign(**{RIGHT: right}), resamples=resamples, seed=seed)
    return {f"{name}{end}": getattr(accuracy, f"overall{end}") for end in ("", "_low", "_high")}


def compared(both: pd.DataFrame, *, resamples: int, seed: int) -> list[dict[str, Any]]:
    """Return for each detector how right it is on recordings and on their twins, and how often they part.

    Parameters
    ----------
    both : DataFrame
        As :func:`paired` returns it.
    resamples, seed : int
        As :func:`~smartsbd.models.assessment.accuracy.accuracy` takes them.

    Returns
    -------
    list of dict
        ``recorded`` and ``simulated``: share right of all pairs, no verdict being wrong; ``less``: the first less the
        second, paired; ``decided_*`` and ``wrong_*``: counts of pairs with a verdict, and with a wrong one;
        ``right_recorded_only`` and ``right_simulated_only``: pairs where they part; ``opposite``: pairs called shared
        in one and not shared in the other.
    """
    rows = []
    for name, pairs in both.groupby(list(DETECTOR), sort=False):
        recorded, simulated = pairs[f"{RIGHT}{_RECORDED}"], pairs[f"{RIGHT}{_SIMULATED}"]
        row: dict[str, Any] = {"detector": name[0], "parameters": name[1], "pairs": len(pairs)}
        row["shared"] = int(pairs["shared"].sum())
        row |= _accuracy(pairs, recorded, "recorded", resamples, seed)
        row |= _accuracy(pairs, simulated, "simulated", resamples, seed)
        row |= _accuracy(pairs, recorded - simulated, "less", resamples, seed)
        for where in (_RECORDED, _SIMULATED):
            verdicts = pairs[f"{SAID}{where}"]
            row[f"decided{where}"] = int(verdicts.notna().sum())
            row[f"wrong{where}"] = int((verdicts.notna() & (pairs[f"{RIGHT}{where}"] == 0)).sum())
        row["right_recorded_only"] = int(((recorded == 1) & (simulated == 0)).sum())
        row["right_simulated_only"] = int(((recorded == 0) & (simulated == 1)).sum())
        of_recordings, of_twins = pairs[f"{SAID}{_RECORDED}"], pairs[f"{SAID}{_SIMULATED}"]
        row["opposite"] = int(
            (of_recordings.notna() & of_twins.notna() & (of_recordings != of_twins)).fillna(value=False).sum()
        )
        rows.append(row)
    return rows


def by_scenario(both: pd.DataFrame, detectors: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return for each setting how many pairs are right on recordings and on their twins, of some detectors.

    Parameters
    ----------
    both : DataFrame
        As :func:`paired` returns it.
    detectors : sequence of (str, str)
        Names and parameter sets.

    Returns
    -------
    list of dict
        One for each detector and setting: ``scenario``, ``detector``, ``parameters``, and counts of pairs.
    """
    rows = []
    for name, preset in detectors:
        pairs = both[(both["detector"] == name) & (both["preset"] == preset)]
        for scenario, of in pairs.groupby("scenario", sort=True):
            rows.append(
                {
                    "scenario": scenario,
                    "detector": name,
                    "parameters": preset,
                    "pairs": len(of),
                    "shared": int(of["shared"].sum()),
                    "right_recorded": int(of[f"{RIGHT}{_RECORDED}"].sum()),
                    "right_simulated": int(of[f"{RIGHT}{_SIMULATED}"].sum()),
                    "decided_recorded": int(of[f"{SAID}{_RECORDED}"].notna().sum()),
                    "decided_simulated": int(of[f"{SAID}{_SIMULATED}"].notna().sum()),
                }
            )
    return rows


#: Measurements of each subflow; the names have the units.
SIGNALS = ("rtt_samples", "min_rtt_us", "mean_queueing_us", "sd_rtt_us", "acked_bytes", "episodes")


def signals(ack: pd.DataFrame, state: pd.DataFrame) -> pd.DataFrame:
    """Return the signals that a sender saw of each subflow, by the connection's name in both datasets and by rank.

    Parameters
    ----------
    ack, state : DataFrame
        The tables of a dataset.

    Returns
    -------
    DataFrame
        Columns of :data:`SIGNALS`: RTT samples, the smallest, the mean above it, the standard deviation, bytes
        acknowledged, and how often Recovery or Loss began.
    """
    key = ["connection_id", "subflow_id"]
    rtt = ack.groupby(key)["rtt_us"]
    measured = pd.DataFrame(
        {
            "rtt_samples": rtt.count(),
            "min_rtt_us": rtt.min(),
            "mean_queueing_us": rtt.mean() - rtt.min(),
            "sd_rtt_us": rtt.std(ddof=0),
            "acked_bytes": ack.groupby(key)["acked_bytes"].max(),
        }
    )
    congested = state["ca_state"] >= _AT_LEAST_RECOVERY
    before = congested.astype(int).groupby([state[name] for name in key]).shift(fill_value=0).astype(bool)
    begun = state[congested & ~before].groupby(key).size()
    measured["episodes"] = begun.reindex(measured.index, fill_value=0)
    measured = measured.reset_index()
    rank = measured.groupby("connection_id")["subflow_id"].rank(method="first").astype(int) - 1
    index = [_input_of(measured["connection_id"]).rename("input"), rank.rename("rank")]
    return measured.set_index(index)[list(SIGNALS)]


def compared_signals(recorded: pd.DataFrame, simulated: pd.DataFrame) -> list[dict[str, Any]]:
    """Return for each signal how recordings and twins differ over their subflows.

    Parameters
    ----------
    recorded, simulated : DataFrame
        As :func:`signals` returns them.

    Returns
    -------
    list of dict
        ``recorded`` and ``simulated``: medians over subflows; ``ratio_median``, ``ratio_low`` and ``ratio_high``: of a
        recording's value over its twin's, the median and the 5th and 95th percentiles, where the twin's is not 0;
        ``correlation``: of both over subflows (Spearman).
    """
    both = recorded.merge(simulated, left_index=True, right_index=True, suffixes=(_RECORDED, _SIMULATED))
    rows = []
    for name in SIGNALS:
        of_recordings, of_twins = both[f"{name}{_RECORDED}"].astype(float), both[f"{name}{_SIMULATED}"].astype(float)
        ratio = (of_recordings / of_twins.where(of_twins > 0)).dropna()
        low, median, high = np.quantile(ratio, (0.05, 0.5, 0.95)) if len(ratio) else (np.nan,) * 3
        rows.append(
            {
                "signal": name,
                "subflows": len(both),
                "recorded": of_recordings.median(),
                "simulated": of_twins.median(),
                "ratio_median": median,
                "ratio_low": low,
                "ratio_high": high,
                "correlation": of_recordings.rank().corr(of_twins.rank()),
            }
        )
    return rows
