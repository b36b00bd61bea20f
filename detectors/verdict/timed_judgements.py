"""What the common lag says of a pair over time: verdicts with their times, how sure they are, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from smartsbd.detectors.verdict.calibration import wrong_share
from smartsbd.detectors.verdict.change_signs import BLOCK_STEPS
from smartsbd.detectors.verdict.common_lag import LEAST_SAMPLES, CommonLagJudgement, CommonLagPair, CommonLagRule
from smartsbd.detectors.verdict.lag_agreement import STEPS_PER_RTT
from smartsbd.features.lag_excess.lattice import FIRST_SAMPLES, TOO_FEW_SAMPLES
from smartsbd.features.series import SubflowSignals

TOO_SHORT = f"fewer than {BLOCK_STEPS // STEPS_PER_RTT} round trips were seen of both subflows"
NO_QUEUE = "no sign of a queue: an idle path tells nothing"
NO_QUEUE_ON = "no sign of a queue on {}"
TOO_FEW_BESIDE = "too few samples of the two subflows lie side by side"
WITHIN_BAND = "the evidence is within the band"
#: What the subflows of a pair are called where they have no other names.
NAMES = ("subflow 0", "subflow 1")


@dataclass(frozen=True)
class TimedJudgement:
    """The judgement on a pair from a moment on.

    Attributes
    ----------
    decided_ns : int, nanoseconds
        From when on.
    shared : bool or None
    score_q10 : int or None
        The logarithm of the odds that the pair shares; None where nothing can be known of it.
    reason : str or None
        Why there is no verdict.
    wrong_share : float or None
        Share of such verdicts that are wrong; None without a verdict.
    judgement : CommonLagJudgement
    """

    decided_ns: int
    shared: bool | None
    score_q10: int | None
    reason: str | None
    wrong_share: float | None
    judgement: CommonLagJudgement

    @classmethod
    def of(
        cls, judgement: CommonLagJudgement, decided_ns: int, rule: CommonLagRule, names: tuple[str, str]
    ) -> TimedJudgement:
        """Return a judgement with how sure its verdict is, or why there is none.

        Parameters
        ----------
        judgement : CommonLagJudgement
        decided_ns : int, nanoseconds
            When it was made.
        rule : CommonLagRule
            The rule that made it.
        names : (str, str)
            What the subflows are called.

        Returns
        -------
        TimedJudgement
            Either a verdict or a reason; a score without a verdict only within the band.
        """
        shared, score_q10 = judgement.shared, judgement.score_q10
        if shared is not None:
            return cls(decided_ns, shared, score_q10, None, wrong_share(shared, score_q10), judgement)
        reason = reason_of(judgement, rule, names)
        return cls(decided_ns, None, score_q10 if reason == WITHIN_BAND else None, reason, None, judgement)


def reason_of(judgement: CommonLagJudgement, rule: CommonLagRule, names: tuple[str, str]) -> str:
    """Return why a judgement has no verdict.

    Parameters
    ----------
    judgement : CommonLagJudgement
    rule : CommonLagRule
    names : (str, str)
        What the subflows are called.

    Returns
    -------
    str
        One of the texts of this module, with the name of an idle subflow filled in.
    """
    idle = [name for name, queue in zip(names, judgement.queues, strict=True) if not queue]
    if idle and rule.needs_queues:
        return NO_QUEUE if len(idle) == len(names) else NO_QUEUE_ON.format(idle[0])
    if judgement.evidence.samples < LEAST_SAMPLES or not judgement.evidence.bands:
        return TOO_FEW_BESIDE
    return WITHIN_BAND


class TimedPair:
    """A pair of subflows, judged as samples come.

    Parameters
    ----------
    rule : CommonLagRule
    names : (str, str)
        What the subflows are called.
    """

    def __init__(self, rule: CommonLagRule, names: tuple[str, str] = NAMES) -> None:
        self._pair = CommonLagPair(rule)
        self._rule = rule
        self._names = names
        self._newest_ns = 0

    def on_rtt(self, which: int, time_ns: int, rtt_us: int) -> TimedJudgement | None:
        """Take a sample, none older than the one before; return the last of the judgements that it allows.

        Parameters
        ----------
        which : int
            0 or 1.
        time_ns : int, nanoseconds
        rtt_us : int, microseconds

        Returns
        -------
        TimedJudgement or None
            None if no block is complete.
        """
        self._newest_ns = time_ns
        return self._last(self._pair.on_rtt(which, time_ns, rtt_us))

    def finish(self) -> TimedJudgement | None:
        """Return the last judgement on what is complete, when no sample follows."""
        return self._last(self._pair.finish())

    def _last(self, judgements: Iterator[CommonLagJudgement]) -> TimedJudgement | None:
        # Where several are made at once, only the last one ever holds.
        *_, last = [None, *judgements]
        return None if last is None else TimedJudgement.of(last, self._newest_ns, self._rule, self._names)


def samples_in_order(x: SubflowSignals, y: SubflowSignals) -> Iterator[tuple[int, int, int]]:
    """Yield the samples of a pair in order of time: which subflow, time, RTT; of one time the lower subflow first.

    Parameters
    ----------
    x, y : SubflowSignals
        Lower subflow number first.

    Yields
    ------
    (int, int, int)
        0 or 1 for the first or second subflow; nanoseconds; microseconds.

    Examples
    --------
    >>> x, y = SubflowSignals.of_rtts([5, 9], [30_000, 31_000]), SubflowSignals.of_rtts([5], [40_000])
    >>> list(samples_in_order(x, y))
    [(0, 5, 30000), (1, 5, 40000), (0, 9, 31000)]
    """
    which = np.repeat([0, 1], [x.rtt_us.size, y.rtt_us.size])
    time_ns, rtt_us = np.append(x.rtt_time_ns, y.rtt_time_ns), np.append(x.rtt_us, y.rtt_us)
    order = np.lexsort((which, time_ns))
    yield from zip(which[order].tolist(), time_ns[order].tolist(), rtt_us[order].tolist(), strict=True)


def timed_judgements(
    x: SubflowSignals, y: SubflowSignals, rule: CommonLagRule, names: tuple[str, str] = NAMES
) -> Iterator[TimedJudgement]:
    """Yield the judgements on a pair, in time order; none if no block is complete.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair, lower subflow number first.
    rule : CommonLagRule
    names : (str, str)
        What the subflows are called.

    Yields
    ------
    TimedJudgement
        Of those that one sample allows, the last.
    """
    pair = TimedPair(rule, names)
    for which, time_ns, rtt_us in samples_in_order(x, y):
        judged = pair.on_rtt(which, time_ns, rtt_us)
        if judged is not None:
            yield judged
    judged = pair.finish()
    if judged is not None:
        yield judged


def reason_before_block(x: SubflowSignals, y: SubflowSignals) -> str:
    """Return why nothing is said of a pair before its first judgement.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair.

    Returns
    -------
    str
        Too few samples, or too short a time.

    Examples
    --------
    >>> seen, unseen = (SubflowSignals.of_rtts(range(count), [30_000] * count) for count in (10, 9))
    >>> reason_before_block(seen, unseen), reason_before_block(seen, seen)
    ('a subflow has fewer than ten RTT samples', 'fewer than 16 round trips were seen of both subflows')
    """
    return TOO_FEW_SAMPLES if min(x.rtt_us.size, y.rtt_us.size) < FIRST_SAMPLES else TOO_SHORT
