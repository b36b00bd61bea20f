"""Train on some datasets, test on each: how far every set of features carries.

Where a dataset is learnt from, connections are held out by random splits; where it is not, all of its labelled windows
are tested on, and those without a verdict count as wrong. Ranking, scaling and choice see training connections alone.
What learns from one dataset is what its search has found; what learns from several is chosen and fitted here.
"""

from __future__ import annotations

import argparse
import logging
import operator
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pandas as pd

from contracts.contract import read_table, write_table
from contracts.tables import PREDICTION, REJECTED
from features.catalog import PAIR_WINDOW, feature_names
from models import generalisation, search, store
from models.accuracy import accuracy_of_windows
from models.families import family_of
from models.families import growth as growth  # noqa: PLC0414 - before processes are forked, which need it
from models.fitted import Fitted
from models.stored_model import StoredModel
from models.verdict import prediction_rows
from models.window_set import WindowSet
from models.windows import LabelledWindows, labelled_rejected, labelled_windows, windows_of_kinds
from pipelines.params import Params
from pipelines.reporting.figures import comparison, style
from pipelines.reporting.report_files import DIGITS, write_csv, write_json
from pipelines.running import parallel, plan, stage

log = logging.getLogger(__name__)

_METRICS = ("balanced", "balanced_low", "balanced_high", "overall")
_GROUP = ["feature_set", "train_set", "test_set", "model"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--features", type=Path, required=True, help="folder with a folder of windows a dataset")
    parser.add_argument("--swapped", type=Path, required=True, help="folder with those of swapped partners")
    parser.add_argument("--searched", type=Path, required=True, help="folder with a prediction table a search")
    parser.add_argument("--models", type=Path, required=True, help="folder with a folder of models a dataset")
    parser.add_argument("--predictions", type=Path, required=True, help="prediction table to write")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: accuracy")
    parser.add_argument("--metrics", type=Path, required=True, help="JSON file: balanced accuracy")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file")


def _parts(
    folder: Path, swapped_folder: Path, learnt: Sequence[str], every: Sequence[str], params: Params
) -> list[dict[str, LabelledWindows]]:
    """Return the windows of every dataset, for each set of features; of those learnt from all that a search has."""
    options = params.search
    found: list[dict[str, LabelledWindows]] = [{} for _ in options.feature_sets]
    for dataset in every:
        pair_window = read_table(PAIR_WINDOW, folder / dataset / "pair_window.parquet").to_pandas()
        swapped = (
            read_table(PAIR_WINDOW, swapped_folder / dataset / "pair_window.parquet").to_pandas()
            if dataset in learnt
            else None
        )
        for own, feature_set in zip(found, options.feature_sets, strict=True):
            names = feature_names(feature_set)
            own[dataset] = (
                labelled_windows(pair_window, options.rule, names)
                if swapped is None
                else windows_of_kinds(pair_window, options.rules, swapped, names)
            )
    return found


def _searched(
    arguments: argparse.Namespace, datasets: Iterable[str], params: Params
) -> dict[tuple[str, str], tuple[dict[str, pd.DataFrame], dict[str, Fitted]]]:
    """Return, by dataset and set of features, what its search said and stored: by family."""
    found = {}
    for dataset in datasets:
        every = read_table(PREDICTION, arguments.searched / f"{dataset}.parquet").to_pandas()
        for feature_set in params.search.feature_sets:
            own = every[every["feature_set"] == feature_set]
            families = params.generalise.families
            found[dataset, feature_set] = (
                {family: own[own["model"] == family] for family in families},
                {
                    family: store.load(StoredModel(dataset, family, feature_set).path(arguments.models))
                    for family in families
                },
            )
    return found


def _judged(predictions: pd.DataFrame, missing: dict[str, pd.DataFrame], params: Params) -> pd.DataFrame:
    options, rows = params.evaluate, []
    for key, group in predictions.groupby(_GROUP, sort=False):
        _, train_set, test_set, _ = map(str, key)
        held_out = WindowSet.parse(test_set).overlaps(WindowSet.parse(train_set))
        none = None if held_out else missing[test_set]
        found = accuracy_of_windows(group, resamples=options.resamples, seed=options.seed, none=none)
        rows.append({**dict(zip(_GROUP, key, strict=True)), **asdict(found)})
    return pd.DataFrame(rows)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    options, rule, method = params.generalise, params.search.rule, plan.method(params.search)
    learnt = list(dict.fromkeys(dataset for datasets in options.trained for dataset in datasets))
    for dataset in learnt:
        params.check_learnable(dataset)
    every = list(dict.fromkeys([*learnt, *options.tested]))
    parts = _parts(arguments.features, arguments.swapped, learnt, every, params)
    grids = {
        family: search.settings(family_of(family), params.search.families[family], params.search.top)
        for family in options.families
    }
    # Rows, splits and so trials are the same for every set of features.
    trials = [
        trial
        for datasets in options.trained
        for trial in generalisation.trials(parts[0], datasets, options.tested, rule, plan.drawing(params.search))
    ]
    pools = {name: generalisation.pooled(own) for name, own in zip(params.search.feature_sets, parts, strict=True)}
    every_trial = [(feature_set, trial) for feature_set in pools for trial in trials]
    tasks = [
        partial(generalisation.judged, pools[feature_set], trial, grids, method)
        for feature_set, trial in every_trial
        if not generalisation.learns_from_one(trial)
    ]
    of_several = parallel.mapped(operator.call, tasks, params, what="generalise")
    alone = dict.fromkeys(datasets[0] for datasets in options.trained if len(datasets) == 1)
    of_one = _searched(arguments, alone, params)
    found = []
    for feature_set, trial in every_trial:
        windows = pools[feature_set]
        if generalisation.learns_from_one(trial):
            (dataset,) = WindowSet.parse(trial.train_set).datasets
            by_family = generalisation.by_search(windows, trial, *of_one[dataset, feature_set])
        else:
            by_family = next(of_several)
        for model, by_set in by_family.items():
            known: dict[str, str | int]
            known = {"model": model, "feature_set": feature_set, "train_set": trial.train_set, "fold": trial.fold}
            found += [
                prediction_rows(windows, trial.tests[test_set], verdicts, **known, test_set=test_set)
                for test_set, verdicts in by_set.items()
            ]
    predictions = pd.concat(found, ignore_index=True)
    columns = {column.name: predictions[column.name].tolist() for column in PREDICTION.columns}
    write_table(PREDICTION, columns, arguments.predictions)
    missing = {
        str(WindowSet.of(dataset, rule)): labelled_rejected(
            read_table(REJECTED, arguments.features / dataset / "rejected.parquet").to_pandas(), rule
        )
        for dataset in options.tested
    }
    table = _judged(predictions, missing, params)
    write_csv(table, arguments.table)
    write_json(
        {
            f"{row['train_set']} on {row['test_set']}: {row['model']}_{row['feature_set']}": {
                name: round(float(row[name]), DIGITS) for name in _METRICS
            }
            for row in table.to_dict("records")
        },
        arguments.metrics,
    )
    style.save(comparison.generalisation(table), arguments.figure)
    log.info("%d rows of accuracy", len(table))
    return stage.EXIT_OK
