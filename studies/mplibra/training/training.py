"""A training: episodes in the simulator, steps of DDPG, and evaluations that choose the weights that are kept.

It goes by rounds: some episodes are begun together and asked in turn until all have ended. What a round draws follows
from the seed and its number alone, so that a training that goes on from a checkpoint is the one that was not stopped.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

import numpy as np

from studies.mplibra.agents.ddpg import Ddpg, act
from studies.mplibra.agents.perceptron import Floats, Perceptron
from studies.mplibra.agents.replay_memory import ReplayMemory
from studies.mplibra.training.conversation import Conversation, Question
from studies.mplibra.training.episodes import Episode
from studies.mplibra.training.recipe import Recipe

log = logging.getLogger(__name__)

#: Streams of a seed: first weights, batches, episodes, noise, and the episodes of evaluations and of the score.
_WEIGHTS, _BATCHES, _EPISODES, _NOISE, _EVALUATIONS, _SCORES = range(6)
#: Episodes of an evaluation, the same each time, and none of those that are learnt from.
_EVALUATED = 12
#: Episodes that the kept weights are scored in, once.
_SCORED = 24
#: Questions after an answer, of which the last tells of what left by it.
_LAG = 2
#: Answers before the memory is large enough are uniform within these.
_BLIND = 1.0


@dataclass(frozen=True)
class CurvePoint:
    """A point of the learning curve.

    Attributes
    ----------
    steps : int
        Transitions so far.
    episodes : int
        Episodes so far.
    reward : float
        Mean reward of a round trip in the evaluated episodes, without noise.
    learning_reward : float
        The same in the episodes since the last evaluation, with noise.
    critic_error : float
        Mean square of the critic's error since then.
    elapsed_s : float
        Wall time since the training began, pauses left out.
    """

    steps: int
    episodes: int
    reward: float
    learning_reward: float
    critic_error: float
    elapsed_s: float


@dataclass
class _Talk:
    """An episode that is under way."""

    episode: Episode
    conversation: Conversation
    told: dict[int, Question] = field(default_factory=dict)
    #: The last two questions' states and answers of each subflow, the older one first.
    answered: dict[int, list[tuple[Floats, float]]] = field(default_factory=dict)


def converse(
    episodes: Sequence[Episode],
    recipe: Recipe,
    act: Callable[[Floats], float],
    after: Callable[[Floats, float, float, Floats], None],
) -> None:
    """Run episodes to their ends, asked in turn.

    What arrives between two answers had left before the first of them. So the reward of an answer is that of the round
    trip after the next one.

    Parameters
    ----------
    episodes : sequence of Episode
    recipe : Recipe
        Whose reward it is.
    act : callable
        Takes a state, returns the answer.
    after : callable
        Takes each transition of a subflow: state, answer, reward, and the next state.
    """
    with ExitStack() as stack:
        live = [_Talk(one, stack.enter_context(Conversation(one.scenario))) for one in episodes]
        while live:
            for talk in [*live]:
                question = talk.conversation.question()
                if question is None:
                    live.remove(talk)
                    continue
                answer = act(question.state)
                talk.conversation.answer(answer)
                talk.told[question.subflow] = question
                answered = talk.answered.setdefault(question.subflow, [])
                if len(answered) == _LAG:
                    earned = recipe.reward(talk.episode, talk.told, question.subflow)
                    (state, then), (next_state, _) = answered
                    after(state, then, earned, next_state)
                    del answered[0]
                answered.append((question.state, answer))


class Training:
    """What a training has come to.

    Parameters
    ----------
    recipe : Recipe
    seed : int
    """

    def __init__(self, recipe: Recipe, seed: int) -> None:
        self.recipe, self.seed = recipe, seed
        self.learner = Ddpg(recipe.inputs, recipe.settings, np.random.default_rng([seed, _WEIGHTS]))
        self.memory = ReplayMemory(recipe.inputs, recipe.memory)
        self.rounds = 0
        self.elapsed_s = 0.0
        self.curve: list[CurvePoint] = []
        self.best: Perceptron | None = None
        #: Reward, and error of the critic, of each transition since the last evaluation.
        self.since: list[tuple[float, float]] = []

    @property
    def steps(self) -> int:
        """Transitions so far."""
        return self.memory.seen

    def _noise(self) -> float:
        first, last = self.recipe.noise
        return first + (last - first) * min(1.0, 2 * self.steps / self.recipe.steps)

    def round(self) -> None:
        """Run a round of episodes, and learn in it."""
        recipe = self.recipe
        began = time.monotonic()
        noise = np.random.default_rng([self.seed, _NOISE, self.rounds])
        batches = np.random.default_rng([self.seed, _BATCHES, self.rounds])
        first = self.rounds * recipe.episodes_at_once
        episodes = [
            recipe.draw(np.random.default_rng([self.seed, _EPISODES, first + number]))
            for number in range(recipe.episodes_at_once)
        ]

        def answer(state: Floats) -> float:
            if self.steps < recipe.warm_up:
                return float(noise.uniform(-_BLIND, _BLIND))
            return float(np.clip(self.learner.act(state) + noise.normal(0, self._noise()), -1, 1))

        def after(state: Floats, answer: float, earned: float, next_state: Floats) -> None:
            self.memory.remember(state, answer, earned * recipe.reward_scale, next_state)
            error = 0.0
            if self.steps >= recipe.warm_up:
                error = self.learner.learn(self.memory.draw(recipe.settings.batch, batches))
            self.since.append((earned, error))

        converse(episodes, recipe, answer, after)
        self.rounds += 1
        self.elapsed_s += time.monotonic() - began

    def _mean_reward(self, act: Callable[[Floats], float], stream: int, count: int) -> float:
        """Return the mean reward of a round trip in so many episodes of a stream, without noise."""
        earned: list[float] = []
        rngs = [np.random.default_rng([self.seed, stream, number]) for number in range(count)]
        episodes = [self.recipe.draw(rng) for rng in rngs]
        for at in range(0, len(episodes), self.recipe.episodes_at_once):
            rewards: list[float] = []
            converse(
                episodes[at : at + self.recipe.episodes_at_once],
                self.recipe,
                act,
                lambda _state, _answer, reward, _next, rewards=rewards: rewards.append(reward),  # type: ignore[misc]
            )
            earned += rewards
        return float(np.mean(earned))

    def score(self, actor: Perceptron) -> float:
        """Return an actor's mean reward in episodes that have chosen nothing.

        Parameters
        ----------
        actor : Perceptron
        """
        return self._mean_reward(lambda state: act(actor, state), _SCORES, _SCORED)

    def evaluate(self) -> CurvePoint:
        """Evaluate the actor without noise, and keep it if none was better."""
        began = time.monotonic()
        reward = self._mean_reward(self.learner.act, _EVALUATIONS, _EVALUATED)
        self.elapsed_s += time.monotonic() - began
        since = np.array(self.since)
        self.since = []
        point = CurvePoint(
            steps=self.steps,
            episodes=self.rounds * self.recipe.episodes_at_once,
            reward=reward,
            learning_reward=float(since[:, 0].mean()),
            critic_error=float(since[:, 1].mean()),
            elapsed_s=round(self.elapsed_s, 1),
        )
        if all(reward > one.reward for one in self.curve):
            self.best = self.learner.actor.copy()
        self.curve.append(point)
        return point

    def run(self, budget_s: float) -> Iterator[CurvePoint]:
        """Go on until all steps are taken, or the time is over; yield each evaluation.

        Parameters
        ----------
        budget_s : float
            Wall time of all of it, what was spent before included. The last round is ended. When to evaluate depends on
            steps alone, so that a training that goes on is the one that was not stopped.
        """
        while self.steps < self.recipe.steps:
            due = min(self.next_evaluation(), self.recipe.steps)
            while self.steps < due:
                if self.elapsed_s >= budget_s:
                    return
                self.round()
            yield self.evaluate()

    def next_evaluation(self) -> int:
        """Return the step at which the next evaluation is due."""
        every = self.recipe.evaluate_every
        evaluated = self.curve[-1].steps if self.curve else 0
        return (evaluated // every + 1) * every
