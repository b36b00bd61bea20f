"""Stages ``tiles`` and ``learnt_verdicts`` on what the quick profile made: two ways to a verdict give the same one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest

from smartsbd.contracts import tables
from smartsbd.contracts.contract import read_table
from smartsbd.features.catalog import PAIR_TILE
from smartsbd.models.labelled.partners import members
from smartsbd.models.last_verdict.dataset_tables import DatasetTables
from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.params import read_params
from smartsbd.pipelines.reporting.report_files import read_json
from smartsbd.pipelines.running.stage import EXIT_USAGE
from smartsbd.pipelines.stages.learnt_verdicts import learn
from tests.quick_profile import FOLDER

ROOT = Path(__file__).parents[2]
#: Of two subflows each: a pair's last verdict is what the detector says of the connection.
TWO = ("sites", "kernel")


def rows_of(quick: Path, dataset: str, name: str = "pair_tile") -> pd.DataFrame:
    rows: pd.DataFrame = read_table(PAIR_TILE, quick / "data/tiles" / dataset / f"{name}.parquet").to_pandas()
    return rows


@pytest.mark.parametrize("dataset", TWO)
def test_the_last_verdicts_are_those_of_the_replayed_detector(dataset: str, quick: Path) -> None:
    """One way goes by samples through C, the other by tables through the features: every pair, every verdict."""
    replayed = pd.read_parquet(quick / "data/verdicts" / f"{dataset}.parquet")
    replayed = replayed[(replayed["detector"] == "lag-excess") & (replayed["preset"] == "default")]
    learnt = pd.read_parquet(quick / "data/learnt_verdicts.parquet")
    learnt = learnt[(learnt["dataset"] == dataset) & (learnt["preset"] == "lag_excess, tiles_4, band")]
    fixed = learnt[learnt["detector"] == "fixed rule"]
    key = ["connection_id", "subflow_a", "subflow_b"]
    both = replayed.merge(fixed, on=key, validate="one_to_one", suffixes=("", "_fixed"))
    assert len(both) == len(replayed) == len(fixed) > 0
    assert both["said"].tolist() == pytest.approx(both["said_fixed"].tolist(), nan_ok=True)
    assert both["first_s"].tolist() == pytest.approx(both["first_s_fixed"].tolist(), nan_ok=True)
    assert both["said"].notna().any()


def test_every_pair_is_in_the_table_or_counted(quick: Path) -> None:
    for dataset in read_params(FOLDER / "params.yaml").datasets:
        rows, report = rows_of(quick, dataset), read_json(quick / f"reports/tiles/{dataset}.json")
        subflows = read_table(tables.SUBFLOW, quick / "data/tables" / dataset / "subflow.parquet").to_pandas()
        counts = subflows.groupby("connection_id")["subflow_id"].nunique()
        pairs = rows[["connection_id", "subflow_a", "subflow_b"]].drop_duplicates()
        assert len(pairs) + sum(report["pairs_without_tile"].values()) == (counts * (counts - 1) // 2).sum()
        assert report["rows"] == len(rows)


def test_swapped_partners_are_of_two_connections_and_share_nothing(quick: Path) -> None:
    rows = rows_of(quick, "sites", "swapped")
    truth = read_table(tables.TRUTH, quick / "data/truth/sites.parquet").to_pandas()
    shared = set(truth.loc[truth["shared"] & truth["valid"], "connection_id"])
    assert len(rows)
    for name in rows["connection_id"].unique():
        one, other = members(name)
        assert one != other and {one, other} <= shared
    assert not rows["shared"].any()
    assert not len(rows_of(quick, "kernel", "swapped"))


def test_what_is_learnt_is_tabled_with_its_controls(quick: Path) -> None:
    table = pd.read_csv(quick / "reports/learnt_verdicts/accuracy.csv")
    controls = pd.read_csv(quick / "reports/learnt_verdicts/controls.csv")
    params = read_params(FOLDER / "params.yaml")
    families = set(params.learnt_verdicts.families)
    sources = {(one.features, one.of) for one in table[table["model"].isin(families)].itertuples()}
    assert sources == {
        ("paper", "windows"),
        ("invariant", "windows"),
        ("lag_excess", "tile"),
        ("lag_excess", "tiles_4"),
    }
    assert set(table["dataset"]) <= set(params.datasets)
    assert (table["wrong"] + table["none"] <= table["pairs"]).all()
    assert (table.loc[table["verdict"] == "band", "right"] <= 1).all()
    assert set(controls["control"]) >= {"labels shuffled", "one subflow alone", "swapped partners"}
    assert controls["value"].between(0, 1).all()
    chosen = read_json(quick / "reports/learnt_verdicts/chosen.json")
    assert {name.split(", ")[0] for name in chosen} == {*families, "threshold"}


def test_a_dataset_by_itself_is_judged_as_among_all(quick: Path) -> None:
    """As a study judges its own: what is learnt, and from which folder a dataset comes, change nothing."""
    data = DatasetTables(*(quick / "data" / name for name in ("tables", "truth", "features", "tiles")))
    params = read_params(FOLDER / "params.yaml")
    rows, table = learn(data, params).compared(data, params).judged("kernel")
    among = pd.read_parquet(quick / "data/learnt_verdicts.parquet")
    among = among[among["dataset"] == "kernel"].reset_index(drop=True)
    pd.testing.assert_frame_equal(rows.astype({"said": "boolean"}).reset_index(drop=True), among)
    whole = pd.read_csv(quick / "reports/learnt_verdicts/accuracy.csv")
    assert len(table) == (whole["dataset"] == "kernel").sum()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("params.yaml", "dvc.yaml"):
        shutil.copy(ROOT / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "  trained: wide\n",
            "  trained: nowhere\n",
            "learnt_verdicts.trained has ['nowhere'], known are ",
        ),
        ("sensitivity, wide, kernel,", "sensitivity, kernel,", "learnt_verdicts.trained is 'wide', which is none of"),
        ("  trained: wide\n", "  trained: shift\n", "evaluation_only keeps from it"),
        ("[tile, tiles_4]", "[tile]", "memories lacks tiles_4"),
        ("[tile, tiles_4]", "[tiles_4, none]", r"memories has ['none']"),
    ],
)
def test_what_cannot_be_learnt_from_is_refused(
    old: str, new: str, message: str, project: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    params = project / "params.yaml"
    text = params.read_text()
    assert old in text
    params.write_text(text.replace(old, new))
    assert main(["learnt_verdicts"]) == EXIT_USAGE
    # Where another test has set logging up before, its stream is the one that is written to.
    assert message in capfd.readouterr().err + caplog.text
