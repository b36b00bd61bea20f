"""How inputs are read."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from smartsbd.pipelines.params.block import Block
from smartsbd.traces.assembly import MAX_SUBFLOW
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.dialect import OURS, Dialect, LinePattern


class Line(Block):
    """What a record looks like in another lab's log."""

    marker: str
    expression: str


class Parse(Block):
    """Reading inputs."""

    max_quarantined: float = Field(ge=0, le=1)
    max_unreadable: float = Field(ge=0, le=1)
    max_subflows: int = Field(ge=2, le=MAX_SUBFLOW + 1)
    max_connections: int = Field(ge=1)
    line: Line | None
    tcpprobe_srtt: Literal["us", "ms"] | None

    def bounds(self) -> Bounds:
        """Return how much of an input is held at once."""
        return Bounds(self.max_subflows, self.max_connections)

    def dialect(self) -> Dialect:
        """Return how logs are written.

        Returns
        -------
        Dialect

        Raises
        ------
        DialectError
            If the line pattern cannot be used.
        """
        line = OURS if self.line is None else LinePattern(self.line.marker, self.line.expression)
        return Dialect(line, self.tcpprobe_srtt)
