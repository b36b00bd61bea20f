"""What engines are asked, where the answer is known by construction, and what is there of a search while it runs."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from smartsbd.models.automl import engine_of
from smartsbd.models.automl.auto_sklearn import AUTO_SKLEARN
from smartsbd.models.automl.engine import Limits
from smartsbd.models.automl.environment import installed, python_of, remedy
from smartsbd.models.automl.search import Asked

PREFIX = Path(sys.prefix)
HAS_AUTO_SKLEARN = installed(AUTO_SKLEARN, PREFIX) is not None
needs_auto_sklearn = pytest.mark.skipif(not HAS_AUTO_SKLEARN, reason=remedy(AUTO_SKLEARN))

FOLDS = 3
#: More than any search gets to.
ENDLESS = 1_000_000


def limits(evaluations: int, time_s: int = 600, memory_mb: int = 6144) -> Limits:
    return Limits(evaluations, time_s, evaluation_time_s=60, memory_mb=memory_mb, cores=1)


def telling(name: str, most: Limits, seed: int = 0, connections: int = 30) -> Asked:
    """Three windows for each connection; the sign of the first feature is the label, and it is never near 0."""
    rng = np.random.default_rng(1)
    learnt, judged = (rng.normal(size=(rows, 3)) for rows in (3 * connections, 40))
    for x in (learnt, judged):
        x[:, 0] += np.copysign(0.5, x[:, 0])
    engine = engine_of(name)
    return Asked(
        engine=engine,
        python=python_of(engine, PREFIX),
        feature_names=("tells", "noise", "more_noise"),
        x=learnt,
        shared=learnt[:, 0] > 0,
        fold=np.arange(len(learnt)) // 3 % FOLDS,
        judged=judged,
        limits=most,
        seed=seed,
    )


def alike(windows: int = 6, connections: int = 60) -> Asked:
    """As FLAML is asked, of connections whose windows are near copies, and whose labels mean nothing."""
    rng = np.random.default_rng(2)
    connection = np.repeat(np.arange(connections), windows)
    x = rng.normal(size=(connections, 3))[connection] + rng.normal(scale=1e-3, size=(len(connection), 3))
    shared = rng.permutation(np.arange(connections) % 2 == 0)[connection]
    return replace(telling("flaml", limits(10)), x=x, shared=shared, fold=connection % FOLDS)


def running(scratch: Path) -> list[int]:
    """Processes of searches in a folder: it is their home, and stands in the command line of those that fork."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            known = (path / "environ").read_bytes() + (path / "cmdline").read_bytes()
            if f"{scratch}/".encode() in known:
                found.append(int(path.name))
    return found


def left(scratch: Path) -> list[object]:
    """Processes and files of searches in a folder."""
    return [*running(scratch), *scratch.iterdir()]


def eventually(holds: Callable[[], object], within_s: float) -> bool:
    """Return whether something comes to hold in time."""
    end_s = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > end_s:
            return False
        time.sleep(0.05)
    return True
