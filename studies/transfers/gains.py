"""Goodput over that of another scheduler in the same networks, and how soon learners find what is best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from studies.transfers.repetitions import NotRunError, mean_interval
from studies.transfers.scheduling import UNTIL

GAINS = (
    *("experiment", "group", "controller", "networks", "goodput_mbit_s", "mean", "low", "high"),
    *("below_1", "below_075", "least", "most"),
)
RELEARNING = ("experiment", "setting", "best_share", "controller", "runs", "found", "median_s", "least_s", "most_s")
_LOW_GAIN = 0.75


def gains(runs: pd.DataFrame, base: str, *, resamples: int, seed: int) -> pd.DataFrame:
    """Return what goodput is of a scheduler's in the same network, over the networks of each group.

    Parameters
    ----------
    runs : DataFrame
        Columns ``experiment``, ``group``, ``setting``, ``run``, ``controller`` and ``goodput_mbit_s``.
    base : str
        The controller that others are compared with; a network in which its goodput is 0 or unknown is left out.
    resamples, seed : int
        Of the bootstrap over networks.

    Returns
    -------
    DataFrame
        Columns :data:`GAINS`: the mean goodput; the mean gain with its 95 % interval; the shares of networks in which
        it is below 1 and below 0.75; the least and the largest.
    """
    rows: list[dict[str, Any]] = []
    for (experiment, group), own in runs.groupby(["experiment", "group"], sort=False):
        table = own.pivot_table(index=["setting", "run"], columns="controller", values="goodput_mbit_s", sort=False)
        if base not in table.columns:
            continue
        table = table[table[base] > 0]
        for controller in table.columns:
            known = table[controller].notna()
            gain = (table.loc[known, controller] / table.loc[known, base]).to_numpy(dtype=np.float64)
            if not len(gain):
                continue
            mean, low, high = mean_interval(gain, resamples=resamples, seed=seed)
            values = (experiment, group, controller, len(gain), float(table.loc[known, controller].mean()))
            spread = (float((gain < 1).mean()), float((gain < _LOW_GAIN).mean()), float(gain.min()), float(gain.max()))
            rows.append(dict(zip(GAINS, (*values, mean, low, high, *spread), strict=True)))
    return pd.DataFrame(rows, columns=list(GAINS))


def relearning(runs: pd.DataFrame, changes: str, after: str, longest_s: float) -> pd.DataFrame:
    """Return how long learners take to find the best share of copies once a network has changed.

    Parameters
    ----------
    runs : DataFrame
        Columns ``experiment``, ``setting``, ``controller``, ``run``, ``goodput_mbit_s`` and those of ``UNTIL``.
    changes, after : str
        Experiments: that in which the network changes, and that of each share in the network after the change.
    longest_s : float
        Time from the change to the end: what a run counts with that has not found it.

    Returns
    -------
    DataFrame
        Columns :data:`RELEARNING`: ``best_share`` is that with the highest mean goodput after the change; ``found`` is
        how many runs found it before they ended.
    """
    rows: list[dict[str, Any]] = []
    own = runs[runs["experiment"] == changes]
    for setting, of_setting in own.groupby("setting", sort=False):
        fixed = runs[(runs["experiment"] == after) & (runs["setting"] == setting)]
        if fixed.empty:
            continue
        best = str(fixed.groupby("controller", sort=False)["goodput_mbit_s"].mean().idxmax())
        share = float(best.removeprefix("copies "))
        (metric,) = (name for name, value in UNTIL.items() if value == share)
        for controller, of_one in of_setting.groupby("controller", sort=False):
            times = of_one[metric].fillna(longest_s)
            values = (changes, setting, share, controller, len(times), int(of_one[metric].notna().sum()))
            spread = (float(times.median()), float(times.min()), float(times.max()))
            rows.append(dict(zip(RELEARNING, (*values, *spread), strict=True)))
    return pd.DataFrame(rows, columns=list(RELEARNING))


class SchedulerResults:
    """Looks up what schedulers came to.

    Parameters
    ----------
    gained : DataFrame
        As :func:`gains` returns it.
    relearnt : DataFrame
        As :func:`relearning` returns it.
    """

    def __init__(self, gained: pd.DataFrame, relearnt: pd.DataFrame) -> None:
        self._gained = {(row["experiment"], row["group"], row["controller"]): row for row in gained.to_dict("records")}
        self._relearnt = relearnt

    def groups(self, experiment: str) -> list[str]:
        """Return the groups of networks of an experiment.

        Parameters
        ----------
        experiment : str

        Raises
        ------
        NotRunError
            If there are none.
        """
        found = list(dict.fromkeys(group for own, group, _ in self._gained if own == experiment))
        if not found:
            raise NotRunError(f"{experiment}: no run")
        return found

    def value(self, experiment: str, group: str, controller: str, column: str) -> float:
        """Return a value of the gains.

        Parameters
        ----------
        experiment, group, controller, column : str

        Raises
        ------
        NotRunError
            If there is none.
        """
        try:
            return float(self._gained[experiment, group, controller][column])
        except KeyError:
            raise NotRunError(f"{experiment}: {group}, {controller}: no gain") from None

    def text(self, experiment: str, group: str, controllers: Sequence[str]) -> str:
        """Return mean gains with their intervals, for people.

        Parameters
        ----------
        experiment, group : str
        controllers : sequence of str

        Raises
        ------
        NotRunError
            If there is none of one of them.
        """

        def told(controller: str) -> str:
            mean, low, high = (self.value(experiment, group, controller, name) for name in ("mean", "low", "high"))
            return f"{controller} {mean:.2f} ({low:.2f} to {high:.2f})"

        return "; ".join(told(controller) for controller in controllers)

    def found_s(self, setting: str, controller: str) -> float:
        """Return the median time after which a learner has found the best share.

        Parameters
        ----------
        setting, controller : str

        Raises
        ------
        NotRunError
            If there is none.
        """
        own = self._relearnt
        rows = own[(own["setting"] == setting) & (own["controller"] == controller)]
        if rows.empty:
            raise NotRunError(f"{setting}, {controller}: no time")
        return float(rows["median_s"].iloc[0])

    def changed_settings(self) -> list[str]:
        """Return the settings in which a network changes.

        Raises
        ------
        NotRunError
            If there are none.
        """
        found = list(dict.fromkeys(self._relearnt["setting"]))
        if not found:
            raise NotRunError("changes: no run")
        return found
