"""The causes, in the order in which they are asked: the first that holds limits a second."""

from __future__ import annotations

from smartsbd.limits.cause import Cause
from smartsbd.limits.causes import (
    backup,
    head_of_line,
    losses,
    not_joined,
    own_bottleneck,
    paced,
    receive_window,
    reset,
    sending_end,
    shared_bottleneck,
    unknown_queue,
)

#: What no rule names.
NOT_CLASSIFIED = "not classified"
#: Those of a whole subflow: they stand above what the others are limited by.
OF_SUBFLOWS: tuple[Cause, ...] = (not_joined.CAUSE, reset.CAUSE, backup.CAUSE)
CAUSES: tuple[Cause, ...] = (
    *OF_SUBFLOWS,
    head_of_line.CAUSE,
    receive_window.CAUSE,
    paced.CAUSE,
    sending_end.CAUSE,
    shared_bottleneck.CAUSE,
    own_bottleneck.CAUSE,
    unknown_queue.CAUSE,
    losses.CAUSE,
)


def by_name(name: str) -> Cause | None:
    """Return a cause, None of what no rule names."""
    return next((cause for cause in CAUSES if cause.name == name), None)
