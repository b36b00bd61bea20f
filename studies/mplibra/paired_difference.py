"""What one controller has more than another on the same networks: mean differences with bootstrap intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from studies.transfers.repetitions import NOT_RUN, STATE, mean_interval

COLUMNS = (
    *("experiment", "setting", "metric", "controller", "other", "state", "networks"),
    *("mean", "other_mean", "difference", "low", "high"),
)
COMPARED, NOTHING_IN_COMMON = "compared", "no network in common"


def differences(
    runs: pd.DataFrame,
    pairs: Sequence[tuple[str, str]],
    metrics: Sequence[str],
    *,
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """Return the mean difference of two controllers over the networks that both were run on.

    Parameters
    ----------
    runs : DataFrame
        Columns ``experiment``, ``setting``, ``controller``, ``run``, ``state`` and the metrics.
    pairs : sequence of (str, str)
        The controller, and the one it is compared with.
    metrics : sequence of str
    resamples, seed : int
        Of the bootstrap over networks.

    Returns
    -------
    DataFrame
        Columns :data:`COLUMNS`. ``state`` is :data:`COMPARED`; or "not run" where one of both was to run and never was,
        or :data:`NOTHING_IN_COMMON`, and then numbers are nan. A metric that none of those that ran has in a setting is
        left out.
    """
    rows: list[dict[str, Any]] = []
    for (experiment, setting), own in runs.groupby(["experiment", "setting"], sort=False):
        by_controller = {str(name): of.set_index("run") for name, of in own.groupby("controller", sort=False)}
        of = {"experiment": experiment, "setting": setting}
        for controller, other in pairs:
            if controller in by_controller and other in by_controller:
                named = of | {"controller": controller, "other": other}
                both = by_controller[controller], by_controller[other]
                rows += (named | found for found in _of_pair(both, metrics, {"resamples": resamples, "seed": seed}))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _of_pair(
    both: tuple[pd.DataFrame, pd.DataFrame], metrics: Sequence[str], options: Mapping[str, int]
) -> Iterator[dict[str, Any]]:
    """Yield each metric's difference."""
    waits = [bool((side[STATE] == NOT_RUN).all()) for side in both]
    for metric in metrics:
        known = [side[metric].dropna() for side in both]
        if all(values.empty for values in known) and not all(waits):
            continue
        common = known[0].index.intersection(known[1].index)
        if common.empty:
            yield {"metric": metric, "state": NOT_RUN if any(waits) else NOTHING_IN_COMMON, "networks": 0}
            continue
        own, other = (values[common].to_numpy(dtype=np.float64) for values in known)
        mean, low, high = mean_interval(own - other, **options)
        yield {
            "metric": metric,
            "state": COMPARED,
            "networks": len(common),
            "mean": float(own.mean()),
            "other_mean": float(other.mean()),
            "difference": mean,
            "low": low,
            "high": high,
        }
