"""A second of a subflow: all that rules may look at."""

from __future__ import annotations

from dataclasses import dataclass

OPEN, UNANSWERED, ABSENT, BACKUP, RESET = "open", "unanswered", "absent", "backup", "reset"

_US_PER_MS = 1000
_BITS = 8
_BITS_PER_MBIT = 1e6


@dataclass(frozen=True)
class Second:
    """A second of a subflow; None is not observed.

    Attributes
    ----------
    start_s, length_s : float, seconds
        Since the connection began, and how much of a second was recorded.
    standing : str
        ``open``; ``unanswered``, its SYN was; ``absent``, no such subflow is in the input; ``backup``; ``reset``.
    sent_bytes : int
        For the first time, or acknowledged where only that is known.
    resent : int
        Segments sent again, or lost packets of a log.
    reinjected_bytes : int
        Sent for the first time here, and before on another subflow.
    recently_resent : int
        The same, of this second and the :data:`smartsbd.limits.observed_seconds.RECENT` before.
    base_rtt_us, queueing_us, most_queueing_us : int or None, microseconds
        The subflow's smallest RTT; the median above it, and what 95 % are below.
    full_share : float or None
        Share of the time in which the receiver's window had no room for two segments.
    held_share : float or None
        Of the data outstanding meanwhile, the share that is outstanding on no subflow: the receiver has it, and waits.
    idle_share : float or None
        Share of the time in which nothing was outstanding on the subflow.
    silent_share : float or None
        Share of the time in gaps between new segments that are longer than half of the RTT.
    unevenness : float or None
        Deviation of the time from a new segment to the second after it, divided by its mean; None of few segments.
    most_in_flight, most_in_flight_before : int or None, bytes
        Largest amount outstanding on the subflow, and that of the second before.
    window_bytes : int or None
        The largest window that the receiver announced.
    reset_reason : int or None
        Of MP_TCPRST; -1 if there was none.
    shared_with : tuple of int or None
        Subflows with which it shares its bottleneck by the verdict; empty: with none; None: not known.
    others_send : bool
        Another subflow sent data in this second.
    joined : int
        Subflows beside the first that were answered.
    """

    start_s: float
    length_s: float = 1.0
    standing: str = OPEN
    sent_bytes: int = 0
    resent: int = 0
    reinjected_bytes: int = 0
    recently_resent: int = 0
    base_rtt_us: int | None = None
    queueing_us: int | None = None
    most_queueing_us: int | None = None
    full_share: float | None = None
    held_share: float | None = None
    idle_share: float | None = None
    silent_share: float | None = None
    unevenness: float | None = None
    most_in_flight: int | None = None
    most_in_flight_before: int | None = None
    window_bytes: int | None = None
    reset_reason: int | None = None
    shared_with: tuple[int, ...] | None = None
    others_send: bool = False
    joined: int = 0

    @property
    def rate_mbit_s(self) -> float:
        """What was sent, in Mbit/s."""
        return self.sent_bytes * _BITS / self.length_s / _BITS_PER_MBIT if self.length_s else 0.0

    @property
    def queueing_ms(self) -> float:
        """Median queueing delay, in ms; 0 where there is none."""
        return (self.queueing_us or 0) / _US_PER_MS

    @property
    def base_rtt_ms(self) -> float:
        """Smallest RTT, in ms; 0 where there is none."""
        return (self.base_rtt_us or 0) / _US_PER_MS
