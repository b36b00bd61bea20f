"""The dataset ``diverse``: settings drawn so that none of them reveals the label.

A bottleneck is drawn as (flows that cross it, fair share of a flow, queueing time, place); its rate
is flows times share. A shared connection has one such bottleneck, crossed by both subflows; a
non-shared one has two, each crossed by one subflow and by one background flow more, so that as many
flows meet at each. In half of the non-shared connections both bottlenecks have the same settings:
equal rates or queues do not mean sharing. RTTs, losses, jitter, controllers and access links come from
the same distributions for both labels. docs/experiments/diverse-background.md has what was mended.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios import path
from smartsbd.scenarios.scenario import (
    Background,
    CongestionControl,
    Link,
    LteAccess,
    Place,
    Run,
    Scenario,
    SubflowPath,
    WifiAccess,
)

_RTT_MS = (14.0, 250.0)
#: Shortest RTT of a background flow.
_NEAREST_MS = 10.0
_FLOWS = (2, 3, 4)
_SHARE_MBIT_S = (0.6, 4.0)
#: Queueing time of a full queue in round trips (mean of both paths), and its bounds.
_QUEUE_RTTS = (0.3, 4.0)
_QUEUE_MS = (15.0, 500.0)
_LOSSLESS = 0.4
_LOSS = (1e-4, 1e-2)
_CONTROLLERS: tuple[tuple[CongestionControl, float], ...] = (("lia", 0.6), ("reno", 0.25), ("cubic", 0.15))
_BACKGROUNDS = (("reno", 0.5), ("cubic", 0.3), ("web", 0.2))
_ECN = 0.15
_SERVER = 0.5
_WIFI = 0.5
_EQUAL_SETTINGS = 0.5
#: An access link is this many times as fast as the bottleneck before it.
_ACCESS_TIMES = (2.5, 8.0)


@dataclass(frozen=True)
class _DiverseBottleneck:
    flows: int
    share_mbit_s: float
    queue_ms: float
    place: Place

    @property
    def rate_mbit_s(self) -> float:
        return self.flows * self.share_mbit_s


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    """Draw from [low, high] with a uniform logarithm.

    Parameters
    ----------
    rng : numpy.random.Generator
    low, high : float
        Bounds, above 0.

    Returns
    -------
    float
        In [`low`, `high`].
    """
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _choose(rng: np.random.Generator, options: tuple[tuple[str, float], ...]) -> str:
    names, weights = zip(*options, strict=True)
    return str(rng.choice(names, p=weights))


def _bottleneck(rng: np.random.Generator, rtt_ms: float) -> _DiverseBottleneck:
    return _DiverseBottleneck(
        flows=int(rng.choice(_FLOWS)),
        share_mbit_s=log_uniform(rng, *_SHARE_MBIT_S),
        queue_ms=float(np.clip(log_uniform(rng, *_QUEUE_RTTS) * rtt_ms, *_QUEUE_MS)),
        place="server" if rng.random() < _SERVER else "client",
    )


def _access(rng: np.random.Generator, rate_mbit_s: float) -> WifiAccess | LteAccess:
    fast = rate_mbit_s * rng.uniform(*_ACCESS_TIMES)
    access = path.wifi(rng, fast) if rng.random() < _WIFI else path.lte(rng, fast)
    loss = 0.0 if rng.random() < _LOSSLESS else log_uniform(rng, *_LOSS)
    return access.model_copy(update={"loss": round(loss, 6)})


def _background(
    rng: np.random.Generator, members: list[int], bottleneck: _DiverseBottleneck, rtt_ms: list[float]
) -> list[Background]:
    """Fill a bottleneck up to its number of flows; each follows a random one of its subflows to the end."""
    flows = []
    for _ in range(bottleneck.flows - len(members)):
        subflow = int(rng.choice(members))
        # What enters before the backbone cannot be nearer than the backbone is long.
        shortest_ms = rtt_ms[subflow] if bottleneck.place == "server" else _NEAREST_MS
        kind = _choose(rng, _BACKGROUNDS)
        flows.append(
            Background(
                kind=kind,  # type: ignore[arg-type]
                subflow=subflow,
                enters=bottleneck.place,
                rate_mbit_s=round(bottleneck.share_mbit_s, 3) if kind == "web" else None,
                start_s=round(rng.uniform(0.05, 0.9), 6),
                rtt_ms=round(max(log_uniform(rng, *_RTT_MS), shortest_ms * 1.02), 3),
            )
        )
    return flows


def draw_group(rng: np.random.Generator, groups: list[int], *, duration_s: float, setting: str) -> Run:
    """Draw a connection whose subflow `i` crosses bottleneck `groups[i]`.

    Parameters
    ----------
    rng : numpy.random.Generator
    groups : list of int
        Bottleneck of each subflow; numbers from 0 without a gap.
    duration_s : float
        Length of the transfer.
    setting : str
        Name in the truth table.

    Returns
    -------
    Run
        Without a site.
    """
    count = max(groups) + 1
    rtt_ms = [round(log_uniform(rng, *_RTT_MS), 3) for _ in groups]
    mean_rtt_ms = sum(rtt_ms) / len(rtt_ms)
    candidates = [_bottleneck(rng, mean_rtt_ms) for _ in range(count)]
    if rng.random() < _EQUAL_SETTINGS:
        candidates = [candidates[0]] * count
    controller = _choose(rng, _CONTROLLERS)
    ecn = bool(rng.random() < _ECN)
    members = [
        [index for index, subflow_group in enumerate(groups) if subflow_group == group] for group in range(count)
    ]
    # As many flows meet at a bottleneck whichever the label: at least those of its own subflows.
    bottlenecks = [
        _DiverseBottleneck(
            max(bottleneck.flows, len(members[group])), bottleneck.share_mbit_s, bottleneck.queue_ms, bottleneck.place
        )
        for group, bottleneck in enumerate(candidates)
    ]
    background: list[Background] = []
    for group, bottleneck in enumerate(bottlenecks):
        background += _background(rng, members[group], bottleneck, rtt_ms)
    links: tuple[Link, ...] = tuple(
        path.shaped(bottleneck.place, bottleneck.rate_mbit_s, bottleneck.queue_ms, marks=ecn)
        for bottleneck in bottlenecks
    )
    accesses = [_access(rng, bottlenecks[group].rate_mbit_s) for group in groups]
    scenario = Scenario(
        seed=path.seed(rng),
        duration_s=path.CONNECTION_START_S + duration_s,
        connection=path.connection(
            rng,
            controller,
            bottleneck_mbit_s=bottlenecks[0].rate_mbit_s,
            ecn=ecn,
        ),
        links=links,
        subflows=tuple(
            SubflowPath(
                path=accesses[index].kind,
                links=(group,),
                bottleneck=((0.0, group),),
                start_s=path.start_s(index),
                rtt_ms=rtt_ms[index],
                access=accesses[index],
            )
            for index, group in enumerate(groups)
        ),
        background=tuple(background),
    )
    return Run(scenario=scenario, site=None, setting=setting)


def dataset(*, connections_per_label: PositiveInt, duration_s: PositiveFloat, seed: NonNegativeInt) -> list[Run]:
    """Draw the dataset: as many shared as non-shared connections of two subflows.

    Parameters
    ----------
    connections_per_label : int
        Shared, and as many non-shared connections.
    duration_s : float, seconds
        Length of each transfer.
    seed : int

    Returns
    -------
    list of Run
        Shared ones first.
    """
    return [
        draw_group(
            np.random.default_rng([seed, int(shared), number]),
            [0, 0] if shared else [0, 1],
            duration_s=duration_s,
            setting="diverse",
        )
        for shared in (True, False)
        for number in range(connections_per_label)
    ]
