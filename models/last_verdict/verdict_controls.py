"""Controls of what is learnt from tiles: the accuracy of families where the label cannot be known."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.contracts import tables
from smartsbd.contracts.contract import TableReader
from smartsbd.features.feature_set import OF_TILES
from smartsbd.models.assessment.accuracy import Hits, share
from smartsbd.models.assessment.comparison import accuracy_of
from smartsbd.models.assessment.threshold import area_under_curve
from smartsbd.models.families import family_of
from smartsbd.models.labelled.partners import members
from smartsbd.models.last_verdict.dataset_tables import DatasetTables
from smartsbd.models.last_verdict.final_verdict import SAID, judged, last_labels
from smartsbd.models.last_verdict.learnt_verdict import HALF, Grid, Learning, Learnt, Task, held_out_scores, said_by
from smartsbd.models.last_verdict.moments import Moments, by_fixed_rule, of_numbers, of_tiles
from smartsbd.models.last_verdict.one_subflow import NUMBERS, numbers_of

FIXED = "fixed rule"

#: Yields what work returns for each item, in order: how the work is shared among processes is the caller's.
Mapped = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]
_NS_PER_S = 1e9


@dataclass(frozen=True)
class ControlPlan:
    """The input of the controls.

    Attributes
    ----------
    trained : str
        Dataset that families learn from.
    families : mapping of str to grid
    memories : sequence of str
        Of tiles.
    swapped : sequence of str
        Datasets whose swapped partners are judged.
    resamples, resampling_seed, seed : int
        Of intervals; and of the exchanged labels.
    """

    trained: str
    families: Mapping[str, Grid]
    memories: Sequence[str]
    swapped: Sequence[str]
    resamples: int
    resampling_seed: int
    seed: int


#: Endings of the columns of the truth that are configured values.
_CONFIGURED = ("_mbit_s", "_bytes", "_us", "_ratio")


def _alone(data: DatasetTables, dataset: str, place_in_pair: str) -> Moments:
    """Return one row for each labelled pair: numbers of its first, or its second, subflow alone."""
    folder = data.tables / dataset
    readers = [
        TableReader(table, folder / f"{table.name}.parquet") for table in (tables.ACK, tables.STATE, tables.LOSS)
    ]
    spans = {row["connection_id"]: row for row in data.connections(dataset)}
    labels = [row for row in last_labels(data.truth(dataset)) if row["connection_id"] in spans]
    x = []
    for row in labels:
        span = spans[row["connection_id"]]
        of_connection = [reader.rows_of(row["connection_id"]).to_pandas() for reader in readers]
        mine = [rows[rows["subflow_id"] == row[place_in_pair]] for rows in of_connection]
        x.append(numbers_of(mine[0], mine[1], mine[2], (span["end_ns"] - span["start_ns"]) / _NS_PER_S))
    return of_numbers(labels, np.array(x), NUMBERS)


def _balanced(task: Task, scores: npt.NDArray[np.float64], asked: ControlPlan) -> dict[str, float]:
    """Return the balanced accuracy of forced last verdicts, over pairs that have one."""
    last = task.moments.last()
    rows = last[~np.isnan(scores[last]) & task.moments.open[last] & ~np.isnan(task.moments.shared[last])]
    called_shared = pd.Series((scores[rows] > HALF).tolist(), dtype=object).tolist()
    frame = pd.DataFrame(
        {
            "connection_id": task.moments.key["connection_id"].to_numpy()[rows],
            "shared": task.shared[rows],
            SAID: called_shared,
        }
    )
    accuracy = accuracy_of(judged(frame), resamples=asked.resamples, seed=asked.resampling_seed)
    return {
        "pairs": len(rows),
        "value": accuracy.balanced,
        "low": accuracy.balanced_low,
        "high": accuracy.balanced_high,
    }


def _held_out(
    data: DatasetTables,
    tasks: Mapping[tuple[str, str], Task],
    settings: Mapping[str, int],
    learning: Learning,
    asked: ControlPlan,
    mapped: Mapped,
) -> Iterator[dict[str, Any]]:
    """Yield the held-out accuracy of families on shuffled labels, and on one subflow alone."""
    tested = [("labels shuffled", source, task.shuffled(asked.seed)) for source, task in tasks.items()]
    for name in ("subflow_a", "subflow_b"):
        alone = Task.of(_alone(data, asked.trained, name), settings)
        tested.append(("one subflow alone", (name, "whole connection"), alone))
    every = [(test, family) for test in tested for family in asked.families]
    work = [
        partial(held_out_scores, task, family_of(family), asked.families[family], learning)
        for (_, _, task), family in every
    ]
    scores = mapped(operator.call, work)
    for ((control, (features, of), task), family), task_scores in zip(every, scores, strict=True):
        known = {"control": control, "dataset": asked.trained, "model": family, "features": features, "of": of}
        yield {**known, "measure": "balanced accuracy", **_balanced(task, task_scores, asked)}


def _configured(data: DatasetTables, dataset: str) -> Iterator[dict[str, Any]]:
    """Yield how well each configured value alone tells the label, over pairs that have one."""
    truth = pd.DataFrame(list(last_labels(data.truth(dataset))))
    for name in sorted(name for name in truth.columns if name.endswith(_CONFIGURED)):
        known = truth[truth[name].notna()]
        shared = known["shared"].to_numpy(dtype=np.bool_)
        if (known[name] != known[name].min()).any() and shared.any() and not shared.all():
            yield {
                "control": "one configured value",
                "dataset": dataset,
                "features": name,
                "measure": "area under the curve",
                "pairs": len(known),
                "value": area_under_curve(known[name].to_numpy(dtype=np.float64), shared),
            }


def _swapped(
    pair_tile: pd.DataFrame, dataset: str, learnt: Mapping[tuple[tuple[str, str], str], Learnt], asked: ControlPlan
) -> Iterator[dict[str, Any]]:
    """Yield the share of swapped partners whose last verdict is shared, of those that have a tile."""
    for memory in asked.memories:
        moments, fixed = of_tiles(pair_tile, memory), by_fixed_rule(pair_tile, memory)
        if not len(moments.x):
            continue
        last = moments.last()
        verdicts = {FIXED: fixed[last]}
        for (source, family), result in learnt.items():
            if source == (OF_TILES, memory):
                verdicts[family] = said_by(result.model.judge(moments.x[last]).score, moments.open[last], result.band)
        connections = np.array([members(name) for name in moments.key["connection_id"].to_numpy()[last]])
        for family, of_family in verdicts.items():
            hit = np.array([verdict is True for verdict in of_family])
            called_shared = share(
                Hits(hit, connections, np.ones(len(hit))),
                resamples=asked.resamples,
                seed=asked.resampling_seed,
            )
            known = {"control": "swapped partners", "dataset": dataset, "model": family, "features": OF_TILES}
            yield {**known, "of": memory, "measure": "called shared", "pairs": len(hit), **asdict(called_shared)}


def controls(
    data: DatasetTables,
    tasks: Mapping[tuple[str, str], Task],
    learnt: Mapping[tuple[tuple[str, str], str], Learnt],
    settings: Mapping[str, int],
    learning: Learning,
    asked: ControlPlan,
    mapped: Mapped,
) -> Iterator[dict[str, Any]]:
    """Yield the rows of all controls.

    Parameters
    ----------
    data : DatasetTables
    tasks : mapping of a source of moments to Task
        What families learn.
    learnt : mapping of (source, family) to Learnt
    settings : mapping of connection_id to int
        Of :func:`~smartsbd.models.last_verdict.learnt_verdict.settings_of`.
    learning : Learning
    asked : ControlPlan
    mapped : callable

    Yields
    ------
    dict
        ``control``, ``dataset``, ``features``, ``measure``, ``pairs`` and ``value``; where the control has them,
        ``model``, ``of``, and the interval ``low`` to ``high``.
    """
    yield from _held_out(data, tasks, settings, learning, asked, mapped)
    yield from _configured(data, asked.trained)
    for dataset in asked.swapped:
        yield from _swapped(data.pair_tile(dataset, "swapped"), dataset, learnt, asked)
