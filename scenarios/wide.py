"""The dataset ``wide``: what is rare in other datasets, for instance few rivals, deep queues, senders that pause.

Settings are drawn once for both labels: for each number there is a connection whose subflows meet at one bottleneck,
and one whose subflows have a bottleneck each, with the same paths, rates, queues, losses, rivals, controller and
sender. The shared bottleneck is that of the other label's first subflow. So no setting reveals the label.

A bottleneck counts only if it was full (``validate.method``): rates are such that what crosses it can fill it in spite
of the losses drawn, and a sender that does not always have data has rivals that do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios import path
from smartsbd.scenarios.diverse import log_uniform
from smartsbd.scenarios.scenario import (
    Access,
    AnyAccess,
    Background,
    CongestionControl,
    OnOff,
    Place,
    Rate,
    Run,
    Scenario,
    SubflowPath,
)

Interval = tuple[float, float]
_BITS = 8
#: Reno's rate is this over the square root of the loss, packets a round trip (Mathis and others, 1997), and the share
#: of it that is counted on.
_MATHIS = 1.22
_COUNTED_ON = 0.4
#: An access link is this many times as fast as the bottleneck before it.
_ACCESS_TIMES = (2.5, 8.0)


@dataclass(frozen=True)
class Ranges:
    """What is drawn from; intervals by a uniform logarithm unless said otherwise.

    Attributes
    ----------
    rtt_ms, rate_mbit_s, queue_rtts, loss : (low, high)
        Of a path, of a bottleneck, of its full queue in round trips (mean of the paths), of an access link.
    longest_queue_ms : float
        Bound of the queue.
    equal_paths, equal_bottlenecks, lossless, alone, server, marks : float
        Probabilities: of paths of equal RTT, of bottlenecks of equal settings, of an access link without loss, of
        bottlenecks without rivals, of a bottleneck before the backbone, of queues that mark.
    bulk : float
        Probability that a sender always has data.
    on_off : float, optional
        Probability that a sender is on and off; without it half of those that do not always have data are. All others
        have a constant rate.
    on_s, off_s : (low, high)
        Means of the periods.
    rate_share : (low, high)
        A sender's constant rate over the shared bottleneck's, uniform.
    controllers : tuple of (name, weight)
    min_rtt : float
        Probability of the scheduler of smallest RTTs; else it is round robin.
    rivals : int
        Most that meet at a bottleneck beside the connection.
    """

    rtt_ms: Interval = (10.0, 250.0)
    rate_mbit_s: Interval = (1.0, 16.0)
    queue_rtts: Interval = (0.2, 30.0)
    loss: Interval = (1e-4, 3e-2)
    longest_queue_ms: float = 2500.0
    equal_paths: float = 0.25
    equal_bottlenecks: float = 0.5
    lossless: float = 0.4
    alone: float = 0.5
    server: float = 0.5
    marks: float = 0.0
    bulk: float = 0.7
    on_off: float | None = None
    on_s: Interval = (1.0, 8.0)
    off_s: Interval = (0.5, 4.0)
    rate_share: Interval = (0.3, 0.9)
    controllers: tuple[tuple[CongestionControl, float], ...] = (("lia", 0.5), ("reno", 0.25), ("cubic", 0.25))
    min_rtt: float = 0.5
    rivals: int = 3


RANGES = Ranges()


@dataclass(frozen=True)
class Rival:
    """Who else meets at a bottleneck."""

    kind: Literal["reno", "cubic", "web"]
    start_s: float
    rtt_ms: float


@dataclass(frozen=True)
class _WideBottleneck:
    rate_mbit_s: float
    queue_ms: float
    place: Place
    rivals: tuple[Rival, ...]


@dataclass(frozen=True)
class _Settings:
    """What both labels have alike."""

    controller: CongestionControl
    scheduler: Literal["min_rtt", "round_robin"]
    sender: Literal["bulk", "on_off", "rate"]
    on_s: float
    off_s: float
    rate_share: float
    marks: bool
    rtt_ms: tuple[float, ...]
    accesses: tuple[AnyAccess, ...]
    bottlenecks: tuple[_WideBottleneck, ...]


def draw_rivals(
    rng: np.random.Generator, ranges: Ranges, rtt_ms: Sequence[float], *, always: bool
) -> tuple[Rival, ...]:
    """Draw who else meets at a bottleneck; the first always has data.

    Parameters
    ----------
    rng : numpy.random.Generator
    ranges : Ranges
    rtt_ms : sequence of float, milliseconds
        Of the paths that cross the bottleneck.
    always : bool
        There is a rival at least.

    Returns
    -------
    tuple of Rival
        Empty if nobody else is there.
    """
    if not always and rng.random() < ranges.alone:
        return ()
    kinds: list[Literal["reno", "cubic", "web"]] = ["reno", "cubic", "web"]
    rivals = []
    for number in range(int(rng.integers(1, ranges.rivals + 1))):
        kind = kinds[int(rng.choice(3, p=(0.5, 0.3, 0.2)))]
        rivals.append(
            Rival(
                kind=kinds[int(rng.integers(0, 2))] if number == 0 else kind,
                start_s=round(rng.uniform(0.05, 0.9), 6),
                # What enters before the backbone cannot be nearer than the backbone is long.
                rtt_ms=round(max(log_uniform(rng, *ranges.rtt_ms), max(rtt_ms) * 1.02), 3),
            )
        )
    return tuple(rivals)


def _fillable_mbit_s(rtt_ms: float, loss: float) -> float:
    """Return the rate that a Reno flow can be counted on to reach."""
    if not loss:
        return math.inf
    return _COUNTED_ON * _MATHIS * path.PACKET_BYTES * _BITS / (rtt_ms * 1e3 * math.sqrt(loss))


def _access(rng: np.random.Generator, ranges: Ranges, rate_mbit_s: float) -> AnyAccess:
    fast = rate_mbit_s * rng.uniform(*_ACCESS_TIMES)
    kind = rng.choice(["plain", "wifi", "lte"])
    loss = 0.0 if rng.random() < ranges.lossless else round(log_uniform(rng, *ranges.loss), 6)
    if kind == "plain":
        jitter_ms = round(rng.uniform(0, 4.0), 3)
        return Access(kind="plain", rate_mbit_s=round(fast, 3), queue_bytes=300_000, loss=loss, jitter_ms=jitter_ms)
    access = path.wifi(rng, fast) if kind == "wifi" else path.lte(rng, fast)
    return access.model_copy(update={"loss": loss})


def _settings(rng: np.random.Generator, ranges: Ranges, subflows: int) -> _Settings:
    names, weights = zip(*ranges.controllers, strict=True)
    controller: CongestionControl = names[int(rng.choice(len(names), p=weights))]
    senders: tuple[Literal["bulk", "on_off", "rate"], ...] = ("bulk", "on_off", "rate")
    on_off = (1 - ranges.bulk) / 2 if ranges.on_off is None else ranges.on_off
    sender = senders[int(rng.choice(3, p=(ranges.bulk, on_off, 1 - ranges.bulk - on_off)))]
    rtt_ms = [log_uniform(rng, *ranges.rtt_ms) for _ in range(subflows)]
    if rng.random() < ranges.equal_paths:
        rtt_ms = [rtt_ms[0] * rng.uniform(0.99, 1.01) for _ in range(subflows)]
    rtt_ms = [round(path_rtt_ms, 3) for path_rtt_ms in rtt_ms]
    count = subflows
    rates = [log_uniform(rng, *ranges.rate_mbit_s) for _ in range(count)]
    queue_rtts = [log_uniform(rng, *ranges.queue_rtts) for _ in range(count)]
    places: list[Place] = ["server" if rng.random() < ranges.server else "client" for _ in range(count)]
    if rng.random() < ranges.equal_bottlenecks:
        rates, queue_rtts, places = rates[:1] * count, queue_rtts[:1] * count, places[:1] * count
    accesses = [_access(rng, ranges, max(rates)) for _ in range(subflows)]
    fillable = min(_fillable_mbit_s(rtt, access.loss) for rtt, access in zip(rtt_ms, accesses, strict=True))
    mean_rtt_ms = sum(rtt_ms) / len(rtt_ms)
    return _Settings(
        controller=controller,
        scheduler="min_rtt" if rng.random() < ranges.min_rtt else "round_robin",
        sender=sender,
        on_s=round(log_uniform(rng, *ranges.on_s), 3),
        off_s=round(log_uniform(rng, *ranges.off_s), 3),
        rate_share=float(rng.uniform(*ranges.rate_share)),
        marks=bool(rng.random() < ranges.marks),
        rtt_ms=tuple(rtt_ms),
        accesses=tuple(accesses),
        bottlenecks=tuple(
            _WideBottleneck(
                rate_mbit_s=round(max(min(rate, fillable), ranges.rate_mbit_s[0] / 4), 3),
                queue_ms=min(queue * mean_rtt_ms, ranges.longest_queue_ms),
                place=place,
                rivals=draw_rivals(rng, ranges, rtt_ms, always=sender != "bulk"),
            )
            for rate, queue, place in zip(rates, queue_rtts, places, strict=True)
        ),
    )


def _application(settings: _Settings, shared_mbit_s: float) -> OnOff | Rate | None:
    if settings.sender == "bulk":
        return None
    if settings.sender == "on_off":
        return OnOff(on_s=settings.on_s, off_s=settings.off_s)
    return Rate(rate_mbit_s=round(settings.rate_share * shared_mbit_s, 3))


def draw(
    seed: Sequence[int], groups: Sequence[int], ranges: Ranges, *, number: int, duration_s: float, setting: str
) -> Run:
    """Draw a connection whose subflow `i` crosses bottleneck `groups[i]`.

    Parameters
    ----------
    seed : sequence of int
        Of the settings; the groups are no part of it.
    groups : sequence of int
        Bottleneck of each subflow; numbers from 0 without a gap.
    ranges : Ranges
    number : int
        Of the connection: decides which of the bottlenecks drawn are taken.
    duration_s : float
        Length of the transfer.
    setting : str
        Name in the truth table.

    Returns
    -------
    Run
        Its setting names how the sender has data.
    """
    settings = _settings(np.random.default_rng(seed), ranges, len(groups))
    rng = np.random.default_rng([*seed, 1, *groups])
    count = max(groups) + 1
    taken = [settings.bottlenecks[(number + group) % len(groups)] for group in range(count)]
    members = [
        [index for index, subflow_group in enumerate(groups) if subflow_group == group] for group in range(count)
    ]
    background = tuple(
        Background(
            kind=rival.kind,
            subflow=int(rng.choice(members[group])),
            enters=bottleneck.place,
            rate_mbit_s=round(bottleneck.rate_mbit_s / (len(bottleneck.rivals) + 1), 3)
            if rival.kind == "web"
            else None,
            start_s=rival.start_s,
            rtt_ms=rival.rtt_ms,
        )
        for group, bottleneck in enumerate(taken)
        for rival in bottleneck.rivals
    )
    connection = path.connection(
        rng, settings.controller, bottleneck_mbit_s=taken[0].rate_mbit_s, ecn=settings.marks
    ).model_copy(
        update={
            "scheduler": settings.scheduler,
            "application": _application(settings, settings.bottlenecks[number % len(groups)].rate_mbit_s),
        }
    )
    scenario = Scenario(
        seed=path.seed(rng),
        duration_s=path.CONNECTION_START_S + duration_s,
        connection=connection,
        links=tuple(
            path.shaped(bottleneck.place, bottleneck.rate_mbit_s, bottleneck.queue_ms, marks=settings.marks)
            for bottleneck in taken
        ),
        subflows=tuple(
            SubflowPath(
                path=settings.accesses[index].kind,
                links=(group,),
                bottleneck=((0.0, group),),
                start_s=path.start_s(index),
                rtt_ms=settings.rtt_ms[index],
                access=settings.accesses[index],
            )
            for index, group in enumerate(groups)
        ),
        background=background,
    )
    return Run(scenario=scenario, site=None, setting=f"{setting}, {settings.sender}")


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
        draw([seed, number], groups, RANGES, number=number, duration_s=duration_s, setting="wide")
        for groups in ([0, 0], [0, 1])
        for number in range(connections_per_label)
    ]
