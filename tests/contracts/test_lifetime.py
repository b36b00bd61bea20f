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


def children(number: int) -> dict[int, str]:
    """Return what a process has started, each with the name of its program."""
    started = " ".join((task / "children").read_text() for task in Path(f"/proc/{number}/task").iterdir())
    return {int(one): Path(f"/proc/{one}/comm").read_text().strip() for one in started.split()}


@pytest.mark.parametrize("how", list(_KILLED))
def test_a_program_ends_with_the_process_that_is_killed(how: str) -> None:
    command = [sys.executable, "-c", _STARTER.format(start=_KILLED[how])]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as starter:
        assert starter.stdout is not None
        starter.stdout.readline()
        # setpriv, the shell and the program are one process, one after the other.
        assert waited_for(lambda: "sleep" in children(starter.pid).values())
        (program,) = children(starter.pid)
        starter.kill()
    assert waited_for(lambda: not runs(program))
