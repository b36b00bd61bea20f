"""What is planned of the study's params.yaml: each network under each control; what is no control is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from smartsbd.pipelines.params import read_block
from smartsbd.pipelines.params.block import ParamsError
from smartsbd.scenarios.closed_loop import EXPERIMENTS
from smartsbd.testbed.planned_run import KERNEL_EXPERIMENTS
from studies.loop.experiments import LoopExperiments
from studies.transfers.tests.project import parameters


def test_each_network_is_run_under_the_controls_that_are_named() -> None:
    own = parameters("loop")
    own["run_under"] = ["lia", "tree_paper"]
    own["experiments"] |= dict.fromkeys(set(EXPERIMENTS) - {"loop_nsb", "loop_groups"})
    planned = LoopExperiments.model_validate(own).planned()
    named = [(one.experiment, one.network.variant, one.control) for one in planned]
    assert named[:4] == [
        ("loop_nsb", variant, control) for variant in ("rate limited", "bulk") for control in own["run_under"]
    ]
    assert {(name, control) for name, _, control in named[4:]} == {("loop_groups", name) for name in own["run_under"]}


def test_without_names_each_is_run_under_all_controls_of_its_experiment() -> None:
    own = parameters("loop") | {"run_under": None}
    planned = LoopExperiments.model_validate(own).planned()
    assert {one.experiment for one in planned} == set(EXPERIMENTS)
    for name, experiment in EXPERIMENTS.items():
        assert {one.control for one in planned if one.experiment == name} == set(experiment.controls)


def test_a_control_that_is_not_there_is_refused(tmp_path: Path) -> None:
    own = parameters("loop")
    own["run_under"].append("tree_papers")
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(own))
    with pytest.raises(ParamsError, match=r"params\.yaml: run_under"):
        read_block(tmp_path / "params.yaml", LoopExperiments)


@pytest.mark.parametrize("name", KERNEL_EXPERIMENTS)
def test_the_kernel_is_given_networks_of_the_same_seed(name: str) -> None:
    assert parameters("loop")["experiments"][name]["seed"] == KERNEL_EXPERIMENTS[name]["seed"]
