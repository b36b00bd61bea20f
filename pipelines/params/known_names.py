"""Names in params.yaml that something must answer to: datasets, families, sets of features, detectors, models."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from smartsbd.detectors import DETECTORS
from smartsbd.features.feature_set import OF_TILES, SETS
from smartsbd.models.families import FAMILIES
from smartsbd.models.stored.stored_model import ModelNameError, StoredModel
from smartsbd.scenarios.datasets import DATASETS

if TYPE_CHECKING:
    from smartsbd.pipelines.params import Params


def _unknown(key: str, names: Iterable[str], known: Collection[str]) -> Iterator[str]:
    missing = sorted(set(names) - set(known))
    if missing:
        yield f"{key} has {missing}, known are {sorted(known)}"


def _of_datasets(params: Params, locked: str) -> Iterator[str]:
    """Yield what is wrong with names of datasets: each must have a way of validating its labels."""
    known = params.validate_.method.keys()
    yield from _unknown("simulated", params.simulated, DATASETS)
    yield from _unknown("evaluation_only", params.evaluation_only, [*known, locked])
    for key, names in {
        "datasets": params.datasets,
        "rank.datasets": params.rank.datasets,
        "tiles.swapped": params.tiles.swapped,
        "learnt_verdicts.trained": [params.learnt_verdicts.trained],
        "search.datasets": params.search.datasets,
        "transfer.tested": params.transfer.tested,
        "transfer.development": [params.transfer.development],
        "unseen.tested": [params.unseen.tested],
        "generalise.tested": params.generalise.tested,
        "export.dataset": [params.export.dataset],
        "replay.partitions": params.replay.partitions,
        "replay.shifts": params.replay.shifts,
    }.items():
        for problem in _unknown(key, names, known):
            yield f"{problem}, the datasets of validate.method"


def _of_grids(key: str, grids: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield what is wrong with grids of families: each has all of its family's hyperparameters, and no others."""
    yield from _unknown(key, grids, FAMILIES)
    for name, grid in grids.items():
        if name in FAMILIES and set(grid) != set(FAMILIES[name].hyperparameters):
            yield f"{key}.{name} has {sorted(grid)}, must have {sorted(FAMILIES[name].hyperparameters)}"


def _of_models(params: Params) -> Iterator[str]:
    """Yield what is wrong with names of families, sets of features and models."""
    yield from _unknown("search.feature_sets", params.search.feature_sets, SETS)
    yield from _unknown("automl.feature_sets", params.automl.feature_sets, SETS)
    yield from _unknown("sensitivity.feature_sets", params.sensitivity.feature_sets, SETS)
    yield from _unknown("learnt_verdicts.feature_sets", params.learnt_verdicts.feature_sets, [*SETS, OF_TILES])
    yield from _of_grids("search.families", params.search.families)
    yield from _of_grids("learnt_verdicts.families", params.learnt_verdicts.families)
    yield from _of_grids("automl.grids", params.automl.grids or {})
    yield from _unknown("controls.families", params.controls.families, params.search.families)
    yield from _unknown("sensitivity.families", params.sensitivity.families, FAMILIES)
    for name in params.replay.models:
        try:
            model = StoredModel.parse(f"{params.export.dataset}/{name}")
        except ModelNameError as error:
            yield f"replay.models: {error}"
        else:
            yield from _unknown("replay.models", [model.family], FAMILIES)


def _of_detectors(params: Params) -> Iterator[str]:
    """Yield what is wrong with names of detectors and of their parameters."""
    yield from _unknown("replay.detectors", params.replay.detectors, DETECTORS)
    yield from _unknown("replay.grids", params.replay.grids, DETECTORS)
    for name, grid in params.replay.grids.items():
        if name in DETECTORS:
            kind = DETECTORS[name]
            fields = [field.name for field in dataclasses.fields(kind.presets[kind.default])]
            yield from _unknown(f"replay.grids.{name}", grid, fields)


def unknown_names(params: Params, locked: str) -> list[str]:
    """Return what is wrong with the names that values have, one line each.

    Parameters
    ----------
    params : Params
        Each block of which is checked by itself.
    locked : str
        The dataset of no stage, which may be named among those for evaluation only.

    Returns
    -------
    list of str
        None if each name is of something that there is.
    """
    return [*_of_datasets(params, locked), *_of_models(params), *_of_detectors(params)]
