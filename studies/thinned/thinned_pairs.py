"""The last verdict of the lag excess on pairs of which it sees no more than another tool shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from smartsbd.detectors.lag_excess import Criterion, judgements
from smartsbd.features.lag_excess.lattice import reason_before_judgement
from smartsbd.features.reading import DEFAULT
from smartsbd.features.series import SubflowSignals
from smartsbd.models.labelled.extraction import NO_SUBFLOW, Truth, signals_in
from smartsbd.models.last_verdict.final_verdict import FIRST_S, PAIR, SAID, judged, last_labels, summary
from studies.thinned.shown_rtts import TOOLS, Ticks, smoothed_signals

#: Whose ticks are whose: each subflow has its own, or all of a connection have the same.
OWN, COMMON = "own", "common"
#: What all kinds are compared with.
LOG = "log"
#: Column of why a pair has no verdict.
REASON = "reason"
_CRITERION = Criterion()
_NS_PER_MS, _NS_PER_S = 1_000_000, 1e9
#: Of :func:`~smartsbd.models.last_verdict.final_verdict.summary`, what is tabled.
_TABLED = (
    *("pairs", "shared", "right", "right_low", "right_high", "less", "less_low", "less_high"),
    *("decided", "decided_low", "decided_high", "coverage_shared", "coverage_not_shared", "wrong", "none", FIRST_S),
)


@dataclass(frozen=True)
class ToolView:
    """How a connection is seen.

    Attributes
    ----------
    kind : str
        A name in :data:`~studies.thinned.shown_rtts.TOOLS`.
    ticks : str
        :data:`OWN` or :data:`COMMON`; empty if the tool has none.
    interval_ms : int or None
        From one tick to the next.
    """

    kind: str
    ticks: str = ""
    interval_ms: int | None = None

    def shown(
        self,
        signals: Mapping[int, SubflowSignals],
        smooth: Mapping[int, SubflowSignals],
        connection: Mapping[str, Any],
        seed: int,
    ) -> dict[int, SubflowSignals]:
        """Return what is shown of each subflow.

        Parameters
        ----------
        signals, smooth : mapping of int to SubflowSignals
            The samples of each subflow, and its smoothed RTTs.
        connection : row of the ``connection`` table
        seed : int
            Decides with the interval, and the names of connection and subflow, where ticks begin.
        """
        tool = TOOLS[self.kind]
        source = smooth if tool.smooths else signals
        if tool.at_ticks is None or self.interval_ms is None:
            return dict(source)
        name = connection["connection_id"].encode()
        found = {}
        for number, own in source.items():
            whose = 1 + number if self.ticks == OWN else 0
            ticks = Ticks.draw(self.interval_ms * _NS_PER_MS, [seed, self.interval_ms, whose, *name])
            found[number] = tool.at_ticks(own, ticks, connection["end_ns"])
        return found


def views(kinds: Iterable[str], ticks: Sequence[str], intervals_ms: Sequence[int]) -> list[ToolView]:
    """Return every view: of a kind with ticks, one for each way to place them and each interval; of others one.

    The sender's own log is the first, whether it is named or not.

    Parameters
    ----------
    kinds : iterable of str
        Names in :data:`~studies.thinned.shown_rtts.TOOLS`.
    ticks : sequence of str
        :data:`OWN`, :data:`COMMON`, or both.
    intervals_ms : sequence of int

    Examples
    --------
    >>> [(one.kind, one.ticks, one.interval_ms) for one in views(["tcp_probe", "ss"], ["common"], [10, 20])]
    [('log', '', None), ('tcp_probe', '', None), ('ss', 'common', 10), ('ss', 'common', 20)]
    """
    found = []
    for kind in dict.fromkeys((LOG, *kinds)):
        if TOOLS[kind].at_ticks is None:
            found.append(ToolView(kind))
        else:
            found += [ToolView(kind, whose, interval_ms) for whose in ticks for interval_ms in intervals_ms]
    return found


def last_said(x: SubflowSignals, y: SubflowSignals) -> tuple[bool | None, str | None, int | None]:
    """Return the last verdict on a pair, why there is none, and the time of the first one, nanoseconds.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair, lower subflow number first.
    """
    last, first_ns = None, None
    for last in judgements(x, y, _CRITERION):
        if first_ns is None and last.shared is not None:
            first_ns = last.decided_ns
    if last is not None:
        return last.shared, last.reason, first_ns
    return None, reason_before_judgement(x, y), None


def spread_labels(truth: Iterable[Mapping[str, Any]], most: int | None) -> list[Mapping[str, Any]]:
    """Return the last row of each pair that has a valid label, of at most so many, evenly spread in order of names.

    Parameters
    ----------
    truth : rows of the ``truth`` table
    most : int or None
        None for all.
    """
    labels = list(last_labels(truth))
    if most is None or len(labels) <= most:
        return labels
    return [labels[place * len(labels) // most] for place in range(most)]


@dataclass(frozen=True)
class ThinnedDataset:
    """A dataset whose connections are thinned; it may be sent to another process.

    Attributes
    ----------
    folder : Path
        With its tables.
    connections : mapping of connection_id to row of the ``connection`` table
    truths : mapping of connection_id to Truth
    views : sequence of ToolView
    seed : int
    """

    folder: Path
    connections: Mapping[str, Mapping[str, Any]]
    truths: Mapping[str, Truth]
    views: Sequence[ToolView]
    seed: int

    def verdicts(self, labels: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the last verdict on some pairs, one row for each pair and view.

        Parameters
        ----------
        labels : rows of the ``truth`` table
            One for each pair.
        """
        return [row for label in labels for row in self._of_pair(label)]

    def _of_pair(self, label: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        connection_id, pair = label["connection_id"], (label["subflow_a"], label["subflow_b"])
        known = {name: label[name] for name in (*PAIR, "shared")}
        connection = self.connections.get(connection_id)
        every = signals_in(self.folder, connection_id, self.truths[connection_id], DEFAULT)[0] if connection else {}
        signals = {number: every[number] for number in pair if number in every}
        smooth = {number: smoothed_signals(own) for number, own in signals.items()}
        for view in self.views:
            said: tuple[bool | None, str | None, int | None] = None, NO_SUBFLOW, None
            start_ns = 0
            if connection and len(signals) == len(pair):
                start_ns = connection["start_ns"]
                shown = view.shown(signals, smooth, connection, self.seed)
                said = last_said(shown[pair[0]], shown[pair[1]])
            first_s = np.nan if said[2] is None else (said[2] - start_ns) / _NS_PER_S
            yield {**asdict(view), **known, SAID: said[0], REASON: said[1], FIRST_S: first_s}


def accuracy_rows(rows: pd.DataFrame, *, resamples: int, seed: int) -> list[dict[str, Any]]:
    """Return the accuracy of each view of a dataset, with 95 % intervals by connection, in the order they come.

    Parameters
    ----------
    rows : DataFrame
        All rows of :meth:`ThinnedDataset.verdicts`, at least one.
    resamples, seed : int
        As :func:`~smartsbd.models.assessment.accuracy.accuracy` takes them.

    Returns
    -------
    list of dict
        Kind, ticks and interval, columns as of :func:`~smartsbd.models.last_verdict.final_verdict.summary`, ``less``
        being less the log's; ``coverage``, the share of pairs that is decided; and the most frequent ``reason`` for no
        verdict.
    """
    names = ["kind", "ticks", "interval_ms"]
    right = judged(rows.astype({SAID: object}))
    reference = right[right["kind"] == LOG]
    found = []
    for name, own in right.groupby(names, sort=False, dropna=False):
        row = summary(own, reference, resamples=resamples, seed=seed)
        reasons = own.loc[own[SAID].isna(), REASON].value_counts()
        found.append(
            dict(zip(names, name, strict=True))
            | {column: row[column] for column in _TABLED}
            | {"coverage": float(own[SAID].notna().mean()), REASON: next(iter(reasons.index), "")}
        )
    return found


def allowed_ms(rows: pd.DataFrame, *, least_right: float, least_coverage: float) -> int | None:
    """Return the largest interval up to which a kind may be judged; None if not even the smallest is good enough.

    At it, and at each smaller one, every dataset has at least `least_right` of the decided pairs right, and decides
    more than `least_coverage` of them.

    Parameters
    ----------
    rows : DataFrame
        Rows of the table of one kind and one way to place ticks: ``interval_ms``, ``dataset``, ``decided``,
        ``coverage``.
    least_right, least_coverage : float

    Examples
    --------
    >>> table = {"interval_ms": [10, 20, 50], "decided": [0.97, 0.94, 0.96], "coverage": [0.9, 0.8, 0.7]}
    >>> allowed_ms(pd.DataFrame(table), least_right=0.95, least_coverage=0.5)
    10
    """
    good = (rows["decided"] >= least_right) & (rows["coverage"] > least_coverage)
    allowed = None
    for interval_ms in sorted(set(rows["interval_ms"].tolist())):
        if not good[rows["interval_ms"] == interval_ms].all():
            break
        allowed = int(interval_ms)
    return allowed
