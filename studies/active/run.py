"""Judge the active check of "shared": verdicts, costs and gains beside what only watches, in the simulator.

What is run and what is asked was written down before (experiments.md).
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.pipelines.params import Params, read_block
from smartsbd.pipelines.reporting.report_files import write_csv
from smartsbd.pipelines.running import parallel, stage
from smartsbd.scenarios.closed_loop import loop_program
from smartsbd.scenarios.simulator import SimulatorError
from studies.active import check_tables, outcomes
from studies.active.networks import MOVING, ActiveNetwork, ActiveNetworks, drawn

log = logging.getLogger(__name__)

PARAMS = ActiveNetworks
_Rows = list[dict[str, Any]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    parser.add_argument("--experiments", type=Path, required=True, help="the study's params.yaml")
    parser.add_argument("--reports", type=Path, required=True, help="folder to write: a CSV file for each table")


def came_to(network: ActiveNetwork, program: Path) -> tuple[_Rows, _Rows, _Rows]:
    """Return what came of a network.

    Parameters
    ----------
    network : ActiveNetwork
    program : Path
        What :func:`loop_program.build` returned.

    Returns
    -------
    (list of dict, list of dict, list of dict)
        Rows of pairs, of runs, and of moves; none if a run failed.
    """
    try:
        runs = outcomes.run_all(network, program)
    except SimulatorError as error:
        log.warning("%s %d is left out: %s", network.set, network.number, error)
        return [], [], []
    if network.set == MOVING:
        return [], list(outcomes.of_runs(network, runs)), list(outcomes.of_moves(network, runs))
    return list(outcomes.of_pairs(network, runs)), list(outcomes.of_runs(network, runs)), []


def made_of(pairs: pd.DataFrame, runs: pd.DataFrame, changes: pd.DataFrame, params: Params) -> dict[str, pd.DataFrame]:
    """Return the tables by name.

    Parameters
    ----------
    pairs, runs, changes : DataFrame
        A row for each pair, for each run, and for each change of a label.
    params : Params
        For the intervals.
    """
    resampling = {"resamples": params.evaluate.resamples, "seed": params.evaluate.seed}
    of_pairs, of_runs = check_tables.counted(pairs), check_tables.counted(runs)
    rows: dict[str, Iterable[dict[str, Any]]] = {
        "check": check_tables.check(of_pairs),
        "tests": check_tables.tests(of_pairs),
        "settings": check_tables.settings(of_pairs),
        "checks": check_tables.checks(of_pairs),
        "costs": check_tables.costs(of_runs, **resampling),
        "loop": check_tables.loop(of_runs, **resampling),
        "moves": check_tables.moves(changes) if len(changes) else (),
        "forged": check_tables.forgeries(of_pairs),
    }
    return {name: pd.DataFrame(list(of_table)) for name, of_table in rows.items()}


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the networks, and write the tables."""
    networks = list(drawn(read_block(arguments.experiments, PARAMS)))
    work = partial(came_to, program=loop_program.build())
    of_networks = list(parallel.mapped(work, networks, params, what="active run"))
    pairs, runs, changes = (
        pd.DataFrame([row for rows in of_kind for row in rows]) for of_kind in zip(*of_networks, strict=True)
    )
    written = {"pairs": pairs, "runs": runs, "changes": changes}
    written["left_out"] = pd.DataFrame(check_tables.left_out(networks, runs))
    for name, table in (written | made_of(pairs, runs, changes, params)).items():
        # A table that these networks say nothing of is not there.
        if len(table):
            write_csv(table, arguments.reports / f"{name}.csv")
    log.info("%d networks, %d pairs", len(networks), len(pairs))
    return stage.EXIT_OK
