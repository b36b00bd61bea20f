"""Learn families on one dataset with each set of features, of windows and of tiles; judge their last verdicts.

Is it the data or the features? What is learnt stands beside the fixed rule of the lag excess under each memory, with
and without an unknown band; beside plain correlation and the comparison test with a band chosen in the same way; and
beside controls: shuffled labels, one subflow alone, swapped partners, single configured values.
"""

from __future__ import annotations

import argparse
import logging
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from features.feature_set import OF_TILES
from features.fixed import ONE_Q10
from models.dataset_tables import DatasetTables
from models.families import family_of
from models.families import growth as growth  # noqa: PLC0414 - before processes are forked, which need it
from models.final_verdict import PAIR, SAID, judged, last_labels, summaries
from models.learnt_verdict import (
    HALF,
    Learning,
    Learnt,
    Task,
    band_of,
    last_verdicts,
    learnt,
    said_by,
    settings_of,
    settled_windows,
)
from models.moments import Moments, by_fixed_rule, of_tiles
from models.verdict_controls import FIXED, ControlPlan, controls
from pipelines.params import Params
from pipelines.params.block import ParamsError
from pipelines.reporting.report_files import write_csv, write_json
from pipelines.running import parallel, stage

log = logging.getLogger(__name__)

_THRESHOLD, _WINDOWS = "threshold", "windows"
#: The default detector's memory: what all others are compared with.
_MEMORY = "tiles_4"
_FORCED, _BAND = "forced", "band"
#: What is judged by one number: a feature of windows or of tiles, and from where on it says shared.
_CORRELATION, _CORRELATED = "rtt_correlation_q10", 0.5
_LEAD, _LEADS = "lead_q10", 0.0

#: A set of features, and what they are taken of: windows, or tiles with a memory.
Source = tuple[str, str]
#: A model, and its source with what is done about little evidence.
Name = tuple[str, str]
Scores = npt.NDArray[np.float64]
Said = npt.NDArray[np.object_]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--tables", type=Path, required=True, help="folder with a folder of tables a dataset")
    parser.add_argument("--truths", type=Path, required=True, help="folder with a truth table a dataset")
    parser.add_argument("--features", type=Path, required=True, help="folder with a folder of windows a dataset")
    parser.add_argument("--tiles", type=Path, required=True, help="folder with a folder of tiles a dataset")
    parser.add_argument("--judged", type=Path, required=True, help="parquet file: every pair")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: every family, and what is beside them")
    parser.add_argument("--controls", type=Path, required=True, help="CSV file: controls")
    parser.add_argument("--chosen", type=Path, required=True, help="JSON file: settings and bands")


def _sources(params: Params) -> list[Source]:
    return [
        (feature_set, of)
        for feature_set in params.learnt_verdicts.feature_sets
        for of in (params.tiles.memories if feature_set == OF_TILES else [_WINDOWS])
    ]


def _name(model: str, source: Source, verdict: str) -> Name:
    return model, ", ".join((*source, verdict))


def _by_one_number(data: DatasetTables, dataset: str) -> Iterator[tuple[Source, Moments, Scores]]:
    """Yield what is judged by one number: its source, the moments, and scores around one half."""
    for source, feature, threshold in (
        (("invariant", _WINDOWS), _CORRELATION, _CORRELATED),
        ((OF_TILES, _MEMORY), _LEAD, _LEADS),
    ):
        moments = data.moments(dataset, source)
        values = moments.x[:, moments.feature_names.index(feature)] / ONE_Q10
        yield (feature, source[1]), moments, np.clip(HALF + (values - threshold) / 2, 0, 1)


def _said(
    data: DatasetTables,
    dataset: str,
    models: Mapping[tuple[Source, str], Learnt],
    bands: Mapping[str, float],
    params: Params,
) -> Iterator[tuple[Name, Moments, Said]]:
    """Yield what each model says of a dataset at its moments."""
    tiles = data.pair_tile(dataset)
    for memory in params.tiles.memories:
        yield _name(FIXED, (OF_TILES, memory), _BAND), of_tiles(tiles, memory), by_fixed_rule(tiles, memory)
    judged_by = []
    for (source, family), own in models.items():
        moments = data.moments(dataset, source)
        of_folds = dataset == params.learnt_verdicts.trained
        judged_by.append(
            (family, source, moments, own.held_out if of_folds else own.model.judge(moments.x).score, own.band)
        )
    for source, moments, scores in _by_one_number(data, dataset):
        judged_by.append((_THRESHOLD, source, moments, scores, bands[source[0]]))
    for model, source, moments, scores, width in judged_by:
        yield _name(model, source, _FORCED), moments, said_by(scores, moments.open, 0.0)
        yield _name(model, source, _BAND), moments, said_by(scores, moments.open, width)


def _judged(
    data: DatasetTables,
    dataset: str,
    models: Mapping[tuple[Source, str], Learnt],
    bands: Mapping[str, float],
    params: Params,
) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """Return every pair with every last verdict, and a row of the table for each model."""
    labels = list(last_labels(data.truth(dataset)))
    starts_ns = {row["connection_id"]: row["start_ns"] for row in data.connections(dataset)}
    changes = data.moves(dataset) if dataset in params.replay.shifts else []
    found, settled = [], {}
    for name, moments, said in _said(data, dataset, models, bands, params):
        rows = last_verdicts(moments, said, labels, starts_ns)
        found.append(rows.assign(detector=name[0], preset=name[1]))
        settled[name] = settled_windows(moments, said, changes)
    rows = judged(pd.concat(found, ignore_index=True))
    reference = _name(FIXED, (OF_TILES, _MEMORY), _BAND)
    table = []
    for one in summaries(rows, reference, resamples=params.evaluate.resamples, seed=params.evaluate.seed):
        name = (one.pop("detector"), one.pop("parameters"))
        features, of, verdict = name[1].split(", ")
        known = {"dataset": dataset, "model": name[0], "features": features, "of": of, "verdict": verdict}
        table.append({**known, **one, "settled_windows": settled[name]})
    return rows.assign(dataset=dataset), table


def _mapped(params: Params, work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
    return parallel.mapped(work, items, params, what="judge")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    options = params.learnt_verdicts
    params.check_learnable(options.trained)
    if options.trained not in params.datasets:
        raise ParamsError(f"learnt_verdicts.trained is {options.trained!r}, which is none of datasets")
    data = DatasetTables(arguments.tables, arguments.truths, arguments.features, arguments.tiles)
    learning = Learning(options.moments, options.folds, options.simpler_within, options.seed)
    truth = data.truth(options.trained)
    settings = settings_of(pd.DataFrame(truth))
    labels = {(row[PAIR[0]], row[PAIR[1]], row[PAIR[2]]): bool(row["shared"]) for row in last_labels(truth)}
    tasks = {source: Task.of(data.moments(options.trained, source), settings) for source in _sources(params)}
    names = [(source, family) for source in tasks for family in options.families]
    work = [
        partial(
            learnt, tasks[source], family_of(family), options.families[family], labels, options.least_right, learning
        )
        for source, family in names
    ]
    models = dict(zip(names, parallel.mapped(operator.call, work, params, what="learn"), strict=True))
    bands = {
        source[0]: band_of(moments, scores, labels, options.least_right)
        for source, moments, scores in _by_one_number(data, options.trained)
    }
    everything, table = [], []
    for dataset in params.datasets:
        if not any(last_labels(data.truth(dataset))):
            log.warning("%s: no pair has a valid label", dataset)
            continue
        rows, own = _judged(data, dataset, models, bands, params)
        everything.append(rows)
        table += own
    arguments.judged.parent.mkdir(parents=True, exist_ok=True)
    pd.concat(everything, ignore_index=True).astype({SAID: "boolean"}).to_parquet(arguments.judged, index=False)
    write_csv(pd.DataFrame(table), arguments.table)
    asked = ControlPlan(
        trained=options.trained,
        families=options.families,
        memories=params.tiles.memories,
        swapped=[dataset for dataset in params.tiles.swapped if dataset in params.datasets],
        resamples=params.evaluate.resamples,
        resampling_seed=params.evaluate.seed,
        seed=options.seed,
    )
    found = list(controls(data, tasks, models, settings, learning, asked, partial(_mapped, params)))
    write_csv(pd.DataFrame(found), arguments.controls)
    chosen = {
        ", ".join((family, *source)): {"band": one.band, **dict(one.model.setting.hyperparameters)}
        for (source, family), one in models.items()
    }
    single = {f"{_THRESHOLD}, {name}": {"band": width} for name, width in bands.items()}
    write_json({**chosen, **single}, arguments.chosen)
    log.info("%d families learnt on %s, judged on %d datasets", len(models), options.trained, len(everything))
    return stage.EXIT_OK
