"""The dataset ``idle_linux``: connections that send next to nothing, for a Linux kernel (``sbd testbed``).

No queue stands at their bottlenecks, so nothing can be known of whether these are shared, and a verdict is luck. An
application sends at 2 to 20 % of the smallest capacity on the way, or a few segments every 50 to 1000 ms (pings). The
jitter of each access link is drawn by itself. Every second connection has one bottleneck, the others have two. Of
these, every second has a bulk flow beside one of its subflows: one path is loaded, the other is idle. The loaded
bottlenecks are separate ones, because a shared one would be loaded for both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios import path
from smartsbd.scenarios.diverse import log_uniform
from smartsbd.scenarios.scenario import Access, AnyAccess, Background, Link, Rate, Run, Scenario, SubflowPath

_BITS = 8
_RTT_MS = (5.0, 300.0)
_RATE_MBIT_S = (2.0, 100.0)
_QUEUE_RTTS = (0.5, 4.0)
_LONGEST_QUEUE_MS = 2000.0
_EQUAL_PATHS = 0.25
_EQUAL_BOTTLENECKS = 0.5
_AT_SERVER = 0.5
#: An access link is this many times as fast as the fastest bottleneck.
_ACCESS_TIMES = (2.5, 8.0)
_WIRED_JITTER_MS = (0.0, 0.05)
#: What the application sends, over the smallest capacity on the way.
_SHARE = (0.02, 0.2)
#: The least rate that a scenario can have.
_LEAST_MBIT_S = 0.01
_PING_MS = (50.0, 1000.0)
#: Segments that are there at once. Linux gives a second subflow nothing unless the first has data under way.
_PIECE_SEGMENTS = (2, 4)
#: Jitter beside that of the access links: far below it.
_HOST_DELAY_US = 100.0
#: A bulk flow with a longer round trip would not fill the fastest queue in time.
_RIVAL_RTT_MS = (10.0, 100.0)
_CUBIC_RIVAL = 0.5
_RIVAL_START_S = (0.05, 0.5)
_CONTROLLERS = ("reno", "cubic", "bbr")


@dataclass(frozen=True)
class _Kind:
    """What a connection is, by its number: so each kind occurs as often as it should, whatever the seed."""

    shared: bool
    loaded: bool
    pings: bool

    @classmethod
    def of(cls, number: int) -> _Kind:
        return cls(shared=number % 2 == 0, loaded=number % 4 == 1, pings=number // 4 % 2 == 1)

    @property
    def setting(self) -> str:
        return f"{'half-loaded' if self.loaded else 'idle'}, {'pings' if self.pings else 'rate'}"


def _access(rng: np.random.Generator, rate_mbit_s: float) -> AnyAccess:
    fast = rate_mbit_s * rng.uniform(*_ACCESS_TIMES)
    kind = rng.choice(["plain", "wifi", "lte"])
    if kind == "plain":
        jitter_ms = round(rng.uniform(*_WIRED_JITTER_MS), 3)
        return Access(kind="plain", rate_mbit_s=round(fast, 3), queue_bytes=300_000, loss=0.0, jitter_ms=jitter_ms)
    return path.wifi(rng, fast) if kind == "wifi" else path.lte(rng, fast)


def application(rng: np.random.Generator, capacity_mbit_s: float, *, pings: bool, subflows: int = 2) -> Rate:
    """Draw what gives an idle connection its data.

    Parameters
    ----------
    rng : numpy.random.Generator
    capacity_mbit_s : float, Mbit/s
        Smallest on the way.
    pings : bool
        A piece every 50 to 1000 ms, in place of a share of the capacity. No more than the largest share either way.
    subflows : int
        A piece has a segment for each at least.

    Returns
    -------
    Rate
        Payload in Mbit/s, and the bytes of a piece.
    """
    piece_bytes = path.MSS_BYTES * int(rng.integers(max(_PIECE_SEGMENTS[0], subflows), _PIECE_SEGMENTS[1] + 1))
    rate_mbit_s = log_uniform(rng, *_SHARE) * capacity_mbit_s
    if pings:
        every_ms = log_uniform(rng, *_PING_MS)
        rate_mbit_s = min(piece_bytes * _BITS / every_ms / 1e3, _SHARE[1] * capacity_mbit_s)
    return Rate(rate_mbit_s=max(round(rate_mbit_s, 6), _LEAST_MBIT_S), piece_bytes=piece_bytes)


def _links(rng: np.random.Generator, count: int, rtt_ms: float) -> tuple[Link, ...]:
    rates = [log_uniform(rng, *_RATE_MBIT_S) for _ in range(count)]
    if rng.random() < _EQUAL_BOTTLENECKS:
        rates = rates[:1] * count
    return tuple(
        path.shaped(
            "server" if rng.random() < _AT_SERVER else "client",
            rate,
            min(log_uniform(rng, *_QUEUE_RTTS) * rtt_ms, _LONGEST_QUEUE_MS),
        )
        for rate in rates
    )


def _rival(rng: np.random.Generator, links: tuple[Link, ...], rtt_ms: list[float]) -> tuple[Link, Background]:
    """Draw a bulk flow, and the link that it loads with a queue that it can keep from being empty."""
    loaded = int(rng.integers(0, len(links)))
    link = links[loaded]
    rtt = log_uniform(rng, *_RIVAL_RTT_MS)
    if link.place == "server":
        # What enters before the backbone cannot be nearer than the backbone is long.
        rtt = max(rtt, rtt_ms[loaded] * 1.02)
    queue_bytes = max(link.queue_bytes, round(link.rate_at_mbit_s(0) * rtt * 125))
    flow = Background(
        kind="cubic" if rng.random() < _CUBIC_RIVAL else "reno",
        subflow=loaded,
        enters=link.place,
        rate_mbit_s=None,
        start_s=round(rng.uniform(*_RIVAL_START_S), 6),
        rtt_ms=round(rtt, 3),
    )
    return link.model_copy(update={"queue_bytes": queue_bytes}), flow


def draw(rng: np.random.Generator, number: int, *, duration_s: float) -> Run:
    """Draw a connection of two subflows.

    Parameters
    ----------
    rng : numpy.random.Generator
    number : int
        Of the connection: decides whether its bottleneck is shared, whether a path is loaded, and what it sends.
    duration_s : float, seconds
        Length of the transfer.

    Returns
    -------
    Run
        Its setting says whether a path is loaded, and what it sends.
    """
    kind = _Kind.of(number)
    rtt_ms = [log_uniform(rng, *_RTT_MS) for _ in range(2)]
    if rng.random() < _EQUAL_PATHS:
        rtt_ms = [rtt_ms[0] * rng.uniform(0.99, 1.01) for _ in range(2)]
    links = _links(rng, 1 if kind.shared else 2, sum(rtt_ms) / 2)
    fastest = max(link.rate_at_mbit_s(0) for link in links)
    accesses = [_access(rng, fastest) for _ in range(2)]
    sent = application(rng, min(link.rate_at_mbit_s(0) for link in links), pings=kind.pings)
    background: tuple[Background, ...] = ()
    if kind.loaded:
        link, flow = _rival(rng, links, rtt_ms)
        links = tuple(link if index == flow.subflow else unloaded for index, unloaded in enumerate(links))
        background = (flow,)
    connection = path.connection(rng, str(rng.choice(_CONTROLLERS)), bottleneck_mbit_s=fastest).model_copy(
        update={"application": sent, "host_delay_us": _HOST_DELAY_US}
    )
    groups = (0, 0) if kind.shared else (0, 1)
    subflows = tuple(
        SubflowPath(
            path=accesses[index].kind,
            links=(group,),
            bottleneck=((0.0, group),),
            start_s=path.start_s(index),
            rtt_ms=round(rtt_ms[index], 3),
            access=accesses[index],
        )
        for index, group in enumerate(groups)
    )
    scenario = Scenario(
        seed=path.seed(rng),
        duration_s=path.CONNECTION_START_S + duration_s,
        connection=connection,
        links=links,
        subflows=subflows,
        background=background,
    )
    return Run(scenario=scenario, site=None, setting=kind.setting)


def dataset(
    *, connections: PositiveInt, duration_s: PositiveFloat, seed: NonNegativeInt, attempt: NonNegativeInt
) -> list[Run]:
    """Draw the dataset.

    Parameters
    ----------
    connections : int
        Number of connections; of four, two have a shared bottleneck, one has two, one has two of which one is loaded.
    duration_s : float, seconds
        Length of each transfer.
    seed : int
    attempt : int
        0, or how often connections are drawn again that did not come to their end: each with the number that follows
        those of all before, and of the same kind.

    Returns
    -------
    list of Run
        In order of their numbers.
    """
    return [
        draw(np.random.default_rng([seed, attempt * connections + number]), number, duration_s=duration_s)
        for number in range(connections)
    ]
