"""BBR of several subflows: who starts up when, what a group is limited to, and what is ns-3's BBR to the byte."""

import copy
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from tests.simulator.program import (
    MSS,
    PACKET,
    Run,
    Scenario,
    link,
    network,
    seeds,
    simulate,
    simulate_all,
    subflow,
)

pytestmark = pytest.mark.slow

RATE = 20.0
RTT_MS = 60.0
FAMILY = ("bbr", "cmpbbr", "coupled_bbr", "fmbbr")


def over(links: list[list[int]], controller: Any, rtts_ms: list[float], **connection: Any) -> Scenario:
    """Subflows that start together over links of 20 Mbit/s with room for a round trip, without rivals."""
    queue = int(RATE * 1e6 / 8 * RTT_MS / 1e3)
    own = [subflow(crossed, rtt, rate=1000.0) for crossed, rtt in zip(links, rtts_ms, strict=True)]
    count = 1 + max(place for crossed in links for place in crossed)
    usual = {"congestion_control": controller, "receive_buffer_bytes": 1 << 24, "host_delay_us": PACKET * 8 / RATE}
    scenario = network([link(RATE, queue)] * count, own, duration=10.0, **(usual | connection))
    del scenario["connection"]["lia_counts"]
    return scenario | {"series_s": 0.5}


def sharing(controller: Any, **connection: Any) -> Scenario:
    """Two subflows over one link."""
    return over([[0], [0]], controller, [RTT_MS, RTT_MS], **connection)


def probed(run: Run) -> list[float]:
    """Bandwidth that each subflow found while it started up, over the link's."""
    return [own["probed_mbit_s"] * PACKET / MSS / RATE for own in run.truth["subflows"]]


def spans(run: Run, subflow_index: int, mode: str) -> list[tuple[int, int]]:
    """From when to when a subflow's controller is in a mode."""
    modes = run.truth["subflows"][subflow_index]["modes"]
    edges = [*(one["from_ns"] for one in modes), 10_000_000_000]
    return [edge for edge, one in zip(pairwise(edges), modes, strict=True) if one["mode"] == mode]


@pytest.mark.parametrize("controller", FAMILY[1:])
def test_a_subflow_alone_is_under_bbr(controller: str, tmp_path: Path) -> None:
    """Alone in its connection: the event lines are BBR's, byte for byte."""
    own, bbr = (over([[0]], name, [RTT_MS]) for name in (controller, "bbr"))
    (tmp_path / "bbr").mkdir()
    assert simulate(tmp_path, own).events == simulate(tmp_path / "bbr", bbr).events


@pytest.mark.parametrize("controller", ["cmpbbr", "coupled_bbr"])
def test_subflows_apart_are_under_bbr(controller: str, tmp_path: Path) -> None:
    """Each in a group of its own; in one group they are not."""
    runs = {}
    for name, groups in ((controller, (0, 1)), (controller, (0, 0)), ("bbr", (0, 0))):
        scenario = over([[0], [1]], name, [RTT_MS, RTT_MS])
        for own, group in zip(scenario["subflows"], groups, strict=True):
            own["group"] = group
        place = tmp_path / f"{name}{groups[1]}"
        place.mkdir()
        runs[name, groups[1]] = simulate(place, scenario).events
    assert runs[controller, 1] == runs["bbr", 0] != runs[controller, 0]


def test_one_of_a_group_starts_up_after_the_other(tmp_path: Path) -> None:
    """The other waits, then the first is held; each finds what it could have alone, and together they have that."""
    for run in simulate_all(tmp_path, seeds(sharing("fmbbr", verdicts="paths"), 3)):
        assert min(probed(run)) >= 0.85
        rtt_order = sorted(range(2), key=lambda place: run.truth["subflows"][place]["startup_ended_ns"])
        first, second = rtt_order
        (started,) = spans(run, second, "start")
        (held,) = spans(run, first, "hold")
        assert held[0] <= started[0] < held[1]
        assert spans(run, first, "start")[0][1] <= started[0]
        limits = [own["limit_mbit_s"] for own in run.truth["subflows"]]
        assert sum(limits) == pytest.approx(max(own["probed_mbit_s"] for own in run.truth["subflows"]))
        assert limits[first] == pytest.approx(run.truth["subflows"][first]["probed_mbit_s"])


def test_starting_up_together_finds_less(tmp_path: Path) -> None:
    """Half of the link each in the mean, under BBR and with FMBBR's start together."""
    for number, controller in enumerate(("bbr", {"name": "fmbbr", "start": "together"})):
        runs = simulate_all(tmp_path / str(number), seeds(sharing(controller, verdicts="paths"), 3))
        assert mean(value for run in runs for value in probed(run)) <= 0.65


def test_apart_they_start_up_at_once(tmp_path: Path) -> None:
    """Over links of their own: nobody is held, nobody is limited, both links are full."""
    run = simulate(tmp_path, over([[0], [1]], "fmbbr", [RTT_MS, RTT_MS], verdicts="paths"))
    assert [own["limit_mbit_s"] for own in run.truth["subflows"]] == [None, None]
    assert not spans(run, 0, "hold") + spans(run, 1, "hold")
    (first,), (second,) = (spans(run, place, "start") for place in range(2))
    assert max(first[0], second[0]) < min(first[1], second[1])
    assert min(probed(run)) >= 0.95


def test_routers_are_common_to_all(tmp_path: Path) -> None:
    """By the paper's rule subflows over links of their own share: the second one is left with the least window."""
    controller = {"name": "paths", "by": "routers"}
    run = simulate(tmp_path, over([[0], [1]], "fmbbr", [RTT_MS, 2 * RTT_MS], verdicts=controller))
    first, second = run.truth["subflows"]
    assert first["limit_mbit_s"] == pytest.approx(first["probed_mbit_s"])
    assert second["limit_mbit_s"] < 0.1 * RATE
    assert second["acked_bytes"] < 0.3 * first["acked_bytes"]


def test_the_rate_can_be_limited_while_bbr_probes_too(tmp_path: Path) -> None:
    """After the start the subflows carry no more than their limits in sum, and the least window of the slower one."""
    controller = {"name": "fmbbr", "cap": "probing"}
    scenario = over([[0], [0]], controller, [RTT_MS, 2 * RTT_MS], verdicts="paths") | {"duration_s": 20.0}
    run = simulate(tmp_path, scenario)
    ended_s = max(own["startup_ended_ns"] for own in run.truth["subflows"]) / 1e9
    later = [one for one in run.truth["series"]["intervals"] if one["from_ns"] / 1e9 > ended_s + 2]
    acked = sum(own["acked_bytes"] for one in later for own in one["subflows"]) * 16e-6 / len(later)
    limits = sum(own["limit_mbit_s"] for own in run.truth["subflows"])
    least = 4 * MSS * 8e-3 / (2 * RTT_MS)
    assert 0.9 * limits < acked <= limits + least


def test_one_that_joins_later_has_its_turn_then(tmp_path: Path) -> None:
    """At 4 s: the first has waited for a second, goes on, is held while the other starts up, and is limited then."""
    scenario = sharing("fmbbr", verdicts="paths")
    scenario["subflows"][1]["start_s"] = 4.0
    run = simulate(tmp_path, scenario)
    first, second = (spans(run, place, "start") for place in range(2))
    assert 1.5e9 < first[0][0] < 1.7e9
    assert second[0][0] > 4e9
    (held,) = spans(run, 0, "hold")
    assert held[0] > 4e9
    assert sum(own["limit_mbit_s"] for own in run.truth["subflows"]) <= RATE * MSS / PACKET * 1.1


def test_limits_are_found_anew_when_asked(tmp_path: Path) -> None:
    """Every 3 s all of a group start up again, and find about as much as at first."""
    scenario = sharing({"name": "fmbbr", "refresh_s": 3.0}, verdicts="paths")
    run = simulate(tmp_path, scenario)
    for place in range(2):
        assert len(spans(run, place, "start")) >= 2
    assert max(probed(run)) >= 0.8


def test_groups_from_verdicts_limit_what_runs(tmp_path: Path) -> None:
    """Without groups both run unlimited; the verdict that comes later limits them, without another start."""
    scenario = sharing("fmbbr", verdicts="oracle")
    scenario["links"] = [scenario["links"][0], copy.deepcopy(scenario["links"][0])]
    scenario["links"][1]["place"] = "client"
    for own in scenario["subflows"]:
        own["links"] = [0, 1]
    scenario["subflows"][0]["bottleneck"] = [[0, 0]]
    scenario["subflows"][1]["bottleneck"] = [[0, 1], [5, 0]]
    run = simulate(tmp_path, scenario)
    assert [len(spans(run, place, "start")) for place in range(2)] == [1, 1]
    assert max(own["startup_ended_ns"] for own in run.truth["subflows"]) < 4e9
    found = [own["probed_mbit_s"] for own in run.truth["subflows"]]
    assert sum(own["limit_mbit_s"] for own in run.truth["subflows"]) == pytest.approx(max(found))


def test_coupled_bbr_always_starves_itself(tmp_path: Path) -> None:
    """Each estimate is of a rate that was coupled before; in the phases of gain 1 alone it keeps a link's rate."""
    shares = {}
    for applies in ("cruise", "always"):
        (tmp_path / applies).mkdir()
        controller = {"name": "coupled_bbr", "applies": applies}
        scenario = over([[0], [1]], controller, [RTT_MS, RTT_MS]) | {"duration_s": 20.0}
        run = simulate(tmp_path / applies, scenario)
        late = [one for one in run.truth["series"]["intervals"] if one["from_ns"] >= 10e9]
        shares[applies] = sum(one["delivered_bytes"] for one in late) * 8e-7 / (RATE * MSS / PACKET)
    assert shares["always"] < 0.5
    assert 0.9 < shares["cruise"] < 1.5


def test_cmpbbr_takes_equal_rates_for_a_shared_bottleneck(tmp_path: Path) -> None:
    """Over links of their own it gives up a part where their rates are alike; with unlike ones it is BBR."""
    runs = {}
    for controller in ("bbr", "cmpbbr"):
        for rate in (RATE, RATE / 2):
            scenario = over([[0], [1]], controller, [RTT_MS, RTT_MS]) | {"duration_s": 20.0}
            scenario["links"] = [scenario["links"][0], copy.deepcopy(scenario["links"][0])]
            scenario["links"][1]["rate_mbit_s"] = [[0, rate]]
            place = tmp_path / f"{controller}{rate}"
            place.mkdir()
            runs[controller, rate] = simulate(place, scenario)
    unlike, alike = ([runs[controller, rate] for controller in ("bbr", "cmpbbr")] for rate in (RATE / 2, RATE))
    assert unlike[0].events == unlike[1].events
    bbr, own = (run.truth["connection"]["delivered_bytes"] for run in alike)
    assert own < 0.85 * bbr


def test_irps_copies_on_subflows_that_start_up_alone(tmp_path: Path) -> None:
    """Under FMBBR copies end with the last start."""
    scenario = sharing("fmbbr", verdicts="paths", scheduler="irps", delivery_details=True)
    short, long = simulate_all(tmp_path, [scenario | {"duration_s": 5.0}, scenario | {"duration_s": 10.0}])
    assert max(own["startup_ended_ns"] for own in short.truth["subflows"]) < 4.5e9
    copied = short.truth["connection"]["copied_segments"]
    assert copied > 0
    assert long.truth["connection"]["copied_segments"] == copied
