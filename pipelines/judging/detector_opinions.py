"""The verdicts of detectors on labelled connections: ours, called directly, and foreign ones, as a process or in C."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from smartsbd.contracts.fault import printable
from smartsbd.detectors import DETECTORS, foreign_detector, verdict_lines
from smartsbd.detectors.bounded_process import OverLimitError, ProcessLimits
from smartsbd.detectors.foreign_detector import Answer
from smartsbd.detectors.partition import Pair, pairs_of
from smartsbd.detectors.replaying import Named, built, opinions_on
from smartsbd.detectors.scoring import OnPair
from smartsbd.export.compiled_header import HEADER, TRUST_HEADER, Compiled, NoHeaderError
from smartsbd.export.header_program import ReplayError
from smartsbd.models.labelled.labelled_connection import LabelledConnection
from smartsbd.traces.log_writing import log_lines

#: Asks a detector about a connection.
Asked = Callable[[LabelledConnection], Answer]
_MOST_REMARKS = 3
#: Connections that a detector also receives only up to their middle.
_MOST_CUT = 8


@dataclass
class Answers:
    """How often a foreign detector gave no answer, wrote a line that is no verdict, or dated one before its evidence.

    Attributes
    ----------
    asked : int
        Connections.
    failed, refused : Counter of str
        Connections without an answer, and lines refused, by reason.
    remarks : list of str
        The messages of the first processes that failed.
    ahead, cut : int
        Connections that the detector judged otherwise when it received only their first half, and how many were tried.
    """

    asked: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)
    ahead: int = 0
    cut: int = 0

    def add(self, answer: Answer) -> None:
        """Count an answer."""
        self.asked += 1
        if answer.failure is not None:
            self.failed[answer.failure] += 1
        self.refused.update(answer.refused)
        if answer.remark and len(self.remarks) < _MOST_REMARKS and answer.remark not in self.remarks:
            self.remarks.append(answer.remark)

    def try_cut(self, connection: LabelledConnection, answer: Answer, asked: Asked) -> None:
        """Give a detector the first half of a connection alone, and count whether its verdicts on that half change.

        The first connections with an answer are tried, no more than 8.

        Parameters
        ----------
        connection : LabelledConnection
        answer : Answer
            The detector's answer on the whole connection.
        asked : Asked
        """
        half = connection.first_half()
        if (
            answer.failure is not None
            or self.cut == _MOST_CUT
            or len(half.subflow_ids()) < len(connection.subflow_ids())
        ):
            return
        start_ns, end_ns = half.span_ns()
        early = asked(half)
        self.cut += 1
        self.ahead += any(
            early.on_pairs[pair].changes(start_ns, end_ns) != on.changes(start_ns, end_ns)
            for pair, on in answer.on_pairs.items()
        )


def foreign(detector: str, limits: ProcessLimits, *, trusted: bool) -> Asked:
    """Return the function that asks somebody else's detector.

    Parameters
    ----------
    detector : str
        A command, or a path that ends with ``.h``: a header with a function on windows.
    limits : ProcessLimits
        Time, output and memory that it may take for one connection.
    trusted : bool
        Whether a header is compiled and run whoever wrote it.

    Returns
    -------
    Asked

    Raises
    ------
    NoProgramError
        If the command names no program.
    NoHeaderError
        If there is no such header, or `trusted` is set and the detector is no header.
    UntrustedHeaderError
        If a header did not come with this program, and is not trusted.
    """
    if detector.endswith(HEADER):
        return _ask_header(Compiled(Path(detector), trusted=trusted, limits=limits))
    if trusted:
        raise NoHeaderError(f"{TRUST_HEADER} is for a header, and {printable(detector)} is none")
    command = foreign_detector.command_of(detector)

    def asked(connection: LabelledConnection) -> Answer:
        lines = log_lines(connection.token, *connection.rows)
        return foreign_detector.ask(
            command, lines, connection.token, connection.subflow_ids(), connection.span_ns(), limits
        )

    return asked


def _ask_header(header: Compiled) -> Asked:
    def asked(connection: LabelledConnection) -> Answer:
        acks, states, _ = connection.rows
        changes: dict[Pair, dict[int, bool | None]] = defaultdict(dict)
        try:
            decisions = header.decisions_on(acks, states, connection.span_ns()[1])
        except (OverLimitError, ReplayError) as error:
            return Answer(verdict_lines.silent(pairs_of(connection.subflow_ids())), str(error))
        for decision in decisions:
            changes[decision.subflow_a, decision.subflow_b][decision.start_ns + decision.window_ns] = decision.shared
        on_pairs = {
            pair: OnPair(tuple(changes[pair]), tuple(changes[pair].values()))
            for pair in pairs_of(connection.subflow_ids())
        }
        return Answer(on_pairs)

    return asked


def ours() -> Named:
    """Return every detector of ours with its default parameters."""
    return {(kind.name, kind.default): built(kind, kind.presets[kind.default]) for kind in DETECTORS.values()}


def opinions_of_ours(connection: LabelledConnection, detectors: Named) -> dict[str, dict[Pair, OnPair]]:
    """Return what detectors of ours say of a connection, by name; those whose signal it lacks are left out.

    Parameters
    ----------
    connection : LabelledConnection
    detectors : Named

    Returns
    -------
    dict of str to dict
        Verdicts over time, by detector and pair.
    """
    subflow_ids = connection.subflow_ids()
    opinions_by_detector, _ = opinions_on(connection.rows, subflow_ids, connection.span_ns()[1], detectors)
    return {
        name: verdict_lines.on_pairs_of(opinions, subflow_ids) for (name, _), opinions in opinions_by_detector.items()
    }
