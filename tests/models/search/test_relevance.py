"""Relevance: what tells the label stands out of what labels that mean nothing give."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy.stats import kendalltau

from smartsbd.features.catalog import FEATURES, feature, feature_names
from smartsbd.models.labelled.windows import LabelledWindows
from smartsbd.models.search.relevance import (
    Estimation,
    agreement_tasks,
    half_samples,
    mutual_information_nats,
    null_95_nats,
    null_tasks,
    permutation_null_nats,
    published_of,
    rank_agreement,
    ranked_features,
)

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


def test_a_row_for_each_feature_with_the_published_ranks() -> None:
    names = [one.name for one in FEATURES]
    published = {feature(name).paper_name: nats for name, nats in (("rtt_ed_4us", 0.1), ("rtt_dtwd_4us", 0.2))}
    found = ranked_features(np.arange(len(names)) / 100, np.zeros(len(names)), published)
    assert found["feature"].tolist() == names[::-1]
    assert found["rank"].tolist() == list(range(1, len(names) + 1))
    own = found.set_index("feature")
    in_paper = own["rank_in_table3"].dropna()
    assert list(in_paper) == list(range(1, len(feature_names("table3")) + 1))
    assert set(in_paper.index) == set(feature_names("table3"))
    assert own["paper_rank"].dropna().to_dict() == {"rtt_ed_4us": 2, "rtt_dtwd_4us": 1}
    assert published_of(["rtt_ed_4us"], published) == {"rtt_ed_4us": 0.1}


def test_tasks_give_the_null_and_the_agreement_of_the_estimates() -> None:
    x = columns()
    key = pd.DataFrame({"connection_id": CONNECTIONS})
    site, kind = np.full(len(x), ""), np.full(len(x), "tiled")
    windows = LabelledWindows(key, x, ("a", "b", "c"), SHARED, site, kind)
    estimation = Estimation(neighbors=3, seed=5, repeats=1)
    parts = [task() for task in null_tasks(windows, 20, estimation)]
    # Eight parts, rounded up.
    assert [len(part) for part in parts] == [3] * 8
    expected = permutation_null_nats(x, SHARED, CONNECTIONS, rounds=3, seed=6)
    np.testing.assert_array_equal(parts[1], expected)
    assert (null_95_nats(parts) <= np.concatenate(parts).max(axis=0)).all()
    nats = mutual_information_nats(x, SHARED, seed=5)
    published = {"c": float(nats[2]), "a": float(nats[0])}
    taus = [task() for task in agreement_tasks(windows, published, 4, estimation)]
    assert len(taus) == 5
    assert taus[0] == 1.0
