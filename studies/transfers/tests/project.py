"""A project folder with few short runs of a study's experiments, and a run of the simulator that fails."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any, TypeVar

import yaml

from smartsbd.pipelines.params import overlaid, read_block
from smartsbd.pipelines.running.dag import read_stages
from smartsbd.scenarios.scenario import Scenario
from studies.__main__ import main
from studies.transfers.transfer_experiment import Experiments

ROOT = Path(__file__).parents[3]
#: The scenario that :func:`refused` is for.
FAILING = "00002.json"

Kind = TypeVar("Kind", bound=Experiments)


def parameters(study: str, profile: str | None = None) -> dict[str, Any]:
    """A study's params.yaml, in a profile."""
    path = ROOT / "studies" / study / "params.yaml"
    text = path.read_text() if profile is None else overlaid(path, path.parent / f"params/{profile}.yaml")
    content: dict[str, Any] = yaml.safe_load(text)
    return content


def written(target: Path, study: str, changed: dict[str, Any]) -> Path:
    """Write a project whose study has these parameters."""
    params = yaml.safe_load((ROOT / "params.yaml").read_text()) | {"workers": 2}
    params["evaluate"]["resamples"] = 100
    (target / "params.yaml").write_text(yaml.safe_dump(params))
    (target / "studies" / study).mkdir(parents=True)
    (target / "studies" / study / "params.yaml").write_text(yaml.safe_dump(changed))
    return target


def experiments(project: Path, study: str, kind: type[Kind]) -> Kind:
    """The experiments of a project that was written."""
    return read_block(project / "studies" / study / "params.yaml", kind)


def run(study: str) -> int:
    """Run a study's experiments in this folder, as its dvc.yaml has them."""
    (own,) = (each for each in read_stages(ROOT / "studies" / study / "dvc.yaml") if each.name == "run")
    return main(shlex.split(own.command)[3:])


def refused(scenario: Scenario) -> Scenario:
    """The same with queues that the simulator refuses."""
    links = tuple(link.model_copy(update={"queue_bytes": 1}) for link in scenario.links)
    return scenario.model_copy(update={"links": links})
