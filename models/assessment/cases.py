"""Accuracy of each case of a dataset of few settings, in the form of SmartSBD's Table 6: cases have the same weight.

A case is the setting a connection was drawn from, ``scenario`` in the truth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.contracts.fault import Fault
from smartsbd.contracts.tables import PAIR_KEY
from smartsbd.models.assessment import trend
from smartsbd.models.assessment.accuracy import Share, mean_share


class CaseError(Fault):
    """A pair of subflows without a case, or of several."""


@dataclass(frozen=True)
class OverCases:
    """Accuracy over all cases.

    Attributes
    ----------
    cases : int
        Cases with a labelled window; others have no accuracy and take no part.
    mean : Share
        Mean of the cases' accuracies; its 95 % interval is a bootstrap's over cases, the unit resampled.
    lowest : float
        Accuracy of the worst case.
    lowest_case : str
        Its name; of equals the first.
    """

    cases: int
    mean: Share
    lowest: float
    lowest_case: str


def case_of(rows: pd.DataFrame, truth: pd.DataFrame) -> npt.NDArray[np.str_]:
    """Return the case of each row's pair of subflows.

    Parameters
    ----------
    rows : DataFrame
        With the columns :data:`~smartsbd.contracts.tables.PAIR_KEY`.
    truth : DataFrame of the ``truth`` table

    Returns
    -------
    (rows,) str

    Raises
    ------
    CaseError
        If a pair is not in the truth, or of several cases over time.
    """
    key = list(PAIR_KEY)
    known = truth[[*key, "scenario"]].drop_duplicates().set_index(key)["scenario"]
    if known.index.has_duplicates:
        raise CaseError(f"{known.index[known.index.duplicated()][0]} is of several cases: they have no accuracy apart")
    case = known.reindex(pd.MultiIndex.from_frame(rows[key]))
    if case.isna().any():
        raise CaseError(f"{case.index[case.isna()][0]} is not in the truth: its case is not known")
    return case.to_numpy(dtype=str)


def by_case(judged: pd.DataFrame, none: pd.DataFrame, cases: list[str]) -> pd.DataFrame:
    """Return the accuracy of each case.

    Parameters
    ----------
    judged : DataFrame
        One row for each window with a verdict: ``case``, ``connection_id``, ``shared``, ``shared_pred``, and ``ramp``
        (:func:`smartsbd.models.assessment.trend.ramps`).
    none : DataFrame
        One row for each labelled window without a verdict: ``case``, ``connection_id``. Each counts as wrong.
    cases : list of str
        All there are, in order.

    Returns
    -------
    DataFrame
        ``case``; ``connections`` with a labelled window; ``windows`` with a verdict, ``none`` without; ``right``;
        ``ramps`` and ``right_ramps``, those of the windows and of the right ones; ``accuracy``, nan without windows.
    """
    rows = []
    for case in cases:
        of_case, missing = judged[judged["case"] == case], none[none["case"] == case]
        right = of_case["shared_pred"] == of_case["shared"]
        total = len(of_case) + len(missing)
        rows.append(
            {
                "case": case,
                "connections": len({*of_case["connection_id"], *missing["connection_id"]}),
                "windows": len(of_case),
                "none": len(missing),
                "right": int(right.sum()),
                "ramps": int(of_case["ramp"].sum()),
                "right_ramps": int((right & of_case["ramp"]).sum()),
                "accuracy": int(right.sum()) / total if total else float("nan"),
            }
        )
    return pd.DataFrame(rows)


def over_cases(accuracies: pd.DataFrame, *, resamples: int, seed: int) -> OverCases:
    """Return the mean over the cases that have a labelled window.

    Parameters
    ----------
    accuracies : DataFrame
        Of :func:`by_case`.
    resamples, seed : int
        Of the bootstrap.

    Returns
    -------
    OverCases
        Accuracies in [0, 1].

    Raises
    ------
    CaseError
        If no case has one.
    """
    known = accuracies[accuracies["accuracy"].notna()]
    if known.empty:
        raise CaseError("no case has a labelled window")
    accuracy = known["accuracy"].to_numpy(dtype=np.float64)
    worst = int(np.argmin(accuracy))
    return OverCases(
        cases=len(known),
        mean=mean_share(accuracy, resamples=resamples, seed=seed),
        lowest=float(accuracy[worst]),
        lowest_case=str(known["case"].iloc[worst]),
    )


def described(
    windows: pd.DataFrame, rtt_us: npt.NDArray[np.float64], none: pd.DataFrame, truth: pd.DataFrame, cases: list[str]
) -> pd.DataFrame:
    """Return a description of each case, independent of any model.

    Parameters
    ----------
    windows : DataFrame
        Labelled windows: ``case``, ``connection_id``, ``window_ns``.
    rtt_us : (rows, points, 2) float64, microseconds
        Their RTTs.
    none : DataFrame
        Labelled windows that could not be made: ``case``.
    truth : DataFrame of the ``truth`` table
    cases : list of str
        All there are, in order.

    Returns
    -------
    DataFrame
        ``case``; ``shared``, the label of its topology, null if it has both; ``connections`` of the truth and how many
        of them are ``not_valid``, so that their windows have no label; ``utilisation``, the lowest of the valid ones'
        bottlenecks; ``drop_share``, the lowest share of their subflows' drops that is there; ``windows``, ``none``;
        medians over the windows: ``window_s``, ``correlation`` of the RTTs, and ``without_line``, that of what is left
        without each one's straight line; ``ramps``, the share of windows that are one.
    """
    a, b = rtt_us[:, :, 0], rtt_us[:, :, 1]
    facts = windows.assign(
        window_s=windows["window_ns"] / 1e9,
        correlation=trend.correlation(a, b),
        without_line=trend.correlation(trend.without_line(a), trend.without_line(b)),
        ramps=trend.ramps(rtt_us).astype(np.float64),
    )
    rows = []
    for case in cases:
        pairs, of_case = truth[truth["scenario"] == case], facts[facts["case"] == case]
        valid, labels = pairs[pairs["valid"]], pairs["shared"].unique()
        rows.append(
            {
                "case": case,
                "shared": bool(labels[0]) if len(labels) == 1 else None,
                "connections": pairs["connection_id"].nunique(),
                "not_valid": pairs.loc[~pairs["valid"], "connection_id"].nunique(),
                "utilisation": valid[["utilisation_a", "utilisation_b"]].min().min(),
                "drop_share": valid[["drop_share_a", "drop_share_b"]].min().min(),
                "windows": len(of_case),
                "none": int((none["case"] == case).sum()),
                **{name: of_case[name].median() for name in ("window_s", "correlation", "without_line")},
                "ramps": of_case["ramps"].mean(),
            }
        )
    return pd.DataFrame(rows)
