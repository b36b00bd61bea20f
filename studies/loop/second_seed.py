"""Smoothed verdicts, and connections of 300 s, on networks of another seed.

Does the majority of the last three verdicts do better than the last one? Which part of a gain is left in 300 s? What is
run was written down before (experiments.md). The networks are five of each site, with bulk rivals on links of their
own, and beside one flow on a shared link.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.pipelines.closed_loop import run_outcome
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_csv
from smartsbd.pipelines.running import parallel, stage
from smartsbd.scenarios.closed_loop import EXPERIMENTS, loop_program
from smartsbd.scenarios.closed_loop.loop_experiment import LoopNetwork
from smartsbd.scenarios.closed_loop.sender_control import CONTROLS
from smartsbd.scenarios.closed_loop.unkept_run import run_once
from smartsbd.scenarios.scenario import Scenario
from smartsbd.scenarios.sites import SITES

SEED, NETWORKS = 20230118, 5
LONG_S = 300.0
_SEPARATE, _SHARED, _BULK = "loop_nsb", "loop_sb", "bulk"
_UNSWITCHED = ("lia", "reno")
#: Models whose verdicts are smoothed or not, and what is run for longer.
_SMOOTHED = ("tree_paper", "forest_invariant")
_LONG = (*_UNSWITCHED, "lag_excess", *_SMOOTHED)
_HYSTERESIS = ("none", "majority")


@dataclass(frozen=True)
class SecondRun:
    """A network under a control, with what is asked of it.

    Attributes
    ----------
    lasts : str
        ``20 s`` or ``300 s``.
    experiment : str
    network : LoopNetwork
    control : str
        Its name in :data:`CONTROLS`; with hysteresis, that behind it.
    scenario : Scenario
    """

    lasts: str
    experiment: str
    network: LoopNetwork
    control: str
    scenario: Scenario


def _with_hysteresis(scenario: Scenario, control: str, hysteresis: str) -> Scenario:
    whole = CONTROLS[control].applied(scenario).model_dump()
    verdicts = {"name": CONTROLS[control].verdicts, "hysteresis": hysteresis}
    return Scenario.model_validate({**whole, "connection": {**whole["connection"], "verdicts": verdicts}})


def planned(networks: int = NETWORKS) -> Iterator[SecondRun]:
    """Yield the runs: those of 20 s of both experiments, then those of 300 s of the separate links.

    Parameters
    ----------
    networks : int
        Of each site.

    Yields
    ------
    SecondRun

    Examples
    --------
    >>> sum(1 for _ in planned())
    340
    """
    drawn = [
        (name, network)
        for name in (_SEPARATE, _SHARED)
        for network in EXPERIMENTS[name].draw(sites=list(SITES), runs=networks, seed=SEED)
        if name == _SHARED or network.variant == _BULK
    ]
    for name, network in drawn:
        for control in _SMOOTHED:
            for hysteresis in _HYSTERESIS:
                scenario = _with_hysteresis(network.scenario, control, hysteresis)
                yield SecondRun("20 s", name, network, f"{control} {hysteresis}", scenario)
        for control in _UNSWITCHED:
            yield SecondRun("20 s", name, network, control, CONTROLS[control].applied(network.scenario))
    for name, network in drawn:
        if name == _SEPARATE:
            for control in _LONG:
                scenario = CONTROLS[control].applied(network.scenario)
                longer = scenario.model_copy(update={"duration_s": LONG_S})
                yield SecondRun("300 s", name, network, control, longer)


def outcome_of(run: SecondRun, program: Path) -> dict[str, Any]:
    """Return the row of a run.

    Parameters
    ----------
    run : SecondRun
    program : Path
        What :func:`loop_program.build` returned.

    Returns
    -------
    dict
        What was run, and :class:`run_outcome.Outcome`.

    Raises
    ------
    SimulatorError
        If it failed.
    """
    looped = run_once(run.scenario, program)
    network = run.network
    identity = {"lasts": run.lasts, "experiment": run.experiment, "place": network.place, "number": network.number}
    outcome = run_outcome.outcome(looped.truth, looped.verdicts, network.rival)
    return identity | {"control": run.control} | asdict(outcome)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    parser.add_argument("--table", type=Path, required=True, help="CSV to write: a row for each run")
    parser.add_argument("--networks", type=int, default=NETWORKS, help="of each site (default: %(default)s)")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run them."""
    runs, work = list(planned(arguments.networks)), partial(outcome_of, program=loop_program.build())
    rows = parallel.mapped(work, runs, params, what="loop second_seed", threads=True, here=True)
    write_csv(pd.DataFrame(rows), arguments.table)
    return stage.EXIT_OK
