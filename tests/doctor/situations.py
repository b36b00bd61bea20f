"""The four situations in which `sbd doctor` is tried live, and a campaign of runs of each."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from smartsbd.scenarios import datasets
from smartsbd.scenarios.scenario import Scenario
from tests.doctor.live_run import SAID, TEST, Wanted, live
from tests.doctor.sending_server import BULK, DRIPPING, SILENT

SHARED, NOT_SHARED, IDLE, STALLED = "shared", "not shared", "one path idle", "stalled host"
RIGHT = {SHARED: "shared", NOT_SHARED: "not shared", IDLE: "unknown", STALLED: "unknown"}


def _networks(shared: bool, seed: int, count: int) -> list[str]:
    runs = datasets.draw("wide_linux", {"connections_per_label": count, "duration_s": 600, "seed": seed})
    return [run.scenario.model_dump_json() for run in runs if is_shared(run.scenario) is shared]


def is_shared(scenario: Scenario) -> bool:
    """Tell whether both paths of a scenario are intended to have one bottleneck."""
    one, other = (path.bottleneck[0][1] for path in scenario.subflows)
    return one == other


def wanted(situation: str, seed: int, count: int, seconds: float) -> Iterator[Wanted]:
    """Yield so many runs of a situation."""
    shared = _networks(True, seed, count)
    apart = _networks(False, seed, count)
    for number in range(count):
        network = shared[number] if situation == SHARED or (situation != NOT_SHARED and number % 2) else apart[number]
        ways = [BULK, BULK]
        if situation == IDLE:
            ways[number % 2] = SILENT if number % 4 < 2 else DRIPPING
        yield Wanted(network, ways, seed + number if situation == STALLED else None, seconds)


def _said(folder: Path) -> dict[str, Any]:
    path = folder / TEST / "answer.json"
    if path.exists():
        return dict(json.loads(path.read_text()))
    lines = (folder / SAID).read_text() if (folder / SAID).exists() else (folder / "live.log").read_text()
    return {"answer": "failed", "why": lines.strip().splitlines()[-1:], "witnesses": []}


def main() -> int:
    """Run the campaign; return 1 if an answer is not the right one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=40.0)
    parser.add_argument("--situations", nargs="*", default=list(RIGHT))
    arguments = parser.parse_args()
    runs = [
        (situation, number, one)
        for situation in arguments.situations
        for number, one in enumerate(wanted(situation, arguments.seed, arguments.count, arguments.seconds))
    ]
    running: list[Any] = []
    rows = []
    while runs or running:
        while runs and len(running) < arguments.jobs:
            situation, number, one = runs.pop(0)
            folder = arguments.folder / f"{situation.replace(' ', '-')}.{number}"
            folder.mkdir(parents=True)
            running.append((situation, number, folder, live(folder, one)))
        time.sleep(0.5)
        for own in [own for own in running if own[3].poll() is not None]:
            running.remove(own)
            said = _said(own[2])
            row = {
                "situation": own[0],
                "run": own[1],
                "answer": said["answer"],
                "right": said["answer"] == RIGHT[own[0]],
                "why": said["why"],
                "witnesses": {one["name"]: one["shared"] for one in said["witnesses"]},
            }
            rows.append(row)
            print(json.dumps(row), flush=True)
    for situation in arguments.situations:
        own = [row for row in rows if row["situation"] == situation]
        print(f"{situation}: {sum(row['right'] for row in own)} of {len(own)}")
    return int(not all(row["right"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
