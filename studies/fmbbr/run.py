"""Run the experiments of the FMBBR paper in the simulator, and put what they come to beside what it reports.

Verdicts are given while the connection runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from functools import partial
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from smartsbd.pipelines.closed_loop.run_outcome import outcome as outcome_of
from smartsbd.scenarios.closed_loop import loop_program
from studies.fmbbr import figure
from studies.fmbbr.claims import BBR, BY_VERDICT, CLAIMS, FMBBR, TOGETHER
from studies.fmbbr.experiments import START_S, WARM_UP_S, FmbbrExperiments, alone_mbit_s
from studies.fmbbr.start_up import METRICS, rival_rates, start_up
from studies.transfers import scheduling
from studies.transfers.claim import beside_paper
from studies.transfers.measured_runs import Measure
from studies.transfers.repetitions import SETTING, Means, mean_interval, summary
from studies.transfers.replication import ReplicatedRuns, Replication, Tables
from studies.transfers.transfer_experiment import ExperimentRun

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: How long the figure follows the rival, in s.
_SHOWN_S = 20.0
_AT = "rival at "


def _measure(_arguments: argparse.Namespace) -> Measure:
    return partial(_measured, program=loop_program.build())


def _measured(planned: ExperimentRun, scenario: Path, program: Path) -> dict[str, float]:
    """Run a scenario; return what it came to, and the rates of whoever is beside it."""
    own = planned.run.scenario
    looped = loop_program.run(program, own, scenario)
    beside = bool(own.background or own.further_connections)
    found = start_up(looped.truth, start_s=START_S, warm_up_s=WARM_UP_S, alone_mbit_s=alone_mbit_s(own), beside=beside)
    delivery = scheduling.scheduling(looped.truth, mss_bytes=own.connection.mss_bytes, start_s=START_S)
    right = outcome_of(looped.truth, looped.verdicts, None).right_share if looped.verdicts else nan
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


def _tables(outcome: ReplicatedRuns[FmbbrExperiments]) -> Tables:
    runs = outcome.runs(*METRICS)
    table = summary(runs, METRICS, **outcome.resampling)
    followed = _rival(pd.DataFrame(outcome.measured.rows), **outcome.resampling)
    return {
        "runs": runs,
        "summary": table,
        "rival": pd.DataFrame(list(followed), columns=[*SETTING, "at_s", "mean", "low", "high"]),
        "beside_paper": pd.DataFrame(list(beside_paper(CLAIMS, Means(table)))),
    }


def _figures(tables: Tables, _arguments: argparse.Namespace) -> Mapping[str, Figure]:
    shown = (BBR, TOGETHER, FMBBR, BY_VERDICT)
    return {"starts": figure.by_start(tables["summary"], tables["rival"], shown)}


REPLICATION = Replication("fmbbr", FmbbrExperiments, _measure, _tables, _figures)
add_arguments, run = REPLICATION.add_arguments, REPLICATION.run
