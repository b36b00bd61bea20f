"""What limits each second, and its shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from smartsbd.limits.cause import Cause
from smartsbd.limits.causes import sending_end
from smartsbd.limits.observed_seconds import SubflowSeconds
from smartsbd.limits.second import OPEN, Second
from smartsbd.limits.table import CAUSES, NOT_CLASSIFIED, OF_SUBFLOWS

#: Of a connection without a whole second, nothing but a cause of a whole subflow is named: its window still opens.
LEAST_S = 1
#: A cause of a whole subflow is the connection's, if it holds for so much of the connection's time.
_MAIN_SHARE = 0.5


@dataclass(frozen=True)
class LimitedSubflow:
    """A subflow, and what limits each of its seconds.

    Attributes
    ----------
    observed : SubflowSeconds
    causes : tuple of str
        One for each second.
    """

    observed: SubflowSeconds
    causes: tuple[str, ...]

    def lengths_s(self) -> Counter[str]:
        """Return for how many seconds each cause limits it."""
        lengths: Counter[str] = Counter()
        for second, cause in zip(self.observed.seconds, self.causes, strict=True):
            lengths[cause] += second.length_s  # type: ignore[assignment] # seconds have fractions
        return lengths

    def limited_by(self, cause: str) -> list[Second]:
        """Return the seconds that a cause limits."""
        return [second for second, named in zip(self.observed.seconds, self.causes, strict=True) if named == cause]

    def reinjected_share(self) -> float:
        """Return the share of its data that was sent before on another subflow."""
        sent = sum(second.sent_bytes for second in self.observed.seconds)
        return sum(second.reinjected_bytes for second in self.observed.seconds) / sent if sent else 0.0


def _length_s(subflows: Sequence[SubflowSeconds]) -> float:
    """Return how long a connection is, from its begin."""
    return max((second.start_s + second.length_s for subflow in subflows for second in subflow.seconds), default=0.0)


def cause_of(second: Second, causes: Sequence[Cause] = CAUSES) -> str:
    """Return what limits a second: the first of some causes that holds.

    Examples
    --------
    >>> cause_of(Second(0, sent_bytes=9_000, base_rtt_us=20_000, queueing_us=9_000, shared_with=(1,)))
    'shared bottleneck'
    >>> cause_of(Second(0))
    'not classified'
    """
    return next((cause.name for cause in causes if cause.holds(second)), NOT_CLASSIFIED)


def _given_nothing(subflows: Sequence[SubflowSeconds], causes: dict[int, list[str]]) -> None:
    """Take a second without data on an open subflow for the sender's, where all that send are limited by it."""
    at: dict[int, set[str]] = {}
    for subflow in subflows:
        for second, cause in zip(subflow.seconds, causes[subflow.subflow], strict=True):
            if second.sent_bytes:
                at.setdefault(int(second.start_s), set()).add(cause)
    for subflow in subflows:
        for place, second in enumerate(subflow.seconds):
            silent = (
                second.standing == OPEN and not second.sent_bytes and causes[subflow.subflow][place] == NOT_CLASSIFIED
            )
            if silent and at.get(int(second.start_s)) == {sending_end.CAUSE.name}:
                causes[subflow.subflow][place] = sending_end.CAUSE.name


def classified(subflows: Sequence[SubflowSeconds]) -> list[LimitedSubflow]:
    """Return what limits each second of each subflow.

    Parameters
    ----------
    subflows : sequence of SubflowSeconds

    Returns
    -------
    list of LimitedSubflow
        In the same order.
    """
    is_short = _length_s(subflows) < LEAST_S
    causes = {
        subflow.subflow: [cause_of(second, OF_SUBFLOWS if is_short else CAUSES) for second in subflow.seconds]
        for subflow in subflows
    }
    if not is_short:
        _given_nothing(subflows, causes)
    return [LimitedSubflow(subflow, tuple(causes[subflow.subflow])) for subflow in subflows]


def shares(subflows: Sequence[LimitedSubflow]) -> dict[str, float]:
    """Return each cause's share of the seconds of all subflows, the largest first."""
    lengths: Counter[str] = Counter()
    for subflow in subflows:
        lengths.update(subflow.lengths_s())
    whole = sum(lengths.values())
    return {cause: length / whole for cause, length in lengths.most_common()} if whole else {}


def main_cause(subflows: Sequence[LimitedSubflow]) -> str:
    """Return what limits a connection most: a cause of a whole subflow, if one holds for half of its time.

    Parameters
    ----------
    subflows : sequence of LimitedSubflow
        All of a connection.

    Returns
    -------
    str
        :data:`smartsbd.limits.table.NOT_CLASSIFIED` if no rule names more seconds than are left over.
    """
    whole_s = _length_s([subflow.observed for subflow in subflows])
    for cause in OF_SUBFLOWS:
        if any(subflow.lengths_s()[cause.name] >= _MAIN_SHARE * whole_s > 0 for subflow in subflows):
            return cause.name
    return next(iter(shares(subflows)), NOT_CLASSIFIED)
