"""A project folder with few short runs of a paper's experiments, and a run of the simulator that fails."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import yaml

from scenarios.scenario import Scenario

ROOT = Path(__file__).parents[2]
#: The scenario that :func:`refused` is for.
FAILING = "00002.json"


def parameters(stage: str) -> dict[str, Any]:
    """A stage's own block of params.yaml."""
    own: dict[str, Any] = yaml.safe_load((ROOT / "params.yaml").read_text())[stage]
    return own


def written(target: Path, stage: str, own: dict[str, Any]) -> Path:
    """Write a project whose stage has this block."""
    params = yaml.safe_load((ROOT / "params.yaml").read_text()) | {stage: own, "workers": 2}
    params["evaluate"]["resamples"] = 100
    (target / "params.yaml").write_text(yaml.safe_dump(params))
    shutil.copy(ROOT / "dvc.yaml", target)
    return target


def refused(scenario: Scenario) -> Scenario:
    """The same with queues that the simulator refuses."""
    links = tuple(link.model_copy(update={"queue_bytes": 1}) for link in scenario.links)
    return scenario.model_copy(update={"links": links})
