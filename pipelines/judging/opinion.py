"""The opinion on one window of a pair of subflows, and a sentence that sums up a pair's windows."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from smartsbd.detectors.pair_opinion import PairOpinion
from smartsbd.detectors.verdict.calibration import wrong_in_words

SCORE_FORMAT = "{:.2f}"
#: Verdicts in words.
_IN_WORDS = {"SB": "shared", "NSB": "not shared"}

_NS_PER_S = 1e9


def _seconds(nanoseconds: int | None) -> float | None:
    return None if nanoseconds is None else nanoseconds / _NS_PER_S


@dataclass(frozen=True)
class InputOpinion:
    """The opinion on one window of a pair.

    `reason` is None if there is a verdict; `wrong_share`, the share of such verdicts that is wrong, if unknown.
    """

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
    wrong_share: float | None = None

    @classmethod
    def of(cls, opinion: PairOpinion, name: str, connection_id: str, model: str) -> InputOpinion:
        """Return an opinion on a pair as one on an input.

        Parameters
        ----------
        opinion : PairOpinion
        name : str
            Of the input.
        connection_id : str
        model : str
            What judges.

        Returns
        -------
        InputOpinion
            Times in seconds.
        """
        return cls(
            input=name,
            connection_id=connection_id,
            subflow_a=opinion.subflow_a,
            subflow_b=opinion.subflow_b,
            window_start_s=_seconds(opinion.start_ns),
            window_s=_seconds(opinion.span_ns),
            shared=opinion.shared,
            score=opinion.score,
            model=model,
            reason=opinion.reason,
            wrong_share=opinion.wrong_share,
        )

    @property
    def verdict(self) -> str:
        """SB, NSB or none."""
        return "none" if self.shared is None else "SB" if self.shared else "NSB"


def in_words(opinions: Sequence[InputOpinion]) -> str:
    """Return the opinions on one pair in one sentence: the verdict that was given for longer, or why there is none.

    Returns
    -------
    str

    Examples
    --------
    >>> def opinion(shared, window_s, reason=None):
    ...     return InputOpinion("a.log", "a#0", 0, 1, 0.0, window_s, shared, None, "m", reason)
    >>> in_words([opinion(True, 4.0), opinion(True, 4.0), opinion(False, 4.0), opinion(None, 4.0, "too few RTTs")])
    'shared, on 8.0 s of 12.0 s; 1 window without a verdict (too few RTTs)'
    >>> in_words([opinion(True, 4.0), opinion(False, 4.0)])
    'no verdict: as long shared as not, 4.0 s each'
    >>> in_words([opinion(None, None, "a subflow was never congested")])
    'no verdict: a subflow was never congested'
    """
    seconds = dict.fromkeys(_IN_WORDS, 0.0)
    for opinion in opinions:
        if opinion.shared is not None:
            seconds[opinion.verdict] += opinion.window_s or 0.0
    reasons = Counter(opinion.reason for opinion in opinions if opinion.shared is None)
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


def last_in_words(opinions: Sequence[InputOpinion]) -> str:
    """Return the opinions on one pair in one sentence where evidence adds up: the last verdict, and since when.

    Returns
    -------
    str
        Times are seconds from the start of the first window.

    Examples
    --------
    >>> from dataclasses import replace
    >>> def opinion(start_s, window_s, shared, reason=None, score=2.0):
    ...     return InputOpinion("a.log", "a#0", 0, 1, start_s, window_s, shared, score, "lag-excess", reason)
    >>> first = opinion(10.0, 2.0, None, "fewer than 30 round trips were seen of both subflows", None)
    >>> last_in_words([first, opinion(12.0, 2.0, True), opinion(14.0, 4.0, True, score=3.5)])
    'shared, from 2.0 s on, to the end at 8.0 s; score 3.50'
    >>> last_in_words([first, opinion(12.0, 2.0, True), opinion(14.0, 4.0, False, score=1.25)])
    'not shared, from 4.0 s on, to the end at 8.0 s; score 1.25; before that 2.0 s shared'
    >>> last_in_words([first, replace(opinion(12.0, 2.0, True), wrong_share=0.05)])
    'shared, from 2.0 s on, to the end at 4.0 s; score 2.00: about 1 in 20 such verdicts are wrong'
    >>> last_in_words([first])
    'no verdict: fewer than 30 round trips were seen of both subflows'
    """
    *_, last = opinions
    lasting = list(itertools.takewhile(lambda opinion: opinion.shared is last.shared, reversed(opinions)))
    before = opinions[: len(opinions) - len(lasting)]
    past = ""
    for verdict, words in _IN_WORDS.items():
        before_s = sum(opinion.window_s or 0.0 for opinion in before if opinion.verdict == verdict)
        if before_s:
            past += f"{' and' if past else '; before that'} {before_s:.1f} s {words}"
    if last.shared is None:
        return f"no verdict: {last.reason}{past}"
    start_s = opinions[0].window_start_s or 0.0
    since_s = (lasting[-1].window_start_s or 0.0) - start_s
    end_s = (last.window_start_s or 0.0) + (last.window_s or 0.0) - start_s
    sure = "" if last.wrong_share is None else f": {wrong_in_words(last.wrong_share)}"
    return (
        f"{_IN_WORDS[last.verdict]}, from {since_s:.1f} s on, to the end at {end_s:.1f} s;"
        f" score {SCORE_FORMAT.format(last.score)}{sure}{past}"
    )
