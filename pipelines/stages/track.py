"""Copy the results of the search, the evaluation and the export into MLflow.

Each profile has an experiment. Each dataset, family and set of features has a run, with the settings of its grid as
children. A run whose content is already there (parameters, metrics with intervals, grid, figures, input and
model; not the commit) is not logged again. The most accurate exported model, by the nested estimate, is registered
under the alias ``exportable``. AutoML has one run for each dataset, engine or student, and set of features; the run
holds times, so a repeated search makes a new one. Each replayed detector has a run, with its last verdicts on each
dataset. Nothing reads MLflow back; with ``tracking.enabled: false`` nothing is written.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import read_json, write_json
from smartsbd.pipelines.running import parallel, stage
from smartsbd.pipelines.tracking.candidate_runs import candidate_runs
from smartsbd.pipelines.tracking.detector_runs import detector_runs, last_verdicts_learnt, last_verdicts_replayed
from smartsbd.pipelines.tracking.experiment import ALIAS, NOTE, REGISTERED, experiment_name, views
from smartsbd.pipelines.tracking.model_runs import best_exported, model_runs

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--models", type=Path, required=True, help="folder with one folder of models for each dataset")
    parser.add_argument(
        "--features", type=Path, required=True, help="folder with one folder of windows for each dataset"
    )
    parser.add_argument("--reports", type=Path, required=True, help="folder with the other stages' reports")
    parser.add_argument(
        "--automl", type=Path, required=True, help="folder with AutoML's results, one folder for each dataset"
    )
    parser.add_argument("--database", type=Path, required=True, help="MLflow's sqlite file; artifacts go beside it")
    parser.add_argument("--tracked", type=Path, required=True, help="JSON file: the runs that MLflow has")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    if not params.tracking.enabled:
        write_json({"enabled": False}, arguments.tracked)
        log.info("tracking.enabled is false: nothing mirrored")
        return stage.EXIT_OK
    report = arguments.reports / "export.json"
    headers = {entry["model"]: header for header, entry in read_json(report).items()}
    parents = [
        parent for dataset in params.search.datasets for parent in model_runs(dataset, headers, arguments, params)
    ]
    best = best_exported(parents, headers, report)

    from smartsbd.pipelines.tracking import mlflow_store

    name = experiment_name(params)
    mirror = mlflow_store.Mirror(arguments.database, name)
    replayed = last_verdicts_replayed(arguments.reports / "verdicts", params)
    learnt = last_verdicts_learnt(arguments.reports / "learnt_verdicts" / "accuracy.csv")
    mirror.describe(NOTE, views(params, list(replayed)))
    forgotten = mirror.forget_unfinished()
    if forgotten:
        log.info("%d unfinished runs of an earlier stage deleted", forgotten)
    logged = [mirror.log(parent) for parent in parallel.progress(parents, what="track", total=len(parents))]
    candidates = [
        candidate
        for dataset in params.automl.datasets
        for candidate in candidate_runs(arguments.automl / dataset, dataset, params)
    ]
    detectors = (*detector_runs(replayed, params), *detector_runs(learnt, params))
    logged += [mirror.log_candidate(candidate) for candidate in (*candidates, *detectors)]
    mirror.register(best, name, ALIAS, REGISTERED.format(profile=params.profile, alias=ALIAS))
    log.info("%d runs, %d of them logged now; %s is %s@%s", len(logged), sum(logged), best.name, name, ALIAS)
    write_json(
        {
            "enabled": True,
            "experiment": name,
            ALIAS: best.name,
            "runs": {
                parent.name: {"model": parent.model_digest, "settings": len(parent.children)} for parent in parents
            },
        },
        arguments.tracked,
    )
    return stage.EXIT_OK
