"""How much of one input is held at once. What is beyond is refused, and counted with its reason."""

from __future__ import annotations

from dataclasses import dataclass

#: Reasons why good records are refused: the bound that they are beyond.
TOO_MANY_SUBFLOWS = "more subflows than a connection may have"
TOO_MANY_CONNECTIONS = "more connections than a log may have"
TOO_MANY_FLOWS = "more MPTCP flows than a capture may have"
REASONS = frozenset({TOO_MANY_SUBFLOWS, TOO_MANY_CONNECTIONS, TOO_MANY_FLOWS})
#: Rows of a connection that a table may have: few bytes of a Parquet file can be any number of equal rows.
MOST_ROWS_OF_CONNECTION = 1 << 21


@dataclass(frozen=True)
class Bounds:
    """The most that is held of one input; what comes first is held, with all of its records.

    Attributes
    ----------
    subflows : int
        Of one connection. Work and output grow with the pairs of subflows: 64 have 2016.
    connections : int
        Of a log. Of a capture, whose flows may each be a connection by themselves, MPTCP flows.
    plain_flows : bool
        Whether flows of TCP without MPTCP are held, too, where captures have no MPTCP with data.
    rows : int
        Of a table, which holds one connection; a wide row counts for each path that it has a sample of. A table with
        more is refused as a whole.
    """

    subflows: int = 64
    connections: int = 100_000
    plain_flows: bool = False
    rows: int = MOST_ROWS_OF_CONNECTION


DEFAULT = Bounds()
