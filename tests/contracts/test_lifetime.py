"""A program that is run for a process ends with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import runs, waited_for

_KILLED = {
    "here": "subprocess.Popen(ending_with_this(['sleep', '60']))",
    "in a thread": """threading.Thread(target=subprocess.run, args=(ending_with_this(['sleep', '60']),)).start()""",
    "with limits": """threading.Thread(
        target=bounded_process.run, args=(["sleep", "60"], bounded_process.ProcessLimits(60, 1 << 20))).start()""",
}
_STARTER = """
import subprocess, threading, time
from smartsbd.contracts.lifetime import ending_with_this
from smartsbd.detectors import bounded_process

{start}
print(flush=True)
time.sleep(60)
"""


def started(number: int) -> dict[int, str]:
    """Return what a process has started, and what that has, each with the name of its program."""
    children = " ".join((task / "children").read_text() for task in Path(f"/proc/{number}/task").iterdir())
    named = {int(child): Path(f"/proc/{child}/comm").read_text().strip() for child in children.split()}
    return named | {number: name for child in named for number, name in started(child).items()}


@pytest.mark.parametrize("how", list(_KILLED))
def test_a_program_ends_with_the_process_that_is_killed(how: str) -> None:
    command = [sys.executable, "-c", _STARTER.format(start=_KILLED[how])]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as starter:
        assert starter.stdout is not None
        starter.stdout.readline()
        assert waited_for(lambda: "sleep" in started(starter.pid).values())
        programs = started(starter.pid)
        starter.kill()
    assert waited_for(lambda: not any(map(runs, programs)))
