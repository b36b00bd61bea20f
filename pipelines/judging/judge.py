"""The judge of an input (a stored model, a baseline detector or an exported model) and its opinions on every pair."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from contracts.fault import printable
from export import shipped
from export.compiled_header import HEADER, SUFFIXES, TRUST_HEADER, Compiled, NoHeaderError
from export.replay import Decision
from features import connection_pairs, judged_rtts
from features.connection_pairs import Pair
from features.fixed import ONE_Q10
from features.lag_excess.lattice import reason_before_judgement
from features.series import SubflowSignals
from features.window import Rejected, Window, tiled
from models.detectors import DETECTORS, Detector, detector_of, replayed
from models.detectors.common_lag import CommonLag
from models.detectors.common_lag_judgements import TimedJudgement, reason_before_block, timed_judgements
from models.detectors.event import events_of
from models.detectors.lag_excess import Judgement, LagExcess, judgements
from models.detectors.scoring import OnPair
from models.partition import pairs_of
from models.stored import loaded_model, stored_model
from models.stored.loaded_model import UnknownModelError, WindowJudge
from models.verdict import SCORE_DIGITS
from pipelines.judging import recorded_model
from pipelines.judging.opinion import SaidOnce
from pipelines.params import Params
from traces.connection import Connection
from traces.recording import Recording

FEWER_THAN_TWO = "fewer than two subflows"
NO_CONNECTION = "no connection"
NO_OPINION = "the detector has no opinion"
PART = "its subflows are of a connection that another input begins"
_NS_PER_S = 1e9


#: What judges: a stored model, window by window; a baseline detector, event by event; or an exported model, in C.
Judge = WindowJudge | Detector | Compiled
#: Detectors that say again and again what the delays of a pair say, with a score or the reason why there is no verdict.
DelayJudge = CommonLag | LagExcess


def _seconds(nanoseconds: int | None) -> float | None:
    return None if nanoseconds is None else nanoseconds / _NS_PER_S


def _of_pair(name: str, connection_id: str, pair: Pair, judge: WindowJudge, model: str) -> list[SaidOnce]:
    """Return the opinions on a pair in time order; those without a place first."""
    verdicts = judge.judge(pair.windows) if pair.windows else None
    found: list[tuple[int, SaidOnce]] = []
    placed: list[Window | Rejected] = [*(one.window for one in pair.windows), *pair.rejected]
    for number, one in enumerate(placed):
        verdict = verdicts if number < len(pair.windows) else None
        opinion = SaidOnce(
            input=name,
            connection_id=connection_id,
            subflow_a=pair.subflow_a,
            subflow_b=pair.subflow_b,
            window_start_s=_seconds(one.start_ns),
            window_s=_seconds(one.window_ns),
            shared=None if verdict is None else bool(verdict.shared_pred[number]),
            score=None if verdict is None else round(float(verdict.score[number]), SCORE_DIGITS),
            model=model,
            reason=one.reason if isinstance(one, Rejected) else None,
        )
        found.append((-1 if one.start_ns is None else one.start_ns, opinion))
    return [opinion for _, opinion in sorted(found, key=lambda item: item[0])]


def judge_of(models: Path, model: str, *, trusted: bool = False) -> tuple[str, Judge]:
    """Return what judges, and what it is called: a model or detector by name, an exported or stored model by path.

    A stored model that is asked for by its name must be the file that the run recorded; by its path it may be any. The
    model that stands in git is found by its name too, where none of that name is stored.

    Parameters
    ----------
    models : Path
        Folder of stored models.
    model : str
    trusted : bool
        A header is compiled and run whoever wrote it.

    Raises
    ------
    UnknownModelError
        If no stored model has that name.
    ModelError
        If the stored model cannot be used, or is not the one that the run recorded.
    UnrecordedModelError
        If a run recorded no stored model of that name.
    UnknownDetectorError
        If the detector has no parameter set of that name.
    NoHeaderError
        If there is no such header or model file, or what is to be trusted is no header.
    UntrustedHeaderError
        If a header did not come with this program, and is not trusted.
    """
    if trusted and not model.endswith(HEADER):
        raise NoHeaderError(f"{TRUST_HEADER} is for a header, and {printable(model)} is none")
    if model.endswith(SUFFIXES):
        return model, Compiled(Path(model), trusted=trusted)
    if model.endswith(stored_model.SUFFIX):
        return recorded_model.load_by_path(Path(model))
    if model.partition("/")[0] in DETECTORS:
        kind, preset = detector_of(model)
        return model, kind.build(kind.presets[preset])
    try:
        return model, loaded_model.load_named(model, models, recorded_model.digest_of_run)
    except UnknownModelError:
        if model != shipped.named_in().model:
            raise
        return model, shipped.load()[1]


def _judgements_on(
    x: SubflowSignals, y: SubflowSignals, judge: DelayJudge, names: tuple[str, str]
) -> Sequence[Judgement | TimedJudgement]:
    if isinstance(judge, CommonLag):
        return list(timed_judgements(x, y, judge.rule, names))
    return list(judgements(x, y, judge.criterion))


def _of_delays(
    name: str, connection_id: str, connection: Connection, judge: DelayJudge, model: str, params: Params
) -> Iterator[SaidOnce]:
    """Yield the opinions of a rule of delays on each pair: each holds until the next one, the last one to the end."""
    is_default = isinstance(judge, CommonLag)
    reason_before = reason_before_block if is_default else reason_before_judgement
    rule = judged_rtts.RULE if is_default else judged_rtts.LAG_EXCESS_RULE
    found = judged_rtts.judged(connection, params.extract.reading)
    start_ns, end_ns = connection.span_ns()
    for a, b in pairs_of(found):
        x, y = found[a].signals, found[b].signals
        refused = rule.refused(found[a], found[b])
        said = [] if refused else _judgements_on(x, y, judge, (f"subflow {a}", f"subflow {b}"))
        early = refused or reason_before(x, y)
        from_ns = [start_ns, *(one.decided_ns for one in said)]
        for number, (time_ns, until_ns) in enumerate(itertools.pairwise([*from_ns, end_ns])):
            one = said[number - 1] if number else None
            score_q10 = None if one is None else one.score_q10
            yield SaidOnce(
                input=name,
                connection_id=connection_id,
                subflow_a=a,
                subflow_b=b,
                window_start_s=_seconds(time_ns),
                window_s=_seconds(until_ns - time_ns),
                shared=None if one is None else one.shared,
                score=None if score_q10 is None else round(score_q10 / ONE_Q10, SCORE_DIGITS),
                model=model,
                reason=early if one is None else one.reason,
                wrong_share=one.wrong_share if isinstance(one, TimedJudgement) else None,
            )


def _of_replay(
    name: str, connection_id: str, connection: Connection, judge: Detector, model: str
) -> Iterator[SaidOnce]:
    """Yield the opinions of a baseline detector on each pair: each holds until the next change."""
    subflow_ids = sorted(connection.subflows)
    start_ns, end_ns = connection.span_ns()
    said = replayed(judge, subflow_ids, events_of(*connection_pairs.rows(connection), judge.kinds), end_ns)
    for a, b in pairs_of(subflow_ids):
        changes = OnPair.of(said, subflow_ids.index(a), subflow_ids.index(b)).changes(start_ns, end_ns)
        until_ns = [*(time_ns for time_ns, _ in changes[1:]), end_ns]
        for (time_ns, shared), to_ns in zip(changes, until_ns, strict=True):
            if time_ns == to_ns:
                continue  # an opinion that the end cuts off
            yield SaidOnce(
                input=name,
                connection_id=connection_id,
                subflow_a=a,
                subflow_b=b,
                window_start_s=_seconds(time_ns),
                window_s=_seconds(to_ns - time_ns),
                shared=shared,
                score=None,
                model=model,
                reason=NO_OPINION if shared is None else None,
            )


def _of_compiled(
    name: str, connection_id: str, connection: Connection, judge: Compiled, model: str, params: Params
) -> Iterator[SaidOnce]:
    """Yield the verdicts of an exported model on each pair; the pipeline adds why there is no verdict."""
    decisions: dict[tuple[int, int], list[Decision]] = defaultdict(list)
    for decision in judge.decisions(connection):
        decisions[decision.subflow_a, decision.subflow_b].append(decision)
    found = connection_pairs.signals(connection, params.extract.reading)
    _, end_ns = connection.span_ns()
    for a, b in pairs_of(found):
        said: list[Decision | Rejected] = [*decisions[a, b]]
        said += [one for one in tiled(found[a], found[b], end_ns) if isinstance(one, Rejected)]
        for one in sorted(said, key=lambda one: -1 if one.start_ns is None else one.start_ns):
            yield SaidOnce(
                input=name,
                connection_id=connection_id,
                subflow_a=a,
                subflow_b=b,
                window_start_s=_seconds(one.start_ns),
                window_s=_seconds(one.window_ns),
                shared=one.shared if isinstance(one, Decision) else None,
                score=None,
                model=model,
                reason=one.reason if isinstance(one, Rejected) else None,
            )


def opinions(recorded: Recording, judge: Judge, model: str, params: Params) -> Iterator[SaidOnce]:
    """Yield a detector's opinions on every pair of subflows of an input; every connection has at least one opinion.

    Parameters
    ----------
    recorded : Recording
    judge : Judge
    model : str
        Its name.
    params : Params
        Windows lie and are read as there.
    """
    for connection_id, connection in recorded.connections():
        yield from opinions_on(str(recorded.path), connection_id, connection, judge, model, params)


def opinions_on(
    name: str, connection_id: str, connection: Connection, judge: Judge, model: str, params: Params
) -> Iterator[SaidOnce]:
    """Yield a detector's opinions on every pair of subflows of a connection, at least one.

    Parameters
    ----------
    name : str
        Of the input.
    connection_id : str
    connection : Connection
    judge : Judge
    model : str
        Its name.
    params : Params
        Windows lie and are read as there.
    """
    if len(connection.subflows) <= 1:
        yield unjudged(name, model, FEWER_THAN_TWO, connection_id, next(iter(connection.subflows)))
    elif isinstance(judge, DelayJudge):
        yield from _of_delays(name, connection_id, connection, judge, model, params)
    elif isinstance(judge, Detector):
        yield from _of_replay(name, connection_id, connection, judge, model)
    elif isinstance(judge, Compiled):
        yield from _of_compiled(name, connection_id, connection, judge, model, params)
    else:
        for pair in connection_pairs.pairs(connection, params.search.rule, params.extract.reading):
            yield from _of_pair(name, connection_id, pair, judge, model)


def unjudged(
    name: str, model: str, reason: str, connection_id: str | None = None, subflow: int | None = None
) -> SaidOnce:
    """Return the reason why there is no opinion on an input, or on one of its connections.

    Parameters
    ----------
    name : str
        Of the input.
    model : str
        What was asked.
    reason : str
    connection_id : str, optional
    subflow : int, optional
        The connection's only one.
    """
    return SaidOnce(name, connection_id, subflow, None, None, None, None, None, model, reason)
