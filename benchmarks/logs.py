"""Lines per CPU second of every log that is read line by line: of good lines alone, and with some that are broken.

make bench WHAT="logs --lines N --connections N --runs N --broken SHARE --kinds KIND... --memory"

Read is a log once its connections and their rows are there; no table is written. Each figure is the least time of
several runs, each in a process of its own, in turn.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.parse import ROOT, processor
from tests.log_traffic import KINDS, write_log

RUNS = 3
#: Reads a log, prints what that took and what it found.
READ = """
import json, resource, sys, time
from pathlib import Path
from smartsbd.traces import bounds, formats
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.quarantine import UnreadableInputError
most, dialect = bounds.DEFAULT, Dialect(tcpprobe_srtt="us")
def read(path):
    (one,) = formats.read([path], dialect, most)
    if isinstance(one.outcome, UnreadableInputError):
        raise one.outcome
    rows = sum(len(subflow.acks) for connection in one.outcome.connections for subflow in connection.ordered())
    return one.outcome, rows
little, path = map(Path, sys.argv[1:])
read(little)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
started_s = time.process_time()
trace, rows = read(path)
cpu_s = time.process_time() - started_s
grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
refused = sum(trace.refused().values())
print(json.dumps([cpu_s, grown_kib / 1024, trace.records_in + trace.other_lines, refused, rows]))
"""


def measured(little: Path, path: Path) -> tuple[float, float, int, int, int]:
    """Read a log; return CPU time, MiB the process grew by, lines, refused records, and rows of ACKs."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", READ, str(little), str(path)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{path}: {done.stderr.decode()}")
    cpu_s, grown_mib, lines, refused, rows = json.loads(done.stdout)
    return cpu_s, grown_mib, lines, refused, rows


def compare(folder: Path, arguments: argparse.Namespace) -> None:
    """Print a row for each kind of log."""
    print(f"| log | bytes a line | good, M lines/s | {arguments.broken:.0%} broken, M lines/s | refused | MiB |")
    print("|---|---:|---:|---:|---:|---:|")
    for kind in arguments.kinds:
        paths = [folder / name for name in ("little", "good", "broken")]
        for path, lines, broken in zip(
            paths, (100, arguments.lines, arguments.lines), (0, 0, arguments.broken), strict=True
        ):
            write_log(path, kind, lines, arguments.connections, broken)
        little, good, bad = paths
        runs = [[measured(little, path) for path in (good, bad)] for _ in range(arguments.runs)]
        cpu_s = [min(run[place][0] for run in runs) for place in (0, 1)]
        # A header is no record, and an empty last line no line.
        if runs[0][0][2] not in {arguments.lines, arguments.lines - 1} or runs[0][0][3]:
            raise RuntimeError(f"{kind}: of {arguments.lines} good lines {runs[0][0]} were read")
        rates = [f"{arguments.lines / one / 1e6:.2f}" for one in cpu_s]
        each, most = good.stat().st_size / arguments.lines, max(run[1][1] for run in runs)
        print(f"| {kind} | {each:.0f} | {rates[0]} | {rates[1]} | {runs[0][1][3]:,} | {most:.0f} |", flush=True)


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--connections", type=int, default=50)
    parser.add_argument("--runs", type=int, default=RUNS, help="of each log, of which the least time counts")
    parser.add_argument("--broken", type=float, default=0.01, help="share of lines")
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    arguments = parser.parse_args()
    print(f"{processor()}, {len(os.sched_getaffinity(0))} cores; {arguments.lines:,} lines")
    with tempfile.TemporaryDirectory() as folder:
        compare(Path(folder), arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
