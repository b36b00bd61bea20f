"""What the relay counted, in the words of the simulator's truth: so labels and measurements follow one rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from smartsbd.scenarios.scenario import Link, Run, Scenario
from smartsbd.scenarios.simulator import truth_rows
from smartsbd.testbed.relay_network import established_s, marks_ns, phases_s, to_ns

_Counts = Sequence[Mapping[str, Any]]


def _in_phase(scenario: Scenario, counts: _Counts, phase: int) -> _Counts:
    """Return the counts of the periods that a phase has."""
    starts = [to_ns(at) for at in phases_s(scenario)]
    end = (*starts, to_ns(scenario.duration_s))[phase + 1]
    return [period for period in counts if starts[phase] <= period["from_ns"] < end]


def _counted_ns(scenario: Scenario, counts: _Counts) -> Iterator[tuple[Mapping[str, Any], int]]:
    """Yield counts of periods after all subflows are established, each with the period's length."""
    marks = marks_ns(scenario)
    for period in counts:
        if period["from_ns"] >= to_ns(established_s(scenario)):
            yield period, marks[marks.index(period["from_ns"]) + 1] - period["from_ns"]


def labels(scenario: Scenario) -> list[dict[str, Any]]:
    """Return whether pairs of subflows share their bottleneck, and from when on.

    They share it while the links that are meant to limit them are the same, as in the simulator
    (simulator/src/output/truth.cc).

    Returns
    -------
    list of dict
        ``subflow_a``, ``subflow_b``, ``from_ns`` and ``shared``: a row for each pair and change.

    Examples
    --------
    >>> from smartsbd.testbed.examples import example
    >>> [(label["from_ns"], label["shared"]) for label in labels(example("moving"))]
    [(0, True), (25000000000, False)]
    """
    rows = []
    paths = scenario.subflows
    for a in range(len(paths)):
        for b in range(a + 1, len(paths)):
            last = None
            for at in phases_s(scenario):
                shared = paths[a].bottleneck_at(at) == paths[b].bottleneck_at(at)
                if shared != last:
                    rows.append({"subflow_a": a, "subflow_b": b, "from_ns": to_ns(at), "shared": shared})
                last = shared
    return rows


def _utilisation(link: Link, counted: Sequence[tuple[Mapping[str, Any], int]]) -> float:
    if link.opportunities_ms is None:
        return float(sum(period["busy_ns"] for period, _ in counted) / sum(ns for _, ns in counted))
    offered = sum(period["offered_bytes"] for period, _ in counted)
    # As the simulator: where nothing could be sent, nothing was used.
    return float(sum(period["bytes"] for period, _ in counted) / offered) if offered else 0.0


def links(scenario: Scenario, ports: Sequence[_Counts]) -> list[dict[str, Any]]:
    """Return what each link did in each phase.

    Parameters
    ----------
    scenario : Scenario
    ports : sequence
        ``ports`` of the relay's report: for each port its counts, period by period.

    Returns
    -------
    list of dict
        ``utilisation``: share of the time in which the line was sending; of a recorded link, share of the bytes that it
        could have sent; None if the phase ended before all subflows were established. Bytes and the queue's mean and
        most are of that time too, drops and marks of the whole phase.
    """
    rows = []
    for number in range(len(scenario.links)):
        for phase, at in enumerate(phases_s(scenario)):
            phase_counts = _in_phase(scenario, ports[number], phase)
            counted = list(_counted_ns(scenario, phase_counts))
            whole_ns = sum(ns for _, ns in counted)
            rows.append(
                {
                    "link": number,
                    "from_ns": to_ns(at),
                    "utilisation": _utilisation(scenario.links[number], counted) if whole_ns else None,
                    "bytes": sum(period["bytes"] for period, _ in counted),
                    "mean_queue_bytes": sum(period["mean_waiting_bytes"] * ns for period, ns in counted) / whole_ns
                    if whole_ns
                    else None,
                    "most_queue_bytes": max((period["most_waiting_bytes"] for period, _ in counted), default=None),
                    "drops": sum(sum(period["drops"]) for period in phase_counts),
                    "marks": sum(sum(period["marks"]) for period in phase_counts),
                }
            )
    return rows


def _phases(scenario: Scenario, ports: Sequence[_Counts], subflow: int) -> Iterator[dict[str, int]]:
    """Yield where a subflow's packets were dropped and marked, phase by phase; its route has its number."""
    for phase, at in enumerate(phases_s(scenario)):
        bottleneck = scenario.subflows[subflow].bottleneck_at(at)
        phase_counts = _in_phase(scenario, ports[bottleneck], phase)
        drops = sum(period["drops"][subflow] for period in phase_counts)
        anywhere = sum(period["drops"][subflow] for port in ports for period in _in_phase(scenario, port, phase))
        yield {
            "from_ns": to_ns(at),
            "drops_at_bottleneck": drops,
            "drops_elsewhere": anywhere - drops,
            "marks_at_bottleneck": sum(period["marks"][subflow] for period in phase_counts),
        }


def truth_of(
    scenario: Scenario,
    setting: str,
    controller: str,
    ports: Sequence[_Counts],
    name: str,
    *,
    token: str,
    numbers: Mapping[int, int],
    origin_ns: int,
) -> list[dict[str, Any]]:
    """Return a run's rows of ``truth.csv``.

    Parameters
    ----------
    scenario : Scenario
    setting : str
        Name in the table.
    controller : str
        Congestion controller of the connection.
    ports : sequence
        ``ports`` of the relay's report.
    name : str
        Of the input.
    token : str
        Of the connection, in hexadecimal; empty if it is not known.
    numbers : mapping of int to int
        Number of each subflow in the input, which ascend. Pairs with one that is not there have no label.
    origin_ns : int, nanoseconds
        0 of the scenario by the input's clock.

    Returns
    -------
    list of dict
        One for each pair of subflows and change of its label.
    """
    truth = {
        "pairs": labels(scenario),
        "links": links(scenario, ports),
        "subflows": [{"phases": list(_phases(scenario, ports, number))} for number in range(len(scenario.subflows))],
    }
    return [
        {
            **row,
            "token": token,
            "congestion_control": controller,
            "subflow_a": numbers[row["subflow_a"]],
            "subflow_b": numbers[row["subflow_b"]],
            # What holds from the beginning holds from 0 on.
            "from_ns": row["from_ns"] + origin_ns if row["from_ns"] else 0,
        }
        for row in truth_rows(Run(scenario=scenario, site=None, setting=setting), name, truth)
        if row["subflow_a"] in numbers and row["subflow_b"] in numbers
    ]
