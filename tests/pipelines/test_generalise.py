"""Unseen cases and the generalisation matrix, as the stages write them on small datasets made by hand."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from smartsbd.contracts.contract import read_table
from smartsbd.contracts.tables import PREDICTION
from smartsbd.pipelines.reporting import excerpts
from tests.pipelines.small_project import DATASETS, SPLITS, TILED

SETS = ("paper", "invariant")
TRAINED = ("sites", "diverse", "sites+diverse")


def test_cases_of_a_model_that_follows_one_feature(searched: Path) -> None:
    """The tree on the paper's set goes by what tells the label in two cases, and says the opposite in the third."""
    table = pd.read_csv(searched / "reports/unseen.csv")
    own = table[(table["model"] == "tree") & (table["feature_set"] == "paper")].set_index("case")
    # Four windows right of five, one having no verdict; two of two; none of two; no label at all.
    assert own["accuracy"].tolist()[:3] == [0.8, 1.0, 0.0]
    assert own["accuracy"].isna().tolist() == [False, False, False, True, False]
    cases = ["case01", "case02", "case03", "case04"]
    assert own.loc[cases, "connections"].tolist() == [2, 1, 1, 0]
    assert own.loc[cases, "not_valid"].tolist() == [0, 0, 0, 1]
    assert own.loc[cases, "windows"].tolist() == [4, 2, 2, 0]
    assert own.loc[cases, "none"].tolist() == [1, 0, 0, 0]
    mean = own.loc["mean"]
    assert mean["accuracy"] == pytest.approx(1.8 / 3, abs=1e-6)
    # Of 27 resamples of three cases, four have a mean of 0.8 / 3 or less, and four one of 2.8 / 3 or more.
    assert 0 <= mean["low"] <= 0.8 / 3 + 1e-6
    assert 2.8 / 3 - 1e-6 <= mean["high"] <= 1
    assert (mean["lowest"], mean["lowest_case"], mean["cases"]) == (0.0, "case03", 3)
    assert (mean["windows"], mean["none"], mean["not_valid"]) == (8, 1, 1)
    exact = pd.read_parquet(searched / "data/unseen.parquet")
    exact = exact[(exact["model"] == "tree") & (exact["feature_set"] == "paper")].set_index("case")
    assert exact.loc["mean", "accuracy"] == pytest.approx(1.8 / 3, abs=1e-12)
    models = [f"{model}_{features}" for model, features in zip(table["model"], table["feature_set"], strict=True)]
    assert set(models) == {path.stem for path in (searched / "data/trained/sites").glob("*.skops")}


def test_what_there_is_of_each_case_is_written(searched: Path) -> None:
    cases = pd.read_csv(searched / "reports/unseen_cases.csv").set_index("case")
    assert cases["shared"].tolist() == [True, False, False, False]
    assert cases["windows"].tolist() == [4, 2, 2, 0]
    assert cases["none"].tolist() == [1, 0, 0, 0]
    # RTTs move together where a window is shared.
    assert cases.loc["case01", "correlation"] == pytest.approx(1, abs=1e-6)


def test_every_set_is_tested_on_every_dataset(searched: Path) -> None:
    found = read_table(PREDICTION, searched / "data/generalised.parquet").to_pandas()
    assert set(found["model"]) == {"tree"}
    assert set(zip(found["feature_set"], found["train_set"], found["test_set"], strict=True)) == {
        (own, f"{trained}/tiled", f"{tested}/tiled")
        for own in SETS
        for trained in TRAINED
        for tested in (*DATASETS, "unseen", "kernel")
    }
    for (trained, tested), own in found[found["feature_set"] == "paper"].groupby(["train_set", "test_set"]):
        dataset = tested.partition("/")[0]
        assert set(own["connection_id"].str.split("/").str[0]) == {dataset}
        if dataset in trained.partition("/")[0].split("+"):
            assert sorted(own["fold"].unique()) == list(range(SPLITS))
        else:
            assert len(own) == {"sites": TILED, "diverse": TILED, "unseen": 8, "kernel": 27}[dataset]
            assert set(own["fold"]) == {0}


def test_what_is_trained_on_one_dataset_is_what_the_search_says(searched: Path) -> None:
    """The same splits, choice and models: two stages, one number."""
    found = read_table(PREDICTION, searched / "data/generalised.parquet").to_pandas()
    for name in (*(f"predictions/{dataset}" for dataset in DATASETS), "transferred"):
        others = read_table(PREDICTION, searched / f"data/{name}.parquet").to_pandas()
        others = others[(others["model"] == "tree") & others["train_set"].isin(["sites/tiled", "diverse/tiled"])]
        others = others[others["test_set"].isin(["sites/tiled", "diverse/tiled", "kernel/tiled"])]
        both = found.merge(others, on=[*PREDICTION.key, "test_set"], suffixes=("", "_search"))
        assert len(both) == len(others) > 0
        assert both["score"].tolist() == both["score_search"].tolist()


def test_a_window_without_a_verdict_is_wrong_where_nothing_was_learnt(searched: Path) -> None:
    table = pd.read_csv(searched / "reports/generalisation.csv")
    own = table[table["feature_set"] == "paper"].set_index(["train_set", "test_set"])
    found = read_table(PREDICTION, searched / "data/generalised.parquet").to_pandas()
    found = found[found["feature_set"] == "paper"]
    assert own.loc[("sites+diverse/tiled", "sites/tiled"), "none"] == 0
    for trained, tested, none in (("sites", "diverse", (1, 1)), ("sites+diverse", "unseen", (1, 0))):
        pair = (f"{trained}/tiled", f"{tested}/tiled")
        mine = found[(found["train_set"] == pair[0]) & (found["test_set"] == pair[1])]
        right = mine["shared_pred"] == mine["shared"]
        shares = [
            right[mine["shared"] == label].sum() / ((mine["shared"] == label).sum() + missing)
            for label, missing in zip((True, False), none, strict=True)
        ]
        assert own.loc[pair, "none"] == sum(none)
        assert own.loc[pair, "balanced"] == pytest.approx(sum(shares) / 2, abs=1e-6)
    # By hand: four of five shared windows, two of four that are not.
    assert own.loc[("sites+diverse/tiled", "unseen/tiled"), "balanced"] == pytest.approx((0.8 + 0.5) / 2)


def test_excerpts_of_small_reports(searched: Path) -> None:
    lines = excerpts.EXCERPTS["unseen"](searched).splitlines()
    tree = next(line for line in lines if line.startswith("| tree | paper"))
    assert tree.startswith("| tree | paper | 0.600 (")
    assert tree.endswith(") | 0.00 | 0.80 | 1.00 | 0.00 |  |  / 0.50 |")
    assert "| case04 | not shared | 1 / 1 | 0 / 0 |  |  |  |  |  |  |" in excerpts.EXCERPTS["cases"](searched)
    matrix = excerpts.EXCERPTS["generalisation"](searched).splitlines()
    assert matrix[0] == "| features | trained on | model | sites | diverse | unseen | kernel |"
    # Two sets of features, three sets of datasets; a star where a dataset's connections were held out.
    assert [line.count("*") for line in matrix[2:]] == [1, 1, 2] * 2
