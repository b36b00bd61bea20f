"""Relevance: what tells the label stands out of what labels that mean nothing give."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import kendalltau

from models.relevance import half_samples, mutual_information_nats, permutation_null_nats, rank_agreement

CONNECTIONS = np.repeat([f"c{number:03d}" for number in range(60)], 6)
SHARED = np.repeat(np.arange(60) % 2 == 0, 6)


def columns() -> npt.NDArray[np.float64]:
    """A feature that tells the label, one that tells the connection, and one that tells nothing."""
    rng = np.random.default_rng(5)
    telling = SHARED + rng.normal(0, 0.1, size=SHARED.size)
    of_connection = np.repeat(rng.normal(size=60), 6) + rng.normal(0, 1e-6, size=SHARED.size)
    return np.stack([telling, of_connection, rng.normal(size=SHARED.size)], axis=1)


def test_information_of_what_tells_all_and_of_what_tells_nothing() -> None:
    rows = np.arange(0, 360, 6)
    telling, of_connection, nothing = mutual_information_nats(columns()[rows], SHARED[rows])
    assert telling == pytest.approx(np.log(2), abs=0.02)
    assert max(of_connection, nothing) < 0.15


def test_labels_that_mean_nothing_give_nothing() -> None:
    null = permutation_null_nats(columns(), SHARED, CONNECTIONS, rounds=20)
    assert null.shape == (20, 3)
    assert null[:, 0].max() < 0.3 < mutual_information_nats(columns(), SHARED)[0]
    assert null[:, 2].mean() < 0.05
    assert len({tuple(row) for row in null}) == 20


def test_exchanged_labels_stay_together_within_a_connection() -> None:
    """A connection's windows tell each other's label: so they do under labels exchanged between connections."""
    seen = mutual_information_nats(columns(), SHARED)[1]
    null = permutation_null_nats(columns(), SHARED, CONNECTIONS, rounds=20)[:, 1]
    assert seen > 0.2
    assert null.min() > 0.2


def test_repeats_average_the_noise_of_ties() -> None:
    tied = np.repeat([0.0, 1.0], 180)[:, None] + np.zeros((360, 1))
    single = [mutual_information_nats(tied, SHARED, seed=seed)[0] for seed in range(4)]
    assert mutual_information_nats(tied, SHARED, repeats=4)[0] == pytest.approx(np.mean(single))


def test_halves_hold_half_of_the_connections_once() -> None:
    halves = half_samples(CONNECTIONS, rounds=10)
    for rows in halves:
        assert len(set(CONNECTIONS[rows])) == 30
        assert len(rows) == 180 == len(set(rows.tolist()))
    assert len({tuple(rows) for rows in halves}) == 10


def test_agreement_of_orders() -> None:
    assert rank_agreement(np.array([3.0, 2.0, 1.0]), [0.1, 0.2, 0.3]) == -1.0
    assert rank_agreement(np.array([3.0, 1.0, 2.0]), [0.3, 0.2, 0.1]) == pytest.approx(1 / 3)


@pytest.mark.parametrize("seed", range(200))
def test_agreement_is_kendalls_tau_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size, values = int(rng.integers(2, 30)), int(rng.integers(1, 20))
    first, second = rng.integers(0, values, size=size) / 7, rng.integers(0, values, size=size) / 3
    expected = float(kendalltau(first, second).statistic)
    assert repr(rank_agreement(first, second.tolist())) == repr(expected)
