"""Which weights a controller asks for, and what happens where they are not there."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from smartsbd.scenarios import learnt_agent
from smartsbd.scenarios.bottleneck_network import sender
from smartsbd.scenarios.choice import Choice
from smartsbd.scenarios.closed_loop import loop_program
from smartsbd.scenarios.learnt_agent import AgentMissingError
from smartsbd.scenarios.scenario import ConnectionSettings
from studies.mplibra.experiments import CLASSIC, LIA, MPLIBRA, MPLIBRA_WVEGAS, RANDOM, RL_JOINT
from studies.mplibra.tests.test_experiments import FULL
from studies.transfers.transfer_experiment import ExperimentRun


def connection(choice: Choice) -> ConnectionSettings:
    drawn = sender(np.random.default_rng(0), "lia", rate_mbit_s=5, receive_buffer_bytes=1 << 20)
    return choice.applied(drawn)


def planned(controller: str) -> ExperimentRun:
    return next(one for one in FULL if one.controller == controller)


@pytest.mark.parametrize(
    ("choice", "name"),
    [
        (MPLIBRA, "mplibra.agent"),
        (MPLIBRA_WVEGAS, "mplibra.agent"),
        (Choice("mplibra", parameters={"agent": "learnt"}), "mplibra.agent"),
        (RL_JOINT, "rl_joint.agent"),
        (CLASSIC, None),
        (RANDOM, None),
        (LIA, None),
        (Choice("lia", parameters={"counts": "acks"}), None),
    ],
    ids=lambda value: value.name if isinstance(value, Choice) else str(value),
)
def test_a_controller_asks_for_weights_where_its_agent_is_learnt(choice: Choice, name: str | None) -> None:
    assert learnt_agent.weights_name(connection(choice)) == name


def test_the_program_is_told_the_file_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "mplibra.agent").write_bytes(b"")
    assert learnt_agent.options(connection(MPLIBRA), tmp_path) == [f"--agent={tmp_path / 'mplibra.agent'}"]
    assert learnt_agent.options(connection(CLASSIC), None) == []
    with pytest.raises(AgentMissingError, match=r"rl_joint\.agent is not there"):
        learnt_agent.options(connection(RL_JOINT), tmp_path)
    with pytest.raises(AgentMissingError, match=r"mplibra\.agent is not there"):
        learnt_agent.options(connection(MPLIBRA), None)


def test_without_weights_nothing_is_run_and_the_scenario_is_kept(tmp_path: Path) -> None:
    """The program is not there either: it is never asked."""
    path = tmp_path / "scenario.json"
    with pytest.raises(AgentMissingError):
        loop_program.run(tmp_path / "none", planned("mplibra").run.scenario, path, tmp_path)
    assert json.loads(path.read_text())["connection"]["congestion_control"] == "mplibra"
