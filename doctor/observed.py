"""What a test has observed, phase by phase: rates and echoes of both paths."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from smartsbd.contracts.fault import InputFault, printable
from smartsbd.doctor import echo_limits, standstill
from smartsbd.doctor.guided_test import BOTH, LOADED, GuidedTest, echoes_file, received_file
from smartsbd.doctor.received import Received
from smartsbd.features.input_evidence import InputEvidence
from smartsbd.features.judged_rtts import RULE, judged
from smartsbd.traces import recording
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats.echo_paths import NO_ANSWER
from smartsbd.traces.formats.ping_log import NOTHING_ANSWERED
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.recording import Recording

log = logging.getLogger(__name__)

#: A load takes so long to fill a path: what came until then is no rate.
SETTLE_S = 2.0
_NS_PER_S = 1e9
_US_PER_MS = 1e3

Array = npt.NDArray[np.float64]


class ObservedError(InputFault):
    """Recordings that do not go together."""


@dataclass(frozen=True)
class Echoes:
    """The answers to echoes over a path.

    Attributes
    ----------
    times_s, rtts_ms : (n,) float64
        Seconds since 1970, and milliseconds.
    unanswered : int
        Echoes between the first and the last answer that have none; 0 where they are not counted.
    """

    times_s: Array
    rtts_ms: Array
    unanswered: int = 0

    @property
    def median_ms(self) -> float:
        """The median RTT; not a number if there is none."""
        return float(np.median(self.rtts_ms)) if self.rtts_ms.size else float("nan")


@dataclass(frozen=True)
class PhaseObserved:
    """What was observed in a phase.

    Attributes
    ----------
    begin_s, end_s : float, seconds since 1970
    cut : bool
        It ended before its time, because as much had come as may.
    broken : str or None
        Why its load broke off.
    echoes : (Echoes, Echoes)
    received : dict of int to Received
        By number, of the paths that were loaded.
    still : float
        Share of it in which this host stood still.
    """

    begin_s: float
    end_s: float
    cut: bool
    echoes: tuple[Echoes, Echoes]
    received: dict[int, Received]
    still: float
    broken: str | None = None

    def mbit_s(self, number: int) -> float:
        """Return the rate over a path once its load had begun, Mbit/s."""
        return self.received[number].mbit_s(*self._settled())

    def silent_share(self, number: int) -> float:
        """Return the share of seconds in which a path that was loaded brought nothing."""
        return self.received[number].silent_share(*self._settled())

    def _settled(self) -> tuple[float, float]:
        return min(self.begin_s + SETTLE_S, (self.begin_s + self.end_s) / 2), self.end_s


@dataclass(frozen=True)
class JudgedTogether:
    """RTTs of both paths, recorded at one time, as they are judged.

    Attributes
    ----------
    echoes : (Echoes, Echoes)
    refused : str or None
        Why RTTs of this kind allow no verdict.
    limits : list of str
        What the recordings do not show, and what to do next.
    """

    echoes: tuple[Echoes, Echoes]
    refused: str | None
    limits: list[str]


@dataclass(frozen=True)
class Observed:
    """What was observed in a test, or in recordings of two paths.

    Attributes
    ----------
    names : (str, str)
        Of the paths.
    both : JudgedTogether
        Of the time in which both were loaded; of recordings, all of it.
    phases : dict of str to PhaseObserved
        In their order; none of recordings. After one whose load broke off there is none.
    """

    names: tuple[str, str]
    both: JudgedTogether
    phases: dict[str, PhaseObserved]

    def unanswered_share(self, number: int) -> float | None:
        """Return the share of all echoes over a path, between answers, that were not answered; None if none was."""
        echoes = [phase.echoes[number] for phase in self.phases.values()]
        answered = sum(of_phase.times_s.size for of_phase in echoes)
        unanswered = sum(of_phase.unanswered for of_phase in echoes)
        return unanswered / (answered + unanswered) if answered else None


def _recordings(paths: Sequence[Path]) -> list[Recording]:
    recordings = []
    for outcome in recording.read_all(paths, Dialect()):
        if isinstance(outcome, UnreadableInputError):
            raise outcome
        if refused := outcome.trace.refused():
            log.warning("%s: refused %s of %d records", outcome.path, refused, outcome.trace.records_in)
        recordings.append(outcome)
    return recordings


def _echoes(path: Path) -> Echoes:
    """Return the echoes in a file of ping; a file without any answer has none.

    Raises
    ------
    ObservedError
        If the file holds more than one path.
    """
    try:
        (pings,) = _recordings([path])
    except UnreadableInputError as error:
        if error.why != NOTHING_ANSWERED:
            raise
        return Echoes(np.empty(0), np.empty(0), 0)
    signals = [rtts.signals for connection in pings.trace.connections for rtts in judged(connection).values()]
    if len(signals) > 1:
        raise ObservedError(f"{path} holds {len(signals)} paths: in a test it has the echoes of one")
    times_s = signals[0].rtt_time_ns / _NS_PER_S if signals else np.empty(0)
    rtts_ms = signals[0].rtt_us / _US_PER_MS if signals else np.empty(0)
    return Echoes(times_s, rtts_ms, pings.trace.signals[NO_ANSWER])


@dataclass(frozen=True)
class _Pair:
    """RTTs of the two paths in some recordings, what a verdict on them rests on, and the names of the paths."""

    echoes: tuple[Echoes, Echoes]
    refused: str | None
    evidence: InputEvidence
    names: tuple[str | None, str | None]


def _pair(paths: Sequence[Path]) -> _Pair:
    """Return the two paths in some recordings.

    Raises
    ------
    ObservedError
        If they hold another number of paths.
    """
    merged = recording.as_one(_recordings(paths))
    connections = [connection for part in merged for _, connection in part.connections()]
    subflows = [(connection, number, rtts) for connection in connections for number, rtts in judged(connection).items()]
    if len(subflows) != len(LOADED[BOTH]):
        raise ObservedError(f"the recordings hold {len(subflows)} paths with RTTs: two are compared")
    (connection, a, x), (_, b, y) = subflows
    first, second = (Echoes(rtts.signals.rtt_time_ns / _NS_PER_S, rtts.signals.rtt_us / _US_PER_MS) for rtts in (x, y))
    names = connection.subflows[a].name, connection.subflows[b].name
    return _Pair((first, second), RULE.refused(x, y), InputEvidence.of(connection), names)


def of_recordings(paths: Sequence[Path]) -> Observed:
    """Return what recordings of two paths hold, of whatever kind they are.

    Parameters
    ----------
    paths : sequence of Path

    Returns
    -------
    Observed
        Without phases.

    Raises
    ------
    ObservedError
        If they do not hold two paths.
    UnreadableInputError
        If one of them cannot be read.
    """
    pair = _pair(paths)
    first, second = (printable(name or f"path {number}") for number, name in enumerate(pair.names, 1))
    # No learnt model is asked, so congestion states are not missed.
    limits = pair.evidence.named((first, second)).limits_of_rtts()
    return Observed((first, second), JudgedTogether(pair.echoes, pair.refused, limits), {})


def of_test(folder: Path) -> Observed:
    """Return what a test has observed.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    Observed

    Raises
    ------
    GuidedTestError, ReceivedError, ObservedError
        If it is not of a finished test.
    UnreadableInputError
        If the output of ping cannot be read.
    """
    test = GuidedTest.read(folder)
    phases: dict[str, PhaseObserved] = {}
    for done in test.phases:
        name = done.name
        phases[name] = PhaseObserved(
            begin_s=done.begin_s,
            end_s=done.end_s,
            cut=done.cut,
            echoes=(_echoes(folder / echoes_file(name, 0)), _echoes(folder / echoes_file(name, 1))),
            received={number: Received.read(folder / received_file(name, number)) for number in LOADED[name]},
            still=standstill.share(test.standstills, done.begin_s, done.end_s),
            broken=done.broken,
        )
    nothing = Echoes(np.empty(0), np.empty(0))
    both = JudgedTogether(phases[BOTH].echoes if BOTH in phases else (nothing, nothing), None, [])
    if all(echoes.times_s.size for echoes in both.echoes):
        pair = _pair([folder / echoes_file(BOTH, number) for number in LOADED[BOTH]])
        both = JudgedTogether(pair.echoes, pair.refused, echo_limits.limits(pair.evidence, test.settings.names))
    return Observed(test.settings.names, both, phases)
