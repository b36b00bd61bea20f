"""The MPLibra paper's experiments: networks are the same under each controller, and are what they are said to be."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import Any

import pytest
from pydantic import ValidationError

from smartsbd.scenarios.bottleneck_network import HEADER_BYTES
from smartsbd.scenarios.scenario import Scenario
from studies.mplibra import claims
from studies.mplibra.experiments import ALL, FILE_PATHS, LOSS, RTT_MS, START_S, MplibraExperiments, SharingExperiment
from studies.transfers.repetitions import Means, NotRunError
from studies.transfers.tests.project import parameters
from studies.transfers.transfer_experiment import ExperimentRun, bottleneck_mbit_s

#: What a choice decides.
OWN = ("congestion_control", "lia_counts", "scheduler", "verdicts")
PACKET_BYTES = 1400 + HEADER_BYTES
PAYLOAD = 1400 / PACKET_BYTES


FULL = MplibraExperiments.model_validate(parameters("mplibra", "full")).planned()


def of(experiment: str, setting: str | None = None) -> list[ExperimentRun]:
    found = [one for one in FULL if one.experiment == experiment and setting in (None, one.setting)]
    assert found
    return found


def rates_of(scenario: Scenario) -> list[float]:
    return [link.rate_at_mbit_s(0) for link in scenario.links]


def test_runs_of_one_number_differ_in_the_choice_alone() -> None:
    networks = defaultdict(list)
    for one in FULL:
        networks[one.experiment, one.setting, one.number].append(one)
    for runs in networks.values():
        assert len({one.controller for one in runs}) == len(runs)
        rest = [one.run.scenario.model_dump() for one in runs]
        for whole in rest:
            whole["connection"] = {key: value for key, value in whole["connection"].items() if key not in OWN}
        assert all(whole == rest[0] for whole in rest)


def test_every_controller_is_run_but_where_the_paper_compares_few() -> None:
    few = {
        "subflows": claims.OF_SUBFLOWS,
        "sharing": claims.OF_SHARING,
        **dict.fromkeys(("fast_queues", "varying"), claims.ON_FAST_LINKS),
    }
    for name in {one.experiment for one in FULL}:
        more = {claims.MPLIBRA_WVEGAS} if name == "delays" else set()
        expected = set(few.get(name, claims.ALL)) | more
        assert {one.controller for one in of(name)} == expected, name
    assert {choice.name for choice in ALL} == set(claims.ALL)
    assert {choice.name for choice in SharingExperiment.controllers} == set(claims.OF_SHARING)


def test_scenarios_are_such_as_the_contract_allows() -> None:
    for one in FULL[::7]:
        assert Scenario.model_validate_json(one.run.scenario.model_dump_json()) == one.run.scenario


def test_the_base_is_two_links_of_5_mbit_s_and_50_packets() -> None:
    for one in of("loss", "loss 0.0005"):
        scenario = one.run.scenario
        assert rates_of(scenario) == [5, 5]
        assert [link.queue_bytes for link in scenario.links] == [50 * PACKET_BYTES] * 2
        assert [own.rtt_ms for own in scenario.subflows] == [120, 120]
        assert [own.access.loss for own in scenario.subflows] == [0.0005] * 2
        assert not scenario.background
        assert bottleneck_mbit_s(scenario, 5, scenario.duration_s) == pytest.approx(10 * PAYLOAD)
    assert all(own.access.loss == LOSS == 1e-5 for one in of("friendliness") for own in one.run.scenario.subflows)


def test_draws_are_those_of_fig_2a() -> None:
    drawn = {
        (one.run.scenario.links[0].queue_bytes / PACKET_BYTES, one.run.scenario.subflows[0].access.loss)
        for one in of("draws")
    }
    assert len(drawn) == 20
    assert all(10 <= packets <= 100 and packets == int(packets) and 0 <= loss <= 0.005 for packets, loss in drawn)
    queues = [packets for packets, _ in drawn]
    assert min(queues) < 40 and max(queues) > 70


@pytest.mark.parametrize(("name", "changes_s"), [("steps", (70, 140)), ("halving", (30, 60))])
def test_capacities_double_and_are_halved(name: str, changes_s: tuple[float, float]) -> None:
    for one in of(name):
        up_s, down_s = changes_s
        assert one.changes_s == changes_s
        for link in one.run.scenario.links:
            assert link.rate_mbit_s == ((0, 4), (up_s, 8), (down_s, 4))
        assert bottleneck_mbit_s(one.run.scenario, up_s - 10, up_s + 10) == pytest.approx(12 * PAYLOAD)
        assert bottleneck_mbit_s(one.run.scenario, down_s, down_s + 1) == pytest.approx(8 * PAYLOAD)


def test_queues_are_shares_of_a_round_trip() -> None:
    for one in (*of("queues"), *of("fast_queues")):
        for link in one.run.scenario.links:
            bdp_bytes = link.rate_at_mbit_s(0) * 125 * RTT_MS
            assert link.queue_bytes == pytest.approx(float(one.setting.removesuffix(" BDP")) * bdp_bytes)


def test_everything_changes_phase_by_phase() -> None:
    for one in of("varying"):
        scenario = one.run.scenario
        for link, own in zip(scenario.links, scenario.subflows, strict=True):
            delays, losses = own.delay_changes_ms, own.access.loss_changes
            assert delays is not None and losses is not None
            assert [at_s for at_s, _ in link.rate_mbit_s] == [0, 30, 60, 90]
            assert [at_s for at_s, _ in delays] == [0.001, 30, 60, 90]
            assert [at_s for at_s, _ in losses] == [30, 60, 90]
            assert all(10 <= rate <= 80 for _, rate in link.rate_mbit_s)
            assert all(20 <= own.rtt_ms + extra_ms <= 120 for _, extra_ms in delays)
            assert all(1e-4 <= loss <= 5e-4 for loss in (own.access.loss, *(loss for _, loss in losses)))
            assert all(before != after for (_, before), (_, after) in pairwise(link.rate_mbit_s))
        first, second = scenario.links
        assert first.rate_mbit_s != second.rate_mbit_s


def test_rivals_cross_the_links_that_the_paper_says() -> None:
    crossed = {
        "one link": [(0,), (0,)],
        "first link": [(0,), (1,)],
        "both links": [(0,), (1,)],
        "chain": [(0, 1), (1,)],
    }
    beside = {"one link": [0], "first link": [0], "both links": [0, 1], "chain": [0]}
    for one in of("friendliness"):
        scenario = one.run.scenario
        assert [own.links for own in scenario.subflows] == crossed[one.setting]
        assert [rival.subflow for rival in scenario.background] == beside[one.setting]
        for rival in scenario.background:
            assert (rival.kind, rival.enters, rival.rate_mbit_s, rival.rtt_ms) == ("reno", "server", None, RTT_MS)
            assert rival.leaves == ("first_link" if one.setting == "chain" else None)
            assert rival.start_s < START_S == scenario.subflows[0].start_s
        links = 1 if one.setting == "one link" else 2
        assert bottleneck_mbit_s(scenario, 5, 100) == pytest.approx(5 * links * PAYLOAD)
    for one in of("subflows"):
        assert [own.links for own in one.run.scenario.subflows] == [(0,)] * int(one.setting[0])


def test_the_rival_moves_from_the_second_link_to_the_first() -> None:
    for one in of("moves"):
        before, after = one.run.scenario.background
        assert one.changes_s == (100,)
        assert (before.subflow, before.stop_s, after.subflow, after.start_s) == (1, 100, 0, 100)
    for one in of("bursts"):
        (rival,) = one.run.scenario.background
        assert (rival.kind, rival.subflow, rival.rate_mbit_s, rival.on_s, rival.off_s) == ("cbr", 0, 5, 1, 10)


def test_files_go_over_the_paths_of_fig_15_and_have_time() -> None:
    assert {one.setting for one in of("files")} == set(FILE_PATHS)
    for one in of("files"):
        scenario = one.run.scenario
        rates, rtts = FILE_PATHS[one.setting]
        application = scenario.connection.application
        assert application is not None and application.kind == "transfer" and application.bytes == 75_000_000
        assert rates_of(scenario) == list(rates)
        assert [own.rtt_ms for own in scenario.subflows] == list(rtts)
        assert [own.access.loss for own in scenario.subflows] == [0.0005] * 2
        assert scenario.duration_s > 5 * 75 * 8 / sum(rates)


def test_bottlenecks_are_shared_or_separate_as_the_setting_says() -> None:
    for one in of("sharing"):
        scenario = one.run.scenario
        times = {"shared": [True] * 3, "separate": [False] * 3, "shifting": [True, False, True]}[one.setting]
        for at_s, shared in zip((1, 45, 89), times, strict=True):
            narrow = [own.bottleneck_at(at_s) for own in scenario.subflows]
            assert (len(set(narrow)) == 1) == shared
            assert [scenario.links[link].rate_at_mbit_s(at_s) for link in narrow] == ([10, 10] if shared else [5, 5])
            for own in scenario.subflows:
                rates = {link: scenario.links[link].rate_at_mbit_s(at_s) for link in own.links}
                assert min(rates, key=rates.__getitem__) == own.bottleneck_at(at_s)
        assert [rival.subflow for rival in scenario.background] == [0, 1]
        assert bottleneck_mbit_s(scenario, 5, 90) == pytest.approx(10 * PAYLOAD)


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
            return dict.fromkeys(("mean", "low", "high", "known", "runs"), 1.0)

    drawn = {(one.experiment, one.setting, one.controller) for one in FULL}
    for claim in claims.CLAIMS:
        claim.judge(Asked())
    assert asked <= drawn
    assert {experiment for experiment, *_ in asked} == {one.experiment for one in FULL}


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("draws", {"duration_s": 5}),
        ("friendliness", {"topologies": ["ring"]}),
        ("files", {"paths": ["one"]}),
        ("subflows", {"counts": [6]}),
        ("sharing", {"bottlenecks": ["both"]}),
        ("delays", {"packet": 1}),
    ],
)
def test_what_cannot_be_run_is_refused(name: str, changed: dict[str, Any]) -> None:
    own = parameters("mplibra")
    own[name] = own[name] | changed
    with pytest.raises(ValidationError):
        MplibraExperiments.model_validate(own)
