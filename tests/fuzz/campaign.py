"""Run every target for so many executions, or for so long, and count: ``python -m tests.fuzz.campaign``.

Several targets run at once. A process that ends early, say for want of memory, is followed by another one, and what
it executed counts. A target ends at its first finding: an input that breaks a promise. One that took too long or too
much memory is read again by itself, and is a finding if it does so again.

A table in Markdown says what ran: executions, processes, edges that were reached, inputs in the corpus, findings. The
exit code is 1 if there is one.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz import native, programs
from tests.fuzz.targets import TARGETS

#: What is asked of each target: the bars of docs/formats.md.
PYTHON_RUNS, NATIVE_RUNS = 1_000_000, 5_000_000
_NO_END_S = 10.0**8

# So many at once: what a process has in memory grows with what it has found.
_RUNS_AT_ONCE = 500_000
# A process that ends before it has executed anything would end so again.
_MOST_EMPTY = 2
_FINDINGS = ("crash-", "leak-", "oom-", "timeout-")
# What may be the machine's fault.
_DOUBTFUL = ("oom-", "timeout-")
_STATUS = re.compile(r"^#(\d+)\t\w+\s+cov: (\d+) ft: (\d+) corp: (\d+)/", re.MULTILINE)
_EXECUTED = re.compile(r"^(?:stat::number_of_executed_units: |#|Done )(\d+)", re.MULTILINE)


@dataclass
class Counts:
    """What became of one target.

    Attributes
    ----------
    target : str
    executions, processes : int
    cpu_s : float, seconds
    edges, features, inputs : int
        As libFuzzer counts what was reached: branches, branches by how often, and the inputs that reach them.
    findings : list of str
        Files, or what was said where there is none.
    not_repeated : list of str
        Inputs that took too long or too much memory, and did not when they were read by themselves.
    """

    target: str
    executions: int = 0
    processes: int = 0
    cpu_s: float = 0.0
    edges: int = 0
    features: int = 0
    inputs: int = 0
    findings: list[str] = field(default_factory=list)
    not_repeated: list[str] = field(default_factory=list)

    def take(self, said: str) -> int:
        """Take what a process said; return how many inputs it executed."""
        executed = max((int(number) for number in _EXECUTED.findall(said)), default=0)
        self.processes += 1
        self.executions += executed
        for _, *reached in _STATUS.findall(said)[-1:]:
            self.edges, self.features, self.inputs = map(int, reached)
        return executed


@dataclass(frozen=True)
class Bounds:
    """When a target has run for long enough: executions and seconds, whichever is reached first."""

    runs: int
    seconds: float


def _run(command: Sequence[str], log: Path) -> tuple[int, float]:
    """Run a program, what it says going to a file; return its exit code and the CPU time it took, seconds."""
    with log.open("wb") as said:
        process = subprocess.Popen(command, cwd=native.ROOT, stdout=said, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_utime + used.ru_stime


def _command(folder: Path, target: str, *options: str) -> list[str]:
    return [sys.executable, "-m", "tests.fuzz", "--folder", str(folder), target, *options]


def _found(folder: Path) -> set[Path]:
    return {path for path in folder.glob("*-*") if path.name.startswith(_FINDINGS)}


def _sort(counts: Counts, folder: Path, found: Iterator[Path]) -> None:
    """Read again what may not be the input's fault."""
    for path in found:
        doubtful = path.name.startswith(_DOUBTFUL)
        repeated = not doubtful or _run(_command(folder, counts.target, str(path)), folder / "again.log")[0] != 0
        (counts.findings if repeated else counts.not_repeated).append(str(path))


def run_target(target: str, folder: Path, bounds: Bounds, extra: Sequence[str] = ()) -> Counts:
    """Run one target until it has done enough, or has found something.

    Parameters
    ----------
    target : str
    folder : Path
        Folder for what it finds.
    bounds : Bounds
    extra : sequence of str
        More options of libFuzzer.
    """
    counts, own, begin_s, empty = Counts(target), folder / target, time.monotonic(), 0
    own.mkdir(parents=True, exist_ok=True)
    log, known = folder / f"{target}.log", _found(own)
    while counts.executions < bounds.runs and not counts.findings:
        left_s = int(bounds.seconds - (time.monotonic() - begin_s))
        if left_s < 1:
            break
        runs = min(_RUNS_AT_ONCE, bounds.runs - counts.executions)
        options = (f"-runs={runs}", f"-max_total_time={left_s}", "-print_final_stats=1", *extra)
        code, cpu_s = _run(_command(folder, target, *options), log)
        said = log.read_text(errors="replace")
        counts.cpu_s += cpu_s
        empty = 0 if counts.take(said) else empty + 1
        _sort(counts, folder, iter(sorted(_found(own) - known)))
        known = _found(own)
        if code != 0 and empty == _MOST_EMPTY:
            counts.findings.append(f"exit code {code}: {(said.strip().splitlines() or ['nothing said'])[-1]}")
    return counts


def merge(target: str, folder: Path) -> None:
    """Leave, of what a target has found, the inputs that reach what the others do not.

    Parameters
    ----------
    target : str
    folder : Path
        Folder for what it finds.
    """
    corpus, merged = folder / target / "corpus", folder / target / "merged"
    shutil.rmtree(merged, ignore_errors=True)
    merged.mkdir(parents=True)
    corpus.mkdir(exist_ok=True)
    code, _ = _run(_command(folder, target, "-merge=1", str(merged), str(corpus)), folder / f"{target}.merge.log")
    # Nothing is merged where each process that tried has ended.
    if code == 0 and any(merged.iterdir()):
        shutil.rmtree(corpus)
        merged.rename(corpus)


def table(counts: Sequence[Counts]) -> list[str]:
    """Return what became of targets as lines of a table in Markdown."""
    lines = [
        "| target | kind | executions | a CPU second | CPU s | processes | edges | features | inputs | findings |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for one in counts:
        rate = one.executions / one.cpu_s if one.cpu_s else 0
        kind = "native" if one.target in programs.PROGRAMS else "Python"
        numbers = (one.executions, rate, one.cpu_s, one.processes, one.edges, one.features, one.inputs)
        cells = [one.target, kind, *(f"{number:,.0f}" for number in numbers), str(len(one.findings))]
        lines.append(f"| {' | '.join(cells)} |")
    lines += [f"\nfound by {one.target}: {what}" for one in counts for what in one.findings]
    lines += [f"\nnot repeated by {one.target}: {what}" for one in counts for what in one.not_repeated]
    return lines


def bounds_of(runs: int | None, seconds: float | None) -> Callable[[str], Bounds]:
    """Return what each target has to do: as asked, by default the bars."""

    def bounds(target: str) -> Bounds:
        bar = NATIVE_RUNS if target in programs.PROGRAMS else PYTHON_RUNS
        own = runs if runs is not None else bar if seconds is None else sys.maxsize
        return Bounds(own, _NO_END_S if seconds is None else seconds)

    return bounds


def main() -> int:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.campaign", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="of tests.fuzz.targets; all, if none is named")
    parser.add_argument("--runs", type=int, help="executions of each target")
    parser.add_argument("--seconds", type=float, help="time of each target")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="targets at once (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default=native.ROOT / "build/fuzz", help="default: %(default)s")
    parser.add_argument("--merge", action="store_true", help="then keep inputs that reach what others do not, alone")
    parser.add_argument("--out", type=Path, help="file for the table, too")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.targets) - set(TARGETS))
    if unknown:
        parser.error(f"{', '.join(unknown)} is no target, there are {', '.join(TARGETS)}")
    chosen, bounds = arguments.targets or list(TARGETS), bounds_of(arguments.runs, arguments.seconds)
    folder = arguments.folder.absolute()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        counts = list(pool.map(lambda target: run_target(target, folder, bounds(target)), chosen))
        if arguments.merge:
            list(pool.map(lambda target: merge(target, folder), chosen))
    lines = table(counts)
    print("\n".join(lines))
    if arguments.out:
        arguments.out.write_text("\n".join(lines) + "\n")
    return int(any(one.findings for one in counts))


if __name__ == "__main__":
    sys.exit(main())
