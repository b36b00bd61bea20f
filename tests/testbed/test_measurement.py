"""What the relay counted becomes truth: phase by phase, and of the time after all subflows are established."""

from __future__ import annotations

from typing import Any

import pytest

from smartsbd.scenarios.scenario import Link
from smartsbd.testbed.examples import example
from smartsbd.testbed.measurement import labels, links, truth_of
from smartsbd.testbed.relay_network import marks_ns, network_of

#: Phases of 25 s; established at 1.22 s.
MOVING = example("moving")


def counted() -> list[list[dict[str, Any]]]:
    """A report's ports: the server link is full in the first phase, the client links in the second."""
    network = network_of(MOVING)
    marks = marks_ns(MOVING)
    ports = []
    for number in range(len(network.ports)):
        busy = {0: (1.0, 0.9, 0.2), 1: (0.0, 0.1, 1.0), 2: (0.0, 0.1, 0.5)}.get(number, (0.0, 0.0, 0.0))
        drops = {0: (7, 5, 0), 1: (0, 1, 9)}.get(number, (0, 0, 0))
        ports.append(
            [
                {
                    "from_ns": start,
                    "busy_ns": share * (end - start),
                    "bytes": 1000,
                    "mean_waiting_bytes": 10.0,
                    "most_waiting_bytes": 20,
                    "drops": [dropped, 0, 3 * dropped, 0],
                    "marks": [0, 0, 0, 0],
                }
                for start, end, share, dropped in zip(marks, marks[1:], busy, drops, strict=False)
            ]
        )
    return ports


def test_utilisation_counts_once_all_are_established_and_drops_from_the_beginning() -> None:
    found = {(one["link"], one["from_ns"]): one for one in links(MOVING, counted())}
    later = 25_000_000_000
    assert found[0, 0]["utilisation"] == pytest.approx(0.9)
    assert found[0, later]["utilisation"] == pytest.approx(0.2)
    assert (found[1, later]["utilisation"], found[2, later]["utilisation"]) == pytest.approx((1.0, 0.5))
    assert (found[0, 0]["bytes"], found[0, 0]["drops"]) == (1000, 12 + 36)


def test_a_moving_bottleneck_has_two_rows_with_what_was_measured_in_each() -> None:
    assert [one["shared"] for one in labels(MOVING)] == [True, False]
    known = (MOVING, "moving", "bbr", counted(), "moving.log")
    first, second = truth_of(*known, token="ab", numbers={0: 1, 1: 2}, origin_ns=1_000)  # noqa: S106
    assert (first["from_ns"], second["from_ns"]) == (0, 25_000_001_000)
    assert (first["subflow_a"], first["subflow_b"], first["token"]) == (1, 2, "ab")
    assert {first["congestion_control"], second["congestion_control"]} == {"bbr"}
    assert (first["bottleneck_a_mbit_s"], second["bottleneck_a_mbit_s"]) == (8, 4)
    assert (first["utilisation_a"], second["utilisation_b"]) == pytest.approx((0.9, 0.5))
    # Of 13 drops in the first phase 12 were at the server link; subflow b had none.
    assert first["drop_share_a"] == pytest.approx(12 / 13)
    assert second["drop_share_a"] == 1.0
    assert first["drop_share_b"] is None


def test_a_pair_with_a_subflow_that_the_input_has_not_has_no_label() -> None:
    known = (MOVING, "moving", "bbr", counted(), "moving.log")
    assert truth_of(*known, token="ab", numbers={0: 1}, origin_ns=0) == []  # noqa: S106


def test_without_time_after_the_handshakes_there_is_no_utilisation() -> None:
    scenario = MOVING.model_copy(update={"duration_s": 1.2, "links": MOVING.links[:1]})
    path = MOVING.subflows[0].model_copy(update={"links": (0,), "bottleneck": ((0.0, 0),)})
    link = scenario.links[0].model_copy(update={"rate_mbit_s": ((0.0, 8.0),)})
    scenario = scenario.model_copy(update={"links": (link,), "subflows": (path, path), "background": ()})
    empty = {"busy_ns": 0, "bytes": 0, "mean_waiting_bytes": 0, "most_waiting_bytes": 0, "drops": [0], "marks": [0]}
    scenario = scenario.model_copy(update={"duration_s": 1.05})
    assert marks_ns(scenario) == [0, 1_050_000_000]
    (found,) = links(scenario, [[{"from_ns": 0, **empty}]])
    assert found["utilisation"] is None
    assert found["mean_queue_bytes"] is None


def test_of_a_recorded_link_the_bytes_count_that_it_could_have_sent() -> None:
    recorded = Link.model_validate(
        {**MOVING.links[0].model_dump(), "rate_mbit_s": [[0.0, 12.0]], "opportunities_ms": [1, 2]}
    )
    scenario = MOVING.model_copy(update={"links": (recorded, *MOVING.links[1:])})
    ports = [[{**one, "offered_bytes": 4000} for one in port] for port in counted()]
    utilisation = {(one["link"], one["from_ns"]): one["utilisation"] for one in links(scenario, ports)}
    assert utilisation[0, 0] == 0.25
    assert utilisation[1, 25_000_000_000] == pytest.approx(1.0)
    # Where it could send nothing, nothing was used.
    silent = [[{**one, "offered_bytes": 0, "bytes": 0} for one in port] for port in ports]
    assert links(scenario, silent)[0]["utilisation"] == 0
