"""A scenario's network as the relay's ports: which queues a packet meets, and how long its way is."""

from __future__ import annotations

import pytest

from smartsbd.scenarios import datasets
from smartsbd.scenarios.scenario import Background, Link, Scenario, SubflowPath
from smartsbd.testbed.examples import FOLDER, example
from smartsbd.testbed.refusal import read_scenario, refusals
from smartsbd.testbed.relay_network import (
    Network,
    Port,
    established_s,
    marks_ns,
    network_of,
    phases_s,
    plan_lines,
    server_address,
    traces,
)

EXAMPLES = sorted(path.stem for path in FOLDER.glob("*.json"))


def value(port: Port, key: str) -> str:
    return dict(port.values).get(key, "0")


def delay_ns(network: Network, ports: tuple[int, ...]) -> int:
    return sum(int(value(network.ports[port], "delay")) for port in ports)


def shaped(scenario: Scenario, network: Network, route: int) -> list[int]:
    """The scenario's links that a route crosses: the first ports."""
    return [port for port in network.routes[route].there if port < len(scenario.links)]


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_way_has_the_delay_of_its_rtt_and_its_links(name: str) -> None:
    scenario = example(name)
    assert read_scenario(FOLDER / f"{name}.json") == scenario
    assert refusals(scenario, "reno", {"reno", "cubic"}) == []
    network = network_of(scenario)
    ways: list[SubflowPath | Background] = [*scenario.subflows, *scenario.background]
    assert len(network.routes) == len(ways)
    for number, way in enumerate(ways):
        there, back = (
            delay_ns(network, ports) for ports in (network.routes[number].there, network.routes[number].back)
        )
        assert there == back == pytest.approx(way.rtt_ms * 5e5, abs=1)
    for number, path in enumerate(scenario.subflows):
        assert shaped(scenario, network, number) == list(path.links)


def test_a_shared_link_is_one_queue_and_separate_ones_are_two() -> None:
    for name, same in (("shared", True), ("separate", False)):
        scenario = example(name)
        network = network_of(scenario)
        first, second = (shaped(scenario, network, number) for number in (0, 1))
        assert (first == second) is same


def test_rivals_meet_the_links_behind_the_point_where_they_enter() -> None:
    moving = example("moving")
    of_entry = {}
    for enters in ("server", "client", "access"):
        flow = moving.background[0].model_copy(update={"enters": enters})
        scenario = moving.model_copy(update={"background": (flow,)})
        of_entry[enters] = shaped(scenario, network_of(scenario), 2)
        own = network_of(scenario).routes[2]
        assert delay_ns(network_of(scenario), own.there) == pytest.approx(flow.rtt_ms * 5e5, abs=1)
    assert of_entry == {"server": [0, 1], "client": [1], "access": []}


def test_a_line_has_the_rate_queue_and_marks_of_its_link() -> None:
    scenario = example("moving")
    link = scenario.links[0].model_copy(update={"mark_bytes": 0})
    scenario = scenario.model_copy(update={"links": (link, *scenario.links[1:])})
    port = network_of(scenario).ports[0]
    assert value(port, "rate") == "0:8000000,25000000000:40000000"
    assert (value(port, "queue"), value(port, "delay")) == ("50000", "1000000")
    # A threshold of 0 marks whatever finds a packet waiting; it is not the same as none.
    assert ("mark", "0") in port.values
    assert "mark" not in dict(network_of(scenario).ports[1].values)


def test_periods_end_where_phases_do_and_when_all_are_established() -> None:
    scenario = example("moving")
    assert phases_s(scenario) == [0.0, 25.0]
    assert established_s(scenario) == pytest.approx(1.1 + 3 * 0.04)
    assert marks_ns(scenario) == [0, 1_220_000_000, 25_000_000_000, 50_000_000_000]


def test_wifi_and_lte_are_bursts_and_rates_that_wander() -> None:
    settings = {"connections_per_label": 8, "duration_s": 8, "seed": 1}
    scenarios = [run.scenario for run in datasets.draw("diverse", settings)]
    kinds = set()
    for scenario in scenarios:
        assert refusals(scenario, "reno", {"reno", "cubic"}) == []
        network = network_of(scenario)
        for number, path in enumerate(scenario.subflows):
            access = network.ports[network.routes[number].there[-1]]
            kinds.add(path.access.kind)
            assert ("burst" in dict(access.values)) is (path.access.kind == "wifi")
            assert ("wander" in dict(access.values)) is (path.access.kind == "lte")
            assert value(access, "jitter") == str(round(path.access.jitter_ms * 1e6))
    assert kinds == {"wifi", "lte"}


def test_a_line_back_is_one_queue_for_all_acks_and_for_flows_that_go_back() -> None:
    moving = example("moving")
    back = {"rate_mbit_s": 2.0, "queue_bytes": 20_000}
    links = [Link.model_validate({**link.model_dump(), "back": back}) for link in moving.links]
    flow = moving.background[0].model_copy(
        update={"enters": "server", "leaves": "first_link", "direction": "back", "rtt_ms": 30.0}
    )
    scenario = moving.model_copy(update={"links": tuple(links), "background": (flow,)})
    assert refusals(scenario, "reno", {"reno", "cubic"}) == []
    network = network_of(scenario)
    lines = [number for number, port in enumerate(network.ports) if value(port, "rate") == "0:2000000"]
    assert len(lines) == len(links)
    of_link = dict(enumerate(lines))
    assert [value(network.ports[line], "queue") for line in lines] == ["20000"] * len(lines)
    first, second, rival = network.routes
    # ACKs meet the client's link first.
    for route, path in ((first, scenario.subflows[0]), (second, scenario.subflows[1])):
        met = [port for port in route.back if port in lines]
        assert met == [of_link[link] for link in reversed(path.links)]
        assert delay_ns(network, route.back) == pytest.approx(path.rtt_ms * 5e5, abs=1)
    # It crosses one link, and no access link.
    assert shaped(scenario, network, 2) == [0]
    assert [port for port in rival.back if port in lines] == [of_link[0]]
    assert delay_ns(network, rival.there) == delay_ns(network, rival.back) == 15_000_000
    assert not any("jitter" in dict(network.ports[port].values) for port in rival.there)


def test_codel_is_said_of_a_link_that_has_it() -> None:
    scenario = example("separate")
    managed = scenario.links[0].model_copy(update={"queue_discipline": "codel"})
    network = network_of(scenario.model_copy(update={"links": (managed, *scenario.links[1:])}))
    assert ("discipline", "codel") in network.ports[0].values
    assert "discipline" not in dict(network.ports[1].values)


def test_a_policer_is_said_of_a_link_that_has_it() -> None:
    scenario = example("separate")
    policed = scenario.links[0].model_copy(update={"queue_discipline": "policer"})
    scenario = scenario.model_copy(update={"links": (policed, *scenario.links[1:])})
    assert refusals(scenario, "reno", {"reno", "cubic"}) == []
    network = network_of(scenario)
    assert ("discipline", "policer") in network.ports[0].values
    assert value(network.ports[0], "queue") == str(policed.queue_bytes)
    # ACKs do not meet it.
    assert all(0 not in route.back for route in network.routes)


def test_acks_are_thinned_on_the_way_of_a_subflow_and_of_no_rival() -> None:
    scenario = example("separate")
    thinned = scenario.subflows[1].model_copy(update={"ack_every": 4})
    scenario = scenario.model_copy(update={"subflows": (scenario.subflows[0], thinned)})
    assert any(flow.subflow == 1 for flow in scenario.background)
    assert refusals(scenario, "reno", {"reno", "cubic"}) == []
    assert [route.ack_every for route in network_of(scenario).routes] == [None, 4, None, None]
    lines = [line for line in plan_lines(scenario, ["/n/a", "/n/b", "/n/c"], "x.pcap") if line.startswith("route ")]
    assert [line.rpartition(" ")[2] for line in lines if "ack_every" in line] == ["ack_every=4"]
    assert f"address={server_address(1)} " in lines[1] and lines[1].endswith(" ack_every=4")


def test_the_plan_names_hosts_and_addresses() -> None:
    lines = list(plan_lines(example("shared"), ["/n/a", "/n/b", "/n/c"], "x.pcap"))
    assert lines[:5] == [
        "seed value=1",
        "marks ns=0,1250000000,26000000000",
        *(f"host netns=/n/{name} device=path" for name in "abc"),
    ]
    assert lines[-1] == "capture host=0 path=x.pcap"
    assert f"route from=0 address={server_address(1)} to=1 there=5,0,2 back=6" in lines


def test_a_recorded_link_is_a_file_beside_the_plan() -> None:
    scenario = example("separate")
    recorded = Link.model_validate(
        {**scenario.links[0].model_dump(), "rate_mbit_s": [[0.0, 9.0]], "opportunities_ms": [1, 1, 4]}
    )
    scenario = scenario.model_copy(update={"links": (recorded, *scenario.links[1:])})
    assert refusals(scenario, "reno", {"reno", "cubic"}) == []
    assert list(traces(scenario)) == [("link0.trace", "1\n1\n4\n")]
    first, second = network_of(scenario).ports[:2]
    assert dict(first.values).keys() == {"opportunities", "queue", "delay"}
    assert value(first, "opportunities") == "link0.trace"
    assert "rate" in dict(second.values)
    ports = [line for line in plan_lines(scenario, ["/n/a", "/n/b", "/n/c"], "x.pcap") if line.startswith("port ")]
    assert ports[0].startswith("port opportunities=link0.trace queue=")
    assert list(traces(example("separate"))) == []
