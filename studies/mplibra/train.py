"""Train the agent of a learnt controller in the simulator, outside the stages: its weights are kept in git.

What is written is the file that the simulator reads (``--agent``), with a card, and the learning curve beside it. A
training that was killed goes on from its checkpoint, and comes to what it would have come to.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import logging
from pathlib import Path

import pandas as pd

from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_csv
from smartsbd.pipelines.running import stage
from smartsbd.scenarios import simulator
from studies.mplibra.agents import agent_file
from studies.mplibra.training import checkpoint
from studies.mplibra.training.recipe import RECIPES
from studies.mplibra.training.training import Training

log = logging.getLogger(__name__)

_WEIGHTS = Path("simulator/agents")
_MINUTES = 90.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("name", choices=sorted(RECIPES), help="the controller whose agent it is")
    parser.add_argument("--seed", type=int, default=1, help="what is drawn follows from it (default: 1)")
    parser.add_argument(
        "--weights", type=Path, default=_WEIGHTS, help=f"folder to write: NAME.agent and NAME.csv (default: {_WEIGHTS})"
    )
    parser.add_argument(
        "--checkpoints", type=Path, default=Path("build/agents"), help="folder of what a training goes on from"
    )
    parser.add_argument(
        "--minutes", type=float, default=_MINUTES, help=f"wall time of all of it (default: {_MINUTES:g})"
    )


def _card(training: Training, scored: float | None) -> dict[str, object]:
    """Return what is to be known of the weights."""
    best = max(training.curve, key=lambda one: one.reward)
    return {
        "name": training.recipe.name,
        "method": "DDPG in simulated episodes, a reconstruction of MPLibra's agent (section IV.A)",
        "seed": training.seed,
        "asked_steps": training.recipe.steps,
        "settings": dataclasses.asdict(training.recipe.settings),
        "chosen": "the best of the evaluations of its training, on episodes of their own",
        **dataclasses.asdict(best),
        **({} if scored is None else {"scored_reward": scored}),
    }


def _write(training: Training, weights: Path, scored: float | None = None) -> None:
    if training.best is None:
        return
    agent_file.write(training.best, weights / f"{training.recipe.name}.agent", _card(training, scored))
    curve = pd.DataFrame([dataclasses.asdict(one) for one in training.curve])
    write_csv(curve.assign(seed=training.seed), weights / f"{training.recipe.name}.csv")


def run(arguments: argparse.Namespace, _params: Params) -> int:
    """Run the command."""
    simulator.check_program()
    recipe = RECIPES[arguments.name]
    arguments.checkpoints.mkdir(parents=True, exist_ok=True)
    arguments.weights.mkdir(parents=True, exist_ok=True)
    kept = arguments.checkpoints / f"{recipe.name}-{arguments.seed}.npz"
    training = checkpoint.load(recipe, arguments.seed, kept) if kept.exists() else Training(recipe, arguments.seed)
    if training.steps:
        log.info("goes on from %d steps", training.steps)
    for point in training.run(arguments.minutes * 60):
        checkpoint.save(training, kept)
        _write(training, arguments.weights)
        log.info(
            "%d steps, %d episodes, %.0f s: reward %.3f without noise, %.3f with",
            point.steps,
            point.episodes,
            point.elapsed_s,
            point.reward,
            point.learning_reward,
        )
    checkpoint.save(training, kept)
    if training.best is None:
        log.error("no evaluation within %g minutes: no weights are written", arguments.minutes)
        return stage.EXIT_FAILED
    _write(training, arguments.weights, scored=training.score(training.best))
    written = arguments.weights / f"{recipe.name}.agent"
    log.info("%s: sha256 %s", written, hashlib.sha256(written.read_bytes()).hexdigest())
    return stage.EXIT_OK
