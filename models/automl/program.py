"""One search in a process of its own: ``python -m smartsbd.models.automl.program ENGINE FOLDER``.

Reads ``asked.json``, ``learn.parquet`` and ``judge.parquet`` in the folder, writes ``verdicts.parquet`` and
``found.json``. What the engine fits never leaves this process. When its standard input ends, the process that started
it is gone: then it ends too, with all it has started, and takes the folder away.
"""

from __future__ import annotations

import dataclasses
import json
import os
import resource
import sys
import threading
import time
from pathlib import Path

from smartsbd.models.automl import engine_of, process
from smartsbd.models.automl.engine import Lesson, Limits

ASKED, LEARN, JUDGE, VERDICTS, FOUND = (
    "asked.json",
    "learn.parquet",
    "judge.parquet",
    "verdicts.parquet",
    "found.json",
)
#: Columns of ``learn.parquet`` beside the features, and of ``verdicts.parquet``.
SHARED, FOLD, PROBABILITY = "shared", "fold", "probability"


def _end_with_the_caller(folder: Path) -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    # Beside the search, which goes on starting processes, there would be no end to killing: this takes its place.
    os.execv(sys.executable, [sys.executable, "-m", process.__name__, str(folder)])


def _cpu_s() -> float:
    usages = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def main(name: str, folder: Path) -> None:
    """Search, judge, and write what was found."""
    threading.Thread(target=_end_with_the_caller, args=(folder,), daemon=True).start()
    started_s = time.monotonic()
    asked = json.loads((folder / ASKED).read_text())
    limits = Limits(**asked["limits"])
    most_bytes = limits.memory_mb * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))

    import numpy as np
    import pandas as pd

    learn = pd.read_parquet(folder / LEARN)
    judge = pd.read_parquet(folder / JUDGE)
    features = list(judge.columns)
    result = engine_of(name).search(
        Lesson(
            x=learn[features].to_numpy(dtype=np.float64),
            shared=learn[SHARED].to_numpy(dtype=np.int64),
            fold=learn[FOLD].to_numpy(dtype=np.int64),
            limits=limits,
            seed=asked["seed"],
            scratch=folder,
        )
    )
    probability = result.probability(judge.to_numpy(dtype=np.float64)) if len(judge) else np.empty(0)
    pd.DataFrame({PROBABILITY: np.asarray(probability, dtype=np.float64)}).to_parquet(folder / VERDICTS)
    content = {
        "evaluations": [dataclasses.asdict(evaluation) for evaluation in result.evaluations],
        "model_bytes": result.model_bytes,
        "versions": result.versions,
        "cpu_s": _cpu_s(),
        "wall_s": time.monotonic() - started_s,
    }
    # A setting may hold numpy's numbers, which are no JSON.
    (folder / FOUND).write_text(json.dumps(content, default=lambda number: number.item()))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
