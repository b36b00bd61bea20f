"""Run the experiments of the MPLibra paper in the simulator, and put what they come to beside what it reports.

Verdicts are given while the connection runs. Learnt agents take their weights from files: a controller whose file is
not there is not run, is counted, and every table says so.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import partial
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from smartsbd.pipelines.closed_loop.run_outcome import outcome as outcome_of
from smartsbd.scenarios.closed_loop import loop_program
from studies.mplibra import figure, learning_curves, paired_difference
from studies.mplibra.claims import CLAIMS, CLASSIC, LIA, MPLIBRA, RANDOM
from studies.mplibra.control_quality import METRICS, after_capacity_steps, after_rival_moved, control_quality
from studies.mplibra.experiments import START_S, WARM_UP_S, MplibraExperiments
from studies.transfers.claim import beside_paper
from studies.transfers.gains import gains
from studies.transfers.measured_runs import KEY, Measure
from studies.transfers.repetitions import NOT_RUN, RUN, STATE, Means, summary
from studies.transfers.replication import ReplicatedRuns, Replication, Tables
from studies.transfers.transfer_experiment import ExperimentRun, bottleneck_mbit_s

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What the agent is compared by; differences are those of learnt to the others.
_COMPARED = (
    *("goodput_mbit_s", "utilisation", "jain", "rivals_mbit_s", "queueing_ms", "completion_s"),
    *("up_s", "down_s", "rtt_back_s", "shift_s"),
)
_PAIRS = ((MPLIBRA, CLASSIC), (MPLIBRA, RANDOM), (CLASSIC, RANDOM))
_SHARING = "sharing"
#: What is compared with LIA there, and how the columns of :func:`~studies.transfers.gains.gains` are called.
_OF_SHARING = ("goodput_mbit_s", "rivals_mbit_s", "queueing_ms")
_AS_RATIOS = {"group": "setting", "goodput_mbit_s": "value", "mean": "of_lia"}
_SHARING_COLUMNS = ["setting", "metric", "controller", STATE, "networks", "value", "of_lia", "low", "high"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    REPLICATION.add_arguments(parser)
    parser.add_argument("--agents", type=Path, required=True, help="folder with weights: mplibra.agent, rl_joint.agent")


def _measure(arguments: argparse.Namespace) -> Measure:
    return partial(_measured, program=loop_program.build(), agents=arguments.agents)


def _measured(planned: ExperimentRun, scenario: Path, program: Path, agents: Path) -> dict[str, float]:
    """Run a scenario; return what it came to."""
    own, changes_s = planned.run.scenario, planned.changes_s
    looped = loop_program.run(program, own, scenario, agents)
    found = control_quality(
        looped.truth,
        capacity_mbit_s=bottleneck_mbit_s(own, WARM_UP_S, own.duration_s),
        start_s=START_S,
        warm_up_s=WARM_UP_S,
    )
    if len(changes_s) > 1:
        up_s, down_s = changes_s
        rtts_ms = [subflow.rtt_ms for subflow in own.subflows]
        found |= after_capacity_steps(looped.truth, looped.events, up_s=up_s, down_s=down_s, base_rtts_ms=rtts_ms)
    elif changes_s:
        found |= after_rival_moved(looped.truth, *changes_s)
    right = outcome_of(looped.truth, looped.verdicts, None).right_share if looped.verdicts else nan
    return {**found, "right_share": right}


def _runs(outcome: ReplicatedRuns[MplibraExperiments]) -> pd.DataFrame:
    """Return a row for each run in the order planned, also for those that were not made."""
    rows = [{**row, STATE: RUN} for row in outcome.measured.rows]
    rows += [{**row, STATE: NOT_RUN} for row in outcome.measured.not_run]
    keys = [(run.experiment, run.setting, run.controller, run.number) for run in outcome.planned]
    order = {key: place for place, key in enumerate(keys)}
    rows.sort(key=lambda row: order[tuple(row[name] for name in KEY)])
    return pd.DataFrame(rows).reindex(columns=[*KEY, STATE, *METRICS])


def _beside_lia(runs: pd.DataFrame, options: dict[str, int]) -> pd.DataFrame:
    """Return what goodput, the rivals' goodput and delay are of those under LIA, on networks of ``sharing``."""
    own = runs[runs["experiment"] == _SHARING]
    ran, waits = own[own[STATE] == RUN], own[own[STATE] == NOT_RUN]
    frames = []
    for metric in _OF_SHARING:
        compared = ran.assign(group=ran["setting"], goodput_mbit_s=ran[metric])
        frames.append(gains(compared, LIA, **options).assign(metric=metric).rename(columns=_AS_RATIOS))
        missing = waits[["setting", "controller"]].drop_duplicates().assign(metric=metric, networks=0, state=NOT_RUN)
        frames.append(missing)
    return pd.concat(frames).reindex(columns=_SHARING_COLUMNS).fillna({STATE: RUN})


def _tables(outcome: ReplicatedRuns[MplibraExperiments]) -> Tables:
    runs = _runs(outcome)
    table = summary(runs, METRICS, **outcome.resampling)
    return {
        "runs": runs,
        "summary": table,
        "beside_paper": pd.DataFrame(list(beside_paper(CLAIMS, Means(table)))),
        "ablations": paired_difference.differences(runs, _PAIRS, _COMPARED, **outcome.resampling),
        "sharing": _beside_lia(runs, outcome.resampling),
    }


def _figures(tables: Tables, arguments: argparse.Namespace) -> Mapping[str, Figure]:
    learnt = {path.stem: pd.read_csv(path) for path in sorted(arguments.agents.glob("*.csv"))}
    return {"losses": figure.by_loss_and_fairness(tables["summary"]), "agents": learning_curves.curves(learnt)}


REPLICATION = Replication("mplibra", MplibraExperiments, _measure, _tables, _figures)
run = REPLICATION.run
