"""The dataset ``testbed_2``: the next frozen default is scored on it once, on a Linux kernel.

Drawn over the ranges of docs/experiments/verdict-protocol.md, of what Linux has: Reno, CUBIC and BBR, its scheduler,
tail drop and CoDel, losses, rivals on the way back, receive buffers, senders that are on and off, and idle ones
(``sbd testbed --dataset testbed_2``). As in ``wide``, what is drawn knows nothing of the groups. Its seed follows from
the file of the default, so nobody can look before. Evaluation only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from pydantic import NonNegativeInt, PositiveFloat

from smartsbd.scenarios import idle_linux, way_back, wide, wild_2
from smartsbd.scenarios.diverse import log_uniform
from smartsbd.scenarios.scenario import Background, ConnectionSettings, Link, Run, Scenario

#: Those of ``wild_2``, with what Linux has.
RANGES = replace(wild_2.RANGES, controllers=(("reno", 1 / 3), ("cubic", 1 / 3), ("bbr", 1 / 3)), min_rtt=1.0)
_OF_TWO = ([0, 0], [0, 1])
#: Of all pairs of three subflows, half share.
_OF_THREE = ([0, 0, 0], [0, 0, 1], [0, 0, 0], [0, 1, 0], [0, 1, 2], [0, 1, 1])
_IDLE = 0.1
_PINGS = 0.5
#: Of the idle ones with separate bottlenecks, so many have one of them loaded.
_LOADED = 0.5
_LOADING_RTT_MS = 30.0
#: The protocol has tail drop on 0.5 and CoDel on 0.1 of the connections.
_CODEL = 1 / 6
_RIVALS_BACK = 0.25
_UNLIMITED_BUFFER = 0.5
#: More than any of the paths holds.
_UNLIMITED_BYTES = 1 << 26


@dataclass(frozen=True)
class _FurtherOfTestbed:
    """What is drawn of a connection beside what ``wide`` draws.

    Attributes
    ----------
    idle, pings : bool
        Whether the sender is idle, and whether it then sends pings.
    loaded : bool
        Of an idle connection with separate bottlenecks: the rivals at the first stay.
    codel : bool
    buffer_products : float or None
        Receive buffer over the sum of the paths' bandwidth-delay products; None: not limited.
    rivals_back : tuple
        Rivals on the way back of each bottleneck; none where there are fewer bottlenecks.
    """

    idle: bool
    pings: bool
    loaded: bool
    codel: bool
    buffer_products: float | None
    rivals_back: tuple[tuple[wide.Rival, ...], ...]


def _further(rng: np.random.Generator, rtt_ms: Sequence[float], *, bulk: bool) -> _FurtherOfTestbed:
    """Draw what ``wide`` does not draw; an idle sender is one of those drawn to always have data."""
    idle = bool(rng.random() < _IDLE / RANGES.bulk) and bulk
    pings, loaded = bool(rng.random() < _PINGS), bool(rng.random() < _LOADED)
    codel = bool(rng.random() < _CODEL)
    limited = bool(rng.random() >= _UNLIMITED_BUFFER)
    products = log_uniform(rng, *way_back.BUFFER_PRODUCTS)
    back = bool(rng.random() < _RIVALS_BACK) and not idle
    rivals = tuple(wide.draw_rivals(rng, RANGES, rtt_ms, always=True)[: way_back.MOST_RIVALS] for _ in rtt_ms)
    return _FurtherOfTestbed(
        idle=idle,
        pings=pings,
        loaded=loaded,
        codel=codel,
        buffer_products=products if limited else None,
        rivals_back=rivals if back else (),
    )


def _link(link: Link, further: _FurtherOfTestbed) -> Link:
    """Return a bottleneck with its discipline, and with a way back as narrow as it is if there are rivals on it."""
    return Link.model_validate(
        {
            **link.model_dump(),
            "queue_discipline": "codel" if further.codel else None,
            "back": way_back.as_narrow(link) if further.rivals_back else None,
        }
    )


def _loading(scenario: Scenario) -> tuple[Background, ...]:
    """Return a bulk flow beside the first subflow: its bottleneck is loaded, and no other."""
    path = scenario.subflows[0]
    place = scenario.links[path.links[0]].place
    # What enters before the backbone cannot be nearer than the backbone is long.
    rtt_ms = _LOADING_RTT_MS if place == "client" else round(max(path.rtt_ms * 1.02, _LOADING_RTT_MS), 3)
    return (Background(kind="cubic", subflow=0, enters=place, rate_mbit_s=None, start_s=0.05, rtt_ms=rtt_ms),)


def _connection(rng: np.random.Generator, scenario: Scenario, further: _FurtherOfTestbed) -> ConnectionSettings:
    changed: dict[str, object] = {"receive_buffer_bytes": _UNLIMITED_BYTES}
    if further.buffer_products is not None:
        limited_bytes = way_back.receive_buffer_bytes(scenario, further.buffer_products, _UNLIMITED_BYTES)
        changed["receive_buffer_bytes"] = limited_bytes
    if further.idle:
        smallest_mbit_s = min(link.rate_at_mbit_s(0) for link in scenario.links)
        changed["application"] = idle_linux.application(
            rng, smallest_mbit_s, pings=further.pings, subflows=len(scenario.subflows)
        )
    return scenario.connection.model_copy(update=changed)


def draw(seed: int, number: int, groups: Sequence[int], *, duration_s: float) -> Run:
    """Draw a connection whose subflow `i` crosses bottleneck `groups[i]`.

    Parameters
    ----------
    seed : int
        Of the dataset.
    number : int
        Of the connection.
    groups : sequence of int
        Bottleneck of each subflow; numbers from 0 without a gap.
    duration_s : float, seconds
        Length of the transfer.

    Returns
    -------
    Run
        Its setting says whether the sender is idle.
    """
    setting = f"testbed_2, {len(groups)} subflows"
    base = wide.draw([seed, number], groups, RANGES, number=number, duration_s=duration_s, setting=setting)
    scenario = base.scenario
    rng = np.random.default_rng([seed, number, 2])
    bulk = scenario.connection.application is None
    further = _further(rng, [subflow.rtt_ms for subflow in scenario.subflows], bulk=bulk)
    loaded = further.idle and further.loaded and len(set(groups)) > 1 and list(groups).count(0) == 1
    background = (*scenario.background, *way_back.background(scenario, further.rivals_back))
    if further.idle:
        background = _loading(scenario) if loaded else ()
        setting = f"{setting}, {'half-loaded' if loaded else 'idle'}"
    changed = {
        "connection": _connection(rng, scenario, further),
        "links": tuple(_link(link, further) for link in scenario.links),
        "background": background,
    }
    return Run(
        scenario=Scenario.model_validate(scenario.model_copy(update=changed).model_dump()),
        site=None,
        setting=setting if further.idle else base.setting,
    )


def dataset(
    *,
    of_two: NonNegativeInt,
    of_three: NonNegativeInt,
    duration_s: PositiveFloat,
    seed: NonNegativeInt,
    attempt: NonNegativeInt,
) -> list[Run]:
    """Draw the dataset; of all pairs of subflows, half share their bottleneck.

    Parameters
    ----------
    of_two, of_three : int
        Connections of two and of three subflows.
    duration_s : float, seconds
        Length of each transfer.
    seed : int
    attempt : int
        0, or how often connections are drawn again that did not come to their end: each with the number that follows
        those of all before, and with the same groups.

    Returns
    -------
    list of Run
        Those of two subflows first.
    """
    groups = [_OF_TWO[n % len(_OF_TWO)] for n in range(of_two)]
    groups += [_OF_THREE[n % len(_OF_THREE)] for n in range(of_three)]
    first = attempt * len(groups)
    return [draw(seed, first + number, of, duration_s=duration_s) for number, of in enumerate(groups)]
