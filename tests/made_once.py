"""What several workers of a test run need, made by the first of them that asks."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Wait until no other process holds a file's lock, and hold it; a process that ends lets go of it."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that all workers of a run read, and none writes to, once it is made.

    Parameters
    ----------
    factory : pytest.TempPathFactory
    name : str
        Of the folder.
    make : callable
        Fills the empty folder. If that fails, the next worker that asks begins again, and fails too.
    """
    # A worker of pytest-xdist has its own folder in the run's.
    own = factory.getbasetemp()
    shared = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "made_once"
    folder, whole = shared / name, shared / f"{name}.whole"
    with alone(shared / f"{name}.lock"):
        if not whole.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            whole.touch()
    return folder
