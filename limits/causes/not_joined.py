"""A second subflow never was: no MP_JOIN, or none that was answered (RFC 8684, section 3.2)."""

from __future__ import annotations

from collections.abc import Sequence

from smartsbd.limits.cause import Cause
from smartsbd.limits.second import ABSENT, UNANSWERED, Second


def _holds(second: Second) -> bool:
    return second.standing in (ABSENT, UNANSWERED) and not second.joined


def _evidence(seconds: Sequence[Second]) -> str:
    if seconds[0].standing == ABSENT:
        return "all data went over one subflow, and the input has no MP_JOIN"
    return f"its MP_JOIN, sent at {seconds[0].start_s:.1f} s, was not answered"


CAUSE = Cause(
    "not joined",
    _holds,
    _evidence,
    "See `ip mptcp endpoint` and `ip mptcp limits` on both hosts, routes of each address, and firewalls that drop"
    " MP_JOIN.",
)
