"""Pairs of subflows judged tile by tile: those of connections, and swapped partners.

Swapped partners are the first subflow of a shared pair and the second one of the next shared pair of its site. They
share nothing, but each subflow looks like one that shares.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from smartsbd.features.catalog import PAIR_TILE
from smartsbd.features.lag_excess.lattice import TOO_SHORT
from smartsbd.features.reading import DEFAULT
from smartsbd.features.series import SubflowSignals
from smartsbd.models.labelled.extraction import NO_SUBFLOW, Truth, signals_in
from smartsbd.models.labelled.partners import pair_name
from smartsbd.models.last_verdict.tile_rows import tile_rows
from smartsbd.traces.truth import label_at

_NOT_SHARED = [{"from_ns": 0, "shared": False, "site": None, "valid": True}]


@dataclass(frozen=True)
class TiledPairs:
    """Rows of ``pair_tile``, and how many pairs have none and why."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    without: Counter[str] = field(default_factory=Counter)

    def add(self, known: Mapping[str, Any], rows: list[dict[str, Any]] | str) -> None:
        """Add a pair.

        Parameters
        ----------
        known : mapping
            The columns that name it.
        rows : list of dict, or str
            Its other columns, or why it has none.
        """
        if isinstance(rows, str):
            self.without[rows] += 1
        elif not rows:
            self.without[TOO_SHORT] += 1
        else:
            self.rows.extend({**known, **row} for row in rows)

    def table(self) -> pa.Table:
        """Return the rows as a table."""
        return PAIR_TILE.build({column.name: [row[column.name] for row in self.rows] for column in PAIR_TILE.columns})

    def last_said(self) -> Counter[str]:
        """Count pairs by their last verdict, for each memory."""
        last = {
            (row["memory"], row["connection_id"], row["subflow_a"], row["subflow_b"]): row["said"] for row in self.rows
        }
        words = {True: "shared", False: "not shared", None: "no verdict"}
        return Counter(f"{key[0]}: {words[shared]}" for key, shared in last.items())


@dataclass(frozen=True)
class SwappedPartner:
    """One of swapped partners: a subflow of a shared pair, and when its connection starts."""

    connection_id: str
    subflow_id: int
    start_ns: int


def swapped_pairs(
    connections: Sequence[Mapping[str, Any]], truths: Mapping[str, Truth]
) -> Iterator[tuple[SwappedPartner, SwappedPartner]]:
    """Yield partners: of each site's shared pairs, in order of name, the first subflow with the next pair's second.

    Parameters
    ----------
    connections : rows of the ``connection`` table
    truths : mapping of connection_id to Truth

    Yields
    ------
    (SwappedPartner, SwappedPartner)
        Of two connections of one site.
    """
    of_site: dict[str | None, list[tuple[SwappedPartner, SwappedPartner]]] = {}
    for row in sorted(connections, key=lambda connection: str(connection["connection_id"])):
        for (a, b), truth in sorted(truths.get(row["connection_id"], {}).items()):
            label = label_at(truth, row["start_ns"], row["end_ns"])
            if label is not None and label.shared:
                first, second = (SwappedPartner(row["connection_id"], number, row["start_ns"]) for number in (a, b))
                of_site.setdefault(label.site, []).append((first, second))
    for pairs in of_site.values():
        for (first, _), (_, second) in zip(pairs, pairs[1:] + pairs[:1], strict=True):
            if first.connection_id != second.connection_id:
                yield first, second


def of_connections(
    connection_ids: Sequence[str], folder: Path, truths: Mapping[str, Truth], memories: Sequence[str]
) -> TiledPairs:
    """Judge every tile of every pair of some connections.

    Parameters
    ----------
    connection_ids : sequence of str
    folder : Path
        Folder with the dataset's tables.
    truths : mapping of connection_id to Truth
    memories : sequence of str
        As :func:`~smartsbd.models.last_verdict.tile_rows.tile_rows` takes them.

    Returns
    -------
    TiledPairs
        One row for each pair, tile and memory.
    """
    tiled = TiledPairs()
    for connection_id in connection_ids:
        truth = truths.get(connection_id, {})
        signals, _ = signals_in(folder, connection_id, truth, DEFAULT)
        for a, b in itertools.combinations(signals, 2):
            known = {"connection_id": connection_id, "subflow_a": a, "subflow_b": b}
            tiled.add(known, tile_rows(signals[a], signals[b], memories, truth.get((a, b), [])))
        tiled.without[NO_SUBFLOW] += len(set(truth) - set(itertools.combinations(signals, 2)))
    return tiled


def _since_start(member: SwappedPartner, folder: Path, truths: Mapping[str, Truth]) -> SubflowSignals:
    signals, _ = signals_in(folder, member.connection_id, truths.get(member.connection_id, {}), DEFAULT)
    of_subflow = signals[member.subflow_id]
    return SubflowSignals.of_rtts(of_subflow.rtt_time_ns - member.start_ns, of_subflow.rtt_us)


def of_partners(
    pairs: Sequence[tuple[SwappedPartner, SwappedPartner]],
    folder: Path,
    truths: Mapping[str, Truth],
    memories: Sequence[str],
) -> TiledPairs:
    """Judge every tile of some swapped partners, whose connections are taken to start at once.

    Parameters
    ----------
    pairs : sequence of (SwappedPartner, SwappedPartner)
    folder, truths, memories
        As :func:`of_connections` takes them.

    Returns
    -------
    TiledPairs
        One row for each pair, tile and memory; all are labelled not shared.
    """
    tiled = TiledPairs()
    for first, second in pairs:
        x, y = (_since_start(partner, folder, truths) for partner in (first, second))
        known = {
            "connection_id": pair_name(first.connection_id, second.connection_id),
            "subflow_a": 0,
            "subflow_b": 1,
        }
        tiled.add(known, tile_rows(x, y, memories, _NOT_SHARED))
    return tiled
