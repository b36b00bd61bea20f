"""Switched senders beside MPCC on links of their own, network by network, and what is left to rivals.

SmartSBD's Figs. 8 and 10 have SmartSBD above MPCC. A run of MPCC with long RTTs takes minutes, so that the study itself
has it on three networks of each site alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.pipelines.closed_loop import run_outcome
from smartsbd.pipelines.closed_loop.comparison import NETWORK, beside_control, by_place, mean_with_interval
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_csv
from smartsbd.pipelines.running import parallel, stage
from smartsbd.scenarios.closed_loop import EXPERIMENTS, loop_program
from smartsbd.scenarios.closed_loop.loop_experiment import LoopRun
from smartsbd.scenarios.closed_loop.unkept_run import run_once
from smartsbd.scenarios.sites import SITES

EXPERIMENT = "loop_nsb"
#: As `params/full.yaml` draws them.
SEED, NETWORKS = 20230112, 10
COUPLED, RIVAL = "lia", "mpcc"
CONTROLS = (COUPLED, "reno", RIVAL, "tree_paper", "tree_invariant", "lag_excess", "common_lag")


def row_of(run: LoopRun, program: Path) -> dict[str, Any]:
    """Return what a connection and the rivals on both its links had.

    Parameters
    ----------
    run : LoopRun
    program : Path
        What :func:`loop_program.build` returned.

    Returns
    -------
    dict
        The network, ``control``, ``goodput_mbit_s`` and ``rivals_mbit_s``.

    Raises
    ------
    SimulatorError
        If it failed.
    """
    looped = run_once(run.scenario, program)
    network = run.network
    outcomes = [run_outcome.outcome(looped.truth, None, rival) for rival in range(len(run.scenario.background))]
    identity: dict[str, Any] = {"experiment": run.experiment, "variant": network.variant, "place": network.place}
    identity |= {"number": network.number, "control": run.control}
    goodput = run_outcome.outcome(looped.truth, None, None).goodput_mbit_s
    return identity | {"goodput_mbit_s": goodput, "rivals_mbit_s": sum(rival.rival_mbit_s for rival in outcomes)}


def compared(runs: pd.DataFrame, *, resamples: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield how each control does beside LIA and MPCC on the same networks, by place and of all.

    Parameters
    ----------
    runs : DataFrame
        Rows of :func:`row_of`.
    resamples, seed : int
        Of the intervals.

    Yields
    ------
    dict
        ``networks``; ``over_lia`` and ``over_mpcc``, the means over networks of its goodput over theirs;
        ``above_mpcc``, the share of the networks with more than MPCC; ``rivals_over_lia``, what the rivals had over
        what they had beside LIA. Intervals end in ``_low`` and ``_high``.
    """
    whole = runs
    for control in (COUPLED, RIVAL):
        whole = beside_control(whole, control, "goodput_mbit_s")
        whole[f"over_{control}"] = whole["goodput_mbit_s"] / whole[control]
    beside_coupled = runs.loc[runs["control"] == COUPLED, [*NETWORK, "rivals_mbit_s"]]
    whole = whole.merge(beside_coupled, on=list(NETWORK), how="left", suffixes=("", "_beside_lia"))
    whole["rivals_over_lia"] = whole["rivals_mbit_s"] / whole["rivals_mbit_s_beside_lia"]
    for (_, variant, place, control), group in by_place(whole):
        row: dict[str, Any] = {"variant": variant, "place": place, "control": control, "networks": len(group)}
        for column in ("over_lia", "over_mpcc", "rivals_over_lia"):
            row |= mean_with_interval(column, group[column], resamples=resamples, seed=seed)
        yield row | {"above_mpcc": float((group["over_mpcc"] > 1).mean())}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    parser.add_argument("--runs", type=Path, required=True, help="CSV to write: a row for each run")
    parser.add_argument("--table", type=Path, required=True, help="CSV to write: controls beside LIA and MPCC")
    parser.add_argument("--networks", type=int, default=NETWORKS, help="of each site (default: %(default)s)")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the networks under each control."""
    networks = EXPERIMENTS[EXPERIMENT].draw(sites=list(SITES), runs=arguments.networks, seed=SEED)
    runs = [LoopRun(EXPERIMENT, network, control) for network in networks for control in CONTROLS]
    work = partial(row_of, program=loop_program.build())
    rows: list[dict[str, Any]] = []
    for row in parallel.mapped(work, runs, params, what="loop beside_mpcc", threads=True, here=True):
        rows.append(row)
        # What is there can be looked at, if the rest is not waited for.
        write_csv(pd.DataFrame(rows), arguments.runs)
    table = pd.DataFrame(rows)
    options = {"resamples": params.evaluate.resamples, "seed": params.evaluate.seed}
    write_csv(pd.DataFrame(compared(table, **options)), arguments.table)
    return stage.EXIT_OK
