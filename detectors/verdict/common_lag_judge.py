"""The common lag as a judge of recordings."""

from __future__ import annotations

from collections.abc import Iterable

from smartsbd.detectors.delay_judge import DelayJudge
from smartsbd.detectors.verdict.common_lag import CommonLagRule
from smartsbd.detectors.verdict.timed_judgements import TimedJudgement, reason_before_block, timed_judgements
from smartsbd.features import judged_rtts
from smartsbd.features.judged_rtts import VerdictRule
from smartsbd.features.reading import Reading
from smartsbd.features.series import SubflowSignals


class CommonLagJudge(DelayJudge):
    """Judges by the common lag.

    Parameters
    ----------
    rule : CommonLagRule
    reading : Reading
    """

    def __init__(self, rule: CommonLagRule, reading: Reading) -> None:
        super().__init__(reading)
        self.rule: CommonLagRule = rule

    @property
    def judged_by(self) -> VerdictRule:
        """Which RTTs allow a verdict."""
        return judged_rtts.RULE

    def judgements(self, x: SubflowSignals, y: SubflowSignals, names: tuple[str, str]) -> Iterable[TimedJudgement]:
        """Return the judgements on a pair, in time order.

        Parameters
        ----------
        x, y, names
            As :meth:`~smartsbd.detectors.delay_judge.DelayJudge.judgements` takes them.

        Returns
        -------
        iterable of TimedJudgement
            Each holds from its `decided_ns` until the next.
        """
        return timed_judgements(x, y, self.rule, names)

    def reason_before(self, x: SubflowSignals, y: SubflowSignals) -> str | None:
        """Return why there is no judgement before the first one."""
        return reason_before_block(x, y)
