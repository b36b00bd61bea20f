"""From windows to accuracy: search, controls, transfer and evaluation on two small datasets made by hand."""

from __future__ import annotations

import json
import shutil
from contextlib import nullcontext
from pathlib import Path

import pandas as pd
import pytest
import yaml

from smartsbd.contracts.contract import read_table
from smartsbd.contracts.tables import PREDICTION
from smartsbd.models.stored import store
from smartsbd.pipelines.__main__ import main
from tests.dask_cluster import cluster
from tests.pipelines import small_project
from tests.pipelines.small_project import CONNECTIONS, DATASETS, FAMILIES, SPLITS, TILED

MODELS = {
    *((family, feature_set) for family in FAMILIES for feature_set in ("paper", "invariant")),
    ("knn_dtw", "rtt_series"),
    ("knn_dtw", "queue_series"),
    ("correlation", "plain"),
}
#: Windows of the kernel's development half, by eleven connections, none of one more; captures begin a little earlier.
KERNEL, CAPTURED = 27, 26


@pytest.mark.slow
def test_one_core_or_two_give_the_same_controls(
    searched: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Path(shutil.copytree(searched, tmp_path / "project", symlinks=True))
    params = project / "params.yaml"
    params.write_text(yaml.safe_dump(yaml.safe_load(params.read_text()) | {"workers": 2}))
    shutil.rmtree(project / "reports/controls/sites")
    monkeypatch.chdir(project)
    assert main(["controls", "--dataset", "sites"]) == 0
    names = sorted(path.name for path in (project / "reports/controls/sites").iterdir())
    assert names == sorted(path.name for path in (searched / "reports/controls/sites").iterdir())
    for name in names:
        assert (project / "reports/controls/sites" / name).read_bytes() == (
            searched / "reports/controls/sites" / name
        ).read_bytes(), name


@pytest.mark.slow
@pytest.mark.parametrize("scheduled", [False, True], ids=["two processes", "a scheduler's workers"])
def test_where_the_work_is_done_changes_no_byte(searched: Path, tmp_path: Path, scheduled: bool) -> None:
    with cluster(tmp_path / "dask", workers=2) if scheduled else nullcontext() as there:
        small_project.make(tmp_path, workers=2, scheduler=None if there is None else there.address)
    made = ("data/trained", "data/predictions", "data/features", "reports", "export")
    names = sorted(path.relative_to(tmp_path) for name in made for path in (tmp_path / name).rglob("*.*"))
    names += [Path("data/unseen.parquet"), Path("data/generalised.parquet")]
    assert len(names) > 30
    for name in names:
        assert (searched / name).read_bytes() == (tmp_path / name).read_bytes(), name


def predictions(searched: Path, name: str) -> pd.DataFrame:
    found: pd.DataFrame = read_table(PREDICTION, searched / f"data/{name}.parquet").to_pandas()
    return found


def test_every_trial_is_predicted(searched: Path) -> None:
    found = predictions(searched, "predictions/sites")
    rules = ("tiled", "triggered")
    assert set(zip(found["train_set"], found["test_set"], strict=True)) == {
        *((f"sites/{train}", f"sites/{test}") for train in rules for test in (*rules, "swapped")),
        ("sites but the site/tiled", "sites/tiled"),
    }
    assert set(zip(found["model"], found["feature_set"], strict=True)) == MODELS
    for _, own in found.groupby(["model", "feature_set"]):
        left_out = own[own["train_set"] == "sites but the site/tiled"]
        assert len(left_out) == TILED
        assert left_out.groupby("fold")["site"].nunique().tolist() == [1, 1, 1]
        random = own[(own["train_set"] == "sites/tiled") & (own["test_set"] == "sites/tiled")]
        assert sorted(random["fold"].unique()) == list(range(SPLITS))
    assert not found.loc[found["test_set"] == "sites/swapped", "shared"].any()
    assert set(found["site"]) == {"s0", "s1", "s2"}


def test_what_was_chosen_is_what_is_stored(searched: Path) -> None:
    chosen = json.loads((searched / "reports/chosen/sites.json").read_text())
    assert {(one["family"], one["feature_set"]) for one in chosen.values()} == MODELS
    assert sorted(chosen) == sorted(path.stem for path in (searched / "data/trained/sites").glob("*.skops"))
    for name, one in chosen.items():
        path = searched / f"data/trained/sites/{name}.skops"
        fitted = store.load(path)
        assert store.digest(path) == one["model"]
        assert one["setting"] == {"top": fitted.setting.top, **dict(fitted.setting.hyperparameters)}
        assert one["features"] == list(fitted.feature_names)
        assert len(one["nested_settings"]) == SPLITS
        assert (one["windows"], one["connections"]) == (TILED, CONNECTIONS)
        assert ("paper_accuracy" in one) == (one["family"] not in ("knn_dtw", "correlation"))
    assert chosen["correlation_plain"]["features"] == ["rtt_correlation_q10"]
    assert chosen["tree_paper"]["nested_accuracy"] > 0.95
    assert chosen["knn_dtw_queue_series"]["nested_accuracy"] > 0.75
    grid = pd.read_csv(searched / "reports/grid/sites.csv")
    # Two sets, two sizes of subsets; two depths of trees, one setting of the others.
    assert len(grid) == 2 * 2 * (2 + 1 + 1)
    best = grid[(grid["family"] == "tree") & (grid["feature_set"] == "paper")]["mean_accuracy"].max()
    assert chosen["tree_paper"]["paper_accuracy"] == pytest.approx(best, abs=2e-6)


def test_models_meet_the_other_datasets_windows(searched: Path) -> None:
    found = predictions(searched, "transferred")
    tested = found["connection_id"].str.split("/").str[0]
    assert (found["test_set"] == tested + "/tiled").all()
    assert set(zip(found["train_set"], tested, strict=True)) == {
        ("sites/tiled", "diverse"),
        ("diverse/tiled", "sites"),
        *((f"{dataset}/tiled", kernel) for dataset in DATASETS for kernel in small_project.KERNEL),
    }
    assert len(found) == len(DATASETS) * (TILED + KERNEL + CAPTURED) * len(MODELS)
    found = found[~tested.isin(small_project.KERNEL)]
    # What tells the label is the same in both.
    for model, feature_set in (("tree", "paper"), ("tree", "invariant"), ("knn_dtw", "queue_series")):
        own = found[(found["model"] == model) & (found["feature_set"] == feature_set)]
        assert (own["shared_pred"] == own["shared"]).mean() > 0.75


def test_everything_is_judged_but_swapped_partners(searched: Path) -> None:
    table = pd.read_csv(searched / "reports/accuracy.csv")
    assert not table["test_set"].str.endswith("swapped").any()
    overall = table[table["site"] == "all"]
    # A dataset's own: two rules times two, and one site left out. Six transfers.
    assert len(overall) == len(MODELS) * (2 * (4 + 1) + 6)
    assert ((overall["overall_low"] <= overall["overall"]) & (overall["overall"] <= overall["overall_high"])).all()
    own = predictions(searched, "predictions/sites")
    own = own[(own["train_set"] == "sites/tiled") & (own["test_set"] == "sites/tiled") & (own["model"] == "logistic")]
    own = own[(own["feature_set"] == "invariant") & (own["site"] == "s1")]
    told = table[
        (table["train_set"] == "sites/tiled")
        & (table["test_set"] == "sites/tiled")
        & (table["model"] == "logistic")
        & (table["feature_set"] == "invariant")
        & (table["site"] == "s1")
    ]
    assert told["predictions"].tolist() == [len(own)]
    assert told["overall"].tolist() == pytest.approx([(own["shared_pred"] == own["shared"]).mean()], abs=1e-6)
    metrics = json.loads((searched / "reports/headline/models.json").read_text())
    assert metrics.keys() == {f"{family}_paper" for family in FAMILIES}
    (row,) = overall[
        (overall["train_set"] == "sites/tiled")
        & (overall["test_set"] == "sites/tiled")
        & (overall["model"] == "logistic")
        & (overall["feature_set"] == "paper")
    ].to_dict("records")
    assert metrics["logistic_paper"] == pytest.approx(row["balanced"], abs=1e-6)


def test_a_window_without_a_verdict_is_wrong_where_all_of_a_dataset_is_tested_on(searched: Path) -> None:
    table = pd.read_csv(searched / "reports/accuracy.csv")
    table = table[(table["model"] == "tree") & (table["feature_set"] == "paper") & (table["site"] == "all")]
    rows = {(row["train_set"], row["test_set"]): row for row in table.to_dict("records")}
    own = rows["sites/tiled", "sites/tiled"]
    assert own["none"] == 0 and pd.isna(own["coverage"])
    found = predictions(searched, "transferred")
    found = found[(found["model"] == "tree") & (found["feature_set"] == "paper")]
    # One shared and one not: made by hand in each dataset. The kernel's 112 ends before its window does.
    for test_set, none in (("diverse/tiled", (1, 1)), ("kernel/tiled", (0, 1))):
        transferred = rows["sites/tiled", test_set]
        mine = found[(found["train_set"] == "sites/tiled") & (found["test_set"] == test_set)]
        right = mine["shared_pred"] == mine["shared"]
        assert transferred["none"] == sum(none)
        assert transferred["coverage"] == pytest.approx(len(mine) / (len(mine) + sum(none)), abs=1e-6)
        shares = [
            right[mine["shared"] == label].sum() / ((mine["shared"] == label).sum() + missing)
            for label, missing in zip((True, False), none, strict=True)
        ]
        assert transferred["recall_shared"] == pytest.approx(shares[0], abs=1e-6)
        assert transferred["recall_not_shared"] == pytest.approx(shares[1], abs=1e-6)
        assert transferred["balanced"] == pytest.approx(sum(shares) / 2, abs=1e-6)


def test_the_default_model_is_the_best_on_the_development_set(searched: Path) -> None:
    named = json.loads((searched / "reports/detector.json").read_text())
    table = pd.read_csv(searched / "reports/accuracy.csv")
    table = table[(table["site"] == "all") & (table["test_set"] == "kernel/tiled")]
    best = table[table["balanced"] == table["balanced"].max()]
    dataset, _, name = named["model"].partition("/")
    assert (f"{dataset}/tiled", name) in set(
        zip(best["train_set"], best["model"] + "_" + best["feature_set"], strict=True)
    )
    assert named["balanced"]["development"] == pytest.approx(table["balanced"].max(), abs=1e-6)
    assert (searched / f"data/trained/{named['model']}.skops").exists()


def test_controls(searched: Path) -> None:
    reports = searched / "reports/controls/sites"
    rows = pd.read_csv(reports / "swapped.csv").to_dict("records")
    swapped = {(row["model"], row["feature_set"]): row for row in rows}
    assert set(swapped) == MODELS
    # They look shared by the telling features; their series do not.
    assert swapped["tree", "paper"]["swapped"] > 0.95
    assert swapped["tree", "paper"]["excess_low"] > 0.5
    assert swapped["knn_dtw", "queue_series"]["excess"] < 0.5
    alone = {row["feature"]: row for row in pd.read_csv(reports / "alone.csv").to_dict("records")}
    assert len(alone) == 29
    assert max(alone, key=lambda name: alone[name]["overall"]) == "rtt_sd_ratio_q10"
    assert alone["rtt_sd_ratio_q10"]["overall"] > 0.95
    assert alone["rtt_sd_ratio_q10"]["swapped"] > 0.95
    shuffled = pd.read_csv(reports / "shuffled.csv")
    assert shuffled["model"].tolist() == ["tree"]
    assert shuffled["balanced"].between(0.2, 0.8).all()
