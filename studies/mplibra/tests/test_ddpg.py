"""DDPG: it finds what is rewarded, and a seed repeats it."""

from collections.abc import Sequence

import numpy as np
import pytest

from studies.mplibra.agents.ddpg import Ddpg, DdpgSettings, answer
from studies.mplibra.agents.perceptron import Floats, Perceptron, activations
from studies.mplibra.agents.replay_memory import ReplayMemory


def row(values: Sequence[float]) -> Floats:
    """Numbers in single precision."""
    return np.array(values, np.float32)


SETTINGS = DdpgSettings(hidden=(32, 32), discount=0.0, actor_rate=1e-3, batch=64)


def taught(seed: int) -> Ddpg:
    """An agent of a world whose best action is half of its state."""
    rng = np.random.default_rng(seed)
    learner, memory = Ddpg(1, SETTINGS, rng), ReplayMemory(1, 2000)
    for _ in range(2000):
        state, action = row([rng.uniform(-1, 1)]), float(rng.uniform(-1, 1))
        memory.remember(state, action, -((action - state[0] / 2) ** 2), state)
    for _ in range(1500):
        learner.learn(memory.draw(SETTINGS.batch, rng))
    return learner


def test_it_finds_the_best_action_of_each_state() -> None:
    learner = taught(3)
    for state in (-0.8, -0.2, 0.5):
        assert abs(learner.act(row([state])) - state / 2) < 0.1


@pytest.mark.slow
def test_a_seed_repeats_it() -> None:
    first, second = taught(4), taught(4)
    assert all(np.array_equal(a, b) for a, b in zip(first.actor.parameters, second.actor.parameters, strict=True))


def test_worth_is_discounted_through_the_next_state() -> None:
    """Reward comes only in the second of two states: the critic finds it in the first, less the discount."""
    settings = DdpgSettings(hidden=(32, 32), discount=0.5, batch=64, soft_update=0.05)
    rng = np.random.default_rng(5)
    learner, memory = Ddpg(2, settings, rng), ReplayMemory(2, 100)
    first, second, end = row([1, 0]), row([0, 1]), row([0, 0])
    for _ in range(30):
        memory.remember(first, rng.uniform(-1, 1), 0.0, second)
        memory.remember(second, rng.uniform(-1, 1), 1.0, end)
        memory.remember(end, rng.uniform(-1, 1), 0.0, end)
    for _ in range(2000):
        learner.learn(memory.draw(64, rng))
    worth = [activations(learner.critic, row([*state, 0.0])[np.newaxis])[-1][0, 0] for state in (first, second, end)]
    assert np.allclose(worth, [0.5, 1.0, 0.0], atol=0.1)


def test_the_slow_copies_follow() -> None:
    learner = taught(6)
    far = Ddpg(1, SETTINGS, np.random.default_rng(6))
    moved = np.abs(learner.actor.weights[0] - learner.slow_actor.weights[0]).max()
    assert 0 < moved < np.abs(learner.actor.weights[0] - far.slow_actor.weights[0]).max()


def test_answers_are_of_double_precision() -> None:
    """Weights of which single precision would lose the small one."""
    actor = Perceptron([row([1.0, 1.0])[:, np.newaxis]], [row([0.0])])
    states = np.array([[0.25, 1e-12]])
    assert answer(actor, states)[0] == np.tanh(0.25 + 1e-12) != np.tanh(0.25)


def test_memory_keeps_the_last() -> None:
    memory = ReplayMemory(1, 3)
    for number in range(5):
        memory.remember(row([number]), number / 10, number, row([number + 1]))
    batch = memory.draw(200, np.random.default_rng(1))
    assert len(memory) == 3
    assert set(batch.rewards[:, 0]) == {2, 3, 4}
    assert np.array_equal(batch.next_states, batch.states + 1)
