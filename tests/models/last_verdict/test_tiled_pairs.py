"""Pairs judged by tile: every pair is a row or counted, and swapped partners are of two connections of a site."""

from __future__ import annotations

from typing import Any

import pytest

from smartsbd.contracts.contract import ContractError
from smartsbd.features.lag_excess.lattice import TOO_FEW_SAMPLES, TOO_SHORT
from smartsbd.models.labelled.extraction import Truth
from smartsbd.models.last_verdict.tile_rows import tile_rows
from smartsbd.models.last_verdict.tiled_pairs import TiledPairs, swapped_pairs
from tests.features.delays_made import pair

END_NS = 10**10


def truth(site: str | None, *pairs: tuple[int, int], shared: bool = True, valid: bool = True) -> Truth:
    return {own: [{"from_ns": 0, "shared": shared, "site": site, "valid": valid}] for own in pairs}


def partners(truths: dict[str, Truth]) -> list[tuple[str, int, str, int]]:
    connections: list[dict[str, Any]] = [
        {"connection_id": name, "start_ns": 0, "end_ns": END_NS} for name in sorted(truths, reverse=True)
    ]
    found = swapped_pairs(connections, truths)
    return [(one.connection_id, one.subflow_id, other.connection_id, other.subflow_id) for one, other in found]


def test_the_first_subflow_goes_with_the_second_of_the_next_and_the_last_with_the_first() -> None:
    truths = {name: truth("x", (0, 1)) for name in "abc"}
    assert partners(truths) == [("a", 0, "b", 1), ("b", 0, "c", 1), ("c", 0, "a", 1)]


def test_partners_are_of_one_site_and_of_two_connections() -> None:
    truths = {
        "a": truth("x", (0, 1), (1, 2)),
        "b": truth("y", (0, 1)),
        "c": truth("x", (0, 3)),
        "d": truth("y", (0, 1)),
    }
    # The two pairs of `a` are no partners.
    assert partners(truths) == [("a", 1, "c", 3), ("c", 0, "a", 1), ("b", 0, "d", 1), ("d", 0, "b", 1)]


def test_what_does_not_share_or_has_no_valid_label_has_no_partner() -> None:
    truths = {"a": truth("x", (0, 1)), "b": truth("x", (0, 1), shared=False), "c": truth("x", (0, 1), valid=False)}
    assert partners(truths) == []


def test_a_pair_is_a_row_or_counted_by_its_reason() -> None:
    x, y, _ = pair(2)
    rows = tile_rows(x, y, ["tile"], [])
    assert isinstance(rows, list)
    found = TiledPairs()
    known = {"connection_id": "a#0", "subflow_a": 0, "subflow_b": 1}
    for one in (rows, TOO_FEW_SAMPLES, [], TOO_FEW_SAMPLES):
        found.add(known, one)
    assert found.without == {TOO_FEW_SAMPLES: 2, TOO_SHORT: 1}
    assert found.table().num_rows == len(rows) > 0
    # The same pair once more breaks the key of the table.
    found.add(known, rows)
    with pytest.raises(ContractError):
        found.table()


def test_the_last_verdict_of_each_pair_counts() -> None:
    said = [("tile", "a", True), ("tile", "a", None), ("tile", "b", False), ("tiles_4", "a", True)]
    found = TiledPairs()
    for memory, name, one in said:
        found.add({"connection_id": name, "subflow_a": 0, "subflow_b": 1}, [{"memory": memory, "said": one}])
    assert found.last_said() == {"tile: no verdict": 1, "tile: not shared": 1, "tiles_4: shared": 1}
