"""Further MPTCP connections: they share links with the observed one, and have nothing else to do with it."""

import copy
import json
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from pydantic import ValidationError

from smartsbd.pipelines.closed_loop.run_outcome import jain
from smartsbd.scenarios import registry
from smartsbd.scenarios.scenario import Scenario as Contract
from tests.simulator.program import (
    PACKET,
    Run,
    Scenario,
    access,
    execute,
    flow,
    given_by,
    link,
    network,
    seeds,
    separate,
    simulate,
    simulate_all,
    subflow,
)

pytestmark = pytest.mark.slow

RTT_MS = 60.0


def path(links: list[int], start: float = 0.5, rtt: float = RTT_MS, **last: Any) -> dict[str, Any]:
    """A subflow of a further connection."""
    return {"links": links, "start_s": start, "rtt_ms": rtt, "access": access(**last)}


def further(paths: list[dict[str, Any]], controller: Any = "lia", **more: Any) -> dict[str, Any]:
    return {"congestion_control": controller, "scheduler": "min_rtt", "subflows": paths, **more}


def beside(scenario: Scenario, *connections: dict[str, Any]) -> Scenario:
    """The same scenario with connections beside the observed one."""
    return copy.deepcopy(scenario) | {"further_connections": list(connections)}


def without_further(truth: dict[str, Any]) -> dict[str, Any]:
    """What a truth says of all else."""
    rest = copy.deepcopy(truth)
    del rest["further_connections"]
    for interval in rest["series"]["intervals"]:
        del interval["further_connections"]
    return rest


def over_two_links(own: Any, other: Any, duration: float, **more: Any) -> Scenario:
    """Two connections of two subflows each over two links of 10 Mbit/s; one packet time of host delay."""
    scenario = network(
        [link(10.0, 75000), link(10.0, 75000)],
        [subflow([0], RTT_MS), subflow([1], RTT_MS)],
        duration=duration,
        congestion_control=own,
        host_delay_us=PACKET * 8 / 10.0,
    )
    del scenario["connection"]["lia_counts"]
    return beside(scenario | {"series_s": 1.0}, further([path([0]), path([1])], other, **more))


def delivered(run: Run, begin: float, end: float) -> tuple[float, float]:
    """Bytes in order at the client of the observed connection, and of the first further one, between two times in s."""
    intervals = [one for one in run.truth["series"]["intervals"] if begin <= one["from_ns"] / 1e9 < end]
    own = sum(one["delivered_bytes"] for one in intervals)
    return own, sum(one["further_connections"][0]["delivered_bytes"] for one in intervals)


@pytest.mark.parametrize("controller", ["lia", "reno", "mpcc"])
def test_two_equal_connections_share_links_fairly(controller: str, tmp_path: Path) -> None:
    """Jain's index is 0.95 in the mean, and together they fill 0.85 of both links."""
    scenario = over_two_links(controller, controller, 40.0)
    found = [delivered(run, 5, 40) for run in simulate_all(tmp_path, seeds(scenario, 3))]
    assert mean(jain(pair) for pair in found) > 0.95, found
    assert mean(sum(pair) for pair in found) * 8e-6 / 35 > 0.85 * 20 * 1400 / PACKET, found


def test_an_uncoupled_connection_takes_more_than_a_coupled_one(tmp_path: Path) -> None:
    """Four subflows over one link: Reno's two take twice what LIA's two do, or nearly. Each has its own controller."""
    scenario = over_two_links("lia", "reno", 40.0)
    scenario["links"] = scenario["links"][:1]
    scenario["subflows"][1] = subflow([0], RTT_MS)
    scenario["further_connections"][0]["subflows"][1] = path([0])
    found = [delivered(run, 5, 40) for run in simulate_all(tmp_path, seeds(scenario, 3))]
    assert mean(other / own for own, other in found) > 1.4, found


@pytest.mark.parametrize("name", registry.names("congestion_control"))
def test_on_links_of_its_own_it_has_no_influence(name: str, tmp_path: Path) -> None:
    """Event lines and the truth of all else are the same bytes, random numbers included, under each controller.

    The other link is there in both: a third connection uses it.
    """
    scenario = separate() | {"series_s": 1.0}
    scenario["connection"]["congestion_control"] = name
    del scenario["connection"]["lia_counts"]
    scenario["background"] += [flow("web", 1.0, "access", on=1), flow("bbr", None, "access", on=1)]
    scenario["links"] = [*scenario["links"], link(5.0)]
    quiet = further([path([2], start=11.9)])
    loud = further(
        [path([2], kind="wifi", rate=30.0, loss=0.01, jitter=2.0), path([2], kind="lte", rate=20.0)],
        name,
        application={"kind": "on_off", "on_s": 1.0, "off_s": 0.5},
    )
    alone, together = simulate_all(tmp_path, [beside(scenario, quiet), beside(scenario, quiet, loud)])
    assert together.events == alone.events
    truths = [without_further(run.truth) for run in (alone, together)]
    own_link = [truth["links"].pop(2) for truth in truths]
    assert truths[0] == truths[1]
    assert own_link[0]["utilisation"] < 0.1
    assert own_link[1]["utilisation"] > 0.2


def test_random_numbers_are_those_without_it(tmp_path: Path) -> None:
    """A connection that never sends leaves everything as it is in a scenario without any, captures included."""
    scenario = given_by({"kind": "on_off", "on_s": 2.0, "off_s": 1.0}) | {"series_s": 1.0}
    scenario["background"].append(flow("web", 1.0))
    silent = beside(scenario, further([path([0], start=11.99999, rtt=400.0)], "mpcc"))
    runs = []
    for place, one in enumerate((scenario, silent)):
        (tmp_path / str(place)).mkdir()
        runs.append(simulate(tmp_path / str(place), one, "--pcap=."))
    assert runs[1].events == runs[0].events
    assert without_further(runs[1].truth) == runs[0].truth
    (told,) = runs[1].truth["further_connections"]
    assert told["delivered_bytes"] == 0
    assert told["subflows"] == [{"subflow": 0, "established_ns": None, "acked_bytes": 0}]
    captures = [{file.name: file.read_bytes() for file in (tmp_path / place).glob("*.pcap")} for place in "01"]
    assert captures[0] == captures[1]
    assert len(captures[0]) == 4


def test_nothing_of_it_is_observed(tmp_path: Path) -> None:
    """Event lines have the observed subflow alone, and so have captures; the truth tells the rest."""
    scenario = network([link(8.0)], [subflow([0], RTT_MS)]) | {"series_s": 5.0}
    run = simulate(tmp_path, beside(scenario, further([path([0]), path([0])], "mpcc")), "--pcap=.")
    assert {event.subflow for event in run.parse()} == {0}
    assert sorted(file.name for file in tmp_path.glob("*.pcap")) == ["receiver.0.pcap", "sender.0.pcap"]
    truth = run.truth
    (told,) = truth["further_connections"]
    assert [own["subflow"] for own in truth["subflows"]] == [0]
    assert [own["modes"][0]["mode"] for own in told["subflows"]] == ["start", "start"]
    assert all(0 < own["established_ns"] < 1e9 for own in told["subflows"])
    intervals = [one["further_connections"][0] for one in truth["series"]["intervals"]]
    assert sum(one["delivered_bytes"] for one in intervals) == told["delivered_bytes"] > 0
    for place, own in enumerate(told["subflows"]):
        assert sum(one["acked_bytes"][place] for one in intervals) == own["acked_bytes"] > 0
    line = truth["links"][0]
    mbit_s = (truth["connection"]["delivered_bytes"] + told["delivered_bytes"]) * 8e-6 / 11.5
    assert mbit_s <= line["utilisation"] * line["rate_mbit_s"]


@pytest.mark.parametrize("name", ["lia", "olia", "balia", "wvegas"])
def test_coupling_does_not_cross_connections(name: str, tmp_path: Path) -> None:
    """Two connections of one subflow each, over one link: each is alone in its group, so under Reno to the byte."""
    runs = []
    for controller in (name, "reno"):
        scenario = network([link(8.0)], [subflow([0], RTT_MS)], congestion_control=controller) | {"series_s": 1.0}
        del scenario["connection"]["lia_counts"]
        runs.append(simulate(tmp_path, beside(scenario, further([path([0], start=0.6)], controller))))
    assert runs[0] == runs[1]
    assert min(delivered(runs[0], 2, 12)) > 0


def test_groups_hold_in_a_further_connection(tmp_path: Path) -> None:
    """Apart, its two subflows under LIA are as under Reno, to the byte; together they are not."""
    scenario = over_two_links("reno", "reno", 12.0)
    apart, together, reno = (copy.deepcopy(scenario) for _ in range(3))
    for one, groups in ((apart, (1, 2)), (together, (1, 1))):
        one["further_connections"][0]["congestion_control"] = "lia"
        for own, group in zip(one["further_connections"][0]["subflows"], groups, strict=True):
            own["group"] = group
    runs = simulate_all(tmp_path, [apart, together, reno])
    assert runs[0] == runs[2] != runs[1]


def test_connections_of_the_same_settings_draw_numbers_of_their_own(tmp_path: Path) -> None:
    """Over links of their own, two connections alike in all do not lose the same packets."""
    scenario = network([link(8.0)] * 3, [subflow([0], RTT_MS)]) | {"series_s": 1.0}
    pair = (further([path([place], loss=0.02)], "mpcc") for place in (1, 2))
    first, second = simulate(tmp_path, beside(scenario, *pair)).truth["further_connections"]
    assert first["delivered_bytes"] != second["delivered_bytes"]


def test_one_that_stops_is_silent(tmp_path: Path) -> None:
    """From a second after it on nothing of it arrives, and the observed one has the link alone."""
    scenario = over_two_links("reno", "reno", 30.0, stop_s=12.0)
    run = simulate(tmp_path, scenario)
    assert delivered(run, 2, 12)[1] > 0
    own, other = delivered(run, 20, 30)
    assert other == 0
    assert own * 8e-6 / 10 > 0.95 * 20 * 1400 / PACKET


def test_a_transfer_tells_its_end(tmp_path: Path) -> None:
    """It is rounded up to whole segments; each subflow takes an RTT from its start, and what waits in the queue."""
    scenario = over_two_links("reno", "reno", 12.0, application={"kind": "transfer", "bytes": 30_000})
    for place, own in enumerate(scenario["further_connections"][0]["subflows"]):
        own["start_s"] = 5.0 + place
    (told,) = simulate(tmp_path, scenario).truth["further_connections"]
    assert told["transfer_bytes"] == told["delivered_bytes"] == 30_800
    assert 5.1e9 < told["completed_ns"] < 6e9
    for start, own in zip((5.0, 6.0), told["subflows"], strict=True):
        assert 0.06 <= own["established_ns"] / 1e9 - start <= 0.06 + 75000 * 8e-7 + 0.01


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"links": [5]}, "subflows/0/links/0"),
        ({"links": [1, 0]}, "subflows/0/links/1"),
        ({"start_s": 12.0}, "subflows/0/start_s"),
        ({"rtt_ms": 2.3}, "subflows/0/rtt_ms"),
        ({"group": 5}, "subflows/0/group"),
        ({"bottleneck": [[0.0, 0]]}, "subflows/0/bottleneck"),
        ({"path": "plain"}, "subflows/0/path"),
        ({"access": access() | {"loss": 1.0}}, "subflows/0/access/loss"),
        ({"delay_changes_ms": [[5.0, 1.0], [5.0, 2.0]]}, "subflows/0/delay_changes_ms/1/0"),
    ],
)
def test_a_subflow_that_cannot_be_is_refused(changes: dict[str, Any], place: str, tmp_path: Path) -> None:
    """Its place is named; names and bottlenecks are the observed connection's."""
    scenario = beside(separate(), further([path([0]) | changes]))
    refused(tmp_path, scenario, f"/further_connections/0/{place}")


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"congestion_control": "vegas"}, "congestion_control"),
        ({"congestion_control": {"name": "lia", "unit": "mbit_s"}}, "congestion_control/unit"),
        ({"scheduler": "daps"}, "scheduler"),
        ({"stop_s": 0.5}, "stop_s"),
        ({"stop_s": 12.0}, "stop_s"),
        ({"subflows": []}, "subflows"),
        ({"subflows": [path([0])] * 6}, "subflows"),
        ({"application": {"kind": "bulk"}}, "application/kind"),
        ({"token": "00000001"}, "token"),
        ({"verdicts": "oracle"}, "verdicts"),
        ({"mss_bytes": 1000}, "mss_bytes"),
    ],
)
def test_a_connection_that_cannot_be_is_refused(changes: dict[str, Any], place: str, tmp_path: Path) -> None:
    """What it has of its own is named in the schema, and nothing else is read."""
    refused(tmp_path, beside(separate(), further([path([0])]) | changes), f"/further_connections/0/{place}")


def refused(directory: Path, scenario: Scenario, place: str) -> None:
    result = execute(directory, json.dumps(scenario))
    assert (result.returncode, result.stderr.split(": ")[:2]) == (2, ["scenario.json", place]), result.stderr
    assert [file.name for file in directory.iterdir()] == ["scenario.json"]


def test_none_and_too_many_are_refused(tmp_path: Path) -> None:
    """Without any the key is left out."""
    for count in (0, 9):
        scenario = beside(separate(), *(further([path([0])]) for _ in range(count)))
        refused(tmp_path, scenario, "/further_connections")
        with pytest.raises(ValidationError):
            Contract.model_validate_json(json.dumps(scenario))


def test_a_link_that_no_connection_crosses_is_refused(tmp_path: Path) -> None:
    """One that a further connection alone crosses is not."""
    scenario = network([link(8.0), link(8.0)], [subflow([0], RTT_MS)])
    refused(tmp_path, beside(scenario, further([path([0])])), "/links/1")
    simulate(tmp_path, beside(scenario, further([path([1])])))
