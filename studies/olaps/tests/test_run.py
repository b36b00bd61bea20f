"""The experiments on few short runs: what it writes, what it says of a run that fails, and its tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from smartsbd.pipelines.running.stage import EXIT_FAILED, EXIT_USAGE
from smartsbd.scenarios import simulator
from studies.olaps import section
from studies.olaps.claims import CLAIMS
from studies.olaps.experiments import LEARNERS, PLAIN, SCHEDULERS, OlapsExperiments
from studies.transfers.scheduling import METRICS
from studies.transfers.tests.project import FAILING, experiments, parameters, refused, run, written

pytestmark = pytest.mark.slow

TABLES = ("runs", "summary", "gains", "relearning", "beside_paper")


def project_of(target: Path, **changed: dict[str, Any]) -> Path:
    """A project folder whose parameters have few short runs."""
    own = parameters("olaps")
    own["delays"] |= {"runs": 2, "duration_s": 4, "delays_ms": [40], "buffers_kb": [30]}
    own["changes"] |= {"duration_s": 12, "change_s": 6}
    own["after_change"] |= {"duration_s": 4, "change_s": 2}
    own["factors"] |= {"samples": 2, "duration_s": 4}
    for name, values in changed.items():
        own[name] |= values
    return written(target, "olaps", own)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = project_of(tmp_path_factory.mktemp("project"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(target)
        assert run("olaps") == 0
    return target


def table(project: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(project / f"studies/olaps/reports/{name}.csv")


def test_there_is_a_row_for_each_run(project: Path) -> None:
    planned = experiments(project, "olaps", OlapsExperiments).planned()
    runs = table(project, "runs")
    assert list(runs.columns) == ["experiment", "group", "setting", "controller", "run", *METRICS]
    named = [(one.experiment, one.setting, one.controller, one.number) for one in planned]
    own = runs[["experiment", "setting", "controller", "run"]]
    assert list(own.itertuples(index=False, name=None)) == named
    assert len(list((project / "data/studies/olaps").iterdir())) == len(planned)
    assert (runs["goodput_mbit_s"] > 0).all()
    assert (runs.loc[runs["controller"] == "min_rtt", "copies_share"] == 0).all()
    learns = runs["controller"].str.startswith(("olaps", "copies"))
    assert runs["mean_reward"].notna().equals(learns)


def test_gains_are_over_redundant_in_the_same_network(project: Path) -> None:
    runs, found = table(project, "runs"), table(project, "gains")
    assert list(found.loc[found["experiment"] == "delays", "controller"]) == list(SCHEDULERS)
    assert list(found.loc[found["experiment"] == "factors", "controller"]) == list(PLAIN)
    assert (found.loc[found["controller"] == "redundant", "mean"] == 1).all()
    own = runs[runs["experiment"] == "factors"].pivot_table("goodput_mbit_s", "setting", "controller")
    row = found[(found["experiment"] == "factors") & (found["controller"] == "min_rtt")].iloc[0]
    assert row["mean"] == pytest.approx((own["min_rtt"] / own["redundant"]).mean(), abs=1e-5)


def test_small_buffer_and_long_second_path_block_min_rtt(project: Path) -> None:
    found = table(project, "gains").set_index(["experiment", "controller"])["mean"]
    assert found["delays", "min_rtt"] < 0.8 < found["delays", "blest"]


def test_the_walk_is_over_802_11n(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At 20 m/s the second path ends after 3 s: copies of everything go on, on the first alone."""
    none = {"runs": 0}
    walk = {"runs": 1, "duration_s": 12, "walk_s": 4, "speed_m_s": 20, "radios": ["802.11n"]}
    left_out = dict.fromkeys(("delays", "changes", "after_change", "factors", "read_delays"), none)
    monkeypatch.chdir(project_of(tmp_path, mobility=walk, **left_out))
    assert run("olaps") == 0
    runs = table(tmp_path, "runs")
    assert set(runs["setting"]) == {"walk, 802.11n"}
    goodputs = dict(zip(runs["controller"], runs["goodput_mbit_s"], strict=True))
    assert goodputs["min_rtt"] < 0.5 * goodputs["redundant"]
    assert 3.5 < goodputs["redundant"] < 4.8


def test_learners_are_asked_for_the_best_share(project: Path) -> None:
    found = table(project, "relearning")
    assert list(found["controller"].unique()) == list(LEARNERS)
    assert found["best_share"].isin([0.0, 0.5, 1.0]).all()
    assert found["median_s"].between(0, 6).all()


def test_the_same_parameters_give_the_same_bytes(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project_of(tmp_path))
    assert run("olaps") == 0
    for path in (*(f"studies/olaps/reports/{name}.csv" for name in TABLES), "studies/olaps/reports/delays.png"):
        assert (tmp_path / path).read_bytes() == (project / path).read_bytes()


def test_claims_and_gains_are_on_the_page(project: Path) -> None:
    shown = section.tables(project / "studies/olaps/reports")
    rows = shown["beside_paper"]
    assert [row["paper: reports"] for row in rows] == [claim.reported for claim in CLAIMS]
    assert {row["held"] for row in rows if "Fig. 6" in row["experiment"]} == {"not run"}
    gained = shown["gains"]
    assert len(gained) == len(table(project, "gains"))
    assert gained[2]["of redundant"] == "1.00 (1.00 to 1.00)"
    assert section.tables(project / "none") == {"beside_paper": [], "gains": []}


def test_a_run_that_fails_is_named_and_the_others_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = simulator.measure

    def failing(run: Any, path: Path) -> dict[str, Any]:
        if path.name == FAILING:
            run = run.model_copy(update={"scenario": refused(run.scenario)})
        return whole(run, path)

    monkeypatch.setattr(simulator, "measure", failing)
    none = {"runs": 0}
    monkeypatch.chdir(
        project_of(tmp_path, delays={"runs": 1}, changes=none, after_change=none, factors=none, read_delays=none)
    )
    assert run("olaps") == EXIT_FAILED
    message = capsys.readouterr().err
    assert f"{FAILING} (seed " in message and f"1 of {len(SCHEDULERS)} runs failed" in message
    # Redundant is what failed: there is nothing to compare with.
    assert len(table(tmp_path, "runs")) == len(SCHEDULERS) - 1
    assert table(tmp_path, "gains").empty


def test_parameters_that_make_no_experiment_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project_of(tmp_path, grid={"hosts": "bsd"}))
    assert run("olaps") == EXIT_USAGE
    assert "studies/olaps/params.yaml: grid.hosts" in capsys.readouterr().err
