"""Run searches by AutoML engines, within their limits; none leaves a process or a file behind."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.contracts import shortage
from smartsbd.models.automl import program
from smartsbd.models.automl.engine import FAILED, OUT_OF_MEMORY, TIMED_OUT, Engine, Limits
from smartsbd.models.automl.process import kill_session

#: A search ends itself at its limit of time; then its models are fitted once more on all rows, and judge. It is killed
#: after this many times the limit, and a minute for starting.
_PATIENCE = 1.5
_STARTING_S = 60
_POLL_S = 0.05
_LONGEST_REASON = 200
#: Folders of searches, in the folder they are given.
_SCRATCH = "sbd-search-"
_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Asked:
    """The input of a search.

    Attributes
    ----------
    engine : Engine
    python : Path
        Its interpreter.
    feature_names : tuple of str
    x : (rows, features) float64
    shared : (rows,) bool
    fold : (rows,) int64
        Fold of each row's connection.
    judged : (judged, features) float64
        Rows to judge; no label of theirs is known here.
    limits : Limits
    seed : int
    """

    engine: Engine
    python: Path
    feature_names: tuple[str, ...]
    x: npt.NDArray[np.float64]
    shared: npt.NDArray[np.bool_]
    fold: npt.NDArray[np.int64]
    judged: npt.NDArray[np.float64]
    limits: Limits
    seed: int


@dataclass(frozen=True)
class EngineSearched:
    """A finished search.

    Attributes
    ----------
    probability : (judged,) float64
        Of a shared bottleneck.
    evaluations : DataFrame
        One row for each setting, in the order they were tried: the fields of
        :class:`~smartsbd.models.automl.engine.Evaluation`.
    model_bytes : int
        Of the fitted model, pickled.
    versions : dict
        Of the engine's packages.
    cpu_s, wall_s : float
        Of the process and all it started.
    limits_acted : tuple of str
        What ended the search, or some evaluations, before their time; empty if only the count of evaluations did.
    """

    probability: npt.NDArray[np.float64]
    evaluations: pd.DataFrame
    model_bytes: int
    versions: dict[str, str]
    cpu_s: float
    wall_s: float
    limits_acted: tuple[str, ...]


@dataclass(frozen=True)
class NotRun:
    """A search that gave nothing, and why."""

    reason: str


@dataclass(frozen=True)
class _Running:
    place: int
    asked: Asked
    process: subprocess.Popen[bytes]
    folder: Path
    killed_at_s: float

    def end(self) -> None:
        """Kill what is left of the search and remove its folder; this may be repeated after an interruption."""
        kill_session(self.process.pid)
        self.process.wait()
        if self.process.stdin is not None:
            self.process.stdin.close()
        if self.folder.exists():
            shutil.rmtree(self.folder)


def _environment(folder: Path) -> dict[str, str]:
    """Return variables that leave nothing outside the folder, ask nothing of a network, and repeat."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "PYTHONPATH": str(_ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONNOUSERSITE": "1",
        "DO_NOT_TRACK": "1",
        **one_thread,
    }


def _process(asked: Asked, folder: Path) -> subprocess.Popen[bytes]:
    learn = pd.DataFrame(asked.x, columns=list(asked.feature_names))
    learn.assign(**{program.SHARED: asked.shared.astype(np.int64), program.FOLD: asked.fold}).to_parquet(
        folder / program.LEARN, index=False
    )
    pd.DataFrame(asked.judged, columns=list(asked.feature_names)).to_parquet(folder / program.JUDGE, index=False)
    content = {"limits": dataclasses.asdict(asked.limits), "seed": asked.seed}
    (folder / program.ASKED).write_text(json.dumps(content))
    with (folder / "messages.txt").open("wb") as messages:
        return subprocess.Popen(
            [str(asked.python), "-m", program.__name__, asked.engine.name, str(folder)],
            cwd=folder,
            env=_environment(folder),
            stdin=subprocess.PIPE,
            stdout=messages,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _start(place: int, asked: Asked, scratch: Path) -> _Running:
    # Absolute: the process works in it.
    folder = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=scratch)).absolute()
    try:
        process = _process(asked, folder)
    except BaseException:
        shutil.rmtree(folder)
        raise
    most_s = asked.limits.time_s * _PATIENCE + _STARTING_S
    return _Running(place, asked, process, folder, time.monotonic() + most_s)


def _limits_acted(evaluations: pd.DataFrame, limits: Limits) -> tuple[str, ...]:
    acted = []
    if limits.evaluations is None or len(evaluations) < limits.evaluations:
        acted.append(f"time of the search: {len(evaluations)} evaluations in {limits.time_s} s")
    for status, limit in (
        (TIMED_OUT, f"{limits.evaluation_time_s} s"),
        (OUT_OF_MEMORY, f"{limits.memory_mb} MB"),
        (FAILED, "the run history has them"),
    ):
        count = int((evaluations["status"] == status).sum())
        if count:
            acted.append(f"{count} evaluations {status} ({limit})")
    return tuple(acted)


def _last_line(path: Path) -> str:
    lines = [line.strip() for line in path.read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1][:_LONGEST_REASON] if lines else "it said nothing"


def _outcome(running: _Running) -> EngineSearched | NotRun:
    if running.process.returncode != 0:
        how = running.process.returncode
        return NotRun(f"ended with {how}: {_last_line(running.folder / 'messages.txt')}")
    content: dict[str, Any] = json.loads((running.folder / program.FOUND).read_text())
    evaluations = pd.DataFrame(content["evaluations"])
    return EngineSearched(
        probability=pd.read_parquet(running.folder / program.VERDICTS)[program.PROBABILITY].to_numpy(dtype=np.float64),
        evaluations=evaluations,
        model_bytes=content["model_bytes"],
        versions=content["versions"],
        cpu_s=content["cpu_s"],
        wall_s=content["wall_s"],
        limits_acted=_limits_acted(evaluations, running.asked.limits),
    )


def _polled(running: _Running) -> EngineSearched | NotRun | None:
    """Return the outcome of a search that has ended or is to end, None of one that goes on."""
    if running.process.poll() is not None:
        return _outcome(running)
    if time.monotonic() > running.killed_at_s:
        return NotRun(f"killed: it took longer than {running.asked.limits.time_s} s and half as long again")
    return None


def searches(
    every: Sequence[Asked], at_once: int, scratch: Path
) -> Generator[tuple[int, EngineSearched | NotRun], None, None]:
    """Run searches, some at once; yield the place of each and its outcome, as they end.

    However the caller ends, by an error, a signal that Python raises, or by not asking for more, what still runs is
    killed with all it has started. If the caller itself is killed, each search ends by itself.

    Parameters
    ----------
    every : sequence of Asked
    at_once : int
    scratch : Path
        Folder that exists; each search has a folder of its own in it while it runs.

    Yields
    ------
    (int, EngineSearched or NotRun)
        Place among `every`, and the outcome.
    """
    waiting = list(enumerate(every))[::-1]
    running: list[_Running] = []
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                place, asked = waiting.pop()
                try:
                    running.append(_start(place, asked, scratch))
                except OSError as error:
                    if shortage.said_of(error) is not None:
                        # Elsewhere, or later, it starts: it is no result of the search.
                        raise
                    yield place, NotRun(f"it did not start: {error}")
            for search in list(running):
                outcome = _polled(search)
                if outcome is not None:
                    search.end()
                    running.remove(search)
                    yield search.place, outcome
            time.sleep(_POLL_S)
    finally:
        for search in running:
            search.end()
