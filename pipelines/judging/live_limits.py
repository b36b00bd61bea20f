"""How much is kept of connections that are judged as samples come, and how late a subflow's samples may come."""

from __future__ import annotations

from dataclasses import dataclass

#: How much later than those of the others a subflow's samples may come.
LATE_NS = 1_000_000_000


@dataclass(frozen=True)
class KeptAtMost:
    """The most that is kept.

    Attributes
    ----------
    connections : int
        Of more, the one that is silent for longest is forgotten.
    subflows : int
        Of a connection; samples of others are refused.
    samples : int
        Of a subflow. Of more, the lag excess drops the older half, which counts as silence; the common lag waits for
        the other subflow no longer.
    """

    connections: int = 64
    subflows: int = 8
    samples: int = 1 << 16
