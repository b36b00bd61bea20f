"""Time, bytes and agreement of exported trees and forests in C, beside those of other exporters.

make bench WHAT="export --rounds N --rows N --ours"

Rows follow each other, so that a processor may begin a row while it is at the one before; "one by one", the next row's
address hangs on the last verdict. Rows come in the type an exporter takes, converted beforehand.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import joblib
import numpy as np
import numpy.typing as npt
import sklearn
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from smartsbd.export import emit_c
from smartsbd.export.emit_c import EXPORTABLE
from smartsbd.export.layout import LAYOUTS, Layout
from smartsbd.export.tree import from_fitted
from smartsbd.features.fixed import FEATURE_LIMIT
from smartsbd.models.families.fitted import Fitted, Setting
from smartsbd.models.families.random_forest import to_lattice

ROOT = Path(__file__).parents[1]
PEERS = ROOT / ".venv/bench/bin/python"

#: Four distances and four ratios, in the catalogue's order.
INPUTS = (
    "rtt_ed_4us",
    "cstate_ed_4us",
    "rtt_dtwd_4us",
    "cstate_dtwd_4us",
    "rtt_sd_ratio_q10",
    "cstate_sd_ratio_q10",
    "queue_ed_ratio_q10",
    "rtt_correlation_q10",
)
DISTANCES = 4
#: A distance has 24 bits: what an exporter that takes int16 does not see of it.
SHIFT = 9
TRAINED_ROWS = 2000
HELD_OUT_ROWS = 100_000
#: Gives a tree of 431 nodes, and such a forest.
SEED = 0
NOISE = 0.2

MODELS = ("tree", "forest")
COMPILE = ["gcc", "-O2"]
INTEGERS_ONLY = "-mgeneral-regs-only"
ROW_TYPES = {"int16": np.int16, "int32": np.int32, "float64": np.float64}
#: A row of ours has all features that C computes, whatever the model takes.
WIDTH = len(EXPORTABLE)
SECTIONS = (".text", ".rodata", ".data")

#: The call is to another object: it is neither inlined nor left out. A row that hangs on the last verdict waits for it.
HARNESS = """#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef int16_t int16;
typedef int32_t int32;
typedef double float64;

int decide(const ROW *x);

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static volatile size_t zero;

int main(int argc, char **argv)
{
	size_t n = strtoul(argv[2], NULL, 10), first = 0, count = 0, hung = 0;
	ROW *x = malloc(n * INPUTS * sizeof(*x));
	char *verdicts = malloc(n);
	double least[2] = { 1e18, 1e18 }, spent = 0;
	int passes;
	FILE *file = fopen(argv[1], "rb");

	if (argc != 4 || !x || !verdicts || !file || fread(x, INPUTS * sizeof(*x), n, file) != n)
		return 1;
	fclose(file);
	for (size_t i = 0; i < n; i++)
		first += verdicts[i] = decide(x + i * INPUTS);
	for (passes = 0; passes < 2 || spent < 2e8; passes++) {
		double started = now_ns(), between, ended;
		size_t none = zero;

		for (size_t i = 0; i < n; i++)
			count += decide(x + i * INPUTS);
		between = now_ns();
		for (size_t i = 0; i < n; i++)
			hung += decide(x + i * INPUTS + (hung & none));
		ended = now_ns();
		spent += ended - started;
		least[0] = between - started < least[0] ? between - started : least[0];
		least[1] = ended - between < least[1] ? ended - between : least[1];
	}
	file = fopen(argv[3], "wb");
	if (!file || fwrite(verdicts, 1, n, file) != n || fclose(file))
		return 1;
	printf("%.3f %.3f %zu\\n", least[0] / n, least[1] / n, first);
	return count != first * passes || hung != count;
}
"""


def draw_rows(rows: int, seed: int, noise: float) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return rows of :data:`INPUTS`, and labels by a rule, of which a share is wrong.

    Integers throughout, so that every machine draws the same.
    """
    rng = np.random.default_rng(seed)
    distances = rng.integers(0, FEATURE_LIMIT, (rows, DISTANCES), endpoint=True) >> rng.integers(
        0, 8, (rows, DISTANCES)
    )
    deviations = rng.integers(1 << 6, 1 << 10, (rows, 4))
    ratios = (deviations[:, :2] << 10) // deviations[:, 2:]
    bounded = np.stack(
        [rng.integers(0, 1 << 10, rows, endpoint=True), rng.integers(-1024, 1024, rows, endpoint=True)], 1
    )
    compared = np.minimum((distances[:, :2] << 10) // (distances[:, 2:] + 1), 4096)
    unlike = np.minimum(abs(ratios[:, 0] - ratios[:, 1]), 2048)
    total = compared[:, 0] + compared[:, 1] // 2 + unlike + bounded[:, 0] - 2 * bounded[:, 1]
    return np.hstack([distances, ratios, bounded]), (total < 4242) ^ (rng.random(rows) < noise)


def fitted(model: str) -> Fitted:
    x, labels = draw_rows(TRAINED_ROWS, SEED, NOISE)
    if model == "tree":
        tree = DecisionTreeClassifier(max_depth=10, random_state=0).fit(x, labels)
        return Fitted(tree, INPUTS, Setting(len(INPUTS), ()))
    forest = RandomForestClassifier(100, max_depth=10, random_state=0).fit(x, labels)
    to_lattice(forest)
    return Fitted(forest, INPUTS, Setting(len(INPUTS), ()))


def ours(model: Fitted, layout: Layout, folder: Path) -> Path:
    """Write the model's header and what it builds on; return C with `int decide(const int32_t *x)`, all features."""
    name = "sbd_bench"
    (folder / "smartsbd.h").write_text(emit_c.render_runtime())
    header = emit_c.Header(name, "", "drawn rows", layout)
    (folder / f"{name}.h").write_text(emit_c.render_model(from_fitted(model), header))
    source = folder / "ours.c"
    call = "int decide(const int32_t *x);\nint decide(const int32_t *x)\n{\n\treturn sbd_bench(x);\n}\n"
    source.write_text(f'#include "{name}.h"\n{call}')
    return source


@dataclass
class Entry:
    """An exporter's C, compiled, and what was measured of it so far."""

    model: str
    exporter: str
    row: str
    width: int
    program: Path
    size: int
    least_ns: tuple[float, float] = (float("inf"), float("inf"))
    agreeing: int = 0


def built(model: str, exporter: str, source: Path, row: str, options: list[str], width: int = len(INPUTS)) -> Entry:
    made, harness, program = source.with_suffix(".o"), source.parent / "harness.c", source.with_suffix("")
    subprocess.run([*COMPILE, "-w", *options, "-c", str(source), "-o", str(made)], check=True)
    sizes = subprocess.run(["size", "-A", str(made)], check=True, capture_output=True, text=True).stdout
    size = sum(int(line.split()[1]) for line in sizes.splitlines() if line.startswith(SECTIONS))
    harness.write_text(HARNESS)
    define = [f"-DROW={row}", f"-DINPUTS={width}"]
    subprocess.run([*COMPILE, *define, str(harness), str(made), "-lm", "-o", str(program)], check=True)
    return Entry(model, exporter, row, width, program, size)


def exported(folder: Path) -> tuple[list[Entry], dict[str, str]]:
    """Return the other exporters' entries, and the versions of their packages."""
    script = ROOT / "benchmarks/export_by_others.py"
    subprocess.run([str(PEERS), str(script), str(folder), str(SHIFT), str(DISTANCES)], check=True, capture_output=True)
    peers = json.loads((folder / "peers.json").read_text())
    entries = []
    for made in peers["made"]:
        options = [f"-I{path}" for path in made["include"]]
        entries.append(built(made["model"], made["exporter"], Path(made["path"]), made["row"], options))
    return entries, peers["versions"]


def measure(entry: Entry, folder: Path, expected: npt.NDArray[np.bool_]) -> None:
    verdicts = folder / "verdicts"
    command = [str(entry.program), str(folder / f"{entry.row}_{entry.width}"), str(len(expected)), str(verdicts)]
    done = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    entry.least_ns = min(entry.least_ns[0], float(done[0])), min(entry.least_ns[1], float(done[1]))
    said = np.fromfile(verdicts, dtype=np.int8)
    entry.agreeing = int((said == expected).sum())


def write_rows(x: npt.NDArray[np.int64], folder: Path) -> None:
    for name, kind in ROW_TYPES.items():
        values = x.copy()
        if name == "int16":
            values[:, :DISTANCES] >>= SHIFT
        values.astype(kind).tofile(folder / f"{name}_{len(INPUTS)}")
    numbers = [emit_c.NUMBERS[name] for name in INPUTS]
    wide = np.zeros((len(x), WIDTH), dtype=np.int32)
    wide[:, numbers] = x
    wide.tofile(folder / f"int32_{WIDTH}")


def output(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[0]


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{named[0] if named else platform.machine()}, {platform.machine()}"


def table(entries: list[Entry], rows: int) -> list[str]:
    lines = [
        "| exporter | row | ns a decision | of ours | one by one, ns | bytes | of ours | agreeing rows |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    least = min((one for one in entries if one.exporter.startswith("ours")), key=lambda one: one.least_ns)
    for one in entries:
        # A tree of one node may take less than the clock tells.
        time = f"{one.least_ns[0] / least.least_ns[0]:.2f}" if least.least_ns[0] else ""
        size = f"{one.size / least.size:.2f}"
        agreeing = f"{one.agreeing} ({one.agreeing / rows:.2%})"
        lines.append(
            f"| {one.exporter} | {one.row} | {one.least_ns[0]:.1f} | {time} | {one.least_ns[1]:.1f}"
            f" | {one.size} | {size} | {agreeing} |"
        )
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=HELD_OUT_ROWS)
    parser.add_argument("--ours", action="store_true", help="leave the others out")
    arguments = parser.parse_args()
    rows: int = arguments.rows
    x, _ = draw_rows(rows, SEED + 1, 0.0)
    models = {name: fitted(name) for name in MODELS}
    expected = {name: model.estimator.predict(x) for name, model in models.items()}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_rows(x, folder)
        entries = []
        for model, one in models.items():
            joblib.dump(one.estimator, folder / f"{model}.joblib")
            for layout in LAYOUTS:
                own = folder / f"ours_{layout}_{model}"
                own.mkdir()
                source = ours(one, layout, own)
                entries.append(built(model, f"ours, {layout}", source, "int32", [INTEGERS_ONLY], WIDTH))
        versions = {"scikit-learn": sklearn.__version__}
        if not arguments.ours:
            peers, versions = exported(folder)
            entries += peers
        for _ in range(arguments.rounds):
            for entry in entries:
                measure(entry, folder, expected[entry.model])
    print(f"{processor()}; {output(['gcc', '--version'])}, {' '.join(COMPILE)}")
    print("; ".join(f"{package} {version}" for package, version in versions.items()))
    for model, one in models.items():
        members = getattr(one.estimator, "estimators_", [one.estimator])
        nodes = sum(member.tree_.node_count for member in members)
        print(f"\n{model}: {len(members)} of {nodes / len(members):.0f} nodes, {rows} rows\n")
        print("\n".join(table([entry for entry in entries if entry.model == model], rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
