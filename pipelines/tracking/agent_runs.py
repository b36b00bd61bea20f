"""Trainings of agents of learnt controllers: their learning curves, and the weights that are kept in git."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from models.agents import agent_file
from pipelines.tracking.run_text import in_order, text_of
from pipelines.tracking.runs import CandidateRun

WEIGHTS = Path("models/agents/weights")
_SUFFIX = ".agent"
#: Of the card, what is a metric.
_METRICS = ("reward", "scored_reward", "learning_reward", "critic_error", "elapsed_s")


def agent_runs(folder: Path = WEIGHTS) -> Iterator[CandidateRun]:
    """Gather the trainings; nothing if no agent was trained.

    Parameters
    ----------
    folder : Path
        What ``sbd train-agent`` wrote.

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
