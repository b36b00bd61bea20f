"""What the README says is what the reports hold."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from pipelines import dag
from pipelines.params import read_params
from pipelines.report import difficulty

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_the_graph_is_that_of_dvc_yaml() -> None:
    stages = dag.read_stages(ROOT / "dvc.yaml")
    assert f"```mermaid\n{dag.mermaid(stages)}\n```" in README


def test_the_difficulty_table_is_that_of_the_reports() -> None:
    names = [path.stem for path in (ROOT / "reports/difficulty").glob("*.json")]
    assert sorted(names) == sorted(read_params(ROOT / "params.yaml").datasets)
    for row in difficulty(ROOT / "reports").to_dict("records"):
        cells = [str(cell) for cell in row.values()]
        assert f"| {' | '.join(cells)} |" in README


def test_the_accuracies_are_those_of_the_table() -> None:
    table = pd.read_csv(ROOT / "reports/accuracy.csv")
    numbers = ["overall", "overall_low", "overall_high", "sb", "nsb"]
    for site, values in zip(table["site"].astype(str).tolist(), table[numbers].to_numpy().tolist(), strict=True):
        overall, low, high, sb, nsb = (format(float(value), ".3f") for value in values)
        assert f"| {site} | {overall} ({low} to {high}) | {sb} | {nsb} |" in README


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)]+)\)", README))))
def test_links_lead_somewhere(target: str) -> None:
    assert (ROOT / target).exists()


def test_commands_named_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for name in set(re.findall(r"`make (\w+)", README)):
        assert re.search(rf"^{name}:", makefile, re.MULTILINE), name
