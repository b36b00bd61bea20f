"""Say of each pair of subflows in some inputs whether they share a bottleneck, on how many seconds, and why not.

The default, lag-excess, judges again and again by what it has seen so far: its last verdict counts. Of a model's
windows what it says for longer counts, and so it does of a baseline detector, whose window is the time from one change
of its opinion to the next. With -v, each window too: SB is a verdict for a shared bottleneck, NSB against it; a window
without a verdict says why.
"""

from __future__ import annotations

import argparse
import itertools
import json
import logging
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from export import default_detector, shipped
from export.compiled_header import SUFFIXES, Compiled
from export.replay import Decision
from features import connection_pairs
from features.connection_pairs import Pair
from features.fixed import ONE_Q10
from features.lag_excess.lattice import TOO_SHORT, lattice_of
from features.window import NEVER_CONGESTED, NO_STATES, Rejected, Window, tiled
from models import window_model
from models.detectors import DETECTORS, Detector, detector_of, replayed
from models.detectors.event import events_of
from models.detectors.lag_excess import LagExcess, judgements
from models.detectors.scoring import OnPair
from models.partition import pairs_of
from models.verdict import SCORE_DIGITS
from pipelines.params import Params
from pipelines.running import stage
from traces import recording
from traces.connection import Connection
from traces.fault import UsageFault, printable
from traces.quarantine import CaptureError, by_reason
from traces.recording import Recording

if TYPE_CHECKING:
    from pipelines.reporting.figures.verdict import JudgedPair

log = logging.getLogger(__name__)

FEWER_THAN_TWO = "fewer than two subflows"
NO_CONNECTION = "no connection"
NO_OPINION = "the detector has no opinion"
PART = "its subflows are of a connection that another input begins"
_NS_PER_S = 1e9
#: Why windows of healthy but short or idle connections have no place, and what to do.
_NEVER_CONGESTED = {NEVER_CONGESTED, NO_STATES}
_NO_VERDICT = (
    "no verdict at all: a model judges windows from when both subflows have been in Recovery or Loss;"
    " record at the sender, for longer, or try --model correlation, which needs RTTs alone"
)
_SCORE = "{:.2f}"
#: Pairs in one figure.
_MOST_DRAWN = 8
#: What judges: a stored model, window by window; a baseline detector, event by event; or an exported model, in C.
Judge = window_model.WindowModel | Detector | Compiled
#: Verdicts in words.
_IN_WORDS = {"SB": "shared", "NSB": "not shared"}


class PlotError(UsageFault):
    """What cannot be drawn."""


@dataclass(frozen=True)
class SaidOnce:
    """What is said of one window of a pair; `reason` where there is no verdict, else None."""

    input: str
    connection_id: str | None
    subflow_a: int | None
    subflow_b: int | None
    window_start_s: float | None
    window_s: float | None
    shared: bool | None
    score: float | None
    model: str
    reason: str | None

    @property
    def verdict(self) -> str:
        """SB, NSB or none."""
        return "none" if self.shared is None else "SB" if self.shared else "NSB"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("inputs", metavar="INPUT", type=Path, nargs="+", help=recording.INPUTS)
    parser.add_argument(
        "--model",
        metavar="NAME",
        help="what judges, in place of the default: stored model, for instance sites/tree_paper;"
        f" baseline detector, for instance rfc8382 or rfc8382/owd ({', '.join(DETECTORS)}); or exported header or model"
        f" file, a path that ends with {' or '.join(SUFFIXES)}",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line in place of a table")
    parser.add_argument(
        "--plot",
        metavar="FILE.png",
        type=Path,
        help="draw each pair's delays, and how they agree at possible and impossible lags; by lag-excess alone",
    )
    parser.add_argument(
        "--models", type=Path, default=Path("data/trained"), help="folder of stored models (default: %(default)s)"
    )


def _seconds(nanoseconds: int | None) -> float | None:
    return None if nanoseconds is None else nanoseconds / _NS_PER_S


def _of_pair(name: str, connection_id: str, pair: Pair, judge: window_model.WindowModel, model: str) -> list[SaidOnce]:
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


def judge_of(models: Path, model: str) -> Judge:
    """Return a stored model or a baseline detector by name, or an exported one by path.

    The model that stands in git is found by its name too, where none of that name is stored.

    Raises
    ------
    UnknownModelError
        If there is none of that name.
    UnknownDetectorError
        If the detector has no parameter set of that name.
    NoHeaderError
        If there is no such header or model file.
    """
    if model.endswith(SUFFIXES):
        return Compiled(Path(model))
    if model.partition("/")[0] in DETECTORS:
        kind, preset = detector_of(model)
        return kind.build(kind.presets[preset])
    try:
        return window_model.load(models, model)
    except window_model.UnknownModelError:
        if model != shipped.named_in().model:
            raise
        return shipped.load()[1]


def _of_lag_excess(
    name: str, connection_id: str, connection: Connection, judge: LagExcess, model: str, params: Params
) -> Iterator[SaidOnce]:
    """Yield what the lag excess says of each pair, from one judgement to the next, the last one to the end."""
    found = connection_pairs.signals(connection, params.extract.reading)
    start_ns, end_ns = connection.span_ns()
    for a, b in pairs_of(found):
        said = list(judgements(found[a], found[b], judge.rule))
        lattice = lattice_of(found[a], found[b])
        early = lattice if isinstance(lattice, str) else TOO_SHORT
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
            )


def _of_replay(
    name: str, connection_id: str, connection: Connection, judge: Detector, model: str
) -> Iterator[SaidOnce]:
    """Yield what a baseline detector says of each pair, from one change of opinion to the next."""
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
    """Yield what an exported model says of each pair; why there is no verdict, the pipeline says."""
    decisions = judge.decisions(connection)
    found = connection_pairs.signals(connection, params.extract.reading)
    _, end_ns = connection.span_ns()
    for a, b in pairs_of(found):
        said: list[Decision | Rejected] = [one for one in decisions if (one.subflow_a, one.subflow_b) == (a, b)]
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
    """Yield what a detector says of every pair of subflows of an input; at least one a connection.

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
    """Yield what a detector says of every pair of subflows of a connection; at least one opinion.

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
        yield _nothing(name, model, FEWER_THAN_TWO, connection_id, next(iter(connection.subflows)))
    elif isinstance(judge, LagExcess):
        yield from _of_lag_excess(name, connection_id, connection, judge, model, params)
    elif isinstance(judge, Detector):
        yield from _of_replay(name, connection_id, connection, judge, model)
    elif isinstance(judge, Compiled):
        yield from _of_compiled(name, connection_id, connection, judge, model, params)
    else:
        for pair in connection_pairs.pairs(connection, params.search.rule, params.extract.reading):
            yield from _of_pair(name, connection_id, pair, judge, model)


def _nothing(
    name: str, model: str, reason: str, connection_id: str | None = None, subflow: int | None = None
) -> SaidOnce:
    return SaidOnce(name, connection_id, subflow, None, None, None, None, None, model, reason)


def _said(recorded: Recording, judge: Judge, model: str, params: Params) -> list[SaidOnce]:
    """Return the opinions on an input; where it has no connection, why."""
    trace = recorded.trace
    if trace.refusals:
        name = printable(str(recorded.path))
        log.warning("%s: refused %s of %d records", name, by_reason(trace.refusals), trace.records_in)
    said = list(opinions(recorded, judge, model, params))
    return said or [_nothing(str(recorded.path), model, PART if recorded.is_part() else NO_CONNECTION)]


def _line(one: SaidOnce) -> str:
    subflows = "-" if one.subflow_b is None else f"{one.subflow_a}, {one.subflow_b}"
    place = "" if one.window_start_s is None else f"{one.window_start_s:.3f} + {one.window_s:.3f} s"
    score = "" if one.score is None else _SCORE.format(one.score)
    return f"  {subflows:<8}  {place:<32}  {one.verdict:<4}  {score:>4}  {one.reason or ''}".rstrip()


def in_words(said: Sequence[SaidOnce]) -> str:
    """Return what the opinions on one pair come to: the verdict that was given for longer, or why there is none.

    Examples
    --------
    >>> def said(shared, window_s, reason=None):
    ...     return SaidOnce("a.log", "a#0", 0, 1, 0.0, window_s, shared, None, "m", reason)
    >>> in_words([said(True, 4.0), said(True, 4.0), said(False, 4.0), said(None, 4.0, "too few RTTs")])
    'shared, on 8.0 s of 12.0 s; 1 window without a verdict (too few RTTs)'
    >>> in_words([said(True, 4.0), said(False, 4.0)])
    'no verdict: as long shared as not, 4.0 s each'
    >>> in_words([said(None, None, "a subflow was never congested")])
    'no verdict: a subflow was never congested'
    """
    seconds = dict.fromkeys(_IN_WORDS, 0.0)
    for one in said:
        if one.shared is not None:
            seconds[one.verdict] += one.window_s or 0.0
    reasons = Counter(one.reason for one in said if one.shared is None)
    why = ", ".join(f"{reason}" for reason, _ in reasons.most_common())
    judged_s = sum(seconds.values())
    if not judged_s:
        return f"no verdict: {why}"
    if seconds["SB"] == seconds["NSB"]:
        words = f"no verdict: as long shared as not, {seconds['SB']:.1f} s each"
    else:
        verdict = max(seconds, key=lambda name: seconds[name])
        words = f"{_IN_WORDS[verdict]}, on {seconds[verdict]:.1f} s of {judged_s:.1f} s"
    count = reasons.total()
    return f"{words}; {count} window{'s' * (count > 1)} without a verdict ({why})" if count else words


def last_in_words(said: Sequence[SaidOnce]) -> str:
    """Return what the opinions on one pair come to where evidence adds up: the last one, and since when.

    Examples
    --------
    >>> def said(start_s, window_s, shared, reason=None, score=2.0):
    ...     return SaidOnce("a.log", "a#0", 0, 1, start_s, window_s, shared, score, "lag-excess", reason)
    >>> first = said(10.0, 2.0, None, "fewer than 30 round trips were seen of both subflows", None)
    >>> last_in_words([first, said(12.0, 2.0, True), said(14.0, 4.0, True, score=3.5)])
    'shared, from 2.0 s on, to the end at 8.0 s; score 3.50'
    >>> last_in_words([first, said(12.0, 2.0, True), said(14.0, 4.0, False, score=1.25)])
    'not shared, from 4.0 s on, to the end at 8.0 s; score 1.25; before that 2.0 s shared'
    >>> last_in_words([first])
    'no verdict: fewer than 30 round trips were seen of both subflows'
    """
    *_, last = said
    lasting = list(itertools.takewhile(lambda one: one.shared is last.shared, reversed(said)))
    before = said[: len(said) - len(lasting)]
    past = ""
    for verdict, words in _IN_WORDS.items():
        before_s = sum(one.window_s or 0.0 for one in before if one.verdict == verdict)
        if before_s:
            past += f"{' and' if past else '; before that'} {before_s:.1f} s {words}"
    if last.shared is None:
        return f"no verdict: {last.reason}{past}"
    start_s = said[0].window_start_s or 0.0
    since_s = (lasting[-1].window_start_s or 0.0) - start_s
    end_s = (last.window_start_s or 0.0) + (last.window_s or 0.0) - start_s
    return (
        f"{_IN_WORDS[last.verdict]}, from {since_s:.1f} s on, to the end at {end_s:.1f} s;"
        f" score {_SCORE.format(last.score)}{past}"
    )


def _show_connection(said: list[SaidOnce], words: Callable[[Sequence[SaidOnce]], str], *, with_windows: bool) -> None:
    """Print the opinions on one connection: a line for each pair, and its windows if they are wanted."""
    first = said[0]
    print(f"{printable(first.input)}: {printable(first.connection_id or 'no connection')}, by {first.model}")
    by_pair: dict[tuple[int | None, int | None], list[SaidOnce]] = {}
    for one in said:
        by_pair.setdefault((one.subflow_a, one.subflow_b), []).append(one)
    for (a, b), own in by_pair.items():
        print(f"  {f'subflows {a} and {b}: ' if b is not None else ''}{words(own)}")
    if with_windows:
        print(f"  {'subflows':<8}  {'window: start + length':<32}  {'':<4}  score")
        for one in said:
            print(_line(one))


def _show(said: list[SaidOnce], words: Callable[[Sequence[SaidOnce]], str], *, with_windows: bool) -> None:
    """Print the opinions on an input, connection by connection."""
    by_connection: dict[str | None, list[SaidOnce]] = {}
    for one in said:
        by_connection.setdefault(one.connection_id, []).append(one)
    for own in by_connection.values():
        _show_connection(own, words, with_windows=with_windows)


def _to_draw(recorded: Recording, judge: LagExcess, params: Params, most: int) -> Iterator[JudgedPair]:
    """Yield the first so many pairs of an input."""
    from pipelines.reporting.figures import verdict

    pairs = verdict.pairs_of_input(recorded, judge.rule, params.extract.reading)
    yield from itertools.islice(pairs, most)
    if next(pairs, None) is not None:
        log.warning("%s: no more than %d pairs are drawn", printable(str(recorded.path)), _MOST_DRAWN)


def _draw(pairs: Sequence[JudgedPair], path: Path) -> None:
    from pipelines.reporting.figures import style, verdict

    if not pairs:
        raise PlotError(f"{path}: there is no pair of subflows with RTTs to draw")
    style.save(verdict.verdicts(pairs), path)
    log.info("%s shows %d pairs", path, len(pairs))


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    judge: Judge
    if arguments.model:
        model, judge = arguments.model, judge_of(arguments.models, arguments.model)
    else:
        named, judge = default_detector.load()
        model = named.detector
    if arguments.plot and not (isinstance(judge, LagExcess) and arguments.plot.suffix == ".png"):
        raise PlotError("--plot FILE.png draws what lag-excess says, as PNG")
    drawn: list[JudgedPair] = []
    words = last_in_words if isinstance(judge, LagExcess) else in_words
    code = stage.EXIT_OK
    reasons: set[str | None] = set()
    for recorded in recording.read_all(arguments.inputs, params.parse.dialect()):
        if isinstance(recorded, CaptureError):
            log.error("%s", recorded)
            code = stage.EXIT_BAD_INPUT
            why = recorded.why.removeprefix("cannot be read: ")
            said = [_nothing(str(recorded.path), model, f"cannot be read: {why}")]
        else:
            said = _said(recorded, judge, model, params)
            if arguments.plot and isinstance(judge, LagExcess):
                drawn += _to_draw(recorded, judge, params, _MOST_DRAWN - len(drawn))
        reasons |= {one.reason for one in said}
        if arguments.json:
            for one in said:
                print(json.dumps(asdict(one)))
        else:
            _show(said, words, with_windows=arguments.verbose > 0)
    if None not in reasons and reasons & _NEVER_CONGESTED:
        log.info("%s", _NO_VERDICT)
    # Where nothing could be read, that has been said.
    if arguments.plot and (drawn or code == stage.EXIT_OK):
        _draw(drawn, arguments.plot)
    return code


if __name__ == "__main__":
    sys.exit(stage.main("detect", __doc__ or "", add_arguments, run))
