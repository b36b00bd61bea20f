"""The MP-OL paper's experiments: networks are the same under each controller, and are what they are said to be."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import Any

import pytest
from pydantic import ValidationError

from smartsbd.scenarios.scenario import Scenario
from studies.mpol.claims import CLAIMS, PEERS
from studies.mpol.experiments import SITUATIONS, MpolExperiments
from studies.transfers.repetitions import Means, NotRunError
from studies.transfers.tests.project import parameters
from studies.transfers.transfer_experiment import ExperimentRun

FULL = MpolExperiments.model_validate(parameters("mpol", "full")).planned()


def of(experiment: str) -> list[ExperimentRun]:
    found = [one for one in FULL if one.experiment == experiment]
    assert found
    return found


def test_runs_of_one_number_differ_in_the_controller_alone() -> None:
    networks = defaultdict(list)
    for one in FULL:
        networks[one.experiment, one.setting, one.number].append(one)
    for runs in networks.values():
        assert len({one.controller for one in runs}) == len(runs)
        rest = [one.run.scenario.model_dump() for one in runs]
        for whole in rest:
            whole["connection"] = {
                key: value for key, value in whole["connection"].items() if key != "congestion_control"
            }
        assert all(whole == rest[0] for whole in rest)
    seeds = [runs[0].run.scenario.seed for key, runs in networks.items() if key[0] not in ("steps", "monitoring")]
    assert len(set(seeds)) == len(seeds)


def test_scenarios_are_such_as_the_contract_allows() -> None:
    for one in FULL:
        assert Scenario.model_validate_json(one.run.scenario.model_dump_json()) == one.run.scenario


def test_a_run_more_leaves_the_others_as_they_are() -> None:
    more = parameters("mpol", "full")
    more["loss"]["runs"] += 1
    drawn = MpolExperiments.model_validate(more).planned()
    assert len(drawn) == len(FULL) + 7 * len(more["loss"]["losses"])
    assert [one for one in drawn if (one.experiment, one.number) != ("loss", more["loss"]["runs"] - 1)] == FULL


def test_queues_hold_a_round_trip_and_loss_is_where_it_is_said() -> None:
    for one in of("loss"):
        (link,) = one.run.scenario.links
        assert link.queue_bytes == link.rate_at_mbit_s(0) * 1e6 / 8 * 0.06
        assert one.capacity_mbit_s == pytest.approx(link.rate_at_mbit_s(0) * 1400 / 1442)
        losses = [subflow.access.loss for subflow in one.run.scenario.subflows]
        assert losses == [float(one.setting.removeprefix("loss "))] * 2
        assert [subflow.links for subflow in one.run.scenario.subflows] == [(0,), (0,)]


def test_rivals_cross_the_link_of_both_subflows() -> None:
    for one in of("fairness"):
        (rival,) = one.run.scenario.background
        assert (f"beside {rival.kind}", rival.enters, rival.rate_mbit_s) == (one.setting, "server", None)


def test_the_other_connection_crosses_both_links_and_begins_before() -> None:
    for one in of("peers"):
        scenario = one.run.scenario
        (peer,) = scenario.further_connections or ()
        assert f"beside {peer.congestion_control}" == one.setting
        assert one.controller == scenario.connection.controller == "mpol"
        assert [own.links for own in peer.subflows] == [own.links for own in scenario.subflows] == [(0,), (1,)]
        for rival, own in zip(peer.subflows, scenario.subflows, strict=True):
            assert (rival.rtt_ms, rival.access) == (own.rtt_ms, own.access)
            assert rival.start_s < own.start_s
    assert {one.setting for one in of("peers")} == {f"beside {peer}" for peer in PEERS}


def test_files_have_time_enough() -> None:
    for one in of("files"):
        application = one.run.scenario.connection.application
        assert application is not None and application.kind == "transfer"
        assert f"{application.bytes / 1e6:g} MB" == one.setting
        assert one.run.scenario.duration_s > 10 * application.bytes * 8e-6 / one.capacity_mbit_s
    counts = {
        setting: sum(one.setting == setting and one.controller == "mpol" for one in of("files"))
        for setting in ("1 MB", "10 MB", "100 MB")
    }
    assert counts == {
        key: parameters("mpol", "full")["files"][runs]
        for key, runs in (("1 MB", "runs"), ("10 MB", "large_runs"), ("100 MB", "large_runs"))
    }


def test_situations_are_those_of_the_tables() -> None:
    """Each second has a delay and a loss of its phase's range; where the table has one number, it is that."""
    for one in of("situations"):
        assert one.changes_s == (30, 60, 90, 120)
        for subflow, phases in zip(one.run.scenario.subflows, SITUATIONS[int(one.setting[-1])], strict=True):
            delays, losses = subflow.delay_changes_ms, subflow.access.loss_changes
            assert delays is not None and losses is not None and len(delays) == len(losses) == 150
            assert all(before[0] < after[0] for before, after in pairwise(delays))
            for (from_s, delay_ms), (_, loss) in zip(delays, losses, strict=True):
                phase = phases[int(from_s // 30)]
                low, high = phase.delay_ms
                assert max(0.0, low - 4) - 1e-3 <= delay_ms <= max(0.0, high - 4) + 1e-3
                assert phase.loss[0] - 1e-6 <= loss <= phase.loss[1] + 1e-6
    assert {one.controller for one in of("monitoring")} >= {"mpol n 1 d 0.1", "mpol n 10 d 0.8", "mpol n 5 d 0.5"}


def test_every_claim_names_what_the_full_profile_runs() -> None:
    """A claim that asks for a setting of another name would always be one that is not run."""
    asked = set()

    class Asked(Means):
        """Says yes to all that is drawn."""

        def __init__(self) -> None:
            pass

        def _row(self, experiment: str, setting: str, controller: str, metric: str) -> dict[Any, Any]:
            asked.add((experiment, setting, controller))
            if (experiment, setting, controller) not in drawn:
                raise NotRunError(f"{experiment}: {setting}, {controller}")
            return dict.fromkeys(("mean", "low", "high"), 1.0)

        def settings(self, experiment: str) -> Any:
            return dict.fromkeys((one.setting, one.controller) for one in FULL if one.experiment == experiment)

    drawn = {(one.experiment, one.setting, one.controller) for one in FULL}
    for claim in CLAIMS:
        claim.judge(Asked())
    assert asked <= drawn
    assert {experiment for experiment, *_ in asked} == {one.experiment for one in FULL}


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("loss", {"duration_s": 5}),
        ("fairness", {"rivals": ["sctp"]}),
        ("peers", {"peers": ["cubic"]}),
        ("situations", {"situations": [3]}),
        ("files", {"size": 1}),
    ],
)
def test_what_cannot_be_run_is_refused(name: str, changed: dict[str, Any]) -> None:
    own = parameters("mpol")
    own[name] = own[name] | changed
    with pytest.raises(ValidationError):
        MpolExperiments.model_validate(own)


def test_an_experiment_of_no_runs_is_left_out() -> None:
    own = {name: block if name == "seed" else block | {"runs": 0} for name, block in parameters("mpol").items()}
    assert MpolExperiments.model_validate(own).planned() == []
