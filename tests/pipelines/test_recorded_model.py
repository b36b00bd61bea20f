"""A stored model is used by its name if it is the file that the run recorded; any other by its path, and called so."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from smartsbd.models.stored import store
from smartsbd.pipelines.__main__ import main

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
KERNEL = ROOT / "data/samples/kernel"
NAME = "sites/tree_paper"
MODEL = f"data/trained/{NAME}.skops"


@pytest.fixture
def project(searched: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a model, which may be tampered with, and its record."""
    project = tmp_path / "project"
    for name in (MODEL, "reports/chosen/sites.json"):
        (project / name).parent.mkdir(parents=True)
        shutil.copy(searched / name, project / name)
    for name in ("dvc.yaml", "params.yaml"):
        shutil.copy(searched / name, project)
    monkeypatch.chdir(project)
    return project


def swap_counts(path: Path) -> None:
    """Turn every verdict around."""
    model = store.load(path)
    value = model.estimator.tree_.value
    value[:] = value[:, :, ::-1].copy()
    store.save(model, path)


def detect(*arguments: str) -> int:
    return main(["detect", "--quiet", "--json", *arguments, str(KERNEL / "inputs/101.state.csv.zst")])


def said(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.count("\n") == 1
    return shown.err


def test_another_file_than_the_run_s_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert detect("--model", NAME) == 0
    before = said(capsys)
    assert {one["model"] for one in before} == {NAME}
    swap_counts(project / MODEL)
    assert detect("--model", NAME) == 3
    line = one_line(capsys)
    assert store.digest(project / MODEL) in line and "recorded" in line
    # By its path it is used, and called so: the verdicts are turned around.
    assert detect("--model", MODEL) == 0
    after = said(capsys)
    assert {one["model"] for one in after} == {f"{MODEL} (recorded by no run)"}
    decided = [
        (one["shared"], other["shared"]) for one, other in zip(before, after, strict=True) if one["shared"] is not None
    ]
    assert decided and all(one is not other for one, other in decided)


def test_what_no_run_recorded_is_used_by_its_path_alone(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert detect("--model", MODEL) == 0
    assert {one["model"] for one in said(capsys)} == {MODEL}
    (project / "reports/chosen/sites.json").write_text("{}")
    assert detect("--model", NAME) == 3
    assert f"recorded by no run: it is not in {project}/reports/chosen/sites.json" in (line := one_line(capsys))
    assert f"--model {MODEL}" in line
    shutil.rmtree(project / "reports")
    assert detect("--model", NAME) == 3
    assert "recorded by no run" in one_line(capsys)
    shutil.copy(project / MODEL, project / "x.skops")
    for path in (MODEL, "x.skops"):
        assert main(["detect", "--quiet", "--model", path, str(KERNEL / "inputs/101.state.csv.zst")]) == 0
        assert f", by {path} (recorded by no run)\n" in capsys.readouterr().out


@pytest.mark.parametrize("record", ["", "[]", '{"tree_paper": {}}', '{"tree_paper": 5}', "[" * 100_000, "\xff"])
def test_a_record_that_cannot_be_read_is_one_line(
    project: Path, record: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "reports/chosen/sites.json").write_text(record, encoding="latin-1")
    assert detect("--model", NAME) == 3
    assert "sites.json: no record of models" in one_line(capsys)


def test_the_record_lies_beside_the_folder_of_models(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert detect("--models", str(project / "data/trained"), "--model", NAME) == 0
    assert {one["model"] for one in said(capsys)} == {NAME}
    swap_counts(project / MODEL)
    assert detect("--models", "../project/data/trained", "--model", NAME) == 3
    assert "recorded" in one_line(capsys)


def test_a_model_that_is_not_there_or_named_as_another_is_one_line(
    searched: Path, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, why in (("none.skops", "No such file"), (".", "")):
        assert detect("--model", name) in (2, 3), why
        assert why in one_line(capsys)
    series = searched / "data/trained/sites/knn_dtw_rtt_series.skops"
    shutil.copy(series, project / "x.skops")
    assert detect("--model", "x.skops") == 3
    assert "does not say which" in one_line(capsys)
    shutil.copy(project / MODEL, project / "knn_dtw_rtt_series.skops")
    assert detect("--model", "knn_dtw_rtt_series.skops") == 3
    assert "it holds DecisionTreeClassifier" in one_line(capsys)
    shutil.copy(series, project / "knn_dtw_queue_series.skops")
    assert detect("--model", "knn_dtw_queue_series.skops") == 0
    capsys.readouterr()


def test_scores_are_of_models_that_the_run_recorded(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth = pd.read_csv(KERNEL / "truth.csv", dtype=str, keep_default_na=False)
    truth[["input", "shared"]].to_csv(tmp_path / "labels.csv", index=False)
    arguments = ["score", "--quiet", str(KERNEL / "inputs"), "--labels", str(tmp_path / "labels.csv")]
    arguments += ["--report", str(tmp_path / "report.csv")]
    assert main(arguments) == 0
    assert list(pd.read_csv(tmp_path / "report.csv")["model"]) == [NAME]
    capsys.readouterr()
    swap_counts(project / MODEL)
    locked = ["score", "--locked", "--quiet", "--samples", str(KERNEL), "--reports", str(tmp_path / "locked")]
    for given in (arguments, [*arguments, "--models", "data/trained"], locked):
        assert main(given) == 3
        assert "recorded" in one_line(capsys)
    shutil.rmtree(project / "reports")
    for given in (arguments, locked):
        assert main(given) == 3
        assert "recorded by no run" in one_line(capsys)
    assert main([*arguments, "--models", "data/trained"]) == 0
    assert list(pd.read_csv(tmp_path / "report.csv")["model"]) == [f"{NAME} (recorded by no run)"]
    assert f"{NAME} (recorded by no run)" in capsys.readouterr().out
