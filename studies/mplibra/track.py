"""Copy the trainings of agents into MLflow, beside the runs of the main road.

Each training has a run with its learning curve; its weights are registered under the alias ``best``. With
``tracking.enabled: false`` nothing is written.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_json
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.tracking.experiment import NOTE, experiment_name
from smartsbd.pipelines.tracking.run_text import in_order, text_of
from smartsbd.pipelines.tracking.runs import CandidateRun, View
from studies.mplibra.agents import agent_file

#: Of the weights that are kept.
ALIAS = "best"
_REGISTERED = "The weights of an agent, in a file that the simulator reads; those kept in git have the alias `{alias}`."
_SUFFIX = ".agent"
#: Of the card, what is a metric.
_METRICS = ("reward", "scored_reward", "learning_reward", "critic_error", "elapsed_s")
_BEST = ("metrics.best/reward", "metrics.best/elapsed_s")
_VIEW = View("agents", "Agents", "tags.kind = 'agent'", _BEST[0], (*_BEST, "params.steps", "params.seed"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    parser.add_argument("--agents", type=Path, required=True, help="folder with weights and learning curves")
    parser.add_argument("--database", type=Path, required=True, help="MLflow's sqlite file; artifacts go beside it")
    parser.add_argument("--tracked", type=Path, required=True, help="JSON file: the runs that MLflow has")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Copy them."""
    agents = tuple(agent_runs(arguments.agents)) if params.tracking.enabled else ()
    if agents:
        from smartsbd.pipelines.tracking import mlflow_store

        name = experiment_name(params)
        mirror = mlflow_store.Mirror(arguments.database, name)
        mirror.describe(NOTE, [_VIEW])
        for agent in agents:
            mirror.log_candidate(agent)
            weights = next(path for path in agent.files if path.suffix == _SUFFIX)
            description = _REGISTERED.format(alias=ALIAS)
            mirror.register_file(agent, weights, f"{name}-{weights.stem}", ALIAS, description)
    write_json({"enabled": params.tracking.enabled, "runs": [agent.name for agent in agents]}, arguments.tracked)
    return stage.EXIT_OK


def agent_runs(folder: Path) -> Iterator[CandidateRun]:
    """Gather the trainings; nothing if no agent was trained.

    Parameters
    ----------
    folder : Path
        What the program ``train`` wrote.

    Yields
    ------
    CandidateRun
        One for each agent.
    """
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        _, card = agent_file.read(path)
        curve_path = path.with_suffix(".csv")
        curve = pd.read_csv(curve_path)
        names = [name for name in curve.columns if name in _METRICS]
        points = tuple(
            (int(row["steps"]), {name: float(row[name]) for name in names}) for row in curve.to_dict("records")
        )
        yield CandidateRun(
            name=f"agent {path.stem}",
            params={name: text_of(value) for name, value in card.items() if name not in _METRICS},
            metrics=in_order({f"best/{name}": float(str(card[name])) for name in _METRICS if name in card}),
            files=(path, curve_path),
            description=f"The agent of the controller **{path.stem}**, trained in simulated episodes. `reward` is the"
            " mean of a round trip in episodes of evaluation, without noise, by steps; the weights are those of the"
            " best one.",
            kind="agent",
            curve=points,
        )
