"""Run one target; see :mod:`tests.fuzz`."""

from __future__ import annotations

import argparse
import hashlib
import importlib
import os
import resource
import shlex
import sys
import tempfile
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

from tests.fuzz import native, programs

# Beyond what is mapped once everything is imported: a length that an input only claims is not allocated.
_MORE_BYTES = 2 << 30
# What only the checks call.
_NO_PARSERS = ["smartsbd.traces.connection", "smartsbd.contracts.contract", "smartsbd.contracts.tables"]
_OPTIONS = {"timeout": 60, "rss_limit_mb": 2048}
# Nothing that is compiled allocates so much at once: a capture's largest block is 16 MiB.
_MORE_OPTIONS_OF_A_PROGRAM = {"timeout": 10, "malloc_limit_mb": 64}
_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder in memory, where there is one


class _WithoutPandas(MetaPathFinder):
    """Arrow looks for pandas, and does without it; to import it takes longer than many a run."""

    def find_spec(self, name: str, _path: object, _target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


def _mapped_bytes() -> int:
    """Return the size of this process's address space."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _prepare(target: Any, folder: Path) -> list[str]:
    """Write what a run starts from; return the options that say where it is."""
    seeds, found, words = folder / "seeds", folder / "corpus", folder / "words"
    for one in (seeds, found):
        one.mkdir(parents=True, exist_ok=True)
    for content in target.seeds():
        (seeds / hashlib.sha256(content).hexdigest()[:16]).write_bytes(content)
    escaped = ("".join(f"\\x{byte:02x}" for byte in word) for word in target.words)
    words.write_text("".join(f'"{word}"\n' for word in escaped))
    return [f"-artifact_prefix={folder}/", f"-dict={words}", f"-max_len={target.max_bytes}"]


def _again(arguments: argparse.Namespace, folder: Path) -> Path:
    """Return a program that runs the target as this one does: libFuzzer calls it to merge inputs."""
    words = [sys.executable, "-m", "tests.fuzz", "--folder", str(arguments.folder.absolute())]
    words += ["--native"] * arguments.native + [arguments.target]
    program = folder / "again"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
    program.chmod(0o755)
    return program


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--folder", type=Path, default=native.ROOT / "build/fuzz", help="default: %(default)s")
    parser.add_argument("--native", action="store_true", help="build what is compiled with its coverage recorded")
    parser.add_argument("target", help="one of tests.fuzz.targets")
    parser.add_argument("options", nargs=argparse.REMAINDER, help="libFuzzer's (-help=1), and files to read once")
    return parser.parse_args()


def main() -> None:
    """Fuzz until told to stop; the exit code is 0 if no promise was broken."""
    arguments = _arguments()
    # Threads that wait for each other take CPU time, too.
    os.environ["OMP_NUM_THREADS"] = "1"
    built, libfuzzer = arguments.folder.absolute() / "native", ""
    is_program = arguments.target in programs.PROGRAMS
    # Without Clang, nothing else would guide a search in C or C++.
    with_coverage = arguments.native or (is_program and not programs.has_clang())
    without_pandas = _WithoutPandas()
    if not is_program:
        sys.meta_path.insert(0, without_pandas)
    if with_coverage:
        if is_program:
            programs.used = library = programs.build(arguments.target, built)
        else:
            library = native.build(built)
            # Before the module that `make native` built.
            importlib.import_module("smartsbd.native").__path__.insert(0, str(built))
        libfuzzer = native.load_libfuzzer()
    atheris = importlib.import_module("atheris")
    # Imported here, so that what is imported in turn tells where it goes.
    with atheris.instrument_imports(include=["smartsbd.traces"], exclude=_NO_PARSERS):
        targets = importlib.import_module("tests.fuzz.targets")
    targets.oracle.prepare()
    if not is_program:
        # Arrow has looked; what reads models needs it.
        sys.meta_path.remove(without_pandas)
    if arguments.target not in targets.TARGETS:
        sys.exit(f"{arguments.target!r} is no target, there are {sorted(targets.TARGETS)}")
    target = targets.TARGETS[arguments.target]
    with atheris.instrument_imports(include=[*target.modules]):
        for module in target.modules:
            importlib.import_module(module)
    folder = arguments.folder.absolute() / arguments.target
    limits = _OPTIONS | (_MORE_OPTIONS_OF_A_PROGRAM if is_program and not with_coverage else {})
    options = _prepare(target, folder) + [f"-{name}={value}" for name, value in limits.items()]
    # The last of two that are the same counts.
    options += arguments.options
    if all(option.startswith("-") for option in arguments.options):
        start = [folder / "corpus", *(targets.CORPUS / name for name in target.corpus), folder / "seeds"]
        options += map(str, start)
    if is_program and not with_coverage:
        programs.run_with_clang(arguments.target, folder, options)

    def check(content: bytes) -> int:
        # What the parsers do not know is not kept.
        return 0 if target.check(content) else -1

    def mutated(content: bytes, most: int, seed: int) -> bytes:
        # Looked up anew: atheris has another Mutate once it is fuzzing.
        changed: bytes = target.mutated(content, most, seed, atheris.Mutate)
        return changed

    if _MEMORY.is_dir():
        tempfile.tempdir = str(_MEMORY)
    limit = _mapped_bytes() + _MORE_BYTES
    # The hard limit stays: a process that merges begins another.
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))
    atheris.Setup([str(_again(arguments, folder)), *options], check, custom_mutator=mutated)
    if with_coverage:
        native.join(library, libfuzzer)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
