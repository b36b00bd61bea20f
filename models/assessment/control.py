"""Controls: shuffled labels, single features, and swapped partners that share no bottleneck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.models.assessment.accuracy import Hits, Share, share, share_difference
from smartsbd.models.families import Family
from smartsbd.models.families.fitted import Setting
from smartsbd.models.labelled.partners import members
from smartsbd.models.labelled.trial import Trial
from smartsbd.models.labelled.window_set import WindowSet
from smartsbd.models.labelled.window_verdicts import Verdicts
from smartsbd.models.labelled.windows import SWAPPED, LabelledWindows
from smartsbd.models.search.fitting import Method, fit, learnt_from, predict
from smartsbd.models.search.generalisation import judged


def with_shuffled_labels(windows: LabelledWindows, seed: int) -> LabelledWindows:
    """Exchange the labels between connections of a site; the windows of a connection keep one label.

    A connection with both labels takes part with its first one. Swapped partners keep their label.

    Returns
    -------
    LabelledWindows
        The same windows in the same order.
    """
    rng = np.random.default_rng(seed)
    real = np.flatnonzero(windows.kind != SWAPPED)
    names, first, member = np.unique(windows.connections[real], return_index=True, return_inverse=True)
    site, shared = windows.site[real][first], windows.shared[real][first]
    dealt = np.empty(len(names), dtype=np.bool_)
    for place in np.unique(site):
        here = np.flatnonzero(site == place)
        dealt[here] = rng.permutation(shared[here])
    labels = windows.shared.copy()
    labels[real] = dealt[member]
    return replace(windows, shared=labels)


def judged_on_shuffled_labels(
    windows: LabelledWindows, grids: Mapping[str, Sequence[Setting]], trial: Trial, method: Method, seed: int
) -> tuple[LabelledWindows, dict[str, dict[str, Verdicts]]]:
    """Choose, fit and test a model of each family as a trial does, on shuffled labels.

    Parameters
    ----------
    windows : LabelledWindows
    grids : mapping of str to sequence of Setting
        Settings to choose from, by family.
    trial : Trial
    method : Method
    seed : int
        Of the exchange of the labels.

    Returns
    -------
    shuffled : LabelledWindows
        The windows with those labels.
    verdicts : dict of str to dict of str to Verdicts
        By family, then by the name of the test set.
    """
    shuffled = with_shuffled_labels(windows, seed)
    return shuffled, judged(shuffled, trial, grids, method)


def judged_alone(
    windows: LabelledWindows, feature_name: str, family: Family, setting: Setting, trial: Trial, method: Method
) -> dict[str, Verdicts]:
    """Fit a setting on one feature of a trial's training windows; return the verdicts on its tests.

    Parameters
    ----------
    windows : LabelledWindows
    feature_name : str
        The one feature.
    family : Family
    setting : Setting
        Its hyperparameters are taken.
    trial : Trial
    method : Method

    Returns
    -------
    dict of str to Verdicts
        By the name of the test set.
    """
    only = np.array([windows.feature_names.index(feature_name)])
    fitted = fit(windows, family, setting, only, learnt_from(windows, trial.train, method), method)
    return {name: predict(windows, fitted, rows) for name, rows in trial.tests.items()}


def _hits(predictions: pd.DataFrame, connections: npt.NDArray[np.str_], weight: npt.NDArray[np.float64]) -> Hits:
    return Hits(predictions["shared_pred"].to_numpy(dtype=bool), connections, weight)


def _named(name: str, estimate: Share) -> dict[str, float | int | str]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def called_shared(
    predictions: pd.DataFrame, dataset: str, rule: str, *, resamples: int, seed: int
) -> dict[str, float | int | str]:
    """Compare how often swapped partners and non-shared windows are called shared, with the same weight of sites.

    Parameters
    ----------
    predictions : DataFrame of the ``prediction`` table
        Of one model.
    dataset, rule : str
        Whose non-shared windows are compared.
    resamples, seed : int
        As :func:`~smartsbd.models.assessment.accuracy.accuracy_of_windows` takes them.

    Returns
    -------
    dict
        ``swapped``, ``non_shared`` and their difference ``excess``, each with ``_low`` and ``_high``; how many
        windows and pairs were swapped, and where.
    """
    partners = predictions[predictions["test_set"] == str(WindowSet.of(dataset, SWAPPED))]
    apart = predictions[(predictions["test_set"] == str(WindowSet.of(dataset, rule))) & ~predictions["shared"]]
    wanted, there = (part["site"].fillna("").value_counts() for part in (partners, apart))
    weight = np.asarray(apart["site"].fillna("").map(wanted / there).fillna(0.0), dtype=np.float64)
    pairs = np.array([members(name) for name in partners["connection_id"]], dtype=str).reshape(-1, 2)
    swapped = _hits(partners, pairs, np.ones(len(partners)))
    non_shared = _hits(apart, apart[["connection_id"]].to_numpy(dtype=str), weight)
    return {
        "swapped_windows": len(partners),
        "swapped_pairs": partners["connection_id"].nunique(),
        "swapped_sites": "; ".join(f"{site or 'no site'} {count}" for site, count in sorted(wanted.items())),
        **_named("swapped", share(swapped, resamples=resamples, seed=seed)),
        **_named("non_shared", share(non_shared, resamples=resamples, seed=seed)),
        **_named("excess", share_difference(swapped, non_shared, resamples=resamples, seed=seed)),
    }
