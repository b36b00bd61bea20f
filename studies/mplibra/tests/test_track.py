"""Trainings of agents in MLflow: a run with its curve, and an alias for the weights."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from studies.__main__ import main
from studies.mplibra.agents import agent_file
from studies.mplibra.agents.perceptron import draw_perceptron
from studies.mplibra.track import ALIAS
from studies.transfers.tests.project import ROOT

COMMAND = ["mplibra", "track", "--agents=agents", "--database=mlflow.db", "--tracked=tracked.json"]


@pytest.mark.slow
def test_a_training_is_a_run_with_its_curve_and_its_weights_have_an_alias(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "params.yaml", tmp_path)
    agents = tmp_path / "agents"
    agents.mkdir()
    actor = draw_perceptron([50, 4, 1], np.random.default_rng(1), 0.5)
    agent_file.write(actor, agents / "mplibra.agent", {"name": "mplibra", "seed": 1, "steps": 200, "reward": -0.9})
    (agents / "mplibra.csv").write_text("steps,episodes,reward,elapsed_s,seed\n100,4,-1.5,3,1\n200,8,-0.9,6,1\n")
    assert main(COMMAND) == 0
    assert main(COMMAND) == 0
    import mlflow

    uri = f"sqlite:///{tmp_path / 'mlflow.db'}"
    client = mlflow.MlflowClient(uri, uri)
    experiment = client.get_experiment_by_name("smartsbd-default")
    assert experiment is not None
    (run,) = client.search_runs([experiment.experiment_id])
    assert (run.info.run_name, run.data.metrics["best/reward"]) == ("agent mplibra", -0.9)
    history = client.get_metric_history(run.info.run_id, "reward")
    assert sorted((point.step, point.value) for point in history) == [(100, -1.5), (200, -0.9)]
    version = client.get_model_version_by_alias("smartsbd-default-mplibra", ALIAS)
    assert version.run_id == run.info.run_id
    assert len(client.search_model_versions(f"name = '{version.name}'")) == 1
    assert version.source is not None
    assert Path(version.source.removeprefix("file://")).read_bytes() == (agents / "mplibra.agent").read_bytes()
    assert "agent mplibra" in (tmp_path / "tracked.json").read_text()
