"""Time and memory of `parse` on a generated capture of MPTCP, beside those of other programs that read captures.

make bench WHAT="parse --packets N --connections N --runs N --keep FOLDER --memory --scaling --startup"
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

# No library, nor what loads one, is imported here: what this process maps stays in the page cache.

ROOT = Path(__file__).parents[1]
TINY_PACKETS = 100
RUNS = 3
STARTS = 5
#: Runs a program from a small process: until it is replaced, the memory of who started it counts as the program's.
#: Before that, files under some folders leave the page cache.
MEASURE = """
import contextlib, json, os, subprocess, sys, time
folders = json.loads(sys.argv[1])
if folders:
    os.sync()
for folder in folders:
    for parent, _, names in os.walk(folder):
        for path in (os.path.join(parent, name) for name in names):
            if os.path.isfile(path) and not os.path.islink(path):
                with contextlib.suppress(OSError), open(path, "rb") as file:
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
started_s = time.perf_counter()
child = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
wall_s = time.perf_counter() - started_s
print(json.dumps([status, usage.ru_utime + usage.ru_stime, wall_s, usage.ru_maxrss / 1024, usage.ru_inblock / 2048]))
"""
TOUCH_PAGES = """
import mmap, sys
with open(sys.argv[1], "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
    content[::mmap.PAGESIZE]
"""
READ_DPKT = """
import sys, dpkt
with open(sys.argv[1], "rb") as file:
    for time_s, frame in dpkt.pcap.Reader(file):
        dpkt.tcp.parse_opts(dpkt.ethernet.Ethernet(frame).data.data.opts)
"""
SAMPLES = [part for name in ("ip.src", "tcp.srcport", "tcp.analysis.ack_rtt") for part in ("-e", name)]


class Usage(NamedTuple):
    """What a program took: CPU time of all its processes, user's and system's, the largest one's memory, and input."""

    cpu_s: float
    wall_s: float
    peak_mib: float
    read_mib: float


def usage_of(command: Sequence[str], evicted: Sequence[Path] = ()) -> Usage:
    """Run a program once the files under some folders are out of the page cache; return what it took."""
    measure = [sys.executable, "-c", MEASURE, json.dumps([str(folder) for folder in evicted])]
    done = subprocess.run([*measure, *command], cwd=ROOT, capture_output=True, check=True)
    status, *used = json.loads(done.stdout)
    if status:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.decode()}")
    return Usage(*used)


class Bench:
    """Generated captures and what `parse` makes of them, in a folder."""

    def __init__(self, folder: Path, connections: int) -> None:
        self.folder = folder
        self.connections = connections
        self._resent: dict[Path, int] = {}

    def inputs(self, packets: int, files: int = 1) -> list[Path]:
        """Return captures with so many packets together, written once, in a folder `inputs` of their own."""
        inputs = self.folder / f"{packets}-{files}" / "inputs"
        paths = [inputs / f"{number}.pcap" for number in range(files)]
        if inputs not in self._resent:
            from tests.traffic import write_captures

            inputs.mkdir(parents=True, exist_ok=True)
            self._resent[inputs] = write_captures(paths, packets, self.connections)
        return paths

    def command(self, paths: Sequence[Path], workers: int = 1) -> list[str]:
        from smartsbd.pipelines.params import PARAMS_FILE, overlaid

        raw = paths[0].parents[1]
        params, overlay = raw / f"params-{workers}.yaml", raw / "overlay.yaml"
        overlay.write_text(f"workers: {workers}\n")
        params.write_text(overlaid(ROOT / PARAMS_FILE, overlay))
        command = [
            sys.executable,
            "-m",
            "smartsbd.pipelines.stages",
            "parse",
            "--quiet",
            "--dataset",
            "bench",
            "--params",
            str(params),
        ]
        outputs = {"--raw": raw, "--tables": raw / "tables", "--report": raw / "report.json"}
        return command + [str(part) for pair in outputs.items() for part in pair]

    def check(self, paths: Sequence[Path], packets: int) -> None:
        """Check what the last run of `parse` made of captures."""
        from smartsbd.contracts import tables
        from smartsbd.contracts.contract import read_table

        raw = paths[0].parents[1]
        report = json.loads((raw / "report.json").read_text())
        subflows = read_table(tables.SUBFLOW, raw / "tables" / "subflow.parquet")
        found = {
            "packets": report["records_in"],
            "refused": report["records_quarantined"],
            "connections": report["rows"]["connection"],
            "subflows of a connection": set(Counter(subflows.column("connection_id").to_pylist()).values()),
            "segments sent again": sum(subflows.column("retransmissions").to_pylist()),
            "ACKs": report["rows"]["ack"] > 0,
        }
        right = (packets, 0, self.connections, {2}, self._resent[paths[0].parent], True)
        if tuple(found.values()) != right:
            raise RuntimeError(f"parse found {found}; right is {right}")


class Program(NamedTuple):
    """A program that reads captures; `most` packets where more would take too long."""

    name: str
    is_installed: bool
    command: Callable[[Path], list[str]]
    most: int | None = None


def programs(bench: Bench) -> list[Program]:
    tcptrace, tshark = (shutil.which(name) is not None for name in ("tcptrace", "tshark"))
    has_dpkt = importlib.util.find_spec("dpkt") is not None
    return [
        Program("parse", True, lambda path: bench.command([path])),
        Program("tcptrace -q -n", tcptrace, lambda path: ["tcptrace", "-q", "-n", str(path)]),
        Program("tcptrace -r -l -n", tcptrace, lambda path: ["tcptrace", "-r", "-l", "-n", str(path)]),
        Program("tshark", tshark, lambda path: ["tshark", "-n", "-r", str(path), "-T", "fields", *SAMPLES], 200_000),
        Program("dpkt", has_dpkt, lambda path: [sys.executable, "-c", READ_DPKT, str(path)], 500_000),
        Program("touching every page", True, lambda path: [sys.executable, "-c", TOUCH_PAGES, str(path)]),
    ]


def compare(bench: Bench, packets: int, runs: int) -> None:
    compared = programs(bench)
    counts = {one: min(packets, one.most or packets) for one in compared if one.is_installed}
    (tiny,) = bench.inputs(TINY_PACKETS)
    taken_s: dict[tuple[Program, Path], list[float]] = {}
    # In turn: a machine is not as fast at all times.
    for _ in range(runs):
        for program, count in counts.items():
            for path in (tiny, *bench.inputs(count)):
                taken_s.setdefault((program, path), []).append(usage_of(program.command(path)).cpu_s)
    print(f"{'':20}{'packets':>12}{'CPU s':>10}{'starting s':>12}{'packets/CPU s':>15}{'of parse':>10}")
    rate_of_parse = None
    for program in compared:
        if program not in counts:
            print(f"{program.name:20}{'not installed':>12}")
            continue
        count = counts[program]
        # The least of several: what else runs only adds.
        starting_s, cpu_s = (min(taken_s[program, path]) for path in (tiny, *bench.inputs(count)))
        # The rate once started.
        rate = (count - TINY_PACKETS) / max(cpu_s - starting_s, 1e-6)
        rate_of_parse = rate_of_parse or rate
        print(
            f"{program.name:20}{count:12,}{cpu_s:10.3f}{starting_s:12.3f}{rate:15,.0f}{rate / rate_of_parse:10.2f}",
            flush=True,
        )
    bench.check(bench.inputs(packets), packets)


def memory(bench: Bench, packets: int) -> None:
    for count in (packets // 2, packets, 5 * packets):
        paths = bench.inputs(count)
        used = usage_of(bench.command(paths))
        bench.check(paths, count)
        print(f"{count:12,} packets: {used.peak_mib:7,.0f} MiB at most, {used.cpu_s:.1f} CPU s", flush=True)


def scaling(bench: Bench, packets: int) -> None:
    cores = len(os.sched_getaffinity(0))
    paths = bench.inputs(packets, files=8 * cores)
    alone_s = None
    for workers in sorted({1, 2, cores}):
        used = usage_of(bench.command(paths, workers))
        bench.check(paths, packets)
        alone_s = alone_s or used.wall_s
        print(
            f"{len(paths)} inputs, {workers} workers: {used.wall_s:.2f} s, {alone_s / used.wall_s:.2f} times as fast,"
            f" {used.cpu_s:.2f} CPU s",
            flush=True,
        )


def starting(bench: Bench) -> dict[str, list[str]]:
    """Return the commands whose start is measured."""
    paths = bench.inputs(TINY_PACKETS)
    inspect = [str(Path(sys.executable).with_name("sbd")), "inspect", str(paths[0])]
    return {"sbd inspect": inspect, "smartsbd.pipelines.stages parse": bench.command(paths)}


def startup(bench: Bench) -> None:
    with ProcessPoolExecutor(1) as apart:
        commands = apart.submit(starting, bench).result()
    # Not the interpreter: what measures is one.
    folders = [Path(sys.prefix), Path(sysconfig.get_path("stdlib")), ROOT]
    print(
        f"A capture of {TINY_PACKETS} packets, medians of {STARTS} runs. Before each cold one, every file under"
        f" {', '.join(map(str, folders))} leaves the page cache, but for what a running program maps."
    )
    for name, command in commands.items():
        cold = [usage_of(command, folders) for _ in range(STARTS)]
        warm = [usage_of(command) for _ in range(STARTS + 1)][1:]
        for state, runs in (("cold", cold), ("warm", warm)):
            wall_s, cpu_s, read_mib = (
                statistics.median(getattr(run, what) for run in runs) for what in ("wall_s", "cpu_s", "read_mib")
            )
            print(
                f"{name}, {state}: {wall_s:.2f} s, of which {cpu_s:.2f} CPU s; {read_mib:.0f} MiB read from disk",
                flush=True,
            )


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packets", type=int, default=2_000_000)
    parser.add_argument("--connections", type=int, default=500)
    parser.add_argument("--runs", type=int, default=RUNS, help="of each program, of which the least time counts")
    parser.add_argument("--keep", type=Path, help="folder for what is generated, which stays")
    parser.add_argument("--memory", action="store_true", help="peak memory for half, once and five times the packets")
    parser.add_argument("--scaling", action="store_true", help="wall time over several captures, by workers")
    parser.add_argument("--startup", action="store_true", help="wall time for a tiny capture, cold and warm")
    arguments = parser.parse_args()
    print(f"{processor()}, {len(os.sched_getaffinity(0))} cores")
    with ExitStack() as stack:
        folder = arguments.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        bench = Bench(folder.absolute(), arguments.connections)
        # First: the others load libraries into this process.
        if arguments.startup:
            startup(bench)
        if arguments.memory:
            memory(bench, arguments.packets)
        if arguments.scaling:
            scaling(bench, arguments.packets)
        if not (arguments.memory or arguments.scaling or arguments.startup):
            compare(bench, arguments.packets, arguments.runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
