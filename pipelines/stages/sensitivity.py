"""Test stored models where one thing is other than in training: what their verdicts depend on.

Loss, jitter, queue and controller are moved by the simulated dataset, one at a time; the length of a window and
missing RTT samples here, on the connections of its base setting. The models are those that ``search`` stored.
"""

from __future__ import annotations

import argparse
import itertools
import logging
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import pandas as pd

from contracts import tables
from contracts.contract import read_table
from features.catalog import PAIR_WINDOW
from models import store
from models.accuracy import WindowAccuracy
from models.extraction import AS_TRAINED, Variation, extracted, read_truths
from models.fitted import Fitted
from models.sensitivity import judged
from models.stored_model import CORRELATION, PLAIN, StoredModel
from pipelines.params import Params
from pipelines.reporting.figures import comparison, style
from pipelines.reporting.report_files import write_csv
from pipelines.running import stage
from scenarios import sensitivity

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--tables", type=Path, required=True, help="folder with the dataset's tables")
    parser.add_argument("--truth", type=Path, required=True, help="its truth table")
    parser.add_argument("--features", type=Path, required=True, help="folder with the dataset's windows")
    parser.add_argument("--models", type=Path, required=True, help="folder with a folder of models a dataset")
    parser.add_argument("--judged", type=Path, required=True, help="parquet file: accuracy by level, every digit")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: accuracy by level")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file")


@dataclass(frozen=True)
class _Level:
    """One level of a factor: its windows, those without a verdict, and how many pairs there are and have a label."""

    factor: str
    level: str
    base: bool
    pairs: int
    valid_pairs: int
    windows: pd.DataFrame
    without_verdict: pd.DataFrame


def _labelled(rows: pd.DataFrame, rule: str, connections: pd.Series[str]) -> pd.DataFrame:
    return rows[(rows["rule"] == rule) & rows["shared"].notna() & rows["connection_id"].isin(connections)]


def _simulated(truth: pd.DataFrame, features: Path, rule: str) -> Iterator[_Level]:
    """Yield the levels that were simulated."""
    windows = read_table(PAIR_WINDOW, features / "pair_window.parquet").to_pandas()
    rejected = read_table(tables.REJECTED, features / "rejected.parquet").to_pandas()
    for factor, levels in sensitivity.LEVELS.items():
        for level in levels:
            own = truth[truth["scenario"] == sensitivity.name_of(factor, level)]
            yield _Level(
                factor=factor,
                level=str(level),
                base=sensitivity.is_base(factor, level),
                pairs=len(own),
                valid_pairs=int(own["valid"].sum()),
                windows=_labelled(windows, rule, own["connection_id"]),
                without_verdict=_labelled(rejected, rule, own["connection_id"]),
            )


def _variations(params: Params) -> Iterator[tuple[str, str, Variation]]:
    """Yield factor, level and what is other of what is moved after the simulation."""
    options = params.sensitivity
    for window_rtts in options.window_rtts:
        yield "window_rtts", str(window_rtts), Variation(window_rtts=window_rtts)
    for missing_share in options.missing_shares:
        # What is missing at no share is decided by no seed.
        seed = options.seed if missing_share else AS_TRAINED.seed
        yield "missing_share", f"{missing_share:g}", Variation(missing_share=missing_share, seed=seed)


def _extracted(truth: pd.DataFrame, arguments: argparse.Namespace, params: Params) -> Iterator[_Level]:
    """Yield the levels of what is moved after the simulation, on the connections of the base setting."""
    base = truth[truth["scenario"] == sensitivity.BASE_NAME]
    truths = read_truths(arguments.truth)
    connections = read_table(tables.CONNECTION, arguments.tables / "connection.parquet").to_pylist()
    own = [row for row in connections if row["connection_id"] in set(base["connection_id"])]
    rule = params.search.rule
    for factor, level, variation in _variations(params):
        found = extracted(own, arguments.tables, truths, arguments.dataset, [rule], params.extract.reading, variation)
        yield _Level(
            factor=factor,
            level=level,
            base=variation == AS_TRAINED,
            pairs=len(base),
            valid_pairs=int(base["valid"].sum()),
            windows=_labelled(found.pair_window.to_pandas(), rule, base["connection_id"]),
            without_verdict=_labelled(found.rejected.to_pandas(), rule, base["connection_id"]),
        )


def _models(folder: Path, params: Params) -> dict[StoredModel, Fitted]:
    """Return the models to test."""
    options = params.sensitivity
    names = [*itertools.product(options.families, options.feature_sets), (CORRELATION, PLAIN)]
    every = [StoredModel(dataset, *name) for dataset in params.search.datasets for name in names]
    return {one: store.load(one.path(folder)) for one in every}


def _row(level: _Level, model: StoredModel, found: WindowAccuracy | None) -> Mapping[str, Any]:
    known = {
        "factor": level.factor,
        "level": level.level,
        "base": level.base,
        "trained_on": model.dataset,
        "model": model.family,
        "feature_set": model.feature_set,
        "pairs": level.pairs,
        "valid_pairs": level.valid_pairs,
    }
    if found is None:
        counts = dict.fromkeys(("predictions", "windows", "connections", "none"), 0)
        return known | dict.fromkeys((field.name for field in fields(WindowAccuracy)), float("nan")) | counts
    return known | asdict(found)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    truth = read_table(tables.TRUTH, arguments.truth).to_pandas()
    models = _models(arguments.models, params)
    options = params.evaluate
    rows = []
    levels = itertools.chain(
        _simulated(truth, arguments.features, params.search.rule), _extracted(truth, arguments, params)
    )
    for level in levels:
        log.info(
            "%s %s: %d of %d pairs valid, %d windows, %d without a verdict",
            *(level.factor, level.level, level.valid_pairs, level.pairs),
            *(len(level.windows), len(level.without_verdict)),
        )
        for model, fitted in models.items():
            drawn = {"resamples": options.resamples, "seed": options.seed}
            rows.append(_row(level, model, judged(fitted, level.windows, level.without_verdict, **drawn)))
    table = pd.DataFrame(rows)
    arguments.judged.parent.mkdir(parents=True, exist_ok=True)
    table.to_parquet(arguments.judged, index=False)
    write_csv(table, arguments.table)
    style.save(comparison.sensitivity(table), arguments.figure)
    return stage.EXIT_OK
