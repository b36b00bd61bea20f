"""Adam (Kingma and Ba, 2015, algorithm 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from studies.mplibra.agents.perceptron import Floats

_DECAY_MEAN, _DECAY_SQUARE, _EPSILON = 0.9, 0.999, 1e-8


@dataclass
class Adam:
    """Steps of one set of parameters.

    Attributes
    ----------
    rate : float
        Learning rate.
    steps : int
        Steps so far.
    """

    rate: float
    steps: int = 0
    means: list[Floats] = field(default_factory=list)
    squares: list[Floats] = field(default_factory=list)

    def step(self, parameters: Sequence[Floats], of_parameters: Sequence[Floats]) -> None:
        """Change parameters against their gradients, in place."""
        if not self.means:
            self.means = [np.zeros_like(one) for one in parameters]
            self.squares = [np.zeros_like(one) for one in parameters]
        self.steps += 1
        size = self.rate * np.sqrt(1 - _DECAY_SQUARE**self.steps) / (1 - _DECAY_MEAN**self.steps)
        for parameter, gradient, mean, square in zip(parameters, of_parameters, self.means, self.squares, strict=True):
            np.add(_DECAY_MEAN * mean, (1 - _DECAY_MEAN) * gradient, out=mean)
            np.add(_DECAY_SQUARE * square, (1 - _DECAY_SQUARE) * np.square(gradient), out=square)
            change = (size * mean / (np.sqrt(square) + _EPSILON)).astype(np.float32)
            np.subtract(parameter, change, out=parameter)
