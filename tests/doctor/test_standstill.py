"""A host that stands still."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

from doctor.standstill import StandstillWatch, share

_PROGRAM = """
import json, sys, time
from doctor.standstill import StandstillWatch
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
    still_s = share([tuple(one) for one in found], begin_s, end_s) * (end_s - begin_s)
    assert 0.45 < still_s < end_s - begin_s - 0.1


def test_a_watch_that_ends_at_once_has_seen_nothing() -> None:
    assert StandstillWatch().end() == []
