"""The experiments on few short runs: every run under every control, its tables, and what is taken again."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from smartsbd.pipelines.closed_loop.comparison import ALL, NETWORK
from smartsbd.pipelines.params import read_block
from smartsbd.scenarios.closed_loop import EXPERIMENTS, loop_program
from smartsbd.scenarios.closed_loop.sender_control import CONTROLS
from studies.loop import section
from studies.loop.experiments import LoopExperiments
from studies.loop.log_replays import LoopReplays
from studies.transfers.tests.project import ROOT, parameters, run, written

pytestmark = pytest.mark.slow

READ = ("export/generated", "data/samples/loop_kernel")


def project_of(target: Path, experiments: tuple[str, ...], **changed: Any) -> Path:
    """A project folder in which one network of some experiments is run."""
    own = parameters("loop")
    own["experiments"] |= dict.fromkeys(set(EXPERIMENTS) - set(experiments))
    for name in READ:
        (target / name).parent.mkdir(parents=True)
        (target / name).symlink_to(ROOT / name)
    return written(target, "loop", own | changed)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = project_of(tmp_path_factory.mktemp("project"), ("loop_nsb", "loop_sb", "loop_shift"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(target)
        assert run("loop") == 0
    return target


def table(project: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(project / f"studies/loop/reports/{name}.csv")


@pytest.fixture(scope="module")
def runs(project: Path) -> pd.DataFrame:
    return table(project, "runs")


def test_every_network_is_run_under_every_control(project: Path, runs: pd.DataFrame) -> None:
    planned = read_block(project / "studies/loop/params.yaml", LoopExperiments).planned()
    named = [
        (one.experiment, one.network.variant, one.network.place, one.network.number, one.control) for one in planned
    ]
    assert list(runs[[*NETWORK, "control"]].itertuples(index=False, name=None)) == named
    assert len(list((project / "data/studies/loop/scenarios").iterdir())) == len(planned)
    # `one path` is a control of one experiment alone, which is left out here.
    assert runs.groupby("experiment")["control"].nunique().to_dict() == {"loop_nsb": 5, "loop_sb": 5, "loop_shift": 5}


def test_what_was_said_is_what_a_replay_says(runs: pd.DataFrame) -> None:
    replayed = runs[runs["replay_same"].notna()]
    assert set(replayed["control"]) == {"lag_excess", "tree_paper"}
    assert len(replayed) == 2 * runs[list(NETWORK)].drop_duplicates().shape[0]
    assert (replayed["replay_same"] == True).all()  # noqa: E712 - a column of objects


def test_the_oracle_is_right_and_is_reno_where_nothing_is_shared(runs: pd.DataFrame) -> None:
    goodput = runs.set_index([*NETWORK, "control"])["goodput_mbit_s"]
    by_run: dict[tuple[str, ...], float] = {tuple(name): one for name, one in goodput.items()}  # type: ignore[arg-type]
    twins = {"loop_nsb": "reno", "loop_sb": "lia"}
    compared = [name for name in by_run if name[-1] == "oracle" and name[0] in twins]
    assert len(compared) == 3
    for name in compared:
        assert by_run[name] == by_run[(*name[:-1], twins[name[0]])]
    oracle = runs[runs["control"] == "oracle"]
    assert (oracle["right_share"] > 0.99).all() and (oracle["right_at_end"] == 1).all()


def test_unswitched_runs_have_no_groups_and_others_have(runs: pd.DataFrame) -> None:
    switched = runs["control"].map(lambda name: CONTROLS[name].verdicts is not None)
    assert (runs["apart_share"].notna() == switched).all()
    assert (runs["rival_mbit_s"].notna() == (runs["experiment"] == "loop_sb")).all()


def test_a_detector_is_judged_by_what_is_in_force(project: Path) -> None:
    judged = table(project, "accuracy")
    under = judged[judged["control"].isin(["lia", "reno"])]
    assert set(under["judge"]) == {"tree_paper", "tree_invariant", "forest_invariant", "lag_excess, last"}
    assert (under["in_force"] == under["control"].map({"lia": "coupled", "reno": "apart"})).all()
    looped = judged[judged["control"] == judged["judge"]]
    assert set(looped["judge"]) == {"lag_excess", "tree_paper"}
    assert set(looped["in_force"]) == {"coupled", "apart"}


def test_pooled_means_are_those_of_the_runs(project: Path, runs: pd.DataFrame) -> None:
    compared = table(project, "compared")
    for row in compared[compared["place"] == ALL].to_dict("records"):
        own = runs[(runs["experiment"] == row["experiment"]) & (runs["variant"] == row["variant"])]
        own = own[own["control"] == row["control"]]
        assert row["goodput_mbit_s"] == pytest.approx(own["goodput_mbit_s"].mean(), abs=1e-5)
        assert row["runs"] == len(own)


def test_a_section_is_made_of_what_was_run(project: Path) -> None:
    reports = project / "studies/loop/reports"
    rows = section.tables(reports)
    assert [name for name, own in rows.items() if not own] == ["harm"]
    assert {path.stem for path in reports.glob("*.png")} == {"gains", "harm", "shift"}


def test_a_difference_to_a_replay_is_seen(project: Path, tmp_path: Path) -> None:
    """A verdict turned round, an opinion a nanosecond late."""
    planned = read_block(project / "studies/loop/params.yaml", LoopExperiments).planned()
    program = loop_program.build()
    with LoopReplays(ROOT / "export/generated", ("tree_paper",)) as replays:
        for source in ("tree_paper", "lag_excess"):
            planned_run = next(one for one in planned if one.experiment == "loop_nsb" and one.control == source)
            looped = loop_program.run(program, planned_run.scenario, tmp_path / "scenario.json")
            assert looped.verdicts is not None and replays.same(source, looped.verdicts, looped.events)
            changed = copy.deepcopy(looped.verdicts)
            if source == "tree_paper":
                changed["verdicts"][0]["shared"] ^= True
            else:
                changed["verdicts"][0]["from_ns"] += 1
            assert not replays.same(source, changed, looped.events)


def test_what_a_broken_run_came_to_is_taken_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the same key only; what is no longer of the experiments is removed."""
    monkeypatch.chdir(project_of(tmp_path, ("loop_nsb",), run_under=["lia", "reno", "tree_paper"]))
    assert run("loop") == 0
    first = table(tmp_path, "runs")
    kept_runs = tmp_path / "data/studies/loop"
    same, other, gone = sorted((kept_runs / "found").iterdir())[:3]
    kept = json.loads(same.read_text())
    kept["row"]["changes"] = 7
    same.write_text(json.dumps(kept))
    stale = json.loads(other.read_text())
    stale["row"]["changes"] = 7
    other.write_text(json.dumps(stale | {"key": "of another program"}))
    for folder in ("found", "scenarios"):
        (kept_runs / folder / gone.name).rename(kept_runs / folder / "of-another-experiment.json")
    assert run("loop") == 0
    again = table(tmp_path, "runs")
    (taken,) = again.index[again["changes"] == 7]
    names = [*NETWORK, "control"]
    assert list(again.loc[taken, names]) == [kept["row"][name] for name in names]
    pd.testing.assert_frame_equal(again.drop(index=taken), first.drop(index=taken))
    assert len(list((kept_runs / "found").iterdir())) == len(first)
    assert not list(kept_runs.glob("*/of-another-experiment.json"))
