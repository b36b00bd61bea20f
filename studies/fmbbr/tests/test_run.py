"""The experiments on few short runs: what it writes, what it says of a run that fails, and its tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from smartsbd.pipelines.running.stage import EXIT_FAILED, EXIT_USAGE
from smartsbd.scenarios.closed_loop import loop_program
from smartsbd.scenarios.scenario import Scenario
from studies.fmbbr import section
from studies.fmbbr.claims import BBR, BY_VERDICT, CLAIMS, FMBBR, ROUTERS, TOGETHER
from studies.fmbbr.experiments import DrawsExperiment, FmbbrExperiments
from studies.transfers.tests.project import FAILING, experiments, parameters, refused, run, written

pytestmark = pytest.mark.slow


def project_of(target: Path, **changed: dict[str, Any]) -> Path:
    """A project folder whose parameters have few short runs."""
    own = parameters("fmbbr")
    for part, values in changed.items():
        own[part] |= values
    return written(target, "fmbbr", own)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = project_of(tmp_path_factory.mktemp("project"), peers={"runs": 1, "peers": ["lia"], "duration_s": 14})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(target)
        assert run("fmbbr") == 0
    return target


def table(project: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(project / f"studies/fmbbr/reports/{name}.csv")


def test_there_is_a_row_for_each_run(project: Path) -> None:
    planned = experiments(project, "fmbbr", FmbbrExperiments).planned()
    runs = table(project, "runs")
    named = [(one.experiment, one.setting, one.controller, one.number) for one in planned]
    assert list(runs.iloc[:, :4].itertuples(index=False, name=None)) == named
    assert len(list((project / "data/studies/fmbbr").iterdir())) == len(planned) == len(DrawsExperiment.choices) + 3 + 4
    draws = runs[runs["experiment"] == "draws"].set_index("controller")
    assert (draws["goodput_mbit_s"] > 5).all()
    classic = draws.index.isin(["lia", "balia"])
    for metric in ("probed_first", "probed_second", "probed_third", "startup_s"):
        assert (draws.loc[~classic, metric] > 0).all()
        assert draws.loc[classic, metric].isna().all()
    # Links are as in truth from the beginning on, routers never.
    right = draws["right_share"]
    assert right[FMBBR] == 1
    assert right[ROUTERS] == pytest.approx(1 / 3)
    assert 1 / 3 < right[BY_VERDICT] < 1
    alone = runs[runs["experiment"] == "one_link"]
    assert alone["jain"].isna().all() and alone["rival_first_mbit_s"].isna().all()
    assert runs.loc[runs["experiment"] == "peers", "jain"].between(0.5, 1).all()


def test_the_rival_is_followed_over_time(project: Path) -> None:
    rates = table(project, "rival")
    own = rates[rates["controller"] == FMBBR]
    assert list(own["at_s"]) == [0.5 * step for step in range(1, 25)]
    runs = table(project, "runs")
    row = runs[(runs["experiment"] == "draws") & (runs["controller"] == FMBBR)].iloc[0]
    first = own[own["at_s"] <= 10]["mean"]
    assert first.mean() == pytest.approx(row["rival_first_mbit_s"], abs=1e-3)
    assert first.min() == pytest.approx(row["rival_least_mbit_s"], abs=1e-3)
    assert (project / "studies/fmbbr/reports/starts.png").stat().st_size > 10_000


def test_steps_spare_the_rival(project: Path) -> None:
    """On the one network, as in Fig. 4."""
    runs = table(project, "runs")
    least = runs[runs["experiment"] == "draws"].set_index("controller")["rival_least_mbit_s"]
    assert least[FMBBR] > max(least[TOGETHER], least[BBR])


def test_tables_of_the_page_have_every_claim_and_choice(project: Path) -> None:
    rows = section.tables(project / "studies/fmbbr/reports")
    claims = rows["beside_paper"]
    assert [row["experiment"] for row in claims] == [claim.figure for claim in CLAIMS]
    means = rows["means"]
    assert len(means) == len(DrawsExperiment.choices) + 4
    assert {row["networks"] for row in means} == {"limited rival", "beside lia"}
    assert section.tables(project / "none") == {"beside_paper": [], "means": []}


def test_a_run_that_fails_is_named_and_the_others_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = loop_program.run

    def failing(program: Path, scenario: Scenario, path: Path) -> loop_program.Looped:
        return whole(program, refused(scenario) if path.name == FAILING else scenario, path)

    monkeypatch.setattr(loop_program, "run", failing)
    monkeypatch.chdir(project_of(tmp_path, draws={"runs": 0}))
    assert run("fmbbr") == EXIT_FAILED
    message = capsys.readouterr().err
    assert f"{FAILING} (seed " in message and "1 of 3 runs failed" in message
    assert len(table(tmp_path, "runs")) == 2
    assert "not run" in set(table(tmp_path, "beside_paper")["held"])


def test_parameters_that_make_no_experiment_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project_of(tmp_path, draws={"rivals": ["none"]}))
    assert run("fmbbr") == EXIT_USAGE
    assert "studies/fmbbr/params.yaml: draws.rivals" in capsys.readouterr().err
