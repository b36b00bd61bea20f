"""The experiments on few short runs: what it writes, what it says of a run that fails, and its tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from smartsbd.pipelines.running.stage import EXIT_FAILED, EXIT_USAGE
from smartsbd.scenarios.closed_loop import loop_program
from smartsbd.scenarios.scenario import Scenario
from studies.crossed import section
from studies.crossed.experiments import BASE, CHOICES, CrossedExperiments
from studies.transfers.tests.project import FAILING, experiments, parameters, refused, run, written

pytestmark = pytest.mark.slow

SETTINGS = ("separate, 128 kB, bulk", "separate, 128 kB, 0.1 MB")


def project_of(target: Path, **changed: Any) -> Path:
    """A project folder whose parameters have few short runs."""
    own = parameters("crossed")
    own["transfers"] |= {"bottlenecks": ["separate"], "sizes_mb": [0.1], "bulk_s": 6, "longest_s": 20} | changed
    return written(target, "crossed", own)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = project_of(tmp_path_factory.mktemp("project"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(target)
        assert run("crossed") == 0
    return target


def table(project: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(project / f"studies/crossed/reports/{name}.csv")


def test_there_is_a_row_for_each_run(project: Path) -> None:
    planned = experiments(project, "crossed", CrossedExperiments).planned()
    runs = table(project, "runs")
    named = [(one.experiment, one.setting, one.controller, one.number) for one in planned]
    assert list(runs.iloc[:, :4].itertuples(index=False, name=None)) == named
    assert list(dict.fromkeys(runs["setting"])) == list(SETTINGS)
    assert len(list((project / "data/studies/crossed").iterdir())) == len(planned) == 2 * len(CHOICES)
    files = runs["setting"].str.endswith("MB")
    assert runs.loc[files, "completion_s"].between(0.05, 20).all()
    assert runs.loc[~files, "completion_s"].isna().all()
    # Of a file: its size over the time, whole segments counted.
    rates = 0.8 / runs.loc[files, "completion_s"]
    assert (runs.loc[files, "goodput_mbit_s"] / rates).between(1, 1.02).all()
    assert (runs["order_delay_p95_ms"] >= 0).all()
    olaps = runs["controller"].str.endswith("olaps")
    assert (runs.loc[~olaps, "copies_share"] == 0).all()
    assert (runs.loc[olaps & ~files, "copies_share"] > 0).all()


def test_a_switched_sender_is_lia_until_a_verdict(project: Path) -> None:
    """100 kB are over before the first one: SmartSBD's file takes as long as that of LIA, to the last digit."""
    runs = table(project, "runs")
    seconds = runs[runs["setting"] == SETTINGS[1]].set_index("controller")["completion_s"]
    for scheduler in ("min_rtt", "blest", "olaps"):
        assert seconds[f"smartsbd, {scheduler}"] == seconds[f"lia, {scheduler}"]


def test_gains_are_over_the_first_pair_on_the_same_network(project: Path) -> None:
    runs, found = table(project, "runs"), table(project, "gains")
    assert list(found["controller"]) == 2 * list(CHOICES)
    assert (found.loc[found["controller"] == BASE, "mean"] == 1).all()
    own = runs[runs["setting"] == SETTINGS[0]].set_index("controller")["goodput_mbit_s"]
    row = found[(found["group"] == SETTINGS[0]) & (found["controller"] == "mpcc, blest")].iloc[0]
    assert row["mean"] == pytest.approx(own["mpcc, blest"] / own[BASE], abs=1e-5)


def test_tables_of_the_page_have_a_row_for_each_setting(project: Path) -> None:
    reports = project / "studies/crossed/reports"
    rows = section.goodputs(reports)
    assert [row["networks, receive buffer, transfer"] for row in rows] == list(SETTINGS)
    assert rows[0][BASE] == "1.00 (1.00 to 1.00)"
    (seconds,) = section.seconds(reports)
    assert seconds[BASE].endswith("(1 of 1)")
    assert len(section.waits(reports)) == 2
    assert section.tables(project / "none") == {"goodputs": [], "seconds": [], "waits": []}


def test_a_file_that_has_not_arrived_has_no_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project_of(tmp_path, sizes_mb=[20], longest_s=5))
    assert run("crossed") == 0
    (row,) = section.seconds(tmp_path / "studies/crossed/reports")
    # Watched for longest_s from the first SYN on.
    assert set(list(row.values())[1:]) == {"5.00 (0 of 1)"}
    assert table(tmp_path, "gains")["group"].unique().tolist() == ["separate, 128 kB, bulk"]


def test_a_run_that_fails_is_named_and_the_others_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = loop_program.run

    def failing(program: Path, scenario: Scenario, path: Path) -> loop_program.Looped:
        return whole(program, refused(scenario) if path.name == FAILING else scenario, path)

    monkeypatch.setattr(loop_program, "run", failing)
    monkeypatch.chdir(project_of(tmp_path, sizes_mb=[]))
    assert run("crossed") == EXIT_FAILED
    message = capsys.readouterr().err
    assert f"{FAILING} (seed " in message and f"1 of {len(CHOICES)} runs failed" in message
    assert len(table(tmp_path, "runs")) == len(CHOICES) - 1


def test_parameters_that_make_no_experiment_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project_of(tmp_path, bottlenecks=["both"]))
    assert run("crossed") == EXIT_USAGE
    assert "studies/crossed/params.yaml: transfers.bottlenecks" in capsys.readouterr().err
