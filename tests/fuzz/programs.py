"""Targets that are C or C++ on any bytes: with Clang a program of their own, else a library that guides the search."""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz import exported

_HERE = Path(__file__).parent
_NATIVE = _HERE.parents[1] / "native"
_SIMULATOR = _HERE.parents[1] / "simulator" / "src"
_REGISTRY = _HERE.parents[1] / "scenarios" / "registry.json"
_RELAY = _HERE.parents[1] / "testbed" / "relay" / "src"
_FLAGS = ("-O1", "-g")
_STANDARDS = {".c": ("-std=gnu11",), ".cc": ("-std=c++20", "-ffp-contract=off", "-D_GLIBCXX_ASSERTIONS")}
_CLANG = ("-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover")
_GCC = ("-fPIC", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", "-fsanitize-coverage=trace-pc,trace-cmp")
_COMPILERS = {"clang": {".c": "clang", ".cc": "clang++"}, "gcc": {".c": "gcc", ".cc": "g++"}}


@dataclass(frozen=True)
class Program:
    """What one target is compiled of.

    Attributes
    ----------
    source : str
        File beside this one.
    call : str
        Its function that takes an input.
    headers : callable
        Returns the folder of what it includes, made in a folder where it is not there.
    objects : Path or None
        Folder whose sources, except for the Python module and a program's own file, are linked to it.
    sources : tuple of Path
        Files that are linked to it beside these.
    options : callable
        Returns what the compiler takes too, to find and link libraries.
    compares : bool
        Whether what is compared guides the search with Clang; where loops over series compare, it takes most of the
        time and tells nothing.
    """

    source: str
    call: str
    headers: Callable[[Path], Path]
    objects: Path | None = None
    sources: tuple[Path, ...] = ()
    options: Callable[[], Sequence[str]] = tuple
    compares: bool = True


def _of_simulator() -> tuple[str, ...]:
    """Return how the simulator's libraries are found, which are packages of this Python."""
    packages = Path(sysconfig.get_path("purelib"))
    libraries = packages / "ns3" / "lib64"
    found = [f"-isystem{packages / name / 'include'}" for name in ("ns3", "nlohmann_json")]
    return (*found, f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lns3.44-core")


def _of_scenarios() -> tuple[str, ...]:
    """Return the simulator's own headers, which are beside what is made for this target, and its libraries."""
    return (f"-I{_SIMULATOR}", *_of_simulator())


def _literals(folder: Path) -> Path:
    """Write the schema of scenarios and the registry as literals of C++ into a folder; return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, path in (("scenario-schema", _SIMULATOR / "scenario.schema.json"), ("registry", _REGISTRY)):
        (folder / f"{name}.inc").write_text(f'R"json({path.read_text()})json"\n')
    return folder


def _sources_of(name: str) -> Callable[[Path], Path]:
    return lambda _: _NATIVE / name / "src"


PROGRAMS = {
    "model_file": Program("exported.c", "TryModel", exported.headers),
    "sender": Program("exported.c", "TryCalls", exported.headers, compares=False),
    "packets": Program("packets.cc", "TryPackets", _sources_of("packets"), _NATIVE / "packets" / "src"),
    "logs": Program("logs.cc", "TryLogs", _sources_of("logs"), _NATIVE / "logs" / "src"),
    "relay_plan": Program("relay.cc", "TryRelayPlan", lambda _: _RELAY, _RELAY),
    "agent": Program(
        "agent.cc",
        "TryAgent",
        lambda _: _SIMULATOR,
        sources=(_SIMULATOR / "agents" / "actor.cc", _SIMULATOR / "output" / "sha256.cc"),
        options=_of_simulator,
    ),
    "scenario": Program(
        "scenario.cc",
        "TryScenario",
        _literals,
        sources=tuple(
            _SIMULATOR / name for name in ("scenario.cc", "parameter.cc", "path/place.cc", "path/opportunities.cc")
        ),
        options=_of_scenarios,
    ),
    "warping": Program("warping.cc", "TryWarping", _sources_of("warping"), compares=False),
}


def _run(command: Sequence[object]) -> None:
    subprocess.run([str(one) for one in command], check=True)


def _objects(folder: Path, made: Path, command: Sequence[object]) -> list[Path]:
    """Compile the sources of a folder, except for the Python module and the file of a program."""
    sources = sorted(path for path in folder.glob("*.cc") if path.stem not in ("module", "main"))
    objects = [made / f"{path.stem}.o" for path in sources]
    with ThreadPoolExecutor(os.cpu_count()) as compilers:
        list(compilers.map(lambda source, made: _run([*command, "-c", source, "-o", made]), sources, objects))
    return objects


def _compile(program: Program, folder: Path, compiler: str, flags: Sequence[str], more: Sequence[object]) -> None:
    """Compile a program with one of the compilers; `more` are the arguments that end the command."""
    folder.mkdir(parents=True, exist_ok=True)
    suffix = Path(program.source).suffix
    own = (*_STANDARDS[suffix], *_FLAGS, *flags)
    command = _COMPILERS[compiler][suffix]
    objects = _objects(program.objects, folder, [command, *own]) if program.objects else []
    included = ["-I", program.headers(folder), "-I", _HERE]
    sources = [_HERE / program.source, *program.sources]
    _run([command, *own, *included, *sources, *objects, *more, *program.options()])


def has_clang() -> bool:
    """Tell whether a program can be built that finds its own way."""
    return shutil.which("clang") is not None


def build_with_clang(program: Program, folder: Path) -> Path:
    """Build a target as a program, which also sees what lies beside a buffer, into a folder; return it."""
    file = folder / "program"
    flags = _CLANG if program.compares else (*_CLANG, "-fno-sanitize-coverage=trace-cmp")
    _compile(program, folder, "clang", flags, (f"-DTRY={program.call}", "-o", file))
    return file


def run_with_clang(name: str, folder: Path, options: Sequence[str]) -> None:
    """Search by a program in place of this one."""
    file = build_with_clang(PROGRAMS[name], folder)
    os.execv(file, [str(file), *options])


def build(name: str, folder: Path) -> Path:
    """Build a target's library into a folder, its coverage recorded; return it."""
    library, coverage = folder / f"{name}.so", folder / "coverage.o"
    folder.mkdir(parents=True, exist_ok=True)
    _run(["g++", "-std=c++20", "-O2", "-fPIC", "-c", _HERE / "coverage.cc", "-o", coverage])
    _compile(PROGRAMS[name], folder, "gcc", _GCC, ("-shared", coverage, "-ldl", "-o", library))
    return library


@functools.cache
def _library(name: str) -> ctypes.CDLL:
    """Return the library that was put to use, or one built for the while."""
    with tempfile.TemporaryDirectory() as folder:
        return ctypes.CDLL(str(used or build(name, Path(folder))))


#: The library to use, if one is built already.
used: Path | None = None


def check(name: str, content: bytes) -> bool:
    """Give an input to a target; a promise that is broken ends this process."""
    return bool(_library(name)[PROGRAMS[name].call](content, ctypes.c_size_t(len(content))))
