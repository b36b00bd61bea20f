"""The dataset ``idle``: senders that leave their paths almost empty, so that nobody can know what they share.

An application sends at a small share of what the narrowest link could carry, or a segment now and then. Jitter of each
access link is drawn by itself. In one connection of four the last path is loaded by a flow of others, at a bottleneck
of its own. For each number there is a connection whose subflows meet at one bottleneck and one whose subflows have one
each; in the loaded ones every subflow has its own. The right answer for each pair is that nothing can be known.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios import path
from smartsbd.scenarios.diverse import log_uniform
from smartsbd.scenarios.scenario import Access, AnyAccess, Background, Place, Rate, Run, Scenario, SubflowPath

_RTT_MS = (5.0, 300.0)
_RATE_MBIT_S = (2.0, 100.0)
#: Of a link that a flow of others fills: with more, a run takes longer than what it simulates.
_LOADED_MBIT_S = (2.0, 16.0)
_QUEUE_RTTS = (0.3, 10.0)
_LONGEST_QUEUE_MS = 1000.0
#: Of the narrowest link's rate.
_SHARE = (0.02, 0.2)
#: A segment each, where the sender only asks whether the other end is there.
_PING_MS = (50.0, 1000.0)
_PINGS = 0.33
_WIRED_JITTER_MS = 0.3
_ACCESS_TIMES = (1.5, 8.0)
_LOADED_EVERY = 4
_HALF = 0.5
_BITS = 8
_SCHEDULERS: tuple[Literal["round_robin", "redundant", "min_rtt"], ...] = ("round_robin", "redundant", "min_rtt")
_WEIGHTS = (0.6, 0.2, 0.2)


def _access(rng: np.random.Generator, rate_mbit_s: float) -> AnyAccess:
    fast = round(rate_mbit_s * rng.uniform(*_ACCESS_TIMES), 3)
    kind = rng.choice(["plain", "wifi", "lte"])
    if kind == "wifi":
        return path.wifi(rng, fast)
    if kind == "lte":
        return path.lte(rng, fast)
    jitter_ms = round(rng.uniform(0, _WIRED_JITTER_MS), 3)
    return Access(rate_mbit_s=fast, queue_bytes=300_000, loss=0.0, jitter_ms=jitter_ms)


def _application(rng: np.random.Generator, rate_mbit_s: float, subflows: int) -> Rate:
    if rng.random() < _PINGS:
        ping_ms = log_uniform(rng, *_PING_MS) / subflows
        return Rate(rate_mbit_s=round(path.MSS_BYTES * _BITS / (1e3 * ping_ms), 4))
    return Rate(rate_mbit_s=round(max(0.01, log_uniform(rng, *_SHARE) * rate_mbit_s), 4))


def draw(number: int, groups: list[int], *, duration_s: float, seed: int, name: str) -> Run:
    """Draw a connection whose subflow `i` crosses bottleneck `groups[i]`.

    Parameters
    ----------
    number : int
        Of the connection: every fourth is loaded on its last path, and has a bottleneck for each subflow.
    groups : list of int
        Bottleneck of each subflow, where it is not loaded.
    duration_s : float, seconds
        Length of the transfer.
    seed : int
    name : str
        Of the dataset, for the truth table.

    Returns
    -------
    Run
        Its setting says whether a path is loaded.
    """
    rng = np.random.default_rng([seed, number, *groups])
    loaded = number % _LOADED_EVERY == _LOADED_EVERY - 1
    if loaded:
        groups = list(range(len(groups)))
    rtt_ms = [round(log_uniform(rng, *_RTT_MS), 3) for _ in groups]
    rates = [round(log_uniform(rng, *_RATE_MBIT_S), 3) for _ in range(max(groups) + 1)]
    if loaded:
        rates[-1] = round(log_uniform(rng, *_LOADED_MBIT_S), 3)
    place: Place = "server" if rng.random() < _HALF else "client"
    queue_ms = [min(log_uniform(rng, *_QUEUE_RTTS) * rtt_ms[group], _LONGEST_QUEUE_MS) for group in range(len(rates))]
    scheduler = _SCHEDULERS[int(rng.choice(len(_SCHEDULERS), p=_WEIGHTS))]
    connection = path.connection(rng, "lia", bottleneck_mbit_s=min(rates)).model_copy(
        update={"scheduler": scheduler, "application": _application(rng, min(rates), len(groups))}
    )
    accesses = [_access(rng, rates[group]) for group in groups]
    rival = Background(
        kind="cubic" if rng.random() < _HALF else "reno",
        subflow=len(groups) - 1,
        enters=place,
        rate_mbit_s=None,
        start_s=0.5,
        rtt_ms=round(max(rtt_ms) * 1.02, 3),
    )
    scenario = Scenario(
        seed=path.seed(rng),
        duration_s=path.CONNECTION_START_S + duration_s,
        connection=connection,
        links=tuple(path.shaped(place, rate, queue) for rate, queue in zip(rates, queue_ms, strict=True)),
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
        background=(rival,) if loaded else (),
    )
    return Run(scenario=scenario, site=None, setting=f"{name}, {'a path is loaded' if loaded else 'no path is loaded'}")


def dataset(*, connections_per_label: PositiveInt, duration_s: PositiveFloat, seed: NonNegativeInt) -> list[Run]:
    """Draw the dataset: connections of two subflows.

    Parameters
    ----------
    connections_per_label : int
        Drawn with a shared bottleneck, and as many without; every fourth of either is loaded, and then has two.
    duration_s : float, seconds
        Length of each transfer.
    seed : int

    Returns
    -------
    list of Run
        Those drawn with a shared bottleneck first.
    """
    return [
        draw(number, groups, duration_s=duration_s, seed=seed, name="idle")
        for groups in ([0, 0], [0, 1])
        for number in range(connections_per_label)
    ]
