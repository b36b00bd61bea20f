"""Run experiments with the loop closed: verdicts decide, while a connection runs, which subflows are coupled.

Each network is run under each control. What a run came to is kept, so that what was broken off goes on where it was. It
is taken again as long as scenario, program, headers and the code that judges runs are the same. Reports have every run;
controls compared network by network; how right each source is by what is in force; how long groups take to follow a
bottleneck that moves; and what is left to a rival. What a source said in a run is compared with a replay of the run's
event log, and a difference is an error. The tables of runs on a kernel are made of what stands in git.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import re
import resource
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.contracts.fault import Fault
from smartsbd.contracts.whole_file import write_whole
from smartsbd.pipelines.closed_loop import comparison, detector_cost, run_outcome
from smartsbd.pipelines.params import Params, read_block
from smartsbd.pipelines.reporting.figures import style
from smartsbd.pipelines.reporting.report_files import write_csv, write_parquet
from smartsbd.pipelines.running import parallel, stage
from smartsbd.scenarios import simulator
from smartsbd.scenarios.closed_loop import loop_program
from smartsbd.scenarios.closed_loop.loop_experiment import LoopRun
from smartsbd.scenarios.closed_loop.sender_control import CONTROLS, coupled_twin
from studies.loop import figures, log_replays
from studies.loop.experiments import LoopExperiments
from studies.loop.harm import HARM, harm
from studies.loop.log_replays import LoopReplays
from studies.loop.switching import CHAIN, DELAYS, delays, two_state_chain

log = logging.getLogger(__name__)

#: Headers of models that judge runs of these controls too, which are never switched; and what is in force in them.
_UNSWITCHED = {"lia": run_outcome.COUPLED, "reno": run_outcome.APART}
_HEADERS = ("tree_paper", "tree_invariant", "forest_invariant")
#: The lag excess, of which a replay has the last verdict alone.
_DEFAULT = "lag_excess"
#: Sources that are no detector: there is nothing to replay.
_NOT_REPLAYED = ("oracle", "fixed")
#: The experiments whose rival is compared, and whose bottlenecks move.
_BESIDE_ONE_FLOW, _MOVING = "loop_harm", "loop_shift"
_ALONE = "one path"
#: What the study's params.yaml is.
PARAMS = LoopExperiments


class LoopError(Fault):
    """What was said in a run is not what a replay of its log says."""


@dataclass(frozen=True)
class _Found:
    """What one run came to: a row, its verdicts, the changes of its bottlenecks, and its seconds."""

    row: dict[str, Any]
    judged: list[dict[str, Any]]
    switches: list[dict[str, Any]]
    seconds: list[dict[str, Any]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    parser.add_argument("--experiments", type=Path, required=True, help="the study's params.yaml")
    parser.add_argument("--headers", type=Path, required=True, help="folder with the exported headers")
    parser.add_argument(
        "--kernel",
        type=Path,
        required=True,
        help="folder with outcomes and costs of such networks on a kernel, from git",
    )
    parser.add_argument("--runs", type=Path, required=True, help="folder to write: scenarios, runs, verdicts, seconds")
    parser.add_argument("--reports", type=Path, required=True, help="folder to write: tables and figures")


def _file_name(run: LoopRun) -> str:
    network = run.network
    return re.sub(
        r"[^a-z0-9.]+",
        "-",
        f"{run.experiment} {network.variant} {network.place} {network.number} {run.control}".lower(),
    )


def _of_replays(run: LoopRun, looped: loop_program.Looped, replays: LoopReplays) -> Iterator[dict[str, Any]]:
    """Yield what detectors say of a run that none of them switches."""
    force = _UNSWITCHED[run.control]
    numbers = range(len(run.scenario.subflows))
    groups: dict[str, Any]
    groups = {"groups": [{"from_ns": 0, "groups": [0 if force == run_outcome.COUPLED else n for n in numbers]}]}
    for name in replays.headers:
        windows = [
            {
                "subflow_a": one.subflow_a,
                "subflow_b": one.subflow_b,
                "window_start_ns": one.start_ns,
                "window_ns": one.window_ns,
                "shared": one.shared,
            }
            for one in replays.decisions(name, looped.events)
        ]
        told = groups | {"verdicts": windows, "decided": len(windows)}
        yield from ({"judge": name, **one} for one in run_outcome.judged(looped.truth, told))
    opinions = replays.opinions(_DEFAULT.replace("_", "-"), looped.events)
    last = opinions[-1][1] if opinions else [None for _ in numbers]
    at_ns = run_outcome.end_ns(looped.truth)
    judgements = [
        {"subflow_a": a, "subflow_b": b, "decided_ns": at_ns, "said": _said(last[a], last[b])}
        for a in numbers
        for b in numbers
        if a < b
    ]
    said = groups | {"judgements": judgements}
    yield from ({"judge": f"{_DEFAULT}, last", **one} for one in run_outcome.judged(looped.truth, said))


def _said(a: int | None, b: int | None) -> str:
    return "open" if a is None or b is None else "shared" if a == b else "apart"


def _one(
    run: LoopRun, place: Path, built: Path, version: str, replays: LoopReplays
) -> _Found | simulator.SimulatorError:
    """Return what a network came to under a control, now or in a run that was broken off; or why it failed."""
    name = f"{_file_name(run)}.json"
    key = hashlib.sha256(f"{version}\n{simulator.written(run.scenario)}".encode()).hexdigest()
    kept = place / "found" / name
    if kept.exists() and (found := json.loads(kept.read_text())).pop("key") == key:
        return _Found(**found)
    try:
        looped = loop_program.run(built, run.scenario, place / "scenarios" / name)
    except simulator.SimulatorError as error:
        return error
    came_to = _came_to(run, looped, replays)
    write_whole(json.dumps({"key": key} | asdict(came_to)).encode(), kept)
    return came_to


def _came_to(run: LoopRun, looped: loop_program.Looped, replays: LoopReplays) -> _Found:
    """Return what a run came to."""
    network, scenario = run.network, run.scenario
    identity: dict[str, Any]
    identity = {"experiment": run.experiment, "variant": network.variant, "place": network.place}
    identity |= {"number": network.number, "control": run.control}
    same: bool | None = None
    judged, switches = [], []
    source = CONTROLS[run.control].verdicts
    if looped.verdicts is not None and source is not None:
        if source not in _NOT_REPLAYED:
            same = replays.same(source, looped.verdicts, looped.events)
        judged = [{"judge": source, **one} for one in run_outcome.judged(looped.truth, looped.verdicts)]
        largest_rtt_ms = max(one.rtt_ms for one in scenario.subflows)
        switches = list(run_outcome.switches(looped.truth, looped.verdicts, largest_rtt_ms))
    elif run.control in _UNSWITCHED and len(scenario.subflows) > 1:
        judged = list(_of_replays(run, looped, replays))
    seconds = list(run_outcome.seconds(looped.truth, network.rival)) if run.experiment == _MOVING else []
    row = identity | asdict(run_outcome.outcome(looped.truth, looped.verdicts, network.rival)) | {"replay_same": same}
    return _Found(
        row,
        [identity | one for one in judged],
        [identity | one for one in switches],
        [identity | one for one in seconds],
    )


def _simulated(runs: list[LoopRun], place: Path, headers: Path, params: Params) -> list[_Found]:
    """Return what every run came to; raise if one failed, at the end."""
    built = loop_program.build()
    found, failures = [], []
    with LoopReplays(headers, _HEADERS) as replays:
        work = partial(_one, place=place, built=built, version=_version(built), replays=replays)
        # The simulator is a program of its own.
        for one in parallel.mapped(work, runs, params, what="loop", threads=True, here=True):
            if isinstance(one, simulator.SimulatorError):
                failures.append(str(one))
                log.error("%s", one)
            else:
                found.append(one)
    if failures:
        raise simulator.SimulatorError(f"{len(failures)} of {len(runs)} runs failed, first: {failures[0]}")
    return found


def _version(built: Path) -> str:
    """Return what the program is, and a digest of the code that judges what it wrote."""
    sources = [str(module.__file__) for module in (run_outcome, log_replays)] + [__file__]
    judging = hashlib.sha256(b"".join(Path(source).read_bytes() for source in sources)).hexdigest()
    return f"{loop_program.version(built)}\n{judging}"


def _clear(place: Path, names: set[str]) -> None:
    """Remove what was kept of runs that are no longer of the experiments."""
    for folder in ("scenarios", "found"):
        for path in (place / folder).iterdir():
            if path.name not in names:
                path.unlink()


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the experiments."""
    runs = read_block(arguments.experiments, PARAMS).planned()
    place = arguments.runs.absolute()
    for folder in ("scenarios", "found"):
        (place / folder).mkdir(parents=True, exist_ok=True)
    kept = _simulated(runs, place, arguments.headers, params)
    _clear(place, {f"{_file_name(one)}.json" for one in runs})
    table = pd.DataFrame([one.row for one in kept])
    judged, switches, seconds = (
        pd.DataFrame([row for one in kept for row in getattr(one, name)]) for name in ("judged", "switches", "seconds")
    )
    for name, rows in (("runs", table), ("verdicts", judged), ("switches", switches), ("seconds", seconds)):
        write_parquet(rows, arguments.runs / f"{name}.parquet")
    options = {"resamples": params.evaluate.resamples, "seed": params.evaluate.seed}
    tables = _of_simulator(table, judged, switches, options) | _of_kernel(arguments.kernel, options)
    for name, rows in tables.items():
        write_csv(rows, arguments.reports / f"{name}.csv")
    drawings = {
        "gains": figures.gains(tables["compared"]),
        "harm": figures.harm(tables["harm"]),
        "shift": figures.shift(seconds),
    }
    for name, figure in drawings.items():
        style.save(figure, arguments.reports / f"{name}.png")
    _check(table)
    return stage.EXIT_OK


def _of_simulator(
    table: pd.DataFrame, judged: pd.DataFrame, switches: pd.DataFrame, options: dict[str, int]
) -> dict[str, pd.DataFrame]:
    """Return the tables of what was run, by the name of their file."""
    beside_one_flow = table[table["experiment"] == _BESIDE_ONE_FLOW]
    return {
        "runs": table,
        "compared": pd.DataFrame(list(comparison.compared(table, coupled_twin, **options))),
        "accuracy": comparison.accuracy_by_force(judged),
        "chain": pd.DataFrame(list(two_state_chain(judged, table, *_UNSWITCHED)), columns=CHAIN),
        "delays": pd.DataFrame(list(delays(switches)), columns=DELAYS),
        "harm": pd.DataFrame(list(harm(beside_one_flow, _ALONE, **options)), columns=HARM),
    }


def _of_kernel(folder: Path, options: dict[str, int]) -> dict[str, pd.DataFrame]:
    """Return the tables of what was run on a kernel, by the name of their file."""
    outcomes = pd.read_csv(folder / "outcomes.csv")
    return {
        "kernel": pd.DataFrame(list(comparison.compared(outcomes, coupled_twin, **options))),
        "kernel_costs": detector_cost.over_runs(pd.read_csv(folder / "costs.csv")),
        "kernel_accuracy": pd.read_csv(folder / "accuracy.csv"),
    }


def _check(table: pd.DataFrame) -> None:
    """Tell what the runs took; raise if one said what a replay of its log does not."""
    different = table[table["replay_same"].eq(False)]
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    replayed = int(table["replay_same"].notna().sum())
    log.info("%d runs, %d of them replayed, in %.0f CPU s", len(table), replayed, usage.ru_utime + usage.ru_stime)
    if len(different):
        first = " ".join(str(different.iloc[0][name]) for name in (*comparison.NETWORK, "control"))
        raise LoopError(f"{len(different)} of {replayed} runs said what a replay of their log does not, first: {first}")
