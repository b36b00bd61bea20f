"""Bottlenecks that move, and senders that fall idle, under sbd_smart in this machine's kernel.

How long until groups are right again after a move, and until subflows are coupled that nothing is known of any more.
Run as root, after ``sbd kernel load`` (docs/testbed.md).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_csv
from smartsbd.pipelines.running import stage
from smartsbd.scenarios.path import CONNECTION_START_S
from smartsbd.scenarios.scenario import OnOff, Scenario
from smartsbd.scenarios.simulator import written
from smartsbd.testbed.decided_groups import status
from smartsbd.testbed.examples import example

SEED = 20261130
PARTING, JOINING, IDLE = "to own links", "to one link", "idle"
_MOVE_S = 25.0
_PERIOD_S = 0.1
_RTT_MS, _OWN_MBIT_S, _SHARED_MBIT_S = (30.0, 60.0), (4.0, 6.0), (8.0, 10.0)
#: Rates of a link that limits nobody.
_WIDE_MBIT_S, _WIDE_OWN_MBIT_S = 40.0, 30.0
#: What a rival's base RTT is above that of the subflow beside it.
_RIVAL_MS = 10.0
#: Means of the periods with data and without.
_ON_S, _OFF_S = 15.0, 60.0
#: Idle for less, nothing has to have changed.
_LEAST_IDLE_S = 12.0
_TRUTH: Final = "truth.csv"


def _moving(rng: np.random.Generator, *, parts: bool) -> Scenario:
    """Return the example with a bottleneck that moves, its rates and RTTs drawn; the other way round if it joins."""
    scenario = example("moving")
    shared = round(float(rng.uniform(*_SHARED_MBIT_S)), 3)
    rates = [shared, *(round(float(rng.uniform(*_OWN_MBIT_S)), 3) for _ in range(2))]
    wide = [_WIDE_MBIT_S, _WIDE_OWN_MBIT_S, _WIDE_OWN_MBIT_S]
    links = []
    for place, link in enumerate(scenario.links):
        first = (place == 0) == parts
        before, after = (rates[place], wide[place]) if first else (wide[place], rates[place])
        links.append(link.model_copy(update={"rate_mbit_s": ((0.0, before), (_MOVE_S, after))}))
    subflows = []
    for place, subflow in enumerate(scenario.subflows):
        own = place + 1
        limits = ((0.0, 0), (_MOVE_S, own)) if parts else ((0.0, own), (_MOVE_S, 0))
        rtt_ms = round(float(rng.uniform(*_RTT_MS)), 3)
        subflows.append(subflow.model_copy(update={"bottleneck": limits, "rtt_ms": rtt_ms}))
    beside = [
        flow.model_copy(update={"rtt_ms": subflows[flow.subflow].rtt_ms + _RIVAL_MS}) for flow in scenario.background
    ]
    return scenario.model_copy(update={"links": tuple(links), "subflows": tuple(subflows), "background": tuple(beside)})


def _idle(rng: np.random.Generator) -> Scenario:
    """Return the example with links of their own, with a sender that falls idle."""
    scenario = example("separate")
    application = OnOff(on_s=_ON_S, off_s=_OFF_S)
    subflows = [
        subflow.model_copy(update={"rtt_ms": round(float(rng.uniform(*_RTT_MS)), 3)}) for subflow in scenario.subflows
    ]
    return scenario.model_copy(
        update={
            "duration_s": 60.0,
            "connection": scenario.connection.model_copy(update={"application": application}),
            "subflows": tuple(subflows),
        }
    )


def draw(runs: int, seed: int = SEED) -> Iterator[tuple[str, int, Scenario]]:
    """Yield the connections of each kind.

    Parameters
    ----------
    runs : int
        Of each kind.
    seed : int

    Yields
    ------
    tuple of str, int, Scenario
        Kind and number.
    """
    for kind in (PARTING, JOINING, IDLE):
        for number in range(runs):
            rng = np.random.default_rng([seed, *kind.encode(), number])
            scenario = _idle(rng) if kind == IDLE else _moving(rng, parts=kind == PARTING)
            yield kind, number, scenario.model_copy(update={"seed": int(rng.integers(1, 1 << 31))})


def settled_s(rows: Sequence[dict[str, Any]], coupled: bool, moved_ns: int, until_ns: int) -> float | None:
    """Return how long after a move groups became right, and stayed so.

    Parameters
    ----------
    rows : sequence of dict
        ``time_ns`` and ``coupled`` of one pair, in order of time.
    coupled : bool
        What is right after the move.
    moved_ns, until_ns : int
        The move, and the end of what counts.

    Returns
    -------
    float, seconds or None
        None if it is not right in the end.

    Examples
    --------
    >>> rows = [{"time_ns": t * 10**9, "coupled": t < 3} for t in range(6)]
    >>> settled_s(rows, False, 10**9, 5 * 10**9), settled_s(rows, True, 10**9, 5 * 10**9)
    (2.0, None)
    """
    settled_ns: int | None = None
    for row in rows:
        if not moved_ns <= row["time_ns"] <= until_ns:
            continue
        if row["coupled"] != coupled:
            settled_ns = None
        elif settled_ns is None:
            settled_ns = row["time_ns"]
    return None if settled_ns is None else (settled_ns - moved_ns) / 1e9


def faded_s(rows: Sequence[dict[str, Any]]) -> float | None:
    """Return how long after its last sample a pair was coupled that was not.

    Parameters
    ----------
    rows : sequence of dict
        ``time_ns``, ``coupled`` and ``signals`` of one pair, in order of time.

    Returns
    -------
    float, seconds or None
        Of the first period without samples that is long enough and begins uncoupled; None if there is none.
    """
    begun = 0
    for place, row in enumerate(rows):
        if row["signals"] != rows[begun]["signals"]:
            begun = place
        if row["time_ns"] - rows[begun]["time_ns"] < _LEAST_IDLE_S * 1e9 or rows[begun]["coupled"]:
            continue
        idle = [later for later in rows[begun:] if later["signals"] == rows[begun]["signals"] and later["coupled"]]
        return (idle[0]["time_ns"] - rows[begun]["time_ns"]) / 1e9 if idle else float("inf")
    return None


class _Watched:
    """What the kernel decides of every pair, asked ten times a second."""

    def __init__(self) -> None:
        self.pairs: dict[str, list[dict[str, Any]]] = {}
        self.since_ns: dict[str, int] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)

    def __enter__(self) -> _Watched:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _ask(self) -> None:
        while not self._stop.wait(_PERIOD_S):
            report = status()
            for connection in report["connections"] if report else ():
                self.since_ns.setdefault(connection["token"], connection["since_ns"])
                for pair in connection["pairs"]:
                    self.pairs.setdefault(connection["token"], []).append(
                        {
                            "time_ns": report["now_ns"] if report else 0,
                            "coupled": pair["coupled"],
                            "signals": sum(subflow["signals"] for subflow in connection["subflows"]),
                        }
                    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    parser.add_argument("--runs", type=int, default=10, help="connections of each kind (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=5, help="connections at once (default: %(default)s)")
    parser.add_argument("--out", type=Path, required=True, help="folder to make, with what `sbd testbed` writes")
    parser.add_argument("--table", type=Path, required=True, help="table to write")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run them, and say how long each took."""
    del params
    drawn = {f"{kind} {number}".replace(" ", "-"): (kind, number, own) for kind, number, own in draw(arguments.runs)}
    scenarios = arguments.out.with_name(arguments.out.name + "-scenarios")
    scenarios.mkdir(parents=True)
    for name, (_, _, scenario) in drawn.items():
        (scenarios / f"{name}.json").write_text(written(scenario))
    files = [str(scenarios / f"{name}.json") for name in drawn]
    words = ["testbed", *files, "--congestion-control", "sbd_smart", "--jobs", str(arguments.jobs)]
    with _Watched() as watched:
        done = subprocess.run(
            [sys.executable, "-m", "smartsbd.pipelines", *words, "--out", str(arguments.out)], check=False
        )
        time.sleep(_PERIOD_S)
    if not (arguments.out / _TRUTH).exists():
        return done.returncode
    truth = pd.read_csv(arguments.out / _TRUTH, dtype={"token": str})
    rows = []
    for name, (kind, number, _) in drawn.items():
        tokens = set(truth.loc[truth["input"] == f"{name}.log.zst", "token"])
        token = str(next(iter(tokens), ""))
        row: dict[str, Any] = {"kind": kind, "number": number, "seconds": None}
        seen = watched.pairs.get(token, [])
        if seen and kind == IDLE:
            row["seconds"] = faded_s(seen)
        elif seen:
            moved_ns = watched.since_ns[token] + round((_MOVE_S - CONNECTION_START_S) * 1e9)
            row["seconds"] = settled_s(seen, kind == JOINING, moved_ns, moved_ns + round(_MOVE_S * 1e9))
        rows.append(row)
    table = pd.DataFrame(rows)
    write_csv(table, arguments.table)
    for kind in (PARTING, JOINING, IDLE):
        of_kind = table[table["kind"] == kind]
        seconds = of_kind["seconds"].dropna()
        stage.say(f"{kind}: {len(seconds)} of {len(of_kind)}, mean {seconds.mean():.2f} s, most {seconds.max():.2f} s")
    return done.returncode
