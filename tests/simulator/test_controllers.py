"""Controllers: what is the same as Reno must be so byte for byte, and groups say who is coupled."""

import copy
from pathlib import Path
from typing import Any

import pytest

from scenarios import registry
from tests.simulator.program import Scenario, simulate, simulate_all, subflow
from tests.simulator.program import separate as separate_paths

#: Those that know nothing of their siblings.
UNCOUPLED = {"reno", "cubic"}
COUPLED = [name for name in registry.names("congestion_control") if name not in UNCOUPLED]


def under(scenario: Scenario, controller: Any, groups: list[int] | None = None) -> Scenario:
    """The same scenario with another controller, and groups of its subflows."""
    changed = copy.deepcopy(scenario)
    changed["connection"]["congestion_control"] = controller
    changed["connection"].pop("lia_counts", None)
    for place, group in enumerate(groups or []):
        changed["subflows"][place]["group"] = group
    return changed


@pytest.mark.parametrize("controller", COUPLED)
def test_alone_in_its_group_a_subflow_is_under_reno(controller: str, tmp_path: Path) -> None:
    """Events and truth are Reno's, byte for byte; in one group they are not."""
    apart, together, reno = simulate_all(
        tmp_path,
        [
            under(separate_paths(), controller, [0, 1]),
            under(separate_paths(), controller, [3, 3]),
            under(separate_paths(), "reno"),
        ],
    )
    assert apart == reno
    assert together != reno


def three_paths() -> Scenario:
    """Three subflows, of which the last two share a bottleneck."""
    scenario = separate_paths()
    scenario["subflows"].append(subflow([1], 70.0, 1.2))
    return scenario


def test_groups_are_coupled_each_by_itself(tmp_path: Path) -> None:
    """What groups are called is of no effect; who is in which is."""
    groups = [[0, 1, 1], [4, 2, 2], [0, 0, 1], [0, 0, 0], [0, 1, 2]]
    runs = simulate_all(tmp_path, [under(three_paths(), "lia", own) for own in groups])
    assert runs[0] == runs[1]
    assert len({run.events for run in runs}) == 4
    (tmp_path / "reno").mkdir()
    assert runs[4] == simulate(tmp_path / "reno", under(three_paths(), "reno"))


@pytest.mark.parametrize("name", registry.names("congestion_control"))
def test_the_same_scenario_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    """Under every controller, in two processes."""
    (tmp_path / "other").mkdir()
    scenario = under(separate_paths(), {"name": name})
    assert simulate(tmp_path, scenario) == simulate(tmp_path / "other", scenario)


def test_defaults_are_those_of_the_name_alone(tmp_path: Path) -> None:
    """A name, an object with the name, and the older key of LIA are one and the same."""
    older = under(separate_paths(), "lia")
    older["connection"]["lia_counts"] = "acks"
    runs = simulate_all(
        tmp_path,
        [
            under(separate_paths(), "lia"),
            under(separate_paths(), {"name": "lia"}),
            under(separate_paths(), {"name": "lia", "counts": "packets", "recovery_window": "threshold"}),
            older,
            under(separate_paths(), {"name": "lia", "counts": "acks"}),
            under(separate_paths(), {"name": "lia", "recovery_window": "window"}),
        ],
    )
    assert runs[0] == runs[1] == runs[2]
    assert runs[3] == runs[4] != runs[0]
    assert runs[5] != runs[0]
