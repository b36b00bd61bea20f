"""The topology oracle on networks drawn by hand."""

from __future__ import annotations

import pytest

from tests.simulator.topology_partition import UnknownSubflowError, by_links, by_nodes, ends_of

# FMBBR's kind of network: three ways from S; the last two meet at R4; all pass R5, before the receiver C.
WAYS = {0: ("S", "R1", "R5", "C"), 1: ("S", "R2", "R4", "R5", "C"), 2: ("S", "R3", "R4", "R5", "C")}
NODES = {
    "S": {0, 1, 2},
    "R1": {0},
    "R2": {1},
    "R3": {2},
    "R4": {1, 2},
    "R5": {0, 1, 2},
    "C": {0, 1, 2},
}
LINKS = {
    ("S", "R1"): {0},
    ("S", "R2"): {1},
    ("S", "R3"): {2},
    ("R1", "R5"): {0},
    ("R2", "R4"): {1},
    ("R3", "R4"): {2},
    ("R4", "R5"): {1, 2},
    ("R5", "C"): {0, 1, 2},
}
ALL, SECOND_AND_THIRD = (0, 0, 0), (0, 1, 1)


def test_the_literal_rule_has_everything_share() -> None:
    assert by_nodes([0, 1, 2], NODES) == ALL


def test_without_access_nodes_the_meeting_point_is_left() -> None:
    assert by_nodes([0, 1, 2], NODES, access=["S", "R5", "C"]) == SECOND_AND_THIRD
    # The sender alone is enough to have all share.
    assert by_nodes([0, 1, 2], NODES, access=["R5", "C"]) == ALL


def test_links_need_no_meeting_point_of_their_own() -> None:
    """R4 to R5 counts though R5 is an access node: it may be the bottleneck. R5 to C is among access nodes."""
    assert by_links([0, 1, 2], LINKS) == ALL
    assert by_links([0, 1, 2], LINKS, access=["R5", "C"]) == SECOND_AND_THIRD
    # One end of R5 to C alone does not take it out.
    assert by_links([0, 1, 2], LINKS, access=["R5"]) == ALL


def test_nodes_that_meet_without_a_common_link_share_by_nodes_alone() -> None:
    """Two subflows cross at X, from different links to different links."""
    links = {("A", "X"): {0}, ("X", "B"): {0}, ("C", "X"): {1}, ("X", "D"): {1}}
    assert by_nodes([0, 1], ends_of(links)) == (0, 0)
    assert by_links([0, 1], links) == (0, 1)


def test_a_link_the_other_way_is_another_link() -> None:
    assert by_links([0, 1], {("A", "B"): {0}, ("B", "A"): {1}}) == (0, 1)


def test_ends_of_links_are_the_nodes_of_the_ways() -> None:
    assert ends_of(LINKS) == {node: {one for one, way in WAYS.items() if node in way} for node in NODES}


def test_groups_are_connected_components() -> None:
    """0 and 2 meet nowhere, but both meet 1; 3 and 5 meet; 4 meets none."""
    seen = {"a": {0, 1}, "b": {1, 2}, "c": {5, 3}, "d": {4}}
    assert by_nodes(range(6), seen) == (0, 0, 0, 1, 2, 1)


def test_of_a_subflow_that_was_not_seen_nothing_is_said() -> None:
    assert by_nodes([0, 1, 2], {"a": {0, 2}}) == (0, None, 0)
    assert by_nodes([0, 1], {"a": {1}}) == (None, None)
    assert by_nodes([0, 1], {}) == by_links([0, 1], {}) == (None, None)
    # Seen at an access node alone: its way is known, and nothing of it counts.
    assert by_nodes([0, 1], {"a": {0, 1}}, access=["a"]) == (0, 1)


def test_a_subflow_of_no_connection_is_an_error() -> None:
    with pytest.raises(UnknownSubflowError, match=r"subflows \[7\] were seen, the connection has \[0, 1\]"):
        by_nodes([0, 1], {"a": {0, 7}})
    with pytest.raises(UnknownSubflowError, match=r"subflows \[3\] were seen"):
        by_links([0, 1], {("a", "b"): {3}}, access=["a", "b"])
