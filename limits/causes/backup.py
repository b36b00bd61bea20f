"""The subflow is a backup, and gets data only when the others fail (RFC 8684, sections 3.2 and 3.3.8)."""

from __future__ import annotations

from collections.abc import Sequence

from smartsbd.limits.cause import Cause
from smartsbd.limits.second import BACKUP, Second


def _holds(second: Second) -> bool:
    return second.standing == BACKUP


def _evidence(seconds: Sequence[Second]) -> str:
    return (
        f"a backup by the flag B of its MP_JOIN or of an MP_PRIO, from {seconds[0].start_s:.1f} s on; it sent nothing"
    )


CAUSE = Cause(
    "backup",
    _holds,
    _evidence,
    "Let it be none, if it is to carry data: ip mptcp endpoint change id N nobackup, on the host that made it one.",
)
