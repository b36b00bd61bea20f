"""The experiments on few short runs: what it writes, what it says of a run that fails, and its table on the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from smartsbd.pipelines.running.stage import EXIT_FAILED, EXIT_USAGE
from smartsbd.scenarios import simulator
from studies.mpol.claims import CLAIMS
from studies.mpol.experiments import MpolExperiments
from studies.transfers.performance import METRICS
from studies.transfers.section import beside_paper
from studies.transfers.tests.project import FAILING, experiments, parameters, refused, run, written

pytestmark = pytest.mark.slow

LEFT_OUT = ("still", "fairness", "peers", "situations", "steps", "abroad")


def project_of(target: Path, **changed: dict[str, Any]) -> Path:
    """A project folder whose parameters have few short runs."""
    params = parameters("mpol")
    own = params | {name: params[name] | {"runs": 0} for name in LEFT_OUT}
    own["loss"] |= {"runs": 2, "rate_mbit_s": 2, "losses": [0, 0.03], "duration_s": 8}
    own["files"] |= {"runs": 1, "sizes_mb": [0.03]}
    own["monitoring"] |= {"rate_mbit_s": 2, "situations": [1], "phase_s": 2, "n": [1], "d": [0.1]}
    for name, values in changed.items():
        own[name] |= values
    return written(target, "mpol", own)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = project_of(tmp_path_factory.mktemp("project"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(target)
        assert run("mpol") == 0
    return target


def test_there_is_a_row_for_each_run(project: Path) -> None:
    planned = experiments(project, "mpol", MpolExperiments).planned()
    runs = pd.read_csv(project / "studies/mpol/reports/runs.csv")
    assert list(runs.columns) == ["experiment", "setting", "controller", "run", *METRICS]
    named = [(one.experiment, one.setting, one.controller, one.number) for one in planned]
    assert list(runs.iloc[:, :4].itertuples(index=False, name=None)) == named
    assert len(list((project / "data/studies/mpol").iterdir())) == len(planned)
    assert runs.groupby("experiment")["learn_share"].count().to_dict() == {"files": 0, "loss": 8, "monitoring": 1}
    assert (runs["link_share"] > 0).all() and (runs["link_share"] < 1.01).all()
    assert runs.loc[runs["experiment"] == "files", "completion_s"].between(0.1, 1).all()


def test_means_are_those_of_the_runs_and_loss_costs_goodput(project: Path) -> None:
    runs = pd.read_csv(project / "studies/mpol/reports/runs.csv")
    table = pd.read_csv(project / "studies/mpol/reports/summary.csv")
    key = ["experiment", "setting", "controller"]
    goodputs = table[table["metric"] == "goodput_mbit_s"]
    own = {(row["experiment"], row["setting"], row["controller"]): row["mean"] for row in goodputs.to_dict("records")}
    means = runs.groupby(key, sort=False)["goodput_mbit_s"].mean()
    assert own == pytest.approx(dict(means.items()), abs=1e-5)
    assert own["loss", "loss 0.03", "olia"] < own["loss", "loss 0", "olia"]


def test_the_same_parameters_give_the_same_bytes(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = project_of(tmp_path)
    monkeypatch.chdir(again)
    assert run("mpol") == 0
    for name in ("runs", "summary", "beside_paper"):
        path = f"studies/mpol/reports/{name}.csv"
        assert (again / path).read_bytes() == (project / path).read_bytes()


def test_a_claim_is_on_the_page_with_what_was_not_run(project: Path) -> None:
    rows = beside_paper(project / "studies/mpol/reports")
    assert [row["paper: reports"] for row in rows] == [claim.reported for claim in CLAIMS]
    by_paper = {row["paper: reports"]: row for row in rows}
    assert by_paper["MP-OL keeps 55 % of its best at 3 %"]["ours"].startswith("keeps ")
    still = by_paper["it goes on watching where nothing changes"]
    assert (still["held"], still["ours"]) == ("not run", "still: still, mpol: no learns_per_minute")
    assert beside_paper(project / "none") == []


def test_a_run_that_fails_is_named_and_the_others_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = simulator.measure

    def failing(run: Any, path: Path) -> dict[str, Any]:
        if path.name == FAILING:
            run = run.model_copy(update={"scenario": refused(run.scenario)})
        return whole(run, path)

    monkeypatch.setattr(simulator, "measure", failing)
    monkeypatch.chdir(project_of(tmp_path, loss={"runs": 1, "losses": [0]}, monitoring={"runs": 0}))
    assert run("mpol") == EXIT_FAILED
    message = capsys.readouterr().err
    assert f"{FAILING} (seed " in message and "1 of 13 runs failed" in message
    assert len(pd.read_csv(tmp_path / "studies/mpol/reports/runs.csv")) == 12


def test_parameters_that_make_no_experiment_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project_of(tmp_path, fairness={"rivals": ["quic"]}))
    assert run("mpol") == EXIT_USAGE
    assert "studies/mpol/params.yaml: fairness.rivals" in capsys.readouterr().err
