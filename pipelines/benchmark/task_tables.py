"""The tables of a task at a size: moments to learn from, labels to judge, and moments at which these can be judged."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from smartsbd.detectors.bottleneck_moves import phases
from smartsbd.detectors.partition import Pair
from smartsbd.detectors.scoring import OnPair
from smartsbd.features.lag_excess.tile_feature import TILE_FEATURES
from smartsbd.models.families import family_of
from smartsbd.models.labelled.windows import LearnError
from smartsbd.models.last_verdict.final_verdict import FIRST_S, PAIR, SAID, judged
from smartsbd.models.last_verdict.learnt_verdict import Learning, Task, chosen
from smartsbd.models.last_verdict.moments import Moments, of_tiles

#: Inputs of the families that are learnt, and the memory of the tiles that they come from: the default detector's.
FEATURES = tuple(feature.name for feature in TILE_FEATURES)
MEMORY = "tiles_4"
#: Families that are learnt, each with a setting that was fixed before any task was run.
LEARNT: Mapping[str, Mapping[str, Any]] = {
    "logistic": {"c": 1, "solver": "lbfgs"},
    "tree": {"max_depth": 4},
    "forest": {"max_depth": 6},
}
_MOMENTS = 4
_NS_PER_S = 1_000_000_000
_LABEL_COLUMNS = ["label", "connection", "subflow_a", "subflow_b", "from_ns", "until_ns", "shared"]


@dataclass(frozen=True)
class TaskTables:
    """The tables of a task at a size.

    Attributes
    ----------
    train, test, labels : DataFrame
        Of the tables ``benchmark_train``, ``benchmark_test`` and ``benchmark_label``.
    """

    train: pd.DataFrame
    test: pd.DataFrame
    labels: pd.DataFrame

    def labels_sha256(self) -> str:
        """Return a digest of the labels, which are what is judged, as CSV."""
        return hashlib.sha256(self.labels[_LABEL_COLUMNS].to_csv(index=False).encode()).hexdigest()

    def learnt(self, family: str) -> dict[int, OnPair]:
        """Learn a family of :data:`LEARNT` from the training side; return its verdicts on each label over time.

        Returns
        -------
        dict of int to OnPair
            By the label's number; times are nanoseconds by the labels' clock.

        Raises
        ------
        LearnError
            If there are no rows to learn from, or of one label alone.
        """
        shared = self.train["shared"].to_numpy(dtype=np.bool_)
        if len(np.unique(shared)) < 2:  # noqa: PLR2004 - shared and not
            raise LearnError(f"{len(shared)} rows to learn from, which do not have both labels")
        rows = np.arange(len(shared), dtype=np.int64)
        x = self.train[list(FEATURES)].to_numpy(dtype=np.float64)
        moments = Moments(self.train, x, FEATURES, np.ones(len(rows), dtype=np.bool_), shared.astype(np.float64))
        grid = {name: [value] for name, value in LEARNT[family].items()}
        # One setting: no folds are drawn, so nothing has to stay together.
        learning = Learning(_MOMENTS, folds=0, simpler_within=0.0, seed=0)
        model = chosen(Task(moments, shared, rows), family_of(family), grid, rows, learning)
        verdicts = model.judge(self.test[list(FEATURES)].to_numpy(dtype=np.float64)).shared_pred
        by_label = self.test.assign(**{SAID: verdicts}).groupby("label")
        return {
            int(str(label)): OnPair(tuple(of_label["at_ns"].tolist()), tuple(of_label[SAID].tolist()))
            for label, of_label in by_label
        }

    def by_label(self, on_pairs: Mapping[str, Mapping[Pair, OnPair]]) -> dict[int, OnPair]:
        """Return the verdicts on each label over time.

        Parameters
        ----------
        on_pairs : mapping of a connection's name to the verdicts on its pairs, by the labels' clock
            A label whose connection or pair is not there has no verdict.

        Returns
        -------
        dict of int to OnPair
            By the label's number; times are nanoseconds by the labels' clock.
        """
        rows = self.labels[["label", "connection", "subflow_a", "subflow_b"]].itertuples(index=False, name=None)
        return {label: on_pairs[name][a, b] for label, name, a, b in rows if (a, b) in on_pairs.get(name, {})}

    def judged(self, on_labels: Mapping[int, OnPair]) -> pd.DataFrame:
        """Return the labels with the last verdict on each, whether it is right, and when the first came.

        Parameters
        ----------
        on_labels : mapping of a label's number to OnPair
            By the labels' clock; a label that is not there has no verdict.

        Returns
        -------
        DataFrame
            One row for each label.
        """
        rows = []
        for row in self.labels.to_dict("records"):
            on = on_labels.get(row["label"], OnPair((), ()))
            held = on.within(row["from_ns"], row["until_ns"] - 1)
            first_ns = next((at for at, verdict in held if verdict is not None), None)
            first_s = np.nan if first_ns is None else (first_ns - row["from_ns"]) / _NS_PER_S
            rows.append({**row, SAID: held[-1][1], FIRST_S: first_s})
        return judged(pd.DataFrame(rows).astype({SAID: object}).rename(columns={"connection": "connection_id"}))


def labels_of(
    truth: Sequence[Mapping[str, Any]], start_ns: int, end_ns: int, by_ns: int, every_s: int | None = None
) -> list[dict[str, Any]]:
    """Return the valid labels of a connection, each for as long as it holds, or in pieces.

    Parameters
    ----------
    truth : rows of the ``truth`` table of this connection
    start_ns, end_ns : int
        Its first and last record.
    by_ns : int
        Nanoseconds to add to its times.
    every_s : int, optional
        Seconds of a piece; the rest at the end of a label, shorter than a piece, belongs to its last piece.

    Returns
    -------
    list of dict
        Columns of ``benchmark_label`` without its number and the connection; times in nanoseconds.
    """
    by_pair: dict[tuple[int, int], list[Mapping[str, Any]]] = {}
    for row in truth:
        by_pair.setdefault((row["subflow_a"], row["subflow_b"]), []).append(row)
    labels = []
    for (a, b), truths in sorted(by_pair.items()):
        # The verdict that holds at the last record counts.
        for row, until_ns in phases(truths, end_ns + 1):
            from_ns = max(row["from_ns"], start_ns)
            if row["valid"] and from_ns < until_ns:
                ends_ns = [from_ns, *_cuts_ns(from_ns, until_ns, every_s), until_ns]
                labels += [
                    {"subflow_a": a, "subflow_b": b}
                    | {"from_ns": begin + by_ns, "until_ns": end + by_ns, "shared": row["shared"]}
                    for begin, end in itertools.pairwise(ends_ns)
                ]
    return labels


def _cuts_ns(from_ns: int, until_ns: int, every_s: int | None) -> list[int]:
    """Return where a label is cut.

    Examples
    --------
    >>> _cuts_ns(0, 40_000_000_000, 15), _cuts_ns(0, 40_000_000_000, None)
    ([15000000000], [])
    """
    if every_s is None:
        return []
    piece_ns = every_s * _NS_PER_S
    return [from_ns + number * piece_ns for number in range(1, (until_ns - from_ns) // piece_ns)]


def tables_of(train_tiles: pd.DataFrame, test_tiles: pd.DataFrame, labels: Sequence[Mapping[str, Any]]) -> TaskTables:
    """Return a task's tables.

    Parameters
    ----------
    train_tiles, test_tiles : DataFrame of the ``pair_tile`` table
        Of either side, their connections by name, and with their times by the labels' clock.
    labels : sequence of mapping
        Columns of ``benchmark_label`` without its number, in order.

    Returns
    -------
    TaskTables
    """
    numbered = pd.DataFrame([{"label": number, **label} for number, label in enumerate(labels)], columns=_LABEL_COLUMNS)
    learnt_from = of_tiles(train_tiles, MEMORY)
    rows = learnt_from.learnable(_MOMENTS)
    key = learnt_from.key.iloc[rows].rename(columns={"connection_id": "connection"}).reset_index(drop=True)
    train = key.assign(shared=learnt_from.shared[rows] == 1)
    train = pd.concat([train, _features(learnt_from, rows)], axis=1)
    return TaskTables(_numbered(train), _numbered(_moments_of(test_tiles, numbered)), numbered)


def _features(moments: Moments, rows: Any) -> pd.DataFrame:
    return pd.DataFrame(moments.x[rows].astype(np.int32), columns=list(moments.feature_names))


def _numbered(frame: pd.DataFrame) -> pd.DataFrame:
    frame.insert(0, "row", np.arange(len(frame)))
    return frame


def _moments_of(tiles: pd.DataFrame, labels: pd.DataFrame) -> pd.DataFrame:
    """Return the moments at which a label can be judged while it holds, and the last one before.

    The last verdict before holds until another one follows, as it does for a detector that judges signals.
    """
    moments = of_tiles(tiles, MEMORY)
    rows = np.flatnonzero(moments.open)
    there = pd.concat([moments.key.iloc[rows].reset_index(drop=True), _features(moments, rows)], axis=1)
    keyed = labels.rename(columns={"connection": PAIR[0]})
    joined = keyed.merge(there, on=list(PAIR))
    joined = joined[joined["at_ns"] < joined["until_ns"]].sort_values(["label", "at_ns"], kind="stable")
    before = joined[joined["at_ns"] < joined["from_ns"]].groupby("label")["at_ns"].max()
    since_ns = joined["label"].map(before).fillna(joined["from_ns"]).astype(np.int64)
    return joined[joined["at_ns"] >= since_ns].reset_index(drop=True)[["label", "at_ns", *FEATURES]]
