"""Search by AutoML engines, each in a process of its own, and teach trees and forests by what one of them says.

Trials are the first of `search`'s random splits: an engine learns from a split's training windows, compares settings on
connections held out of them, and judges the windows of the test side. Where a limit of time or memory acts, what
is found depends on the machine: so none of it stands in git, and of the outputs DVC knows only what was searched.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import operator
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import FrameType

import pandas as pd

from contracts.contract import read_table, write_table
from contracts.tables import PREDICTION
from features.catalog import PAIR_WINDOW, feature_names
from models import search
from models.automl import engine_of
from models.automl.candidate import Candidate, of_engine, of_family, table
from models.automl.engine import Limits
from models.automl.environment import installed, python_of, remedy
from models.automl.ground import Ground, judged
from models.automl.kept import Kept, digest_of
from models.automl.search import Asked, EngineSearched, NotRun, searches
from models.distillation import Taught, lesson_of_truth, lessons_of, taught, without_truth
from models.families import family_of
from models.families import growth as growth  # noqa: PLC0414 - before processes are forked, which need it
from models.trial import random_trials
from models.windows import windows_of_kinds
from pipelines.params import Params
from pipelines.reporting.report_files import read_json, write_csv, write_json
from pipelines.running import parallel, plan, stage

log = logging.getLogger(__name__)

#: The family every other candidate is compared with.
_REFERENCE = "tree"
#: Outcomes of searches by engine and set of features, then by split.
Outcomes = dict[tuple[str, str], dict[int, EngineSearched | NotRun]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--features", type=Path, required=True, help="folder with a folder of windows a dataset")
    parser.add_argument("--engines", type=Path, required=True, help="JSON file: which engines can run here")
    parser.add_argument("--environments", type=Path, default=Path(sys.prefix), help="where they are (%(default)s)")
    parser.add_argument("--results", type=Path, required=True, help="folder for what was found")
    parser.add_argument("--searched", type=Path, required=True, help="JSON file: what was searched")


@contextlib.contextmanager
def _ended_on_request() -> Iterator[None]:
    """Let SIGTERM end the work by an exception, so that searches are ended too."""

    def end(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _grounds(dataset: str, features: Path, params: Params) -> list[Ground]:
    options, rule = params.automl, params.search.rule
    frames = {
        name: read_table(PAIR_WINDOW, features / name / "pair_window.parquet").to_pandas()
        for name in dict.fromkeys([dataset, *params.search.datasets])
    }
    own = frames.pop(dataset)
    # Of other datasets the truth is not looked at.
    others = [frame[frame["rule"] == rule] for frame in frames.values()]
    more = pd.concat([without_truth(own, rule), *others], ignore_index=True)
    found = []
    for feature_set in options.feature_sets:
        windows = windows_of_kinds(own, params.search.rules, own.iloc[:0], feature_names(feature_set))
        trials = random_trials(windows, dataset, rule, plan.drawing(params.search))[: options.splits]
        found.append(Ground(feature_set, windows, trials, more))
    return found


def _outcomes(grounds: Sequence[Ground], arguments: argparse.Namespace, params: Params, kept: Kept) -> Outcomes:
    """Search with every engine that can run here; take what a run that was broken off has found."""
    options, standing = params.automl, read_json(arguments.engines)
    found: Outcomes = {}
    places: list[tuple[str, str, int]] = []
    digests: list[str] = []
    every: list[Asked] = []
    for name, evaluations in options.evaluations.items():
        engine = engine_of(name)
        if not standing[name]:
            log.warning("%s", remedy(engine))
            not_run = NotRun(remedy(engine))
            found |= {(name, ground.feature_set): {one.fold: not_run for one in ground.trials} for ground in grounds}
            continue
        limits = Limits(evaluations, options.time_s, options.evaluation_time_s, options.memory_mb, options.cores)
        for ground in grounds:
            found[name, ground.feature_set] = {}
            for trial in ground.trials:
                asked = Asked(
                    engine=engine,
                    python=python_of(engine, arguments.environments),
                    feature_names=ground.windows.feature_names,
                    x=ground.windows.x[trial.train],
                    shared=ground.windows.shared[trial.train],
                    fold=ground.folds(trial, plan.method(params.search)),
                    judged=ground.judged_x(trial),
                    limits=limits,
                    seed=options.seed,
                )
                digest = digest_of(asked, installed(engine, arguments.environments) or "")
                before = kept.find(digest)
                if before is not None:
                    log.info(
                        "%s, %s, split %d: kept from a run that was broken off", name, ground.feature_set, trial.fold
                    )
                    found[name, ground.feature_set][trial.fold] = before
                    continue
                places.append((name, ground.feature_set, trial.fold))
                digests.append(digest)
                every.append(asked)
    at_once = max(1, parallel.workers(params) // options.cores)
    with _ended_on_request(), contextlib.closing(searches(every, at_once, Path(tempfile.gettempdir()))) as ended:
        for place, outcome in parallel.progress(ended, what=f"automl {arguments.dataset}", total=len(every)):
            name, feature_set, fold = places[place]
            found[name, feature_set][fold] = outcome
            if isinstance(outcome, EngineSearched):
                kept.keep(digests[place], outcome)
            said = outcome.reason if isinstance(outcome, NotRun) else f"{outcome.cpu_s:.0f} CPU s"
            log.info("%s, %s, split %d: %s", name, feature_set, fold, said)
    return found


def _students(grounds: Sequence[Ground], outcomes: Outcomes, params: Params) -> Iterator[Candidate]:
    """Yield every family taught by the truth, and the students taught by the teacher too, where that has run."""
    options, method = params.automl, plan.method(params.search)
    keys, tasks = [], []
    splits: dict[tuple[str, str, str], int] = {}
    for ground in grounds:
        teacher = outcomes.get((options.teacher, ground.feature_set), {})
        for name in dict.fromkeys([*options.families, *options.students]):
            family = family_of(name)
            settings = (options.grids or params.search.families)[name]
            grid = search.settings(family, settings, options.top or params.search.top)
            for trial in ground.trials:
                lessons = [lesson_of_truth(ground, trial)]
                said = teacher.get(trial.fold)
                if name in options.students and isinstance(said, EngineSearched):
                    lessons += lessons_of(options.teacher, judged(trial, said.probability), ground, trial)
                for lesson in lessons:
                    key = (name, lesson.learnt_from, ground.feature_set)
                    splits[key] = len(ground.trials)
                    if lesson.teaches:
                        keys.append(key)
                        tasks.append(partial(taught, ground, trial, lesson, family, grid, method))
    results = list(parallel.mapped(operator.call, tasks, params, what="students"))
    by_key: dict[tuple[str, str, str], list[Taught]] = {}
    for key, result in zip(keys, results, strict=True):
        by_key.setdefault(key, []).append(result)
    for key, count in splits.items():
        own = by_key.get(key, [])
        if len(own) == count:
            yield of_family(*key, own)
        else:
            note = f"not run ({count - len(own)} of {count} splits): the teacher gave nothing, or one label alone"
            yield Candidate(*key, predictions=None, note=note)


def _history(outcomes: Outcomes) -> pd.DataFrame:
    """Return every evaluation of every search that finished."""
    labels = ["engine", "feature_set", "fold", "number"]
    parts = [
        one.evaluations.assign(engine=engine, feature_set=feature_set, fold=fold, number=range(len(one.evaluations)))
        for (engine, feature_set), by_fold in outcomes.items()
        for fold, one in sorted(by_fold.items())
        if isinstance(one, EngineSearched)
    ]
    if not parts:
        return pd.DataFrame(columns=[*labels, "accuracy", "weight"])
    rows = pd.concat(parts, ignore_index=True)
    rows["setting"] = [json.dumps(setting, sort_keys=True) for setting in rows["setting"]]
    return rows[[*labels, *(name for name in rows.columns if name not in labels)]]


def _searched(outcomes: Outcomes, standing: Mapping[str, str | None], params: Params) -> dict[str, object]:
    """Return what was searched, in words that every machine on which all went well says alike."""
    return {
        "asked": params.automl.model_dump(),
        "engines": dict(standing),
        "finished": {
            f"{engine} {feature_set}": sum(isinstance(one, EngineSearched) for one in by_fold.values())
            for (engine, feature_set), by_fold in outcomes.items()
        },
    }


def _write(candidates: Sequence[Candidate], outcomes: Outcomes, folder: Path, params: Params) -> None:
    """Write all results, and put them in place at once."""
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    accuracies = table(candidates, _REFERENCE, resamples=params.evaluate.resamples, seed=params.evaluate.seed)
    write_csv(accuracies, part / "accuracy.csv")
    history = _history(outcomes)
    write_csv(history, part / "history.csv")
    of_search = ["engine", "feature_set", "fold"]
    finished = history[history["accuracy"].notna()]
    best_first = finished.sort_values([*of_search, "accuracy"], ascending=[True, True, True, False], kind="stable")
    write_csv(best_first, part / "leaderboard.csv")
    write_csv(history[history["weight"] > 0], part / "members.csv")
    predictions = pd.concat(
        [
            one.predictions.assign(model=f"{one.model} of {one.learnt_from}")
            for one in candidates
            if one.predictions is not None
        ],
        ignore_index=True,
    )
    columns = {column.name: predictions[column.name].tolist() for column in PREDICTION.columns}
    write_table(PREDICTION, columns, part / "predictions.parquet")
    part.rename(folder)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    params.check_learnable(arguments.dataset)
    # What stands there is another run's: whatever becomes of this one, it must not be taken for its own.
    shutil.rmtree(arguments.results, ignore_errors=True)
    grounds = _grounds(arguments.dataset, arguments.features, params)
    kept = arguments.results.with_name(f"{arguments.results.name}.kept")
    outcomes = _outcomes(grounds, arguments, params, Kept(kept))
    students = list(_students(grounds, outcomes, params))
    candidates = []
    for ground in grounds:
        candidates += [
            of_engine(engine, ground, by_fold)
            for (engine, feature_set), by_fold in outcomes.items()
            if feature_set == ground.feature_set
        ]
        candidates += [one for one in students if one.feature_set == ground.feature_set]
    _write(candidates, outcomes, arguments.results, params)
    write_json(_searched(outcomes, read_json(arguments.engines), params), arguments.searched)
    shutil.rmtree(kept, ignore_errors=True)
    return stage.EXIT_OK
