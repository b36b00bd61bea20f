"""What a sender of rust/quic judged, and what the pipeline judges of its qlog."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from smartsbd.export.common_lag_judgements import by_pipeline
from smartsbd.features import connection_pairs
from smartsbd.features.reading import DEFAULT
from smartsbd.traces import recording
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.recording import Recording

_EVENT = "verdicts:judged"
_RECORD = "\x1e"
_NS_PER_MS = 1_000_000
#: As the pipeline has it, which does not say why it says nothing.
_VERDICTS = {True: "shared", False: "apart", None: ""}


@dataclass(frozen=True)
class SenderJudgement:
    """One judgement of the sender: its time, verdict and score."""

    time_ns: int
    verdict: str
    score_q10: int


@dataclass(frozen=True)
class QlogReplay:
    """The pipeline's judgements on a qlog beside the sender's.

    Attributes
    ----------
    judgements : int
        The pipeline's.
    equal : int
        Those with the verdict and the score of the sender's at the same place.
    last_verdict : str
    """

    judgements: int
    equal: int
    last_verdict: str


def judged(qlog: Path) -> list[SenderJudgement]:
    """Return the sender's judgements, from its qlog.

    Parameters
    ----------
    qlog : Path

    Returns
    -------
    list of SenderJudgement
        In order of time.
    """
    records = (json.loads(line.lstrip(_RECORD)) for line in qlog.read_text().splitlines() if _EVENT in line)
    return [
        SenderJudgement(round(record["time"] * _NS_PER_MS), record["data"]["verdict"], record["data"]["score_q10"])
        for record in records
    ]


def compared(qlog: Path, sender: list[SenderJudgement]) -> QlogReplay:
    """Read a qlog as ``sbd detect`` does, and judge it again.

    Parameters
    ----------
    qlog : Path
    sender : list of SenderJudgement
        The sender's.

    Returns
    -------
    QlogReplay
    """
    (read,) = recording.read_all([qlog], Dialect())
    if not isinstance(read, Recording):
        raise read
    (connection,) = read.trace.connections
    signals = connection_pairs.signals(connection, DEFAULT)
    replayed = [(_VERDICTS[said.shared], said.score_q10) for said in by_pipeline(signals[0], signals[1])]
    known = set(_VERDICTS.values())
    expected = [(one.verdict if one.verdict in known else "", one.score_q10) for one in sender]
    equal = sum(one == other for one, other in zip(replayed, expected, strict=False))
    return QlogReplay(len(replayed), equal, replayed[-1][0] if replayed else "")
