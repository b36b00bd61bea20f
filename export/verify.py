"""The check of a header: it compiles wherever a sender may run, calls nothing, and decides as the model does."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.contracts.fault import Fault
from smartsbd.export import header_program
from smartsbd.export.compilers import Compiler, compiled, run
from smartsbd.export.emit_c import EXPORTABLE
from smartsbd.models.families.fitted import Fitted

_OBJECT = Path(__file__).parent / "programs" / "object.c"
_KERNEL = Path(__file__).parent / "kernel"


class VerifyError(Fault):
    """A header that calls a forbidden function, takes too much stack, or decides differently from its model."""


@dataclass(frozen=True)
class Target:
    """A platform that a header must compile for.

    Attributes
    ----------
    name : str
    options : tuple of str
        Of the compiler.
    provided : frozenset of str
        Functions that are there.
    compilers : tuple of str
        That know it.
    stack_bytes : int
        Most a function may take: what a 32-bit kernel is warned at (CONFIG_FRAME_WARN), or all a BPF program has.
    """

    name: str
    options: tuple[str, ...]
    provided: frozenset[str] = frozenset()
    compilers: tuple[str, ...] = ("gcc", "clang")
    stack_bytes: int = 1024


_INTEGERS = "-mgeneral-regs-only"
_AS_KERNEL = ("-D__KERNEL__", "-fno-pic", "-I", str(_KERNEL))
_OF_KERNEL = frozenset({"div64_u64", "memset", "memcpy"})
TARGETS = (
    Target("x86-64", (_INTEGERS,), frozenset({"memset", "memcpy"})),
    Target("x86-64 kernel", (_INTEGERS, *_AS_KERNEL), _OF_KERNEL),
    Target("32-bit kernel", (_INTEGERS, "-m32", *_AS_KERNEL), _OF_KERNEL),
    Target("bpf", ("--target=bpf", "-mcpu=v3"), compilers=("clang",), stack_bytes=512),
)


@dataclass(frozen=True)
class Built:
    """A header compiled for a target: bytes of code and tables, and the most stack of a function."""

    compiler: str
    target: str
    code_bytes: int
    stack_bytes: int


def build_everywhere(headers: Path, model: str | None, compilers: Sequence[Compiler]) -> list[Built]:
    """Compile every call of a header for every target.

    Parameters
    ----------
    headers : Path
        Folder with the headers.
    model : str or None
        One of them, without suffix; None for ``sbd_loaded.h``.
    compilers : sequence of Compiler

    Returns
    -------
    list of Built
        One for each target and each compiler that knows it.

    Raises
    ------
    CompileError
        If it does not compile without a warning.
    VerifyError
        If it refers to a function that is not there (a soft-float helper would be one), or takes too much stack.
    """
    return [
        _built(headers, model, compiler, target)
        for target in TARGETS
        for compiler in compilers
        if compiler.name in target.compilers
    ]


def _built(headers: Path, model: str | None, compiler: Compiler, target: Target) -> Built:
    name = model or "sbd_loaded"
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "object.o"
        chosen = [] if model is None else [f"-DSBD_MODEL={model}"]
        options = ["-c", "-ffreestanding", "-fstack-usage", "-I", str(headers), *target.options, *chosen]
        compiled(compiler, _OBJECT, place, options)
        undefined = run(["nm", "--undefined-only", "--format=posix", str(place)]).decode().splitlines()
        called = sorted({line.split()[0] for line in undefined} - target.provided)
        if called:
            raise VerifyError(f"{name}.h for {target.name} by {compiler.name} calls {called[0]}: it must stand alone")
        stack_bytes = max(int(line.split("\t")[1]) for line in place.with_suffix(".su").read_text().splitlines())
        if stack_bytes > target.stack_bytes:
            raise VerifyError(
                f"{name}.h for {target.name} by {compiler.name} takes {stack_bytes} bytes of stack,"
                f" the limit is {target.stack_bytes}"
            )
        sections = run(["size", "-A", str(place)]).decode().splitlines()
        code_bytes = sum(int(line.split()[1]) for line in sections if line.startswith((".text", ".rodata")))
    return Built(compiler.name, target.name, code_bytes, stack_bytes)


def row_values(rows: pd.DataFrame) -> npt.NDArray[np.int64]:
    """Return rows as the C takes them: every feature it computes, 0 where there is no such column."""
    return np.stack(
        [
            rows[feature.name].to_numpy(dtype=np.int64) if feature.name in rows else np.zeros(len(rows), np.int64)
            for feature in EXPORTABLE
        ],
        axis=1,
    )


def prove(
    fitted: Fitted, programs: Sequence[tuple[str, Path, Path | None]], rows: pd.DataFrame
) -> npt.NDArray[np.bool_]:
    """Compare the model's decision on rows with that of each program; all must agree.

    Parameters
    ----------
    fitted : Fitted
        The model.
    programs : sequence of (str, Path, Path or None)
        What each is called, the program, and the model file it takes.
    rows : DataFrame
        Feature values; features of the model that its trees do not use may be missing.

    Returns
    -------
    (rows,) bool
        The verdicts.

    Raises
    ------
    VerifyError
        If any row is decided otherwise.
    """
    if rows.empty:
        return np.empty(0, dtype=np.bool_)
    complete = rows.assign(**{name: 0 for name in fitted.feature_names if name not in rows})
    model: npt.NDArray[np.bool_] = fitted.estimator.predict(complete[list(fitted.feature_names)].to_numpy()).astype(
        bool
    )
    values = row_values(rows)
    for name, program, model_file in programs:
        different = int((header_program.verdicts(program, values, model_file) != model).sum())
        if different:
            raise VerifyError(f"{name} differs from the model on {different} of {len(rows)} rows")
    return model
