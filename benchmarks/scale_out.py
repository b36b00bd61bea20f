"""Time of parse and extract by this machine's processes, by two Dask workers, and with one of them killed half-way.

make bench WHAT="scale_out --dataset NAME"
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import yaml

from tests.dask_cluster import Cluster, cluster

STAGES = ("parse", "extract")
SBD = (sys.executable, "-m", "pipelines")


def _project(folder: Path, dataset: str, address: str | None) -> None:
    """Make a project of one dataset's inputs, those of the project it is called in."""
    (folder / "data/raw").mkdir(parents=True)
    for name in (f"data/raw/{dataset}", "dvc.yaml"):
        (folder / name).symlink_to(Path(name).absolute())
    params = yaml.safe_load(Path("params.yaml").read_text()) | {"scheduler": address}
    (folder / "params.yaml").write_text(yaml.safe_dump(params))


def _timed(folder: Path, dataset: str, killed: Cluster | None, share: float) -> tuple[dict[str, float], str]:
    """Run the stages; return the seconds of each, and a digest of all they wrote."""
    seconds = {}
    for name in STAGES:
        if name == "extract":
            subprocess.run([*SBD, "validate", "--dataset", dataset, "--quiet"], cwd=folder, check=True)
        # Killed in the middle of the first stage's work, by the time that takes without.
        timer = threading.Timer(share, killed.processes[-1].kill) if killed and name == STAGES[0] else None
        begun = time.perf_counter()
        if timer:
            timer.start()
        subprocess.run([*SBD, name, "--dataset", dataset, "--quiet"], cwd=folder, check=True)
        seconds[name] = time.perf_counter() - begun
        if timer:
            timer.join()
    digest = hashlib.sha256()
    for path in sorted(path for path in (*folder.glob("data/[tf]*/**/*"), *folder.glob("reports/**/*"))):
        if path.is_file():
            digest.update(path.read_bytes())
    return seconds, digest.hexdigest()[:16]


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", default="sites")
    dataset = parser.parse_args().dataset
    digests: set[str] = set()
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        first_s = 0.0
        for what, workers in (("processes", 0), ("Dask, 2 workers", 2), ("Dask, 2 workers, one killed", 2)):
            folder = top / what.replace(" ", "_")
            if workers:
                with cluster(top / f"dask_{len(digests)}_{folder.name}", workers) as made:
                    _project(folder, dataset, made.address)
                    seconds, digest = _timed(folder, dataset, made if "killed" in what else None, first_s / 2)
            else:
                _project(folder, dataset, None)
                seconds, digest = _timed(folder, dataset, None, 0)
            first_s = seconds[STAGES[0]]
            digests.add(digest)
            print(f"{what:30s}", *(f"{name} {value:6.1f} s" for name, value in seconds.items()), digest, flush=True)
    print(f"{os.cpu_count()} cores; all the same: {len(digests) == 1}")
    return 0 if len(digests) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
