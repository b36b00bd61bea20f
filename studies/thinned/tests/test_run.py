"""The study on a small made dataset whose answers are known, and beside the stage ``verdicts`` on the kernel's."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from smartsbd.contracts import tables
from smartsbd.contracts.contract import Table, write_table
from smartsbd.pipelines import __main__ as main_road
from smartsbd.pipelines.reporting.report_files import write_json
from smartsbd.pipelines.running.stage import EXIT_USAGE
from studies.thinned import section
from studies.transfers.tests.project import run
from tests.features.delays_made import MS, queue_us, subflow

ROOT = Path(__file__).parents[3]
STUDY = Path("studies/thinned")
END_NS = 12_000 * MS
#: Whether it is shared, and whether the label is valid.
CONNECTIONS = {
    "a": (True, True),
    "b": (False, True),
    "c": (True, True),
    "d": (False, True),
    "e": (True, False),
    # It has no subflows.
    "f": (True, True),
}
INTERVALS_MS = (10, 2000)


def made(rows: list[dict[str, Any]], table: Table, path: Path) -> None:
    names = [column.name for column in table.columns]
    write_table(table, {name: [row.get(name) for row in rows] for name in names}, path)


def rows_of(number: int, name: str) -> dict[str, list[dict[str, Any]]]:
    """Rows of one connection; its subflows' queues are one queue, or two."""
    shared, valid = CONNECTIONS[name]
    rng = random.Random(number)  # noqa: S311 - test data
    queues = [queue_us(rng, END_NS // MS, 40_000) for _ in range(2)]
    rows: dict[str, list[dict[str, Any]]] = {"subflow": [], "ack": []}
    for subflow_id, base_us in enumerate(() if name == "f" else (20_000, 14_000)):
        key = {"connection_id": name, "subflow_id": subflow_id}
        own = subflow(rng, queues[0 if shared else subflow_id], base_us, 3 * subflow_id, MS, odd=False)
        rows["subflow"].append(key | {"start_ns": 0, "end_ns": END_NS})
        rows["ack"] += [
            key | {"ack_no": k, "time_ns": time_ns, "acked_bytes": 1_000 * k, "rtt_us": rtt_us}
            for k, (time_ns, rtt_us) in enumerate(zip(own.rtt_time_ns.tolist(), own.rtt_us.tolist(), strict=True))
        ]
    rows["connection"] = [] if name == "f" else [{"connection_id": name, "start_ns": 0, "end_ns": END_NS}]
    known = {"connection_id": name, "subflow_a": 0, "subflow_b": 1, "from_ns": 0, "shared": shared, "valid": valid}
    rows["truth"] = [known | {"scenario": "made", "congestion_control": "lia", "why": ""}]
    return rows


def written(target: Path, **changed: Any) -> None:
    """Write the parameters of a project, the study's with these changed."""
    params = yaml.safe_load((ROOT / "params.yaml").read_text()) | {"workers": 1}
    params["evaluate"]["resamples"] = 100
    (target / "params.yaml").write_text(yaml.safe_dump(params))
    settings = yaml.safe_load((ROOT / STUDY / "params.yaml").read_text()) | changed
    (target / STUDY).mkdir(parents=True)
    (target / STUDY / "params.yaml").write_text(yaml.safe_dump(settings))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("project")
    written(target, thinned=["made", "unlabelled"], intervals_ms=list(INTERVALS_MS), pairs=None)
    parts = [rows_of(number, name) for number, name in enumerate(CONNECTIONS)]
    for dataset in ("made", "unlabelled"):
        folder = target / "data/tables" / dataset
        for table in (tables.CONNECTION, tables.SUBFLOW, tables.ACK):
            made([row for part in parts for row in part[table.name]], table, folder / f"{table.name}.parquet")
        made([], tables.STATE, folder / "state.parquet")
        truth = [row for part in parts for row in part["truth"] if dataset == "made" or not row["valid"]]
        made(truth, tables.TRUTH, target / f"data/truth/{dataset}.parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(target)
        assert run(STUDY.name) == 0
    return target


@pytest.fixture(scope="module")
def table(project: Path) -> pd.DataFrame:
    return pd.read_csv(project / STUDY / "reports/accuracy.csv", keep_default_na=False, na_values={"interval_ms": ""})


def test_every_view_has_a_row(project: Path, table: pd.DataFrame) -> None:
    ticks = [(whose, interval_ms) for whose in ("own", "common") for interval_ms in INTERVALS_MS]
    with_ticks = {(kind, *one) for kind in ("ping", "csv", "ss") for one in ticks}
    found = set(zip(table["kind"], table["ticks"], table["interval_ms"].fillna(0), strict=True))
    assert found == with_ticks | {("log", "", 0), ("tcp_probe", "", 0)}
    assert len(table) == len(found)
    # A dataset without a valid label has no row, and no pair is judged whose label is not valid.
    assert set(table["dataset"]) == {"made"}
    judged = pd.read_parquet(project / "data/studies/thinned/judged.parquet")
    assert len(judged) == len(found) * 5
    assert set(judged["connection_id"]) == set(CONNECTIONS) - {"e"}
    assert (project / STUDY / "reports/accuracy.png").stat().st_size > 10_000


def test_close_samples_tell_the_clear_pairs(table: pd.DataFrame) -> None:
    """Four of five are clear; the fifth has no subflows, so nothing is said and it counts as wrong."""
    for kind in ("log", "ping", "csv"):
        own = table[(table["kind"] == kind) & ~(table["interval_ms"] > 10)]
        assert len(own) == (1 if kind == "log" else 2)
        for row in own.to_dict("records"):
            assert (row["pairs"], row["shared"], row["wrong"], row["none"]) == (5, 3, 0, 1), row
            assert (float(row["right"]), float(row["decided"]), float(row["coverage"])) == (0.8, 1, 0.8)
            assert row["reason"] == "a subflow of the pair is not in the input"


def test_samples_far_apart_tell_nothing(table: pd.DataFrame) -> None:
    for row in table[table["interval_ms"] == 2000].to_dict("records"):
        assert (row["none"], float(row["right"]), float(row["coverage"])) == (5, 0, 0)
        assert row["decided"] == ""
        assert row["reason"] == "a subflow has fewer than ten RTT samples"


def test_an_unknown_tool_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path, kinds=["ping", "tracert"])
    monkeypatch.chdir(tmp_path)
    assert run(STUDY.name) == EXIT_USAGE
    assert "kinds has ['tracert'], known are" in capsys.readouterr().err


@pytest.mark.slow
def test_the_log_has_the_last_verdicts_of_the_replayed_detector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One way goes by all samples through C, the other by what is shown of a pair."""
    written(tmp_path, thinned=["kernel"], kinds=["csv"], ticks=["own"], intervals_ms=[100], pairs=None)
    params = yaml.safe_load((tmp_path / "params.yaml").read_text())
    params["replay"] |= {"detectors": ["lag-excess"], "models": [], "grids": {}}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    for dataset in params["search"]["datasets"]:
        write_json({"chosen": {}}, tmp_path / f"reports/tuned/{dataset}.json")
    shutil.copy(ROOT / "dvc.yaml", tmp_path)
    shutil.copytree(ROOT / "data/samples/kernel", tmp_path / "data/raw/kernel")
    monkeypatch.chdir(tmp_path)
    for name in ("parse", "validate", "extract", "replay", "verdicts"):
        assert main_road.main([name, "--dataset", "kernel"]) == 0, name
    assert run(STUDY.name) == 0
    replayed = pd.read_parquet("data/verdicts/kernel.parquet")
    replayed = replayed[(replayed["detector"] == "lag-excess") & (replayed["preset"] == "default")]
    thinned = pd.read_parquet("data/studies/thinned/judged.parquet")
    log = thinned[thinned["kind"] == "log"]
    both = replayed.merge(log, on=["connection_id", "subflow_a", "subflow_b"], suffixes=("", "_log"))
    assert len(both) == len(replayed) == len(log) > 0
    assert both["said"].tolist() == both["said_log"].tolist()
    assert both["first_s"].tolist() == pytest.approx(both["first_s_log"].tolist(), nan_ok=True)


def test_what_tools_show_has_a_row_for_each_tool_and_interval() -> None:
    rows = section.shown_by_tools(ROOT / STUDY / "reports")
    judged = pd.read_csv(ROOT / STUDY / "reports/accuracy.csv")
    assert [(row["dataset"], row["shown by"]) for row in rows] == list(zip(judged.dataset, judged.kind, strict=True))
    own = ["sensitivity", "ss", "the same for all subflows", "500"]
    names = ["dataset", "shown by", "sampling times", "interval (ms)"]
    (sparse,) = [row for row in rows if [row[name] for name in names] == own]
    assert (sparse["decided"], sparse["right where decided"]) == ("0.000", "")
    assert not rows[0]["interval (ms)"]
    assert section.shown_by_tools(ROOT / "none") == []
