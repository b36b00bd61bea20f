"""The dataset ``sites``: SmartSBD's Table 2, servers at fixed places with fixed bottleneck rates.

Shared: one bottleneck at the server's uplink, and the background crosses the access links only.
Non-shared: WiFi and LTE are throttled apart, and the background crosses the bottlenecks (section 3.1;
rates 3.5 Mbit/s on WiFi and 1.5 on LTE, the assignment is ours). Each connection draws its own RTTs,
losses, jitter, queues and starts, from the same distributions for both labels; what the paper does
not give is our assumption and stands here as a constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from scenarios.scenario import (
    Access,
    Background,
    Bottleneck,
    ConnectionSettings,
    Run,
    Scenario,
    ScenarioError,
    SubflowPath,
)

_SHARED_MBIT_S = 8.0
_WIFI_MBIT_S = 7.0
_LTE_MBIT_S = 3.0
_WIFI_BACKGROUND_MBIT_S = 3.5
_LTE_BACKGROUND_MBIT_S = 1.5
_BOTTLENECK_DELAY_MS = 1.0
_MSS_BYTES = 1400
_RECEIVE_BUFFER_BYTES = 6 << 20
_RTT_SPREAD = 0.1
_CONNECTION_START_S = 1.0


@dataclass(frozen=True)
class Site:
    """A server's place: run time (Table 2) and typical minimum RTTs of both paths (Fig. 3)."""

    duration_s: float
    wifi_rtt_ms: float
    lte_rtt_ms: float


SITES = {"shanghai": Site(duration_s=20.0, wifi_rtt_ms=24.0, lte_rtt_ms=60.0)}


def _queue_bytes(rng: np.random.Generator, rate_mbit_s: float, rtt_ms: float, low: float, high: float) -> int:
    """Draw a queue of `low` to `high` bandwidth-delay products, at least ten packets."""
    bdp_bytes = rate_mbit_s * rtt_ms * 125
    return int(max(10 * 1500, bdp_bytes * rng.uniform(low, high)))


def _wifi_access(rng: np.random.Generator) -> Access:
    return Access(
        rate_mbit_s=round(rng.uniform(20, 50), 3),
        queue_bytes=300_000,
        loss=round(rng.uniform(0.0, 0.003), 6),
        jitter_ms=round(rng.uniform(0.5, 4.0), 3),
    )


def _lte_access(rng: np.random.Generator) -> Access:
    return Access(
        rate_mbit_s=round(rng.uniform(12, 30), 3),
        queue_bytes=600_000,
        loss=round(rng.uniform(0.0, 0.001), 6),
        jitter_ms=round(rng.uniform(1.0, 8.0), 3),
    )


def _bottlenecks(rng: np.random.Generator, shared: bool, rtt_ms: tuple[float, float]) -> tuple[Bottleneck, ...]:
    queues = rng.uniform(0.6, 1.6, size=2)
    if shared:
        rates: tuple[tuple[float, float], ...] = ((_SHARED_MBIT_S, sum(rtt_ms) / 2),)
    else:
        rates = ((_WIFI_MBIT_S, rtt_ms[0]), (_LTE_MBIT_S, rtt_ms[1]))
    return tuple(
        Bottleneck(
            rate_mbit_s=rate_mbit_s,
            delay_ms=_BOTTLENECK_DELAY_MS,
            queue_bytes=_queue_bytes(rng, rate_mbit_s, path_rtt_ms, queue, queue),
        )
        for (rate_mbit_s, path_rtt_ms), queue in zip(rates, queues, strict=False)
    )


def draw(site: str, *, shared: bool, congestion_control: Literal["lia", "reno"], rng: np.random.Generator) -> Run:
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
    """
    place = SITES[site]
    spread = np.exp(rng.normal(0.0, _RTT_SPREAD, size=2))
    rtt_ms = (round(place.wifi_rtt_ms * spread[0], 3), round(place.lte_rtt_ms * spread[1], 3))
    accesses = (_wifi_access(rng), _lte_access(rng))
    bottlenecks = _bottlenecks(rng, shared, rtt_ms)
    starts_s = rng.uniform(0.05, 0.9, size=2)
    background_rtt_ms = np.array(rtt_ms) * rng.uniform(1.0, 1.5, size=2)
    paths: tuple[Literal["wifi", "lte"], Literal["wifi", "lte"]] = ("wifi", "lte")
    scenario = Scenario(
        seed=int(rng.integers(1, 2**31)),
        duration_s=_CONNECTION_START_S + place.duration_s,
        connection=ConnectionSettings(
            token=f"{rng.integers(1, 2**32):08x}",
            congestion_control=congestion_control,
            mss_bytes=_MSS_BYTES,
            receive_buffer_bytes=_RECEIVE_BUFFER_BYTES,
        ),
        bottlenecks=bottlenecks,
        subflows=tuple(
            SubflowPath(
                path=paths[index],
                bottleneck=0 if shared else index,
                start_s=round(_CONNECTION_START_S + 0.1 * index, 6),
                rtt_ms=rtt_ms[index],
                access=accesses[index],
            )
            for index in range(2)
        ),
        background=tuple(
            Background(
                subflow=index,
                enters="access" if shared else "bottleneck",
                rate_mbit_s=(_WIFI_BACKGROUND_MBIT_S, _LTE_BACKGROUND_MBIT_S)[index],
                congestion_control="reno",
                start_s=round(starts_s[index], 6),
                rtt_ms=round(background_rtt_ms[index], 3),
            )
            for index in range(2)
        ),
    )
    return Run(scenario=scenario, site=site, setting="table2")


def dataset(
    *, sites: list[str], connections_per_label: int, congestion_control: Literal["lia", "reno"], seed: int
) -> list[Run]:
    """Draw the whole dataset, in an order that tells nothing of label or site.

    Parameters
    ----------
    sites : list of str
        Names in :data:`SITES`.
    connections_per_label : int
        Shared and as many non-shared connections of each site.
    congestion_control : str
    seed : int

    Raises
    ------
    ScenarioError
        If a site is unknown.
    """
    unknown = sorted(set(sites) - set(SITES))
    if unknown:
        raise ScenarioError(f"sites {unknown} are unknown, known are {sorted(SITES)}")
    runs = [
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
    order = np.random.default_rng([seed, len(runs)]).permutation(len(runs))
    return [runs[position] for position in order]
