"""Drawn scenarios repeat, hide the label in their order, and differ between labels only where they must."""

from __future__ import annotations

import numpy as np
import pytest

from scenarios import datasets, simulator
from scenarios.scenario import Run, ScenarioError

SETTINGS = {"sites": ["shanghai"], "connections_per_label": 150, "congestion_control": "lia", "seed": 7}


def drawn() -> list[Run]:
    return datasets.draw("sites", SETTINGS)


def is_shared(run: Run) -> bool:
    return len({path.bottleneck for path in run.scenario.subflows}) == 1


RUNS = drawn()


def test_the_seed_decides() -> None:
    assert drawn() == RUNS
    assert datasets.draw("sites", SETTINGS | {"seed": 8}) != RUNS


def test_labels_are_balanced_and_the_order_hides_them() -> None:
    shared = np.array([is_shared(run) for run in RUNS])
    assert shared.sum() == 150
    numbers = np.arange(len(RUNS))
    # 3.5 standard errors of the mean rank of a random half.
    assert abs(numbers[shared].mean() - numbers.mean()) < 3.5 * numbers.std() / np.sqrt(150)
    changes = int((shared[1:] != shared[:-1]).sum())
    assert abs(changes - 150) < 3.5 * np.sqrt(300) / 2


def test_bottlenecks_are_those_of_table_2() -> None:
    for run in RUNS:
        rates = [bottleneck.rate_mbit_s for bottleneck in run.scenario.bottlenecks]
        assert rates == ([8.0] if is_shared(run) else [7.0, 3.0])
        enters = {flow.enters for flow in run.scenario.background}
        assert enters == ({"access"} if is_shared(run) else {"bottleneck"})
        assert run.scenario.duration_s == 21.0


@pytest.mark.parametrize("what", ["rtt_ms", "loss", "jitter_ms", "rate_mbit_s"])
@pytest.mark.parametrize("subflow", [0, 1])
def test_paths_have_the_same_distribution_for_both_labels(what: str, subflow: int) -> None:
    values = np.array(
        [
            getattr(path if what == "rtt_ms" else path.access, what)
            for path in (run.scenario.subflows[subflow] for run in RUNS)
        ]
    )
    shared = np.array([is_shared(run) for run in RUNS])
    difference = values[shared].mean() - values[~shared].mean()
    assert abs(difference) < 3.5 * values.std() * np.sqrt(2 / 150)


def test_seeds_and_tokens_are_the_connections_own() -> None:
    assert len({run.scenario.seed for run in RUNS}) == len(RUNS)
    assert len({run.scenario.connection.token for run in RUNS}) == len(RUNS)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ScenarioError, match=r"sites \['mars'\] are unknown, known are \['shanghai'\]"):
        datasets.draw("sites", SETTINGS | {"sites": ["mars"]})
    with pytest.raises(ScenarioError, match="dataset 'moon' is not simulated"):
        datasets.draw("moon", SETTINGS)


def test_a_stale_or_missing_simulator_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    simulator.check_program()
    monkeypatch.setattr(simulator, "source_digest", lambda: "0" * 16)
    with pytest.raises(simulator.SimulatorError, match="was not built from these sources"):
        simulator.check_program()
    monkeypatch.setattr("sys.prefix", "nowhere")
    with pytest.raises(simulator.SimulatorError, match="is missing: run `make setup`"):
        simulator.check_program()
