"""Run the experiments of the MPLibra paper in the simulator, and put what they come to beside what it reports.

Each network is run under every controller with the same seed; verdicts are given while the connection runs. Learnt
agents take their weights from files: a controller whose file is not there is not run, is counted, and every table says
so. Event logs are not kept. A run that fails is reported; the others go on, and the stage fails at its end.
"""

from __future__ import annotations

import argparse
import logging
import resource
from functools import partial
from math import nan
from pathlib import Path

import pandas as pd

from models.closed_loop.run_outcome import outcome
from models.transfers import paired_difference
from models.transfers.claim import beside_paper
from models.transfers.control_quality import METRICS, after_capacity_steps, after_rival_moved, control_quality
from models.transfers.gains import gains
from models.transfers.mplibra_claims import CLAIMS, CLASSIC, LIA, MPLIBRA, RANDOM
from models.transfers.repetitions import NOT_RUN, RUN, STATE, Means, summary
from pipelines.params import Params
from pipelines.reporting.figures import learning_curves, learnt_control, style
from pipelines.reporting.report_files import write_csv
from pipelines.running import stage
from pipelines.running.experiment_runs import KEY, MeasuredRuns, measured
from scenarios.closed_loop import loop_program
from scenarios.mplibra_experiments import START_S, WARM_UP_S
from scenarios.transfer_experiment import ExperimentRun, bottleneck_mbit_s

log = logging.getLogger(__name__)

#: What the agent is compared by; differences are those of learnt to the others.
_COMPARED = (
    *("goodput_mbit_s", "utilisation", "jain", "rivals_mbit_s", "queueing_ms", "completion_s"),
    *("up_s", "down_s", "rtt_back_s", "shift_s"),
)
_PAIRS = ((MPLIBRA, CLASSIC), (MPLIBRA, RANDOM), (CLASSIC, RANDOM))
_SHARING = "sharing"
#: What is compared with LIA there, and how the columns of :func:`~models.transfers.gains.gains` are called.
_OF_SHARING = ("goodput_mbit_s", "rivals_mbit_s", "queueing_ms")
_AS_RATIOS = {"group": "setting", "goodput_mbit_s": "value", "mean": "of_lia"}
_SHARING_COLUMNS = ["setting", "metric", "controller", STATE, "networks", "value", "of_lia", "low", "high"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--agents", type=Path, required=True, help="folder with weights: mplibra.agent, rl_joint.agent")
    parser.add_argument("--scenarios", type=Path, required=True, help="folder to write: one file for each run")
    parser.add_argument(
        "--reports",
        type=Path,
        required=True,
        help="folder to write: runs, summary, beside_paper, ablations, sharing",
    )
    parser.add_argument("--figure", type=Path, required=True, help="PNG file: losses, and TCP flows beside")
    parser.add_argument("--curves", type=Path, required=True, help="PNG file: learning curves of the agents")


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
    right = outcome(looped.truth, looped.told, None).right_share if looped.told else nan
    return {**found, "right_share": right}


def _runs(found: MeasuredRuns, planned: list[ExperimentRun]) -> pd.DataFrame:
    """Return a row for each run in the order planned, also for those that were not made."""
    rows = [{**row, STATE: RUN} for row in found.rows] + [{**row, STATE: NOT_RUN} for row in found.not_run]
    order = {(run.experiment, run.setting, run.controller, run.number): place for place, run in enumerate(planned)}
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


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    planned = params.mplibra.planned()
    measure = partial(_measured, program=loop_program.build(), agents=arguments.agents)
    found = measured(planned, measure, arguments.scenarios, params, what="mplibra")
    runs = _runs(found, planned)
    options = {"resamples": params.evaluate.resamples, "seed": params.evaluate.seed}
    table = summary(runs, METRICS, **options)
    claims = pd.DataFrame(list(beside_paper(CLAIMS, Means(table))))
    frames = {
        "runs": runs,
        "summary": table,
        "beside_paper": claims,
        "ablations": paired_difference.differences(runs, _PAIRS, _COMPARED, **options),
        "sharing": _beside_lia(runs, options),
    }
    for name, frame in frames.items():
        write_csv(frame, arguments.reports / f"{name}.csv")
    style.save(learnt_control.by_loss_and_fairness(table), arguments.figure)
    learnt = {path.stem: pd.read_csv(path) for path in sorted(arguments.agents.glob("*.csv"))}
    style.save(learning_curves.curves(learnt), arguments.curves)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    counts = ", ".join(f"{held or 'no bar'}: {count}" for held, count in claims["held"].value_counts().items())
    log.info(
        "%d runs in %.1f CPU s, %d not run; claims %s",
        len(found.rows),
        usage.ru_utime + usage.ru_stime,
        len(found.not_run),
        counts,
    )
    found.check()
    return stage.EXIT_OK
