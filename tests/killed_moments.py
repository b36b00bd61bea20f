"""What work leaves that is ended at any of its moments: each time that it opens, makes, lists or removes something."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: Runs work in a process of its own for each moment, all forked from one, so that what is imported is imported once.
_PROGRAM = """
import json, os, shutil, signal, sys
from pathlib import Path

folder, number, step = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
# What work prints goes elsewhere.
told = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
{work}

if number != signal.SIGKILL:
    # Whoever runs the tests may ignore it.
    signal.signal(number, signal.SIG_DFL)

def count(moment):
    seen = 0
    def look(event, arguments):
        nonlocal seen
        if event in ("ctypes.dlsym", "fcntl.flock") or any(
            isinstance(one, str | bytes | Path) and str(folder) in os.fsdecode(one) for one in arguments
        ):
            seen += 1
            if seen == moment:
                os.kill(os.getpid(), number)
    sys.addaudithook(look)

def ended_at(moment):
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 99
    try:
        count(moment)
        code = work()
    except SystemExit as end:
        code = end.code
    finally:
        os._exit(code)

def there():
    return {{
        str(path.relative_to(folder)): path.read_text("latin-1") if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }}

moment, code = 1, None
while code != 0:
    code = ended_at(moment)
    print(json.dumps([code, there()]), file=told, flush=True)
    for path in folder.glob("[!.]*"):
        shutil.rmtree(path)
    moment += step
"""
#: What a command or stage does, with parameters that are read once.
_COMMAND = """
import argparse
import {module} as program
from smartsbd.pipelines.params import read_params

parser = argparse.ArgumentParser()
program.add_arguments(parser)
arguments = parser.parse_args({words})
params = read_params(Path({params!r}), whole=False)

def work():
    return program.run(arguments, params)
"""


def command(module: str, *words: object, params: Path = ROOT / "params.yaml") -> str:
    """Return the source of the work of a command or stage.

    Parameters
    ----------
    module : str
    *words : object
        Its command line.
    params : Path
    """
    return _COMMAND.format(module=module, words=[*map(str, words)], params=str(params))


@dataclass(frozen=True)
class Left:
    """What was left: the exit code, and each path with its content, which is None for a folder."""

    code: int
    paths: dict[str, str | None]

    def in_place(self) -> dict[str, str | None]:
        """What is not in a hidden folder."""
        return {path: content for path, content in self.paths.items() if not path.startswith(".")}


def ended_at_each(work: str, folder: Path, number: signal.Signals, step: int = 1) -> list[Left]:
    """Return what each run leaves that a signal ends at a moment; the last one no signal has ended.

    What is in place is removed before the next run, what is hidden is not.

    Parameters
    ----------
    work : str
        Source of a function ``work`` that returns an exit code.
    folder : Path
        Where it writes, as its source names it.
    number : Signals
    step : int
        From one moment to the next that is tried.
    """
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(work=work), str(folder), str(int(number)), str(step)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
        timeout=120,
    )
    return [Left(*json.loads(line)) for line in done.stdout.splitlines()]


def check_whole_or_none(left: list[Left], number: signal.Signals) -> None:
    """Check that work left what it leaves when nothing ends it, or nothing but a hidden folder where it was killed."""
    *ended, last = left
    assert last.code == 0
    assert last.paths == last.in_place()
    # Before anything is made, a signal ends a process by itself.
    assert {one.code for one in ended} <= {-number, 128 + number}
    assert all(one.in_place() in ({}, last.paths) for one in ended)
    hidden = [one for one in ended if one.paths != one.in_place()]
    # Otherwise no moment was one in which there is something to remove.
    assert bool(hidden) == (number == signal.SIGKILL)
    assert len([one for one in ended if not one.in_place()]) > 1
