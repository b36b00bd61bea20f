"""Exported features, on every window there is and on generated ones, equal the definitions bit for bit."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from contracts import tables
from contracts.contract import TableReader, read_table
from features import catalog
from features.catalog import PAIR_WINDOW
from features.fixed import POINTS_LIMIT, RTT_LIMIT_US
from features.series import PairGrid, signals_of
from pipelines.params import read_params
from tests import naive

ROOT = Path(__file__).parents[2]
#: A million take some twenty minutes: SBD_GENERATED_WINDOWS=1000000 pytest tests/features/test_exactness.py
GENERATED = int(os.environ.get("SBD_GENERATED_WINDOWS", "10000"))

Ints = npt.NDArray[np.int64]


def test_the_definitions_cover_what_is_exported() -> None:
    exported = tuple(feature.name for feature in catalog.FEATURES if feature.exportable)
    assert exported == naive.INTEGER_NAMES == catalog.feature_names("both")


@pytest.mark.parametrize("dataset", read_params(ROOT / "params.yaml").datasets)
def test_every_window_of_a_dataset(dataset: str, quick: Path) -> None:
    # The quick profile has fewer windows, and not of every dataset.
    made = (root / "data" for root in (ROOT, quick))
    data = next((one for one in made if (one / "features" / dataset / "pair_window.parquet").exists()), None)
    if data is None:
        pytest.skip("there is no data of it: `make repro` makes it")
    path, folder = data / "features" / dataset / "pair_window.parquet", data / "tables" / dataset
    acks, states = (TableReader(table, folder / f"{table.name}.parquet") for table in (tables.ACK, tables.STATE))
    rows = read_table(PAIR_WINDOW, path).to_pandas()
    compared = 0
    for connection_id, windows in rows.groupby("connection_id"):
        own_acks, own_states = acks.rows_of(connection_id), states.rows_of(connection_id)
        signals = {}
        for subflow in set(windows["subflow_a"]) | set(windows["subflow_b"]):
            one = signals_of(own_acks, own_states, subflow)
            signals[subflow] = naive.Signals(
                one.rtt_time_ns, one.rtt_us, one.state_time_ns, one.congested, one.ack_time_ns, one.acked_bytes
            )
        for row in windows.to_dict("records"):
            x, y = signals[row["subflow_a"]], signals[row["subflow_b"]]
            expected, clamped = naive.features(x, y, row["window_start_ns"])
            assert {name: row[name] for name in naive.INTEGER_NAMES} == expected, row
            assert row["saturated"] == clamped
            compared += 1
    assert compared == len(rows)


def _walk(rng: np.random.Generator, n: int) -> Ints:
    """Draw RTTs of n points, in one of the manners RTTs have, or should not have."""
    base_us = int(rng.integers(1, 400_000))
    manner = rng.integers(0, 6)
    if manner == 0:
        return np.full(n, base_us)
    if manner == 1:
        return base_us + rng.integers(0, 2 * RTT_LIMIT_US, size=n)
    if manner == 2:
        return base_us + rng.integers(0, 3, size=n)
    if manner == 3:
        spikes = np.where(rng.random(n) < 0.05, rng.integers(0, 3 * RTT_LIMIT_US), 0)
        return base_us + spikes
    steps = np.cumsum(rng.normal(0, 10.0 ** rng.integers(0, 5), size=n))
    rtt_us: Ints = base_us + (steps - steps.min()).astype(np.int64)
    return rtt_us


def _congestion(rng: np.random.Generator, n: int) -> npt.NDArray[np.bool_]:
    manner = rng.integers(0, 4)
    if manner == 0:
        return np.zeros(n, dtype=np.bool_)
    if manner == 1:
        return np.ones(n, dtype=np.bool_)
    found: npt.NDArray[np.bool_] = np.cumsum(rng.random(n) < rng.random() * 0.2) % 2 == 1
    return found


def _generated(rng: np.random.Generator) -> PairGrid:
    n = int(rng.choice([51, 52, POINTS_LIMIT])) if rng.random() < 0.02 else 51 + int(rng.geometric(0.03))
    n = min(n, POINTS_LIMIT)
    a_us, b_us = _walk(rng, n), _walk(rng, n)
    if rng.random() < 0.3:
        b_us = a_us + rng.integers(0, 1_000)
    congested_a = _congestion(rng, n)
    congested_b = congested_a if rng.random() < 0.3 else _congestion(rng, n)
    acked = [np.cumsum(rng.integers(0, 1 << int(rng.integers(1, 45)), size=n)) for _ in range(2)]
    min_rtt_b_us = int(rng.integers(1, 300_000))
    min_rtt_a_us = min(int(min_rtt_b_us * (1 + rng.random() * 13)), 2**31)
    return PairGrid(
        rtt_a_us=a_us.astype(np.int64),
        rtt_b_us=b_us.astype(np.int64),
        congested_a=congested_a,
        congested_b=congested_b,
        acked_a_bytes=acked[0],
        acked_b_bytes=acked[1],
        rate_a_mbit_s=np.zeros(n),
        rate_b_mbit_s=np.zeros(n),
        min_rtt_a_us=min_rtt_a_us,
        min_rtt_b_us=min_rtt_b_us,
        step_ns=max(min_rtt_b_us * 1000, 50 * min_rtt_a_us * 1000 // n),
    )


def test_generated_windows() -> None:
    rng = np.random.default_rng(20230105)
    clamped = 0
    for _ in range(GENERATED):
        grid = _generated(rng)
        expected = naive.integer_features(
            naive.Grid(
                grid.rtt_a_us,
                grid.rtt_b_us,
                grid.congested_a.astype(np.int64),
                grid.congested_b.astype(np.int64),
                grid.acked_a_bytes,
                grid.acked_b_bytes,
                grid.min_rtt_a_us,
                grid.min_rtt_b_us,
                grid.step_ns,
            )
        )
        values = catalog.compute(grid, "both")
        assert [*values.values(), grid.saturated] == expected.tolist()
        clamped += grid.saturated > 0
    assert clamped > GENERATED / 100
