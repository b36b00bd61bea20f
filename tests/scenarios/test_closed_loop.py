"""Networks of the experiments with the loop closed, and what they are run under."""

from __future__ import annotations

from typing import Any

import pytest

from smartsbd.scenarios import registry
from smartsbd.scenarios.closed_loop import EXPERIMENTS
from smartsbd.scenarios.closed_loop.beside_one_flow import SETTINGS
from smartsbd.scenarios.closed_loop.loop_experiment import LoopNetwork, LoopRun
from smartsbd.scenarios.closed_loop.sender_control import CONTROLS, coupled_twin
from smartsbd.scenarios.scenario import ScenarioError
from smartsbd.scenarios.unseen import CASES

SEED = {"seed": 3}
SMALL: dict[str, dict[str, Any]] = {
    "loop_nsb": {"sites": ["shanghai", "frankfurt"], "runs": 2},
    "loop_sb": {"sites": ["shanghai", "frankfurt"], "runs": 2},
    "loop_shift": {"sites": ["shanghai", "frankfurt"], "runs": 2, "phase_s": 20.0},
    "loop_unseen": {"cases": list(CASES), "repetitions": 2, "duration_s": 20.0},
    "loop_groups": {"connections": 3, "duration_s": 20.0},
    "loop_harm": {"runs": 2, "duration_s": 20.0},
    "loop_kernel": {"runs": 2, "duration_s": 20.0},
}


def drawn(name: str) -> list[LoopNetwork]:
    return list(EXPERIMENTS[name].draw(**SMALL[name], **SEED))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_networks_are_told_apart_and_drawn_again_alike(name: str) -> None:
    networks = drawn(name)
    assert len({(one.variant, one.place, one.number) for one in networks}) == len(networks)
    assert networks == drawn(name)
    other = list(EXPERIMENTS[name].draw(**SMALL[name], seed=4))
    assert all(one.scenario != another.scenario for one, another in zip(networks, other, strict=True))


def unchanged(scenario: dict[str, Any]) -> dict[str, Any]:
    """The connection's settings that no control changes."""
    changed = {"congestion_control", "lia_counts", "verdicts"}
    return {key: value for key, value in scenario["connection"].items() if key not in changed}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_network_is_the_same_under_every_control_but_for_that(name: str) -> None:
    network = drawn(name)[0]
    runs = {control: LoopRun(name, network, control).scenario for control in EXPERIMENTS[name].controls}
    plain = network.scenario.model_dump()
    for control, scenario in runs.items():
        own = scenario.model_dump()
        assert unchanged(own) == unchanged(plain)
        subflows = plain["subflows"][:1] if control == "one path" else plain["subflows"]
        assert own | {"connection": plain["connection"], "subflows": plain["subflows"]} == plain
        assert own["subflows"] == subflows
        assert scenario.connection.controller == CONTROLS[control].controller
    assert EXPERIMENTS[name].controls[0] in {"lia", "one path"}


def test_every_source_of_verdicts_that_is_a_detector_is_a_control_and_a_twin_is_never_switched() -> None:
    used = {control.verdicts for control in CONTROLS.values()}
    left = {"fixed", "paths", "file", "emptcp_r", "active", "checked"}
    assert set(registry.names("verdicts")) - left == used - {None}
    for name in CONTROLS:
        twin = CONTROLS[coupled_twin(name)]
        assert twin.verdicts is None
        assert (twin.controller, twin.parameters) == (CONTROLS[name].controller, CONTROLS[name].parameters)


def test_a_slow_control_is_run_on_the_first_networks_alone() -> None:
    for name, most in (("loop_nsb", 3), ("loop_sb", 3), ("loop_shift", 1)):
        settings = SMALL[name] | {"sites": ["shanghai"], "runs": 4}
        networks = list(EXPERIMENTS[name].draw(**settings, **SEED))
        run = [one.number for one in networks if EXPERIMENTS[name].runs("mpcc", one)]
        assert run == [one.number for one in networks if one.number < most]
        assert all(EXPERIMENTS[name].runs("lia", one) for one in networks)
        assert not any(EXPERIMENTS[name].runs("one path", one) for one in networks)


def test_rivals_are_where_the_paper_has_them() -> None:
    for one in drawn("loop_sb"):
        scenario = one.scenario
        rival = scenario.background[one.rival or 0]
        assert (rival.leaves, rival.enters, rival.rate_mbit_s) == ("first_link", "server", None)
        assert scenario.links[0].rate_mbit_s == ((0.0, 16.0),)
        assert [own.enters for own in scenario.background[:-1]] == ["access", "access"]
    limited, bulk, *_ = drawn("loop_nsb")
    assert (limited.variant, bulk.variant) == ("rate limited", "bulk")
    assert [own.rate_mbit_s for own in limited.scenario.background] == [3.5, 1.5]
    assert [own.rate_mbit_s for own in bulk.scenario.background] == [None, None]
    assert limited.scenario.model_copy(update={"background": ()}) == bulk.scenario.model_copy(update={"background": ()})
    assert [own.rtt_ms for own in bulk.scenario.background] == [own.rtt_ms for own in bulk.scenario.subflows]


def test_flows_beside_a_moving_bottleneck_end_with_their_phase() -> None:
    free, busy, *_ = drawn("loop_shift")
    moves_s = [at for at, _ in free.scenario.subflows[0].bottleneck[1:]]
    first, last = free.scenario.background
    assert first.stop_s is not None and first.stop_s < moves_s[0] and last.start_s == moves_s[1]
    own = busy.scenario.background[2:]
    assert [(one.subflow, one.enters, one.start_s) for one in own] == [(n, "client", moves_s[0]) for n in range(2)]
    assert all(one.stop_s is not None and one.stop_s < moves_s[1] for one in own)


def test_one_factor_differs_from_the_base() -> None:
    base, *others = SETTINGS.values()
    for one in others:
        differing = [key for key in vars(base) if getattr(one, key) != getattr(base, key)]
        assert len(differing) == 1
    subflows = {one.place: len(one.scenario.subflows) for one in drawn("loop_harm")}
    assert subflows == {name: setting.subflows for name, setting in SETTINGS.items()}


@pytest.mark.parametrize("name", ["loop_nsb", "loop_sb", "loop_shift"])
def test_an_unknown_site_is_refused(name: str) -> None:
    settings = SMALL[name] | {"sites": ["atlantis"]}
    with pytest.raises(ScenarioError, match="atlantis"):
        list(EXPERIMENTS[name].draw(**settings, **SEED))
