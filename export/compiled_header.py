"""An exported header or model file as a judge: it is compiled and receives the signals of a connection."""

from __future__ import annotations

import tempfile
from pathlib import Path

from contracts.fault import UsageFault
from export import compilers, replay
from export.replay import Decision
from export.shipped import FOLDER
from features.connection_pairs import rows
from traces.connection import Connection

#: Where the headers stand that a model file is run with.
HEADERS = FOLDER
SUFFIXES = (".h", ".sbd")


class NoHeaderError(UsageFault):
    """A path that is neither a header nor a model file."""


class Compiled:
    """A header, compiled with the files of its folder, or a model file that the program for files reads.

    Parameters
    ----------
    path : Path
        A header that `sbd export` wrote (.h), or a model file (.sbd).
    headers : Path
        Folder with ``sbd_loaded.h``, for a model file.

    Raises
    ------
    NoHeaderError
        If there is no such file.
    CompileError
        If it does not compile.
    """

    def __init__(self, path: Path, headers: Path = HEADERS) -> None:
        if not path.is_file():
            raise NoHeaderError(f"{path}: no such header or model file: `sbd export` writes them")
        self._folder = tempfile.TemporaryDirectory(prefix="sbd-")
        gcc = compilers.installed()[0]
        is_header = path.suffix == ".h"
        self._file = None if is_header else path
        self._program = replay.build(
            Path(self._folder.name),
            path.parent if is_header else headers,
            path.stem if is_header else None,
            gcc,
        )

    def decisions(self, connection: Connection) -> list[Decision]:
        """Return its decisions on the windows of a connection, in the order they are made."""
        acks, states, _ = rows(connection)
        _, end_ns = connection.span_ns()
        return replay.run(self._program, [replay.event_lines(0, acks, states, end_ns)], self._file).decisions
