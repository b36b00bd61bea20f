"""Time of the exported headers on windows of datasets: features and decision, mean and maximum, and as a share of T.

make bench WHAT="windows --datasets NAMES --headers FOLDERS" (after make repro). The counterpart of the paper's Table 7.
Each window is judged several times, of which the least time counts; the clock's own reading, some 20 ns, is in it.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from smartsbd.contracts.contract import read_table
from smartsbd.contracts.tables import SERIES, WINDOW_KEY
from smartsbd.export import compilers
from smartsbd.export.compilers import Compiler, compiled
from smartsbd.features.catalog import PAIR_WINDOW

HERE = Path(__file__).parent
HEADERS = Path("export/generated")
#: Headers that hold no model.
OF_NO_MODEL = {"sbd_loaded", "sbd_lag_excess", "sbd_common_lag"}
FEATURES = Path("data/features")
DATASETS = ("sites", "groups")
#: Grids of about as many points as the aim is set for.
NEAR_125 = (115, 135)
INTEGERS_ONLY = "-mgeneral-regs-only"


def windows(dataset: str) -> tuple[pd.DataFrame, bytes]:
    """Return a dataset's tiled windows, and as bytes what the C reads of each."""
    found = read_table(PAIR_WINDOW, FEATURES / dataset / "pair_window.parquet").to_pandas()
    found = found[found["rule"] == "tiled"].reset_index(drop=True)
    series = dict(list(read_table(SERIES, FEATURES / dataset / "series.parquet").to_pandas().groupby(list(WINDOW_KEY))))
    parts = []
    for row in found.to_dict("records"):
        own = series[tuple(row[name] for name in WINDOW_KEY)]
        lows = (row["min_rtt_a_us"], row["min_rtt_b_us"])
        head = [row["n"], max(lows) * 1000 // row["step_ns"], *lows, int(row["denominator"] == row["subflow_b"])]
        parts.append(np.array(head, dtype="<u4").tobytes())
        for side in "ab":
            parts.append(own[f"rtt_{side}_us"].to_numpy().astype("<u4").tobytes())
            parts.append(own[f"congested_{side}"].to_numpy().astype("u1").tobytes())
            parts.append(own[f"acked_{side}_bytes"].to_numpy().astype("<u8").tobytes())
    return found, b"".join(parts)


def models(folders: list[Path]) -> list[tuple[str, Path]]:
    """Return the headers of models in some folders, by name, and where each is."""
    return sorted(
        (path.stem, folder) for folder in folders for path in folder.glob("sbd_*.h") if path.stem not in OF_NO_MODEL
    )


def times_ns(
    model: str, place: Path, compiler: Compiler, content: bytes
) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Return, of each window, the nanoseconds of its features and of the model."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["-I", str(place), "-I", str(HEADERS), f"-DSBD_MODEL={model}"]
        inner, program = Path(folder) / "model.o", Path(folder) / "bench"
        compiled(compiler, HERE / "windows_model.c", inner, [*options, INTEGERS_ONLY, "-c"])
        compiled(compiler, HERE / "windows.c", program, [*options, str(inner)])
        done = subprocess.run([str(program)], input=content, capture_output=True, check=True)
    return np.array([line.split() for line in done.stdout.decode().splitlines()], dtype=np.int64)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", nargs="+", default=DATASETS)
    parser.add_argument("--headers", nargs="+", type=Path, default=[HEADERS], help="folders with headers of models")
    arguments = parser.parse_args()
    datasets: list[str] = arguments.datasets
    print(
        "| header | compiler | dataset | windows | features, us: mean, max | 115 to 135 points: windows, mean, max |"
        " model, ns: mean, max | share of T: mean, max |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for dataset in datasets:
        found, content = windows(dataset)
        near = found["n"].between(*NEAR_125).to_numpy()
        for model, place in models(arguments.headers):
            for compiler in compilers.installed():
                took = times_ns(model, place, compiler, content)
                features_us, model_ns = took[:, 0] / 1e3, took[:, 1]
                # The quick profile has few windows, none of them of that size perhaps.
                of_near = f", {features_us[near].mean():.1f}, {features_us[near].max():.1f}" if near.any() else ""
                share = took.sum(axis=1) / found["window_ns"].to_numpy()
                print(
                    f"| {model} | {compiler.name} | {dataset} | {len(found)} |"
                    f" {features_us.mean():.1f}, {features_us.max():.1f} |"
                    f" {near.sum()}{of_near} |"
                    f" {model_ns.mean():.0f}, {model_ns.max():.0f} |"
                    f" {100 * share.mean():.5f} %, {100 * share.max():.5f} % |"
                )


if __name__ == "__main__":
    main()
