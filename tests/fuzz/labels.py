"""Labels of inputs as their owner writes them: each is refused in one line, or read back from the truth it becomes."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from smartsbd.contracts.fault import InputFault
from smartsbd.pipelines.labelling.labels import LabelsError, connection_of, read_labels, truth_row
from smartsbd.traces import formats, truth
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.recording import Recording
from tests.fuzz.memory_file import MemoryFile

_LOG = b"".join(b"%d C=%x SF=%d V=RTT 9\n" % (step, 1 + step % 2, step % 3) for step in range(1, 13))


@cache
def _recorded() -> Recording:
    """Return an input with two connections of three subflows each."""
    with MemoryFile(_LOG) as path:
        (one,) = formats.read([path], Dialect())
    assert not isinstance(one.outcome, Exception)
    return Recording(Path("a.log"), one.source, one.outcome)


def _is_line(error: InputFault) -> bool:
    said = str(error)
    assert said.isprintable() and not error.details, said
    return True


def check(content: bytes) -> bool:
    """Read labels, and the truth that is written of them."""
    with MemoryFile(content) as path:
        try:
            labels = read_labels(path)
        except LabelsError as error:
            return _is_line(error)
    rows: list[dict[str, Any]] = []
    for label in labels:
        if not label["input"]:
            # No file has this name.
            continue
        connection = connection_of(_recorded(), label.get("token", ""))
        row = connection if isinstance(connection, str) else truth_row(label, connection)
        if isinstance(row, str):
            assert row.isprintable(), row
            continue
        rows.append({name: cell or None for name, cell in row.items()})
    with tempfile.NamedTemporaryFile() as staged:
        truth.write_csv(rows, Path(staged.name))
        try:
            again = truth.read_csv(Path(staged.name))
        except truth.TruthError as error:
            return _is_line(error)
    assert [(row["input"], row["subflow_a"], row["subflow_b"], row["shared"]) for row in again] == [
        (row["input"], int(row["subflow_a"]), int(row["subflow_b"]), row["shared"] == "true") for row in rows
    ]
    return True
