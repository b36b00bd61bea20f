"""Which main cause `sbd why` names in a run, and how often it is the one that was set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from smartsbd.detectors.verdict import default_detector
from smartsbd.detectors.verdict.common_lag_judge import CommonLagJudge
from smartsbd.features.reading import DEFAULT
from smartsbd.limits.classified import classified, main_cause, shares
from smartsbd.limits.observed_seconds import observed
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.recording import only_connection
from studies.why.limited_runs import CAUSES, LimitedRun

_PATHS = 2
_DIGITS = 3


@dataclass(frozen=True)
class NamedRun:
    """A run, and what is named.

    Attributes
    ----------
    run : LimitedRun
    named : str
        The main cause.
    shares : dict of str to float
        Of each cause.
    """

    run: LimitedRun
    named: str
    shares: dict[str, float]

    def row(self) -> dict[str, object]:
        """Return its row in the table of runs."""
        share = round(self.shares.get(self.run.cause, 0.0), _DIGITS)
        return {"run": self.run.name, "set": self.run.cause, "named": self.named, "share of the cause set": share}


def named(run: LimitedRun, capture: Path, dialect: Dialect) -> NamedRun:
    """Return what is named in the capture of a run.

    Parameters
    ----------
    run : LimitedRun
    capture : Path
    dialect : Dialect

    Returns
    -------
    NamedRun
    """
    _, detector = default_detector.load()
    connection = only_connection([capture], dialect)
    is_pair = len(connection.subflows) >= _PATHS
    opinions = CommonLagJudge(detector.rule, DEFAULT).opinions(connection) if is_pair else ()
    subflows = classified(observed(connection, opinions))
    return NamedRun(run, main_cause(subflows), shares(subflows))


def confusion(runs: Sequence[NamedRun]) -> pd.DataFrame:
    """Return the confusion table: a row for each cause that is set, its runs by what is named, and the share right."""
    counts = pd.crosstab(pd.Series([one.run.cause for one in runs]), pd.Series([one.named for one in runs]))
    others = [name for name in counts.columns if name not in CAUSES]
    causes = [cause for cause in CAUSES if cause in counts.index]
    table = counts.reindex(index=causes, columns=[*CAUSES, *others], fill_value=0)
    named_right = [(one.run.cause, one.named == one.run.cause) for one in runs]
    right = {cause: [is_right for of_cause, is_right in named_right if of_cause == cause] for cause in causes}
    table.insert(0, "right", [round(sum(right[cause]) / len(right[cause]), _DIGITS) for cause in causes])
    return table.rename_axis(index="set", columns=None).reset_index()
