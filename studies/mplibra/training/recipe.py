"""How each agent is trained: its episodes, its reward, and the numbers of DDPG."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from studies.mplibra.agents import reward
from studies.mplibra.agents.ddpg import DdpgSettings
from studies.mplibra.training import episodes
from studies.mplibra.training.conversation import Question
from studies.mplibra.training.episodes import Episode

#: Numbers of the state of a subflow: ten round trips, five numbers each (MPLibra, section IV.A).
STATE = 50
#: Most subflows that an agent sees.
MOST_SUBFLOWS = 5


@dataclass(frozen=True)
class Recipe:
    """A training.

    Attributes
    ----------
    name : str
        Of the controller that decides with its result.
    inputs : int
        Numbers of a state.
    draw : callable
        Draws an episode.
    reward : callable
        Takes an episode, what its subflows last told, and the subflow that is rewarded.
    settings : DdpgSettings
    steps : int
        Transitions; the networks are changed once for each, after the first `warm_up`.
    warm_up : int
        Transitions of random answers before.
    memory : int
        Transitions kept.
    noise : tuple of float
        Deviation of the Gaussian noise on answers, at first and from half of the steps on.
    reward_scale : float
        Rewards are multiplied by it, so that their discounted sum is ten times the mean of one.
    episodes_at_once : int
        Asked in turn, so that a seed repeats a training however fast each is.
    evaluate_every : int
        Steps between two evaluations without noise.
    """

    name: str
    inputs: int
    draw: Callable[[np.random.Generator], Episode]
    reward: Callable[[Episode, Mapping[int, Question], int], float]
    steps: int
    settings: DdpgSettings = field(default_factory=DdpgSettings)
    warm_up: int = 2_000
    memory: int = 100_000
    noise: tuple[float, float] = (0.2, 0.02)
    reward_scale: float = 0.1
    episodes_at_once: int = 2
    evaluate_every: int = 5_000


def _of_subflow(episode: Episode, told: Mapping[int, Question], subflow: int) -> float:
    own = told[subflow]
    return reward.of_subflow(
        own.delivery_mbit_s / episode.capacity_mbit_s[subflow], own.rtt_s / episode.base_rtt_s[subflow], own.loss
    )


def _of_connection(episode: Episode, told: Mapping[int, Question], _subflow: int) -> float:
    return reward.of_connection([one.delivery_mbit_s / episode.total_mbit_s for one in told.values()])


#: One line for each agent, by the name of its controller.
RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe("mplibra", STATE, episodes.of_one_subflow, _of_subflow, steps=100_000),
        Recipe("rl_joint", STATE * MOST_SUBFLOWS, episodes.of_connection, _of_connection, steps=100_000),
    )
}
