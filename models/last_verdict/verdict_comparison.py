"""Learnt families, the fixed rule of the lag excess and single numbers, by their last verdicts on a dataset.

Each has a source: a set of features, of windows or of tiles with a memory. Each verdict is given twice: forced, and
with an unknown band.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.features.feature_set import OF_TILES
from smartsbd.features.fixed import ONE_Q10
from smartsbd.models.families import family_of
from smartsbd.models.last_verdict.dataset_tables import DatasetTables
from smartsbd.models.last_verdict.final_verdict import PAIR, judged, last_labels, summaries
from smartsbd.models.last_verdict.learnt_verdict import (
    HALF,
    Grid,
    Learning,
    Learnt,
    Pair,
    Task,
    band_of,
    last_verdicts,
    learnt,
    said_by,
    settled_windows,
)
from smartsbd.models.last_verdict.moments import Moments, by_fixed_rule, of_tiles
from smartsbd.models.last_verdict.verdict_controls import FIXED

#: A set of features, and the rows that have them: windows, or tiles with a memory.
Source = tuple[str, str]
#: A model, and its source with the treatment of little evidence: forced, or a band.
Name = tuple[str, str]
Scores = npt.NDArray[np.float64]
Said = npt.NDArray[np.object_]

#: Stands for a model that judges by one number.
THRESHOLD = "threshold"
#: The default detector's memory: what all others are compared with.
DEFAULT_MEMORY = "tiles_4"

_WINDOWS = "windows"
_FORCED, _BAND = "forced", "band"
#: Single numbers: a feature of windows or of tiles, and the value from which on it says shared.
_CORRELATION, _CORRELATED = "rtt_correlation_q10", 0.5
_LEAD, _LEADS = "lead_q10", 0.0


def sources(feature_sets: Sequence[str], memories: Sequence[str]) -> list[Source]:
    """Return the sources that families learn from: each set of windows' features once, that of tiles with each memory.

    Returns
    -------
    list of Source
        In the order of the sets of features.

    Examples
    --------
    >>> sources(["paper", OF_TILES], ["tiles_4", "all"])
    [('paper', 'windows'), ('lag_excess', 'tiles_4'), ('lag_excess', 'all')]
    """
    return [
        (feature_set, of)
        for feature_set in feature_sets
        for of in (memories if feature_set == OF_TILES else [_WINDOWS])
    ]


def pair_labels(labels: Sequence[Mapping[str, Any]]) -> dict[Pair, bool]:
    """Return the label of each pair, from rows of the ``truth`` table."""
    return {(row[PAIR[0]], row[PAIR[1]], row[PAIR[2]]): bool(row["shared"]) for row in labels}


def learning_tasks(
    tasks: Mapping[Source, Task],
    families: Mapping[str, Grid],
    labels: Mapping[Pair, bool],
    least_right: float,
    learning: Learning,
) -> dict[tuple[Source, str], partial[Learnt]]:
    """Return the learning of each family from each source, each a call without arguments.

    Parameters
    ----------
    tasks : mapping of Source to Task
    families : mapping of str to grid
        Hyperparameters to choose from, by family.
    labels, least_right, learning
        As :func:`~smartsbd.models.last_verdict.learnt_verdict.learnt` takes them.

    Returns
    -------
    dict of (Source, str) to partial
        By source and family; each returns a :class:`~smartsbd.models.last_verdict.learnt_verdict.Learnt`.
    """
    return {
        (source, family): partial(learnt, task, family_of(family), grid, labels, least_right, learning)
        for source, task in tasks.items()
        for family, grid in families.items()
    }


def by_one_number(data: DatasetTables, dataset: str) -> Iterator[tuple[Source, Moments, Scores]]:
    """Yield, for each single number, its source, the moments, and scores around one half.

    Plain correlation says shared from 0.5 on, the comparison test of a tile from 0 on.

    Yields
    ------
    (Source, Moments, (rows,) float64 in [0, 1])
        Above one half is shared.
    """
    for source, feature, threshold in (
        (("invariant", _WINDOWS), _CORRELATION, _CORRELATED),
        ((OF_TILES, DEFAULT_MEMORY), _LEAD, _LEADS),
    ):
        moments = data.moments(dataset, source)
        values = moments.x[:, moments.feature_names.index(feature)] / ONE_Q10
        yield (feature, source[1]), moments, np.clip(HALF + (values - threshold) / 2, 0, 1)


def bands_of_numbers(
    data: DatasetTables, dataset: str, labels: Mapping[Pair, bool], least_right: float
) -> dict[str, float]:
    """Return the band of each single number, chosen on one dataset as that of a family is.

    Parameters
    ----------
    data : DatasetTables
    dataset : str
        Its name.
    labels, least_right
        As :func:`~smartsbd.models.last_verdict.learnt_verdict.band_of` takes them.

    Returns
    -------
    dict of str to float
        By feature, half of the width of the band.
    """
    return {
        source[0]: band_of(moments, scores, labels, least_right)
        for source, moments, scores in by_one_number(data, dataset)
    }


def _name(model: str, source: Source, verdict: str) -> Name:
    return model, ", ".join((*source, verdict))


@dataclass(frozen=True)
class VerdictComparison:
    """The models to compare, and how.

    Attributes
    ----------
    data : DatasetTables
    trained : str
        Dataset that the families have learnt from; on it their held-out scores are judged.
    memories : sequence of str
        Of tiles; the fixed rule is judged with each.
    shifts : collection of str
        Datasets in which labels change.
    learnt : mapping of (Source, str) to Learnt
        By source and family.
    bands : mapping of str to float
        Of :func:`bands_of_numbers`.
    resamples, seed : int
        As :func:`~smartsbd.models.assessment.accuracy.accuracy` takes them.
    """

    data: DatasetTables
    trained: str
    memories: Sequence[str]
    shifts: Collection[str]
    learnt: Mapping[tuple[Source, str], Learnt]
    bands: Mapping[str, float]
    resamples: int
    seed: int

    def chosen(self) -> dict[str, dict[str, Any]]:
        """Return setting and band of each family and source, and the band of each single number."""
        chosen = {
            ", ".join((family, *source)): {"band": result.band, **dict(result.model.setting.hyperparameters)}
            for (source, family), result in self.learnt.items()
        }
        return chosen | {f"{THRESHOLD}, {name}": {"band": width} for name, width in self.bands.items()}

    def judged(self, dataset: str) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
        """Return every pair of a dataset with every last verdict, and one row of the table for each model."""
        labels = list(last_labels(self.data.truth(dataset)))
        starts_ns = {row["connection_id"]: row["start_ns"] for row in self.data.connections(dataset)}
        changes = self.data.moves(dataset) if dataset in self.shifts else []
        parts, settled = [], {}
        for name, moments, verdicts in self._verdicts(dataset):
            rows = last_verdicts(moments, verdicts, labels, starts_ns)
            parts.append(rows.assign(detector=name[0], preset=name[1]))
            settled[name] = settled_windows(moments, verdicts, changes)
        rows = judged(pd.concat(parts, ignore_index=True))
        reference = _name(FIXED, (OF_TILES, DEFAULT_MEMORY), _BAND)
        table = []
        for summary in summaries(rows, reference, resamples=self.resamples, seed=self.seed):
            name = (summary.pop("detector"), summary.pop("parameters"))
            features, of, verdict = name[1].split(", ")
            known = {"dataset": dataset, "model": name[0], "features": features, "of": of, "verdict": verdict}
            table.append({**known, **summary, "settled_windows": settled[name]})
        return rows.assign(dataset=dataset), table

    def _verdicts(self, dataset: str) -> Iterator[tuple[Name, Moments, Said]]:
        """Yield the verdicts of each model on a dataset at its moments."""
        tiles = self.data.pair_tile(dataset)
        for memory in self.memories:
            yield _name(FIXED, (OF_TILES, memory), _BAND), of_tiles(tiles, memory), by_fixed_rule(tiles, memory)
        for model, source, moments, scores, width in self._scored(dataset):
            yield _name(model, source, _FORCED), moments, said_by(scores, moments.open, 0.0)
            yield _name(model, source, _BAND), moments, said_by(scores, moments.open, width)

    def _scored(self, dataset: str) -> Iterator[tuple[str, Source, Moments, Scores, float]]:
        """Yield model, source, moments, scores and band of what has a score."""
        for (source, family), result in self.learnt.items():
            moments = self.data.moments(dataset, source)
            scores = result.held_out if dataset == self.trained else result.model.judge(moments.x).score
            yield family, source, moments, scores, result.band
        for source, moments, scores in by_one_number(self.data, dataset):
            yield THRESHOLD, source, moments, scores, self.bands[source[0]]
