"""Topologies whose outcome theory states in closed form, for the simulator to be held against.

Equal RTTs, drop-tail queues of one bandwidth-delay product, bulk rivals under Reno, and the square-root law: a window
is proportional to the inverse square root of the loss rate. The shares were derived from it here; they are of no paper.

::

    python -m smartsbd.scenarios.closed_forms --seeds 10 --out reports/full/simulator-trust.csv    # run all, and write
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any, Literal

from smartsbd.scenarios.scenario import Access, Background, ConnectionSettings, Link, Run, Scenario, SubflowPath
from smartsbd.scenarios.simulator import simulate

#: Each link's rate; the flows' RTT without queues; payload and packet on the line.
RATE_MBIT_S = 5.0
RTT_MS = 120.0
MSS_BYTES = 1400
PACKET_BYTES = MSS_BYTES + 42
DURATION_S = 100.0
#: What is not measured: slow start, and the way to the shares.
WARM_UP_S = 20.0
CONTROLLERS = ("reno", "lia", "balia", "olia")
#: How far a mean over the seeds may lie from theory.
BANDS = {"share": 0.10, "utilisation": 0.10, "jain": 0.06}

_QUEUE_BYTES = round(RATE_MBIT_S * 1e6 / 8 * RTT_MS / 1e3)
_FROM_NS = round(WARM_UP_S * 1e9)
_COUPLED = ("lia", "balia", "olia")

#: Measures of a run, or what theory says of them.
Measures = dict[str, float]


@dataclass(frozen=True)
class Topology:
    """A network, and what each controller comes to in it.

    Attributes
    ----------
    name : str
    about : str
        What it is, and whose share is measured.
    scenario : Scenario
        Under Reno, with the first seed.
    flows : tuple of int
        Subflows whose goodput is the share's.
    links : int
        Links that the share is of.
    expected : dict
        By controller: ``share``, ``jain`` and, if stated, ``utilisation``.
    """

    name: str
    about: str
    scenario: Scenario
    flows: tuple[int, ...]
    links: int
    expected: dict[str, Measures]


def jain(rates: list[float]) -> float:
    """Return Jain's index of fairness.

    Returns
    -------
    float
        In (0, 1]; 1 if all rates are equal.

    Examples
    --------
    >>> jain([2, 2]), round(jain([2, 1]), 3)
    (1.0, 0.9)
    """
    total = sum(rates)
    return total * total / (len(rates) * sum(rate * rate for rate in rates))


def solved(law: Callable[[float], float]) -> float:
    """Return where a law's two sides meet in (0, 1): it is negative before and positive after.

    Returns
    -------
    float
        The root, from 60 halvings.

    Examples
    --------
    >>> round(solved(lambda u: u - ((1 - u) / (1 + u)) ** 2), 3)
    0.296
    """
    low, high = 1e-9, 1 - 1e-9
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if law(middle) < 0 else (low, middle)
    return low


def _link(place: Literal["server", "client"] = "server") -> Link:
    return Link(place=place, rate_mbit_s=((0.0, RATE_MBIT_S),), delay_ms=1.0, queue_bytes=_QUEUE_BYTES, mark_bytes=None)


def _network(links: tuple[Link, ...], paths: list[tuple[int, ...]], rivals: list[dict[str, Any]]) -> Scenario:
    """Return the network of a topology; each rival is given by its subflow and what else is not usual."""
    access = Access(rate_mbit_s=100.0, queue_bytes=1_000_000, loss=0.0, jitter_ms=0.0)
    return Scenario(
        seed=1,
        duration_s=DURATION_S,
        connection=ConnectionSettings(
            token="00000001",  # noqa: S106 (names the connection in event lines)
            congestion_control="reno",
            scheduler="min_rtt",
            mss_bytes=MSS_BYTES,
            receive_buffer_bytes=1 << 22,
            ecn=False,
            # One packet's time on the link: without it, drop-tail queues have phase effects.
            host_delay_us=round(PACKET_BYTES * 8 / RATE_MBIT_S, 1),
        ),
        links=links,
        subflows=tuple(
            SubflowPath(
                path=f"path-{place}",
                links=crossed,
                bottleneck=((0.0, crossed[0]),),
                start_s=0.5 + place / 10,
                rtt_ms=RTT_MS,
                access=access,
            )
            for place, crossed in enumerate(paths)
        ),
        background=tuple(
            Background.model_validate(
                {"kind": "reno", "enters": "server", "rate_mbit_s": None, "start_s": 0.2, "rtt_ms": RTT_MS} | rival
            )
            for rival in rivals
        ),
        series_s=WARM_UP_S,
    )


def _shared(subflows: int) -> Topology:
    uncoupled = {"share": subflows / (subflows + 1), "jain": jain([subflows, 1])}
    return Topology(
        name=f"shared_{subflows}",
        about=f"one link, {subflows} subflows, one TCP flow: the connection's share of the link",
        scenario=_network((_link(),), [(0,)] * subflows, [{"subflow": 0}]),
        flows=tuple(range(subflows)),
        links=1,
        expected={"reno": uncoupled, **{key: {"share": 0.5, "jain": 1.0} for key in _COUPLED}},
    )


def _separate(number: int) -> Topology:
    """Return as many links as subflows, and one rival on each: coupled, the connection is worth one rival."""
    rivals = [{"subflow": place} for place in range(number)]
    return Topology(
        name=f"own_{number}",
        about=f"{number} links, a subflow and a TCP flow on each: the connection's share of all links",
        scenario=_network(tuple(_link() for _ in rivals), [(place,) for place in range(number)], rivals),
        flows=tuple(range(number)),
        links=number,
        expected={
            "reno": {"share": 0.5, "jain": jain([number / 2, *[0.5] * number])},
            **{key: {"share": 1 / (number + 1), "jain": 1.0} for key in _COUPLED},
        },
    )


def _contested() -> Topology:
    """Return two links of which the first has a rival; the subflow's share of it is `u`, and the other is its own."""
    shares = {
        "reno": 0.5,
        "lia": solved(lambda u: u - ((1 - u) / (1 + u)) ** 2),
        "balia": solved(lambda u: ((1 + u) / (1 - u)) ** 2 - (1 + 1 / u) * (4 + 1 / u) / 15),
        "olia": 0.0,
    }
    return Topology(
        name="contested",
        about="two links, one TCP flow on the first: the share of the subflow there",
        scenario=_network((_link(), _link()), [(0,), (1,)], [{"subflow": 0}]),
        flows=(0,),
        links=1,
        expected={name: {"share": u, "jain": jain([1 + u, 1 - u])} for name, u in shares.items()},
    )


def _chained() -> Topology:
    """Return two links: subflow A crosses the first one beside a rival, and then the second one, which is B's."""
    shares = {
        "reno": solved(lambda u: u - (1 - u) / 2**0.5),
        "lia": solved(lambda u: u / (1 - u) - 1 / (1 + (1 - u) ** -2)),
        "balia": 0.20,
        "olia": 0.0,
    }
    return Topology(
        name="chained",
        about="subflow A over the first link with a TCP flow, then over the second with subflow B: A's share of a link",
        scenario=_network((_link(), _link("client")), [(0, 1), (1,)], [{"subflow": 0, "leaves": "first_link"}]),
        flows=(0,),
        links=1,
        expected={
            name: {"share": u, "jain": jain([1, 1 - u]), "utilisation": (2 - u) / 2} for name, u in shares.items()
        },
    )


TOPOLOGIES = {
    topology.name: topology
    for topology in (*map(_shared, (2, 3, 5)), _contested(), *map(_separate, (2, 3, 5)), _chained())
}


def under(topology: Topology, controller: str, seed: int) -> Scenario:
    """Return a topology's scenario under a controller.

    Parameters
    ----------
    topology : Topology
    controller : str
        Its name.
    seed : int

    Returns
    -------
    Scenario
        With all else as under Reno.
    """
    connection = topology.scenario.connection.model_copy(update={"congestion_control": controller})
    return topology.scenario.model_copy(update={"connection": connection, "seed": seed})


def measured(topology: Topology, truth: dict[str, Any]) -> Measures:
    """Return what a run came to after the warm-up.

    Parameters
    ----------
    topology : Topology
    truth : dict
        Of the simulator, with a series.

    Returns
    -------
    Measures
        ``share``, ``jain``, ``utilisation`` and ``timeouts``.
    """
    late = [interval for interval in truth["series"]["intervals"] if interval["from_ns"] >= _FROM_NS]
    seconds = sum(interval["to_ns"] - interval["from_ns"] for interval in late) / 1e9
    capacity = RATE_MBIT_S * 1e6 / 8 * MSS_BYTES / PACKET_BYTES * seconds
    subflows = [
        sum(interval["subflows"][place]["acked_bytes"] for interval in late) for place in range(len(truth["subflows"]))
    ]
    rivals = [
        sum(rival_bytes) for rival_bytes in zip(*(interval["background_bytes"] for interval in late), strict=True)
    ]
    measures = {
        "share": sum(subflows[place] for place in topology.flows) / topology.links / capacity,
        "jain": jain([sum(subflows), *rivals]),
        "utilisation": sum([*subflows, *rivals]) / capacity / len(topology.scenario.links),
    }
    measures["timeouts"] = sum(subflow["timeouts"] for interval in late for subflow in interval["subflows"])
    return measures


def measure(topology: Topology, controller: str, seeds: int) -> Measures:
    """Run a topology under a controller, two processes at a time; return the means over the seeds.

    Parameters
    ----------
    topology : Topology
    controller : str
        Its name.
    seeds : int
        How many, from 1.

    Returns
    -------
    Measures
        As :func:`measured` names them.
    """

    def measure_seed(seed: int) -> Measures:
        run = Run(scenario=under(topology, controller, seed), site=None, setting=topology.name)
        with tempfile.TemporaryDirectory() as folder:
            return measured(topology, simulate(run, Path(folder) / "scenario.json").truth)

    with ThreadPoolExecutor(2) as pool:
        measures_by_seed = list(pool.map(measure_seed, range(1, seeds + 1)))
    return {name: mean(measures[name] for measures in measures_by_seed) for name in measures_by_seed[0]}


def rows(seeds: int) -> Iterator[dict[str, str]]:
    """Measure every cell; yield a row for each measure that theory states.

    Parameters
    ----------
    seeds : int
        Runs of each cell.

    Yields
    ------
    dict of str to str
        Expected and measured value, and whether they agree, as text.
    """
    for topology in TOPOLOGIES.values():
        for controller in CONTROLLERS:
            measures = measure(topology, controller, seeds)
            for name, expected in topology.expected[controller].items():
                within = abs(measures[name] - expected) <= BANDS[name]
                yield {
                    "topology": topology.name,
                    "controller": controller,
                    "measure": name,
                    "expected": f"{expected:.2f}",
                    "measured": f"{measures[name]:.3f}",
                    "within": "yes" if within else "no",
                    "timeouts": f"{measures['timeouts']:.1f}",
                }


def table(measured_rows: list[dict[str, str]]) -> str:
    """Return the rows of :func:`rows` as a table for people: a line for each topology and measure.

    Parameters
    ----------
    measured_rows : list of dict

    Returns
    -------
    str
        Markdown.
    """
    lines = [
        f"| topology | measure | {' | '.join(CONTROLLERS)} |",
        f"|---|---|{'---|' * len(CONTROLLERS)}",
    ]
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for row in measured_rows:
        outside = "" if row["within"] == "yes" else " (!)"
        cell = f"{row['expected']}: {row['measured']}{outside}"
        cells.setdefault((row["topology"], row["measure"]), {})[row["controller"]] = cell
    for (name, what), by_controller in cells.items():
        lines.append(f"| `{name}` | {what} | {' | '.join(by_controller[controller] for controller in CONTROLLERS)} |")
    return "\n".join([*lines, ""])


def main(arguments: list[str] | None = None) -> int:
    """Measure all, write a table; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m smartsbd.scenarios.closed_forms", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--seeds", type=int, default=10, help="runs of each cell (default: %(default)s)")
    parser.add_argument("--out", type=Path, required=True, help="where the table goes, as CSV")
    settings = parser.parse_args(arguments)
    measured_rows = list(rows(settings.seeds))
    with settings.out.open("w", newline="") as stream:
        table = csv.DictWriter(stream, measured_rows[0], lineterminator="\n")
        table.writeheader()
        table.writerows(measured_rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
