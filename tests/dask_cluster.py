"""A Dask scheduler and its workers, each a process on loopback."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from distributed import Client

_DASK = Path(sys.executable).parent / "dask"
_UP_S = 60


@dataclass
class Cluster:
    """A scheduler and its workers, each a process on loopback."""

    folder: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    address: str = ""

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start one of Dask's programs; it finds the project's packages as this process does."""
        process = subprocess.Popen(
            [_DASK, *arguments, "--host", "127.0.0.1"],
            cwd=self.folder,
            stderr=(self.folder / f"{arguments[0]}.{len(self.processes)}.log").open("wb"),
            env=os.environ | {"DASK_TEMPORARY_DIRECTORY": str(self.folder), "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        self.processes.append(process)
        return process

    def start_scheduler(self) -> None:
        """Start the scheduler on a free port."""
        told = self.folder / "scheduler.json"
        self.start("scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(told))
        until = time.monotonic() + _UP_S
        while not told.exists() or not told.read_text():
            assert time.monotonic() < until, "no scheduler"
            time.sleep(0.05)
        self.address = yaml.safe_load(told.read_text())["address"]

    def start_worker(self) -> subprocess.Popen[bytes]:
        """Start a worker of one thread."""
        return self.start("worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard")

    def stop(self) -> None:
        """End everything."""
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    """Start a scheduler and so many workers."""
    folder.mkdir()
    made = Cluster(folder)
    try:
        made.start_scheduler()
        for _ in range(workers):
            made.start_worker()
        with Client(made.address, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=_UP_S)
        yield made
    finally:
        made.stop()
