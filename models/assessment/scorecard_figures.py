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

#: Classes of pairs, each a column: the accuracy is given for each class too.
STRATA = ("loss", "queue", "controller")
_NS_PER_S = 1e9
_NOBODY = OnPair((), ())


def rows_of(connection: LabelledConnection, opinions: Mapping[str, Mapping[Pair, OnPair]]) -> Iterator[dict[str, Any]]:
    """Yield one row for each labelled pair of a connection and each detector.

    Parameters
    ----------
    connection : LabelledConnection
    opinions : mapping of str to mapping of Pair to OnPair
        By detector, its verdicts on each pair.

    Yields
    ------
    dict
        ``detector``, what names the pair, its label ``shared``, the last verdict ``said``, ``right_s``, seconds until
        the first right verdict, nan for never, and the pair's classes.
    """
    end_ns = connection.span_ns()[1]
    for pair in connection.pairs:
        key = (pair.subflow_a, pair.subflow_b)
        for detector, on_pairs in opinions.items():
            on = on_pairs.get(key, _NOBODY)
            right_ns = on.right_after_ns(pair.shared, pair.from_ns, end_ns)
            yield {
                "detector": detector,
                "dataset": connection.dataset,
                "connection_id": connection.name,
                "subflow_a": pair.subflow_a,
                "subflow_b": pair.subflow_b,
                "made": connection.made,
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


def _accuracy(pairs: pd.DataFrame, *, resamples: int, seed: int) -> dict[str, Any]:
    if pairs.empty:
        return {"pairs": 0, "right": None, "right_low": None, "right_high": None, "decided": None, "coverage": None}
    rows = judged(pairs)
    decided = rows[rows[SAID].notna()]
    accuracy = accuracy_of(rows, resamples=resamples, seed=seed)
    return {
        "pairs": len(rows),
        "right": _number(accuracy.overall),
        "right_low": _number(accuracy.overall_low),
        "right_high": _number(accuracy.overall_high),
        "decided": _share(int(decided["right"].sum()), len(decided)),
        "coverage": len(decided) / len(rows),
    }


def _false(pairs: pd.DataFrame) -> dict[str, Any]:
    """Return how many pairs are called shared; none of them is."""
    called_shared = int((pairs[SAID] == True).sum())  # noqa: E712 - of True, False and None
    return {"shared": called_shared, "of": len(pairs), "decided": int(pairs[SAID].notna().sum())}


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
        shared, on swapped partners and on ramps, how many are called shared, of how many, and how many are decided;
        ``by``: the accuracy by loss, queue and controller.
    """
    by_detector = []
    for detector, every in rows.astype({SAID: object}).groupby("detector", sort=False):
        recorded = every[every["made"] == ""]
        accuracy = _accuracy(recorded, resamples=resamples, seed=seed)
        undecided = int(recorded[SAID].isna().sum())
        right = int(judged(recorded)["right"].sum()) if len(recorded) else 0
        by_detector.append(
            {
                "detector": detector,
                **accuracy,
                "wrong": len(recorded) - undecided - right,
                "none": undecided,
                "delay_s": _number(recorded["right_s"].median()) if len(recorded) else None,
                "ever_right": int(recorded["right_s"].notna().sum()),
                "false_sharing": {
                    "not shared": _false(recorded[~recorded["shared"].to_numpy(dtype=bool)]),
                    **{made: _false(every[every["made"] == made]) for made in (SWAPPED_PARTNERS, RAMPS)},
                },
                "by": {
                    name: {
                        str(value): _accuracy(part, resamples=resamples, seed=seed)
                        for value, part in recorded.groupby(name, sort=True)
                    }
                    for name in STRATA
                },
            }
        )
    return by_detector
