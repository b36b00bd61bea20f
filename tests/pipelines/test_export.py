"""Headers, cards, model files and their checksums: written once, proven again, and put together for a sender."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from smartsbd.contracts.contract import write_table
from smartsbd.contracts.tables import PREDICTION, WINDOW_KEY
from smartsbd.export import compilers, header_program, model_file
from smartsbd.export.tree import from_fitted
from smartsbd.export.verify import row_values
from smartsbd.features.catalog import PAIR_WINDOW, feature
from smartsbd.models.families.fitted import Fitted
from smartsbd.models.stored import store
from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.params import overlaid
from smartsbd.pipelines.reporting.report_files import write_json
from tests.export import made
from tests.models.windows_made import pair_window

ROOT = Path(__file__).parents[2]
DATASETS = ("sites", "diverse")
MODELS = {"tree_paper": "nested", "forest_invariant": "packed"}
HEADERS = [f"sbd_{name}" for name in MODELS]
SMALL = {
    "profile": "small",
    "datasets": list(DATASETS),
    "export": {"models": list(MODELS), "generated_rows": 3_000},
}


def windows_of(dataset: str, seed: int) -> pd.DataFrame:
    """Tiled and triggered windows with any features."""
    rng = np.random.default_rng(seed)
    rows = pd.concat([pair_window(20, 3, seed), pair_window(20, 1, seed + 1).assign(rule="triggered")])
    rows["connection_id"] = dataset + "/" + rows["connection_id"]
    for name in made.NAMES:
        rows[name] = rng.integers(int(feature(name).low), int(feature(name).high), len(rows), endpoint=True)
    return rows.assign(dataset=dataset, denominator=0, coarsened=False, subflow_b=1, n=51)


def fitted_models() -> dict[str, Fitted]:
    return {
        "tree_paper": made.tree(1, 4, made.NAMES[:9]),
        "forest_invariant": made.forest(3, 4, made.NAMES[9:], trees=12),
    }


def predictions_of(model: str, fitted: Fitted, windows: pd.DataFrame) -> pd.DataFrame:
    family, _, feature_set = model.rpartition("_")
    tiled = windows[windows["rule"] == "tiled"]
    verdicts = fitted.estimator.predict(tiled[list(fitted.feature_names)].to_numpy())
    rows = tiled[[*WINDOW_KEY, "shared", "site"]].assign(model=family, feature_set=feature_set, fold=0, score=0.5)
    return rows.assign(train_set="sites/tiled", test_set=tiled["dataset"] + "/tiled", shared_pred=verdicts)


def accuracies() -> pd.DataFrame:
    """One row for each model and dataset, and rows that belong on no card."""
    rows: list[dict[str, Any]] = []
    for number, name in enumerate(MODELS):
        family, _, feature_set = name.rpartition("_")
        for train_set, test_set, site in (
            ("sites/tiled", "sites/tiled", "all"),
            ("sites/tiled", "diverse/tiled", "all"),
            ("sites/tiled", "sites/tiled", "s0"),
            ("diverse/tiled", "sites/tiled", "all"),
            ("sites/triggered", "sites/tiled", "all"),
        ):
            row: dict[str, Any] = {"train_set": train_set, "test_set": test_set, "model": family, "site": site}
            row |= {"feature_set": feature_set, "connections": 10 + len(rows), "windows": 100 + number}
            for place, share in enumerate(("recall_shared", "recall_not_shared", "balanced")):
                value = 0.5 + 0.1 * place + 0.01 * number
                row |= {share: value, f"{share}_low": value - 0.1, f"{share}_high": value + 0.1}
            rows.append(row)
    return pd.DataFrame(rows)


def write(rows: pd.DataFrame, table: Any, path: Path) -> None:
    write_table(table, {column.name: rows[column.name].tolist() for column in table.columns}, path)


@pytest.fixture(scope="module")
def made_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of two datasets and three models, exported once."""
    project = tmp_path_factory.mktemp("project")
    overlay = project / "small.yaml"
    overlay.write_text(yaml.safe_dump(SMALL))
    (project / "params.yaml").write_text(overlaid(ROOT / "params.yaml", overlay))
    shutil.copy(ROOT / "dvc.yaml", project)
    windows = {dataset: windows_of(dataset, 10 * seed) for seed, dataset in enumerate(DATASETS)}
    for dataset, rows in windows.items():
        write(rows, PAIR_WINDOW, project / f"data/features/{dataset}/pair_window.parquet")
    fitted = fitted_models()
    for name, one in fitted.items():
        store.save(one, project / f"data/trained/sites/{name}.skops")
    predictions = [predictions_of(name, one, rows) for name, one in fitted.items() for rows in windows.values()]
    write(pd.concat(predictions), PREDICTION, project / "data/transferred.parquet")
    (project / "reports").mkdir()
    accuracies().to_csv(project / "reports/accuracy.csv", index=False)
    write_json({"exported": {"model": "sites/forest_invariant"}}, project / "reports/detector.json")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        assert main(["export", "-q"]) == 0
    return project


@pytest.fixture
def project(made_project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, where no compiler but gcc is installed: each more takes its time."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("gcc", "cc", "as", "ld", "nm", "size", "sha256sum"):
        (tools / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", str(tools))
    copy = tmp_path / "project"
    shutil.copytree(made_project, copy)
    monkeypatch.chdir(copy)
    return copy


def sums_hold(folder: Path) -> int:
    """Return how many files have the checksum that is told."""
    done = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    return len(done.stdout.splitlines())


def test_headers_cards_and_model_files_are_written(made_project: Path) -> None:
    folder = made_project / "export/generated"
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "smartsbd.h",
        "sbd_loaded.h",
        "SHA256SUMS",
        "default.json",
        "sbd_common_lag.h",
        "sbd_common_lag.md",
        "sbd_lag_excess.h",
        "sbd_lag_excess.md",
        "model.json",
        "forest_invariant.sbd",
        *(f"{name}{suffix}" for name in HEADERS for suffix in (".h", ".md")),
    }
    assert sums_hold(folder) == len(names) - 1
    files = made_project / "data/exported"
    assert {path.name for path in files.iterdir()} == {f"{name}.sbd" for name in MODELS}
    for name, one in fitted_models().items():
        assert (files / f"{name}.sbd").read_bytes() == model_file.content(from_fitted(one))
        digest = store.digest(made_project / f"data/trained/sites/{name}.skops")
        text = (folder / f"sbd_{name}.h").read_text()
        assert f"Generated from model {digest}, trained on sites, tiled windows, small profile\n" in text
        assert f"; {MODELS[name]}.\n" in text


def test_a_card_says_what_the_model_is_and_how_it_does(made_project: Path) -> None:
    card = (made_project / "export/generated/sbd_tree_paper.md").read_text()
    held_out, _, elsewhere = card.partition("This model on datasets it was not trained on")
    row = "0.500 (0.400 to 0.600) | 0.600 (0.500 to 0.700) | 0.700 (0.600 to 0.800) |"
    assert f"| sites/tiled | 10 | 100 | {row}\n" in held_out
    assert f"| diverse/tiled | 11 | 100 | {row}\n" in elsewhere
    assert card.count("/tiled |") == 2
    forest = from_fitted(fitted_models()["tree_paper"])
    splits, leaves, depth = forest.size()
    assert f"| size | 1 tree, {splits} splits, {leaves} leaves, depth {depth}; nested |" in card
    assert "| hyperparameters | max_depth 4; the 9 most relevant features offered |" in card
    assert f"| features | {', '.join(forest.features())} |" in card
    for file in ("export/generated/sbd_tree_paper.h", "data/exported/tree_paper.sbd"):
        digest = hashlib.sha256((made_project / file).read_bytes()).hexdigest()
        assert f"| SHA-256 of {Path(file).name} | {digest} |" in card


def test_the_report_counts_what_agreed(made_project: Path) -> None:
    report = json.loads((made_project / "reports/export.json").read_text())
    assert set(report) == set(HEADERS)
    for name, one in report.items():
        forest = from_fitted(fitted_models()[name.removeprefix("sbd_")])
        assert (one["splits"], one["leaves"], one["depth"]) == forest.size()
        assert one["trees"] == len(forest.trees) and one["features"] == list(forest.features())
        assert one["header_bytes"] == (made_project / f"export/generated/{name}.h").stat().st_size
        assert one["file_bytes"] == (made_project / f"data/exported/{name[4:]}.sbd").stat().st_size
        agreeing = one["rows_agreeing_all"]
        assert (agreeing["windows"], agreeing["predictions"]) == (160, 120)
        assert agreeing["generated"] >= 3_000
    replayed = pd.read_parquet(made_project / "data/header.parquet")
    assert replayed.groupby("model").size().to_dict() == dict.fromkeys(HEADERS, 160)
    windows = pd.concat([windows_of(dataset, 10 * seed) for seed, dataset in enumerate(DATASETS)], ignore_index=True)
    for name, one in fitted_models().items():
        own = replayed[replayed["model"] == f"sbd_{name}"]
        both = own.merge(windows, on=list(WINDOW_KEY), validate="one_to_one")
        said = one.estimator.predict(both[list(one.feature_names)].to_numpy())
        assert both["shared_pred"].tolist() == said.tolist() and set(said) == {False, True}


@pytest.mark.slow
def test_a_check_passes_and_writes_nothing(project: Path) -> None:
    def state() -> dict[Path, tuple[int, bytes]]:
        return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in project.rglob("*") if path.is_file()}

    before = state()
    assert main(["export", "-q", "--check"]) == 0
    assert state() == before


@pytest.mark.slow
def test_a_check_finds_what_differs(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = project / "export/generated/sbd_tree_paper.h"
    path.write_text(path.read_text().replace("a", "b", 1))
    assert main(["export", "-q", "--check"]) == 1
    assert "export/generated/sbd_tree_paper.h differs from what is trained" in capsys.readouterr().err


@pytest.mark.slow
def test_what_is_published_compiles_and_decides_by_itself(project: Path, tmp_path: Path) -> None:
    folder = tmp_path / "published"
    folder.mkdir()
    for left in (folder / "old", project / "export/generated/sbd_tree_old.h", project / "data/exported/tree_old.sbd"):
        left.touch()
    assert main(["export", "-q", "--publish", str(folder)]) == 0
    assert {path.name for path in (project / "data/exported").iterdir()} == {f"{name}.sbd" for name in MODELS}
    assert not (project / "export/generated/sbd_tree_old.h").exists()
    names = {path.name for path in folder.iterdir()}
    generated = {path.name for path in (project / "export/generated").iterdir()}
    assert names == {*generated, "replay.c", *(f"{name}.sbd" for name in MODELS)}
    assert sums_hold(folder) == len(names) - 1
    # As the comment in it says.
    said = [line.removeprefix(" *\t") for line in (folder / "replay.c").read_text().splitlines() if "\tcc " in line]
    assert said == ["cc -O2 -DSBD_MODEL=sbd_tree_paper -o replay replay.c", "cc -O2 -o replay replay.c"]
    fitted = fitted_models()
    rows = windows_of("sites", 50)
    values = row_values(rows)
    for name, one in fitted.items():
        expected = one.estimator.predict(rows[list(one.feature_names)].to_numpy()).tolist()
        subprocess.run(said[0].replace("sbd_tree_paper", f"sbd_{name}").split(), cwd=folder, check=True)
        assert header_program.verdicts(folder / "replay", values).tolist() == expected
        subprocess.run(said[1].split(), cwd=folder, check=True)
        assert header_program.verdicts(folder / "replay", values, folder / f"{name}.sbd").tolist() == expected
    (folder / "replay.c").write_text((folder / "replay.c").read_text() + "\n")
    done = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "replay.c: FAILED" in done.stdout


@pytest.mark.slow
def test_predictions_that_are_not_the_models_are_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (project / "reports/export.json").read_bytes()
    path = project / "data/transferred.parquet"
    rows = pd.read_parquet(path)
    at = rows.index[(rows["model"] == "forest") & (rows["test_set"] == "diverse/tiled")][7]
    rows.loc[at, "shared_pred"] = not rows.loc[at, "shared_pred"]
    write(rows, PREDICTION, path)
    shutil.rmtree(project / "export/generated")
    assert main(["export", "-q"]) == 1
    assert "sbd_forest_invariant differs from its predictions in 1 rows" in capsys.readouterr().err
    # Nothing is written of what is not verified.
    assert not (project / "export/generated").exists()
    assert (project / "reports/export.json").read_bytes() == before


@pytest.mark.slow
def test_another_layout_is_another_header_that_decides_alike(project: Path) -> None:
    params = yaml.safe_load((project / "params.yaml").read_text())
    params["export"]["layouts"] = {"tree": "packed", "forest": "nested"}
    (project / "params.yaml").write_text(yaml.safe_dump(params))
    before = pd.read_parquet(project / "data/header.parquet")
    files = {path.name: path.read_bytes() for path in (project / "data/exported").iterdir()}
    assert main(["export", "-q"]) == 0
    assert "sbd_tree_paper_node" in (project / "export/generated/sbd_tree_paper.h").read_text()
    assert "sbd_forest_invariant_tree11" in (project / "export/generated/sbd_forest_invariant.h").read_text()
    pd.testing.assert_frame_equal(pd.read_parquet(project / "data/header.parquet"), before)
    assert {path.name: path.read_bytes() for path in (project / "data/exported").iterdir()} == files


@pytest.mark.parametrize(
    ("export", "message"),
    [
        ({"models": ["svm_rbf_paper"]}, "of whose family 'svm_rbf' layouts says nothing"),
        ({"layouts": {"tree": "nested"}}, "of whose family 'forest' layouts says nothing"),
        ({"models": ["tree_none"]}, "is not dataset/family_set"),
        ({"models": []}, "export.models"),
        ({"layouts": {"tree": "flat", "forest": "packed"}}, "export.layouts.tree"),
        ({"generated_rows": 0}, "export.generated_rows"),
    ],
    ids=["family", "no layout", "set", "no models", "other layout", "no rows"],
)
def test_parameters_that_cannot_be_exported_are_refused(
    export: dict[str, Any], message: str, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    params = yaml.safe_load((project / "params.yaml").read_text())
    params["export"] |= export
    (project / "params.yaml").write_text(yaml.safe_dump(params))
    assert main(["export", "-q"]) == 2
    assert message in caplog.text


def test_a_model_that_is_not_trained_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "data/trained/sites/tree_paper.skops").unlink()
    assert main(["export", "-q"]) == 3
    assert "tree_paper.skops" in capsys.readouterr().err


def test_every_compiler_is_needed_if_asked_for(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert [one.name for one in compilers.installed()] == ["gcc"]
    assert main(["export", "-q", "--check", "--all-compilers"]) == 1
    assert "clang is not installed" in capsys.readouterr().err
