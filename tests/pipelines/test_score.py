"""`sbd score`: labelled inputs outside the pipeline; tried on the kernel's, which the pipeline scores too."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest

from smartsbd.pipelines.__main__ import main
from tests.night import few_now

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "data/samples"


def labels(path: Path, dataset: str) -> Path:
    """Write the labels of a dataset in git as a user would."""
    truth = pd.read_csv(SAMPLES / dataset / "truth.csv", dtype=str, keep_default_na=False)
    truth[["input", "shared"]].to_csv(path, index=False)
    return path


@pytest.mark.parametrize("dataset", few_now(["kernel", "kernel_captures"], now=["kernel"]))
def test_scores_are_the_pipeline_s(
    searched: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], dataset: str
) -> None:
    monkeypatch.chdir(searched)
    report = tmp_path / "report.csv"
    given = ["--labels", str(labels(tmp_path / "labels.csv", dataset)), "--report", str(report)]
    assert main(["score", str(SAMPLES / dataset / "inputs"), *given]) == 0
    found = pd.read_csv(report).set_index("model").sort_index()
    table = pd.read_csv(searched / "reports/accuracy.csv")
    table = table[(table["test_set"] == f"{dataset}/tiled") & (table["site"] == "all")]
    table.index = pd.Index(table["train_set"].str.partition("/")[0] + "/" + table["model"] + "_" + table["feature_set"])
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
    pd.testing.assert_frame_equal(found[columns], table.sort_index()[columns], check_names=False)
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == 1 + len(found) + 1
    assert shown[-1] == "no verdict 1: the trace ends before the window does"
    assert not (searched / "data/raw/inputs").exists()


def test_a_label_holds_from_its_time_on(
    searched: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its log, 101 has a window from 1795231450.486 to 1795231460.463, and one from there to 1795231468.958."""
    monkeypatch.chdir(searched)
    folder = tmp_path / "inputs"
    folder.mkdir()
    shutil.copy(SAMPLES / "kernel/inputs/101.state.csv.zst", folder)
    report = tmp_path / "report.csv"
    given = [str(folder), "--labels", str(tmp_path / "labels.csv"), "--report", str(report)]
    rows = {
        # Both; the second; the first, as a change falls into the second; the second, as it falls into the first.
        ((0, "true"),): (2, True),
        ((1795231455, "true"),): (1, True),
        ((0, "true"), (1795231460.47, "false")): (1, True),
        ((0, "true"), (1795231460.4, "false")): (1, False),
    }
    for labels_of, (windows, shared) in rows.items():
        text = [f"101.state.csv.zst,{label},{from_s}" for from_s, label in labels_of]
        (tmp_path / "labels.csv").write_text("\n".join(["input,shared,from_s", *text]))
        assert main(["score", *given]) == 0
        found = pd.read_csv(report)
        assert set(found["windows"]) == {windows}, labels_of
        assert set(found["recall_shared"].isna()) == {not shared}, labels_of
        assert set(found["recall_not_shared"].isna()) == {shared}, labels_of
    capsys.readouterr()


def test_what_is_wrong_with_the_labels_is_said(
    searched: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(searched)
    folder = tmp_path / "inputs"
    folder.mkdir()
    for number in (0, 1):
        shutil.copy(SAMPLES / f"kernel_captures/inputs/101.sf{number}.pcap.zst", folder)
    (tmp_path / "labels.csv").write_text("input,shared\n101.sf1.pcap.zst,true\nnone.pcap,false\n")
    assert main(["score", str(folder), "--labels", str(tmp_path / "labels.csv")]) == 3
    said = capsys.readouterr().err
    assert "its connection begins in another input: label that one" in said
    assert "there is no such input" in said
    (tmp_path / "labels.csv").write_text("input,shared,token\n101.sf0.pcap.zst,true,52b6c1c0\n")
    assert main(["score", str(folder), "--labels", str(tmp_path / "labels.csv"), "--models", str(tmp_path)]) == 2
    assert "there is no model in" in capsys.readouterr().err
