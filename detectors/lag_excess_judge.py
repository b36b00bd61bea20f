"""The lag excess as a judge of recordings."""

from __future__ import annotations

from collections.abc import Iterable

from smartsbd.detectors.delay_judge import DelayJudge
from smartsbd.detectors.lag_excess import Criterion, Judgement, judgements
from smartsbd.features import judged_rtts
from smartsbd.features.judged_rtts import VerdictRule
from smartsbd.features.lag_excess.lattice import reason_before_judgement
from smartsbd.features.reading import Reading
from smartsbd.features.series import SubflowSignals


class LagExcessJudge(DelayJudge):
    """Judges by the lag excess.

    Parameters
    ----------
    criterion : Criterion
    reading : Reading
    """

    def __init__(self, criterion: Criterion, reading: Reading) -> None:
        super().__init__(reading)
        self.rule: Criterion = criterion

    @property
    def judged_by(self) -> VerdictRule:
        """Which RTTs allow a verdict."""
        return judged_rtts.LAG_EXCESS_RULE

    def judgements(self, x: SubflowSignals, y: SubflowSignals, _names: tuple[str, str]) -> Iterable[Judgement]:
        """Return the judgements on a pair, in time order.

        Parameters
        ----------
        x, y, _names
            As :meth:`~smartsbd.detectors.delay_judge.DelayJudge.judgements` takes them.

        Returns
        -------
        iterable of Judgement
            Each holds from its `decided_ns` until the next.
        """
        return judgements(x, y, self.rule)

    def reason_before(self, x: SubflowSignals, y: SubflowSignals) -> str | None:
        """Return why there is no judgement before the first one."""
        return reason_before_judgement(x, y)
