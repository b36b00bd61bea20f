"""The exported C on any bytes: with Clang a program of its own, else a library whose coverage guides the search."""

from __future__ import annotations

import ctypes
import functools
import os
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random

#: The function of exported.c that a target calls.
CALLS = {"model_file": "TryModel", "sender": "TryCalls"}

_SOURCE = Path(__file__).with_suffix(".c")
_FLAGS = ("-std=gnu11", "-O1", "-g")
_CLANG = ("-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover")
_GCC = ("-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", "-fsanitize-coverage=trace-pc,trace-cmp")


def _headers(folder: Path) -> Path:
    from export.emit_c import render_loaded, render_runtime

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "smartsbd.h").write_text(render_runtime())
    (folder / "sbd_loaded.h").write_text(render_loaded())
    return folder


def run_with_clang(name: str, folder: Path, options: Sequence[str]) -> None:
    """Search by a program in place of this one, which also sees what lies beside a buffer."""
    program = folder / "program"
    command = ["clang", *_FLAGS, *_CLANG, f"-DTRY={CALLS[name]}", "-I", _headers(folder), _SOURCE, "-o", program]
    subprocess.run([str(one) for one in command], check=True)
    os.execv(program, [str(program), *options])


def build(folder: Path) -> Path:
    """Build the library into a folder, its coverage recorded; return it."""
    library, coverage = folder / "exported.so", folder / "coverage.o"
    headers = _headers(folder)
    source = Path(__file__).with_name("coverage.cc")
    subprocess.run(["g++", "-std=c++20", "-O2", "-fPIC", "-c", source, "-o", coverage], check=True)
    command = ["gcc", *_FLAGS, *_GCC, "-shared", "-fPIC", "-I", headers, _SOURCE, coverage, "-ldl", "-o", library]
    subprocess.run([str(one) for one in command], check=True)
    return library


@functools.cache
def _library() -> ctypes.CDLL:
    """Return the library that was put to use, or one built for the while."""
    with tempfile.TemporaryDirectory() as folder:
        return ctypes.CDLL(str(used or build(Path(folder))))


#: The library to use, if one is built already.
used: Path | None = None


def check(name: str, content: bytes) -> bool:
    """Give an input to the C; a promise that is broken ends this process."""
    return bool(_library()[CALLS[name]](content, ctypes.c_size_t(len(content))))


def model_files() -> list[bytes]:
    """Return model files: of a leaf, of a few trees, and of more than are walked at one time."""
    from export.model_file import content
    from export.tree import NOT_SHARED, SHARED, Branch, Forest, Leaf

    low = Branch("rtt_ed_4us", 7, NOT_SHARED, SHARED)
    high = Branch("rtt_correlation_q10", -3, Leaf(5), Branch("rtt_ed_4us", 9, low, SHARED))
    return [content(Forest(trees)) for trees in ((SHARED,), (low, high), (low,) * 13, (high,))]


def calls() -> list[bytes]:
    """Return calls of senders: two and three subflows, samples every millisecond, congestion now and then."""
    random = Random(0)  # noqa: S311 - nothing secret
    found = []
    for subflows in (2, 3):
        for microseconds in (1, 1_000):
            records = [bytes([subflows])]
            for _ in range(300):
                subflow = random.randrange(subflows)
                what, value = random.choice([(0, microseconds), (4, 1_400), (7, random.choice([0, 3])), (12, 0)])
                step = min(65_535, random.choice([0, 1, 1, 3]) * microseconds)
                value += random.randrange(microseconds) if what == 0 else 0
                # A thousand nanoseconds are about 1 << 9.
                records.append(struct.pack("<BBHI", what | 3 << 4, subflow, step, value))
            found.append(b"".join(records))
    return found
