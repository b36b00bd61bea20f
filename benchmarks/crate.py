"""Time of the common lag in Rust beside C, on recordings in git: of a sample, and of a call that judges.

make bench WHAT="crate --datasets NAMES" (needs cargo). Each call is timed five times, of which the least counts; the
clock's own reading, some 20 ns, is in it.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import tempfile
from pathlib import Path

from smartsbd.export import compilers
from smartsbd.export.lag_excess_judgements import samples_of
from smartsbd.features import connection_pairs
from smartsbd.features.reading import DEFAULT
from smartsbd.traces import recording
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.recording import Recording

HERE = Path(__file__).parent
HEADERS = HERE.parent / "detectors/verdict"
CRATE = HERE.parent / "rust"
RECORDINGS = HERE.parent / "data/samples"


def crate_program(target: Path) -> Path:
    """Build the crate's example that times; return it."""
    environment = os.environ | {"CARGO_TARGET_DIR": str(target), "CARGO_NET_OFFLINE": "true"}
    command = ["cargo", "build", "--quiet", "--release", "--locked", "--example", "timing"]
    subprocess.run(command, cwd=CRATE, env=environment, check=True)
    return target / "release/examples/timing"


def samples(dataset: str, inputs: int) -> bytes:
    """Return the samples of every two subflows in a dataset's first inputs, as both programs read them."""
    content = b""
    for recorded_input in recording.read_all(sorted((RECORDINGS / dataset / "inputs").iterdir())[:inputs], Dialect()):
        if not isinstance(recorded_input, Recording):
            raise recorded_input
        for connection in recorded_input.trace.connections:
            signals = connection_pairs.signals(connection, DEFAULT)
            for a, b in itertools.combinations(sorted(signals), 2):
                content += samples_of(signals[a], signals[b]).tobytes()
    return content


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", nargs="+", default=("kernel", "testbed"))
    parser.add_argument("--inputs", type=int, default=40)
    arguments = parser.parse_args()
    print("| by | dataset | samples | ns per sample, mean | judgements | us per judgement, mean |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        programs = {"rustc": crate_program(Path(folder) / "target")}
        for compiler in compilers.installed():
            programs[compiler.name] = Path(folder) / compiler.name
            options = ["-I", str(HEADERS)]
            compilers.compiled(compiler, HERE / "crate.c", programs[compiler.name], options)
        for dataset in arguments.datasets:
            content = samples(dataset, arguments.inputs)
            for name, program in programs.items():
                done = subprocess.run([str(program)], input=content, capture_output=True, check=True)
                calls, ns, judging, judging_ns = map(int, done.stdout.split())
                print(f"| {name} | {dataset} | {calls} | {ns} | {judging} | {judging_ns / 1e3:.1f} |")


if __name__ == "__main__":
    main()
