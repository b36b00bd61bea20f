"""Time of `extract` over thousands of connections: those of a dataset, copied under other names.

make bench WHAT="extract --dataset NAME --connections N"
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa

from smartsbd.contracts import tables
from smartsbd.contracts.contract import TableReader, TableWriter, read_table

COPIED = (tables.SUBFLOW, tables.ACK, tables.STATE)


def copied(rows: pa.Table, copy: int) -> pa.Table:
    names = [f"{name}-{copy}" for name in rows.column("connection_id").to_pylist()]
    return rows.set_column(0, rows.schema.field(0), pa.array(names, pa.string()))


def enlarge(dataset: str, target: Path, connections: int) -> None:
    """Write the tables of a dataset, copied until there are `connections`, to `target`, its truth too."""
    source = Path("data/tables") / dataset
    known = read_table(tables.CONNECTION, source / "connection.parquet")
    copies = -(-connections // known.num_rows)
    truth = Path("data/truth") / f"{dataset}.parquet"
    for table, path in ((tables.CONNECTION, source / "connection.parquet"), (tables.TRUTH, truth)):
        rows = read_table(table, path)
        with TableWriter(table, target / f"{table.name}.parquet") as writer:
            for copy in range(copies):
                writer.append(copied(rows, copy))
    for table in COPIED:
        reader = TableReader(table, source / f"{table.name}.parquet")
        with TableWriter(table, target / f"{table.name}.parquet") as writer:
            for copy in range(copies):
                for connection_id in reader:
                    writer.append(copied(reader.rows_of(connection_id), copy))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", default="sites")
    parser.add_argument("--connections", type=int, default=4000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        enlarge(arguments.dataset, folder, arguments.connections)
        command = [
            sys.executable,
            "-m",
            "smartsbd.pipelines.stages",
            "extract",
            "--quiet",
            "--dataset",
            "bench",
            "--tables",
            name,
        ]
        outputs = ["--truth", "truth.parquet", "--pair-window", "pair_window.parquet", "--series", "series.parquet"]
        outputs += ["--rejected", "rejected.parquet", "--report", "report.json"]
        command += [part if part.startswith("--") else str(folder / part) for part in outputs]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        subprocess.run(command, check=True)
        wall_s = time.perf_counter() - started
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        read_mb = sum((folder / f"{table.name}.parquet").stat().st_size for table in COPIED) / 1e6
        print(
            f"{arguments.connections} connections, {read_mb:.0f} MB of tables: {wall_s:.1f} s wall, {cpu_s:.1f} s CPU,"
            f" {after.ru_maxrss / 1024:.0f} MB in the largest process"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
