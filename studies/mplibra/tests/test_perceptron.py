"""Networks: gradients against differences, and what learns by them."""

from typing import Any

import numpy as np

from studies.mplibra.agents.adam import Adam
from studies.mplibra.agents.perceptron import Perceptron, activations, draw_perceptron, gradients


def wide(network: Perceptron) -> Perceptron:
    """The same network in double precision, in which differences are exact enough."""
    return Perceptron(
        [one.astype(np.float64) for one in network.weights],
        [one.astype(np.float64) for one in network.biases],
    )


def loss(network: Perceptron, inputs: Any) -> float:
    return float(np.sum(np.square(activations(network, inputs)[-1])))


def test_gradients_are_those_of_differences() -> None:
    rng = np.random.default_rng(1)
    network = wide(draw_perceptron([4, 7, 5, 2], rng, 0.5))
    inputs: Any = rng.normal(size=(3, 4))
    values = activations(network, inputs)
    found = gradients(network, values, 2 * values[-1])
    step = 1e-6
    for parameter, gradient in zip(network.parameters, found.parameters, strict=True):
        for place in np.ndindex(parameter.shape):
            before = parameter[place]
            parameter[place] = before + step
            above = loss(network, inputs)
            parameter[place] = before - step
            below = loss(network, inputs)
            parameter[place] = before
            assert abs((above - below) / (2 * step) - gradient[place]) < 1e-6
    for place in np.ndindex(inputs.shape):
        moved = inputs.copy()
        moved[place] += step
        above = loss(network, moved)
        moved[place] -= 2 * step
        assert abs((above - loss(network, moved)) / (2 * step) - found.inputs[place]) < 1e-6


def test_gradients_of_parameters_are_left_out_if_not_wanted() -> None:
    network = draw_perceptron([2, 3, 1], np.random.default_rng(1), 0.5)
    values = activations(network, np.ones((1, 2), np.float32))
    found = gradients(network, values, np.ones((1, 1), np.float32), parameters=False)
    assert found.parameters == []
    assert np.array_equal(found.inputs, gradients(network, values, np.ones((1, 1), np.float32)).inputs)


def test_first_weights_are_bounded_by_inputs_and_the_last_by_what_is_given() -> None:
    network = draw_perceptron([100, 50, 1], np.random.default_rng(1), 1e-3)
    assert 0.09 < np.abs(network.weights[0]).max() <= 0.1
    assert 5e-4 < np.abs(network.weights[1]).max() <= 1e-3
    assert network.sizes == [100, 50, 1]


def test_a_copy_is_a_network_of_its_own() -> None:
    network = draw_perceptron([2, 3, 1], np.random.default_rng(1), 0.5)
    copied = network.copy()
    copied.weights[0] += 1
    assert not np.array_equal(copied.weights[0], network.weights[0])


def test_the_first_step_of_adam_is_the_learning_rate_against_the_sign() -> None:
    parameter = np.array([1.0, 1.0, 1.0], np.float32)
    Adam(0.01).step([parameter], [np.array([5.0, -0.001, 0.0], np.float32)])
    assert np.allclose(parameter, [0.99, 1.01, 1.0], atol=1e-6)


def test_adam_finds_a_minimum() -> None:
    parameter, adam = np.array([4.0], np.float32), Adam(0.05)
    for _ in range(500):
        adam.step([parameter], [2 * (parameter - np.float32(1.5))])
    assert abs(float(parameter[0]) - 1.5) < 0.01
