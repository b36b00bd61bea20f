"""Links that move together, and senders that clash: what both labels have alike, and what alone differs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from smartsbd.scenarios import datasets, twin
from smartsbd.scenarios.scenario import Run

TRACES = {"traces": "scenarios/capacity_traces", "duration_s": 49.0}
SETTINGS: dict[str, dict[str, Any]] = {
    "twin": {},
    "same": {},
    "clash": {"duration_s": 49.0},
    "twin_radio": TRACES,
    "radio": TRACES,
}
NUMBERS = 12


def both_labels(name: str) -> list[tuple[Run, Run]]:
    """The shared and the other run of each number: they have paths and access links alike."""
    runs = datasets.draw(name, {"connections_per_label": NUMBERS, "seed": 11, **SETTINGS[name]})
    by_paths: dict[Any, dict[bool, Run]] = {}
    for run in runs:
        paths = tuple((subflow.rtt_ms, subflow.access) for subflow in run.scenario.subflows)
        by_paths.setdefault(paths, {})[len(run.scenario.links) == 1] = run
    assert len(by_paths) == NUMBERS
    return [(labels[True], labels[False]) for labels in by_paths.values()]


@pytest.mark.parametrize("name", ["twin", "same"])
def test_all_links_of_a_number_have_one_relative_capacity_over_time(name: str) -> None:
    for shared, separate in both_labels(name):
        rates = [
            np.array([rate for _, rate in link.rate_mbit_s])
            for link in (*shared.scenario.links, *separate.scenario.links)
        ]
        times = {tuple(time for time, _ in link.rate_mbit_s) for link in separate.scenario.links}
        assert times == {tuple(twin.STEP_S * step for step in range(100))}
        relative = [own / own[0] for own in rates]
        for other in relative[1:]:
            assert np.allclose(relative[0], other, rtol=0.02)
        # As drawn: a deviation of 0.5 of the logarithm, in 100 draws.
        assert 0.35 < np.log(relative[0]).std() < 0.65


def test_same_has_equal_paths_and_links_and_nobody_else() -> None:
    for shared, separate in both_labels("same"):
        for run in (shared, separate):
            assert len({subflow.rtt_ms for subflow in run.scenario.subflows}) == 1
            assert run.scenario.subflows[0].access == run.scenario.subflows[1].access
            assert not run.scenario.background
        first, second = separate.scenario.links
        assert first == second == shared.scenario.links[0]


def test_whoever_clashes_crosses_the_bottleneck_of_each_subflow_under_dither() -> None:
    for runs in both_labels("clash"):
        for run in runs:
            (other,) = run.scenario.further_connections or ()
            assert other.model_dump()["congestion_control"] == {"name": "dither", "of": "lia"}
            assert [one.links for one in other.subflows] == [one.links for one in run.scenario.subflows]


def test_both_radios_replay_the_same_moments_where_they_are_twins() -> None:
    for shared, separate in both_labels("twin_radio"):
        first, second = separate.scenario.links
        assert first.opportunities_ms == second.opportunities_ms == shared.scenario.links[0].opportunities_ms
    for _, separate in both_labels("radio"):
        first, second = separate.scenario.links
        assert first.opportunities_ms != second.opportunities_ms
