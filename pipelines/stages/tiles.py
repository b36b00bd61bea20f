"""Judge every tile of every pair of subflows: what the lag excess says, and its features to learn from.

The stage also judges swapped partners: the first subflow of a shared pair with the second one of the next shared pair.
They share nothing, but each subflow looks like one that shares.
"""

from __future__ import annotations

import argparse
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from smartsbd.contracts import tables
from smartsbd.contracts.contract import TableWriter, read_table
from smartsbd.features.catalog import PAIR_TILE
from smartsbd.models.labelled.extraction import read_truths
from smartsbd.models.last_verdict import tiled_pairs
from smartsbd.models.last_verdict.tiled_pairs import TiledPairs
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_json
from smartsbd.pipelines.running import parallel, stage

log = logging.getLogger(__name__)

_PER_TASK = 8

Item = TypeVar("Item")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--tables", type=Path, required=True, help="folder with the dataset's tables")
    parser.add_argument("--truth", type=Path, required=True, help="the dataset's truth table")
    parser.add_argument("--pair-tile", type=Path, required=True, help="pair_tile table to write")
    parser.add_argument("--swapped", type=Path, required=True, help="pair_tile table of swapped partners to write")
    parser.add_argument("--report", type=Path, required=True, help="JSON file for the counts")


def _written(
    path: Path, work: Callable[[Sequence[Item]], TiledPairs], items: Sequence[Item], params: Params
) -> dict[str, Any]:
    """Write the rows of a few items at a time; return their number, the last verdicts, and the pairs without a tile."""
    batches = [items[at : at + _PER_TASK] for at in range(0, len(items), _PER_TASK)]
    last_verdicts: Counter[str] = Counter()
    without: Counter[str] = Counter()
    rows = 0
    with TableWriter(PAIR_TILE, path) as writer:
        for tiled in parallel.mapped(work, batches, params, what="tiles"):
            writer.append(tiled.table())
            last_verdicts += tiled.last_said()
            without += tiled.without
            rows += len(tiled.rows)
    return {
        "rows": rows,
        "last_said": dict(sorted(last_verdicts.items())),
        "pairs_without_tile": dict(sorted(without.items())),
    }


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    folder: Path = arguments.tables.absolute()
    truths = read_truths(arguments.truth)
    connections = read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist()
    partners = list(tiled_pairs.swapped_pairs(connections, truths)) if arguments.dataset in params.tiles.swapped else []
    given: dict[str, Any] = {"folder": folder, "truths": truths, "memories": params.tiles.memories}
    of_connections = partial(tiled_pairs.of_connections, **given)
    of_partners = partial(tiled_pairs.of_partners, **given)
    names = [row["connection_id"] for row in connections]
    of_pairs = _written(arguments.pair_tile, of_connections, names, params)
    swapped = _written(arguments.swapped, of_partners, partners, params)
    write_json(
        {"connections": len(connections), **of_pairs, "swapped": {"pairs": len(partners), **swapped}}, arguments.report
    )
    log.info("%s: %d rows, %d of swapped partners", arguments.dataset, of_pairs["rows"], swapped["rows"])
    return stage.EXIT_OK
