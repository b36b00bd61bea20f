"""The transitions that an agent learns from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studies.mplibra.agents.perceptron import Floats


@dataclass
class Minibatch:
    """Transitions, a row each.

    Attributes
    ----------
    states, next_states : array of float32, (rows, inputs)
    actions, rewards : array of float32, (rows, 1)
    """

    states: Floats
    actions: Floats
    rewards: Floats
    next_states: Floats


class ReplayMemory:
    """The last transitions. An episode ends by time alone, so none is the last of its world.

    Parameters
    ----------
    inputs : int
        Numbers of a state.
    capacity : int
        Transitions kept.
    """

    def __init__(self, inputs: int, capacity: int) -> None:
        self.states = np.zeros((capacity, inputs), np.float32)
        self.next_states = np.zeros((capacity, inputs), np.float32)
        self.actions = np.zeros((capacity, 1), np.float32)
        self.rewards = np.zeros((capacity, 1), np.float32)
        self.seen = 0

    def __len__(self) -> int:
        return min(self.seen, len(self.states))

    def remember(self, state: Floats, action: float, reward: float, next_state: Floats) -> None:
        """Keep a transition, in place of the oldest one if there is no more room.

        Parameters
        ----------
        state, next_state : array of float32, (inputs,)
        action, reward : float
        """
        place = self.seen % len(self.states)
        self.states[place], self.next_states[place] = state, next_state
        self.actions[place], self.rewards[place] = action, reward
        self.seen += 1

    def draw(self, rows: int, rng: np.random.Generator) -> Minibatch:
        """Return transitions, drawn with replacement.

        Parameters
        ----------
        rows : int
        rng : Generator
        """
        chosen = rng.integers(0, len(self), rows)
        return Minibatch(self.states[chosen], self.actions[chosen], self.rewards[chosen], self.next_states[chosen])
