"""The tables of several datasets, for stages that learn from one dataset and judge all of them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.contracts import tables
from smartsbd.contracts.contract import read_table
from smartsbd.detectors.bottleneck_moves import Move, moves
from smartsbd.features.catalog import PAIR_TILE, PAIR_WINDOW, feature_names
from smartsbd.features.feature_set import OF_TILES
from smartsbd.models.last_verdict.moments import Moments, of_tiles, of_windows


@dataclass(frozen=True)
class DatasetTables:
    """Paths of the tables of datasets: folders with one folder for each dataset; that of truths has one file for each.

    Attributes
    ----------
    tables, truths, features, tiles : Path
    """

    tables: Path
    truths: Path
    features: Path
    tiles: Path

    def truth(self, dataset: str) -> list[dict[str, Any]]:
        """Return the rows of the ``truth`` table."""
        rows: list[dict[str, Any]] = read_table(tables.TRUTH, self.truths / f"{dataset}.parquet").to_pylist()
        return rows

    def connections(self, dataset: str) -> list[dict[str, Any]]:
        """Return the rows of the ``connection`` table."""
        path = self.tables / dataset / "connection.parquet"
        rows: list[dict[str, Any]] = read_table(tables.CONNECTION, path).to_pylist()
        return rows

    def pair_tile(self, dataset: str, name: str = "pair_tile") -> pd.DataFrame:
        """Return the ``pair_tile`` table, or that of swapped partners."""
        rows: pd.DataFrame = read_table(PAIR_TILE, self.tiles / dataset / f"{name}.parquet").to_pandas()
        return rows

    def moments(self, dataset: str, source: tuple[str, str]) -> Moments:
        """Return the moments of a source: a set of features, and a memory or windows."""
        feature_set, of = source
        if feature_set == OF_TILES:
            return of_tiles(self.pair_tile(dataset), of)
        path = self.features / dataset / "pair_window.parquet"
        return of_windows(read_table(PAIR_WINDOW, path).to_pandas(), feature_names(feature_set))

    def moves(self, dataset: str) -> list[Move]:
        """Return the times after a change of a pair's label."""
        lowest: dict[str, dict[int, int | None]] = defaultdict(dict)
        for row in read_table(tables.SUBFLOW, self.tables / dataset / "subflow.parquet").to_pylist():
            lowest[row["connection_id"]][row["subflow_id"]] = row["min_rtt_us"]
        truths = defaultdict(list)
        for row in self.truth(dataset):
            truths[row["connection_id"], row["subflow_a"], row["subflow_b"]].append(row)
        ends_ns = {row["connection_id"]: row["end_ns"] for row in self.connections(dataset)}
        return moves(truths, lowest, ends_ns)[0]
