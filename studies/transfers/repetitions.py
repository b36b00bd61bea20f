"""What repeated runs of one setting came to: means with bootstrap intervals over the runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import nan
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.contracts.fault import Fault

#: Columns that say what was run.
SETTING = ("experiment", "setting", "controller")
#: Column that says whether a run was made, and what it says.
STATE = "state"
RUN, NOT_RUN = "run", "not run"
_INTERVAL = (0.025, 0.975)


class NotRunError(Fault):
    """A setting that is asked for has not been run; the message names it."""


def mean_interval(values: npt.NDArray[np.float64], *, resamples: int, seed: int) -> tuple[float, float, float]:
    """Return a mean with its 95 % bootstrap interval.

    Parameters
    ----------
    values : (runs,) float64
        At least one, none of them nan.
    resamples, seed : int

    Examples
    --------
    >>> mean_interval(np.array([2.0, 2.0]), resamples=10, seed=0)
    (2.0, 2.0, 2.0)
    """
    drawn = np.random.default_rng(seed).integers(len(values), size=(resamples, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), _INTERVAL)
    return float(values.mean()), float(low), float(high)


def summary(runs: pd.DataFrame, metrics: Sequence[str], *, resamples: int, seed: int) -> pd.DataFrame:
    """Return the mean of each metric over the runs of each setting and controller.

    Parameters
    ----------
    runs : DataFrame
        Columns :data:`SETTING`, ``run`` and the metrics; nan where a metric does not apply or was not reached. A
        column :data:`STATE` may be among them.
    metrics : sequence of str
    resamples, seed : int
        As :func:`mean_interval` takes them.

    Returns
    -------
    DataFrame
        Columns :data:`SETTING`, ``metric``, ``runs``, ``known`` (of these, those that have a value), ``mean``, ``low``
        and ``high``; a metric that no run of the setting has is left out. What was not run at all has one row, whose
        metric is :data:`NOT_RUN`, of 0 runs and without numbers.
    """
    rows: list[dict[str, Any]] = []
    for key, own in runs.groupby(list(SETTING), sort=False):
        if STATE in own and (own[STATE] == NOT_RUN).all():
            of = dict(zip(SETTING, key, strict=True)) | {"metric": NOT_RUN, "runs": 0, "known": 0}
            rows.append(of | dict.fromkeys(("mean", "low", "high"), nan))
            continue
        for metric in metrics:
            known = own[metric].dropna().to_numpy(dtype=np.float64)
            if len(known):
                mean, low, high = mean_interval(known, resamples=resamples, seed=seed)
                of = dict(zip(SETTING, key, strict=True)) | {"metric": metric, "runs": len(own), "known": len(known)}
                rows.append(of | {"mean": mean, "low": low, "high": high})
    return pd.DataFrame(rows, columns=[*SETTING, "metric", "runs", "known", "mean", "low", "high"])


class Means:
    """Looks up means.

    Parameters
    ----------
    table : DataFrame
        As :func:`summary` returns it.
    """

    def __init__(self, table: pd.DataFrame) -> None:
        columns = [*SETTING, "metric"]
        self._rows = {tuple(row[name] for name in columns): row for row in table.to_dict("records")}

    def _row(self, experiment: str, setting: str, controller: str, metric: str) -> dict[Any, Any]:
        try:
            return self._rows[experiment, setting, controller, metric]
        except KeyError:
            raise NotRunError(f"{experiment}: {setting}, {controller}: no {metric}") from None

    def mean(self, experiment: str, setting: str, controller: str, metric: str) -> float:
        """Return a mean.

        Parameters
        ----------
        experiment, setting, controller, metric : str

        Raises
        ------
        NotRunError
            If there is none.
        """
        return float(self._row(experiment, setting, controller, metric)["mean"])

    def is_whole(self, experiment: str, setting: str, controller: str, metric: str) -> bool:
        """Tell whether each run has a value.

        Parameters
        ----------
        experiment, setting, controller, metric : str

        Raises
        ------
        NotRunError
            If none has.
        """
        row = self._row(experiment, setting, controller, metric)
        return bool(row["known"] == row["runs"])

    def text(self, experiment: str, setting: str, controller: str, metric: str) -> str:
        """Return a mean with its interval, for people.

        Parameters
        ----------
        experiment, setting, controller, metric : str

        Raises
        ------
        NotRunError
            If there is none.
        """
        row = self._row(experiment, setting, controller, metric)
        return f"{row['mean']:.3g} ({row['low']:.3g} to {row['high']:.3g})"

    def settings(self, experiment: str) -> Iterator[tuple[str, str]]:
        """Yield every setting and controller of an experiment.

        Parameters
        ----------
        experiment : str
        """
        yield from dict.fromkeys((key[1], key[2]) for key in self._rows if key[0] == experiment)
