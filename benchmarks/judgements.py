"""Time of the lag excess in C on recorded pairs: a sample, mean; a call that judges, mean and maximum; bytes a pair.

make bench WHAT="judgements --datasets NAMES" (after make repro). Each call is timed several times, of which the least
counts; the clock's own reading, some 20 ns, is in it.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from smartsbd.export import compilers
from smartsbd.export.compilers import Compiler, compiled
from smartsbd.export.connection_signals import pairs_of_connections
from smartsbd.export.lag_excess_judgements import samples_of

HERE = Path(__file__).parent
HEADERS = HERE.parent / "detectors/verdict"
TABLES = Path("data/tables")
REPEATS = 5
INTEGERS_ONLY = "-mgeneral-regs-only"


def times_ns(compiler: Compiler, content: bytes) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.int64]], int]:
    """Return, of each sample, the least nanoseconds of its call and whether it judged; and the bytes of a pair."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "bench"
        compiled(compiler, HERE / "judgements.c", program, ["-I", str(HEADERS), INTEGERS_ONLY])
        found = []
        for _ in range(REPEATS):
            done = subprocess.run([str(program)], input=content, capture_output=True, check=True)
            found.append(np.array([line.split() for line in done.stdout.decode().splitlines()], dtype=np.int64))
    least = found[0]
    least[:, 0] = np.min([one[:, 0] for one in found], axis=0)
    return least[:-1], int(least[-1, 0])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", nargs="+", default=("sites", "kernel"))
    parser.add_argument("--connections", type=int, default=40)
    arguments = parser.parse_args()
    heads = ("compiler", "dataset", "pairs", "samples", "ns a sample", "judgements", "us a judgement: mean, max")
    print("| " + " | ".join((*heads, "bytes a pair")) + " |")
    print("|---|---|---|---|---|---|---|---|")
    for dataset in arguments.datasets:
        pairs = list(pairs_of_connections(TABLES / dataset, arguments.connections))
        content = b"".join(samples_of(x, y).tobytes() for x, y in pairs)
        for compiler in compilers.installed():
            took, pair_bytes = times_ns(compiler, content)
            judging = took[took[:, 1] == 1, 0] / 1e3
            cells = (
                *(compiler.name, dataset, len(pairs), len(took), f"{took[:, 0].mean():.0f}", len(judging)),
                *(f"{judging.mean():.0f}, {judging.max():.0f}", pair_bytes),
            )
            print("| " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    main()
