"""The locked half is scored once a release, and by nothing else. Tried here on the development half."""

from __future__ import annotations

import shutil
from importlib import metadata
from pathlib import Path

import pandas as pd
import pytest

from smartsbd.pipelines.__main__ import main

ROOT = Path(__file__).parents[2]


def score(searched: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, samples: Path) -> int:
    monkeypatch.chdir(searched)
    return main(["score", "--locked", "--samples", str(samples), "--reports", str(tmp_path)])


def test_it_says_of_the_development_half_what_the_pipeline_says(
    searched: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert score(searched, tmp_path, monkeypatch, ROOT / "data/samples/kernel") == 0
    report = tmp_path / f"{metadata.version('smartsbd')}.csv"
    found = pd.read_csv(report).set_index("model")
    table = pd.read_csv(searched / "reports/accuracy.csv")
    table = table[(table["test_set"] == "kernel/tiled") & (table["site"] == "all")]
    table.index = pd.Index(table["train_set"].str.partition("/")[0] + "/" + table["model"] + "_" + table["feature_set"])
    assert sorted(found.index) == sorted(table.index)
    columns = [
        "windows",
        "none",
        "coverage",
        "recall_shared",
        "recall_not_shared",
        "balanced",
        "balanced_low",
        "balanced_high",
    ]
    pd.testing.assert_frame_equal(found.sort_index()[columns], table.sort_index()[columns], check_names=False)

    before = report.read_bytes()
    assert main(["score", "--locked", "--models", str(tmp_path), "--reports", str(tmp_path / "none")]) == 2
    assert "there is no model in" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()
    assert score(searched, tmp_path, monkeypatch, ROOT / "data/samples/kernel") == 2
    assert "a release is scored once" in capsys.readouterr().err
    assert report.read_bytes() == before


@pytest.mark.slow
def test_a_connection_that_did_not_fill_its_bottlenecks_is_left_out(
    searched: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    samples = tmp_path / "samples"
    shutil.copytree(ROOT / "data/samples/kernel/inputs", samples / "inputs")
    truth = pd.read_csv(ROOT / "data/samples/kernel/truth.csv", dtype=str, keep_default_na=False)
    truth.loc[truth["input"] == "103.state.csv.zst", "utilisation_b"] = "0.5"
    truth.to_csv(samples / "truth.csv", index=False)
    assert score(searched, tmp_path, monkeypatch, samples) == 0
    assert "103.state.csv.zst: left out: bottleneck of subflow 1 utilised 0.500" in capsys.readouterr().err
    assert set(pd.read_csv(tmp_path / f"{metadata.version('smartsbd')}.csv")["connections"]) == {11}


def test_nothing_else_reads_the_locked_half() -> None:
    assert "kernel_locked" not in (ROOT / "dvc.yaml").read_text() + (ROOT / "params.yaml").read_text()
    naming = [
        path.relative_to(ROOT)
        for folder in (
            "contracts",
            "traces",
            "features",
            "detectors",
            "models",
            "export",
            "pipelines",
            "scenarios",
            "studies",
        )
        for path in (ROOT / folder).rglob("*.py")
        if "kernel_locked" in path.read_text() and "tests" not in path.parts
    ]
    # The parameters refuse it, and what is published says that it is not there.
    refusing = [Path("pipelines/params/__init__.py"), Path("pipelines/publishing/deposit.py")]
    assert sorted(naming) == [Path("pipelines/commands/score/locked_half.py"), *refusing]
