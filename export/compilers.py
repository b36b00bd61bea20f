"""The compilers that an exported header must pass, and their options."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from smartsbd.contracts.fault import Fault, printable
from smartsbd.detectors import bounded_process
from smartsbd.detectors.bounded_process import ProcessLimits

#: The largest header in git takes two seconds. An include of /dev/zero would take all memory.
LIMITS = ProcessLimits(time_s=300, file_bytes=1 << 30, memory_bytes=4 << 30)
#: Most letters that are shown of a tool's messages.
_LINE = 300
WARNINGS = ("-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O2")


class CompileError(Fault):
    """C that does not compile, or a compiler that is not there."""


@dataclass(frozen=True)
class Compiler:
    """A C compiler that is installed."""

    name: str
    path: str


#: Those that are looked for; the first is needed, and builds the programs that are run.
KNOWN = ("gcc", "clang")


def installed(*, all_of_them: bool = False) -> list[Compiler]:
    """Return the compilers there are.

    Parameters
    ----------
    all_of_them : bool
        Whether each of :data:`KNOWN` is needed.

    Returns
    -------
    list of Compiler
        In the order of :data:`KNOWN`.

    Raises
    ------
    CompileError
        If one that is needed is not installed.
    """
    compilers = []
    for name in KNOWN:
        path = shutil.which(name)
        if path is not None:
            compilers.append(Compiler(name, path))
        elif all_of_them or name == KNOWN[0]:
            raise CompileError(f"{name} is not installed: a header is compiled before it is believed")
    return compilers


def _one_line(output: bytes) -> str:
    """Return the first error in a tool's output, or else its first line, as it can be printed."""
    lines = output.decode(errors="replace").strip().splitlines() or [""]
    first = next((line for line in lines if "error: " in line), lines[0])
    return printable(first)[:_LINE]


def run(command: Sequence[str], limits: ProcessLimits = LIMITS) -> bytes:
    """Run a tool; return what it printed.

    Parameters
    ----------
    command : sequence of str
    limits : ProcessLimits

    Returns
    -------
    bytes
        Its standard output.

    Raises
    ------
    CompileError
        If it fails.
    OverLimitError
        If it does not end in time.
    """
    done = bounded_process.run(command, limits)
    if done.exit_code != 0:
        raise CompileError(f"{printable(' '.join(command))} failed ({done.exit_code}): {_one_line(done.errors)}")
    return done.output


def compiled(
    compiler: Compiler, source: Path, target: Path, options: Sequence[str], limits: ProcessLimits = LIMITS
) -> None:
    """Compile a file, any warning being an error.

    Parameters
    ----------
    compiler : Compiler
    source, target : Path
        The C file, and what is made of it.
    options : sequence of str
        In addition to :data:`WARNINGS`.
    limits : ProcessLimits

    Raises
    ------
    CompileError
        If it does not compile.
    OverLimitError
        If the compiler does not end in time.
    """
    run([compiler.path, *WARNINGS, *options, str(source), "-o", str(target)], limits)
