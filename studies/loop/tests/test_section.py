"""The section on the page, of the results in git."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from smartsbd.scenarios.unseen import CASES
from studies.loop import section

REPORTS = Path(__file__).parents[1] / "reports"
ROWS = section.tables(REPORTS)


def test_goodput_is_over_that_of_lia() -> None:
    gains = {row["control"]: row for row in ROWS["gains"]}
    assert gains["lia"]["shared with one flow"] == "1.00"
    assert float(gains["reno"]["not shared, bulk rivals"]) > 1


def test_switched_controls_stand_beside_the_closed_form_and_the_chain() -> None:
    assert {row["control"] for row in ROWS["closed_form"]} == {"oracle", "lag_excess", "tree_paper"}
    chain = {
        (row["experiment"], row["variant"], row["control"]): row["by a chain of two states"]
        for row in ROWS["closed_form"]
    }
    kept = pd.read_csv(REPORTS / "chain.csv")
    kept = kept[kept["experiment"].isin(["loop_nsb", "loop_sb"])]
    # What a tree says of so few windows may never part subflows, or never join them: a share of 0 or 1.
    assert {name: told for name, told in chain.items() if told} == {
        (row["experiment"], row["variant"], row["judge"]): f"{row['chain_share']:.3f}"
        for row in kept.to_dict("records")
    }
    assert {control for _, _, control in chain} - {control for (_, _, control), told in chain.items() if told} == {
        "oracle",
        "lag_excess",
    }


def test_runs_on_a_kernel_stand_beside_those_in_the_simulator() -> None:
    kernel = {(row["variant"], row["control"]): row for row in ROWS["kernel"] if row["run by"] == "kernel"}
    controls = ("lia", "reno", "oracle", "lag_excess", "forest_invariant")
    assert set(kernel) == {(kind, name) for kind in ("own links", "one link") for name in controls}
    assert {row["networks"] for row in kernel.values()} == {20}
    assert kernel["own links", "lag_excess"]["over LIA"].startswith("1.59 (")
    simulated = {(row["variant"], row["control"]) for row in ROWS["kernel"] if row["run by"] == "simulator"}
    assert simulated == {(kind, name) for kind in ("own links", "one link") for name in controls[:4]}
    cases = {row["case"]: row for row in ROWS["cases"]}
    assert set(cases) == set(CASES) and {row["kernel: runs"] for row in cases.values()} == {2}
    assert cases["case08"]["kernel: right, and at the end"] == "0.90, 1.00"


def test_verdicts_of_a_kernel_are_counted_and_their_costs_stand_beside_table_7() -> None:
    told = {(row["control"], row["label"], row["run"]): row for row in ROWS["kernel_accuracy"]}
    assert told["forest_invariant", "not shared", "in the loop, apart"]["right of the others"] == "0.957"
    assert told["lag_excess", "not shared", "in the loop, coupled"]["verdicts"] == 30
    costs = {row["what"]: row for row in ROWS["kernel_costs"]}
    assert costs["lag_excess, loop_kernel"]["CPU, mean / most"] == "0.054 % / 0.076 %"
    assert costs["the paper's tree"]["time a T, mean / most"] == "4.47 / 6.26 ms"
    assert [row["runs"] for row in costs.values()] == [40, 40, 20, "", "", ""]


def test_detectors_are_judged_window_by_window() -> None:
    judges = {row["judge"] for row in ROWS["accuracy"]}
    assert judges == {"tree_paper", "tree_invariant", "forest_invariant", "lag_excess, last"}


def test_delays_are_of_each_change() -> None:
    assert {row["change"] for row in ROWS["delays"]} == {"to shared", "to own links"}
    assert all(row["changes"] == 1 for row in ROWS["delays"])


def test_groups_are_right_by_the_oracle() -> None:
    shown = {row["control"]: row for row in ROWS["right"]}
    assert shown["oracle"]["loop_sb"] == "1.00, 1.00"


def test_harm_is_over_what_is_left_beside_one_path() -> None:
    shown = {row["control"]: row for row in ROWS["harm"]}
    assert shown["one path"]["all"].startswith("1.00")


def test_what_the_paper_reports_stands_beside_ours() -> None:
    reported = ROWS["reported"]
    assert [row["paper"] for row in reported] == ["1.153 to 2.237", "1.153 to 2.237", "1.081", "1.181 to 1.202"]
    # MPCC is run in the profile `full` alone.
    assert "tree_paper, rate limited: " in reported[0]["ours"] and not reported[3]["ours"]


def test_without_results_there_are_no_tables(tmp_path: Path) -> None:
    assert section.tables(tmp_path) == {name: [] for name in ROWS}
