"""Controls compared network by network, beside closed forms; accuracy by the control in force; harm to a rival."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from models.assessment.accuracy import mean_share
from models.closed_loop.run_outcome import APART, BOTH, COUPLED

#: Columns that identify a network.
NETWORK = ("experiment", "variant", "place", "number")
#: Columns of what :func:`harm`, :func:`two_state_chain` and :func:`delays` yield.
HARM = (
    *("place", "control", "runs", "goodput_mbit_s", "rival_mbit_s", "jain"),
    *("rival_share", "rival_share_low", "rival_share_high"),
)
CHAIN = ("experiment", "variant", "judge", "shared", "right_coupled", "right_apart", "chain_share", "apart_share")
DELAYS = ("variant", "place", "control", "shared", "changes", "held", "never", "delay_s", "delay_windows")
#: All places together.
ALL = "all"


def _mean(name: str, values: pd.Series[float], resamples: int, seed: int) -> dict[str, float]:
    """Return a mean with its interval; one value alone has no interval, and none has no mean."""
    known = np.asarray(values.dropna(), dtype=np.float64)
    found = mean_share(known, resamples=resamples, seed=seed) if len(known) else None
    value, ends = (np.nan, (np.nan, np.nan)) if found is None else (found.value, (found.low, found.high))
    low, high = ends if len(known) > 1 else (np.nan, np.nan)
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def beside(runs: pd.DataFrame, name: str, control_of: Callable[[str], str], column: str) -> pd.DataFrame:
    """Return runs with what another control came to on the same network; runs without such are left out.

    Parameters
    ----------
    runs : DataFrame
        One row for each run: :data:`NETWORK`, ``control`` and what it came to.
    name : str
        Of the column to add.
    control_of : callable
        Returns the other control.
    column : str
        What is taken of the other run.
    """
    other = runs[[*NETWORK, "control", column]].rename(columns={"control": "_other", column: name})
    keyed = runs.assign(_other=runs["control"].map(control_of))
    return keyed.merge(other, on=[*NETWORK, "_other"], validate="many_to_one").drop(columns="_other")


def compared(runs: pd.DataFrame, twin: Callable[[str], str], *, resamples: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield for each experiment, variant, place and control how its goodput compares with its coupled twin's.

    Parameters
    ----------
    runs : DataFrame
        One row for each run.
    twin : callable
        Returns the control that is what one is while all is coupled.
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
        whole = _left(whole, control, "goodput_mbit_s")
        whole[f"over_{control}"] = whole["goodput_mbit_s"] / whole[control]
    whole["over_twin"] = whole["goodput_mbit_s"] / whole["twin"]
    whole["off"] = whole["over_twin"] - 1 - whole["apart_share"] * (whole["reno"] / whole["twin"] - 1)
    for name, own in _places(whole):
        row: dict[str, Any] = dict(zip(("experiment", "variant", "place", "control"), name, strict=True))
        row |= {"runs": len(own)} | {one: own[one].mean() for one in means}
        row |= _mean("over_twin", own["over_twin"], resamples, seed)
        row["over_twin_most"] = own["over_twin"].max()
        for key, column in (("over_lia", "over_lia"), ("over_reno", "over_reno"), ("off_closed_form", "off")):
            row |= _mean(key, own[column], resamples, seed)
        yield row


def _left(runs: pd.DataFrame, control: str, column: str) -> pd.DataFrame:
    """Return runs with what a control came to on the same network; nan where it was not run."""
    other = runs.loc[runs["control"] == control, [*NETWORK, column]].rename(columns={column: control})
    return runs.merge(other, on=list(NETWORK), how="left", validate="many_to_one")


def _places(runs: pd.DataFrame) -> Iterator[tuple[tuple[str, ...], pd.DataFrame]]:
    """Yield the runs of each control by place, and of all places together."""
    keys = ["experiment", "variant", "place", "control"]
    pooled = runs.assign(place=ALL)
    for part in (runs, pooled):
        for name, own in part.groupby(keys, sort=False):
            yield tuple(str(one) for one in name), own


def accuracy_by_force(judged: pd.DataFrame) -> pd.DataFrame:
    """Return how often a source is right, by the label and by what was in force while it watched.

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
    for name, own in known.groupby(keys, sort=True):
        decided = own[~own["open"]]
        row = dict(zip(keys, name, strict=True))
        rows.append(row | {"verdicts": len(own), "open": int(own["open"].sum()), "right": decided["hit"].mean()})
    return pd.DataFrame(rows, columns=columns)


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


def harm(runs: pd.DataFrame, alone: str, *, resamples: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield what a rival has beside each control, over what it has beside a connection of one path.

    Parameters
    ----------
    runs : DataFrame
        Runs with a rival at a shared bottleneck.
    alone : str
        The control of one path.
    resamples, seed : int

    Yields
    ------
    dict
        ``place``, ``control``, ``runs``, ``goodput_mbit_s``, ``rival_mbit_s``, ``jain``, and ``rival_share`` with its
        interval.

    References
    ----------
    RFC 9743, section 5, asks what a new controller does to flows of the standard ones.
    """
    whole = _left(runs, alone, "rival_mbit_s")
    whole["rival_share"] = whole["rival_mbit_s"] / whole[alone]
    for (_, _, place, control), own in _places(whole):
        row: dict[str, Any] = {"place": place, "control": control, "runs": len(own)}
        row |= {one: own[one].mean() for one in ("goodput_mbit_s", "rival_mbit_s", "jain")}
        yield row | _mean("rival_share", own["rival_share"], resamples, seed)


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
