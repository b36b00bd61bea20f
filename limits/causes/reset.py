"""The subflow was reset (RFC 8684, section 3.6)."""

from __future__ import annotations

from collections.abc import Sequence

from smartsbd.limits.cause import Cause
from smartsbd.limits.second import RESET, Second

#: Reasons of MP_TCPRST.
REASONS = {
    0: "unspecified",
    1: "an error of MPTCP",
    2: "lack of resources",
    3: "administratively prohibited",
    4: "too much outstanding data",
    5: "unacceptable performance",
    6: "interference of a middlebox",
}


def _holds(second: Second) -> bool:
    return second.standing == RESET


def _evidence(seconds: Sequence[Second]) -> str:
    number = seconds[0].reset_reason
    reason = (
        f"reason {number}, {REASONS.get(number, 'not known')}" if number is not None and number >= 0 else "no reason"
    )
    return f"reset at {seconds[0].start_s:.1f} s, with {reason}; it carried nothing after that"


CAUSE = Cause(
    "reset",
    _holds,
    _evidence,
    "See who sent it: limits of subflows (ip mptcp limits) and addresses on both hosts, a closed application, a"
    " middlebox.",
)
