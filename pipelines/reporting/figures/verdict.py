"""A figure of a verdict of the common lag: a pair's delays, and what they say for a shared bottleneck over time."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from smartsbd.detectors.verdict.common_lag import CommonLagRule, band_q10
from smartsbd.detectors.verdict.timed_judgements import TimedJudgement, reason_before_block, timed_judgements
from smartsbd.features.fixed import ONE_Q10
from smartsbd.pipelines.reporting.figures import style
from smartsbd.pipelines.reporting.figures.pair_delays import PairDelays, draw_delays, draw_nothing

_ROW_INCHES = 2.6
_WORDS = {True: "shared", False: "not shared", None: "no verdict"}
_COLOUR = {True: style.ORANGE, False: style.BLUE, None: style.GREY}
_LEGEND = (
    "Right: the score, the logarithm of the odds that the two share, at every judgement. Above the grey band they are"
    " said to share, below it not to;\nwithin it the last verdict holds. Orange: shared. Blue: not shared. Grey: no"
    " verdict."
)


@dataclass(frozen=True)
class ScoredPair:
    """A pair of subflows, and the judgements on it.

    Attributes
    ----------
    delays : PairDelays
    judgements : tuple of TimedJudgement
    reason : str or None
        Why there is no verdict in the end.
    """

    delays: PairDelays
    judgements: tuple[TimedJudgement, ...]
    reason: str | None


def scored_pair(delays: PairDelays, rule: CommonLagRule) -> ScoredPair:
    """Return a pair with samples of both, and the judgements on it.

    Parameters
    ----------
    delays : PairDelays
    rule : CommonLagRule

    Returns
    -------
    ScoredPair
    """
    judgements = () if delays.refused else tuple(timed_judgements(delays.x, delays.y, rule, delays.names))
    early = delays.refused or reason_before_block(delays.x, delays.y)
    return ScoredPair(delays, judgements, judgements[-1].reason if judgements else early)


def _draw_score(axes: Axes, scored: ScoredPair) -> None:
    """Draw the score at every judgement, and the band around zero."""
    times_s = [scored.delays.seconds(timed.decided_ns) for timed in scored.judgements]
    scores = [timed.judgement.score_q10 / ONE_Q10 for timed in scored.judgements]
    bands = [band_q10(timed.judgement.age) / ONE_Q10 for timed in scored.judgements]
    axes.fill_between(times_s, [-band for band in bands], bands, step="post", color=style.GREY, alpha=0.35, lw=0)
    axes.axhline(0, lw=0.5, color=style.GREY)
    for (from_s, to_s), (score, after), timed in zip(
        itertools.pairwise(times_s), itertools.pairwise(scores), scored.judgements, strict=False
    ):
        axes.plot([from_s, to_s], [score, after], lw=1, color=_COLOUR[timed.shared])
    axes.scatter(times_s, scores, s=12, zorder=3, color=[_COLOUR[timed.shared] for timed in scored.judgements])
    axes.set_xlabel("time, s")
    axes.set_ylabel("score")
    last = scored.judgements[-1]
    words = _WORDS[last.shared]
    if last.score_q10 is not None:
        words += f", score {last.score_q10 / ONE_Q10:.2f}"
    axes.set_title(words if scored.reason is None else f"{words}: {scored.reason}", fontsize=8, loc="left")


def verdicts(pairs: Sequence[ScoredPair]) -> Figure:
    """Draw a row for each pair.

    Parameters
    ----------
    pairs : sequence of ScoredPair

    Returns
    -------
    Figure
        Two panels in each row.
    """
    figure = Figure(figsize=(11, _ROW_INCHES * len(pairs)), layout="constrained")
    rows = figure.subplots(len(pairs), 2, squeeze=False, sharex="row")
    for (left, right), scored in zip(rows, pairs, strict=True):
        draw_delays(left, scored.delays)
        if scored.judgements:
            _draw_score(right, scored)
        else:
            draw_nothing(right, scored.reason)
    figure.supxlabel(_LEGEND, fontsize=7, color="#4a5568")
    return figure
