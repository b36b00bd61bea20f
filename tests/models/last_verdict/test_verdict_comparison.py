"""Learnt families beside the fixed rule and single numbers, on tables of four connections whose answer is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from smartsbd.contracts import tables
from smartsbd.contracts.contract import Table, write_table
from smartsbd.features.catalog import PAIR_TILE, PAIR_WINDOW
from smartsbd.features.fixed import ONE_Q10
from smartsbd.models.last_verdict.dataset_tables import DatasetTables
from smartsbd.models.last_verdict.learnt_verdict import Learning, Task, settings_of
from smartsbd.models.last_verdict.verdict_comparison import (
    VerdictComparison,
    bands_of_numbers,
    learning_tasks,
    pair_labels,
    sources,
)
from tests.models.windows_made import pair_window

S = 1_000_000_000
SHARED = {"a": True, "b": False, "c": True, "d": False}
LEARNING = Learning(moments=2, folds=2, simpler_within=0.0, seed=0)
SOURCES = sources(["paper", "lag_excess"], ["tiles_4"])
#: The comparison test's lead is wrong on d alone, and there it is small.
LEAD = {"a": 500, "b": -500, "c": 500, "d": 10}
#: The fixed rule says nothing of c.
SAID = {"a": True, "b": False, "c": None, "d": True}


def written(table: Table, rows: Sequence[Mapping[Any, Any]], path: Path) -> None:
    write_table(table, {column.name: [row.get(column.name) for row in rows] for column in table.columns}, path)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> DatasetTables:
    folder = tmp_path_factory.mktemp("data")
    pair = {name: {"connection_id": name, "subflow_a": 0, "subflow_b": 1, "shared": SHARED[name]} for name in SHARED}
    truth = {"from_ns": 0, "scenario": "s", "congestion_control": "lia", "valid": True, "why": "made"}
    rates = {name: {"bottleneck_a_mbit_s": float(place)} for place, name in enumerate(SHARED)}
    written(tables.TRUTH, [truth | own | rates[name] for name, own in pair.items()], folder / "truth/made.parquet")
    connections = [{"connection_id": name, "start_ns": S, "end_ns": 9 * S} for name in SHARED]
    written(tables.CONNECTION, connections, folder / "tables/made/connection.parquet")
    tile = {"memory": "tiles_4", "tile_no": 0, "start_ns": S, "min_rtt_us": 1, "score_q10": 0}
    tile |= {column.name: 0 for column in PAIR_TILE.columns if column.unit == "1/1024"}
    tiles = [
        tile | own | {"steps": steps, "decided_ns": (1 + steps) * S, "said": SAID[name], "lead_q10": LEAD[name]}
        for name, own in pair.items()
        for steps in (1, 2)
    ]
    written(PAIR_TILE, tiles, folder / "tiles/made/pair_tile.parquet")
    windows = pd.concat(
        [
            pair_window(1, 2).assign(connection_id=name, shared=shared, rtt_correlation_q10=ONE_Q10 if shared else 0)
            for name, shared in SHARED.items()
        ]
    )
    windows = windows.assign(denominator=0, coarsened=False, n=2)
    written(PAIR_WINDOW, windows.to_dict("records"), folder / "features/made/pair_window.parquet")
    return DatasetTables(folder / "tables", folder / "truth", folder / "features", folder / "tiles")


@pytest.fixture(scope="module")
def compared(data: DatasetTables) -> VerdictComparison:
    truth = data.truth("made")
    labels, settings = pair_labels(truth), settings_of(pd.DataFrame(truth))
    tasks = {source: Task.of(data.moments("made", source), settings) for source in SOURCES}
    work = learning_tasks(tasks, {"tree": {"max_depth": [1]}}, labels, 1.0, LEARNING)
    assert list(work) == [(source, "tree") for source in SOURCES]
    return VerdictComparison(
        data=data,
        trained="made",
        memories=["tiles_4"],
        shifts=[],
        learnt={name: task() for name, task in work.items()},
        bands=bands_of_numbers(data, "made", labels, 1.0),
        resamples=100,
        seed=0,
    )


def test_a_number_has_the_narrowest_band_that_leaves_all_right(compared: VerdictComparison) -> None:
    # Half of 10 / 1024 is 0.0049: it lies in a band of a hundredth.
    assert compared.bands == {"rtt_correlation_q10": 0.0, "lead_q10": 0.01}


def test_settings_and_bands_by_name(compared: VerdictComparison) -> None:
    chosen = compared.chosen()
    assert list(chosen) == [
        "tree, paper, windows",
        "tree, lag_excess, tiles_4",
        "threshold, rtt_correlation_q10",
        "threshold, lead_q10",
    ]
    assert chosen["tree, paper, windows"]["max_depth"] == 1
    assert chosen["threshold, lead_q10"] == {"band": 0.01}


def test_every_model_judges_every_pair_with_and_without_a_band(compared: VerdictComparison) -> None:
    rows, table = compared.judged("made")
    found = {(one["model"], one["features"], one["verdict"]): one for one in table}
    models = [
        ("tree", "paper"),
        ("tree", "lag_excess"),
        ("threshold", "rtt_correlation_q10"),
        ("threshold", "lead_q10"),
    ]
    assert list(found) == [
        ("fixed rule", "lag_excess", "band"),
        *((*model, verdict) for model in models for verdict in ("forced", "band")),
    ]
    assert len(rows) == len(found) * len(SHARED) and set(rows["dataset"]) == {"made"}
    fixed, plain = found["fixed rule", "lag_excess", "band"], found["threshold", "rtt_correlation_q10", "forced"]
    assert (fixed["right"], fixed["wrong"], fixed["none"], fixed["first_s"]) == (0.5, 1, 1, 1.0)
    assert (plain["right"], plain["less"]) == (1.0, 0.5)
    forced, band = (found["threshold", "lead_q10", verdict] for verdict in ("forced", "band"))
    assert (forced["right"], forced["wrong"], forced["none"]) == (0.75, 1, 0)
    assert (band["right"], band["wrong"], band["none"]) == (0.75, 0, 1)
