"""Exported features, on real, simulated and generated windows, equal the definitions bit for bit."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from smartsbd.contracts import tables
from smartsbd.contracts.contract import TableReader, read_table
from smartsbd.contributions.generated_grids import drawn_grid, edge_grids
from smartsbd.features import catalog
from smartsbd.features.catalog import PAIR_WINDOW
from smartsbd.features.series import signals_of
from smartsbd.pipelines.params import read_params
from tests import naive
from tests.features.naive_grid import grid_of
from tests.features.some_connections import few_or_all, some_of

ROOT = Path(__file__).parents[2]
#: A million take some twenty minutes: SBD_GENERATED_WINDOWS=1000000 pytest tests/features/test_exactness.py
GENERATED = int(os.environ.get("SBD_GENERATED_WINDOWS", "10000"))


def test_the_definitions_cover_what_is_exported() -> None:
    exported = tuple(feature.name for feature in catalog.FEATURES if feature.exportable)
    assert exported == naive.INTEGER_NAMES == catalog.feature_names("both")


@few_or_all
@pytest.mark.parametrize("dataset", read_params(ROOT / "params.yaml").datasets)
def test_every_window_of_a_dataset(dataset: str, most: int | None, quick: Path) -> None:
    # The quick profile has fewer windows, and not of every dataset.
    made = (root / "data" for root in (ROOT, quick))
    data = next((one for one in made if (one / "features" / dataset / "pair_window.parquet").exists()), None)
    if data is None:
        pytest.skip("there is no data of it: `make repro` makes it")
    path, folder = data / "features" / dataset / "pair_window.parquet", data / "tables" / dataset
    acks, states = (TableReader(table, folder / f"{table.name}.parquet") for table in (tables.ACK, tables.STATE))
    rows = some_of(read_table(PAIR_WINDOW, path).to_pandas(), most)
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


def test_generated_windows() -> None:
    """The edges are among those of :func:`check_feature`; ``saturated`` is no feature."""
    rng = np.random.default_rng(20230105)
    clamped = 0
    for grid in (*edge_grids().values(), *(drawn_grid(rng) for _ in range(GENERATED))):
        values = catalog.compute(grid, "both")
        assert [*values.values(), grid.saturated] == naive.integer_features(grid_of(grid)).tolist()
        clamped += grid.saturated > 0
    assert clamped > GENERATED / 100
