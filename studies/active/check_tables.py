"""The tables of the study: the check by set and by setting, those that watch beside it, costs, and what it gains."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pandas as pd
from scipy.stats import binomtest

from smartsbd.pipelines.closed_loop.comparison import mean_with_interval
from studies.active.networks import OWN_QUEUES, WHOLE, ActiveNetwork
from studies.active.outcomes import CHECKED, DITHERED, NO_CHECK, OUTCOMES, PLAIN, SWITCHED, WATCHING

ALL = "all"
#: Networks whose bottlenecks were used less do not count (validate.min_utilisation).
MIN_UTILISATION = 0.9
_NETWORK = ["set", "number", "shared"]
#: RTT ratios and losses from which on a network is called unequal and lossy.
_UNEQUAL, _LOSSY = 4, 0.003
#: What a queue can hold, in bandwidth-delay products: from, below.
_DEPTHS = ((0.0, 0.5), (0.5, 1.0), (1.0, 2.0), (2.0, math.inf))


def counted(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of networks that count."""
    return rows[rows["set"].isin(WHOLE) | (rows["used"] >= MIN_UTILISATION)]


def share(name: str, part: int, whole: int) -> dict[str, float]:
    """Return a share with Wilson's 95 % interval.

    Parameters
    ----------
    name : str
        Of the share; its interval's ends have ``_low`` and ``_high`` behind it.
    part, whole : int

    Returns
    -------
    dict of str to float
        nan of nothing.

    Examples
    --------
    >>> share("wrong", 0, 314)
    {'wrong': 0.0, 'wrong_low': 0.0, 'wrong_high': 0.0121}
    """
    if not whole:
        return {name: math.nan, f"{name}_low": math.nan, f"{name}_high": math.nan}
    ends = binomtest(part, whole).proportion_ci(method="wilson")
    return {
        name: round(part / whole, 4),
        f"{name}_low": round(float(ends.low), 4),
        f"{name}_high": round(float(ends.high), 4),
    }


def _by_set(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows of each set, and those of all sets of which it is known what is right."""
    for name, group in rows.groupby("set", sort=False):
        yield str(name), group
    yield ALL, rows[~rows["set"].isin(OWN_QUEUES)]


def _judged(rows: pd.DataFrame, column: str) -> dict[str, Any]:
    """Return how right some verdicts are."""
    verdicts = rows[column].astype("boolean")
    decided = rows[verdicts.notna()]
    right = int((decided[column].astype(bool) == decided["shared"]).sum())
    separate, shared = rows[~rows["shared"]], rows[rows["shared"]]
    false_shared = int((separate[column].astype("boolean") == True).sum())  # noqa: E712 - of three values
    false_apart = int((shared[column].astype("boolean") == False).sum())  # noqa: E712 - of three values
    return {
        "pairs": len(rows),
        "decided_pairs": len(decided),
        **share("right_of_all", right, len(rows)),
        **share("right_of_decided", right, len(decided)),
        "separate": len(separate),
        "false_shared_pairs": false_shared,
        **share("false_shared", false_shared, len(separate)),
        "shared": len(shared),
        "false_apart_pairs": false_apart,
        **share("false_apart", false_apart, len(shared)),
    }


def check(rows: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield how right the check is, by set.

    Parameters
    ----------
    rows : DataFrame
        A row for each pair, of networks that count.

    Yields
    ------
    dict
        Of last verdicts; ``ever_shared_pairs``: separate pairs of which it said "shared" at any time; ``m``, ``s``: the
        median time to the first verdict.
    """
    for name, group in _by_set(rows):
        separate = group[~group["shared"]]
        ever = int(separate["active_ever_shared"].sum())
        yield {
            "set": name,
            **_judged(group, "active"),
            "ever_shared_pairs": ever,
            **share("ever_shared", ever, len(separate)),
            "m": group["active_m"].median(),
            "s": group["active_s"].median(),
        }


def vetoed(rows: pd.DataFrame) -> pd.Series[Any]:
    """Return the common lag's verdicts, except where it says "shared" and the comparison test "apart"."""
    passive = rows[f"{PLAIN} common-lag"].astype("boolean")
    against = rows[f"{PLAIN} rubenstein-r"].astype("boolean")
    return passive.mask((passive & ~against).fillna(value=False))


def tests(rows: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield how right every test is, by set: those that watch, the check, both together, and the free veto.

    Parameters
    ----------
    rows : DataFrame
        A row for each pair, of networks that count.

    Yields
    ------
    dict
    """
    rows = rows.assign(veto=vetoed(rows))
    columns = {"active check": "active", "fusion": "fused", "free veto": "veto"}
    columns |= {f"{test}, {run}": f"{run} {test}" for run, of_run in WATCHING.items() for test in of_run}
    for name, group in _by_set(rows):
        for test, column in columns.items():
            yield {"set": name, "test": test, **_judged(group, column)}


def settings(rows: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield how often the check decides, and how right it is, by what the networks of `net` are like."""
    of_net = rows[rows["set"] == "net"]
    groups: Mapping[str, Callable[[pd.DataFrame], pd.Series[Any]]] = {
        "rivals at a bottleneck": lambda own: own["rivals"].round().astype(int).astype(str),
        "application": lambda own: own["application"],
        "RTT ratio": lambda own: own["rtt_ratio"].map(lambda ratio: "4 and more" if ratio >= _UNEQUAL else "below 4"),
        "random loss": lambda own: own["loss"].map(lambda loss: "0.3 % and more" if loss >= _LOSSY else "below 0.3 %"),
        "queue": lambda own: own["queue_products"].map(depth),
        "access": lambda own: own["access"],
    }
    for setting, value in groups.items():
        for of_value, group in of_net.groupby(value(of_net)):
            yield {
                "setting": setting,
                "value": str(of_value),
                **_judged(group, "active"),
                "m": group["active_m"].median(),
            }


def depth(products: float) -> str:
    """Return the class of a queue by its depth.

    Examples
    --------
    >>> depth(0.3), depth(2.0)
    ('below 0.5', '2 and more')
    """
    low, high = next(ends for ends in _DEPTHS if ends[0] <= products < ends[1])
    return f"{low:g} and more" if math.isinf(high) else f"{low:g} to {high:g}" if low else f"below {high:g}"


def checks(rows: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield what became of checks that the common lag's "shared" began, by set and label."""
    for name, by_set in _by_set(rows):
        for shared, group in by_set.groupby("shared"):
            begun = group[group["check"] != NO_CHECK]
            counts = begun["check"].value_counts()
            row: dict[str, Any] = {"set": name, "shared": shared, "pairs": len(group), "begun": len(begun)}
            row |= {outcome: int(counts.get(outcome, 0)) for outcome in OUTCOMES}
            row |= share("vetoed_of_begun", row["vetoed"], len(begun))
            yield row | {"median_s": begun["checked_s"].median(), "m_ms": begun["m_ms"].median()}


def _paired(runs: pd.DataFrame, control: str, beside: str, column: str) -> pd.DataFrame:
    """Return the rows of a control with the quotient of its column and that of another on the same network."""
    other = runs[runs["control"] == beside][[*_NETWORK, column]].rename(columns={column: "_beside"})
    both = runs[runs["control"] == control].merge(other, on=_NETWORK, validate="one_to_one")
    return both.assign(quotient=both[column] / both["_beside"], difference=both[column] - both["_beside"])


def costs(runs: pd.DataFrame, **resampling: int) -> Iterator[dict[str, Any]]:
    """Yield what it costs to move windows all the time, of bulk senders, by set and by depth of the queue.

    Parameters
    ----------
    runs : DataFrame
        A row for each run, of networks that count.
    **resampling
        ``resamples`` and ``seed`` of the intervals.

    Yields
    ------
    dict
        Quotients over LIA on the same network: ``goodput``, ``rivals``, ``srtt``; and ``drops``, the difference of the
        shares of packets that were dropped.
    """
    bulk = runs[(runs["application"] == "bulk") & (runs["set"] != "moving")]
    parts = [*_by_set(bulk)]
    parts += [(f"queue {name}", group) for name, group in bulk.groupby(bulk["queue_products"].map(depth))]
    columns = {"goodput": "goodput_mbit_s", "rivals": "rivals_mbit_s", "srtt": "srtt_ms"}
    for name, group in parts:
        row: dict[str, Any] = {"of": name, "networks": int((group["control"] == PLAIN).sum())}
        for what, column in columns.items():
            row |= mean_with_interval(what, _paired(group, DITHERED, PLAIN, column)["quotient"], **resampling)
        drops = _paired(group, DITHERED, PLAIN, "drops_share")["difference"]
        yield row | mean_with_interval("drops", drops, **resampling)


def loop(runs: pd.DataFrame, **resampling: int) -> Iterator[dict[str, Any]]:
    """Yield what a switch gains with the check and without it, by set and label.

    Parameters
    ----------
    runs : DataFrame
        A row for each run, of networks that count.
    **resampling
        ``resamples`` and ``seed`` of the intervals.

    Yields
    ------
    dict
        ``over_lia`` and ``rivals_over_lia`` of each control, ``checked`` also ``over_switch``.
    """
    labelled = runs[runs["shared"].notna() & (runs["set"] != "moving")]
    for name, by_set in _by_set(labelled):
        for shared, group in by_set.groupby("shared"):
            for control in ("reno", SWITCHED, CHECKED):
                row: dict[str, Any] = {"set": name, "shared": shared, "control": control}
                over = _paired(group, control, PLAIN, "goodput_mbit_s")
                row |= {"networks": len(over)} | mean_with_interval("over_lia", over["quotient"], **resampling)
                rivals = _paired(group, control, PLAIN, "rivals_mbit_s")["quotient"]
                row |= mean_with_interval("rivals_over_lia", rivals, **resampling)
                row["apart_share"] = over["apart_share"].mean()
                if control == CHECKED:
                    beside = _paired(group, CHECKED, SWITCHED, "goodput_mbit_s")["quotient"]
                    row |= mean_with_interval("over_switch", beside, **resampling)
                yield row


def moves(rows: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield how long groups took to follow a move, by control and by what the subflows did."""
    for (control, shared), group in rows.groupby(["control", "shared"], sort=False):
        row = {"control": control, "to": "shared" if shared else "apart", "moves": len(group)}
        row |= {"followed": int((group["delay_s"] < math.inf).sum()), "median_s": group["delay_s"].median()}
        yield row | {"most_s": group["delay_s"].max(), "right_at_end": int(group["right_at_end"].sum())}


def forgeries(rows: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield what the check says of logs that a stranger has changed, beside what it says of them as they were."""
    changed = rows[rows["forged"].notna()] if "forged" in rows else rows[:0]
    for shared, group in changed.groupby("shared"):
        row: dict[str, Any] = {"pairs": "shared" if shared else "separate", "of": len(group)}
        for column in ("replayed", "forged"):
            counts = group[column].value_counts()
            row |= {f"{column}_{verdict}": int(counts.get(verdict, 0)) for verdict in ("shared", "apart", "unknown")}
        yield row


def left_out(networks: Iterable[ActiveNetwork], runs: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield how many networks of each set were drawn, how many ran, and how many count.

    Parameters
    ----------
    networks : iterable of ActiveNetwork
        All that were drawn.
    runs : DataFrame
        A row for each run.

    Yields
    ------
    dict
    """
    drawn = Counter(network.set for network in networks)
    plain = runs[runs["control"] == PLAIN]
    ran, kept = Counter(plain["set"]), Counter(counted(plain)["set"])
    for name, count in drawn.items():
        yield {"set": name, "drawn": count, "ran": ran[name], "counted": kept[name]}
