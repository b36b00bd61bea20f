"""Deep deterministic policy gradient (Lillicrap et al., 2016, algorithm 1): an actor, a critic, and slow copies.

MPLibra names the method (section IV.A) and two layers of 256 (of its motivation study); the other numbers are ours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from studies.mplibra.agents.adam import Adam
from studies.mplibra.agents.perceptron import Floats, Perceptron, activations, draw_perceptron, gradients
from studies.mplibra.agents.replay_memory import Minibatch

#: Bound of the last layer's first weights (section 7 there).
_LAST_LAYER = 3e-3


@dataclass(frozen=True)
class DdpgSettings:
    """What a training is of.

    Attributes
    ----------
    hidden : tuple of int
        Outputs of the hidden layers, of actor and critic alike.
    discount : float
        Worth of the next round trip's reward over that of the present one.
    soft_update : float
        Share of the networks that their slow copies take over in each step.
    actor_rate, critic_rate : float
        Learning rates.
    batch : int
        Transitions of a step.
    """

    hidden: tuple[int, ...] = (256, 256)
    discount: float = 0.99
    soft_update: float = 0.005
    actor_rate: float = 1e-4
    critic_rate: float = 1e-3
    batch: int = 256


def answer(actor: Perceptron, states: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return an actor's answers in double precision, as the simulator computes them.

    Parameters
    ----------
    actor : Perceptron
    states : array of float64, (rows, inputs)

    Returns
    -------
    array of float64, (rows,)
        From -1 to 1: the rate is multiplied by 2 to its power.
    """
    wide = Perceptron(
        [one.astype(np.float64) for one in actor.weights],
        [one.astype(np.float64) for one in actor.biases],
    )
    outputs: npt.NDArray[np.float64] = np.tanh(activations(wide, states)[-1][:, 0])  # type: ignore[arg-type]
    return outputs


def act(actor: Perceptron, state: Floats) -> float:
    """Return an actor's answer to one state, in single precision as it learns.

    Parameters
    ----------
    actor : Perceptron
    state : array of float32, (inputs,)
    """
    return float(np.tanh(activations(actor, state[np.newaxis])[-1][0, 0]))


class Ddpg:
    """Actor and critic, and what they learn by.

    Parameters
    ----------
    inputs : int
        Numbers of a state.
    settings : DdpgSettings
    rng : Generator
        Draws the first weights.
    """

    def __init__(self, inputs: int, settings: DdpgSettings, rng: np.random.Generator) -> None:
        self.settings = settings
        self.actor = draw_perceptron([inputs, *settings.hidden, 1], rng, _LAST_LAYER)
        self.critic = draw_perceptron([inputs + 1, *settings.hidden, 1], rng, _LAST_LAYER)
        self.slow_actor, self.slow_critic = self.actor.copy(), self.critic.copy()
        self.actor_steps, self.critic_steps = Adam(settings.actor_rate), Adam(settings.critic_rate)

    def act(self, state: Floats) -> float:
        """Return the actor's answer to one state, without noise."""
        return act(self.actor, state)

    def learn(self, batch: Minibatch) -> float:
        """Take one step.

        Parameters
        ----------
        batch : Minibatch

        Returns
        -------
        float
            Mean square of the critic's error before it.
        """
        rows = len(batch.states)
        next_actions = np.tanh(activations(self.slow_actor, batch.next_states)[-1])
        next_worth = activations(self.slow_critic, np.hstack([batch.next_states, next_actions]))[-1]
        due = batch.rewards + np.float32(self.settings.discount) * next_worth

        values = activations(self.critic, np.hstack([batch.states, batch.actions]))
        error = values[-1] - due
        self.critic_steps.step(
            self.critic.parameters, gradients(self.critic, values, (error * (2 / rows)).astype(np.float32)).parameters
        )

        layers = activations(self.actor, batch.states)
        actions = np.tanh(layers[-1])
        worth = activations(self.critic, np.hstack([batch.states, actions]))
        uphill = np.full((rows, 1), -1 / rows, np.float32)
        of_actions = gradients(self.critic, worth, uphill, parameters=False).inputs[:, -1:]
        of_outputs = of_actions * (1 - np.square(actions))
        self.actor_steps.step(self.actor.parameters, gradients(self.actor, layers, of_outputs).parameters)

        for slow, fast in ((self.slow_actor, self.actor), (self.slow_critic, self.critic)):
            for old, new in zip(slow.parameters, fast.parameters, strict=True):
                np.add(old, np.float32(self.settings.soft_update) * (new - old), out=old)
        return float(np.mean(np.square(error)))
