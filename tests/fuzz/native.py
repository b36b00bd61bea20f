"""The compiled parser of captures, built so that its coverage guides the search and undefined behaviour ends it."""

from __future__ import annotations

import ctypes
import importlib
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pybind11

ROOT = Path(__file__).parents[2]
MODULE = f"packet_recording{sysconfig.get_config_var('EXT_SUFFIX')}"

_FLAGS = (
    "-O1 -g -D_GLIBCXX_ASSERTIONS -fsanitize=undefined -fsanitize-undefined-trap-on-error"
    " -fsanitize-coverage=trace-pc,trace-cmp"
)


def build(folder: Path) -> Path:
    """Build the module into a folder, as far as anything in native/packets/ has changed; return it."""
    folder.mkdir(parents=True, exist_ok=True)
    coverage = folder / "coverage.o"
    source = Path(__file__).with_name("coverage.cc")
    subprocess.run(["g++", "-std=c++20", "-O2", "-fPIC", "-c", source, "-o", coverage], check=True)
    settings = {
        "PLACE": folder,
        "CMAKE_BUILD_TYPE": "Fuzz",
        "CMAKE_CXX_FLAGS": _FLAGS,
        "CMAKE_MODULE_LINKER_FLAGS": f"{coverage} -ldl",
        "Python_EXECUTABLE": sys.executable,
        "pybind11_DIR": pybind11.get_cmake_dir(),
    }
    given = [f"-D{name}={value}" for name, value in settings.items()]
    build = folder / "objects"
    for command in (
        ["cmake", "-G", "Ninja", "-S", ROOT / "native", "-B", build, *given],
        ["cmake", "--build", build, "--target", "packet_recording"],
    ):
        subprocess.run([*map(str, command)], check=True, stdout=subprocess.DEVNULL)
    return folder / MODULE


def load_libfuzzer() -> str:
    """Load atheris' libFuzzer before atheris does, with the functions it is to find; return its file."""
    flags = sys.getdlopenflags()
    sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)
    importlib.import_module("atheris.custom_mutator")
    sys.setdlopenflags(flags)
    return str(importlib.import_module("atheris.core_with_libfuzzer").__file__)


def join(library: Path, libfuzzer: str) -> None:
    """Let a library that was built here, and is loaded, tell libFuzzer what runs."""
    if not ctypes.CDLL(str(library)).CoverageJoin(libfuzzer.encode()):
        raise RuntimeError(f"{libfuzzer} is not the libFuzzer that is expected")
