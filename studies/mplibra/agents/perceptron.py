"""Networks of full layers in numpy, with their gradients.

Between layers what is below zero is cut off (ReLU); the last layer is linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


@dataclass
class Perceptron:
    """Weights of full layers.

    Attributes
    ----------
    weights : list of array of float32, (inputs, outputs)
    biases : list of array of float32, (outputs,)
    """

    weights: list[Floats]
    biases: list[Floats]

    @property
    def sizes(self) -> list[int]:
        """Numbers of inputs and of the outputs of each layer."""
        return [self.weights[0].shape[0], *(one.shape[1] for one in self.weights)]

    @property
    def parameters(self) -> list[Floats]:
        """All weights and biases, to be changed in place."""
        return [*self.weights, *self.biases]

    def copy(self) -> Perceptron:
        """Return a network of the same weights."""
        return Perceptron([one.copy() for one in self.weights], [one.copy() for one in self.biases])


def draw_perceptron(sizes: Sequence[int], rng: np.random.Generator, last: float) -> Perceptron:
    """Draw a network.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of inputs and of the outputs of each layer.
    rng : Generator
    last : float
        Bound of the weights of the last layer, so that first outputs are near zero (Lillicrap et al., 2016, section 7).
        Those of the others are bounded by the inverse root of their inputs.
    """
    bounds = [*(1 / np.sqrt(size) for size in sizes[:-2]), last]
    pairs = list(zip(sizes[:-1], sizes[1:], bounds, strict=True))
    return Perceptron(
        [rng.uniform(-bound, bound, (inputs, outputs)).astype(np.float32) for inputs, outputs, bound in pairs],
        [rng.uniform(-bound, bound, outputs).astype(np.float32) for _, outputs, bound in pairs],
    )


def activations(network: Perceptron, inputs: Floats) -> list[Floats]:
    """Return the inputs and what each layer gives.

    Parameters
    ----------
    network : Perceptron
    inputs : array of float32, (rows, inputs)

    Examples
    --------
    >>> one = Perceptron([np.float32([[2.0]]), np.float32([[-1.0]])], [np.float32([1.0]), np.float32([0.5])])
    >>> [float(values[0, 0]) for values in activations(one, np.float32([[3.0]]))]
    [3.0, 7.0, -6.5]
    """
    values = [inputs]
    for k, (weights, biases) in enumerate(zip(network.weights, network.biases, strict=True)):
        outputs = values[-1] @ weights + biases
        if k + 1 < len(network.weights):
            np.maximum(outputs, 0, out=outputs)
        values.append(outputs)
    return values


@dataclass
class Gradients:
    """Gradients of a sum over rows.

    Attributes
    ----------
    parameters : list of array of float32
        In the order of :attr:`Perceptron.parameters`; empty if they were not asked for.
    inputs : array of float32, (rows, inputs)
    """

    parameters: list[Floats]
    inputs: Floats


def gradients(
    network: Perceptron, values: Sequence[Floats], of_outputs: Floats, *, parameters: bool = True
) -> Gradients:
    """Return gradients by back-propagation.

    Parameters
    ----------
    network : Perceptron
    values : sequence of array
        As :func:`activations` returns them.
    of_outputs : array of float32, (rows, outputs)
        Gradients with respect to the outputs.
    parameters : bool
        Whether those of weights and biases are wanted.
    """
    of_weights: list[Floats] = []
    of_biases: list[Floats] = []
    flowing = of_outputs
    for k in reversed(range(len(network.weights))):
        if k + 1 < len(network.weights):
            flowing = flowing * (values[k + 1] > 0)
        if parameters:
            of_weights.insert(0, values[k].T @ flowing)
            of_biases.insert(0, flowing.sum(axis=0))
        flowing = flowing @ network.weights[k].T
    return Gradients([*of_weights, *of_biases], flowing)
