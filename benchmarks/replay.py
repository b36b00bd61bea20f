"""Events per CPU second of every baseline detector, in Python and in C if it has a twin, over a dataset's connections.

make bench WHAT=replay
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from pathlib import Path

from smartsbd.contracts import tables
from smartsbd.contracts.contract import TableReader, read_table
from smartsbd.detectors import DETECTORS, replayed
from smartsbd.detectors.compiled_detectors import CompiledDetector, event_array, is_compiled
from smartsbd.detectors.event import ACK_COLUMNS, LOSS_COLUMNS, STATE_COLUMNS, Event, event_columns

REPEATS = 3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=Path, default=Path("data/tables/sites"))
    parser.add_argument("--connections", type=int, default=60)
    arguments = parser.parse_args()
    folder: Path = arguments.tables
    acks = TableReader(tables.ACK, folder / "ack.parquet", ACK_COLUMNS)
    states = TableReader(tables.STATE, folder / "state.parquet", STATE_COLUMNS)
    losses = TableReader(tables.LOSS, folder / "loss.parquet", LOSS_COLUMNS)
    connections = read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist()[: arguments.connections]
    subflows = defaultdict(list)
    for row in read_table(tables.SUBFLOW, folder / "subflow.parquet").to_pylist():
        subflows[row["connection_id"]].append(row["subflow_id"])
    rows = [tuple(reader.rows_of(one["connection_id"]) for reader in (acks, states, losses)) for one in connections]
    print("| detector | evidence | events | in order of time, M/s | replayed, M/s | compiled, M/s |")
    print("|---|---|---:|---:|---:|---:|")

    for kind in DETECTORS.values():
        parameters = kind.presets[kind.default]
        detector = kind.build(parameters)
        compiled = CompiledDetector(kind.name, vars(parameters)) if is_compiled(kind.name) else None
        events, spent_s = 0, [0.0] * 3
        for (own_acks, own_states, own_losses), one in zip(rows, connections, strict=True):
            subflow_ids = sorted(subflows[one["connection_id"]])
            least = [float("inf")] * 3
            for _ in range(REPEATS):
                started = time.process_time()
                columns = event_columns(own_acks, own_states, own_losses, detector.kinds)
                array = event_array(columns, subflow_ids)
                merged = time.process_time()
                if compiled is not None:
                    compiled.opinions(array, len(subflow_ids), one["end_ns"])
                said = time.process_time()
                replayed(detector, subflow_ids, map(Event._make, zip(*columns.tolist(), strict=True)), one["end_ns"])
                taken = (merged - started, time.process_time() - said, said - merged)
                least = [min(*both) for both in zip(least, taken, strict=True)]
            events += len(array)
            spent_s = [sum(both) for both in zip(spent_s, least, strict=True)]
        rates = [f"{events / own_s / 1e6:.2f}" for own_s in spent_s[: 2 if compiled is None else 3]]
        print(f"| {kind.name} | {kind.evidence} | {events} | {' | '.join([*rates, '-'][:3])} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
