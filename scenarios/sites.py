"""The dataset ``sites``: SmartSBD's Table 2, servers at fixed places with fixed bottleneck rates.

Shared: one bottleneck at the server's uplink, and the background crosses the access links only.
Non-shared: WiFi and LTE are throttled at the client, and the background crosses the bottlenecks
(section 3.1; 3.5 Mbit/s on WiFi and 1.5 on LTE, the assignment is ours). Each connection draws its
own RTTs, losses, jitter, queues and starts, from the same distributions for both labels.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import NonNegativeInt, PositiveInt

from smartsbd.scenarios import path
from smartsbd.scenarios.scenario import (
    Background,
    CongestionControl,
    Link,
    Names,
    Run,
    Scenario,
    ScenarioError,
    SubflowPath,
)

_SHARED_MBIT_S = 8.0
_OWN_MBIT_S = (7.0, 3.0)
_BACKGROUND_MBIT_S = (3.5, 1.5)
#: The background server is near the client (Table 2: Beijing or Shanghai), whatever the site.
_BACKGROUND_RTT_MS = ((20.0, 45.0), (45.0, 80.0))
_PATHS = ("wifi", "lte")
#: Deviation of the logarithm of a path's RTT from connection to connection.
_RTT_SPREAD = 0.1
#: Queues of the shapers, in round trips of their path (drop-tail; not in the paper).
_QUEUE_RTTS = (0.6, 1.6)


@dataclass(frozen=True)
class Site:
    """A server's place: run time (Table 2) and typical minimum RTTs of WiFi and LTE (Fig. 3)."""

    duration_s: float
    rtt_ms: tuple[float, float]


SITES = {
    "shanghai": Site(duration_s=20.0, rtt_ms=(24.0, 60.0)),
    "guangzhou": Site(duration_s=20.0, rtt_ms=(45.0, 80.0)),
    "silicon_valley": Site(duration_s=30.0, rtt_ms=(160.0, 220.0)),
    "frankfurt": Site(duration_s=30.0, rtt_ms=(240.0, 320.0)),
}


def check_known(sites: Collection[str]) -> None:
    """Make sure that sites are known.

    Parameters
    ----------
    sites : collection of str

    Raises
    ------
    ScenarioError
        With those that are not in :data:`SITES`.
    """
    unknown = sorted(set(sites) - set(SITES))
    if unknown:
        raise ScenarioError(f"sites {unknown} are unknown, known are {sorted(SITES)}")


def _links(rng: np.random.Generator, shared: bool, rtt_ms: tuple[float, float]) -> tuple[Link, ...]:
    queue_rtts = rng.uniform(*_QUEUE_RTTS, size=2)
    if shared:
        return (path.shaped("server", _SHARED_MBIT_S, queue_rtts[0] * sum(rtt_ms) / 2),)
    return tuple(path.shaped("client", _OWN_MBIT_S[index], queue_rtts[index] * rtt_ms[index]) for index in range(2))


def _background(rng: np.random.Generator, enters: Literal["client", "access"]) -> tuple[Background, ...]:
    return tuple(
        Background(
            kind="reno",
            subflow=index,
            enters=enters,
            rate_mbit_s=_BACKGROUND_MBIT_S[index],
            start_s=round(rng.uniform(0.05, 0.9), 6),
            rtt_ms=round(rng.uniform(*_BACKGROUND_RTT_MS[index]), 3),
        )
        for index in range(2)
    )


def draw(site: str, *, shared: bool, congestion_control: CongestionControl, rng: np.random.Generator) -> Run:
    """Draw one connection.

    Parameters
    ----------
    site : str
        Name in :data:`SITES`.
    shared : bool
        The label to build.
    congestion_control : str
        Controller at the sender; LIA in the paper.
    rng : numpy.random.Generator
        Everything random comes from it.

    Returns
    -------
    Run
        Its setting is ``table2``.
    """
    place = SITES[site]
    spread = np.exp(rng.normal(0.0, _RTT_SPREAD, size=2))
    rtt_ms = (round(place.rtt_ms[0] * spread[0], 3), round(place.rtt_ms[1] * spread[1], 3))
    accesses = (path.wifi(rng, rng.uniform(20, 50)), path.lte(rng, rng.uniform(15, 35)))
    scenario = Scenario(
        seed=path.seed(rng),
        duration_s=path.CONNECTION_START_S + place.duration_s,
        connection=path.connection(rng, congestion_control, bottleneck_mbit_s=_SHARED_MBIT_S),
        links=_links(rng, shared, rtt_ms),
        subflows=tuple(
            SubflowPath(
                path=_PATHS[index],
                links=(0 if shared else index,),
                bottleneck=((0.0, 0 if shared else index),),
                start_s=path.start_s(index),
                rtt_ms=rtt_ms[index],
                access=accesses[index],
            )
            for index in range(2)
        ),
        background=_background(rng, "access" if shared else "client"),
    )
    return Run(scenario=scenario, site=site, setting="table2")


def dataset(
    *, sites: Names, connections_per_label: PositiveInt, congestion_control: CongestionControl, seed: NonNegativeInt
) -> list[Run]:
    """Draw the whole dataset.

    Parameters
    ----------
    sites : list of str
        Names in :data:`SITES`.
    connections_per_label : int
        Shared and as many non-shared connections of each site.
    congestion_control : str
    seed : int

    Returns
    -------
    list of Run
        Site by site, shared ones first.

    Raises
    ------
    ScenarioError
        If a site is unknown.
    """
    check_known(sites)
    return [
        draw(
            site,
            shared=shared,
            congestion_control=congestion_control,
            rng=np.random.default_rng([seed, *site.encode(), int(shared), number]),
        )
        for site in sites
        for shared in (True, False)
        for number in range(connections_per_label)
    ]
