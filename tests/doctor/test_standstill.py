"""A host that stands still."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from smartsbd.doctor import standstill
from smartsbd.doctor.standstill import StandstillWatch, share
from tests.processes import PATIENCE_S

_PROGRAM = """
import json, sys, time
from smartsbd.doctor.standstill import StandstillWatch
watch = StandstillWatch()
print("ready", flush=True)
sys.stdin.readline()
print(json.dumps([watch.end(), time.time()]))
"""


def test_a_process_that_is_stopped_sees_it() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    begin_s = time.time()
    time.sleep(0.2)
    os.kill(process.pid, signal.SIGSTOP)
    time.sleep(0.5)
    os.kill(process.pid, signal.SIGCONT)
    found, end_s = json.loads(process.communicate("\n")[0])
    # On a machine that others share it may have stood still longer, and more than once.
    assert share([tuple(one) for one in found], begin_s, end_s) * (end_s - begin_s) > 0.45


def test_a_standstill_is_as_long_as_the_clock_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sleeps of 10 ms that take as long as here; after the last of them every one is as long as it should."""
    slept_s, over, now_s = iter([0.01, 0.055, 0.51, 0.01]), threading.Event(), [1000.0]

    def sleep(asked_s: float) -> None:
        took_s = next(slept_s, None)
        if took_s is None:
            over.set()
            time.sleep(0.001)
        now_s[0] += took_s or asked_s

    def clock() -> float:
        return now_s[0]

    monkeypatch.setattr(standstill, "time", SimpleNamespace(sleep=sleep, time=clock, monotonic=clock))
    watch = StandstillWatch()
    assert over.wait(PATIENCE_S)
    (still,) = watch.end()
    assert still == pytest.approx((1000.075, 1000.575))


def test_a_watch_that_ends_at_once_has_seen_nothing() -> None:
    assert StandstillWatch().end() == []
