"""Search by AutoML engines, each in a process of its own, and teach trees and forests with the labels of one engine.

Trials are the first of `search`'s random splits: an engine learns from a split's training windows, compares settings on
connections held out of them, and judges the windows of the test side. Where a limit of time or memory acts, the
results depend on the machine: so they are not in git, and DVC tracks only the list of what was searched.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import operator
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from smartsbd.contracts.contract import read_table
from smartsbd.features.catalog import PAIR_WINDOW
from smartsbd.models.automl import engine_of, outcome, student
from smartsbd.models.automl.candidate import Candidate, beside_engines, predictions_of, table
from smartsbd.models.automl.distillation import further_windows
from smartsbd.models.automl.engine import Limits
from smartsbd.models.automl.environment import remedy
from smartsbd.models.automl.ground import Ground, grounds
from smartsbd.models.automl.kept import Kept
from smartsbd.models.automl.outcome import Outcomes, PlannedSearch
from smartsbd.models.automl.search import NotRun
from smartsbd.models.families import family_of
from smartsbd.models.families import growth as growth  # noqa: PLC0414 - before processes are forked, which need it
from smartsbd.models.labelled.window_verdicts import write_predictions
from smartsbd.models.search import fitting
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_csv, write_json
from smartsbd.pipelines.running import parallel, plan, stage
from smartsbd.pipelines.running.automl_environments import environments

log = logging.getLogger(__name__)

#: The family every other candidate is compared with.
_REFERENCE = "tree"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument(
        "--features", type=Path, required=True, help="folder with one folder of windows for each dataset"
    )
    parser.add_argument(
        "--environments",
        type=Path,
        default=Path(sys.prefix),
        help="folder with the engines' environments (%(default)s)",
    )
    parser.add_argument("--results", type=Path, required=True, help="folder for what was found")
    parser.add_argument("--searched", type=Path, required=True, help="JSON file: what was searched")


def _grounds(dataset: str, features: Path, params: Params) -> list[Ground]:
    windows, *others = (
        read_table(PAIR_WINDOW, features / name / "pair_window.parquet").to_pandas()
        for name in dict.fromkeys([dataset, *params.search.datasets])
    )
    more = further_windows(windows, others, params.search.rule)
    return grounds(
        dataset,
        windows,
        more,
        feature_sets=params.automl.feature_sets,
        rules=params.search.rules,
        drawing=plan.drawing(params.search),
        splits=params.automl.splits,
    )


def _outcomes(every: Sequence[Ground], arguments: argparse.Namespace, params: Params, kept: Kept) -> Outcomes:
    """Search with every engine that can run here; take over the results of a run that was broken off."""
    options, method = params.automl, plan.method(params.search)
    standing = environments(params, arguments.environments)
    outcomes: Outcomes = {}
    waiting: list[PlannedSearch] = []
    for name, evaluations in options.evaluations.items():
        engine = engine_of(name)
        if not standing[name]:
            log.warning("%s", remedy(engine))
            outcomes |= outcome.without_environment(engine, every)
            continue
        outcomes |= {(name, ground.feature_set): {} for ground in every}
        limits = Limits(evaluations, options.time_s, options.evaluation_time_s, options.memory_mb, options.cores)
        for planned in outcome.planned(engine, every, arguments.environments, limits, method, options.seed):
            before = kept.find(planned.digest)
            if before is None:
                waiting.append(planned)
                continue
            log.info("%s, %s, split %d: kept from a run that was broken off", *planned.key, planned.fold)
            outcomes[planned.key][planned.fold] = before
    at_once = max(1, parallel.workers(params) // options.cores)
    with contextlib.closing(outcome.ended(waiting, kept, at_once, Path(tempfile.gettempdir()))) as ended:
        for planned, result in parallel.progress(ended, what=f"automl {arguments.dataset}", total=len(waiting)):
            outcomes[planned.key][planned.fold] = result
            spent = result.reason if isinstance(result, NotRun) else f"{result.cpu_s:.0f} CPU s"
            log.info("%s, %s, split %d: %s", *planned.key, planned.fold, spent)
    return outcomes


def _students(every: Sequence[Ground], outcomes: Outcomes, params: Params) -> list[Candidate]:
    """Teach every family with the truth, and the students with the teacher's labels too, where that has run."""
    options = params.automl
    given, tops = options.grids or params.search.families, options.top or params.search.top
    names = [*options.families, *options.students]
    grids = {name: fitting.settings(family_of(name), given[name], tops) for name in names}
    taught = student.teachings(every, outcomes, options.families, options.students, options.teacher)
    tasks = student.tasks(taught, grids, plan.method(params.search))
    results = parallel.mapped(operator.call, tasks, params, what="students")
    return list(student.candidates(taught, results))


def _write(candidates: Sequence[Candidate], outcomes: Outcomes, folder: Path, params: Params) -> None:
    """Write all results, and put them in place at once."""
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    accuracies = table(candidates, _REFERENCE, resamples=params.evaluate.resamples, seed=params.evaluate.seed)
    history = outcome.history(outcomes)
    write_csv(accuracies, part / "accuracy.csv")
    write_csv(history, part / "history.csv")
    write_csv(outcome.leaderboard(history), part / "leaderboard.csv")
    write_csv(outcome.members(history), part / "members.csv")
    write_predictions(predictions_of(candidates), part / "predictions.parquet")
    part.rename(folder)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    params.check_learnable(arguments.dataset)
    # The results there are another run's: whatever becomes of this one, they must not be taken for its own.
    shutil.rmtree(arguments.results, ignore_errors=True)
    every = _grounds(arguments.dataset, arguments.features, params)
    kept = arguments.results.with_name(f"{arguments.results.name}.kept")
    outcomes = _outcomes(every, arguments, params, Kept(kept))
    students = _students(every, outcomes, params)
    _write(beside_engines(every, outcomes, students), outcomes, arguments.results, params)
    standing = environments(params, arguments.environments)
    # In words that every machine on which all went well says alike.
    searched = {"asked": params.automl.model_dump(), "engines": standing, "finished": outcome.finished(outcomes)}
    write_json(searched, arguments.searched)
    shutil.rmtree(kept, ignore_errors=True)
    return stage.EXIT_OK
