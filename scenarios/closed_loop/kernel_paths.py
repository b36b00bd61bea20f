"""Two wired paths that a testbed on one machine can have too: bottlenecks of their own, or one for both.

Each bottleneck has one bulk flow (Reno) beside the connection, with the base RTT of a subflow that crosses it, and a
queue of one of its largest base RTT. Base RTTs are 30 to 60 ms, so that T is 1.5 to 3 s.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios import path
from smartsbd.scenarios.closed_loop.loop_experiment import LoopExperiment, LoopNetwork
from smartsbd.scenarios.scenario import Access, Background, Link, Scenario, SubflowPath

#: Rates of a path's own bottleneck, and of one for both.
_OWN_MBIT_S, _SHARED_MBIT_S = (4.0, 6.0), (8.0, 10.0)
_RTT_MS = (30.0, 60.0)
_ACCESS_MBIT_S = 100.0
_ACCESS_QUEUE_BYTES = 2_000_000
#: Kinds of networks.
OWN, SHARED = "own links", "one link"


def _scenario(kind: str, duration_s: float, rng: np.random.Generator) -> Scenario:
    rtts_ms = [round(float(rng.uniform(*_RTT_MS)), 3) for _ in range(2)]
    links: tuple[Link, ...]
    if kind == SHARED:
        links = (path.shaped("server", round(float(rng.uniform(*_SHARED_MBIT_S)), 3), max(rtts_ms)),)
        crossed = (0, 0)
    else:
        rates = [round(float(rng.uniform(*_OWN_MBIT_S)), 3) for _ in range(2)]
        links = tuple(path.shaped("client", rate, rtt_ms) for rate, rtt_ms in zip(rates, rtts_ms, strict=True))
        crossed = (0, 1)
    slowest = min(link.rate_at_mbit_s(0.0) for link in links)
    subflows = tuple(
        SubflowPath(
            path="wired",
            links=(link,),
            bottleneck=((0.0, link),),
            start_s=path.start_s(number),
            rtt_ms=rtt_ms,
            access=Access(rate_mbit_s=_ACCESS_MBIT_S, queue_bytes=_ACCESS_QUEUE_BYTES, loss=0.0, jitter_ms=0.0),
        )
        for number, (link, rtt_ms) in enumerate(zip(crossed, rtts_ms, strict=True))
    )
    beside = tuple(
        Background(
            kind="reno",
            subflow=crossed.index(link),
            enters="server" if kind == SHARED else "client",
            rate_mbit_s=None,
            start_s=round(float(rng.uniform(0.05, 0.9)), 6),
            rtt_ms=rtts_ms[crossed.index(link)],
        )
        for link in range(len(links))
    )
    return Scenario(
        seed=path.seed(rng),
        duration_s=path.CONNECTION_START_S + duration_s,
        connection=path.connection(rng, "lia", bottleneck_mbit_s=slowest),
        links=links,
        subflows=subflows,
        background=beside,
    )


def draw(*, runs: PositiveInt, duration_s: PositiveFloat, seed: NonNegativeInt) -> Iterator[LoopNetwork]:
    """Draw networks of either kind.

    Parameters
    ----------
    runs : int
        Networks of each kind.
    duration_s : float, seconds
        Length of each transfer.
    seed : int

    Yields
    ------
    LoopNetwork
        First those with links of their own.
    """
    for kind in (OWN, SHARED):
        for number in range(runs):
            rng = np.random.default_rng([seed, *kind.encode(), number])
            rival = 0 if kind == SHARED else None
            yield LoopNetwork(kind, "wired", number, _scenario(kind, duration_s, rng), rival=rival)


EXPERIMENT = LoopExperiment(draw, ("lia", "reno", "oracle", "lag_excess"))
