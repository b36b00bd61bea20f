"""What a parser hands over: connections, and a count of everything the input holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from smartsbd.traces import bounds
from smartsbd.traces.connection import Connection
from smartsbd.traces.quarantine import Refusal, UnreadableInputError, by_reason

#: Of a log, whose refused records are kept in memory: some 30 MB.
MOST_REFUSED = 1 << 17


@dataclass
class Trace:
    """What one input holds.

    ``records_in == records_out + sum(unused.values()) + len(refusals) + sum(beyond_bounds.values())``.

    Attributes
    ----------
    connections : sequence of Connection
        In order of their first record. Those of a capture are read from disk whenever they are asked for.
    records_in, records_out : int
        Records read, and records that became part of a connection.
    unused : Counter of str
        Good records of kinds that no table holds, by kind.
    refusals : sequence of Refusal
        Records with which something is wrong.
    beyond_bounds : Counter of str
        Good records that are refused because there were too many connections or subflows before them, by the bound.
        They are counted alone: there may be any number.
    other_lines : int
        Lines of a log that are not the sender's: they are no records.
    signals : Counter of str
        MPTCP options of the connections, by name, and what was wrong with malformed ones; of ping, echoes without an
        answer.
    left_out : list of str
        Sentences about flows of TCP without MPTCP that are no paths, where such flows may be.
    gaps, messages_lost : int
        Places where the log says that messages are missing, and how many it says were lost.
    """

    connections: Sequence[Connection] = field(default_factory=list)
    records_in: int = 0
    records_out: int = 0
    unused: Counter[str] = field(default_factory=Counter)
    refusals: Sequence[Refusal] = field(default_factory=list)
    beyond_bounds: Counter[str] = field(default_factory=Counter)
    signals: Counter[str] = field(default_factory=Counter)
    other_lines: int = 0
    left_out: list[str] = field(default_factory=list)
    gaps: int = 0
    messages_lost: int = 0

    def refused(self) -> dict[str, int]:
        """Return the number of refused records for each reason, reasons sorted."""
        return dict(sorted((Counter(by_reason(self.refusals)) + self.beyond_bounds).items()))

    def take_row(self, path: Path, most: int) -> None:
        """Count one more row of a table that became part of its connection.

        Parameters
        ----------
        path : Path
            Of the table.
        most : int
            Rows that the connection may have.

        Raises
        ------
        UnreadableInputError
            If it has more.
        """
        if self.records_out == most:
            raise UnreadableInputError(path, 0, f"has more than {most:,} rows of one connection: cut it in parts")
        self.records_out += 1

    def refuse(self, path: Path, refusal: Refusal) -> None:
        """Take down one more refused record of a log.

        Raises
        ------
        UnreadableInputError
            If there are more than :data:`MOST_REFUSED`.
        TypeError
            If the trace is of a capture: its refused records are complete.
        """
        if refusal.reason in bounds.REASONS:
            self.beyond_bounds[refusal.reason] += 1
            return
        if not isinstance(self.refusals, list):
            raise TypeError("the refused records of a capture are complete")
        if len(self.refusals) == MOST_REFUSED:
            raise UnreadableInputError(path, refusal.offset, f"more than {MOST_REFUSED:,} records refused")
        self.refusals.append(refusal)
