"""Table 5's counterpart: learned models beside the baseline detectors, the paper's way and on the same test rows.

Three tables, whose accuracies are not the same thing. `all`: as in the paper, models on held-out triggered windows,
baselines on all connections, each by its opinion at the end. `same`: everything on the same held-out tiled windows,
baselines with the parameters of their authors and with parameters chosen on the training side of the same split, and
each row's paired difference to plain correlation. `time`: the share of time baselines are right, which is no accuracy
of windows.
"""

from __future__ import annotations

import argparse
import logging
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from contracts.contract import read_table
from contracts.tables import OPINION, PREDICTION, TIME_SHARE, WINDOW_KEY
from models.accuracy import ALL_SITES
from models.comparison import accuracy_of, difference, of_folds, right_of_time, right_of_windows, tuned
from models.detectors import detector_of
from models.detectors.grid import best_preset
from models.stored_model import CORRELATION
from models.window_set import WindowSet, are_of_kind
from models.windows import SWAPPED
from pipelines.params import Params
from pipelines.params.learning import Evaluate
from pipelines.reporting.figures import comparison, style
from pipelines.reporting.report_files import write_csv
from pipelines.running import stage

log = logging.getLogger(__name__)

#: Parameter sets: those chosen on the training side of each split, and the best of the grid on what it is judged on.
TUNED, BOUND = "tuned", "best of the grid"
#: What the evidence of a learned model's rules is.
_LEARNED = "learned"
_DIFFERENCE = "less_correlation"
_TRIGGERED = "triggered"
#: What rows of the share of time are of.
_TEST_SIDES, _ALL_CONNECTIONS = "test sides", "all connections"
Tests = Mapping[int, Collection[str]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--predictions", type=Path, required=True, help="prediction table of its search")
    parser.add_argument("--replayed", type=Path, required=True, help="folder with what detectors said of it")
    parser.add_argument("--grids", type=Path, required=True, help="folder with what every point of their grids said")
    parser.add_argument("--judged", type=Path, required=True, help="folder for the three tables, every digit")
    parser.add_argument("--tables", type=Path, required=True, help="folder for the three tables as CSV files")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file")


class _JudgedRows:
    """Rows of one table, as they are made."""

    def __init__(self, options: Evaluate, *, by_site: bool) -> None:
        self._options = options
        self._by_site = by_site
        self.rows: list[dict[str, Any]] = []

    def _judge(self, judged: pd.DataFrame) -> dict[str, Any]:
        return asdict(accuracy_of(judged, resamples=self._options.resamples, seed=self._options.seed))

    def add(self, labels: Mapping[str, str], judged: pd.DataFrame, compared: pd.DataFrame | None = None) -> None:
        """Judge some rows, and what they are more right than others.

        Parameters
        ----------
        labels : mapping of str to str
            What they are of.
        judged : DataFrame
        compared : DataFrame, optional
            Their paired differences.
        """
        sites = sorted(judged["site"].dropna().unique()) if self._by_site else []
        for site in [*sites, ALL_SITES]:
            own = judged if site == ALL_SITES else judged[judged["site"] == site]
            row = {**labels, "site": site, "rows": len(own), **self._judge(own)}
            if compared is not None:
                paired = compared if site == ALL_SITES else compared[compared["site"] == site]
                less = self._judge(paired)
                row |= {f"{_DIFFERENCE}{end}": less[f"balanced{end}"] for end in ("", "_low", "_high")}
            self.rows.append(row)

    def table(self) -> pd.DataFrame:
        """Return all rows."""
        return pd.DataFrame(self.rows)


def _tests(predictions: pd.DataFrame, train_set: str) -> Tests:
    """Return the connections on the test side of each split, as the search tested its models on them."""
    rows = predictions[(predictions["train_set"] == train_set) & ~are_of_kind(predictions["test_set"], SWAPPED)]
    return {int(str(fold)): set(own["connection_id"]) for fold, own in rows.groupby("fold")}


def _learned(predictions: pd.DataFrame, of_set: str) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield what each model says of the test rows it was tested on, trained on windows of the same rule."""
    own = predictions[(predictions["train_set"] == of_set) & (predictions["test_set"] == of_set)]
    for (model, feature_set), rows in own.groupby(["model", "feature_set"], sort=False):
        yield str(model), str(feature_set), right_of_windows(rows)


def _presets(judged: pd.DataFrame, params: Params) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield what each detector says, by detector and parameter set; those tuned on other datasets are left out."""
    for name in params.replay.detectors:
        for preset in detector_of(name)[0].presets:
            rows = judged[(judged["detector"] == name) & (judged["preset"] == preset)]
            # A detector whose signal no connection has was not replayed.
            if not rows.empty:
                yield name, preset, rows


def _of_model(model: str, feature_set: str) -> dict[str, str]:
    return {"detector": model, "parameters": feature_set, "evidence": _LEARNED}


def _labels(name: str, preset: str) -> dict[str, str]:
    return {"detector": name, "parameters": preset, "evidence": detector_of(name)[0].evidence}


def _all(
    predictions: pd.DataFrame, share: pd.DataFrame, grid: pd.DataFrame, params: Params, dataset: str
) -> _JudgedRows:
    """Models on held-out triggered windows, baselines by their last opinion on all connections."""
    found = _JudgedRows(params.evaluate, by_site=True)
    for model, feature_set, rows in _learned(predictions, str(WindowSet.of(dataset, _TRIGGERED))):
        found.add(_of_model(model, feature_set), rows)
    last = {
        where: right_of_windows(rows.assign(shared_pred=rows["last_pred"]))
        for where, rows in (("presets", share), ("grid", grid))
    }
    for name, preset, rows in _presets(last["presets"], params):
        found.add(_labels(name, preset), rows)
    _bounds(found, last["grid"], params, {})
    return found


def _rows_of(plain: pd.DataFrame, own: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """Return the rows that a detector was replayed on: all, but for one whose signal not every connection has."""
    return plain.merge(own[key], on=key)


def _tunable(grid: pd.DataFrame, params: Params) -> list[str]:
    """Return the detectors with a grid whose signal the dataset has."""
    return [name for name in params.replay.grids if (grid["detector"] == name).any()]


def _bounds(found: _JudgedRows, grid: pd.DataFrame, params: Params, labels: Mapping[str, str]) -> None:
    """Add the best point of each grid on these very rows: no estimate, an upper bound."""
    for name in _tunable(grid, params):
        own = grid[grid["detector"] == name]
        everywhere = {0: set(own["connection_id"])}
        best = best_preset(own.sort_values("preset", kind="stable"))
        found.add({**_labels(name, BOUND), **labels}, of_folds(own[own["preset"] == best], everywhere))


def _same(
    predictions: pd.DataFrame, opinion: pd.DataFrame, grid: pd.DataFrame, params: Params, dataset: str
) -> tuple[_JudgedRows, dict[str, Counter[str]]]:
    """Everything on the same held-out tiled windows."""
    rule = params.search.rule
    tests = _tests(predictions, str(WindowSet.of(dataset, rule)))
    key = [*WINDOW_KEY, "fold"]
    learned = list(_learned(predictions, str(WindowSet.of(dataset, rule))))
    plain = next(rows for model, _, rows in learned if model == CORRELATION)
    found = _JudgedRows(params.evaluate, by_site=True)
    chosen: dict[str, Counter[str]] = {}
    for model, feature_set, rows in learned:
        found.add(_of_model(model, feature_set), rows, difference(rows, plain, key))
    for name, preset, rows in _presets(opinion[opinion["rule"] == rule], params):
        own = of_folds(rows, tests)
        found.add(_labels(name, preset), own, difference(own, _rows_of(plain, own, key), key))
    for name in _tunable(grid, params):
        own, presets = tuned(grid[(grid["rule"] == rule) & (grid["detector"] == name)], tests)
        chosen[name] = Counter(presets.values())
        found.add(_labels(name, TUNED), own, difference(own, _rows_of(plain, own, key), key))
    return found, chosen


def _time(
    predictions: pd.DataFrame, share: pd.DataFrame, grid: pd.DataFrame, params: Params, dataset: str
) -> _JudgedRows:
    """Share of time that baselines are right: on the test sides of the splits, and on all connections."""
    tests = _tests(predictions, str(WindowSet.of(dataset, params.search.rule)))
    found = _JudgedRows(params.evaluate, by_site=True)
    for name, preset, rows in _presets(share, params):
        found.add({**_labels(name, preset), "on": _TEST_SIDES}, of_folds(rows, tests))
    for name in _tunable(grid, params):
        own, _ = tuned(grid[grid["detector"] == name], tests)
        found.add({**_labels(name, TUNED), "on": _TEST_SIDES}, own)
    for name, preset, rows in _presets(share, params):
        found.add({**_labels(name, preset), "on": _ALL_CONNECTIONS}, rows)
    _bounds(found, grid, params, {"on": _ALL_CONNECTIONS})
    return found


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    predictions = read_table(PREDICTION, arguments.predictions).to_pandas()
    read = {}
    for where, folder in (("replayed", arguments.replayed), ("grid", arguments.grids)):
        opinion = read_table(OPINION, folder / "opinion.parquet").to_pandas()
        share = read_table(TIME_SHARE, folder / "time_share.parquet").to_pandas()
        read[where, "opinion"] = right_of_windows(opinion)
        read[where, "share"] = right_of_time(share)
    dataset = arguments.dataset
    same, chosen = _same(predictions, read["replayed", "opinion"], read["grid", "opinion"], params, dataset)
    made = {
        "all": _all(predictions, read["replayed", "share"], read["grid", "share"], params, dataset).table(),
        "same": same.table(),
        "time": _time(predictions, read["replayed", "share"], read["grid", "share"], params, dataset).table(),
    }
    arguments.judged.mkdir(parents=True, exist_ok=True)
    for name, table in made.items():
        table.to_parquet(arguments.judged / f"{name}.parquet", index=False)
        write_csv(table, arguments.tables / f"{name}.csv")
    write_csv(
        pd.DataFrame(
            [
                {"detector": name, "parameters": preset, "splits": count}
                for name, counter in chosen.items()
                for preset, count in sorted(counter.items(), key=lambda item: (-item[1], item[0]))
            ]
        ),
        arguments.tables / "chosen.csv",
    )
    time = made["time"]
    style.save(comparison.baselines(made["same"], time[time["on"] == _TEST_SIDES], dataset), arguments.figure)
    whole = made["same"][made["same"]["site"] == ALL_SITES]
    for row in whole.to_dict("records"):
        log.info("%s, %s: %.3f", row["detector"], row["parameters"], row["balanced"])
    return stage.EXIT_OK
