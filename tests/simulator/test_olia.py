"""OLIA over time: two equal paths keep their shares, and traffic returns to a path that is free again."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from smartsbd.scenarios.closed_forms import RATE_MBIT_S, TOPOLOGIES, under
from smartsbd.scenarios.scenario import Run
from smartsbd.scenarios.simulator import simulate

pytestmark = pytest.mark.slow

SEEDS = 10


def intervals(
    topology: str, controller: str, series_s: float, stop_s: float | None = None
) -> list[list[dict[str, Any]]]:
    """The series of all seeds; the rivals of the topology stop on request."""

    def of(seed: int) -> list[dict[str, Any]]:
        scenario = under(TOPOLOGIES[topology], controller, seed)
        rivals = tuple(rival.model_copy(update={"stop_s": stop_s}) for rival in scenario.background)
        scenario = scenario.model_copy(update={"series_s": series_s, "background": rivals})
        with tempfile.TemporaryDirectory() as folder:
            truth = simulate(Run(scenario=scenario, site=None, setting=topology), Path(folder) / "scenario.json").truth
        own: list[dict[str, Any]] = truth["series"]["intervals"]
        return own

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(of, range(1, SEEDS + 1)))


def test_shares_of_two_equal_paths_do_not_flap() -> None:
    """Over a minute, the first path's share of the goodput in 5 s swings by less than a half of it all."""
    for series in intervals("own_2", "olia", 5.0):
        last_minute = [[own["acked_bytes"] for own in one["subflows"]] for one in series if one["from_ns"] >= 40e9]
        assert len(last_minute) == 12
        shares = [first / (first + second) for first, second in last_minute]
        assert max(shares) - min(shares) < 0.5, shares


def test_traffic_returns_to_a_path_that_is_free_again() -> None:
    """Its rival stops at 60 s: ten seconds later OLIA has more than half of the link; LIA has less in the mean."""

    def tenth_second(controller: str) -> list[float]:
        runs = intervals("contested", controller, 2.0, stop_s=60.0)
        late = [next(one for one in series if one["from_ns"] == 68e9) for series in runs]
        return [one["subflows"][0]["acked_bytes"] * 8 / 2e6 for one in late]

    assert min(tenth_second("olia")) > RATE_MBIT_S / 2
    assert mean(tenth_second("lia")) < RATE_MBIT_S / 2
