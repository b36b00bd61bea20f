"""The study on small made windows: each feature has its row, and a row says what the windows were made to say."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from smartsbd.contracts.contract import write_table
from smartsbd.features.catalog import PAIR_WINDOW, feature_names
from smartsbd.pipelines.params import read_params
from studies.feature_shift import section
from studies.feature_shift.distribution_shift import COLUMNS
from studies.transfers.tests.project import run
from tests.models import windows_made

ROOT = Path(__file__).parents[3]
STUDY = Path("studies/feature_shift")
TRAINED = ["sites", "diverse"]
NAMES = feature_names("both")


def windows_of(dataset: str) -> pd.DataFrame:
    """Where models are trained the ratio of deviations tells the label, and on the kernel the correlation does."""
    rows = windows_made.pair_window(12, 2, seed=len(dataset)).assign(dataset=dataset)
    if dataset == "kernel":
        correlations_q10 = [900 if shared else 100 for shared in rows["shared"]]
        rows = rows.assign(rtt_sd_ratio_q10=3_000, rtt_correlation_q10=correlations_q10)
    # Windows of another rule, whose labels are the other way round, and windows without a label.
    turned = rows.assign(rule="triggered", shared=~rows["shared"].astype(bool))
    unknown = rows.assign(window_start_ns=rows["window_start_ns"] + 2, shared=None, rtt_sd_ratio_q10=1 << 20)
    whole = pd.concat([rows, turned, unknown])
    return whole.assign(denominator=0, coarsened=False, subflow_b=1, n=51)


def project_of(target: Path, development: str = "kernel") -> Path:
    """A project folder with the windows of three datasets."""
    params = yaml.safe_load((ROOT / "params.yaml").read_text()) | {"workers": 1}
    params["search"]["datasets"] = TRAINED
    params["transfer"] = {"tested": [*TRAINED, development], "development": development}
    (target / "params.yaml").write_text(yaml.safe_dump(params))
    for dataset in (*TRAINED, "kernel"):
        whole = windows_of(dataset)
        columns = {column.name: whole[column.name].tolist() for column in PAIR_WINDOW.columns}
        write_table(PAIR_WINDOW, columns, target / f"data/features/{dataset}/pair_window.parquet")
    return target


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = project_of(tmp_path_factory.mktemp("project"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(target)
        assert run(STUDY.name) == 0
    return target


def rows_in(reports: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows of a table, by dataset and feature."""
    records = pd.read_csv(reports / "shifts.csv").to_dict("records")
    rows = ({str(name): cell for name, cell in record.items()} for record in records)
    return {(row["trained_on"], row["feature"]): row for row in rows}


@pytest.fixture(scope="module")
def shifts(project: Path) -> dict[tuple[str, str], dict[str, Any]]:
    return rows_in(project / STUDY / "reports")


def test_every_feature_has_a_row_for_each_dataset_trained_on(project: Path) -> None:
    table = pd.read_csv(project / STUDY / "reports/shifts.csv")
    assert list(zip(table["trained_on"], table["feature"], strict=True)) == list(itertools.product(TRAINED, NAMES))
    for name in COLUMNS:
        assert table[name].between(0, 1).all()
    unrounded = pd.read_parquet(project / "data/studies/feature_shift/shifts.parquet")
    pd.testing.assert_frame_equal(unrounded, table, atol=1e-6)
    assert (project / STUDY / "reports/values.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("dataset", TRAINED)
def test_a_row_says_what_the_windows_were_made_to_say(
    shifts: dict[tuple[str, str], dict[str, Any]], dataset: str
) -> None:
    """Windows of another rule, or without a label, would change some of these."""
    ratio, correlation = (shifts[dataset, name] for name in ("rtt_sd_ratio_q10", "rtt_correlation_q10"))
    assert (ratio["auc_trained"], ratio["auc_development"]) == (0, 0.5)
    assert (ratio["ks_non_shared"], ratio["outside"]) == (1, 1)
    assert (correlation["auc_trained"], correlation["auc_development"]) == (0.5, 1)
    assert (correlation["ks_shared"], correlation["ks_non_shared"], correlation["outside"]) == (1, 1, 1)


def test_the_page_has_a_row_for_each_feature(project: Path, shifts: dict[tuple[str, str], dict[str, Any]]) -> None:
    rows = {row["feature"]: row for row in section.shifts(project / STUDY / "reports")}
    assert list(rows) == [f"`{name}`" for name in NAMES]
    ratio = rows["`rtt_sd_ratio_q10`"]
    assert (ratio["kernel: area"], ratio["sites: area"], ratio["diverse: outside"]) == ("0.50", "0.00", "1.00")
    shared, apart = (shifts["sites", "rtt_ed_4us"][name] for name in ("ks_shared", "ks_non_shared"))
    assert abs(shared - apart) > 0.01
    assert rows["`rtt_ed_4us`"]["sites: distance shared / not"] == f"{shared:.2f} / {apart:.2f}"


def test_without_a_development_set_there_is_nothing_to_compare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project_of(tmp_path, development="mine"))
    assert run(STUDY.name) == 0
    assert "transfer.development is mine, which is not among the datasets" in capsys.readouterr().err
    table = pd.read_csv(STUDY / "reports/shifts.csv")
    assert (list(table), len(table)) == (["feature", "trained_on", *COLUMNS], 0)


def test_results_in_git_are_of_the_parameters_and_correlation_tells_the_kernel_s_labels() -> None:
    trained = read_params(ROOT / "params.yaml").search.datasets
    committed = rows_in(ROOT / STUDY / "reports")
    assert list(committed) == list(itertools.product(trained, NAMES))
    for dataset in trained:
        assert committed[dataset, "rtt_correlation_q10"]["auc_development"] > 0.99
