"""What is judged by label, and its table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from smartsbd.contracts import tables
from smartsbd.contracts.contract import write_table
from studies.__main__ import main
from studies.radio.section import recorded_links

ROOT = Path(__file__).parents[3]
#: Whether it is shared, whether the label is valid, and what the lag excess and another say.
CONNECTIONS = {
    "a": (True, True, True, True),
    "b": (True, True, None, False),
    "c": (True, False, None, None),
    "d": (False, True, False, False),
    "e": (False, True, False, True),
}
DETECTORS = ("lag-excess", "wavelet")


def run(folder: Path, dataset: str) -> pd.DataFrame:
    """Run the program on connections in a folder; of the dataset ``void`` no label is valid."""
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    params["evaluate"]["resamples"] = 100
    (folder / "params.yaml").write_text(yaml.safe_dump(params))
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
    write_table(tables.TRUTH, {name: [row.get(name) for row in truth] for name in names}, folder / "truth.parquet")
    judged = pd.DataFrame(said).astype({"said": "boolean"})
    (judged if dataset != "void" else pd.DataFrame()).to_parquet(folder / "verdicts.parquet")
    files = [f"--{name}={folder / name}.parquet" for name in ("truth", "verdicts", "figures")]
    files += [f"--table={folder / dataset}.csv", f"--params={folder / 'params.yaml'}"]
    assert main(["radio", "run", "--dataset", dataset, *files]) == 0
    return pd.read_csv(folder / f"{dataset}.csv")


def test_each_detector_has_a_row_for_each_label(tmp_path: Path) -> None:
    found = run(tmp_path, "radio")
    assert set(found["status"]) == {"run"}
    columns = ["drawn", "pairs", "right", "coverage", "decided", "wrong", "none"]
    names = zip(found["detector"], found["label"], strict=True)
    counts = dict(zip(names, found[columns].to_numpy().tolist(), strict=True))
    assert counts[("lag-excess", "both")] == pytest.approx([5, 4, 0.75, 0.75, 1, 0, 1])
    assert counts[("lag-excess", "shared")] == pytest.approx([3, 2, 0.5, 0.5, 1, 0, 1])
    assert counts[("lag-excess", "not shared")] == pytest.approx([2, 2, 1, 1, 1, 0, 0])
    assert counts[("wavelet", "both")] == pytest.approx([5, 4, 0.5, 1, 0.5, 2, 0])
    shown = recorded_links(tmp_path)
    assert [row["detector"] for row in shown] == ["lag-excess, default", "wavelet, default"]
    assert shown[0]["shared, not"] == "2 of 3, 2 of 2"
    assert shown[0]["right of all"].startswith("0.750 (")
    assert shown[1]["decided wrongly"] == 2


def test_without_a_valid_label_that_is_said(tmp_path: Path) -> None:
    (row,) = run(tmp_path, "void").to_dict("records")
    assert (row["status"], row["drawn"], row["pairs"]) == ("run", 5, 0)
    (shown,) = recorded_links(tmp_path)
    assert (shown["dataset"], shown["right of all"]) == ("void", "")
