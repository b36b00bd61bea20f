"""A training on disk, from which it goes on: arrays and numbers, nothing that is executed when it is read."""

from __future__ import annotations

import dataclasses
import json
import zipfile
from pathlib import Path

import numpy as np

from smartsbd.contracts.fault import InputFault
from smartsbd.contracts.whole_file import written_whole
from studies.mplibra.agents.perceptron import Perceptron
from studies.mplibra.training.recipe import Recipe
from studies.mplibra.training.training import CurvePoint, Training

_NETWORKS = ("actor", "critic", "slow_actor", "slow_critic")
_STEPPERS = ("actor_steps", "critic_steps")
_NUMBERS = "numbers"


class CheckpointError(InputFault):
    """A file is no checkpoint of this training."""


def _arrays_of(network: Perceptron, name: str) -> dict[str, np.ndarray]:
    return {f"{name}/{place}": one for place, one in enumerate(network.parameters)}


def _said_of(recipe: Recipe) -> dict[str, object]:
    """Return a recipe's numbers, as JSON has them; what it draws and rewards is code, and named alone."""
    said = {one.name: getattr(recipe, one.name) for one in dataclasses.fields(recipe)}
    said |= {name: f"{said[name].__module__}.{said[name].__qualname__}" for name in ("draw", "reward")}
    said["settings"] = dataclasses.asdict(recipe.settings)
    numbers: dict[str, object] = json.loads(json.dumps(said))
    return numbers


def save(training: Training, path: Path) -> None:
    """Write a training between two rounds.

    Parameters
    ----------
    training : Training
    path : Path
    """
    memory, learner = training.memory, training.learner
    kept = len(memory)
    arrays = {
        "states": memory.states[:kept],
        "next_states": memory.next_states[:kept],
        "actions": memory.actions[:kept],
        "rewards": memory.rewards[:kept],
        "since": np.array(training.since).reshape(-1, 2),
    }
    for name in _NETWORKS:
        arrays |= _arrays_of(getattr(learner, name), name)
    for name in _STEPPERS:
        stepper = getattr(learner, name)
        for kind in ("means", "squares"):
            arrays |= {f"{name}/{kind}/{place}": one for place, one in enumerate(getattr(stepper, kind))}
    if training.best is not None:
        arrays |= _arrays_of(training.best, "best")
    numbers = {
        "recipe": _said_of(training.recipe),
        "seed": training.seed,
        "seen": memory.seen,
        "rounds": training.rounds,
        "elapsed_s": training.elapsed_s,
        "curve": [dataclasses.asdict(one) for one in training.curve],
        **{name: getattr(learner, name).steps for name in _STEPPERS},
    }
    arrays[_NUMBERS] = np.frombuffer(json.dumps(numbers).encode(), np.uint8)
    with written_whole(path) as part, part.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def _fill(network: Perceptron, name: str, arrays: np.lib.npyio.NpzFile) -> None:
    for place, one in enumerate(network.parameters):
        one[...] = arrays[f"{name}/{place}"]


def load(recipe: Recipe, seed: int, path: Path) -> Training:
    """Read a training.

    Parameters
    ----------
    recipe : Recipe
    seed : int
    path : Path

    Raises
    ------
    CheckpointError
        If the file is no checkpoint of a training of that recipe and seed.
    """
    training = Training(recipe, seed)
    try:
        with np.load(path, allow_pickle=False) as arrays:
            numbers = json.loads(arrays[_NUMBERS].tobytes())
            if (numbers["recipe"], numbers["seed"]) != (_said_of(recipe), seed):
                raise CheckpointError(f"{path}: is of {numbers['recipe']!r}, seed {numbers['seed']!r}")
            memory, learner = training.memory, training.learner
            kept = min(numbers["seen"], len(memory.states))
            for name in ("states", "next_states", "actions", "rewards"):
                getattr(memory, name)[:kept] = arrays[name]
            for name in _NETWORKS:
                _fill(getattr(learner, name), name, arrays)
            for name in _STEPPERS:
                stepper = getattr(learner, name)
                stepper.steps = numbers[name]
                for kind in ("means", "squares"):
                    due = len(getattr(learner, name.removesuffix("_steps")).parameters) if stepper.steps else 0
                    setattr(stepper, kind, [arrays[f"{name}/{kind}/{place}"] for place in range(due)])
            training.curve = [CurvePoint(**one) for one in numbers["curve"]]
            if training.curve:
                training.best = learner.actor.copy()
                _fill(training.best, "best", arrays)
            training.since = [(float(earned), float(error)) for earned, error in arrays["since"]]
            memory.seen, training.rounds = numbers["seen"], numbers["rounds"]
            training.elapsed_s = numbers["elapsed_s"]
    except (ValueError, KeyError, TypeError, OSError, zipfile.BadZipFile) as error:
        raise CheckpointError(f"{path}: no checkpoint of this training: {error}") from error
    return training
