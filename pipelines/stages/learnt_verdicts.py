"""Learn families on one dataset with each set of features, of windows and of tiles; judge their last verdicts.

Is it the data or the features? The learnt families are compared with the fixed rule of the lag excess under each
memory, with and without an unknown band; with plain correlation and the comparison test with a band chosen in the same
way; and with controls: shuffled labels, one subflow alone, swapped partners, single configured values.
"""

from __future__ import annotations

import argparse
import logging
import operator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from smartsbd.models.families import growth as growth  # noqa: PLC0414 - before processes are forked, which need it
from smartsbd.models.last_verdict.dataset_tables import DatasetTables
from smartsbd.models.last_verdict.final_verdict import SAID, last_labels
from smartsbd.models.last_verdict.learnt_verdict import Learning, Learnt, Task, settings_of
from smartsbd.models.last_verdict.verdict_comparison import (
    Source,
    VerdictComparison,
    bands_of_numbers,
    learning_tasks,
    pair_labels,
    sources,
)
from smartsbd.models.last_verdict.verdict_controls import ControlPlan, controls
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.params.block import ParamsError
from smartsbd.pipelines.reporting.report_files import write_csv, write_json, write_parquet
from smartsbd.pipelines.running import parallel, stage

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--tables", type=Path, required=True, help="folder with one folder of tables for each dataset")
    parser.add_argument("--truths", type=Path, required=True, help="folder with one truth table for each dataset")
    parser.add_argument(
        "--features", type=Path, required=True, help="folder with one folder of windows for each dataset"
    )
    parser.add_argument("--tiles", type=Path, required=True, help="folder with one folder of tiles for each dataset")
    parser.add_argument("--judged", type=Path, required=True, help="parquet file: every pair")
    parser.add_argument(
        "--table", type=Path, required=True, help="CSV file: every family, and the detectors compared with them"
    )
    parser.add_argument("--controls", type=Path, required=True, help="CSV file: controls")
    parser.add_argument("--chosen", type=Path, required=True, help="JSON file: settings and bands")


@dataclass(frozen=True)
class LearntFamilies:
    """Families learnt on the one dataset.

    Attributes
    ----------
    tasks : dict of Source to Task
    settings : dict of str to int
        As :func:`~smartsbd.models.last_verdict.learnt_verdict.settings_of` returns them.
    learning : Learning
    learnt : dict of (Source, str) to Learnt
        By source and family.
    bands : dict of str to float
        Of single numbers.
    """

    tasks: dict[Source, Task]
    settings: dict[str, int]
    learning: Learning
    learnt: dict[tuple[Source, str], Learnt]
    bands: dict[str, float]

    def compared(self, data: DatasetTables, params: Params) -> VerdictComparison:
        """Return the comparison of their last verdicts on datasets whose tables lie in `data`."""
        return VerdictComparison(
            data=data,
            trained=params.learnt_verdicts.trained,
            memories=params.tiles.memories,
            shifts=params.replay.shifts,
            learnt=self.learnt,
            bands=self.bands,
            resamples=params.evaluate.resamples,
            seed=params.evaluate.seed,
        )


def learn(data: DatasetTables, params: Params) -> LearntFamilies:
    """Learn every family from every source, on the dataset that params.yaml names.

    Parameters
    ----------
    data : DatasetTables
        Has the tables of that dataset.
    params : Params

    Returns
    -------
    LearntFamilies

    Raises
    ------
    ParamsError
        If nothing may be learnt from the dataset, or it is not among those that are used.
    """
    options = params.learnt_verdicts
    params.check_learnable(options.trained)
    if options.trained not in params.datasets:
        raise ParamsError(f"learnt_verdicts.trained is {options.trained!r}, which is none of datasets")
    learning = Learning(options.moments, options.folds, options.simpler_within, options.seed)
    truth = data.truth(options.trained)
    settings = settings_of(pd.DataFrame(truth))
    labels = pair_labels(list(last_labels(truth)))
    every = sources(options.feature_sets, params.tiles.memories)
    tasks = {source: Task.of(data.moments(options.trained, source), settings) for source in every}
    work = learning_tasks(tasks, options.families, labels, options.least_right, learning)
    learnt = parallel.mapped(operator.call, list(work.values()), params, what="learn")
    bands = bands_of_numbers(data, options.trained, labels, options.least_right)
    return LearntFamilies(tasks, settings, learning, dict(zip(work, learnt, strict=True)), bands)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    options, evaluate = params.learnt_verdicts, params.evaluate
    data = DatasetTables(arguments.tables, arguments.truths, arguments.features, arguments.tiles)
    families = learn(data, params)
    compared = families.compared(data, params)
    everything, table = [], []
    for dataset in params.datasets:
        if not any(last_labels(data.truth(dataset))):
            log.warning("%s: no pair has a valid label", dataset)
            continue
        rows, accuracies = compared.judged(dataset)
        everything.append(rows)
        table += accuracies
    write_parquet(pd.concat(everything, ignore_index=True).astype({SAID: "boolean"}), arguments.judged)
    write_csv(pd.DataFrame(table), arguments.table)
    asked = ControlPlan(
        trained=options.trained,
        families=options.families,
        memories=params.tiles.memories,
        swapped=[dataset for dataset in params.tiles.swapped if dataset in params.datasets],
        resamples=evaluate.resamples,
        resampling_seed=evaluate.seed,
        seed=options.seed,
    )

    control_rows = controls(
        data,
        families.tasks,
        families.learnt,
        families.settings,
        families.learning,
        asked,
        lambda work, items: parallel.mapped(work, items, params, what="judge"),
    )
    write_csv(pd.DataFrame(list(control_rows)), arguments.controls)
    write_json(compared.chosen(), arguments.chosen)
    log.info("%d families learnt on %s, judged on %d datasets", len(families.learnt), options.trained, len(everything))
    return stage.EXIT_OK
