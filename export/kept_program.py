"""A compiled program that is kept for all who have the same sources and compiler, in several processes too."""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from smartsbd.export.compilers import Compiler


def kept(folder: Path, name: str, compiler: Compiler, sources: Iterable[Path], build: Callable[[Path], Path]) -> Path:
    """Return a program, compiled unless it is in the folder already.

    Parameters
    ----------
    folder : Path
        Where programs are kept. It is made if it is missing.
    name : str
        Of the program: others of the same sources have other names.
    compiler : Compiler
    sources : iterable of Path
        All that the program is made of.
    build : callable
        Compiles it in the folder that it is given, and returns it.

    Returns
    -------
    Path
        The program in the folder.
    """
    binary = Path(compiler.path).stat()
    digest = hashlib.sha256(f"{compiler.path} {binary.st_size} {binary.st_mtime_ns}".encode())
    for source in sorted(sources):
        digest.update(f"\0{source.name}\0".encode() + source.read_bytes())
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / f"{name}-{digest.hexdigest()[:16]}"
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            for earlier in folder.glob(f"{name}-*"):
                earlier.unlink()
            with tempfile.TemporaryDirectory(dir=folder) as part:
                os.replace(build(Path(part)), program)  # noqa: PTH105 - as the standard library calls it
    return program
