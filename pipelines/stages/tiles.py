"""Judge every tile of every pair of subflows: what the lag excess says, and its features to learn from.

Beside a dataset's own pairs stand swapped partners, the first subflow of a shared pair with the second one of the next
shared pair: they share nothing, and each looks as one that does.
"""

from __future__ import annotations

import argparse
import itertools
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from contracts import tables
from contracts.contract import TableWriter, read_table
from features.catalog import PAIR_TILE
from features.lag_excess.lattice import TOO_SHORT
from features.reading import DEFAULT
from features.series import SubflowSignals
from models.extraction import NO_SUBFLOW, Truth, read_truths, signals_in
from models.partners import pair_name
from models.tile_rows import tile_rows
from pipelines.params import Params
from pipelines.reporting.report_files import write_json
from pipelines.running import parallel, stage
from traces.truth import label_at

log = logging.getLogger(__name__)

_PER_TASK = 8

Item = TypeVar("Item")


@dataclass(frozen=True)
class _TileRows:
    """Rows of ``pair_tile``, and how many pairs have none and why."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    without: Counter[str] = field(default_factory=Counter)

    def add(self, known: Mapping[str, Any], rows: list[dict[str, Any]] | str) -> None:
        if isinstance(rows, str):
            self.without[rows] += 1
        elif not rows:
            self.without[TOO_SHORT] += 1
        else:
            self.rows.extend({**known, **row} for row in rows)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--tables", type=Path, required=True, help="folder with the dataset's tables")
    parser.add_argument("--truth", type=Path, required=True, help="its truth table")
    parser.add_argument("--pair-tile", type=Path, required=True, help="pair_tile table to write")
    parser.add_argument("--swapped", type=Path, required=True, help="pair_tile table of swapped partners to write")
    parser.add_argument("--report", type=Path, required=True, help="JSON file for the counts")


def _of_connections(
    batch: Sequence[str], folder: Path, truths: Mapping[str, Truth], memories: Sequence[str]
) -> _TileRows:
    found = _TileRows()
    for connection_id in batch:
        truth = truths.get(connection_id, {})
        signals, _ = signals_in(folder, connection_id, truth, DEFAULT)
        for a, b in itertools.combinations(signals, 2):
            known = {"connection_id": connection_id, "subflow_a": a, "subflow_b": b}
            found.add(known, tile_rows(signals[a], signals[b], memories, truth.get((a, b), [])))
        found.without[NO_SUBFLOW] += len(set(truth) - set(itertools.combinations(signals, 2)))
    return found


@dataclass(frozen=True)
class _Partner:
    """One of swapped partners: a subflow of a shared pair, and when its connection starts."""

    connection_id: str
    subflow_id: int
    start_ns: int


def _swapped_pairs(
    connections: Sequence[Mapping[str, Any]], truths: Mapping[str, Truth]
) -> Iterator[tuple[_Partner, _Partner]]:
    """Yield partners: of each site's shared pairs, in order of name, the first subflow with the next pair's second."""
    of_site: dict[str | None, list[tuple[_Partner, _Partner]]] = {}
    for row in sorted(connections, key=lambda one: str(one["connection_id"])):
        for (a, b), truth in sorted(truths.get(row["connection_id"], {}).items()):
            label = label_at(truth, row["start_ns"], row["end_ns"])
            if label is not None and label.shared:
                one, other = (_Partner(row["connection_id"], number, row["start_ns"]) for number in (a, b))
                of_site.setdefault(label.site, []).append((one, other))
    for pairs in of_site.values():
        for (first, _), (_, second) in zip(pairs, pairs[1:] + pairs[:1], strict=True):
            if first.connection_id != second.connection_id:
                yield first, second


def _since_start(member: _Partner, folder: Path, truths: Mapping[str, Truth]) -> SubflowSignals:
    signals, _ = signals_in(folder, member.connection_id, truths.get(member.connection_id, {}), DEFAULT)
    own = signals[member.subflow_id]
    return SubflowSignals.of_rtts(own.rtt_time_ns - member.start_ns, own.rtt_us)


def _of_partners(
    batch: Sequence[tuple[_Partner, _Partner]], folder: Path, truths: Mapping[str, Truth], memories: Sequence[str]
) -> _TileRows:
    found = _TileRows()
    apart = [{"from_ns": 0, "shared": False, "site": None, "valid": True}]
    for first, second in batch:
        x, y = (_since_start(one, folder, truths) for one in (first, second))
        known = {
            "connection_id": pair_name(first.connection_id, second.connection_id),
            "subflow_a": 0,
            "subflow_b": 1,
        }
        found.add(known, tile_rows(x, y, memories, apart))
    return found


def _last_said(rows: Sequence[Mapping[str, Any]]) -> Counter[str]:
    """Count pairs by what is said of them in the end."""
    last = {(row["memory"], row["connection_id"], row["subflow_a"], row["subflow_b"]): row["said"] for row in rows}
    words = {True: "shared", False: "not shared", None: "no verdict"}
    return Counter(f"{key[0]}: {words[said]}" for key, said in last.items())


def _written(
    path: Path, work: Callable[[Sequence[Item]], _TileRows], items: Sequence[Item], params: Params
) -> dict[str, Any]:
    """Write what a few items at a time give; return how many rows, what is said in the end, and who has no tile."""
    batches = [items[at : at + _PER_TASK] for at in range(0, len(items), _PER_TASK)]
    said: Counter[str] = Counter()
    without: Counter[str] = Counter()
    rows = 0
    with TableWriter(PAIR_TILE, path) as writer:
        results = parallel.mapped(work, batches, params, what="tiles")
        for found in results:
            columns = {one.name: [row[one.name] for row in found.rows] for one in PAIR_TILE.columns}
            writer.append(PAIR_TILE.build(columns))
            said += _last_said(found.rows)
            without += found.without
            rows += len(found.rows)
    return {
        "rows": rows,
        "last_said": dict(sorted(said.items())),
        "pairs_without_tile": dict(sorted(without.items())),
    }


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    folder: Path = arguments.tables.absolute()
    truths = read_truths(arguments.truth)
    connections = read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist()
    partners = list(_swapped_pairs(connections, truths)) if arguments.dataset in params.tiles.swapped else []
    memories = params.tiles.memories
    of_connections = partial(_of_connections, folder=folder, truths=truths, memories=memories)
    of_partners = partial(_of_partners, folder=folder, truths=truths, memories=memories)
    names = [row["connection_id"] for row in connections]
    own = _written(arguments.pair_tile, of_connections, names, params)
    swapped = _written(arguments.swapped, of_partners, partners, params)
    write_json(
        {"connections": len(connections), **own, "swapped": {"pairs": len(partners), **swapped}}, arguments.report
    )
    log.info("%s: %d rows, %d of swapped partners", arguments.dataset, own["rows"], swapped["rows"])
    return stage.EXIT_OK
