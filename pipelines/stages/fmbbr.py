"""Run the experiments of the FMBBR paper in the simulator, and put what they come to beside what it reports.

Each network is run under every choice of controller, scheduler and source of groups with the same seed; verdicts are
given while the connection runs. Event logs are not kept. A run that fails is reported; the others go on, and the stage
fails at its end.
"""

from __future__ import annotations

import argparse
import logging
import resource
from collections.abc import Iterator
from functools import partial
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from models.closed_loop.run_outcome import outcome
from models.transfers import scheduling
from models.transfers.claim import beside_paper
from models.transfers.fmbbr_claims import BBR, BY_VERDICT, CLAIMS, FMBBR, TOGETHER
from models.transfers.repetitions import SETTING, Means, mean_interval, summary
from models.transfers.start_up import METRICS, rival_rates, start_up
from pipelines.params import Params
from pipelines.reporting.figures import startups, style
from pipelines.reporting.report_files import write_csv
from pipelines.running import stage
from pipelines.running.experiment_runs import KEY, measured
from scenarios.closed_loop import loop_program
from scenarios.fmbbr_experiments import START_S, WARM_UP_S, alone_mbit_s
from scenarios.transfer_experiment import ExperimentRun

log = logging.getLogger(__name__)

#: How long the figure follows the rival, in s.
_SHOWN_S = 20.0
_AT = "rival at "


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--scenarios", type=Path, required=True, help="folder to write: one file for each run")
    parser.add_argument(
        "--reports", type=Path, required=True, help="folder to write: runs, summary, rival, beside_paper"
    )
    parser.add_argument("--figure", type=Path, required=True, help="PNG file")


def _measured(planned: ExperimentRun, scenario: Path, program: Path) -> dict[str, float]:
    """Run a scenario; return what it came to, and the rates of whoever is beside it."""
    own = planned.run.scenario
    looped = loop_program.run(program, own, scenario)
    beside = bool(own.background or own.further_connections)
    found = start_up(looped.truth, start_s=START_S, warm_up_s=WARM_UP_S, alone_mbit_s=alone_mbit_s(own), beside=beside)
    delivery = scheduling.scheduling(looped.truth, mss_bytes=own.connection.mss_bytes, start_s=START_S)
    right = outcome(looped.truth, looped.told, None).right_share if looped.told else nan
    rates = {f"{_AT}{at_s:g}": rate for at_s, rate in rival_rates(looped.truth, START_S) if 0 < at_s <= _SHOWN_S}
    return {
        **found,
        "right_share": right,
        **{name: delivery[name] for name in ("copies_share", "order_delay_ms")},
        **(rates if own.background else {}),
    }


def _rival(runs: pd.DataFrame, *, resamples: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the rival's mean rate over runs, interval by interval."""
    times = [name for name in runs.columns if name.startswith(_AT)]
    for key, own in runs.groupby(list(SETTING), sort=False):
        for name in times:
            known = own[name].dropna().to_numpy(dtype=np.float64)
            if len(known):
                mean, low, high = mean_interval(known, resamples=resamples, seed=seed)
                at_s = float(name.removeprefix(_AT))
                yield dict(zip(SETTING, key, strict=True)) | {"at_s": at_s, "mean": mean, "low": low, "high": high}


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    measure = partial(_measured, program=loop_program.build())
    found = measured(params.fmbbr.planned(), measure, arguments.scenarios, params, what="fmbbr")
    whole = pd.DataFrame(found.rows)
    runs = whole.reindex(columns=[*KEY, *METRICS])
    options = {"resamples": params.evaluate.resamples, "seed": params.evaluate.seed}
    table = summary(runs, METRICS, **options)
    rival = pd.DataFrame(list(_rival(whole, **options)), columns=[*SETTING, "at_s", "mean", "low", "high"])
    claims = pd.DataFrame(list(beside_paper(CLAIMS, Means(table))))
    for name, frame in (("runs", runs), ("summary", table), ("rival", rival), ("beside_paper", claims)):
        write_csv(frame, arguments.reports / f"{name}.csv")
    style.save(startups.by_start(table, rival, (BBR, TOGETHER, FMBBR, BY_VERDICT)), arguments.figure)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    counts = ", ".join(f"{held or 'no bar'}: {count}" for held, count in claims["held"].value_counts().items())
    log.info("%d runs in %.1f CPU s; claims %s", len(runs), usage.ru_utime + usage.ru_stime, counts)
    found.check()
    return stage.EXIT_OK
