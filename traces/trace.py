"""What a parser hands over: connections, and a count of everything the input holds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from traces.connection import Connection
from traces.quarantine import Refusal


@dataclass
class Trace:
    """What one input holds.

    ``records_in == records_out + sum(unused.values()) + len(refusals)``.

    Attributes
    ----------
    connections : list of Connection
        In order of their first record.
    records_in, records_out : int
        Records read, and records that became part of a connection.
    unused : Counter of str
        Good records of kinds that no table holds, by kind.
    refusals : list of Refusal
        The other records.
    other_lines : int
        Lines of a log that are not the sender's: they are no records.
    signals : Counter of str
        MPTCP options of the connections, by name, and what was wrong with malformed ones.
    gaps, messages_lost : int
        Places where the log says that messages are missing, and how many it says were lost.
    """

    connections: list[Connection] = field(default_factory=list)
    records_in: int = 0
    records_out: int = 0
    unused: Counter[str] = field(default_factory=Counter)
    refusals: list[Refusal] = field(default_factory=list)
    signals: Counter[str] = field(default_factory=Counter)
    other_lines: int = 0
    gaps: int = 0
    messages_lost: int = 0
