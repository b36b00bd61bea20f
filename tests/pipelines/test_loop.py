"""The stage ``loop`` on the quick run: every run under every control, its tables, its place on the page."""

from __future__ import annotations

import argparse
import copy
import json
from pathlib import Path

import pandas as pd
import pytest
import yaml

from export.loop_agreement import LoopReplays
from models.closed_loop.comparison import ALL, NETWORK
from pipelines.params import read_params
from pipelines.params.block import ParamsError
from pipelines.reporting.tables import closed_loop
from pipelines.reporting.tables.cell import Results
from pipelines.stages import loop
from pipelines.stages.loop import drawn
from scenarios.closed_loop import loop_program
from scenarios.closed_loop.sender_control import CONTROLS
from scenarios.unseen import CASES

ROOT = Path(__file__).parents[2]
TABLES = (
    closed_loop.loop_accuracy,
    closed_loop.loop_closed_form,
    closed_loop.loop_delays,
    closed_loop.loop_gains,
    closed_loop.loop_harm,
    closed_loop.loop_cases,
    closed_loop.loop_kernel,
    closed_loop.loop_kernel_accuracy,
    closed_loop.loop_kernel_costs,
    closed_loop.loop_reported,
    closed_loop.loop_right,
)


@pytest.fixture(scope="module")
def runs(quick: Path) -> pd.DataFrame:
    return pd.read_csv(quick / "reports/loop/runs.csv")


def test_every_network_is_run_under_every_control(quick: Path, runs: pd.DataFrame) -> None:
    planned = drawn(read_params(quick / "params.yaml"))
    named = [
        (one.experiment, one.network.variant, one.network.place, one.network.number, one.control) for one in planned
    ]
    assert list(runs[[*NETWORK, "control"]].itertuples(index=False, name=None)) == named
    assert len(list((quick / "data/loop/scenarios").iterdir())) == len(planned)
    # `one path` is a control of one experiment alone, which the quick run leaves out.
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


def test_a_detector_is_judged_by_what_is_in_force(quick: Path) -> None:
    table = pd.read_csv(quick / "reports/loop/accuracy.csv")
    under = table[table["control"].isin(["lia", "reno"])]
    assert set(under["judge"]) == {"tree_paper", "tree_invariant", "forest_invariant", "lag_excess, last"}
    assert (under["in_force"] == under["control"].map({"lia": "coupled", "reno": "apart"})).all()
    looped = table[table["control"] == table["judge"]]
    assert set(looped["judge"]) == {"lag_excess", "tree_paper"}
    assert set(looped["in_force"]) == {"coupled", "apart"}


def test_the_page_has_the_tables(quick: Path) -> None:
    results = Results.of(quick)
    gains = {row["control"]: row for row in closed_loop.loop_gains(results)}
    assert gains["lia"]["shared with one flow"] == "1.00"
    assert float(gains["reno"]["not shared, bulk rivals"]) > 1
    assert {row["control"] for row in closed_loop.loop_closed_form(results)} == {"oracle", "lag_excess", "tree_paper"}
    chain = {
        (row["experiment"], row["variant"], row["control"]): row["by a chain of two states"]
        for row in closed_loop.loop_closed_form(results)
    }
    kept = pd.read_csv(quick / "reports/loop/chain.csv")
    # What a tree says of so few windows may never part subflows, or never join them: a share of 0 or 1.
    assert {name: said for name, said in chain.items() if said} == {
        (row["experiment"], row["variant"], row["judge"]): f"{row['chain_share']:.3f}"
        for row in kept.to_dict("records")
    }
    assert {control for _, _, control in chain} - {control for (_, _, control), said in chain.items() if said} == {
        "oracle",
        "lag_excess",
    }
    kernel = {(row["variant"], row["control"]): row for row in closed_loop.loop_kernel(results)}
    controls = ("lia", "reno", "oracle", "lag_excess", "forest_invariant")
    assert set(kernel) == {(kind, name) for kind in ("own links", "one link") for name in controls}
    assert {row["networks"] for row in kernel.values()} == {20}
    assert kernel["own links", "lag_excess"]["over LIA"].startswith("1.59 (")
    cases = {row["case"]: row for row in closed_loop.loop_cases(results)}
    assert set(cases) == set(CASES) and {row["kernel: runs"] for row in cases.values()} == {2}
    assert cases["case08"]["kernel: right, and at the end"] == "0.90, 1.00"
    said = {(row["control"], row["label"], row["run"]): row for row in closed_loop.loop_kernel_accuracy(results)}
    assert said["forest_invariant", "not shared", "in the loop, apart"]["right of the others"] == "0.957"
    assert said["lag_excess", "not shared", "in the loop, coupled"]["verdicts"] == 30
    costs = {row["what"]: row for row in closed_loop.loop_kernel_costs(results)}
    assert costs["lag_excess, loop_kernel"]["CPU, mean / most"] == "0.054 % / 0.076 %"
    assert costs["the paper's tree"]["time a T, mean / most"] == "4.47 / 6.26 ms"
    assert [row["runs"] for row in costs.values()] == [40, 40, 20, "", "", ""]
    judges = {row["judge"] for row in closed_loop.loop_accuracy(results)}
    assert judges == {"tree_paper", "tree_invariant", "forest_invariant", "lag_excess, last"}
    delays = closed_loop.loop_delays(results)
    assert {row["change"] for row in delays} == {"to shared", "to own links"}
    assert all(row["changes"] == 1 for row in delays)
    reported = closed_loop.loop_reported(results)
    assert [row["paper"] for row in reported] == ["1.153 to 2.237", "1.153 to 2.237", "1.081", "1.181 to 1.202"]
    assert "tree_paper, rate limited: " in reported[0]["ours"] and not reported[3]["ours"]
    page = (quick / "reports/report.html").read_text()
    assert "The loop closed" in page and page.count("on the same network, by site") >= 1


def test_pooled_means_are_those_of_the_runs(quick: Path, runs: pd.DataFrame) -> None:
    table = pd.read_csv(quick / "reports/loop/compared.csv")
    for row in table[table["place"] == ALL].to_dict("records"):
        own = runs[(runs["experiment"] == row["experiment"]) & (runs["variant"] == row["variant"])]
        own = own[own["control"] == row["control"]]
        assert row["goodput_mbit_s"] == pytest.approx(own["goodput_mbit_s"].mean(), abs=1e-5)
        assert row["runs"] == len(own)


def test_a_run_without_experiments_has_no_tables(tmp_path: Path) -> None:
    results = Results(tmp_path, read_params(ROOT / "params.yaml"))
    assert [rows(results) for rows in TABLES] == [[]] * len(TABLES)


@pytest.mark.slow
def test_a_difference_to_a_replay_is_seen(quick: Path, tmp_path: Path) -> None:
    """A verdict turned round, a feature changed, an opinion a nanosecond late."""
    planned = [one for one in drawn(read_params(quick / "params.yaml")) if one.experiment == "loop_nsb"]
    program = loop_program.build()
    with LoopReplays(ROOT / "export/generated", ("tree_paper",)) as replays:
        for source in ("tree_paper", "lag_excess"):
            run = next(one for one in planned if one.control == source)
            looped = loop_program.run(program, run.scenario, tmp_path / "scenario.json")
            assert looped.told is not None and replays.same(source, looped.told, looped.events)
            changed = copy.deepcopy(looped.told)
            if source == "tree_paper":
                changed["verdicts"][0]["shared"] ^= True
            else:
                changed["verdicts"][0]["from_ns"] += 1
            assert not replays.same(source, changed, looped.events)


def test_a_control_that_is_not_there_is_refused(tmp_path: Path) -> None:
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    params["loop"]["controls"].append("tree_papers")
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    with pytest.raises(ParamsError, match=r"loop\.controls"):
        drawn(read_params(tmp_path / "params.yaml"))


@pytest.mark.slow
def test_what_a_broken_run_came_to_is_taken_again(tmp_path: Path) -> None:
    """Of the same key only; what is no longer of the experiments is removed."""
    whole = yaml.safe_load((ROOT / "params.yaml").read_text())
    for name in set(whole["loop"]["experiments"]) - {"loop_nsb"}:
        whole["loop"]["experiments"][name] = None
    whole["loop"]["controls"] = ["lia", "reno", "tree_paper"]
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(whole))
    params = read_params(tmp_path / "params.yaml")
    arguments = argparse.Namespace(
        headers=ROOT / "export/generated",
        kernel=ROOT / "data/samples/loop_kernel",
        runs=tmp_path / "data",
        reports=tmp_path / "reports",
        figures=tmp_path,
    )
    assert loop.run(arguments, params) == 0
    first = pd.read_csv(tmp_path / "reports/runs.csv")
    same, other, gone = sorted((tmp_path / "data/found").iterdir())[:3]
    kept = json.loads(same.read_text())
    kept["row"]["changes"] = 7
    same.write_text(json.dumps(kept))
    stale = json.loads(other.read_text())
    stale["row"]["changes"] = 7
    other.write_text(json.dumps(stale | {"key": "of another program"}))
    for folder in ("found", "scenarios"):
        (tmp_path / "data" / folder / gone.name).rename(tmp_path / "data" / folder / "of-another-experiment.json")
    assert loop.run(arguments, params) == 0
    again = pd.read_csv(tmp_path / "reports/runs.csv")
    (taken,) = again.index[again["changes"] == 7]
    names = [*NETWORK, "control"]
    assert list(again.loc[taken, names]) == [kept["row"][name] for name in names]
    pd.testing.assert_frame_equal(again.drop(index=taken), first.drop(index=taken))
    assert len(list((tmp_path / "data/found").iterdir())) == len(first)
    assert not list(tmp_path.glob("data/*/of-another-experiment.json"))
