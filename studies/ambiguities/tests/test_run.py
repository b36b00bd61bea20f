"""The study on a small made dataset: every reading has its row, and a row says what the information says."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from smartsbd.contracts import tables
from smartsbd.contracts.contract import Table, write_table
from smartsbd.features.catalog import FEATURES, feature_names
from smartsbd.features.reading import QUESTIONS
from smartsbd.pipelines.params import read_params
from smartsbd.pipelines.reporting.report_files import read_json
from smartsbd.pipelines.running.dag import read_stages
from smartsbd.pipelines.running.stage import EXIT_USAGE
from studies.__main__ import main
from studies.ambiguities import section

ROOT = Path(__file__).parents[3]
STUDY = Path("studies/ambiguities")
MS = 1_000_000
END_NS = 4_100 * MS
CONNECTIONS = 16
NAMES = feature_names("table3")


def made(rows: list[dict[str, Any]], table: Table, path: Path) -> None:
    names = [column.name for column in table.columns]
    write_table(table, {name: [row.get(name) for row in rows] for name in names}, path)


def rows_of(number: int) -> dict[str, list[dict[str, Any]]]:
    """Rows of one connection; its subflows' queues are one queue, or two."""
    name, shared = f"made/{number}", number % 2 == 0
    rows: dict[str, list[dict[str, Any]]] = {"subflow": [], "ack": [], "state": []}
    for subflow_id, rtt_us in enumerate((20_000, 10_000)):
        key = {"connection_id": name, "subflow_id": subflow_id}
        rng = np.random.default_rng([number, 0 if shared else subflow_id])
        queue_us = rng.integers(0, 5_000, size=END_NS // (10 * MS))
        queue_us[0] = 0
        acked_bytes = np.random.default_rng([number, subflow_id]).integers(500, 3_000, size=len(queue_us)).cumsum()
        rows["subflow"].append(key | {"start_ns": 0, "end_ns": END_NS})
        rows["ack"] += [
            key | {"ack_no": k, "time_ns": 10 * k * MS, "acked_bytes": int(acked), "rtt_us": rtt_us + int(queue)}
            for k, (queue, acked) in enumerate(zip(queue_us, acked_bytes, strict=True))
        ]
        rows["state"] += [
            key | {"state_no": k, "time_ns": time_ns, "ca_state": state, "inferred": False}
            for k, (time_ns, state) in enumerate([(0, 3), (5 * MS, 0)])
        ]
    rows["connection"] = [{"connection_id": name, "start_ns": 0, "end_ns": END_NS}]
    known = {"connection_id": name, "subflow_a": 0, "subflow_b": 1, "from_ns": 0, "shared": shared, "valid": True}
    rows["truth"] = [known | {"scenario": "made", "congestion_control": "lia", "why": ""}]
    return rows


def command() -> list[str]:
    """The program's command line, as the study's dvc.yaml has it."""
    (own,) = read_stages(ROOT / STUDY / "dvc.yaml")
    return shlex.split(own.command)[3:]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("project")
    params = yaml.safe_load((ROOT / "params.yaml").read_text()) | {"workers": 1}
    params["rank"] |= {"datasets": ["made"], "repeats": 2}
    (target / "params.yaml").write_text(yaml.safe_dump(params))
    (target / STUDY).mkdir(parents=True)
    (target / STUDY / "params.yaml").write_text(yaml.safe_dump({"rate_weights": [0.25], "rate_taus_s": []}))
    parts = [rows_of(number) for number in range(CONNECTIONS)]
    for table in (tables.CONNECTION, tables.SUBFLOW, tables.ACK, tables.STATE):
        rows = [row for part in parts for row in part[table.name]]
        made(rows, table, target / f"data/tables/made/{table.name}.parquet")
    made([row for part in parts for row in part["truth"]], tables.TRUTH, target / "data/truth/made.parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(target)
        assert main(command()) == 0
    return target


@pytest.fixture(scope="module")
def effects(project: Path) -> pd.DataFrame:
    return pd.read_csv(project / STUDY / "reports/made.csv").set_index("reading")


@pytest.fixture(scope="module")
def information_nats(project: Path) -> pd.DataFrame:
    return pd.read_parquet(project / "data/studies/ambiguities/made.parquet").set_index("reading")[list(NAMES)]


def test_every_reading_has_a_row(effects: pd.DataFrame) -> None:
    assert set(effects["question"]) == {0, 16} | set(QUESTIONS.values())
    assert effects.index.is_unique
    # The numbers are those that the study's parameters have.
    assert [name for name in effects.index if name.startswith("rate_")] == ["rate_weight: 0.25"]
    counts = effects[["shared", "non_shared"]].T
    assert counts["default"].tolist() == 2 * [CONNECTIONS // 2]
    assert counts["rule: tiled"].min() > CONNECTIONS // 2


def test_effects_are_those_of_the_information(effects: pd.DataFrame, information_nats: pd.DataFrame) -> None:
    named = {feature.name: feature.paper_name for feature in FEATURES}
    default = information_nats.T["default"]
    assert set(information_nats.index) == set(effects.index[effects["most_relevant"].notna()])
    for row in effects.loc[information_nats.index].reset_index().to_dict("records"):
        nats = information_nats.T[row["reading"]]
        change = nats - default
        assert abs(row["changed_by_nats"]) == pytest.approx(change.abs().max(), abs=1e-6)
        assert row["most_changed"] == named[str(change.abs().idxmax())]
        assert row["most_relevant"] in {named[name] for name in NAMES if nats[name] == nats.max()}
        assert row["kendall_tau_with_default"] == pytest.approx(nats.corr(default, method="kendall"), abs=1e-6)
    assert effects.loc["default", "kendall_tau_with_default"] == 1
    assert effects.loc["default", "top8_kept"] == 8
    assert effects.loc["default, other noise", "changed_by_nats"] != 0


def test_the_page_has_every_reading_except_the_default(project: Path, effects: pd.DataFrame) -> None:
    rows = section.readings(project / STUDY / "reports")
    assert {row["reading"] for row in rows} == set(effects.index) - {"default"}
    assert section.readings(project / "none") == []


@pytest.mark.parametrize("dataset", ["kernel", "unseen", "kernel_locked"])
def test_nothing_is_learnt_from_what_is_for_evaluation_only(
    dataset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(ROOT / "params.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    arguments = [text.format(dataset=dataset) for text in command() if text not in ("--each", "rank.datasets")]
    assert main([*arguments, "--dataset", dataset]) == EXIT_USAGE
    assert "is for evaluation only" in capsys.readouterr().err


@pytest.mark.parametrize("dataset", read_params(ROOT / "params.yaml").rank.datasets)
def test_the_comparison_is_over_the_windows_that_are_ranked(dataset: str) -> None:
    windows = read_json(ROOT / f"reports/extract/{dataset}.json")["windows"]
    ranked = read_json(ROOT / f"reports/agreement/{dataset}.json")["windows"]
    effects = pd.read_csv(ROOT / STUDY / f"reports/{dataset}.csv").set_index("reading")
    for name, column in (("shared", "shared"), ("non-shared", "non_shared")):
        assert windows[f"triggered: {name}"] == ranked[column] == effects.loc["default", column]
        assert windows[f"tiled: {name}"] == effects.loc["rule: tiled", column]
    assert set(effects["question"]) == {0, 16} | set(QUESTIONS.values())
    assert effects.loc["default", "kendall_tau_with_default"] == 1
