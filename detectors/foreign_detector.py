"""Somebody else's detector: a process that reads the event lines of one connection, and writes verdict lines.

It is run once for each connection, within limits. A process that fails loses the verdicts on its connection alone: the
failure is counted, with its reason, and the next connection has its run all the same.
"""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from smartsbd.contracts.fault import UsageFault, printable
from smartsbd.detectors import bounded_process, verdict_lines
from smartsbd.detectors.bounded_process import OverLimitError, ProcessLimits
from smartsbd.detectors.partition import Pair, pairs_of
from smartsbd.detectors.scoring import OnPair

#: What a process may take for one connection.
LIMITS = ProcessLimits(time_s=60, file_bytes=1 << 24, memory_bytes=8 << 30)
SILENT = "wrote nothing"
#: Most characters that are shown of what a failed process wrote on standard error.
_SHOWN = 200


class NoProgramError(UsageFault):
    """A command that names no program."""


@dataclass(frozen=True)
class Answer:
    """A detector's answer on a connection.

    Attributes
    ----------
    on_pairs : dict of Pair to OnPair
        No opinion on any pair, if the process failed.
    failure : str or None
        Why there is no answer: the process failed or wrote nothing.
    refused : Counter of str
        Lines that were refused, by reason.
    remark : str
        The first line that a failed process wrote on standard error.
    """

    on_pairs: dict[Pair, OnPair]
    failure: str | None = None
    refused: Counter[str] = field(default_factory=Counter)
    remark: str = ""


def command_of(text: str) -> list[str]:
    """Return the words of a command that was typed as one argument, the program's path first.

    Returns
    -------
    list of str
        The path of the program, then its arguments.

    Raises
    ------
    NoProgramError
        If there is no such program.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise NoProgramError(f"{printable(text)}: {error}") from error
    program = shutil.which(words[0]) if words else None
    if program is None:
        raise NoProgramError(f"{printable(text)}: no such program")
    return [program, *words[1:]]


def ask(
    command: Sequence[str],
    lines: bytes,
    token: int,
    subflow_ids: Sequence[int],
    span_ns: tuple[int, int],
    limits: ProcessLimits = LIMITS,
) -> Answer:
    """Run a detector on a connection; return what it says, or why it says nothing.

    Parameters
    ----------
    command : sequence of str
        As :func:`command_of` returns it.
    lines : bytes
        The connection's event lines.
    token : int
    subflow_ids : sequence of int
    span_ns : (int, int)
        Times of its first and last event.
    limits : ProcessLimits
        What the process may take.

    Returns
    -------
    Answer
        With an entry for each pair of the subflows.
    """
    with tempfile.TemporaryFile() as events:
        events.write(lines)
        events.seek(0)
        try:
            done = bounded_process.run(command, limits, events)
        except OverLimitError as error:
            return Answer(verdict_lines.silent(pairs_of(subflow_ids)), str(error))
    if done.exit_code:
        how = f"ended with status {done.exit_code}" if done.exit_code > 0 else f"was ended by signal {-done.exit_code}"
        errors = done.errors.decode(errors="replace").strip().splitlines()
        remark = printable(errors[-1])[:_SHOWN] if errors else ""
        return Answer(verdict_lines.silent(pairs_of(subflow_ids)), how, remark=remark)
    on_pairs, refused = verdict_lines.read(done.output, token, subflow_ids, span_ns)
    return Answer(on_pairs, None if done.output.strip() else SILENT, refused)
