"""Features of real and simulated tiles equal the definitions bit for bit; and where none is, none should be."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from smartsbd.contracts import tables
from smartsbd.contracts.contract import TableReader, read_table
from smartsbd.features.catalog import PAIR_TILE
from smartsbd.features.lag_excess.memory import FORGETTING
from smartsbd.features.lag_excess.tile_feature import TILE_FEATURES
from smartsbd.features.series import signals_of
from smartsbd.pipelines.params import read_params
from tests import naive_lag_excess as naive
from tests.features.some_connections import few_or_all, some_of
from tests.naive import Ints

ROOT = Path(__file__).parents[2]


def test_the_definitions_cover_every_feature() -> None:
    assert tuple(one.name for one in TILE_FEATURES) == naive.NAMES


@few_or_all
@pytest.mark.parametrize("dataset", read_params(ROOT / "params.yaml").datasets)
def test_every_tile_of_a_dataset(dataset: str, most: int | None, quick: Path) -> None:
    # The quick profile has fewer tiles, and not of every dataset.
    made = (root / "data" for root in (ROOT, quick))
    data = next((one for one in made if (one / "tiles" / dataset / "pair_tile.parquet").exists()), None)
    if data is None:
        pytest.skip("there is no data of it: `make repro` makes it")
    folder = data / "tables" / dataset
    acks, states = (TableReader(table, folder / f"{table.name}.parquet") for table in (tables.ACK, tables.STATE))
    rows = read_table(PAIR_TILE, data / "tiles" / dataset / "pair_tile.parquet").to_pandas()
    rows = some_of(rows, most)
    compared = 0
    for _, own in rows.groupby(["connection_id", "subflow_a", "subflow_b"]):
        connection_id, pair = own["connection_id"].iloc[0], own[["subflow_a", "subflow_b"]].iloc[0].tolist()
        own_acks, own_states = acks.rows_of(connection_id), states.rows_of(connection_id)
        x, y = ((one.rtt_time_ns, one.rtt_us) for one in (signals_of(own_acks, own_states, id_) for id_ in pair))
        compared += _compared(own, x, y)
    assert compared == len(rows)


def _compared(own: pd.DataFrame, x: tuple[Ints, Ints], y: tuple[Ints, Ints]) -> int:
    """Hold every row of a pair against the definition; return how many there are."""
    lattice = naive.lattice_of(x, y)
    x, y = (naive.since(*one, lattice.fixed_ns) for one in (x, y))
    places = sorted(set(zip(own["tile_no"].tolist(), own["steps"].tolist(), strict=True)))
    sums = {place: naive.sums_of(x, y, lattice, *place) for place in places}
    count = 0
    for row in own.to_dict("records"):
        most = FORGETTING[row["memory"]].tiles
        if most is None:
            continue
        number, steps = row["tile_no"], row["steps"]
        before = [(n, s) for n, s in places if s == naive.TILE and number - most < n < number]
        kept = [sums[place] for place in [*before, (number, steps)] if not sums[place].deep]
        found = {name: None if pd.isna(row[name]) else int(row[name]) for name in naive.NAMES}
        assert found == naive.features(kept), row
        assert row["min_rtt_us"] == lattice.min_rtt_us
        count += 1
    return count
