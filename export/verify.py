"""The proof of a header: it compiles without floating point, and decides as the model does."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from export.emit_c import Header, input_names, render_replay, render_tree
from export.tree import decide, from_fitted
from models.fitted import Fitted
from traces.fault import Fault

_WARNINGS = ["-Wall", "-Wextra", "-Werror", "-O2"]
_INTEGER_ONLY = "-mgeneral-regs-only"
_CALLER = """#include "{name}.h"
int sbd_decision(const sbd_feature_t *x);
int sbd_decision(const sbd_feature_t *x)
{{
	return {name}(x);
}}
"""


class VerifyError(Fault):
    """A header that does not compile, calls what it must not, or decides otherwise than its model."""


def _run(command: list[str], *, stdin: bytes = b"") -> bytes:
    done = subprocess.run(command, input=stdin, capture_output=True, check=False)
    if done.returncode != 0:
        raise VerifyError(
            f"{' '.join(command)} failed ({done.returncode}): {done.stderr.decode(errors='replace').strip()}"
        )
    return done.stdout


def compiler() -> str:
    """Return the path of gcc.

    Raises
    ------
    VerifyError
        If there is none.
    """
    path = shutil.which("gcc")
    if path is None:
        raise VerifyError("gcc is not installed: a header is compiled before it is believed")
    return path


def check_object(header_text: str, name: str) -> int:
    """Compile the header alone for a kernel's rules; return the bytes of its code.

    Raises
    ------
    VerifyError
        If it does not compile without floating-point registers, or refers to any other symbol
        (a soft-float helper would be one).
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / f"{name}.h").write_text(header_text)
        caller = _CALLER.format(name=name)
        (place / "object.c").write_text(caller)
        target = place / "object.o"
        _run([compiler(), *_WARNINGS, _INTEGER_ONLY, "-c", str(place / "object.c"), "-o", str(target)])
        undefined = _run(["nm", "--undefined-only", "--format=posix", str(target)]).decode().split()
        if undefined:
            raise VerifyError(f"{name}.h calls {undefined[0]}: a kernel header must stand alone")
        sections = _run(["size", "-A", str(target)]).decode().splitlines()
        return sum(int(line.split()[1]) for line in sections if line.startswith((".text", ".rodata")))


def replay(header_text: str, replay_text: str, name: str, x: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Compile the header into a program and return its verdict on every row.

    Parameters
    ----------
    header_text, replay_text : str
        As :mod:`export.emit_c` renders them.
    name : str
        The header's name.
    x : (rows, inputs) int64
        Feature values in the order of the header's enum.
    """
    if x.size and (x.min() < -(2**31) or x.max() >= 2**31):
        raise ValueError("x holds values beyond 32 bits: the header takes s32")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / f"{name}.h").write_text(header_text)
        (place / "replay.c").write_text(replay_text)
        program = place / "replay"
        _run([compiler(), *_WARNINGS, str(place / "replay.c"), "-o", str(program)])
        verdicts = _run([str(program)], stdin=x.astype("<i4").tobytes())
    if len(verdicts) != len(x):
        raise VerifyError(f"{name}: {len(verdicts)} verdicts for {len(x)} rows")
    return np.frombuffer(verdicts, dtype=np.uint8).astype(bool)


def prove(fitted: Fitted, header: Header, rows: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Replay rows through the model, the integer tree and the compiled header; all three must agree.

    Parameters
    ----------
    fitted : Fitted
        The model.
    header : Header
        Its header's name and origin.
    rows : DataFrame
        Feature values; features of the model that the tree does not use may be missing.

    Returns
    -------
    (rows,) bool
        The verdicts.

    Raises
    ------
    VerifyError
        If any row is decided otherwise.
    """
    tree = from_fitted(fitted)
    complete = rows.assign(**{name: 0 for name in fitted.feature_names if name not in rows})
    model = fitted.estimator.predict(complete[list(fitted.feature_names)].to_numpy())
    names = input_names(tree)
    inputs = complete[list(names)].to_numpy(dtype=np.int64)
    compiled = replay(render_tree(tree, header), render_replay(tree, header), header.name, inputs)
    walked = np.fromiter((decide(tree, dict(zip(names, row, strict=True))) for row in inputs.tolist()), dtype=np.bool_)
    for what, verdicts in (("compiled header", compiled), ("integer tree", walked)):
        different = int((verdicts != model).sum())
        if different:
            raise VerifyError(f"{header.name}: the {what} differs from the model on {different} of {len(rows)} rows")
    return compiled
