"""Searches by real engines: what they find, how they are limited, and that nothing of them is left."""

from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from smartsbd.models.automl import search
from smartsbd.models.automl.engine import FAILED, FINISHED, OUT_OF_MEMORY, TIMED_OUT
from smartsbd.models.automl.process import kill_session
from smartsbd.models.automl.search import EngineSearched, NotRun, searches
from tests.models.automl.asked_made import (
    ENDLESS,
    HAS_AUTO_SKLEARN,
    alike,
    eventually,
    left,
    limits,
    needs_auto_sklearn,
    running,
    telling,
)
from tests.processes import waited_for

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
EVALUATIONS = 10
SMALL = telling("flaml", limits(EVALUATIONS))
LONG = telling("flaml", limits(ENDLESS))
NO_INTERPRETER = replace(SMALL, python=Path("/no/such/python"))
FAILING_INTERPRETER = replace(SMALL, python=Path("/bin/false"))
#: Of auto-sklearn: one more than it tries in any case.
LEAST = 26
OF_AUTO_SKLEARN = telling("auto-sklearn", limits(LEAST), connections=20)
#: Processes of it: the search, its log, an evaluation.
IN_FULL_SWING = 3
#: Searches endlessly in the folder given, with the engines named behind it.
CALLER = """
import sys
from pathlib import Path
from smartsbd.models.automl.search import searches
from tests.models.automl.asked_made import ENDLESS, limits, telling
folder, *engines = sys.argv[1:]
list(searches([telling(engine, limits(ENDLESS)) for engine in engines], len(engines), Path(folder)))
"""


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch")


@pytest.fixture(scope="module")
def outcomes(scratch: Path) -> dict[str, EngineSearched | NotRun]:
    """Searches that finish, among others that do not."""
    asked = {
        "overdue": replace(LONG, limits=limits(ENDLESS, time_s=6)),
        "one": SMALL,
        "without memory": replace(SMALL, limits=limits(EVALUATIONS, memory_mb=300)),
        "no interpreter": NO_INTERPRETER,
        "failing interpreter": FAILING_INTERPRETER,
        "same": SMALL,
        "other seed": replace(SMALL, seed=1),
        "alike": alike(),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_STARTING_S", 0)
        patch.setattr(search, "_PATIENCE", 1)
        return {list(asked)[place]: outcome for place, outcome in searches(list(asked.values()), 2, scratch)}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder of searches that end with the test, even if they should have before."""
    yield tmp_path
    while processes := running(tmp_path):
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


def finished(outcomes: dict[str, EngineSearched | NotRun], name: str) -> EngineSearched:
    outcome = outcomes[name]
    assert isinstance(outcome, EngineSearched), outcome
    return outcome


def test_a_search_finds_what_tells_the_label(outcomes: dict[str, EngineSearched | NotRun]) -> None:
    found = finished(outcomes, "one")
    assert ((found.probability > 0.5) == (SMALL.judged[:, 0] > 0)).all()
    assert len(found.evaluations) == EVALUATIONS
    assert found.evaluations["weight"].sum() == 1
    best = found.evaluations.loc[found.evaluations["weight"] > 0, "accuracy"]
    assert best.tolist() == [found.evaluations["accuracy"].max()]
    assert best.iloc[0] > 0.95
    assert found.limits_acted == ()
    assert found.model_bytes > 0
    assert found.cpu_s > 0
    assert "flaml" in found.versions


def said(found: EngineSearched) -> str:
    return json.dumps([found.probability.tolist(), found.evaluations.drop(columns="time_s").to_dict("records")])


def test_a_seed_repeats_and_another_does_not(outcomes: dict[str, EngineSearched | NotRun]) -> None:
    one, same, other = (finished(outcomes, name) for name in ("one", "same", "other seed"))
    assert said(one) == said(same)
    assert one.evaluations["setting"].tolist() != other.evaluations["setting"].tolist()


def test_settings_are_compared_over_folds_of_connections(outcomes: dict[str, EngineSearched | NotRun]) -> None:
    """Whoever knows some windows of a connection knows the others; of another connection nothing can be known."""
    asked = alike()
    freely = cross_val_score(KNeighborsClassifier(1), asked.x, asked.shared, cv=KFold(3, shuffle=True, random_state=0))
    assert freely.min() > 0.95
    assert finished(outcomes, "alike").evaluations["accuracy"].max() < 0.7


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("overdue", r"killed: it took longer than 6 s"),
        ("without memory", r"ended with -?[1-9]\d*: .*\w"),
        ("no interpreter", r"it did not start: .*No such file.*/no/such/python"),
        ("failing interpreter", r"ended with 1: it said nothing"),
    ],
)
def test_a_search_that_gives_nothing_says_why(
    outcomes: dict[str, EngineSearched | NotRun], name: str, reason: str
) -> None:
    outcome = outcomes[name]
    assert isinstance(outcome, NotRun)
    assert re.match(reason, outcome.reason), outcome.reason


def test_every_search_has_an_outcome_and_leaves_nothing(
    outcomes: dict[str, EngineSearched | NotRun], scratch: Path
) -> None:
    assert {name for name, one in outcomes.items() if isinstance(one, EngineSearched)} == {
        "one",
        "same",
        "other seed",
        "alike",
    }
    assert left(scratch) == []


@pytest.mark.parametrize(
    ("statuses", "asked", "acted"),
    [
        ([FINISHED] * 3, 3, []),
        ([FINISHED, FAILED, FINISHED], 3, ["1 evaluations failed (the run history has them)"]),
        ([FINISHED] * 2, 3, ["time of the search: 2 evaluations in 600 s"]),
        ([FINISHED] * 2, None, ["time of the search: 2 evaluations in 600 s"]),
        ([TIMED_OUT, FINISHED, TIMED_OUT], 3, ["2 evaluations timed out (60 s)"]),
        ([FINISHED, OUT_OF_MEMORY, FINISHED], 3, ["1 evaluations out of memory (6144 MB)"]),
        (
            [TIMED_OUT, OUT_OF_MEMORY],
            3,
            [
                "time of the search: 2 evaluations in 600 s",
                "1 evaluations timed out (60 s)",
                "1 evaluations out of memory (6144 MB)",
            ],
        ),
    ],
)
def test_limits_that_acted_are_said(statuses: list[str], asked: int | None, acted: list[str]) -> None:
    most = replace(limits(1), evaluations=asked)
    assert list(search._limits_acted(pd.DataFrame({"status": statuses}), most)) == acted


@pytest.mark.parametrize(
    ("engine", "processes"), [("flaml", 1), pytest.param("auto-sklearn", IN_FULL_SWING, marks=needs_auto_sklearn)]
)
def test_a_caller_that_asks_for_no_more_ends_what_runs(folder: Path, engine: str, processes: int) -> None:
    every = searches([FAILING_INTERPRETER, telling(engine, limits(ENDLESS))], 2, folder)
    assert next(every)[0] == 0
    assert eventually(lambda: len(running(folder)) >= processes, 120)
    assert isinstance(every, Generator)
    every.close()
    assert left(folder) == []


def test_an_error_of_the_caller_ends_what_runs(folder: Path) -> None:
    def fail_at_the_first() -> None:
        for place, _ in searches([FAILING_INTERPRETER, LONG], 2, folder):
            assert running(folder)
            raise LookupError(place)

    with pytest.raises(LookupError):
        fail_at_the_first()
    assert left(folder) == []


def test_an_end_that_is_broken_off_is_made_up_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken_off(session: int) -> None:
        monkeypatch.setattr(search, "kill_session", kill_session)
        raise KeyboardInterrupt

    monkeypatch.setattr(search, "kill_session", broken_off)
    with pytest.raises(KeyboardInterrupt):
        list(searches([FAILING_INTERPRETER], 1, folder))
    assert left(folder) == []


def test_a_caller_that_is_killed_takes_its_searches_with_it(folder: Path) -> None:
    engines = ["flaml", "auto-sklearn"] if HAS_AUTO_SKLEARN else ["flaml"]
    command = [sys.executable, "-c", CALLER, str(folder), *engines]

    def in_full_swing() -> bool:
        processes = 1 + IN_FULL_SWING * HAS_AUTO_SKLEARN
        return len(running(folder)) >= processes and any(folder.glob("*/flaml.jsonl"))

    with subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}) as caller:
        try:
            assert eventually(in_full_swing, 120)
        finally:
            caller.kill()
    assert waited_for(lambda: not left(folder)), left(folder)


@dataclass(frozen=True)
class Watched:
    """A search, where its processes listened and were at home while it ran, and what it left."""

    folder: Path
    outcome: EngineSearched | NotRun
    listening: set[str]
    homes: set[str]
    left: list[object]


def sockets(process: int) -> set[str]:
    found = set()
    for own in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.add(str(own.readlink()))
    return found


def listening(processes: list[int]) -> Iterator[str]:
    """Yield the addresses at which processes listen for TCP."""
    for process in processes:
        with contextlib.suppress(OSError):
            owned = sockets(process)
            for table in ("tcp", "tcp6"):
                for line in Path(f"/proc/{process}/net/{table}").read_text().splitlines()[1:]:
                    fields = line.split()
                    if fields[3] == "0A" and f"socket:[{fields[9]}]" in owned:
                        words = bytes.fromhex(fields[1].partition(":")[0])
                        # Each word of four bytes is in the processor's order.
                        yield str(ipaddress.ip_address(np.frombuffer(words, "<u4").astype(">u4").tobytes()))


def homes(processes: list[int]) -> Iterator[str]:
    """Yield the home directories of processes."""
    for process in processes:
        with contextlib.suppress(OSError):
            variables = Path(f"/proc/{process}/environ").read_text().split("\0")
            yield from (own.removeprefix("HOME=") for own in variables if own.startswith("HOME="))


@pytest.fixture(scope="module")
def by_auto_sklearn(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    folder = tmp_path_factory.mktemp("scratch")
    heard: set[str] = set()
    lived: set[str] = set()
    with ThreadPoolExecutor(1) as pool:
        ending = pool.submit(lambda: list(searches([OF_AUTO_SKLEARN], 1, folder)))
        while not ending.done():
            processes = running(folder)
            heard.update(listening(processes))
            lived.update(str(Path(home).parent) for home in homes(processes))
            time.sleep(0.1)
    ((_, outcome),) = ending.result()
    return Watched(folder, outcome, heard, lived, left(folder))


@pytest.mark.slow
@needs_auto_sklearn
def test_auto_sklearn_finds_what_tells_the_label(by_auto_sklearn: Watched) -> None:
    found = by_auto_sklearn.outcome
    assert isinstance(found, EngineSearched), found
    assert ((found.probability > 0.5) == (OF_AUTO_SKLEARN.judged[:, 0] > 0)).all()
    assert len(found.evaluations) == LEAST
    assert found.limits_acted == ()
    assert found.evaluations["weight"].sum() == pytest.approx(1, abs=1e-6)
    assert found.evaluations.loc[found.evaluations["weight"] > 0, "kind"].nunique() > 2
    assert found.evaluations["accuracy"].max() > 0.95
    assert set(found.versions) == {"autosklearn", "sklearn", "smac"}


@pytest.mark.slow
@needs_auto_sklearn
def test_auto_sklearn_stays_on_loopback_and_in_its_folder(by_auto_sklearn: Watched) -> None:
    assert by_auto_sklearn.listening
    assert all(ipaddress.ip_address(one).is_loopback for one in by_auto_sklearn.listening), by_auto_sklearn.listening
    assert by_auto_sklearn.homes == {str(by_auto_sklearn.folder)}
    assert by_auto_sklearn.left == []
