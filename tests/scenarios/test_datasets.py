"""Drawn scenarios repeat, hide the label in their order, and differ between labels only where they must."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from smartsbd.pipelines.params import read_params
from smartsbd.scenarios import datasets, simulator, unseen
from smartsbd.scenarios.scenario import Run, ScenarioError
from smartsbd.testbed.refusal import refusals

SETTINGS: dict[str, dict[str, Any]] = {
    "sites": {"sites": ["shanghai"], "connections_per_label": 150, "congestion_control": "lia", "seed": 7},
    "diverse": {"connections_per_label": 400, "duration_s": 25, "seed": 7},
    "unseen": {"cases": ["case01", "case10"], "repetitions": 5, "duration_s": 60, "seed": 7},
    "shift": {"sites": ["shanghai"], "connections_per_site": 3, "phase_s": 60, "seed": 7},
    "groups": {"connections": 60, "duration_s": 25, "seed": 7},
    "sensitivity": {"repetitions": 40, "duration_s": 25, "seed": 7},
    "wide": {"connections_per_label": 150, "duration_s": 25, "seed": 7},
    "wild": {"connections": 100, "duration_s": 60, "seed": 7},
    "wild_2": {"connections": 100, "duration_s": 60, "seed": 1000},
    "wide_linux": {"connections_per_label": 60, "duration_s": 25, "seed": 7},
    "unseen_linux": {"cases": ["case01", "case10"], "repetitions": 5, "duration_s": 60, "seed": 7},
    "controllers": {"connections_per_label": 8, "duration_s": 25, "seed": 7},
    "schedulers": {"connections_per_label": 8, "duration_s": 25, "seed": 7},
    "idle": {"connections_per_label": 40, "duration_s": 30, "seed": 7},
    "idle_2": {"connections_per_label": 40, "duration_s": 30, "seed": 1000},
    "idle_linux": {"connections": 80, "duration_s": 30, "seed": 7, "attempt": 0},
    "idle_2_linux": {"connections": 60, "duration_s": 30, "seed": 1000, "attempt": 0},
    "testbed_2": {"of_two": 120, "of_three": 30, "duration_s": 40, "seed": 1000, "attempt": 0},
    "radio": {"traces": "scenarios/capacity_traces", "connections_per_label": 40, "duration_s": 25, "seed": 7},
    "twin": {"connections_per_label": 40, "seed": 7},
    "same": {"connections_per_label": 40, "seed": 7},
    "clash": {"connections_per_label": 40, "duration_s": 49, "seed": 7},
    "twin_radio": {"traces": "scenarios/capacity_traces", "connections_per_label": 40, "duration_s": 49, "seed": 7},
}
#: Simulated in the profile ``full`` alone, by hand, by studies, and after a freeze.
ELSEWHERE = {
    *("wild", "wild_2", "unseen_linux", "wide_linux", "idle", "idle_2", "idle_linux", "idle_2_linux", "testbed_2"),
    *("controllers", "schedulers", "radio", "twin", "same", "clash", "twin_radio"),
}
RUNS = {name: datasets.draw(name, settings) for name, settings in SETTINGS.items()}
#: Chance of a false alarm of each comparison below.
P_VALUE = 1e-4


def is_shared(run: Run) -> bool:
    return len({path.bottleneck_at(0) for path in run.scenario.subflows}) == 1


def shared_of(name: str) -> npt.NDArray[np.bool_]:
    return np.array([is_shared(run) for run in RUNS[name]])


@pytest.mark.parametrize("name", SETTINGS)
def test_the_seed_decides(name: str) -> None:
    assert datasets.draw(name, SETTINGS[name]) == RUNS[name]
    assert datasets.draw(name, SETTINGS[name] | {"seed": 8}) != RUNS[name]


def test_what_the_simulator_would_refuse_is_not_drawn() -> None:
    message = r"dataset 'diverse': Scenario has duration_s 3601\.0: Input should be less than or equal to 3600"
    with pytest.raises(ScenarioError, match=message):
        datasets.draw("diverse", SETTINGS["diverse"] | {"duration_s": 3600})


def test_every_dataset_is_tested_and_has_parameters() -> None:
    params = read_params(Path(__file__).parents[2] / "params.yaml")
    assert set(SETTINGS) == set(datasets.DATASETS) == set(params.simulate.model_dump())
    # The profile `full` alone simulates what was scored once, and nothing what will be.
    assert set(params.simulated) == SETTINGS.keys() - ELSEWHERE


@pytest.mark.parametrize(
    "name", ["sites", "diverse", "sensitivity", "wide", "wide_linux", "controllers", "schedulers", "radio"]
)
def test_labels_are_balanced_and_the_order_hides_them(name: str) -> None:
    shared = shared_of(name)
    assert shared.sum() == len(shared) / 2
    numbers = np.arange(len(shared))
    assert stats.mannwhitneyu(numbers[shared], numbers[~shared]).pvalue > P_VALUE
    changes = int((shared[1:] != shared[:-1]).sum())
    assert abs(changes - len(shared) / 2) < 4 * np.sqrt(len(shared)) / 2


@pytest.mark.parametrize("name", sorted(SETTINGS.keys() - {"sensitivity", "controllers", "schedulers"}))
def test_seeds_and_tokens_are_the_connections_own(name: str) -> None:
    assert len({run.scenario.seed for run in RUNS[name]}) == len(RUNS[name])
    assert len({run.scenario.connection.token for run in RUNS[name]}) == len(RUNS[name])


def test_sites_have_the_bottlenecks_of_table_2() -> None:
    for run in RUNS["sites"]:
        links = [(link.place, link.rate_at_mbit_s(0)) for link in run.scenario.links]
        assert links == ([("server", 8.0)] if is_shared(run) else [("client", 7.0), ("client", 3.0)])
        assert {flow.enters for flow in run.scenario.background} == ({"access"} if is_shared(run) else {"client"})
        assert [flow.rate_mbit_s for flow in run.scenario.background] == [3.5, 1.5]


def setting(run: Run, what: str, subflow: int) -> float:
    path = run.scenario.subflows[subflow]
    link = run.scenario.links[path.bottleneck_at(0)]
    flows = 1 + sum(run.scenario.subflows[flow.subflow].links == path.links for flow in run.scenario.background)
    flows += sum(other.links == path.links for other in run.scenario.subflows) - 1
    values: dict[str, float] = {
        "rtt_ms": path.rtt_ms,
        "loss": path.access.loss,
        "jitter_ms": path.access.jitter_ms,
        "access_mbit_s": path.access.rate_mbit_s,
        "rate_mbit_s": link.rate_at_mbit_s(0),
        "queue_ms": link.queue_bytes / 125 / link.rate_at_mbit_s(0),
        "flows": flows,
        "share_mbit_s": link.rate_at_mbit_s(0) / flows,
        "at_server": link.place == "server",
        "ecn": run.scenario.connection.ecn,
        "lia": run.scenario.connection.congestion_control == "lia",
        "host_delay_us": run.scenario.connection.host_delay_us,
    }
    return values[what]


@pytest.mark.parametrize("subflow", [0, 1])
@pytest.mark.parametrize("what", ["rtt_ms", "loss", "jitter_ms", "access_mbit_s"])
def test_paths_of_sites_have_the_same_distribution_for_both_labels(what: str, subflow: int) -> None:
    values = np.array([setting(run, what, subflow) for run in RUNS["sites"]])
    shared = shared_of("sites")
    assert stats.ks_2samp(values[shared], values[~shared]).pvalue > P_VALUE


@pytest.mark.parametrize("subflow", [0, 1])
@pytest.mark.parametrize(
    "what",
    [
        "rtt_ms",
        "loss",
        "jitter_ms",
        "access_mbit_s",
        "rate_mbit_s",
        "queue_ms",
        "flows",
        "share_mbit_s",
        "at_server",
        "ecn",
        "lia",
        "host_delay_us",
    ],
)
def test_no_setting_of_diverse_gives_the_label_away(what: str, subflow: int) -> None:
    values = np.array([setting(run, what, subflow) for run in RUNS["diverse"]], dtype=float)
    shared = shared_of("diverse")
    assert stats.ks_2samp(values[shared], values[~shared]).pvalue > P_VALUE


def test_equal_settings_do_not_mean_sharing() -> None:
    equal = [
        all(setting(run, what, 0) == setting(run, what, 1) for what in ("rate_mbit_s", "flows", "at_server"))
        for run in RUNS["diverse"]
        if not is_shared(run)
    ]
    assert 0.4 < np.mean(equal) < 0.6


#: What is moved in ``sensitivity``: the setting's name, and what it is there; elsewhere it is the base's.
MOVED: dict[str, dict[str, float | str]] = {
    "base": {},
    "loss=0.001": {"loss": 0.001},
    "loss=0.005": {"loss": 0.005},
    "loss=0.01": {"loss": 0.01},
    "jitter_ms=0": {"jitter_ms": 0.0},
    "jitter_ms=5": {"jitter_ms": 5.0},
    "jitter_ms=10": {"jitter_ms": 10.0},
    "queue_rtts=0.3": {"queue_rtts": 0.3},
    "queue_rtts=2": {"queue_rtts": 2},
    "queue_rtts=4": {"queue_rtts": 4},
    "congestion_control=reno": {"congestion_control": "reno"},
    "congestion_control=cubic": {"congestion_control": "cubic"},
}


def test_levels_of_sensitivity_differ_in_what_is_moved() -> None:
    by_seed: dict[int, dict[str, Run]] = {}
    for run in RUNS["sensitivity"]:
        by_seed.setdefault(run.scenario.seed, {})[run.setting] = run
    assert len(by_seed) == 2 * SETTINGS["sensitivity"]["repetitions"]
    assert len({runs["base"].scenario.connection.token for runs in by_seed.values()}) == len(by_seed)
    for runs in by_seed.values():
        assert runs.keys() == MOVED.keys()
        base = runs["base"].scenario.model_dump()
        for name, run in runs.items():
            moved: dict[str, Any] = {"loss": 0.0, "jitter_ms": 2.0, "queue_rtts": 1, "congestion_control": "lia"}
            moved |= MOVED[name]
            expected = {**base, "connection": {**base["connection"], "congestion_control": moved["congestion_control"]}}
            expected["subflows"] = tuple(
                {**one, "access": {**one["access"], "loss": moved["loss"], "jitter_ms": moved["jitter_ms"]}}
                for one in base["subflows"]
            )
            # A queue drains in so many round trips of the mean path: 4.5 Mbit/s are 562.5 bytes a millisecond.
            rtt_ms = sum(one["rtt_ms"] for one in base["subflows"]) / 2
            queue_bytes = run.scenario.links[0].queue_bytes
            assert queue_bytes == pytest.approx(max(14_400, 562.5 * moved["queue_rtts"] * rtt_ms), abs=1)
            expected["links"] = tuple({**one, "queue_bytes": queue_bytes} for one in base["links"])
            assert run.scenario.model_dump() == expected, name


def test_rtts_of_sensitivity_are_the_same_for_both_labels() -> None:
    base = [run for run in RUNS["sensitivity"] if run.setting == "base"]
    drawn: dict[bool, list[tuple[float, ...]]] = {True: [], False: []}
    for run in base:
        drawn[is_shared(run)].append(
            tuple(setting(run, what, side) for what in ("rtt_ms", "queue_ms") for side in (0, 1))
        )
    assert sorted(drawn[True]) == sorted(drawn[False])
    assert len(set(drawn[True])) == SETTINGS["sensitivity"]["repetitions"]


def test_three_flows_of_equal_share_meet_at_every_bottleneck_of_sensitivity() -> None:
    for run in RUNS["sensitivity"]:
        assert {setting(run, "flows", subflow) for subflow in (0, 1)} == {3}
        assert {setting(run, "share_mbit_s", subflow) for subflow in (0, 1)} == {1.5}
        assert len({(link.place, link.queue_bytes) for link in run.scenario.links}) == 1


def test_unseen_labels_follow_from_the_links() -> None:
    labels = {name: case.shared for name, case in unseen.CASES.items()}
    assert labels == {f"case{number:02d}": number <= 5 for number in range(1, 11)}
    for run in RUNS["unseen"]:
        assert is_shared(run) == unseen.CASES[run.setting].shared
        assert len({path.start_s for path in run.scenario.subflows}) == 2


def test_what_is_for_linux_asks_for_nothing_it_has_not() -> None:
    every = {"reno", "cubic", "bbr"}
    for name, controllers in (
        ("wide_linux", {"reno", "cubic"}),
        ("unseen_linux", {"reno"}),
        ("idle_linux", every),
        ("idle_2_linux", every),
        ("testbed_2", every),
    ):
        assert {run.scenario.connection.controller for run in RUNS[name]} == controllers
        for run in RUNS[name]:
            assert refusals(run.scenario, run.scenario.connection.controller, controllers | {"reno", "cubic"}) == []


def test_unseen_linux_has_the_cases_of_unseen() -> None:
    settings = {"cases": list(unseen.CASES), "repetitions": 2, "duration_s": 60, "seed": 7}
    for ours, theirs in zip(datasets.draw("unseen_linux", settings), datasets.draw("unseen", settings), strict=True):
        changed = {"connection": theirs.scenario.connection.model_copy(update={"congestion_control": "reno"})}
        assert ours.setting == theirs.setting
        assert ours.scenario == theirs.scenario.model_copy(update=changed)


def test_shift_moves_to_separate_links_and_back() -> None:
    for run in RUNS["shift"]:
        paths = run.scenario.subflows
        for at_s, expected in ((0, (0, 0)), (61, (1, 2)), (121, (0, 0))):
            assert tuple(path.bottleneck_at(at_s) for path in paths) == expected
            for path in paths:
                narrow = run.scenario.links[path.bottleneck_at(at_s)].rate_at_mbit_s(at_s)
                assert narrow == min(run.scenario.links[link].rate_at_mbit_s(at_s) for link in path.links)
        assert run.scenario.duration_s == 181


def test_groups_have_three_to_five_subflows_in_every_kind_of_partition() -> None:
    assert {len(run.scenario.subflows) for run in RUNS["groups"]} == {3, 4, 5}
    counts = {len(run.scenario.links) for run in RUNS["groups"]}
    assert {1, 2, 3} <= counts
    for run in RUNS["groups"]:
        used = {path.bottleneck_at(0) for path in run.scenario.subflows}
        assert used == set(range(len(run.scenario.links)))


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ScenarioError, match=r"sites \['mars'\] are unknown"):
        datasets.draw("sites", SETTINGS["sites"] | {"sites": ["mars"]})
    with pytest.raises(ScenarioError, match=r"cases \['case99'\] are unknown"):
        datasets.draw("unseen", SETTINGS["unseen"] | {"cases": ["case99"]})
    with pytest.raises(ScenarioError, match="dataset 'moon' is not simulated"):
        datasets.draw("moon", {})


def test_a_stale_or_missing_simulator_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    simulator.check_program()
    monkeypatch.setattr(simulator, "source_digest", lambda: "0" * 16)
    with pytest.raises(simulator.SimulatorError, match="was not built from these sources"):
        simulator.check_program()
    monkeypatch.setattr("sys.prefix", "nowhere")
    with pytest.raises(simulator.SimulatorError, match="is missing: run `make setup`"):
        simulator.check_program()
