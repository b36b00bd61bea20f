"""How far a run of the pipeline is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from smartsbd.pipelines.params import read_params
from smartsbd.pipelines.running import countdown, dag, profile
from smartsbd.pipelines.running.journal import Entry

ROOT = Path(__file__).parents[2]
STAGES = """
stages:
  first:
    cmd: echo made >first.txt
    outs: [first.txt]
  second:
    cmd: cat first.txt
    deps: [first.txt]
"""


def test_what_dvc_prints_says_which_stage_is_reached(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    (tmp_path / ".dvc").mkdir()
    (tmp_path / ".dvc/config").write_text("[core]\n    analytics = false\n")
    (tmp_path / "dvc.yaml").write_text(STAGES)
    for begins in (True, False):
        lines: list[str] = []
        assert profile.repro(tmp_path, when_said=lines.append) == 0
        assert [run for line in lines if (run := countdown.run_reached(line))] == [
            ("first", begins),
            ("second", begins),
        ]
        assert ("made" in lines) == begins


def test_every_run_of_the_main_road_is_planned_once() -> None:
    planned = countdown.runs(dag.read_stages(ROOT / "dvc.yaml"), read_params(ROOT / "params.yaml"))
    assert len(planned) == len(set(planned))
    assert {"simulate@sites", "collect@kernel", "extract", "report"} <= set(planned)


def test_a_clone_s_times_are_taken_before_typical_ones(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    table = tmp_path / "typical.csv"
    table.write_text("profile,run,wall_s\ndefault,rank,9.0\ndefault,report,3.0\nquick,rank,1.0\n")
    monkeypatch.setattr(countdown, "TYPICAL", table)
    journal = [Entry("rank", 0.0, 5.0, 5.0, 0), Entry("report", 0.0, 0.1, 0.1, 1)]
    assert countdown.typical_seconds("default", journal) == {"rank": 5.0, "report": 3.0}
