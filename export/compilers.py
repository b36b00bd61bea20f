"""The compilers that an exported header must pass, and their options."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.fault import Fault

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

    Raises
    ------
    CompileError
        If one that is needed is not installed.
    """
    found = []
    for name in KNOWN:
        path = shutil.which(name)
        if path is not None:
            found.append(Compiler(name, path))
        elif all_of_them or name == KNOWN[0]:
            raise CompileError(f"{name} is not installed: a header is compiled before it is believed")
    return found


def run(command: Sequence[str]) -> bytes:
    """Run a tool; return what it printed.

    Raises
    ------
    CompileError
        If it fails.
    """
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        raise CompileError(
            f"{' '.join(command)} failed ({done.returncode}): {done.stderr.decode(errors='replace').strip()}"
        )
    return done.stdout


def compiled(compiler: Compiler, source: Path, target: Path, options: Sequence[str]) -> None:
    """Compile a file, any warning being an error.

    Parameters
    ----------
    compiler : Compiler
    source, target : Path
        The C file, and what is made of it.
    options : sequence of str
        In addition to :data:`WARNINGS`.

    Raises
    ------
    CompileError
        If it does not compile.
    """
    run([compiler.path, *WARNINGS, *options, str(source), "-o", str(target)])
