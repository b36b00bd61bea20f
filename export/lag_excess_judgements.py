"""Every judgement of the lag excess in C, by the header that a sender includes, to compare with the pipeline's."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from smartsbd.contracts.fault import Fault
from smartsbd.detectors import bounded_process
from smartsbd.detectors.lag_excess import Criterion, Judgement
from smartsbd.export import header_program
from smartsbd.export.compilers import Compiler, compiled
from smartsbd.features.lag_excess import gate
from smartsbd.features.series import SubflowSignals

SOURCE = Path(__file__).parent / "programs" / "lag_excess_judgements.c"
#: As ``enum sbd_lag_said``.
SAID = ("apart", "shared", gate.BETWEEN, gate.IDLE, gate.TOO_SPARSE, gate.STALLED, gate.STILL, gate.TOO_DEEP)
_SAMPLE = np.dtype([("time_ns", np.int64), ("rtt_us", np.uint32), ("subflow", np.int32)])
_FOUND = np.dtype(
    [
        ("decided_ns", np.int64),
        ("pair", np.int32),
        ("said", np.int32),
        ("score_q10", np.int32),
        ("bytes", np.int32),
    ]
)
_NEXT_PAIR = -1
_NO_SCORE = np.iinfo(np.int32).min


class JudgementsError(Fault):
    """The program failed."""


class WordedJudgement(NamedTuple):
    """One judgement: its time, its verdict in the words of :data:`SAID`, and the score, None if there is none."""

    decided_ns: int
    words: str
    score_q10: int | None


def worded(judgement: Judgement) -> WordedJudgement:
    """Return a judgement of the pipeline in the words of the C."""
    return WordedJudgement(
        judgement.decided_ns, judgement.reason or ("shared" if judgement.shared else "apart"), judgement.score_q10
    )


def build(place: Path, headers: Path, compiler: Compiler, options: Sequence[str] = ()) -> Path:
    """Compile the program with the header of a folder; return it.

    Parameters
    ----------
    place : Path
        Folder for it.
    headers : Path
        Folder with ``sbd_lag_excess.h``.
    compiler : Compiler
    options : sequence of str
        More options of the compiler.

    Returns
    -------
    Path
        The compiled program, in `place`.
    """
    program = place / "judgements"
    compiled(compiler, SOURCE, program, ["-I", str(headers), *options])
    return program


def samples_of(x: SubflowSignals, y: SubflowSignals) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    """Return a pair as the program reads it: what begins it, and the samples of both in order of time.

    Parameters
    ----------
    x, y : SubflowSignals
        Lower subflow number first.

    Returns
    -------
    (1 + samples,) records of time_ns, rtt_us and subflow
        Nanoseconds, microseconds, and 0 or 1; the first record is no sample.
    """
    count = x.rtt_us.size + y.rtt_us.size
    samples = np.zeros(count, dtype=_SAMPLE)
    samples["time_ns"] = np.concatenate([x.rtt_time_ns, y.rtt_time_ns])
    samples["rtt_us"] = np.concatenate([x.rtt_us, y.rtt_us])
    samples["subflow"] = np.repeat([0, 1], [x.rtt_us.size, y.rtt_us.size])
    order = np.lexsort((samples["subflow"], samples["time_ns"]))
    begin = np.array([(0, 0, _NEXT_PAIR)], dtype=_SAMPLE)
    return np.concatenate([begin, samples[order]])


def run(
    program: Path, pairs: Iterable[tuple[SubflowSignals, SubflowSignals]], criterion: Criterion
) -> tuple[list[list[WordedJudgement]], int]:
    """Return the program's judgements on each pair, and the bytes that a pair takes; 0 if there is no judgement.

    Parameters
    ----------
    program : Path
    pairs : iterable of (SubflowSignals, SubflowSignals)
        Lower subflow number first.
    criterion : Criterion

    Returns
    -------
    judgements : list of list of WordedJudgement
        By pair, in order of time.
    pair_bytes : int
        Memory of a pair.

    Raises
    ------
    JudgementsError
        If the program fails.
    OverLimitError
        If it does not end in time.
    """
    count = 0
    with tempfile.TemporaryFile() as stream:
        for x, y in pairs:
            stream.write(samples_of(x, y).tobytes())
            count += 1
        limits = header_program.limits_for(stream.tell())
        stream.seek(0)
        numbers = (criterion.shared_above_q10, criterion.apart_below_q10, criterion.tiles, int(criterion.compares))
        done = bounded_process.run([str(program), *map(str, numbers)], limits, stream)
    if done.exit_code:
        raise JudgementsError(f"{program.name} ended with {done.exit_code}")
    judgements: list[list[WordedJudgement]] = [[] for _ in range(count)]
    rows = np.frombuffer(done.output, dtype=_FOUND)
    for decided_ns, pair, words, score_q10, _ in rows.tolist():
        judgements[pair].append(WordedJudgement(decided_ns, SAID[words], None if score_q10 == _NO_SCORE else score_q10))
    return judgements, int(rows["bytes"][0]) if rows.size else 0
