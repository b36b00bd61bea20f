"""A scenario's network as ports and routes of the relay: which queues a packet meets, in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from smartsbd.scenarios.scenario import (
    AnyAccess,
    Background,
    BackLine,
    Link,
    LteAccess,
    Scenario,
    SubflowPath,
    WifiAccess,
)

SERVER, CLIENT, RIVALS = 0, 1, 2
#: Names of the namespaces, in the order of their numbers.
HOSTS = ("server", "client", "rivals")
#: The device that each of them has.
DEVICE = "path"
CLIENT_ADDRESS = "10.1.0.1"

#: One-way delays of the first and the last link, as in the simulator (simulator/src/scenario.h).
_HOST_LINK_NS = _ACCESS_LINK_NS = 100_000
#: After its SYN a subflow is established within so many round trips, the queue aside.
_HANDSHAKE_RTTS = 3
_NS_PER_S = 10**9
_NS_PER_MS = 10**6
_NS_PER_US = 10**3
_BIT_S_PER_MBIT_S = 10**6


def server_address(subflow: int) -> str:
    """Return the address that a subflow has at the server, which sends."""
    return f"10.0.{subflow}.1"


def rival_address(flow: int) -> str:
    """Return the address that a background flow is sent from."""
    return f"10.2.{flow}.1"


def to_ns(time_s: float) -> int:
    """Return seconds as nanoseconds."""
    return round(time_s * _NS_PER_S)


@dataclass(frozen=True)
class Port:
    """A queue and a line, or a delay alone.

    Attributes
    ----------
    values : tuple of (str, str)
        What the relay reads of it (relay/src/plan.h), by key.
    """

    values: tuple[tuple[str, str], ...]

    def written(self) -> str:
        """Return its line in the relay's plan."""
        return " ".join(["port", *(f"{key}={value}" for key, value in self.values)])


@dataclass(frozen=True)
class Route:
    """The way between an address of the server or of the rivals, and the client.

    Attributes
    ----------
    host : int
        Of the address.
    address : str
    there, back : tuple of int
        Ports that data and ACKs pass, in this order.
    ack_every : int, optional
        Of how many pure ACKs one goes on; without it, all do.
    """

    host: int
    address: str
    there: tuple[int, ...]
    back: tuple[int, ...]
    ack_every: int | None = None

    def written(self) -> str:
        """Return its line in the relay's plan."""
        there, back = (",".join(map(str, ports)) for ports in (self.there, self.back))
        thinned = "" if self.ack_every is None else f" ack_every={self.ack_every}"
        return f"route from={self.host} address={self.address} to={CLIENT} there={there} back={back}{thinned}"


@dataclass
class Network:
    """All ports and routes of a scenario.

    Attributes
    ----------
    ports : list of Port
        First the scenario's links, in their order.
    routes : list of Route
        First the subflows', in their order, then those of the background.
    """

    ports: list[Port] = field(default_factory=list)
    routes: list[Route] = field(default_factory=list)

    def add(self, *values: tuple[str, str]) -> int:
        """Add a port; return its number. An empty value is left out."""
        self.ports.append(Port(tuple((key, value) for key, value in values if value)))
        return len(self.ports) - 1


def backbone_ns(scenario: Scenario, path: SubflowPath) -> int:
    """Return the delay of a subflow's backbone: what its RTT leaves to it. Below 0: the RTT is too short."""
    links = sum(scenario.links[link].delay_ms for link in path.links)
    return round((path.rtt_ms / 2 - links) * _NS_PER_MS) - _HOST_LINK_NS - _ACCESS_LINK_NS


def _behind(scenario: Scenario, path: SubflowPath, enters: str) -> tuple[list[int], int]:
    """Return the shaped links between the point where a flow enters and the access link, and the backbone's delay."""
    links = [link for link in path.links if enters == "server" or scenario.links[link].place == enters]
    return links, backbone_ns(scenario, path) if enters == "server" else 0


def only_links(scenario: Scenario, flow: Background) -> list[int]:
    """Return the shaped links that a flow crosses if it leaves behind the first: that link, or none."""
    links = scenario.subflows[flow.subflow].links
    return [link for link in links if scenario.links[link].place == flow.enters]


def source_link_ns(scenario: Scenario, flow: Background) -> int:
    """Return the delay of a background flow's own link: what its RTT leaves to it. Below 0: the RTT is too short."""
    links, rest_ns = _behind(scenario, scenario.subflows[flow.subflow], flow.enters)
    access_ns = _ACCESS_LINK_NS
    if flow.leaves is not None:
        links, rest_ns, access_ns = only_links(scenario, flow), 0, 0
    shaped_ms = sum(scenario.links[link].delay_ms for link in links)
    return round((flow.rtt_ms / 2 - shaped_ms) * _NS_PER_MS) - access_ns - rest_ns


def _rate(changes: Sequence[tuple[float, float]]) -> str:
    return ",".join(f"{to_ns(at)}:{round(rate * _BIT_S_PER_MBIT_S)}" for at, rate in changes)


def trace_name(link: int) -> str:
    """Return the name of the file with the moments at which a link sends."""
    return f"link{link}.trace"


def traces(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Yield the files that the relay's plan names, each its name and its text: moments at which links send."""
    for number, link in enumerate(scenario.links):
        if link.opportunities_ms is not None:
            yield trace_name(number), "".join(f"{at}\n" for at in link.opportunities_ms)


def _shaped(network: Network, number: int, link: Link) -> int:
    replayed = link.opportunities_ms is not None
    return network.add(
        ("rate", "" if replayed else _rate(link.rate_mbit_s)),
        ("opportunities", trace_name(number) if replayed else ""),
        ("queue", str(link.queue_bytes)),
        ("mark", "" if link.mark_bytes is None else str(link.mark_bytes)),
        ("discipline", link.queue_discipline or ""),
        ("delay", str(round(link.delay_ms * _NS_PER_MS))),
    )


def _back(network: Network, line: BackLine) -> int:
    return network.add(("rate", _rate([(0.0, line.rate_mbit_s)])), ("queue", str(line.queue_bytes)))


def _last(network: Network, access: AnyAccess) -> int:
    values = [
        ("rate", _rate([(0.0, access.rate_mbit_s)])),
        ("queue", str(access.queue_bytes)),
        ("delay", str(_ACCESS_LINK_NS)),
        ("jitter", str(round(access.jitter_ms * _NS_PER_MS))),
        ("loss", f"{access.loss:.9f}" if access.loss else ""),
    ]
    if isinstance(access, WifiAccess):
        values.append(("burst", ":".join(map(str, access.burst_packets))))
    if isinstance(access, LteAccess):
        values.append(("wander", f"{access.rate_sigma}:{round(access.rate_step_ms * _NS_PER_MS)}"))
    return network.add(*values)


def network_of(scenario: Scenario) -> Network:
    """Return the network of a scenario.

    Parameters
    ----------
    scenario : Scenario
        One in which :func:`smartsbd.testbed.refusal.refusals` finds nothing.

    Returns
    -------
    Network
        Ports and routes, in the order of :class:`Network`.

    Notes
    -----
    As in the simulator: a host's link with its delay, a server link, the backbone, a client link, the access link. All
    ACKs find one port, with the delay of the whole way and the loss of the access link, and before and behind it the
    lines back of client and server links, where links have such. Lines that are never a bottleneck take no time here,
    so what lies between two queues is one delay.
    """
    network = Network()
    hold = str(round(scenario.connection.host_delay_us * _NS_PER_US))
    for number, link in enumerate(scenario.links):
        _shaped(network, number, link)
    accesses = [_last(network, path.access) for path in scenario.subflows]
    lines_back = {number: _back(network, link.back) for number, link in enumerate(scenario.links) if link.back}

    def connect(host: int, address: str, subflow: int, enters: str, first_ns: int, rtt_ms: float) -> None:
        path = scenario.subflows[subflow]
        links, rest_ns = _behind(scenario, path, enters)
        servers = [link for link in links if scenario.links[link].place == "server"]
        clients = [link for link in links if scenario.links[link].place == "client"]
        # Without a queue before the backbone, both delays are one.
        first = network.add(("delay", str(first_ns + (0 if servers else rest_ns))), ("hold", hold))
        between = [network.add(("delay", str(rest_ns)))] if servers and rest_ns else []
        loss = path.access.loss
        whole = network.add(("delay", str(round(rtt_ms / 2 * _NS_PER_MS))), ("loss", f"{loss:.9f}" if loss else ""))
        there = (first, *servers, *between, *clients, accesses[subflow])
        thinned = path.ack_every if host == SERVER else None
        network.routes.append(Route(host, address, there, (*backs(clients), whole, *backs(servers)), thinned))

    def backs(links: Sequence[int]) -> list[int]:
        return [lines_back[link] for link in links if link in lines_back]

    def connect_leaving(flow: Background, address: str) -> None:
        links = only_links(scenario, flow)
        first = network.add(("delay", str(source_link_ns(scenario, flow))), ("hold", hold))
        whole = network.add(("delay", str(round(flow.rtt_ms / 2 * _NS_PER_MS))))
        network.routes.append(Route(RIVALS, address, (first, *links), (*backs(links), whole)))

    for number, path in enumerate(scenario.subflows):
        connect(SERVER, server_address(number), number, "server", _HOST_LINK_NS, path.rtt_ms)
    for number, flow in enumerate(scenario.background):
        if flow.leaves is not None:
            connect_leaving(flow, rival_address(number))
            continue
        first_ns = source_link_ns(scenario, flow)
        connect(RIVALS, rival_address(number), flow.subflow, flow.enters, first_ns, flow.rtt_ms)
    return network


def phases_s(scenario: Scenario) -> list[float]:
    """Return the times at which rates or intended bottlenecks change, the first of them 0."""
    links = {at for link in scenario.links for at, _ in link.rate_mbit_s}
    return sorted(links | {at for path in scenario.subflows for at, _ in path.bottleneck})


def established_s(scenario: Scenario) -> float:
    """Return when all subflows ought to be established: from then on utilisation counts."""
    return max(path.start_s + _HANDSHAKE_RTTS * path.rtt_ms / 1000 for path in scenario.subflows)


def marks_ns(scenario: Scenario) -> list[int]:
    """Return the bounds of the periods that the relay counts one by one."""
    times = {*phases_s(scenario), min(established_s(scenario), scenario.duration_s), scenario.duration_s}
    return sorted(to_ns(at) for at in times)


def plan_lines(scenario: Scenario, namespaces: Sequence[str], capture: str) -> Iterator[str]:
    """Yield the lines of the relay's plan; the files of :func:`traces` are in the folder in which it runs.

    Parameters
    ----------
    scenario : Scenario
    namespaces : sequence of str
        Files of the namespaces of :data:`HOSTS`.
    capture : str
        Name of the pcap file of the server's packets.

    Yields
    ------
    str
        Without its line end.
    """
    network = network_of(scenario)
    yield f"seed value={scenario.seed}"
    yield "marks ns=" + ",".join(map(str, marks_ns(scenario)))
    yield from (f"host netns={name} device={DEVICE}" for name in namespaces)
    yield from (port.written() for port in network.ports)
    yield from (route.written() for route in network.routes)
    yield f"capture host={SERVER} path={capture}"
