"""The networks on which the active check is judged: sets by name, each drawn by a seed of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from smartsbd.pipelines.params.block import Block
from smartsbd.scenarios import clash, paired_networks, same, shift, twin, way_back, wide
from smartsbd.scenarios.radio import draw_runs
from smartsbd.scenarios.scenario import Link, Scenario
from smartsbd.scenarios.sites import SITES

_DURATION_S = 49.0
_PHASE_S = 40.0
_TRACES = "scenarios/capacity_traces"
_NET = paired_networks.RANGES
_BULK = replace(_NET, bulk=1.0, on_off=0.0)
_SHORT = replace(_BULK, queue_rtts=(0.5, 4.0), longest_queue_ms=300.0)
_MOST_BUFFER_BYTES = 1 << 24
_PAIRED = ((0, 0), (0, 1))
Discipline = Literal["red", "codel", "fq_codel", "policer"]


@dataclass(frozen=True)
class ActiveNetwork:
    """A network, and the set it is of.

    Attributes
    ----------
    set : str
    number : int
        Within the set; those of both labels have the same.
    scenario : Scenario
        Under LIA, without verdicts.
    """

    set: str
    number: int
    scenario: Scenario


class ActiveNetworks(Block):
    """How many networks are drawn: the study's params.yaml.

    Attributes
    ----------
    seed : int
        Of the first set; each has the next one.
    counts : dict of str to int
        Numbers of each set, by its name; each number has both labels, except for `three` and `moving`.
    """

    seed: int
    counts: dict[str, int]


def _under_lia(scenario: Scenario) -> Scenario:
    connection = scenario.connection.model_copy(update={"congestion_control": "lia"})
    return scenario.model_copy(update={"connection": connection})


def _wide(ranges: wide.Ranges) -> Callable[[int, int], Iterator[Scenario]]:
    """Return what draws networks of some ranges."""

    def drawn(number: int, seed: int) -> Iterator[Scenario]:
        for groups in _PAIRED:
            yield wide.draw(
                [seed, number], groups, ranges, number=number, duration_s=_DURATION_S, setting="wide"
            ).scenario

    return drawn


def _queued(discipline: Discipline) -> Callable[[int, int], Iterator[Scenario]]:
    """Return what draws networks whose bottlenecks have a queue discipline."""

    def changed(link: Link) -> Link:
        return link.model_copy(update={"queue_discipline": discipline, "mark_bytes": None})

    def drawn(number: int, seed: int) -> Iterator[Scenario]:
        for scenario in _wide(_SHORT)(number, seed):
            yield scenario.model_copy(update={"links": tuple(map(changed, scenario.links))})

    return drawn


def _window(number: int, seed: int) -> Iterator[Scenario]:
    low, high = np.log(way_back.BUFFER_PRODUCTS)
    products = float(np.exp(np.random.default_rng([seed, number, 4]).uniform(low, high)))
    for scenario in _wide(_BULK)(number, seed):
        buffer_bytes = way_back.receive_buffer_bytes(scenario, products, _MOST_BUFFER_BYTES)
        connection = scenario.connection.model_copy(update={"receive_buffer_bytes": buffer_bytes})
        yield scenario.model_copy(update={"connection": connection})


def _three(number: int, seed: int) -> Iterator[Scenario]:
    groups = ([0, 0, 1], [0, 1, 0], [1, 0, 0])[number % 3]
    yield wide.draw([seed, number], groups, _BULK, number=number, duration_s=_DURATION_S, setting="three").scenario


def _moving(number: int, seed: int) -> Iterator[Scenario]:
    sites = list(SITES)
    yield shift.draw(sites[number % len(sites)], np.random.default_rng([seed, number]), _PHASE_S).scenario


def _of_both(draw: Callable[[int, Sequence[int], int], Scenario]) -> Callable[[int, int], Iterator[Scenario]]:
    """Return what draws a network of each label."""

    def drawn(number: int, seed: int) -> Iterator[Scenario]:
        for groups in _PAIRED:
            yield draw(number, groups, seed)

    return drawn


def _twin_radio(number: int, seed: int) -> Iterator[Scenario]:
    # A seed for each number: the dataset draws all of its numbers at once.
    runs = draw_runs(
        traces=_TRACES,
        connections_per_label=1,
        duration_s=_DURATION_S,
        seed=1000 * seed + number,
        together=True,
    )
    for run in runs:
        yield run.scenario


#: One line for each set: what draws the networks of a number.
SETS: Mapping[str, Callable[[int, int], Iterator[Scenario]]] = {
    "net": _wide(_NET),
    "fast": _wide(replace(_BULK, rate_mbit_s=(8.0, 30.0), longest_queue_ms=200.0)),
    "shallow": _wide(replace(_BULK, queue_rtts=(0.2, 0.5))),
    "twin": _of_both(
        lambda number, groups, seed: twin.draw(number, groups, twin.RANGES, seed=seed, setting="twin").scenario
    ),
    "same": _of_both(lambda number, groups, seed: same.draw(number, groups, seed=seed).scenario),
    "clash": _of_both(
        lambda number, groups, seed: clash.draw(number, groups, duration_s=_DURATION_S, seed=seed).scenario
    ),
    "twin_radio": _twin_radio,
    "window": _window,
    "marks": _wide(replace(_BULK, marks=1.0)),
    "red": _queued("red"),
    "codel": _queued("codel"),
    "fq_codel": _queued("fq_codel"),
    "policer": _queued("policer"),
    "three": _three,
    "moving": _moving,
}
#: Sets of which every network counts, however much its bottlenecks were used.
WHOLE = frozenset({"twin", "same", "clash", "twin_radio", "red", "codel", "fq_codel", "policer", "moving"})
#: Where subflows of one link have queues of their own: what is right to say is another question.
OWN_QUEUES = frozenset({"fq_codel"})
#: The set whose labels change.
MOVING = "moving"


def drawn(networks: ActiveNetworks) -> Iterator[ActiveNetwork]:
    """Yield the networks of each set.

    Parameters
    ----------
    networks : ActiveNetworks

    Yields
    ------
    ActiveNetwork
        Number by number of a set, the shared one first.

    Raises
    ------
    KeyError
        If a set is unknown.
    """
    seeds = {name: networks.seed + place for place, name in enumerate(SETS)}
    for name, count in networks.counts.items():
        for number in range(count):
            for scenario in SETS[name](number, seeds[name]):
                yield ActiveNetwork(name, number, _under_lia(scenario))
