"""The further datasets are known to the main road's parameters, and those of the studies are among them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from dvc.repo import Repo

from smartsbd.contracts import tables
from smartsbd.contracts.contract import write_table
from smartsbd.pipelines.params import read_block, read_params
from smartsbd.pipelines.params.block import Block
from smartsbd.pipelines.publishing.origin import ORIGINS
from studies.__main__ import main
from studies.datasets import section
from studies.datasets.run import PARAMS

ROOT = Path(__file__).parents[3]
STUDY = Path(__file__).parents[1]
FURTHER = read_block(STUDY / "params.yaml", PARAMS).further


def test_each_is_drawn_or_recorded_validated_and_never_learnt_from() -> None:
    params = read_params(ROOT / "params.yaml")
    assert set(FURTHER.datasets) == {*FURTHER.simulated, *FURTHER.samples}
    assert not set(FURTHER.datasets) & {*params.datasets, *params.simulated, *params.samples}
    assert set(FURTHER.simulated) <= params.simulate.model_dump().keys()
    for name in FURTHER.samples:
        assert (ROOT / "data/samples" / name / "truth.csv").exists()
    assert set(FURTHER.datasets) <= {*params.evaluation_only} & params.validate_.method.keys() & ORIGINS.keys()


def lists(content: Any) -> list[str]:
    """The names in a file of parameters."""
    values = content.values() if isinstance(content, dict) else content if isinstance(content, list) else [content]
    return [name for value in values for name in ([value] if isinstance(value, str) else lists(value))]


@pytest.mark.parametrize("study", ["senders", "radio", "twins"])
def test_those_of_other_studies_are_among_them(study: str) -> None:
    path = ROOT / "studies" / study / "params.yaml"
    names = lists(yaml.safe_load(path.read_text()))
    assert names and set(names) <= set(FURTHER.datasets)


def test_what_a_study_waits_for_is_written_for_each_of_its_datasets() -> None:
    """By path: a dependency that no stage writes would be looked for and never made."""
    body = yaml.safe_load((STUDY / "dvc.yaml").read_text())["stages"]
    outs = [next(iter(out)) if isinstance(out, dict) else out for one in body.values() for out in one["outs"]]
    written = {out.replace("${item.dataset}", name) for out in outs for name in FURTHER.datasets}
    for study in ("senders", "radio", "twins"):
        (own,) = yaml.safe_load((ROOT / "studies" / study / "dvc.yaml").read_text())["stages"].values()
        names = lists(yaml.safe_load((ROOT / "studies" / study / "params.yaml").read_text()))
        for dep in own["deps"]:
            if dep.startswith("data/"):
                for variable in ("${item.dataset}", "${recorded}", "${simulation}"):
                    dep = dep.replace(variable, names[0])  # noqa: PLW2901 - one of them is in it
                assert dep in written


def behind(graph: Any, stage: Any) -> set[str]:
    """The stages that must be done before a stage."""
    found, waiting = set(), [stage]
    while waiting:
        for one in graph[waiting.pop()]:
            if one.addressing not in found:
                found.add(one.addressing)
                waiting.append(one)
    return found


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of a package that DVC calls
def test_a_study_asks_for_its_own_datasets_alone_and_the_main_road_for_none() -> None:
    with Repo(str(ROOT), uninitialized=True) as repo:
        graph = repo.index.graph
        asked = {stage.addressing: behind(graph, stage) for stage in graph}
    assert {name for name in asked["studies/radio/dvc.yaml:run@radio"] if "/" in name} == {
        f"studies/datasets/dvc.yaml:{name}@radio" for name in ("simulate", "prepare", "judge")
    }
    main_road = [names for stage, names in asked.items() if "/" not in stage]
    assert main_road and not any("/" in name for names in main_road for name in names)


def test_every_dataset_stands_on_the_page() -> None:
    rows = section.tables(STUDY / "reports")["verdicts"]
    assert {row["dataset"] for row in rows} == set(FURTHER.datasets)


def test_without_a_valid_label_nothing_is_learnt(tmp_path: Path) -> None:
    row: dict[str, Any] = {"connection_id": "void/a", "subflow_a": 0, "subflow_b": 1, "from_ns": 0, "shared": True}
    row |= {"valid": False, "scenario": "made", "congestion_control": "lia", "why": "made by hand"}
    columns = {column.name: [row.get(column.name)] for column in tables.TRUTH.columns}
    write_table(tables.TRUTH, columns, tmp_path / "truth/void.parquet")
    arguments = ["--dataset", "void", "--main", str(tmp_path / "none"), "--further", str(tmp_path)]
    arguments += ["--judged", str(tmp_path / "judged.parquet"), "--table", str(tmp_path / "table.csv")]
    assert main(["datasets", "run", *arguments, "--params", str(ROOT / "params.yaml")]) == 0
    assert pd.read_parquet(tmp_path / "judged.parquet").empty


def test_an_unknown_list_is_refused(tmp_path: Path) -> None:
    assert issubclass(PARAMS, Block)
    content = yaml.safe_load((STUDY / "params.yaml").read_text())
    content["further"]["recorded"] = []
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(content))
    with pytest.raises(Exception, match=r"further\.recorded"):
        read_block(tmp_path / "params.yaml", PARAMS)
