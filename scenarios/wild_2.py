"""The dataset ``wild_2``: what the next default is scored on once (docs/experiments/verdict-protocol.md).

Drawn as :mod:`smartsbd.scenarios.wild`, over the ranges of the protocol's table; then what ``wild`` does not have is
drawn for the connection: the queues' discipline, the way back, the scheduler, the receive buffer, and whether the
sender is idle. None of it knows the groups. Its seed follows from the file of the default, so nobody can look before.
Evaluation only.

An idle application sends a small share of the smallest capacity on the way, nobody else is there in either direction,
and no queue fills: of its pairs nothing can be known, and the setting in the truth table names them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios import path, way_back, wide
from smartsbd.scenarios.diverse import log_uniform
from smartsbd.scenarios.scenario import ConnectionSettings, Link, Rate, Run, Scenario

_Choice = TypeVar("_Choice")
RANGES = wide.Ranges(
    rtt_ms=(4.0, 400.0),
    rate_mbit_s=(0.5, 100.0),
    queue_rtts=(0.1, 10.0),
    loss=(1e-5, 2e-2),
    longest_queue_ms=4000.0,
    equal_paths=0.3,
    equal_bottlenecks=0.5,
    lossless=0.5,
    alone=0.4,
    # Idle senders are among them, until it is drawn who is idle.
    bulk=0.6,
    on_off=0.3,
    on_s=(0.5, 12.0),
    off_s=(0.3, 8.0),
    rate_share=(0.2, 1.1),
    controllers=tuple((name, 0.125) for name in ("lia", "olia", "balia", "reno", "cubic", "bbr", "mpcc", "wvegas")),
    rivals=6,
)
#: The groups of ``wild``, in turn.
_GROUPS = ([0, 0], [0, 0, 0], [0, 1], [0, 0, 1], [0, 0], [0, 1, 0], [0, 1], [0, 1, 1], [0, 0], [0, 1, 2])
#: Idle senders are so many of all, and send such a share of the smallest capacity.
_IDLE = 0.1
_IDLE_SHARE = (0.02, 0.2)
#: The least rate that a scenario can have.
_LEAST_MBIT_S = 0.01
_Discipline = Literal["red", "codel", "fq_codel", "policer"]
_DISCIPLINES: tuple[tuple[_Discipline | Literal["marks"] | None, float], ...] = (
    (None, 0.5),
    ("red", 0.1),
    ("codel", 0.1),
    ("fq_codel", 0.1),
    ("policer", 0.1),
    ("marks", 0.1),
)
_SCHEDULERS = (("round_robin", 0.4), ("min_rtt", 0.3), ("blest", 0.15), ("redundant", 0.15))
_WAYS_BACK: tuple[tuple[Literal["free", "rivals", "thinned"], float], ...] = (
    ("free", 0.5),
    ("rivals", 0.25),
    ("thinned", 0.25),
)
_SEGMENTS_PER_ACK = (2, 8)
_UNLIMITED_BUFFER = 0.5


def _chosen(rng: np.random.Generator, choices: tuple[tuple[_Choice, float], ...]) -> _Choice:
    """Draw one of several by their weights."""
    return choices[int(rng.choice(len(choices), p=[weight for _, weight in choices]))][0]


@dataclass(frozen=True)
class _Further:
    """What is drawn of a connection beside what ``wide`` draws; the groups are no part of it.

    Attributes
    ----------
    idle_share : float or None
        Rate of an idle sender over the smallest capacity; None if the sender is another one.
    buffer_products : float or None
        Receive buffer over the sum of the paths' bandwidth-delay products; None: not limited.
    rivals_back : tuple
        Rivals on the way back of each bottleneck; none where there are fewer bottlenecks.
    """

    discipline: _Discipline | Literal["marks"] | None
    scheduler: str
    idle_share: float | None
    buffer_products: float | None
    rivals_back: tuple[tuple[wide.Rival, ...], ...]
    segments_per_ack: int | None


def _further(rng: np.random.Generator, rtt_ms: list[float], *, bulk: bool) -> _Further:
    """Draw what ``wide`` does not draw.

    Parameters
    ----------
    rng : numpy.random.Generator
    rtt_ms : list of float, milliseconds
        Of the paths.
    bulk : bool
        The sender was drawn to always have data, as an idle one is.
    """
    discipline = _chosen(rng, _DISCIPLINES)
    scheduler = _chosen(rng, _SCHEDULERS)
    idle = bool(rng.random() < _IDLE / RANGES.bulk) and bulk
    idle_share = log_uniform(rng, *_IDLE_SHARE)
    limited = bool(rng.random() >= _UNLIMITED_BUFFER)
    products = log_uniform(rng, *way_back.BUFFER_PRODUCTS)
    back = _chosen(rng, _WAYS_BACK)
    segments = int(rng.integers(_SEGMENTS_PER_ACK[0], _SEGMENTS_PER_ACK[1] + 1))
    rivals = tuple(wide.draw_rivals(rng, RANGES, rtt_ms, always=True)[: way_back.MOST_RIVALS] for _ in rtt_ms)
    return _Further(
        discipline=discipline,
        scheduler=scheduler,
        idle_share=idle_share if idle else None,
        buffer_products=products if limited else None,
        rivals_back=rivals if back == "rivals" and not idle else (),
        segments_per_ack=segments if back == "thinned" else None,
    )


def _link(link: Link, further: _Further) -> Link:
    """Return a bottleneck with its discipline, and with a way back as narrow as it is if there are rivals on it."""
    marks = further.discipline == "marks"
    return Link.model_validate(
        {
            **link.model_dump(),
            "mark_bytes": link.queue_bytes // 3 if marks else None,
            "queue_discipline": None if marks else further.discipline,
            "back": way_back.as_narrow(link) if further.rivals_back else None,
        }
    )


def _connection(scenario: Scenario, further: _Further) -> ConnectionSettings:
    changed = {"scheduler": further.scheduler, "ecn": further.discipline == "marks"}
    if further.idle_share is not None:
        smallest_mbit_s = min(link.rate_at_mbit_s(0) for link in scenario.links)
        rate_mbit_s = max(round(further.idle_share * smallest_mbit_s, 3), _LEAST_MBIT_S)
        changed |= {"application": Rate(rate_mbit_s=rate_mbit_s)}
    if further.buffer_products is not None:
        buffer_bytes = way_back.receive_buffer_bytes(scenario, further.buffer_products, path.RECEIVE_BUFFER_BYTES)
        changed |= {"receive_buffer_bytes": buffer_bytes}
    if further.segments_per_ack is not None:
        changed |= {"segments_per_ack": further.segments_per_ack}
    return scenario.connection.model_copy(update=changed)


def _draw(seed: int, number: int, duration_s: float) -> Run:
    """Draw the connection of a number."""
    groups = _GROUPS[number % len(_GROUPS)]
    setting = f"wild_2, {len(groups)} subflows"
    base = wide.draw([seed, number], groups, RANGES, number=number, duration_s=duration_s, setting=setting)
    scenario = base.scenario
    further = _further(
        np.random.default_rng([seed, number, 2]),
        [subflow.rtt_ms for subflow in scenario.subflows],
        bulk=scenario.connection.application is None,
    )
    idle = further.idle_share is not None
    changed = {
        "connection": _connection(scenario, further),
        "links": tuple(_link(link, further) for link in scenario.links),
        "background": () if idle else (*scenario.background, *way_back.background(scenario, further.rivals_back)),
    }
    return Run(
        scenario=scenario.model_copy(update=changed),
        site=None,
        setting=f"{setting}, idle" if idle else base.setting,
    )


def dataset(*, connections: PositiveInt, duration_s: PositiveFloat, seed: NonNegativeInt) -> list[Run]:
    """Draw the dataset: connections of two and of three subflows in turn.

    Parameters
    ----------
    connections : int
        Number of connections.
    duration_s : float, seconds
        Length of each transfer.
    seed : int

    Returns
    -------
    list of Run
        In order of their numbers.
    """
    return [_draw(seed, number, duration_s) for number in range(connections)]
