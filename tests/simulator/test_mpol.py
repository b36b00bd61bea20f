"""MP-OL: it fills its links, is fair beside CUBIC, watches in a still network and learns when something changes."""

from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from tests.simulator.program import Run, Scenario, flow, link, seeds, simulate, simulate_all
from tests.simulator.test_mpcc import RUNS, over_own_links, used

pytestmark = pytest.mark.slow


def learns(run: Run, begin: float, end: float) -> list[int]:
    """How often each subflow begins to learn between two times in s."""
    return [
        sum(one["mode"] == "learn" and begin <= one["from_ns"] / 1e9 < end for one in own["modes"])
        for own in run.truth["subflows"]
    ]


def share_of(mode: str, run: Run, end: float) -> float:
    """Share of the time of the first subflow in a mode, from its beginning to the end of the run in s."""
    modes = run.truth["subflows"][0]["modes"]
    edges = [one["from_ns"] for one in modes] + [end * 1e9]
    spent = sum(edges[place + 1] - edges[place] for place, one in enumerate(modes) if one["mode"] == mode)
    return float(spent / (edges[-1] - edges[0]))


@pytest.mark.slow
@pytest.mark.parametrize("paths", [1, 2])
def test_alone_it_fills_its_links(paths: int, tmp_path: Path) -> None:
    """Between 5 and 10 s it uses 0.9 of links of 20 Mbit/s in the mean; it started once."""
    scenario = over_own_links("mpol", 20.0, paths, 10.0)
    ended = simulate_all(tmp_path, seeds(scenario, RUNS))
    found = [used(run, scenario, 5, 10) for run in ended]
    assert mean(found) > 0.9, found
    for run in ended:
        for own in run.truth["subflows"]:
            assert [one["mode"] for one in own["modes"]][:3] == ["start", "learn", "watch"]


@pytest.mark.slow
def test_it_is_fair_beside_cubic(tmp_path: Path) -> None:
    """One subflow and one CUBIC flow on a link of 20 Mbit/s: Jain's index of their rates is 0.9 in the mean."""
    scenario = over_own_links("mpol", 20.0, 1, 60.0)
    scenario["background"] = [flow("cubic", None)]
    found = []
    for run in simulate_all(tmp_path, seeds(scenario, RUNS)):
        late = [one for one in run.truth["series"]["intervals"] if one["from_ns"] >= 10e9]
        own = sum(one["delivered_bytes"] for one in late)
        rival = sum(one["background_bytes"][0] for one in late)
        found.append((own + rival) ** 2 / (2 * (own**2 + rival**2)))
    assert mean(found) > 0.9, found


@pytest.mark.slow
def test_in_a_still_network_it_goes_on_watching(tmp_path: Path) -> None:
    """A subflow begins to learn less than three times a minute; without `still`, every drift of a queue would do."""
    counts = []
    for place, still in enumerate((None, 0.0)):
        controller: Any = "mpol" if still is None else {"name": "mpol", "still": still}
        scenario = over_own_links(controller, 20.0, 2, 70.0)
        ended = simulate_all(tmp_path / str(place), seeds(scenario, RUNS))
        counts.append(mean(count for run in ended for count in learns(run, 10, 70)))
    assert counts[0] < 3 < counts[1], counts


def changing(**path: Any) -> Scenario:
    """Two links of 20 Mbit/s, of which the first one's path changes."""
    scenario = over_own_links("mpol", 20.0, 2, 30.0)
    last = path.pop("access", {})
    scenario["subflows"][0] |= path
    scenario["subflows"][0]["access"] |= last
    return scenario


def test_a_longer_path_is_noticed(tmp_path: Path) -> None:
    """Within two periods of round trips and a half, the subflow whose RTT grows by 60 ms learns again."""
    for run in simulate_all(tmp_path, seeds(changing(delay_changes_ms=[[20.0, 60.0]]), 3)):
        assert learns(run, 20, 20 + 2.5 * 5 * 0.16)[0] >= 1


def test_the_corners_of_periods_and_distances(tmp_path: Path) -> None:
    """Long periods that must be far apart: it watches. One round trip, and a tenth: it learns."""
    patient, restless = (
        over_own_links({"name": "mpol", "n": n, "d": d, "still": 0}, 20.0, 2, 40.0) for n, d in ((10, 0.8), (1, 0.1))
    )
    runs = simulate_all(tmp_path, [patient, restless])
    assert share_of("watch", runs[0], 40) > 0.9
    assert share_of("learn", runs[1], 40) > 0.5


def test_a_falling_link_is_followed(tmp_path: Path) -> None:
    """A link that falls to a quarter is full afterwards, and its queue is not: half of it is free in the mean."""
    scenario = over_own_links("mpol", 20.0, 1, 40.0)
    scenario["links"] = [link(20.0, 150000) | {"rate_mbit_s": [[0.0, 20.0], [20.0, 5.0]]}]
    late = simulate(tmp_path, scenario).truth["series"]["intervals"][30:]
    assert mean(one["delivered_bytes"] for one in late) * 8e-6 > 0.9 * 5.0 * 1400 / 1442
