"""How senders switch between coupled and apart: what verdicts predict of it, and how fast it follows a change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from smartsbd.pipelines.closed_loop.comparison import ALL
from smartsbd.pipelines.closed_loop.run_outcome import APART, COUPLED

#: Columns of what :func:`two_state_chain` and :func:`delays` yield.
CHAIN = ("experiment", "variant", "judge", "shared", "right_coupled", "right_apart", "chain_share", "apart_share")
DELAYS = ("variant", "place", "control", "shared", "changes", "held", "never", "delay_s", "delay_windows")


def two_state_chain(judged: pd.DataFrame, runs: pd.DataFrame, coupled: str, apart: str) -> Iterator[dict[str, Any]]:
    """Yield the share of time apart that follows from verdicts on unswitched runs, and that of the judge's own runs.

    Only experiments in which the label is always the same are compared.

    Parameters
    ----------
    judged : DataFrame
        One row for each verdict: ``experiment``, ``variant``, ``judge``, ``control``, ``shared`` and ``said``.
    runs : DataFrame
        One row for each run: ``experiment``, ``variant``, ``control`` and ``apart_share``.
    coupled, apart : str
        Controls whose runs are never switched, which every judge has judged.

    Yields
    ------
    dict
        :data:`CHAIN`: ``right_coupled`` and ``right_apart`` are the shares right of the verdicts on the runs of
        `coupled` and `apart`, ``chain_share`` is what follows, and ``apart_share`` the mean over the judge's runs.

    References
    ----------
    A chain of two states: from coupled to apart with the chance that a verdict on a coupled run says so, and back
    with the chance that one on an uncoupled run does. Verdicts are taken as independent. With accuracies a and b and
    a shared bottleneck that is (1 - a) / (1 - a + b), the share in the long run.

    Examples
    --------
    >>> said = [("lia", True), ("lia", True), ("lia", True), ("lia", False), ("reno", True), ("reno", False)]
    >>> one = {"experiment": "e", "variant": "v"}
    >>> judged = pd.DataFrame([one | {"judge": "tree", "control": c, "shared": True, "said": s} for c, s in said])
    >>> runs = pd.DataFrame([one | {"control": "tree", "apart_share": 0.25}])
    >>> (found,) = two_state_chain(judged, runs, "lia", "reno")
    >>> round(found["chain_share"], 3), found["apart_share"]
    (0.333, 0.25)
    """
    if judged.empty:
        return
    for (experiment, variant), network in judged.groupby(["experiment", "variant"], sort=False):
        labels = network["shared"].unique()
        if len(labels) != 1 or pd.isna(labels[0]):
            continue
        own = runs[(runs["experiment"] == experiment) & (runs["variant"] == variant)]
        for judge, verdicts in network[network["said"].notna()].groupby("judge", sort=False):
            measured = own.loc[own["control"] == judge, "apart_share"]
            to_apart, to_coupled = (
                float((verdicts.loc[verdicts["control"] == control, "said"] == (state == COUPLED)).mean())
                for control, state in ((coupled, APART), (apart, COUPLED))
            )
            if measured.empty or np.isnan(to_apart + to_coupled):
                continue
            shared = bool(labels[0])
            yield {
                "experiment": experiment,
                "variant": variant,
                "judge": judge,
                "shared": shared,
                "right_coupled": 1 - to_apart if shared else to_apart,
                "right_apart": to_coupled if shared else 1 - to_coupled,
                "chain_share": to_apart / (to_apart + to_coupled) if to_apart + to_coupled else np.nan,
                "apart_share": float(measured.mean()),
            }


def delays(switches: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield how long groups took to follow a change of the bottleneck.

    Parameters
    ----------
    switches : DataFrame
        One row for each change of each run: ``place``, ``control``, ``shared``, ``held``, ``delay_s`` and
        ``delay_windows``.

    Yields
    ------
    dict
        ``changes``, ``held``: groups that were right already; of the others the medians ``delay_s`` and
        ``delay_windows`` (in T), never being infinite, and ``never``.
    """
    if switches.empty:
        return
    pooled = switches.assign(place=ALL)
    for part in (switches, pooled):
        for (variant, place, control, shared), own in part.groupby(
            ["variant", "place", "control", "shared"], sort=False
        ):
            late = own[~own["held"]]
            yield {
                "variant": variant,
                "place": place,
                "control": control,
                "shared": shared,
                "changes": len(own),
                "held": int(own["held"].sum()),
                "never": int(np.isinf(late["delay_s"]).sum()),
                "delay_s": late["delay_s"].median(),
                "delay_windows": late["delay_windows"].median(),
            }
