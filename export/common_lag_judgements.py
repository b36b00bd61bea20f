"""Every judgement of the common lag in C, by the header that a sender includes, to compare with the pipeline's."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from smartsbd.detectors import bounded_process
from smartsbd.detectors.verdict import default_detector
from smartsbd.detectors.verdict.common_lag import CommonLagJudgement, CommonLagPair, CommonLagRule
from smartsbd.export import header_program
from smartsbd.export.compilers import Compiler, compiled
from smartsbd.export.lag_excess_judgements import JudgementsError, samples_of
from smartsbd.features.series import SubflowSignals

SOURCE = Path(__file__).parent / "programs" / "common_lag_judgements.c"
#: Folder with the header.
HEADERS = default_detector.SOURCE.parent
HEADER = HEADERS / "sbd_common_lag.h"
#: As ``enum sbd_common_said``.
_SAID = (False, True, None, None)
_MEASURES = ("lag_q10", "level_q10", "own_q10", "lead_q10", "memory_a_q10", "memory_b_q10")
_FIELDS = ("said", "score_q10", "age", "bands", "samples", "probes", *_MEASURES, "queues")
_ROW = np.dtype([(name, np.int32) for name in ("pair", *_FIELDS, "bytes")])
_NO_VALUE = np.iinfo(np.int32).min


class CommonLagSaid(NamedTuple):
    """One judgement: verdict that holds, score, age of the sums, the evidence, and signs of queues."""

    shared: bool | None
    score_q10: int
    age: int
    bands: int
    samples: int
    probes: int
    lag_q10: int | None
    level_q10: int | None
    own_q10: int | None
    lead_q10: int | None
    memory_q10: tuple[int | None, int | None]
    queues: tuple[bool, bool]


def _flattened(judgement: CommonLagJudgement) -> CommonLagSaid:
    evidence = judgement.evidence
    return CommonLagSaid(
        *(judgement.shared, judgement.score_q10, judgement.age, evidence.bands, evidence.samples, evidence.probes),
        *(evidence.lag_q10, evidence.level_q10, evidence.own_q10, evidence.lead_q10, evidence.memory_q10),
        judgement.queues,
    )


def by_pipeline(x: SubflowSignals, y: SubflowSignals) -> list[CommonLagSaid]:
    """Return the pipeline's judgements on a pair.

    Parameters
    ----------
    x, y : SubflowSignals
        Lower subflow number first.

    Returns
    -------
    list of CommonLagSaid
        In order of time.
    """
    pair, judgements = CommonLagPair(CommonLagRule()), list[CommonLagSaid]()
    for time_ns, rtt_us, which in samples_of(x, y)[1:].tolist():
        judgements += map(_flattened, pair.on_rtt(which, time_ns, rtt_us))
    return [*judgements, *map(_flattened, pair.finish())]


def build_common(place: Path, compiler: Compiler, options: Sequence[str] = ()) -> Path:
    """Compile the program; return it.

    Parameters
    ----------
    place : Path
        Folder for it.
    compiler : Compiler
    options : sequence of str
        More options of the compiler.

    Returns
    -------
    Path
        The compiled program, in `place`.
    """
    program = place / "common_lag_judgements"
    compiled(compiler, SOURCE, program, ["-I", str(HEADERS), *options])
    return program


def by_program(
    program: Path, pairs: Iterable[tuple[SubflowSignals, SubflowSignals]]
) -> tuple[list[list[CommonLagSaid]], int]:
    """Return the program's judgements on each pair, and the bytes that a pair takes; 0 if there is no judgement.

    Parameters
    ----------
    program : Path
    pairs : iterable of (SubflowSignals, SubflowSignals)
        Lower subflow number first.

    Returns
    -------
    judgements : list of list of CommonLagSaid
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
        done = bounded_process.run([str(program)], limits, stream)
    if done.exit_code:
        raise JudgementsError(f"{program.name} ended with {done.exit_code}")
    judgements: list[list[CommonLagSaid]] = [[] for _ in range(count)]
    rows = np.frombuffer(done.output, dtype=_ROW)
    for pair, verdict, *values, queues, _ in rows.tolist():
        *counts, memory_a, memory_b = (None if value == _NO_VALUE else value for value in values)
        signs = (bool(queues & 1), bool(queues & 2))
        judgements[pair].append(CommonLagSaid._make([_SAID[verdict], *counts, (memory_a, memory_b), signs]))
    return judgements, int(rows["bytes"][0]) if rows.size else 0
