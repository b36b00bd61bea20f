"""The stage ``recorded_links``: what was judged by label, and what was not run."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from contracts import tables
from contracts.contract import write_table
from pipelines.__main__ import main
from pipelines.reporting.tables.cell import Results
from pipelines.reporting.tables.replayed_links import recorded_links

ROOT = Path(__file__).parents[2]
#: Whether it is shared, whether the label is valid, and what the default detector and another say.
CONNECTIONS = {
    "a": (True, True, True, True),
    "b": (True, True, None, False),
    "c": (True, False, None, None),
    "d": (False, True, False, False),
    "e": (False, True, False, True),
}
DETECTORS = ("lag-excess", "wavelet")


def project(folder: Path, datasets: list[str], shown: list[str]) -> None:
    """Make the inputs of the stage in a folder, with two datasets of the same connections."""
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    params["datasets"] = datasets
    params["recorded_links"] = {"datasets": shown}
    params["evaluate"]["resamples"] = 100
    (folder / "params.yaml").write_text(yaml.safe_dump(params))
    shutil.copy(ROOT / "dvc.yaml", folder)
    truth: list[dict[str, Any]] = [
        {"connection_id": name, "subflow_a": 0, "subflow_b": 1, "from_ns": 0, "shared": shared, "valid": valid}
        | {"scenario": "made", "congestion_control": "lia", "why": ""}
        for name, (shared, valid, *_) in CONNECTIONS.items()
    ]
    names = [column.name for column in tables.TRUTH.columns]
    said = [
        {"connection_id": name, "subflow_a": 0, "subflow_b": 1, "shared": shared, "detector": detector}
        | {"preset": "default", "said": own, "right": float(own is shared), "first_s": 1.0}
        for name, (shared, valid, *opinions) in CONNECTIONS.items()
        for detector, own in zip(DETECTORS, opinions, strict=True)
        if valid
    ]
    (folder / "data/verdicts").mkdir(parents=True)
    for dataset in datasets:
        columns = {name: [row.get(name) for row in truth] for name in names}
        write_table(tables.TRUTH, columns, folder / f"data/truth/{dataset}.parquet")
        judged = pd.DataFrame(said).astype({"said": "boolean"})
        (judged if dataset != "void" else pd.DataFrame()).to_parquet(folder / f"data/verdicts/{dataset}.parquet")


def run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    monkeypatch.chdir(folder)
    assert main(["recorded_links"]) == 0
    return pd.read_csv(folder / "reports/recorded_links.csv")


def test_each_detector_has_a_row_for_each_label(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path, ["radio"], ["radio"])
    found = run(tmp_path, monkeypatch)
    assert set(found["status"]) == {"run"}
    columns = ["drawn", "pairs", "right", "coverage", "decided", "wrong", "none"]
    names = zip(found["detector"], found["label"], strict=True)
    counts = dict(zip(names, found[columns].to_numpy().tolist(), strict=True))
    assert counts[("lag-excess", "both")] == pytest.approx([5, 4, 0.75, 0.75, 1, 0, 1])
    assert counts[("lag-excess", "shared")] == pytest.approx([3, 2, 0.5, 0.5, 1, 0, 1])
    assert counts[("lag-excess", "not shared")] == pytest.approx([2, 2, 1, 1, 1, 0, 0])
    assert counts[("wavelet", "both")] == pytest.approx([5, 4, 0.5, 1, 0.5, 2, 0])
    shown = recorded_links(Results.of(tmp_path))
    assert [row["detector"] for row in shown] == ["lag-excess, default", "wavelet, default"]
    assert shown[0]["shared, not"] == "2 of 3, 2 of 2"
    assert shown[0]["right of all"].startswith("0.750 (")
    assert shown[1]["decided wrongly"] == 2


def test_without_the_dataset_the_row_reads_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path, ["sites"], ["radio"])
    found = run(tmp_path, monkeypatch)
    assert found["status"].tolist() == ["not run"]
    assert found.drop(columns=["dataset", "status"]).isna().all(axis=None)
    (shown,) = recorded_links(Results.of(tmp_path))
    assert (shown["dataset"], shown["detector"], shown["right of all"]) == ("radio", "not run", "")


def test_without_a_valid_label_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path, ["void"], ["void"])
    (row,) = run(tmp_path, monkeypatch).to_dict("records")
    assert (row["status"], row["drawn"], row["pairs"]) == ("run", 5, 0)
