"""Recordings beside their twins, as the program writes them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import yaml

from smartsbd.contracts import tables
from smartsbd.contracts.contract import write_table
from studies.__main__ import main

ROOT = Path(__file__).parents[3]
#: By the name of the run: whether it is shared, and what is said of the recording and of its twin.
RUNS = {"00000": (True, True, True), "00001": (False, False, None), "00002": (True, None, True)}
DATASETS = ("testbed", "wide_linux")


def _write(folder: Path, dataset: str, place: int) -> None:
    """Write a dataset's truth, its tables and its last verdicts."""
    names = {name: f"{dataset}/{name}.log#0" for name in RUNS}
    truth = [
        {"connection_id": names[name], "subflow_a": 0, "subflow_b": 1, "from_ns": 0, "shared": shared, "valid": True}
        | {"scenario": "made", "congestion_control": "reno", "why": ""}
        for name, (shared, *_) in RUNS.items()
    ]
    columns = {column.name: [row.get(column.name) for row in truth] for column in tables.TRUTH.columns}
    write_table(tables.TRUTH, columns, folder / f"truth/{dataset}.parquet")
    said = [
        {"connection_id": names[name], "subflow_a": 0, "subflow_b": 1, "shared": shared, "detector": "lag-excess"}
        | {"preset": "default", "said": own[place], "right": float(own[place] is shared), "first_s": 1.0}
        for name, (shared, *own) in RUNS.items()
    ]
    (folder / "verdicts").mkdir(exist_ok=True)
    pd.DataFrame(said).astype({"said": "boolean"}).to_parquet(folder / f"verdicts/{dataset}.parquet")
    ack = [
        {"connection_id": names[name], "subflow_id": subflow, "ack_no": number, "time_ns": number, "is_dup": False}
        | {"acked_bytes": 1000 * number, "rtt_us": 20_000 * (2 - place) + number, "newly_sacked_bytes": 0}
        for name in names
        for subflow in (0, 1)
        for number in range(4)
    ]
    columns = {column.name: [row.get(column.name) for row in ack] for column in tables.ACK.columns}
    write_table(tables.ACK, columns, folder / f"tables/{dataset}/ack.parquet")
    state = [
        {"connection_id": names[name], "subflow_id": subflow, "state_no": 0, "time_ns": 0, "ca_state": 3}
        | {"inferred": False}
        for name in names
        for subflow in (0, 1)
    ]
    columns = {column.name: [row[column.name] for row in state] for column in tables.STATE.columns}
    write_table(tables.STATE, columns, folder / f"tables/{dataset}/state.parquet")


def test_recordings_and_twins_are_counted_beside_each_other(tmp_path: Path) -> None:
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    params["evaluate"]["resamples"] = 100
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    for place, dataset in enumerate(DATASETS):
        _write(tmp_path, dataset, place)
    given = {"tables": "tables", "truths": "truth", "verdicts": "verdicts", "paired": "paired.parquet"}
    given |= {"table": "testbed.csv", "scenarios": "scenarios.csv", "signals": "signals.csv", "figure": "testbed.png"}
    files = [f"--{name}={tmp_path / path}" for name, path in given.items()]
    recorded, simulation = DATASETS
    names = [f"--dataset={recorded}", f"--simulation={simulation}", f"--params={tmp_path / 'params.yaml'}"]
    assert main(["twins", "run", *names, *files]) == 0
    (row,) = pd.read_csv(tmp_path / "testbed.csv").to_dict("records")
    assert (row["pairs"], row["decided_recorded"], row["decided_simulated"], row["opposite"]) == (3, 2, 2, 0)
    assert round(row["recorded"], 3) == round(row["simulated"], 3) == 0.667
    signals = pd.read_csv(tmp_path / "signals.csv").set_index("signal")
    assert signals.loc["min_rtt_us", "ratio_median"] == 2
    assert signals.loc["rtt_samples", "subflows"] == 6
    assert signals.loc["episodes", "recorded"] == 1
    assert len(pd.read_csv(tmp_path / "scenarios.csv")) > 0
    assert (tmp_path / "testbed.png").stat().st_size > 0
