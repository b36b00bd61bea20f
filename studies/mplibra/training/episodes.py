"""The networks in which agents learn, drawn anew for each episode.

MPLibra says of its training that scenarios vary and that a random number of TCP flows share the bottleneck (section V);
the ranges are ours. No network of an experiment is among them but by chance: they are drawn, and those are not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from smartsbd.scenarios import bottleneck_network, path
from smartsbd.scenarios.scenario import Background, Scenario, SubflowPath

#: Length of an episode.
DURATION_S = 30.0
_START_S = 0.5
_RATE_MBIT_S = (2.0, 80.0)
_RTT_MS = (20.0, 240.0)
#: Queue over what the link carries in a round trip.
_QUEUE_BDP = (0.2, 2.0)
#: Two packets, as the simulator asks for.
_LEAST_QUEUE_BYTES = 3_000
_LARGEST_LOSS = 0.005
_MOST_RIVALS = 3
_MOST_SUBFLOWS = 5
#: Most segments in a round trip of all subflows, each over the fastest link: ns-3's transmit buffer takes time
#: quadratic in the window.
_MOST_SEGMENTS = 300
#: Never what limits.
_RECEIVE_BUFFER_BYTES = 1 << 26


@dataclass(frozen=True)
class Episode:
    """A network, and what an agent's reward is measured by.

    Attributes
    ----------
    scenario : Scenario
    capacity_mbit_s : tuple of float
        Rate of each subflow's link.
    total_mbit_s : float
        Rate of all links.
    base_rtt_s : tuple of float
        Of each subflow.
    """

    scenario: Scenario
    capacity_mbit_s: tuple[float, ...]
    total_mbit_s: float
    base_rtt_s: tuple[float, ...]


def _log_uniform(rng: np.random.Generator, bounds: tuple[float, float]) -> float:
    return float(np.exp(rng.uniform(*np.log(bounds))))


def _loss(rng: np.random.Generator) -> float:
    """Draw a probability of loss; every second network has none."""
    return round(float(rng.uniform(0, _LARGEST_LOSS)), 6) if rng.integers(2) else 0.0


def _network(rng: np.random.Generator, subflows: int, links: int, view: str) -> Episode:
    """Draw a network whose subflows take its links in turn."""
    rtts_ms = [round(float(rng.uniform(*_RTT_MS)), 3) for _ in range(subflows)]
    fastest = _MOST_SEGMENTS / subflows * path.PACKET_BYTES * 8 / (max(rtts_ms) * 1e3)
    slowest, most = _RATE_MBIT_S
    rates = [round(_log_uniform(rng, (slowest, min(most, fastest))), 3) for _ in range(links)]
    shaped = tuple(
        bottleneck_network.drop_tail(
            ((0.0, rate),),
            max(
                _LEAST_QUEUE_BYTES,
                round(rng.uniform(*_QUEUE_BDP) * bottleneck_network.round_trip_bytes(rate, rtts_ms[number])),
            ),
        )
        for number, rate in enumerate(rates)
    )
    rivals = tuple(
        Background(
            kind="reno",
            subflow=int(rng.integers(subflows)),
            enters="server",
            leaves="first_link",
            rate_mbit_s=None,
            start_s=round(float(rng.uniform(0.05, DURATION_S / 2)), 3),
            rtt_ms=round(float(rng.uniform(*_RTT_MS)), 3),
        )
        for _ in range(int(rng.integers(_MOST_RIVALS + 1)))
    )
    paths = tuple(
        SubflowPath(
            path=f"path{number}",
            links=(number % links,),
            bottleneck=((0.0, number % links),),
            start_s=_START_S,
            rtt_ms=rtt_ms,
            access=bottleneck_network.open_access(_loss(rng)),
        )
        for number, rtt_ms in enumerate(rtts_ms)
    )
    settings = bottleneck_network.sender(rng, "lia", rate_mbit_s=min(rates), receive_buffer_bytes=_RECEIVE_BUFFER_BYTES)
    controller = {"name": "rl_joint", "agent": "learnt", "sees": view}
    scenario = Scenario(
        seed=path.seed(rng),
        duration_s=DURATION_S,
        connection=settings.model_validate({**settings.model_dump(), "congestion_control": controller}),
        links=shaped,
        subflows=paths,
        background=rivals,
    )
    own = tuple(rates[number % links] for number in range(subflows))
    return Episode(scenario, own, sum(rates), tuple(rtt_ms / 1e3 for rtt_ms in rtts_ms))


def of_one_subflow(rng: np.random.Generator) -> Episode:
    """Draw an episode of MPLibra's agent: one subflow, one link, up to three rivals."""
    return _network(rng, 1, 1, "subflow")


def of_connection(rng: np.random.Generator) -> Episode:
    """Draw an episode of the agent that sees all subflows: two to five, on one link or a link each, up to three rivals.

    Two subflows are as likely as all other numbers together.
    """
    subflows = 2 if rng.integers(2) else int(rng.integers(3, _MOST_SUBFLOWS + 1))
    links = 1 if rng.integers(2) else subflows
    return _network(rng, subflows, links, "connection")
