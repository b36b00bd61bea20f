"""The OLAPS paper's experiments: networks are the same under each scheduler, and are what they are said to be."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from pydantic import ValidationError

from smartsbd.scenarios.choice import LINUX
from smartsbd.scenarios.scenario import RadioAccess, Scenario
from studies.olaps import claims
from studies.olaps.experiments import PLAIN, RTT_MS, SCHEDULERS, SHARES, OlapsExperiments, group_of
from studies.transfers.gains import SchedulerResults
from studies.transfers.repetitions import NotRunError
from studies.transfers.tests.project import parameters
from studies.transfers.transfer_experiment import ExperimentRun

FULL = OlapsExperiments.model_validate(parameters("olaps", "full")).planned()


def of(experiment: str) -> list[ExperimentRun]:
    found = [one for one in FULL if one.experiment == experiment]
    assert found
    return found


def test_runs_of_one_number_differ_in_the_scheduler_alone() -> None:
    networks = defaultdict(list)
    for one in FULL:
        networks[one.experiment, one.setting, one.number].append(one)
    for runs in networks.values():
        assert len({one.controller for one in runs}) == len(runs)
        rest = [one.run.scenario.model_dump() for one in runs]
        for whole in rest:
            whole["connection"] = {key: value for key, value in whole["connection"].items() if key != "scheduler"}
        assert all(whole == rest[0] for whole in rest)
        assert rest[0]["connection"]["congestion_control"] == "bbr"


def test_both_kinds_of_hosts_have_the_same_networks() -> None:
    for name in ("delays", "grid", "mobility", "factors"):
        for plain, linux in zip(of(name), of(f"{name}_linux"), strict=True):
            assert plain.run.scenario.connection.meta_queue is None
            assert linux.run.scenario.connection.meta_queue == LINUX
            changed = {"connection": linux.run.scenario.connection.model_copy(update={"meta_queue": None})}
            assert linux.run.scenario.model_copy(update=changed) == plain.run.scenario


def test_scenarios_are_such_as_the_contract_allows() -> None:
    for one in FULL:
        assert Scenario.model_validate_json(one.run.scenario.model_dump_json()) == one.run.scenario


def test_every_scheduler_of_the_registry_is_compared_but_the_one_of_another_paper() -> None:
    chosen = {one.scheduler for one in SCHEDULERS.values()}
    assert chosen == {"min_rtt", "round_robin", "redundant", "blest", "ecf", "olaps"}
    assert set(PLAIN) < set(SCHEDULERS)


def test_delay_and_loss_are_of_the_second_path_alone() -> None:
    for one in of("grid"):
        buffer, delay, loss = one.setting.split(", ")
        first, second = one.run.scenario.subflows
        assert (first.rtt_ms, first.access.loss) == (RTT_MS, 0)
        assert second.rtt_ms == RTT_MS + 2 * float(delay.removesuffix(" ms"))
        assert second.access.loss == float(loss.removeprefix("loss "))
        assert one.run.scenario.connection.receive_buffer_bytes == 1000 * float(buffer.removesuffix(" kB"))
        assert [own.links for own in one.run.scenario.subflows] == [(0,), (1,)]


def test_a_changed_path_is_what_each_share_is_tried_on() -> None:
    """The RTT and the loss after the change are those of the network in which shares are compared."""
    tried = {one.setting: one.run.scenario.subflows[1] for one in of("after_change")}
    for one in of("changes"):
        (change_s,) = one.changes_s
        second, after = one.run.scenario.subflows[1], tried[one.setting]
        delays = second.delay_changes_ms or ((change_s, 0.0),)
        losses = second.access.loss_changes or ((change_s, 0.0),)
        assert [at_s for at_s, _ in (*delays, *losses)] == [change_s, change_s]
        assert second.rtt_ms + delays[0][1] == after.rtt_ms
        assert losses[0][1] == after.access.loss
    assert {one.controller for one in of("after_change")} == set(SHARES)


def test_capacity_falls_to_nothing_on_a_walk() -> None:
    for one in of("mobility"):
        if one.setting != "walk":
            continue
        rates = one.run.scenario.links[1].rate_mbit_s
        assert [rate for _, rate in rates] == sorted((rate for _, rate in rates), reverse=True)
        assert rates[0][1] == one.run.scenario.links[0].rate_mbit_s[0][1]
        assert rates[-1] == (75.0, 0.01)


def test_the_client_walks_away_from_the_second_access_point() -> None:
    own = [one for one in of("mobility") if one.setting == "walk, 802.11n"]
    assert len(own) == len(of("mobility")) / 2
    for one in own:
        radios = [subflow.access for subflow in one.run.scenario.subflows]
        assert all(isinstance(radio, RadioAccess) for radio in radios)
        # 150 m in 75 s.
        assert [radio.speed_m_s for radio in radios if isinstance(radio, RadioAccess)] == [0, 2]
        assert all(link.rate_at_mbit_s(0) == 100 for link in one.run.scenario.links)


def test_samples_fill_every_part_of_the_factor_space() -> None:
    """A Latin hypercube has one sample in each of as many equal parts of every factor."""
    count = parameters("olaps", "full")["factors"]["samples"]
    drawn = {one.setting: one.run.scenario for one in of("factors") if one.setting.startswith("small")}
    assert len(drawn) == count
    factors = [
        ([one.subflows[1].access.loss for one in drawn.values()], 0.0, 0.2),
        ([one.links[0].rate_at_mbit_s(0) for one in drawn.values()], 8.0, 16.0),
        ([one.links[1].rate_at_mbit_s(0) for one in drawn.values()], 8.0, 16.0),
        ([(one.subflows[0].rtt_ms - RTT_MS) / 2 for one in drawn.values()], 0.0, 5.0),
        ([(one.subflows[1].rtt_ms - RTT_MS) / 2 for one in drawn.values()], 0.0, 40.0),
        ([one.connection.receive_buffer_bytes / 1000 for one in drawn.values()], 17.0, 512.0),
    ]
    for values, low, high in factors:
        # Values are rounded, so one at an edge may count for the part beside it.
        parts = {min(count - 1, int((value - low) / (high - low) * count)) for value in values}
        assert len(parts) > 0.95 * count
    assert all(one.subflows[0].access.loss == 0 for one in drawn.values())


def test_every_claim_asks_for_what_the_full_profile_runs() -> None:
    """A claim that asks for a setting of another name would always be one that is not run."""
    drawn = {(one.experiment, group_of(one.experiment, one.setting), one.controller) for one in FULL}

    class Asked(SchedulerResults):
        """Has a value for all that is drawn."""

        def __init__(self) -> None:
            self.asked: set[tuple[str, str, str]] = set()

        def groups(self, experiment: str) -> list[str]:
            return list(dict.fromkeys(group for own, group, _ in drawn if own == experiment))

        def value(self, experiment: str, group: str, controller: str, column: str) -> float:
            self.asked.add((experiment, group, controller))
            if (experiment, group, controller) not in drawn:
                raise NotRunError(f"{experiment}: {group}, {controller}: no {column}")
            return 1.0

        def found_s(self, setting: str, controller: str) -> float:
            self.asked.add(("changes", setting, controller))
            return 1.0

        def changed_settings(self) -> list[str]:
            return [one.setting for one in of("changes")]

    asked = Asked()
    for claim in claims.CLAIMS:
        claim.judge(asked)
    assert asked.asked <= drawn
    # Fixed shares are asked for when what is best is looked up.
    assert {experiment for experiment, *_ in asked.asked} == {one.experiment for one in FULL} - {"after_change"}


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("delays", {"hosts": "windows"}),
        ("delays", {"buffers_kb": [16]}),
        ("grid", {"losses": [1]}),
        ("factors", {"spaces": ["tiny"]}),
        ("three", {"paths": 4}),
    ],
)
def test_what_cannot_be_run_is_refused(name: str, changed: dict[str, Any]) -> None:
    own = parameters("olaps")
    own[name] = own[name] | changed
    with pytest.raises(ValidationError):
        OlapsExperiments.model_validate(own)
