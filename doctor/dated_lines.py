"""Runs a program and writes each line of its output with the time at which it came: for a ping that prints none."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from typing import BinaryIO

from smartsbd.contracts.lifetime import ending_with_this


def run(command: Sequence[str], out: BinaryIO) -> int:
    """Run a program to its end.

    Parameters
    ----------
    command : sequence of str
    out : binary file
        Gets its lines, each after ``[<seconds since 1970>] ``, as iputils' ``ping -D`` prints them.

    Returns
    -------
    int
        Its exit code.
    """
    with subprocess.Popen(ending_with_this(command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        for line in process.stdout or ():
            out.write(b"[%.6f] %b" % (time.time(), line))
            out.flush()
    return process.returncode


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], sys.stdout.buffer))
