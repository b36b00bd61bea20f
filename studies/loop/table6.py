"""Table 6 with a detector running: how often its verdicts are right, case by case.

A verdict is on a window or tile, as the paper counts. Those of a window in which groups changed are counted apart: what
the sender did changed while it was watched.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.pipelines.closed_loop import run_outcome
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_csv
from smartsbd.pipelines.running import parallel, stage
from smartsbd.scenarios.closed_loop import EXPERIMENTS, loop_program
from smartsbd.scenarios.closed_loop.loop_experiment import LoopRun
from smartsbd.scenarios.closed_loop.sender_control import CONTROLS
from smartsbd.scenarios.closed_loop.unkept_run import run_once
from smartsbd.scenarios.unseen import CASES

EXPERIMENT = "loop_unseen"
#: As `params/full.yaml` draws them.
REPETITIONS, DURATION_S, SEED = 3, 60.0, 20230115
#: Sources that judge windows or tiles.
JUDGES = ("tree_paper", "tree_invariant", "forest_invariant", "lag_excess", "common_lag")
#: All cases together: the mean over them, as the paper's table has it.
MEAN = "mean"


def verdicts_of(run: LoopRun, program: Path) -> list[dict[str, Any]]:
    """Return the verdicts of a run.

    Parameters
    ----------
    run : LoopRun
    program : Path
        What :func:`loop_program.build` returned.

    Returns
    -------
    list of dict
        ``case``, ``judge`` and what :func:`run_outcome.judged` yields.

    Raises
    ------
    SimulatorError
        If it failed.
    """
    looped = run_once(run.scenario, program)
    identity = {"case": run.network.place, "judge": CONTROLS[run.control].verdicts}
    return [identity | verdict for verdict in run_outcome.judged(looped.truth, looped.verdicts or {"verdicts": []})]


def by_case(verdicts: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield how often each source is right in each case, and in the mean over the cases.

    Parameters
    ----------
    verdicts : DataFrame
        One row for each: ``case``, ``judge``, ``shared``, ``said`` and ``in_force``.

    Yields
    ------
    dict
        ``judge``, ``case``, ``verdicts``, ``open`` (those that left it open) and ``right``, the share right of the
        others, nan without one; ``verdicts_of_changes`` and ``right_of_changes``: the same of windows in which groups
        changed.

    Examples
    --------
    >>> row = {"case": "case01", "judge": "tree", "shared": True, "said": True, "in_force": "coupled"}
    >>> first, mean = by_case(pd.DataFrame([row, row | {"said": False, "in_force": "both"}]))
    >>> first["verdicts"], first["right"], first["verdicts_of_changes"], first["right_of_changes"], mean["right"]
    (1, 1.0, 1, 0.0, 1.0)
    """
    known = verdicts[verdicts["shared"].notna()]
    for judge, of_judge in known.groupby("judge", sort=False):
        rows = []
        for case, group in of_judge.groupby("case", sort=True):
            changes = group["in_force"] == run_outcome.BOTH
            row: dict[str, Any] = {"judge": judge, "case": case}
            for suffix, part in (("", group[~changes]), ("_of_changes", group[changes])):
                decided = part[part["said"].notna()]
                row[f"verdicts{suffix}"], row[f"open{suffix}"] = len(part), len(part) - len(decided)
                row[f"right{suffix}"] = float((decided["said"] == decided["shared"]).mean())
            rows.append(row)
        yield from rows
        table = pd.DataFrame(rows)
        mean: dict[str, Any] = {"judge": judge, "case": MEAN}
        for column in table.columns[2:]:
            mean[column] = float(table[column].mean()) if column.startswith("right") else int(table[column].sum())
        yield mean


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    parser.add_argument("--table", type=Path, required=True, help="CSV to write: a row for each source and case")
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="of each case (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=DURATION_S, help="of a run (default: %(default)s)")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the networks of Table 6 under each source of verdicts."""
    drawn = {"repetitions": arguments.repetitions, "duration_s": arguments.seconds, "seed": SEED}
    networks = EXPERIMENTS[EXPERIMENT].draw(cases=list(CASES), **drawn)
    runs = [LoopRun(EXPERIMENT, network, judge) for network in networks for judge in JUDGES]
    work = partial(verdicts_of, program=loop_program.build())
    verdicts = [
        row for rows in parallel.mapped(work, runs, params, what="loop table6", threads=True, here=True) for row in rows
    ]
    write_csv(pd.DataFrame(by_case(pd.DataFrame(verdicts))), arguments.table)
    return stage.EXIT_OK
