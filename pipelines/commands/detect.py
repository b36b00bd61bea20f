"""Say for each pair of subflows whether they share a bottleneck, for how many seconds, or why there is no verdict.

The default, common-lag, judges repeatedly by what it has seen so far, and its last verdict counts, as that of
lag-excess does; it says how many of such verdicts are wrong, or why there is none. For a model, the
verdict that holds for longer counts. The same goes for a baseline detector, whose windows are the times between changes
of its opinion. With -v, every window is shown: SB means shared, NSB not shared; a window without a verdict gives the
reason.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import logging
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from smartsbd.contracts.fault import Fault, UsageFault, printable
from smartsbd.detectors import DETECTORS
from smartsbd.detectors.delay_judge import DelayJudge
from smartsbd.detectors.pair_opinion import Judge
from smartsbd.detectors.verdict import default_detector
from smartsbd.detectors.verdict.common_lag import CommonLagRule
from smartsbd.detectors.verdict.common_lag_judge import CommonLagJudge
from smartsbd.export.compiled_header import HEADER, MODEL_FILE, SUFFIXES, TRUST_HEADER, NoHeaderError
from smartsbd.features.input_evidence import InputEvidence
from smartsbd.features.window import NEVER_CONGESTED, NO_STATES
from smartsbd.models.stored.stored_model import SUFFIX
from smartsbd.pipelines.front import inputs
from smartsbd.pipelines.judging import growing_log, no_connection
from smartsbd.pipelines.judging.judge import (
    FEWER_THAN_TWO,
    PART,
    judge_of,
    opinions_on,
    unjudged,
)
from smartsbd.pipelines.judging.live import Live
from smartsbd.pipelines.judging.live_shown import LiveShown
from smartsbd.pipelines.judging.opinion import SCORE_FORMAT, InputOpinion, in_words, last_in_words
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.running.written_path import written_file
from smartsbd.traces import recording
from smartsbd.traces.connection import Connection
from smartsbd.traces.formats import capture, socket_stats
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.recorded import SEEN_TWICE, seen_twice
from smartsbd.traces.recording import Recording

if TYPE_CHECKING:
    from smartsbd.pipelines.reporting.figures.pair_delays import PairDelays

log = logging.getLogger(__name__)

#: Why a healthy but short or idle connection has no window, and what to do.
_NEVER_CONGESTED = {NEVER_CONGESTED, NO_STATES}
_NO_VERDICT = (
    "no verdict at all: a model judges windows from when both subflows have been in Recovery or Loss;"
    " record at the sender, for longer, or try --model correlation, which needs RTTs alone"
)
_ONE_PATH = (
    "a connection of one path has no pair to judge: give the inputs of all its paths to one command, with --together"
    " where they do not say that they belong together"
)
_PAIR = 2
#: Between a connection's name and the numbers of its subflows, in the title of a pair.
_SUBFLOWS = ": subflows "
# Of what these hold and no table has, some may be the other path.
_WITH_OTHERS = frozenset({capture.SOURCE, socket_stats.SOURCE})
#: Pairs in one figure.
_MOST_DRAWN = 8


class PlotError(UsageFault):
    """A figure that cannot be drawn."""


class NoPlottingError(Fault):
    """What draws is not installed."""


class LiveError(UsageFault):
    """A live judgement that is not offered."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("inputs", metavar="INPUT", type=Path, nargs="+", help=recording.INPUTS)
    parser.add_argument(
        "--model",
        metavar="NAME",
        help="what judges in place of the default: a stored model such as sites/tree_paper, if it is the file that the"
        f" run recorded; any other stored model, a path that ends with {SUFFIX};"
        f" a baseline detector such as rfc8382 or rfc8382/owd ({', '.join(DETECTORS)});"
        f" or an exported header or model file, a path that ends with {' or '.join(SUFFIXES)}",
    )
    parser.add_argument(
        TRUST_HEADER,
        action="store_true",
        help=f"run the header that --model names ({HEADER}), whoever wrote it: it is compiled, with the smartsbd.h"
        " beside it or else with ours, and may do all that you may. Without this, only headers that came with this"
        f" program run, always with our smartsbd.h. Models of others come in as {MODEL_FILE} files, which are data",
    )
    inputs.add_reading(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object for each verdict in place of a table")
    parser.add_argument(
        "--live",
        action="store_true",
        help="read event lines as they come, from a file that grows or from - (standard input), and say what is said of"
        " each pair whenever it changes (common-lag and lag-excess)",
    )
    parser.add_argument(
        "--plot",
        metavar="FILE.png",
        type=written_file,
        help="draw each pair's delays, and the score over time (common-lag) or the agreement at possible and impossible"
        " lags (lag-excess)",
    )
    parser.add_argument(
        "--models", type=Path, default=Path("data/trained"), help="folder of stored models (default: %(default)s)"
    )


@dataclass(frozen=True)
class _Judged:
    """The opinions on a connection, and what is said beside them.

    Attributes
    ----------
    opinions : list of InputOpinion
    names : mapping of int to str
        Of its subflows.
    evidence : InputEvidence or None
        What the verdict rests on, where that has limits.
    left_out : sequence of str
        Sentences about flows of plain TCP that are no path.
    is_logged : bool
        That there is no connection, and why, has been said.
    """

    opinions: list[InputOpinion]
    names: Mapping[int, str] = field(default_factory=dict)
    evidence: InputEvidence | None = None
    left_out: Sequence[str] = ()
    is_logged: bool = False

    def named(self, subflow: int) -> str:
        """Return the number of a subflow, and its name if it has one."""
        return f"{subflow} ({self.names[subflow]})" if subflow in self.names else f"{subflow}"


def _evidence(connection: Connection, judge: Judge) -> InputEvidence | None:
    """Return what a verdict by RTTs rests on, None where it has no limits."""
    if not isinstance(judge, DelayJudge) or len(connection.subflows) < _PAIR:
        return None
    evidence = InputEvidence.of(connection)
    return evidence if evidence.limits() else None


def _judged(recorded: Recording, judge: Judge, model: str) -> Iterator[_Judged]:
    """Yield the opinions on each connection of an input, or the reason if it has none."""
    trace = recorded.trace
    refused = trace.refused()
    nothing = no_connection.why(recorded)
    if nothing:
        log.error("%s: %s", recorded.path, nothing)
    elif refused:
        log.warning("%s: refused %s of %d records", recorded.path, refused, trace.records_in)
    if trace.unused[SEEN_TWICE]:
        log.warning("%s: %s", recorded.path, seen_twice(trace.unused[SEEN_TWICE]))
    judged: _Judged | None = None
    for connection_id, connection in recorded.connections():
        names = {subflow.subflow_id: subflow.name for subflow in connection.ordered() if subflow.name}
        opinions = list(opinions_on(str(recorded.path), connection_id, connection, judge, model))
        judged = _Judged(opinions, names, _evidence(connection, judge), trace.left_out)
        yield judged
    if judged is None:
        yield _Judged([unjudged(str(recorded.path), model, nothing or PART)], is_logged=bool(nothing))


def _line(opinion: InputOpinion) -> str:
    subflows = "-" if opinion.subflow_b is None else f"{opinion.subflow_a}, {opinion.subflow_b}"
    place = "" if opinion.window_start_s is None else f"{opinion.window_start_s:.3f} + {opinion.window_s:.3f} s"
    score = "" if opinion.score is None else SCORE_FORMAT.format(opinion.score)
    return f"  {subflows:<8}  {place:<32}  {opinion.verdict:<4}  {score:>4}  {opinion.reason or ''}".rstrip()


def _show_connection(judged: _Judged, words: Callable[[Sequence[InputOpinion]], str], *, with_windows: bool) -> None:
    """Print the opinions on one connection: one line for each pair, limits, and the windows if they are wanted."""
    opinions, (first, *_) = judged.opinions, judged.opinions
    if first.reason == PART and first.connection_id is None:
        stage.say(f"{first.input}: {PART}")
        return
    stage.say(f"{first.input}: {first.connection_id or no_connection.NO_CONNECTION}, by {first.model}")
    by_pair: dict[tuple[int | None, int | None], list[InputOpinion]] = {}
    for opinion in opinions:
        by_pair.setdefault((opinion.subflow_a, opinion.subflow_b), []).append(opinion)
    for (a, b), of_pair in by_pair.items():
        pair = " and ".join(judged.named(subflow) for subflow in (a, b) if subflow is not None)
        stage.say(f"  {f'subflows {pair}: ' if b is not None else ''}{words(of_pair)}")
    if judged.evidence is not None:
        stage.say(*(f"  - {limit}" for limit in judged.evidence.limits()))
    stage.say(*(f"  - {sentence}" for sentence in judged.left_out))
    if with_windows:
        stage.say(f"  {'subflows':<8}  {'window: start + length':<32}  {'':<4}  score")
        for opinion in opinions:
            stage.say(_line(opinion))


def _show(
    connections: Iterable[_Judged], words: Callable[[Sequence[InputOpinion]], str], *, as_json: bool, with_windows: bool
) -> set[str | None]:
    """Print the opinions on an input, connection by connection; return why there is no verdict."""
    reasons: set[str | None] = set()
    for judged in connections:
        reasons |= {opinion.reason for opinion in judged.opinions}
        if as_json:
            further: dict[str, Any] = {} if judged.evidence is None else {"evidence": judged.evidence.as_json()}
            further |= {"left_out": judged.left_out} if judged.left_out else {}
            stage.say(*(json.dumps(asdict(opinion) | further) for opinion in judged.opinions))
        elif not judged.is_logged:
            _show_connection(judged, words, with_windows=with_windows)
    return reasons


def _left_out(recorded: Recording) -> Iterator[str]:
    """Yield what was not taken of an input without a verdict, of which a connection was: it may be the other path."""
    trace = recorded.trace
    if trace.connections:
        unused = trace.unused.most_common() if recorded.source in _WITH_OTHERS else []
        yield from (f"  - In no table: {what} {count:,}." for what, count in unused if what != SEEN_TWICE)
        yield from (f"  - Refused: {what} {count:,}." for what, count in trace.refused().items())


def _named(pair: PairDelays, recorded: Recording) -> PairDelays:
    """Return a pair whose subflows have the names that the input has, beside their numbers."""
    title, names = pair.title, list(pair.names)
    connection = next(
        connection
        for connection_id, connection in recorded.connections()
        if title.rpartition(_SUBFLOWS)[0] == printable(connection_id)
    )
    for subflow in connection.ordered():
        if subflow.name and (plain := f"subflow {subflow.subflow_id}") in names:
            names[names.index(plain)] = f"{plain} ({printable(subflow.name)})"
    numbers = " and ".join(name.removeprefix("subflow ") for name in names)
    return replace(pair, title=f"{title.rpartition(_SUBFLOWS)[0]}{_SUBFLOWS}{numbers}", names=(names[0], names[1]))


def _to_draw(recorded: Recording, judge: DelayJudge, most: int) -> Iterator[PairDelays]:
    """Yield the first pairs of an input, `most` of them."""
    from smartsbd.pipelines.reporting.figures.pair_delays import pairs_of_input

    pairs = (_named(pair, recorded) for pair in pairs_of_input(recorded, judge.reading, judge.judged_by))
    yield from itertools.islice(pairs, most)
    if next(pairs, None) is not None:
        log.warning("%s: no more than %d pairs are drawn", recorded.path, _MOST_DRAWN)


def _draw(pairs: Sequence[PairDelays], judge: DelayJudge, path: Path) -> None:
    from smartsbd.pipelines.reporting.figures import lag_excess_verdict, style, verdict

    if not pairs:
        raise PlotError(f"{path}: there is no pair of subflows with RTTs to draw")
    if isinstance(judge.rule, CommonLagRule):
        figure = verdict.verdicts([verdict.scored_pair(pair, judge.rule) for pair in pairs])
    else:
        figure = lag_excess_verdict.verdicts([lag_excess_verdict.judged_pair(pair, judge.rule) for pair in pairs])
    style.save(figure, path)
    log.info("%s shows %d pairs", path, len(pairs))


def _asked(arguments: argparse.Namespace, params: Params) -> tuple[str, Judge]:
    """Return what judges, and its name."""
    if arguments.model:
        return judge_of(arguments.models, arguments.model, params, trusted=arguments.trust_header)
    if arguments.trust_header:
        raise NoHeaderError(f"{TRUST_HEADER} is for a header: name it with --model")
    named, judge = default_detector.load()
    return named.detector, CommonLagJudge(judge.rule, params.extract.reading)


def _run_live(arguments: argparse.Namespace, model: str, judge: Judge) -> int:
    if not isinstance(judge, DelayJudge) or len(arguments.inputs) != 1 or arguments.plot or arguments.together:
        raise LiveError("--live takes one INPUT, and judges by common-lag or lag-excess, without --plot and --together")
    shown = LiveShown(model, as_json=arguments.json, every=arguments.verbose > 0)
    live = Live(judge.rule)
    handled = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for line in growing_log.lines(arguments.inputs[0]):
            sample = growing_log.sample_of(line, live.counts)
            if sample is not None:
                for pair, judgement in live.take(*sample):
                    shown.show(sample.token, pair, judgement)
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, handled)
    for token, pair, judgement in live.finish():
        shown.show(token, pair, judgement)
    log.info("%d samples%s", live.samples, "".join(f"; {why}: {n}" for why, n in sorted(live.counts.items())))
    return stage.EXIT_OK


def _inputs(arguments: argparse.Namespace, params: Params) -> Iterator[Recording | UnreadableInputError]:
    dialect = replace(params.parse.dialect(), rtt_unit=arguments.unit)
    return inputs.read(arguments.inputs, dialect, params.parse.bounds(), together=arguments.together)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    model, judge = _asked(arguments, params)
    if arguments.live:
        return _run_live(arguments, model, judge)
    drawn_by = judge if isinstance(judge, DelayJudge) else None
    if arguments.plot and (drawn_by is None or arguments.plot.suffix != ".png"):
        raise PlotError("--plot FILE.png draws what common-lag or lag-excess says, as PNG")
    if arguments.plot and importlib.util.find_spec("matplotlib") is None:
        raise NoPlottingError(
            "--plot draws with matplotlib: pip install 'smartsbd[plot]' adds it; in a checkout, `make core GROUPS=plot`"
        )
    pairs_to_draw: list[PairDelays] = []
    words = in_words if drawn_by is None else last_in_words
    code = stage.EXIT_OK
    reasons: set[str | None] = set()
    for recorded in _inputs(arguments, params):
        if isinstance(recorded, UnreadableInputError):
            log.error("%s", recorded)
            code = stage.EXIT_BAD_INPUT
            why = recorded.why.removeprefix("cannot be read: ")
            judged = iter([_Judged([unjudged(str(recorded.path), model, f"cannot be read: {why}")], is_logged=True)])
        else:
            judged = _judged(recorded, judge, model)
            code = stage.EXIT_BAD_INPUT if no_connection.why(recorded) else code
        of_input = _show(judged, words, as_json=arguments.json, with_windows=arguments.verbose > 0)
        reasons |= of_input
        if isinstance(recorded, Recording) and None not in of_input and not arguments.json:
            stage.say(*_left_out(recorded))
        if arguments.plot and drawn_by is not None and isinstance(recorded, Recording):
            pairs_to_draw += _to_draw(recorded, drawn_by, _MOST_DRAWN - len(pairs_to_draw))
    if None not in reasons and reasons & _NEVER_CONGESTED:
        log.info("%s", _NO_VERDICT)
    if None not in reasons and FEWER_THAN_TWO in reasons:
        log.info("%s", _ONE_PATH)
    # If nothing could be read, an error has been logged already.
    if arguments.plot and drawn_by is not None and (pairs_to_draw or code == stage.EXIT_OK):
        _draw(pairs_to_draw, drawn_by, arguments.plot)
    return code
