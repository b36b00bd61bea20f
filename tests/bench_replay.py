"""Events per CPU second of every baseline detector, over the connections of a dataset.

make bench-replay (BENCH="--tables FOLDER --connections N")
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from pathlib import Path

from models.detectors import DETECTORS, replayed
from models.detectors.event import ACK_COLUMNS, LOSS_COLUMNS, STATE_COLUMNS, events_of
from traces import tables
from traces.contract import TableReader, read_table

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
    print("| detector | evidence | events | in order of time, M/s | replayed, M/s | both, M/s |")
    print("|---|---|---:|---:|---:|---:|")

    for kind in DETECTORS.values():
        detector = kind.build(kind.presets[kind.default])
        events, ordered_s, replayed_s = 0, 0.0, 0.0
        for (own_acks, own_states, own_losses), one in zip(rows, connections, strict=True):
            least = [float("inf")] * 2
            for _ in range(REPEATS):
                started = time.process_time()
                own = list(events_of(own_acks, own_states, own_losses, detector.kinds))
                merged = time.process_time()
                replayed(detector, subflows[one["connection_id"]], own, one["end_ns"])
                least = [min(least[0], merged - started), min(least[1], time.process_time() - merged)]
            events, ordered_s, replayed_s = events + len(own), ordered_s + least[0], replayed_s + least[1]
        rates = (events / spent_s / 1e6 for spent_s in (ordered_s, replayed_s, ordered_s + replayed_s))
        print(f"| {kind.name} | {kind.evidence} | {events} | {' | '.join(f'{rate:.2f}' for rate in rates)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
