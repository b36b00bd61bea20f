"""How many runs there are at once, and what is drawn again for those that fail."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from smartsbd.pipelines.commands import testbed as command
from smartsbd.pipelines.params import read_params
from smartsbd.scenarios.scenario import Scenario
from smartsbd.testbed import machine
from smartsbd.testbed.examples import example
from smartsbd.testbed.planned_run import PlannedRun
from smartsbd.testbed.running_program import EmulationError

PARAMS = read_params(Path(__file__).parents[2] / "params.yaml")


def planned(name: str = "separate") -> PlannedRun:
    return PlannedRun(name, example(name), name, "cubic")


def test_a_run_has_the_rates_of_its_links_at_their_fastest() -> None:
    assert planned("separate").fastest_mbit_s == 5 + 6
    # One of its links goes from 8 to 40 Mbit/s, the others are slower then.
    assert planned("moving").fastest_mbit_s == sum(
        max(rate for _, rate in link.rate_mbit_s) for link in example("moving").links
    )


@pytest.mark.parametrize(
    ("jobs", "most_mbit_s", "running", "room"),
    [(3, None, 2, True), (3, None, 3, False), (3, 33.0, 2, True), (3, 32.9, 2, False), (3, 1.0, 0, True)],
)
def test_runs_wait_for_their_number_and_for_their_rates(
    jobs: int, most_mbit_s: float | None, running: int, room: bool
) -> None:
    together = command._Together(jobs, most_mbit_s)
    assert together.has_room([planned()] * running, planned()) is room


class _Failing:
    """A run that fails the first time that its name is run, and the second time if its name says so."""

    seen: dict[str, list[Scenario]]

    def __init__(self, scenario: Scenario, controller: str, folder: Path, *, recorder: bool) -> None:
        del controller, recorder
        self.scenario, self.folder = scenario, folder

    def finished(self) -> Scenario:
        own = self.seen.setdefault(str(self.scenario.connection.token), [])
        own.append(self.scenario)
        if self.scenario.seed in self.fails:
            raise EmulationError("subflow 1 was not established before the end")
        return self.scenario

    fails: set[int]

    def kill(self) -> None:
        pass


class _Folder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.added: dict[str, Scenario] = {}
        self.failures: list[tuple[str, int]] = []

    def add(self, name: str, _setting: str, recorded: Any) -> None:
        self.added[name] = recorded

    def add_failure(self, name: str, attempt: int, _reason: str) -> None:
        self.failures.append((name, attempt))


@pytest.mark.parametrize(("again", "lasting"), [(0, {"00001", "00002"}), (1, {"00002"}), (2, set()), (5, set())])
def test_what_fails_is_drawn_again_by_its_name(
    again: int, lasting: set[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(machine, "controllers", lambda _asked: {"reno", "cubic", "bbr"})
    arguments = Namespace(
        dataset="idle_linux", seed=5, again=again, jobs=2, most_mbit_s=None, captures_only=True,
        congestion_control=None, params=Path("params.yaml"),
    )  # fmt: skip
    drawn = [{one.name: one for one in command._draw_runs(arguments, PARAMS, attempt)} for attempt in range(3)]
    # The second and the third fail at first, the third fails again.
    monkeypatch.setattr(_Failing, "seen", {}, raising=False)
    fails = {drawn[0]["00001"], drawn[0]["00002"], drawn[1]["00002"]}
    monkeypatch.setattr(_Failing, "fails", {one.scenario.seed for one in fails}, raising=False)
    monkeypatch.setattr(command, "IsolatedRun", _Failing)
    folder = _Folder(tmp_path)
    left = command._recorded(folder, list(drawn[0].values()), arguments, PARAMS)  # type: ignore[arg-type]
    assert {one.partition(":")[0] for one in left} == lasting
    assert folder.added.keys() == drawn[0].keys() - lasting
    expected = [("00001", 0), ("00002", 0), ("00002", 1)]
    assert folder.failures == expected[: 2 if again == 0 else 3]
    for name, scenario in folder.added.items():
        attempt = {"00001": 1, "00002": 2}.get(name, 0)
        assert scenario == drawn[attempt][name].scenario
        # Of the same kind as the one in whose place it stands.
        assert drawn[attempt][name].setting == drawn[0][name].setting
        assert len(scenario.links) == len(drawn[0][name].scenario.links)
    assert list(tmp_path.iterdir()) == []
