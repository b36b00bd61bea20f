"""Run one target; see :mod:`tests.fuzz`."""

from __future__ import annotations

import argparse
import hashlib
import importlib
import resource
import shutil
import sys
import tempfile
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

from tests.fuzz import exported, native

# Beyond what is mapped once everything is imported: a length that an input only claims is not allocated.
_MORE_BYTES = 2 << 30
# What only the checks call.
_NO_PARSERS = ["traces.connection", "contracts.contract", "contracts.tables"]
_OPTIONS = {"timeout": 60, "rss_limit_mb": 2048}
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
    built, libfuzzer = arguments.folder.absolute() / "native", ""
    of_export = arguments.target in exported.CALLS
    # Without Clang, nothing else would guide a search in what is exported.
    with_coverage = arguments.native or (of_export and shutil.which("clang") is None)
    if not of_export:
        sys.meta_path.insert(0, _WithoutPandas())
    if with_coverage:
        if of_export:
            exported.used = library = exported.build(built)
        else:
            library = native.build(built)
            sys.path.insert(0, str(built))
        libfuzzer = native.load_libfuzzer()
    atheris = importlib.import_module("atheris")
    # Imported here, so that what is imported in turn tells where it goes.
    with atheris.instrument_imports(include=["traces"], exclude=_NO_PARSERS):
        targets = importlib.import_module("tests.fuzz.targets")
    targets.oracle.prepare()
    if arguments.target not in targets.TARGETS:
        sys.exit(f"{arguments.target!r} is no target, there are {sorted(targets.TARGETS)}")
    target = targets.TARGETS[arguments.target]
    folder = arguments.folder.absolute() / arguments.target
    options = _prepare(target, folder) + [f"-{name}={value}" for name, value in _OPTIONS.items()]
    # The last of two that are the same counts.
    options += arguments.options
    if all(option.startswith("-") for option in arguments.options):
        start = [folder / "corpus", *(targets.CORPUS / name for name in target.corpus), folder / "seeds"]
        options += map(str, start)
    if of_export and not with_coverage:
        exported.run_with_clang(arguments.target, folder, options)

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
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    atheris.Setup([sys.argv[0], *options], check, custom_mutator=mutated)
    if with_coverage:
        native.join(library, libfuzzer)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
