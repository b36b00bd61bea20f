"""A scorecard: how good each detector's verdicts on labelled pairs are, and of which pairs.

The last verdict on a pair counts, one without a verdict being wrong. The delay is from the moment that the label holds
and both subflows are there, to the first right verdict. False sharing is counted where nothing is shared: on pairs
labelled so, on swapped partners, and on ramps, swapped partners whose delays both rise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from smartsbd.detectors.partition import Pair
from smartsbd.detectors.scoring import OnPair
from smartsbd.models.assessment.comparison import accuracy_of
from smartsbd.models.labelled.labelled_connection import RAMPS, SWAPPED_PARTNERS, LabelledConnection
from smartsbd.models.last_verdict.final_verdict import SAID, judged

#: What pairs are told apart by, and the column of each.
STRATA = ("loss", "queue", "controller")
_NS_PER_S = 1e9
_NOBODY = OnPair((), ())


def rows_of(one: LabelledConnection, said: Mapping[str, Mapping[Pair, OnPair]]) -> Iterator[dict[str, Any]]:
    """Yield one row for each labelled pair of a connection and each detector.

    Parameters
    ----------
    one : LabelledConnection
    said : mapping of detector to what it says of each pair
    """
    end_ns = one.span_ns()[1]
    for pair in one.pairs:
        key = (pair.subflow_a, pair.subflow_b)
        for detector, on_pairs in said.items():
            on = on_pairs.get(key, _NOBODY)
            right_ns = on.right_after_ns(pair.shared, pair.from_ns, end_ns)
            yield {
                "detector": detector,
                "dataset": one.dataset,
                "connection_id": one.name,
                "subflow_a": pair.subflow_a,
                "subflow_b": pair.subflow_b,
                "made": one.made,
                "shared": pair.shared,
                SAID: on.at(end_ns),
                "right_s": np.nan if right_ns is None else right_ns / _NS_PER_S,
                "loss": pair.loss(),
                "queue": pair.queue(),
                "controller": pair.controller(),
            }


def _share(count: int, of: int) -> float | None:
    return count / of if of else None


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _accuracy(own: pd.DataFrame, *, resamples: int, seed: int) -> dict[str, Any]:
    if own.empty:
        return {"pairs": 0, "right": None, "right_low": None, "right_high": None, "decided": None, "coverage": None}
    rows = judged(own)
    decided = rows[rows[SAID].notna()]
    found = accuracy_of(rows, resamples=resamples, seed=seed)
    return {
        "pairs": len(rows),
        "right": _number(found.overall),
        "right_low": _number(found.overall_low),
        "right_high": _number(found.overall_high),
        "decided": _share(int(decided["right"].sum()), len(decided)),
        "coverage": len(decided) / len(rows),
    }


def _false(own: pd.DataFrame) -> dict[str, Any]:
    """Return how many pairs are said to share; none of them does."""
    said = int((own[SAID] == True).sum())  # noqa: E712 - of True, False and None
    return {"shared": said, "of": len(own), "decided": int(own[SAID].notna().sum())}


def figures(rows: pd.DataFrame, *, resamples: int, seed: int) -> list[dict[str, Any]]:
    """Return the figures of each detector, in the order they come.

    Parameters
    ----------
    rows : DataFrame
        Of :func:`rows_of`, of all connections.
    resamples, seed : int
        Of the intervals, as :func:`~smartsbd.models.assessment.accuracy.accuracy` takes them.

    Returns
    -------
    list of dict
        ``right``: share of all recorded pairs, with its 95 % interval by connection; ``decided``: share of the decided
        ones; ``coverage``: share that is decided; ``wrong``, ``none``: how many; ``delay_s``: median time to the first
        right verdict, over the ``ever_right`` pairs that have one; ``false_sharing``: on recorded pairs labelled not
        shared, on swapped partners and on ramps, how many are said to share, of how many, and how many are decided;
        ``by``: the accuracy by loss, queue and controller.
    """
    found = []
    for detector, every in rows.astype({SAID: object}).groupby("detector", sort=False):
        own = every[every["made"] == ""]
        accuracy = _accuracy(own, resamples=resamples, seed=seed)
        undecided = int(own[SAID].isna().sum())
        right = int(judged(own)["right"].sum()) if len(own) else 0
        found.append(
            {
                "detector": detector,
                **accuracy,
                "wrong": len(own) - undecided - right,
                "none": undecided,
                "delay_s": _number(own["right_s"].median()) if len(own) else None,
                "ever_right": int(own["right_s"].notna().sum()),
                "false_sharing": {
                    "not shared": _false(own[~own["shared"].to_numpy(dtype=bool)]),
                    **{made: _false(every[every["made"] == made]) for made in (SWAPPED_PARTNERS, RAMPS)},
                },
                "by": {
                    name: {
                        str(value): _accuracy(part, resamples=resamples, seed=seed)
                        for value, part in own.groupby(name, sort=True)
                    }
                    for name in STRATA
                },
            }
        )
    return found
