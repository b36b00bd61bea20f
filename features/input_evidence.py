"""What an input has of a connection that a verdict can rest on, how far that goes, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from smartsbd.features.judged_rtts import NO_RTTS, RULE, SMOOTHED, JudgedRtts, judged
from smartsbd.features.lag_excess.delays import LONGEST, SILENT_STEPS
from smartsbd.features.lag_excess.lattice import FIRST_SAMPLES, STEPS_PER_RTT
from smartsbd.traces.connection import Connection, Subflow
from smartsbd.traces.vantage import RECEIVER, UNKNOWN

LOGGED, INFERRED, NO_STATES = "logged", "inferred", "none"

_RECOVERY = 3
#: A subflow whose mean queueing delay is below this share of its smallest RTT, and that was never in Recovery or Loss,
#: has no sign of load. Random loss leads to both, so a path without a queue may pass.
_LOADED_SHARE = (1, 20)
#: A pause counts as a silence, and a silence is too long to be compared with anything, if it is longer than this many
#: of the larger smallest RTT.
_SILENT_RTTS = SILENT_STEPS / STEPS_PER_RTT
_MOST_RTTS = (SILENT_STEPS << (LONGEST - 1)) // STEPS_PER_RTT
#: A tool that asks from time to time does not ask more often than this.
_LEAST_INTERVAL_US = 1000
_US_PER_MS = 1000
_NS_PER_S = 1e9


@dataclass(frozen=True)
class SubflowEvidence:
    """What is known of a subflow.

    Attributes
    ----------
    subflow_id : int
    name : str or None
        Name of its path, where the input has one.
    rtts : str
        Kind of its RTTs: ``samples``, ``smoothed`` or ``none``.
    at_intervals : bool
        A tool asked for them from time to time.
    count : int
        How many.
    median_interval_us : int or None, microseconds
        Median time from one to the next.
    min_rtt_us, mean_queueing_us : int or None, microseconds
        The smallest, and the mean of what is above it.
    congested : bool
        It was in Recovery or Loss.
    start_s, end_s : float, seconds
        Times of its first record and of its last.
    resolution_us : int, microseconds
        What the last digit of its times counts; 0 where that is fine.
    few_rtts : str or None
        Why it has few RTTs or none, and what to do, where its reader knows that.
    """

    subflow_id: int
    name: str | None
    rtts: str
    at_intervals: bool
    count: int
    median_interval_us: int | None
    min_rtt_us: int | None
    mean_queueing_us: int | None
    congested: bool
    start_s: float
    end_s: float
    resolution_us: int = 0
    few_rtts: str | None = None

    @classmethod
    def of(cls, subflow: Subflow, rtts: JudgedRtts) -> SubflowEvidence:
        """Return what a subflow and its RTTs say."""
        return cls(
            subflow_id=subflow.subflow_id,
            name=subflow.name,
            rtts=rtts.kind,
            at_intervals=rtts.at_intervals,
            count=int(rtts.signals.rtt_us.size),
            median_interval_us=rtts.median_interval_us,
            min_rtt_us=rtts.min_us,
            mean_queueing_us=rtts.mean_queueing_us,
            congested=any(state >= _RECOVERY for state in subflow.state_ca_state),
            start_s=subflow.start_ns / _NS_PER_S,
            end_s=subflow.end_ns / _NS_PER_S,
            resolution_us=rtts.resolution_us,
            few_rtts=subflow.few_rtts,
        )

    @property
    def is_loaded(self) -> bool:
        """There is a sign that a queue stood on its path."""
        if self.mean_queueing_us is None or self.min_rtt_us is None:
            return False
        part, whole = _LOADED_SHARE
        return self.congested or self.mean_queueing_us * whole >= self.min_rtt_us * part


def _subject(subflows: Sequence[SubflowEvidence]) -> str:
    """Return the subject of a sentence about some subflows: the names of their paths if all have one.

    Examples
    --------
    >>> first, second = (SubflowEvidence(n, None, "samples", False, 0, None, None, None, False, 0, 0) for n in range(2))
    >>> _subject([first]), _subject([first, second]), _subject([replace(first, name="wlan0")])
    ('Subflow 0', 'Subflows 0 and 1', 'Path wlan0')
    """
    names = [subflow.name for subflow in subflows if subflow.name]
    kind = "Path" if len(names) == len(subflows) else "Subflow"
    words = names if kind == "Path" else [f"{subflow.subflow_id}" for subflow in subflows]
    return f"{kind} {words[0]}" if len(words) == 1 else f"{kind}s {', '.join(words[:-1])} and {words[-1]}"


@dataclass(frozen=True)
class SparseRtts:
    """RTTs of a subflow that are too far apart for what they are compared with.

    Attributes
    ----------
    subflow : SubflowEvidence
    interval_us, most_us : int, microseconds
        How far apart they are, and how far they may be.
    lattice_us : int, microseconds
        The larger of the smallest RTTs, by which delays are compared.
    """

    subflow: SubflowEvidence
    interval_us: int
    most_us: int
    lattice_us: int

    @property
    def words(self) -> str:
        """How far apart they are, and what is lost by that."""
        rtts = self.interval_us / self.lattice_us
        lost = (
            f"beyond {_MOST_RTTS} round trips nothing is compared"
            if rtts > _MOST_RTTS
            else "what changes faster is not seen"
        )
        return f"every {_ms(self.interval_us)}, {rtts:.1f} of the smallest round trip, and {lost}"


def _ms(microseconds: int) -> str:
    return f"{microseconds / _US_PER_MS:.4g} ms"


@dataclass(frozen=True)
class InputEvidence:
    """What an input has of a connection.

    Attributes
    ----------
    states : str
        Congestion states are ``logged``, ``inferred`` from packets, or there are ``none``.
    vantages : tuple of str
        Where it was recorded.
    subflows : tuple of SubflowEvidence
    """

    states: str
    vantages: tuple[str, ...]
    subflows: tuple[SubflowEvidence, ...]

    @classmethod
    def of(cls, connection: Connection) -> InputEvidence:
        """Return what is known of a connection."""
        subflows, rtts = connection.ordered(), judged(connection)
        has_states = any(subflow.state_ca_state for subflow in subflows)
        return cls(
            states=NO_STATES if not has_states else INFERRED if connection.states_inferred else LOGGED,
            vantages=tuple(sorted(set(connection.vantages.values()))),
            subflows=tuple(SubflowEvidence.of(subflow, rtts[subflow.subflow_id]) for subflow in subflows),
        )

    def named(self, names: Sequence[str]) -> InputEvidence:
        """Return the same with other names of its paths.

        Parameters
        ----------
        names : sequence of str
            In the order of the subflows.

        Returns
        -------
        InputEvidence
        """
        subflows = (replace(subflow, name=name) for subflow, name in zip(self.subflows, names, strict=True))
        return replace(self, subflows=tuple(subflows))

    def few(self) -> list[SubflowEvidence]:
        """Return the subflows with fewer RTTs than are judged."""
        return [subflow for subflow in self.subflows if subflow.rtts != NO_RTTS and subflow.count < FIRST_SAMPLES]

    def sparse(self) -> list[SparseRtts]:
        """Return the RTTs that are too far apart."""
        sparse, few = [], self.few()
        lattice_us = max((subflow.min_rtt_us or 0 for subflow in self.subflows), default=0)
        for subflow in self.subflows:
            interval_us, most_us = subflow.median_interval_us, int(_SILENT_RTTS * lattice_us)
            if subflow.at_intervals:
                most_us = min(most_us, RULE.most_interval_ms * _US_PER_MS)
            if interval_us is not None and subflow not in few and interval_us > most_us:
                sparse.append(SparseRtts(subflow, interval_us, most_us, lattice_us))
        return sparse

    def without_queue(self) -> list[SubflowEvidence]:
        """Return the subflows that are judged and have no sign of a queue."""
        return [subflow for subflow in self.subflows if subflow.count >= FIRST_SAMPLES and not subflow.is_loaded]

    def are_apart(self) -> bool:
        """Tell whether some of them were never recorded at the same time."""
        latest_start_s = max((subflow.start_s for subflow in self.subflows), default=0.0)
        return len(self.subflows) > 1 and latest_start_s > min(subflow.end_s for subflow in self.subflows)

    def limits_of_rtts(self) -> list[str]:
        """Return how far its RTTs do not go, and what to do next: a sentence or two for each limit."""
        return [
            *self._limits_of_kind(),
            *self._limits_of_vantage(),
            *self._limits_of_number(),
            *self._limits_of_load(),
            *self._limits_of_time(),
        ]

    def limits(self) -> list[str]:
        """Return the same for all that it has."""
        sentences = self.limits_of_rtts()
        if self.states == NO_STATES:
            sentences.append(
                "There are no congestion states: the default does without, learnt models (--model) do not. Record with"
                " sbd record, or capture packets at the sender."
            )
        return sentences

    def as_json(self) -> dict[str, Any]:
        """Return all of it, and the limits, as a JSON object."""
        return {**asdict(self), "limits": self.limits()}

    def _limits_of_kind(self) -> list[str]:
        sentences = []
        if none := [subflow for subflow in self.subflows if subflow.rtts == NO_RTTS and not subflow.few_rtts]:
            sentences.append(
                f"{_subject(none)}: no RTT. Record with sbd record, capture packets at the sender, or run ping -D."
            )
        if smoothed := [subflow for subflow in self.subflows if subflow.rtts == SMOOTHED and subflow.at_intervals]:
            sentences.append(
                f"{_subject(smoothed)}: judged from smoothed RTTs, in which short changes are lost. Record RTT"
                " samples: with sbd record, or packets at the sender."
            )
        at_every_ack = [subflow for subflow in self.subflows if subflow.rtts == SMOOTHED and not subflow.at_intervals]
        if at_every_ack:
            sentences.append(
                f"{_subject(at_every_ack)}: smoothed RTTs at every ACK, from which verdicts were too often wrong."
                " Record RTT samples: with sbd record, or packets at the sender."
            )
        return sentences

    def _limits_of_vantage(self) -> list[str]:
        sentences = []
        if RECEIVER in self.vantages:
            sentences.append(
                "Recorded at the receiver: only what the sender answers gives an RTT there, and that is little. Record"
                " at the sender."
            )
        if UNKNOWN in self.vantages:
            sentences.append(
                "It cannot be told where this was recorded: RTTs between unknown points are not used. Record at the"
                " sender, from the handshake on."
            )
        return sentences

    def _limits_of_number(self) -> list[str]:
        sentences = []
        for why in dict.fromkeys(subflow.few_rtts for subflow in self.subflows if subflow.few_rtts):
            sentences.append(f"{_subject([subflow for subflow in self.subflows if subflow.few_rtts == why])}: {why}.")
        if few := [subflow for subflow in self.few() if not subflow.few_rtts]:
            sentences.append(
                f"{_subject(few)}: fewer than {FIRST_SAMPLES} RTTs, the least that is judged. Record for longer, or"
                " sample more often."
            )
        for rtts in self.sparse():
            if rtts.subflow.resolution_us > rtts.most_us:
                sentences.append(
                    f"{_subject([rtts.subflow])}: dated to {_ms(rtts.subflow.resolution_us)}, too coarse for a verdict."
                    " Date each sample with a fraction of a second, as date +%s.%N does."
                )
                continue
            remedy = (
                f"Sample every {_ms(rtts.most_us)} or more often."
                if rtts.most_us >= _LEAST_INTERVAL_US
                else "No tool asks so often: record with sbd record, or packets at the sender."
            )
            sentences.append(f"{_subject([rtts.subflow])}: an RTT {rtts.words}. {remedy}")
        return sentences

    def _limits_of_load(self) -> list[str]:
        idle = self.without_queue()
        if not idle:
            return []
        above = " and ".join(_ms(subflow.mean_queueing_us or 0) for subflow in idle)
        return [
            f"{_subject(idle)}: no sign of a queue; the RTT was on average {above} above its smallest. A queue that"
            " does not stand is not seen: load all paths at once, for instance with a download over each, and record"
            " again."
        ]

    def _limits_of_time(self) -> list[str]:
        if not self.are_apart():
            return []
        return [
            "Some subflows were never recorded at the same time. Record all paths together, by one clock, in"
            " seconds since 1970."
        ]
