"""An exported header or model file as a judge: it is compiled and receives the signals of a connection.

A header is a program. One that came with this program, by its SHA-256, is run as it is. Any other is run only if the
user says so. A model file is data, and read by a program of ours.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from smartsbd.contracts.fault import InputFault, UsageFault, printable
from smartsbd.detectors.bounded_process import ProcessLimits
from smartsbd.detectors.pair_opinion import PairOpinion
from smartsbd.detectors.partition import pairs_of
from smartsbd.export import compilers, header_program
from smartsbd.export.compilers import CompileError
from smartsbd.export.header_program import Decision
from smartsbd.export.shipped import FOLDER
from smartsbd.features import connection_pairs
from smartsbd.features.reading import DEFAULT, Reading
from smartsbd.features.window import Rejected, tiled
from smartsbd.traces.connection import Connection

#: Folder of the headers that came with this program, of their checksums, and of the header for model files.
HEADERS = FOLDER
SUMS = "SHA256SUMS"
HEADER, MODEL_FILE = SUFFIXES = (".h", ".sbd")
TRUST_HEADER = "--trust-header"
#: Included by every header of a model, and by the program for recorded signals too.
_RUNTIME = ("smartsbd.h", "sbd_loaded.h")
#: A longer file is none of our headers; the largest has 0.3 MB.
_MOST_BYTES = 1 << 24
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class NoHeaderError(UsageFault):
    """A path that is neither a header of a model nor a model file."""


class UntrustedHeaderError(InputFault):
    """A header that did not come with this program, and that nobody vouches for."""


def known(content: bytes, headers: Path = HEADERS) -> str | None:
    """Return the name of a header that came with this program, without suffix; None for any other content.

    Parameters
    ----------
    content : bytes
        Content of the header: its name, and the files beside it, say nothing about it.
    headers : Path
        Folder with the checksums.

    Returns
    -------
    str or None
        For instance ``sbd_tree_paper``.
    """
    digest = hashlib.sha256(content).hexdigest()
    listed = headers / SUMS
    for line in listed.read_text().splitlines() if listed.is_file() else []:
        line_digest, _, name = line.partition("  ")
        if line_digest == digest and name.endswith(HEADER):
            return name.removesuffix(HEADER)
    return None


def _build_known(path: Path, place: Path, headers: Path, limits: ProcessLimits) -> Path:
    """Compile a header that came with this program, in a folder with only its content and our runtime."""
    try:
        with path.open("rb") as stream:
            content = stream.read(_MOST_BYTES)
    except OSError as error:
        raise NoHeaderError(f"{printable(str(path))}: cannot be read: {error.strerror}") from error
    name = known(content, headers)
    if name is None:
        raise UntrustedHeaderError(
            f"{printable(str(path))}: is a program that did not come with this one: {TRUST_HEADER} runs it all the"
            f" same; models of others come in as {MODEL_FILE} files"
        )
    if f"{name}{HEADER}" in _RUNTIME or f"{name}_judge(".encode() not in content:
        raise NoHeaderError(f"{printable(str(path))}: holds no model")
    folder = place / "headers"
    folder.mkdir()
    for runtime in _RUNTIME:
        (folder / runtime).write_bytes((headers / runtime).read_bytes())
    (folder / f"{name}{HEADER}").write_bytes(content)
    return header_program.build(place, folder, name, compilers.installed()[0], limits=limits)


def _build_trusted(path: Path, place: Path, headers: Path, limits: ProcessLimits) -> Path:
    """Compile a header that the user trusts, with the files of its folder, or ours where there are none."""
    shown, name, gcc = printable(str(path)), path.stem, compilers.installed()[0]
    if not _NAME.fullmatch(name):
        raise NoHeaderError(f"{shown}: a header is called as its model: letters, digits and underscores")
    try:
        return header_program.build(place, path.parent, name, gcc, ["-I", str(headers)], limits)
    except CompileError:
        # The compiler's messages quote lines of any file that the header includes.
        raise CompileError(
            f"{shown}: does not compile with the replay program: `{gcc.name} -Wall -fsyntax-only` says why"
        ) from None


class Compiled:
    """A header, compiled, or a model file that the program for files reads.

    Parameters
    ----------
    path : Path
        A header that `sbd stage export` wrote (.h), or a model file (.sbd).
    headers : Path
        Folder with the headers that came with this program, and their checksums.
    trusted : bool
        A header is compiled and run whoever wrote it, with the files beside it.
    limits : ProcessLimits, optional
        Of the program that is run on a connection, in place of :func:`smartsbd.export.header_program.limits_for` its
        events.
    compiler_limits : ProcessLimits
    reading : Reading
        Of the windows without a verdict.

    Raises
    ------
    NoHeaderError
        If there is no such file, it cannot be read, or has no model in it.
    UntrustedHeaderError
        If the header did not come with this program, and is not trusted.
    CompileError
        If it does not compile.
    OverLimitError
        If the compiler does not end in time.
    """

    def __init__(
        self,
        path: Path,
        headers: Path = HEADERS,
        *,
        trusted: bool = False,
        limits: ProcessLimits | None = None,
        compiler_limits: ProcessLimits = compilers.LIMITS,
        reading: Reading = DEFAULT,
    ) -> None:
        if not path.is_file():
            raise NoHeaderError(f"{printable(str(path))}: no such header or model file: `sbd stage export` writes them")
        self._limits = limits
        self._reading = reading
        self._folder = tempfile.TemporaryDirectory(prefix="sbd-")
        place = Path(self._folder.name)
        self._file = None if path.suffix == HEADER else path
        if self._file is not None:
            self._program = header_program.build(place, headers, None, compilers.installed()[0], limits=compiler_limits)
        elif trusted:
            self._program = _build_trusted(path, place, headers, compiler_limits)
        else:
            self._program = _build_known(path, place, headers, compiler_limits)

    def opinions(self, connection: Connection) -> Iterator[PairOpinion]:
        """Yield the verdicts on the windows of each pair; the pipeline adds why there is no verdict.

        Parameters
        ----------
        connection : Connection

        Yields
        ------
        PairOpinion
            Pair by pair, by the start of the window; those without a start come first.
        """
        decisions: dict[tuple[int, int], list[Decision]] = defaultdict(list)
        for decision in self.decisions(connection):
            decisions[decision.subflow_a, decision.subflow_b].append(decision)
        signals = connection_pairs.signals(connection, self._reading)
        _, end_ns = connection.span_ns()
        for a, b in pairs_of(signals):
            opinions = [
                PairOpinion(a, b, decision.start_ns, decision.window_ns, decision.shared)
                for decision in decisions[a, b]
            ]
            opinions += [
                PairOpinion(a, b, window.start_ns, window.window_ns, None, reason=window.reason)
                for window in tiled(signals[a], signals[b], end_ns)
                if isinstance(window, Rejected)
            ]
            yield from sorted(opinions, key=lambda opinion: -1 if opinion.start_ns is None else opinion.start_ns)

    def decisions(self, connection: Connection) -> list[Decision]:
        """Return its decisions on the windows of a connection, in the order they are made."""
        acks, states, _ = connection_pairs.rows(connection)
        return self.decisions_on(acks, states, connection.span_ns()[1])

    def decisions_on(self, acks: pa.Table, states: pa.Table, end_ns: int) -> list[Decision]:
        """Return its decisions on the windows of a connection, by its rows.

        Parameters
        ----------
        acks, states : rows of the ``ack`` and ``state`` tables
            Those of the connection.
        end_ns : int, nanoseconds
            Its end.

        Returns
        -------
        list of Decision
            In the order they are made.
        """
        lines = header_program.event_lines(0, acks, states, end_ns)
        return header_program.run(self._program, [lines], self._file, limits=self._limits).decisions
