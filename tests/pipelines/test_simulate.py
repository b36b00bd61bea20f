"""The simulate stage: a run that fails is named and fails the stage at its end; the others are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartsbd.pipelines.running import stage
from smartsbd.pipelines.stages import simulate
from smartsbd.scenarios import datasets
from smartsbd.scenarios.scenario import Run
from smartsbd.scenarios.simulator import truth_rows
from smartsbd.traces.truth import read_csv

ROOT = Path(__file__).parents[2]


def short_runs() -> list[Run]:
    settings = {"sites": ["shanghai"], "connections_per_label": 2, "congestion_control": "lia", "seed": 3}
    runs = datasets.draw("sites", settings)
    return [run.model_copy(update={"scenario": run.scenario.model_copy(update={"duration_s": 4.0})}) for run in runs]


def broken(run: Run) -> Run:
    first, second = run.scenario.subflows
    paths = (first.model_copy(update={"rtt_ms": 0.1}), second)
    return run.model_copy(update={"scenario": run.scenario.model_copy(update={"subflows": paths})})


def test_a_failed_run_is_named_and_the_others_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = short_runs()
    runs[1] = broken(runs[1])
    monkeypatch.setattr(datasets, "draw", lambda name, settings: runs)
    arguments = ["--params", str(ROOT / "params.yaml"), "--dataset", "sites", "--raw", str(tmp_path), "-q"]
    code = stage.main("simulate", simulate, arguments)
    assert code == stage.EXIT_FAILED
    message = capsys.readouterr().err
    assert f"seed {runs[1].scenario.seed}" in message
    assert "scenarios/00001.json" in message
    assert (tmp_path / "scenarios/00001.json").exists()
    kept = ["00000.log.zst", "00002.log.zst", "00003.log.zst"]
    assert sorted(path.name for path in (tmp_path / "inputs").iterdir()) == kept
    assert [row["input"] for row in read_csv(tmp_path / "truth.csv")] == kept


def test_background_is_counted_where_it_crosses_the_bottleneck() -> None:
    shared, apart = (next(run for run in short_runs() if len(run.scenario.links) == count) for count in (1, 2))

    def row(run: Run) -> dict[str, object]:
        links = [{"link": number, "from_ns": 0, "utilisation": 1.0} for number in range(len(run.scenario.links))]
        phase = {"from_ns": 0, "drops_at_bottleneck": 3, "drops_elsewhere": 1, "marks_at_bottleneck": 0}
        pair = {"subflow_a": 0, "subflow_b": 1, "from_ns": 0, "shared": len(links) == 1}
        truth = {"pairs": [pair], "links": links, "subflows": [{"phases": [phase]}, {"phases": [phase]}]}
        (found,) = truth_rows(run, "x.log", truth)
        return found

    assert (row(shared)["background_a_mbit_s"], row(shared)["background_b_mbit_s"]) == (0, 0)
    assert (row(apart)["background_a_mbit_s"], row(apart)["background_b_mbit_s"]) == (3.5, 1.5)
    assert row(apart)["drop_share_a"] == 0.75
