"""The experiments on few short runs: what it writes, what it says of agents without weights, and its tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from smartsbd.pipelines.running.stage import EXIT_FAILED, EXIT_USAGE
from smartsbd.scenarios.closed_loop import loop_program
from smartsbd.scenarios.scenario import Scenario
from studies.mplibra import section
from studies.mplibra.claims import ALL, CLAIMS, CLASSIC, LIA, MPLIBRA, OF_SHARING, OLIA, RANDOM, RL_JOINT
from studies.mplibra.control_quality import METRICS
from studies.mplibra.experiments import MplibraExperiments
from studies.mplibra.paired_difference import COMPARED
from studies.transfers.repetitions import NOT_RUN, RUN
from studies.transfers.tests.project import FAILING, experiments, parameters, refused, run, written

pytestmark = pytest.mark.slow

LEARNT = (MPLIBRA, RL_JOINT)


def project_of(target: Path, **changed: dict[str, Any]) -> Path:
    """A project folder whose parameters have few short runs, and no folder of weights."""
    params = parameters("mplibra")
    own = {name: block if name == "seed" else block | {"runs": 0} for name, block in params.items()}
    # Not the seed of the experiment: its networks are not looked at before.
    own["seed"] = 1
    own["halving"] |= {"runs": 1, "up_s": 4, "down_s": 7, "duration_s": 10}
    own["loss"] |= {"runs": 2, "losses": [0.005], "duration_s": 8}
    own["moves"] |= {"runs": 1, "change_s": 5, "duration_s": 10}
    own["sharing"] |= {"runs": 1, "bottlenecks": ["separate"], "duration_s": 8}
    for part, values in changed.items():
        own[part] |= values
    return written(target, "mplibra", own)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = project_of(tmp_path_factory.mktemp("project"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(target)
        assert run("mplibra") == 0
    return target


def table(project: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(project / f"studies/mplibra/reports/{name}.csv")


def test_there_is_a_row_for_each_run_made_or_not(project: Path) -> None:
    planned = experiments(project, "mplibra", MplibraExperiments).planned()
    runs = table(project, "runs")
    assert list(runs.columns) == ["experiment", "setting", "controller", "run", "state", *METRICS]
    named = [(one.experiment, one.setting, one.controller, one.number) for one in planned]
    assert list(runs.iloc[:, :4].itertuples(index=False, name=None)) == named
    assert len(planned) == 4 * len(ALL) + len(OF_SHARING)
    assert len(list((project / "data/studies/mplibra").iterdir())) == len(planned)
    waits = runs["controller"].isin(LEARNT)
    assert set(runs.loc[waits, "state"]) == {NOT_RUN} and set(runs.loc[~waits, "state"]) == {RUN}
    assert runs.loc[waits, list(METRICS)].isna().all(axis=None)
    assert (runs.loc[~waits, "goodput_mbit_s"] > 0.5).all()
    assert (runs.loc[~waits, "link_share"] < 1.02).all()


def test_a_measure_is_where_it_applies(project: Path) -> None:
    runs = table(project, "runs")
    ran = runs[runs["state"] == RUN]
    for experiment, metrics in (
        ("halving", {"up_s", "down_s", "rtt_back_s", "loss_first"}),
        ("moves", {"shift_s"}),
        ("loss", set()),
        ("sharing", set()),
    ):
        own = ran[ran["experiment"] == experiment]
        of_changes = ("up_s", "down_s", "rtt_back_s", "loss_first", "shift_s")
        assert {name for name in of_changes if own[name].notna().all()} == metrics
        for name in ("jain", "rivals_mbit_s"):
            assert own[name].notna().all() == (experiment in ("moves", "sharing"))
    sharing = ran[ran["experiment"] == "sharing"].set_index("controller")["right_share"]
    assert sharing["lia, oracle"] == 1 and 0 <= sharing["lia, lag_excess"] <= 1
    assert sharing.notna().sum() == 2


def test_random_loss_costs_olia_goodput_that_a_choice_by_utility_keeps(project: Path) -> None:
    """A random agent is enough for it: the trial sees that loss does not come of the rate."""
    runs = table(project, "runs")
    found = runs[runs["experiment"] == "loss"].groupby("controller")["link_share"].mean()
    assert found[RANDOM] > 1.5 * found[OLIA]


def test_tables_say_what_was_not_run(project: Path) -> None:
    summary = table(project, "summary")
    waits = summary[summary["controller"].isin(LEARNT)]
    assert set(waits["metric"]) == {NOT_RUN} and set(waits["runs"]) == {0}
    assert set(summary.loc[summary["metric"] == NOT_RUN, "controller"]) == set(LEARNT)
    differences = table(project, "ablations")
    learnt = differences["controller"] == MPLIBRA
    assert set(differences.loc[learnt, "state"]) == {NOT_RUN}
    assert set(differences.loc[~learnt, "state"]) == {COMPARED}
    assert set(zip(differences["controller"], differences["other"], strict=True)) == {
        (MPLIBRA, CLASSIC),
        (MPLIBRA, RANDOM),
        (CLASSIC, RANDOM),
    }
    sharing = table(project, "sharing")
    assert set(sharing.loc[sharing["state"] == NOT_RUN, "controller"]) == set(LEARNT)
    assert set(sharing["controller"]) == set(OF_SHARING)
    assert (sharing.loc[sharing["controller"] == LIA, "of_lia"] == 1).all()


def test_differences_are_those_of_the_runs(project: Path) -> None:
    runs = table(project, "runs")
    loss = runs[runs["experiment"] == "loss"].pivot_table(index="run", columns="controller", values="goodput_mbit_s")
    differences = table(project, "ablations")
    row = differences[
        (differences["experiment"] == "loss")
        & (differences["metric"] == "goodput_mbit_s")
        & (differences["controller"] == CLASSIC)
    ].iloc[0]
    assert row["networks"] == 2
    assert row["difference"] == pytest.approx((loss[CLASSIC] - loss[RANDOM]).mean(), abs=1e-5)


def test_what_is_not_run_is_counted_and_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    off = {name: {"runs": 0} for name in ("halving", "moves", "sharing")}
    monkeypatch.chdir(project_of(tmp_path, loss={"runs": 1}, **off))
    assert run("mplibra") == 0
    message = capsys.readouterr().err
    for name in LEARNT:
        assert f"1 of {len(ALL)} runs are not run: {name}.agent is not there" in message
    assert f"{len(ALL) - 2} runs in" in message and "2 not run" in message


def test_the_same_parameters_give_the_same_bytes(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = project_of(tmp_path)
    monkeypatch.chdir(again)
    assert run("mplibra") == 0
    for name in ("runs", "summary", "beside_paper", "ablations", "sharing"):
        path = f"studies/mplibra/reports/{name}.csv"
        assert (again / path).read_bytes() == (project / path).read_bytes()
    assert (again / "studies/mplibra/reports/losses.png").stat().st_size > 10_000


def test_tables_of_the_page_have_every_claim_and_controller(project: Path) -> None:
    rows = section.tables(project / "studies/mplibra/reports")
    assert [row["paper: reports"] for row in rows["beside_paper"]] == [claim.reported for claim in CLAIMS]
    means = rows["means"]
    assert len(means) == 3 * len(ALL) + len(OF_SHARING)
    for row in means:
        assert (row["goodput, Mbit/s"] == NOT_RUN) == (row["controller"] in LEARNT)
    sharing = {row["controller"]: row for row in rows["sharing"]}
    assert sharing[MPLIBRA]["goodput, of that under LIA"] == NOT_RUN
    assert sharing[LIA]["TCP flows, of that under LIA"] == "1.00 (1.00 to 1.00)"
    learnt = [row for row in rows["ablations"] if row["controller"] == MPLIBRA]
    assert learnt and {row["difference"] for row in learnt} == {NOT_RUN}
    assert section.tables(project / "none") == {name: [] for name in rows}


def test_a_run_that_fails_is_named_and_the_others_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = loop_program.run

    def failing(program: Path, scenario: Scenario, path: Path, agents: Path) -> loop_program.Looped:
        return whole(program, refused(scenario) if path.name == FAILING else scenario, path, agents)

    monkeypatch.setattr(loop_program, "run", failing)
    off = {name: {"runs": 0} for name in ("halving", "moves", "sharing")}
    monkeypatch.chdir(project_of(tmp_path, loss={"runs": 1}, **off))
    assert run("mplibra") == EXIT_FAILED
    message = capsys.readouterr().err
    assert f"{FAILING} (seed " in message and f"1 of {len(ALL)} runs failed" in message
    assert len(table(tmp_path, "runs")) == len(ALL) - 1


def test_parameters_that_make_no_experiment_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project_of(tmp_path, friendliness={"topologies": ["ring"]}))
    assert run("mplibra") == EXIT_USAGE
    assert "studies/mplibra/params.yaml: friendliness.topologies" in capsys.readouterr().err
