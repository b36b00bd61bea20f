"""The stage ``sensitivity`` on hand-made tables: levels, windows of other lengths, missing samples and verdicts."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc
import pytest
import yaml
from sklearn.tree import DecisionTreeClassifier

from smartsbd.contracts import tables
from smartsbd.contracts.contract import Table, read_table, write_table
from smartsbd.features.reading import DEFAULT
from smartsbd.models.families.fitted import Fitted, Setting
from smartsbd.models.labelled.extraction import Extracted, Variation, extracted, read_truths
from smartsbd.models.stored import store
from smartsbd.pipelines.__main__ import main

ROOT = Path(__file__).parents[2]
MS = 1_000_000
END_NS = 4_100 * MS
#: Setting, whether it is shared, whether the label is valid, and whether both subflows are ever congested.
CONNECTIONS = {
    "base0": ("base", True, True, True),
    "base1": ("base", False, True, True),
    "base2": ("base", True, True, True),
    "base3": ("base", False, True, True),
    "base4": ("base", True, False, True),
    "loss0": ("loss=0.01", True, True, True),
    "loss1": ("loss=0.01", False, True, True),
    "loss2": ("loss=0.01", False, True, False),
    "jitter0": ("jitter_ms=5", True, False, True),
}
#: T is a second at 50 RTTs of 20 ms; in 4.1 s there is room for four, eight of half the length, two of twice.
WINDOWS = {"25": 8, "50": 4, "100": 2}
MODELS = ("tree_paper", "correlation_plain")


def made(rows: list[dict[str, Any]], table: Table, path: Path) -> None:
    names = [column.name for column in table.columns]
    write_table(table, {name: [row.get(name) for row in rows] for name in names}, path)


def rows_of(number: int, name: str) -> dict[str, list[dict[str, Any]]]:
    """Rows of one connection; its subflows' queues are one queue, or two."""
    setting, shared, valid, congested = CONNECTIONS[name]
    connection_id = f"sensitivity/{name}#0"
    rows: dict[str, list[dict[str, Any]]] = {"subflow": [], "ack": [], "state": []}
    for subflow_id, rtt_us in enumerate((20_000, 10_000)):
        key = {"connection_id": connection_id, "subflow_id": subflow_id}
        rng = np.random.default_rng([number, 0 if shared else subflow_id])
        queue_us = rng.integers(0, 5_000, size=END_NS // (10 * MS))
        queue_us[0] = 0
        rows["subflow"].append(key | {"start_ns": 0, "end_ns": END_NS})
        rows["ack"] += [
            key | {"ack_no": k, "time_ns": 10 * k * MS, "acked_bytes": 1_000 * k, "rtt_us": rtt_us + int(queue)}
            for k, queue in enumerate(queue_us)
        ]
        states = [(0, 3), (5 * MS, 0)] if congested or subflow_id == 0 else [(0, 0)]
        rows["state"] += [
            key | {"state_no": k, "time_ns": time_ns, "ca_state": state, "inferred": False}
            for k, (time_ns, state) in enumerate(states)
        ]
    rows["connection"] = [{"connection_id": connection_id, "start_ns": 0, "end_ns": END_NS}]
    rows["truth"] = [
        {
            "connection_id": connection_id,
            "subflow_a": 0,
            "subflow_b": 1,
            "from_ns": 0,
            "shared": shared,
            "scenario": setting,
            "congestion_control": "lia",
            "valid": valid,
            "why": "",
        }
    ]
    return rows


def stump(feature: str, *, reverse: bool) -> Fitted:
    """A tree that says shared from a correlation of one half on, or the reverse."""
    tree = DecisionTreeClassifier(max_depth=1).fit([[0.0], [1024.0]], [reverse, not reverse])
    return Fitted(tree, (feature,), Setting(1, (("max_depth", 1),)))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("project")
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    params["search"]["datasets"] = ["sites"]
    params["generalise"]["trained"] = [["sites"]]
    params["sensitivity"] |= {"families": ["tree"], "feature_sets": ["paper"]}
    params["evaluate"]["resamples"] = 100
    (target / "params.yaml").write_text(yaml.safe_dump(params | {"workers": 1}))
    shutil.copy(ROOT / "dvc.yaml", target)
    folder = target / "data/tables/sensitivity"
    parts = [rows_of(number, name) for number, name in enumerate(CONNECTIONS)]
    for table in (tables.CONNECTION, tables.SUBFLOW, tables.ACK, tables.STATE):
        made([row for part in parts for row in part[table.name]], table, folder / f"{table.name}.parquet")
    truth = [row for part in parts for row in part["truth"]]
    made(truth, tables.TRUTH, target / "data/truth/sensitivity.parquet")
    store.save(stump("rtt_correlation_q10", reverse=False), target / "data/trained/sites/correlation_plain.skops")
    store.save(stump("rtt_correlation_q10", reverse=True), target / "data/trained/sites/tree_paper.skops")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(target)
        assert main(["extract", "--dataset", "sensitivity"]) == 0
        assert main(["sensitivity"]) == 0
    return target


@pytest.fixture(scope="module")
def table(project: Path) -> pd.DataFrame:
    return pd.read_csv(project / "reports/sensitivity.csv", dtype={"level": str})


def level(table: pd.DataFrame, factor: str, name: str, feature_set: str = "plain") -> dict[str, Any]:
    own = table[(table["factor"] == factor) & (table["level"] == name) & (table["feature_set"] == feature_set)]
    (row,) = own.to_dict("records")
    return {str(key): value for key, value in row.items()}


def test_every_level_and_model_has_a_row(project: Path, table: pd.DataFrame) -> None:
    assert (4 + 4 + 4 + 3 + 3 + 4) * len(MODELS) == len(table)
    base = table[table["base"]].drop_duplicates("factor")
    assert dict(zip(base["factor"], base["level"], strict=True)) == {
        "loss": "0",
        "jitter_ms": "2",
        "queue_rtts": "1",
        "congestion_control": "lia",
        "window_rtts": "50",
        "missing_share": "0",
    }
    digits = pd.read_parquet(project / "data/sensitivity.parquet")
    assert digits["balanced"].round(6).equals(table["balanced"])
    assert (project / "reports/figures/sensitivity.png").stat().st_size > 10_000


def test_the_base_is_the_same_however_it_is_reached(table: pd.DataFrame) -> None:
    base = table[table["base"]]
    for _, own in base.groupby(["model", "feature_set"]):
        assert len(own) == 6
        assert len(own.drop(columns=["factor", "level"]).drop_duplicates()) == 1
    found = level(table, "loss", "0")
    # One of five pairs has no valid label: its windows count for nothing, and it is said.
    assert (found["pairs"], found["valid_pairs"], found["connections"], found["windows"]) == (5, 4, 4, 16)
    assert (found["balanced"], found["none"], found["coverage"]) == (1, 0, 1)
    assert level(table, "loss", "0", "paper")["balanced"] == 0


def test_windows_without_a_verdict_are_wrong(table: pd.DataFrame) -> None:
    found = level(table, "loss", "0.01")
    # Four shared and four other windows are right, and one connection that is not shared has none.
    assert (found["pairs"], found["valid_pairs"], found["windows"], found["none"]) == (3, 3, 8, 1)
    assert (found["recall_shared"], found["recall_not_shared"]) == (1, 0.8)
    assert found["balanced"] == pytest.approx(0.9)
    assert found["coverage"] == pytest.approx(8 / 9, abs=1e-6)


@pytest.mark.parametrize(("name", "pairs"), [("5", 1), ("10", 0)])
def test_a_level_without_a_label_has_no_accuracy(table: pd.DataFrame, name: str, pairs: int) -> None:
    found = level(table, "jitter_ms", name)
    assert (found["pairs"], found["valid_pairs"], found["connections"]) == (pairs, 0, 0)
    assert (found["windows"], found["none"]) == (0, 0)
    assert np.isnan([found["balanced"], found["balanced_low"], found["recall_shared"], found["coverage"]]).all()


@pytest.mark.parametrize("name", WINDOWS)
def test_windows_of_another_length(table: pd.DataFrame, name: str) -> None:
    assert level(table, "window_rtts", name)["windows"] == 4 * WINDOWS[name]


def extract(project: Path, names: list[str], variation: Variation) -> Extracted:
    folder = project / "data/tables/sensitivity"
    connections = read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist()
    own = [row for row in connections if row["connection_id"] in {f"sensitivity/{name}#0" for name in names}]
    truths = read_truths(project / "data/truth/sensitivity.parquet")
    return extracted(own, folder, truths, "sensitivity", ["tiled"], DEFAULT, variation)


def test_missing_samples_are_the_connections_own(project: Path) -> None:
    variation = Variation(missing_share=0.5, seed=3)
    alone, together = (extract(project, names, variation) for names in (["base1"], ["base0", "base1"]))
    ours = together.pair_window.filter(pc.equal(together.pair_window["connection_id"], "sensitivity/base1#0"))
    assert alone.pair_window.equals(ours)
    other = extract(project, ["base1"], Variation(missing_share=0.5, seed=4))
    assert not alone.pair_window.equals(other.pair_window)


def test_rtts_are_missing_and_acks_are_not(project: Path) -> None:
    """A sample in 0.2 s leaves gaps of more than ten steps of at most 15 ms; an ACK of 1000 bytes came every 10 ms."""
    whole, rest = (extract(project, ["base0"], Variation(missing_share=share, seed=3)) for share in (0.0, 0.95))
    assert sum(whole.pair_window["bridged"].to_pylist()) == 0
    assert sum(rest.pair_window["bridged"].to_pylist()) > 0
    for found in (whole, rest):
        series = found.series.to_pandas()
        assert (series["acked_b_bytes"] == 1_000 * (series["time_ns"] // (10 * MS))).all()
