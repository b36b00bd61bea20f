"""Verdicts on paths, by the detector that ``sbd detect`` judges by if no other is named.

What is given is arrays of seconds, dates or durations, or tables of pandas; :mod:`~smartsbd.samples` and
:mod:`~smartsbd.rtt_frame` say what is taken.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np
import numpy.typing as npt

from smartsbd.contracts.fault import printable
from smartsbd.rtt_frame import is_frame, paths_of
from smartsbd.samples import AWARE, NanPolicy, PathSamples, SamplesError, one_clock, origin_s

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from smartsbd.detectors.verdict.common_lag import CommonLagRule
    from smartsbd.detectors.verdict.joint_partition import PairScore
    from smartsbd.features.series import SubflowSignals

_LEAST_PATHS = 2
_A, _B = "path a", "path b"
_US_PER_S = 1e6
_WORDS = {True: "shared", False: "not shared", None: "no verdict"}


def _date(since_1970_s: float) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=since_1970_s)


@dataclass(frozen=True)
class JudgedSpan:
    """The verdict on two paths from one moment to the next.

    Attributes
    ----------
    from_s, to_s : float, seconds
        On the clock of the samples' times. The last one ends with the last sample.
    shared : bool or None
        Whether a bottleneck is shared; None is no verdict.
    score : float or None
        What the delays say for a shared one, the natural logarithm of the odds; None where they say nothing.
    reason : str or None
        Why there is no verdict; None where there is one.
    wrong_share : float or None
        Of such verdicts that are wrong; None without verdict.
    """

    from_s: float
    to_s: float
    shared: bool | None
    score: float | None
    reason: str | None
    wrong_share: float | None = None


@dataclass(frozen=True, repr=False)
class PairVerdict:
    """The last verdict on two paths, and all verdicts up to it.

    Attributes
    ----------
    shared : bool or None
        Whether a bottleneck is shared; None is no verdict.
    score : float or None
        What the delays say for a shared one, the natural logarithm of the odds; None where they say nothing.
    reason : str or None
        Why there is no verdict; None where there is one.
    since_s : float or None, seconds
        Time from which this verdict has held without a break, on the clock of the samples' times; None without verdict.
    judgements : tuple of JudgedSpan
        In order of time, from the first sample to the last. The last one is the verdict. Empty if there is no sample.
    wrong_share : float or None
        Of such verdicts that are wrong; None without verdict.
    limits : tuple of str
        How far the samples do not go, and what to do next: a sentence or two for each limit, as ``sbd detect`` has
        them. Empty if the samples have all that a verdict needs.
    omitted : (int, int)
        Samples of the two paths that were left out because they were not numbers.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> times_s = np.arange(3_000) / 100
    >>> queue_s = abs(rng.normal(0, 0.002, 3_000).cumsum() % 0.08 - 0.04)
    >>> verdict = judge(times_s, 0.030 + queue_s, times_s, 0.045 + queue_s)
    >>> verdict
    <PairVerdict: shared since 1.39 s, score 6.45; of such verdicts 0.16 % are wrong>
    >>> verdict.limits
    ()
    >>> verdict.to_frame()[["from_s", "to_s", "shared"]].head(3)
       from_s  to_s  shared
    0    0.00  1.39    <NA>
    1    1.39  2.45    True
    2    2.45  3.30    True
    >>> axes = verdict.plot()  # doctest: +SKIP
    """

    shared: bool | None
    score: float | None
    reason: str | None
    since_s: float | None
    judgements: tuple[JudgedSpan, ...]
    wrong_share: float | None = None
    limits: tuple[str, ...] = ()
    omitted: tuple[int, int] = (0, 0)
    _samples: tuple[PathSamples, PathSamples] | None = field(default=None, compare=False)
    _names: tuple[str, str] = field(default=(_A, _B), compare=False)

    def __repr__(self) -> str:
        if self.shared is None or self.since_s is None:
            words = f"no verdict: {self.reason}"
        else:
            since = f"{self.since_s:.2f} s" if self._dates() is None else f"{_date(self.since_s):%Y-%m-%d %H:%M:%S} UTC"
            words = f"{_WORDS[self.shared]} since {since}, score {self.score:.2f}"
        if self.wrong_share is not None:
            words += f"; of such verdicts {100 * self.wrong_share:.2g} % are wrong"
        if self.limits:
            words += f"; {len(self.limits)} limit{'s' if len(self.limits) > 1 else ''}"
        if any(self.omitted):
            words += f"; left out {sum(self.omitted)} samples"
        return f"<{type(self).__name__}: {words}>"

    def _dates(self) -> str | None:
        """Return what kind of dates was judged, None if the times were numbers."""
        return next((path.dates for path in self._samples or () if path.dates), None)

    def to_frame(self) -> pd.DataFrame:
        """Return the judgements over time as a table, one row each; the last row is the verdict.

        Returns
        -------
        DataFrame
            Columns ``from_s``, ``to_s``, ``shared`` (True, False or NA), ``score``, ``wrong_share`` and ``reason``.
            Where dates were judged, ``from_time`` and ``to_time`` come first, to the microsecond.
        """
        import pandas as pd

        columns = ["from_s", "to_s", "shared", "score", "wrong_share", "reason"]
        rows = [[getattr(span, name) for name in columns] for span in self.judgements]
        frame = pd.DataFrame(rows, columns=columns).astype(
            {"from_s": float, "to_s": float, "shared": "boolean", "score": float, "wrong_share": float}
        )
        kind = self._dates()
        if kind is not None:
            for place, end in enumerate(("from", "to")):
                since_1970_us = np.rint(frame[f"{end}_s"] * _US_PER_S).astype(np.int64)
                frame.insert(place, f"{end}_time", pd.to_datetime(since_1970_us, unit="us", utc=kind == AWARE))
        return frame

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the RTTs of both paths, and at the foot what was said at each time.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure of its own if it is not given.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        ValueError
            If the verdict was not returned by :func:`judge` or :func:`judge_paths`: it has no samples then.
        """
        from smartsbd import verdict_plot

        if self._samples is None:
            raise ValueError("this verdict has no samples to draw")
        return verdict_plot.draw(self, self._samples, self._names, ax)


@dataclass(frozen=True, repr=False)
class PathsVerdict:
    """The verdicts on several paths.

    Attributes
    ----------
    pairs : dict of (str, str) to PairVerdict
        By the names of two paths, in the order in which these were given.
    groups : dict of str to int or None
        Group of each path, numbered from 0 as they come: the groups that the scores of all pairs together make the
        likeliest. None for a path of which too little is known.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> times_s = np.arange(3_000) / 100
    >>> one_s, other_s = (abs(rng.normal(0, 0.002, 3_000).cumsum() % 0.08 - 0.04) for _ in range(2))
    >>> verdicts = judge_paths({"wifi": (times_s, 0.03 + one_s), "lte": (times_s, 0.045 + other_s)})
    >>> verdicts
    <PathsVerdict: 2 paths in 2 groups: wifi | lte>
    >>> verdicts.to_frame()[["path_a", "path_b", "shared"]]
      path_a path_b  shared
    0   wifi    lte   False
    """

    pairs: dict[tuple[str, str], PairVerdict]
    groups: dict[str, int | None]

    def __repr__(self) -> str:
        by_group: dict[int | None, list[str]] = {}
        for name, group in self.groups.items():
            by_group.setdefault(group, []).append(printable(name))
        unknown = by_group.pop(None, [])
        words = f"{len(self.groups)} paths in {len(by_group)} group{'' if len(by_group) == 1 else 's'}: "
        words += " | ".join(", ".join(names) for names in by_group.values())
        words += f"; too little is known of {', '.join(unknown)}" if unknown else ""
        return f"<{type(self).__name__}: {words}>"

    def to_frame(self) -> pd.DataFrame:
        """Return the verdicts as a table, one row for each two paths.

        Returns
        -------
        DataFrame
            Columns ``path_a``, ``path_b``, ``shared`` (True, False or NA), ``score``, ``since_s``, ``wrong_share`` and
            ``reason``.
        """
        import pandas as pd

        columns = ["shared", "score", "since_s", "wrong_share", "reason"]
        rows = [[a, b, *(getattr(said, name) for name in columns)] for (a, b), said in self.pairs.items()]
        return pd.DataFrame(rows, columns=["path_a", "path_b", *columns]).astype(
            {"shared": "boolean", "score": float, "since_s": float, "wrong_share": float}
        )


@overload
def judge(
    times_a_s: npt.ArrayLike | Sequence[datetime],
    rtts_a_s: npt.ArrayLike,
    times_b_s: npt.ArrayLike | Sequence[datetime],
    rtts_b_s: npt.ArrayLike,
    *,
    nan_policy: NanPolicy = "raise",
    unit: str | None = None,
) -> PairVerdict: ...
@overload
def judge(frame: pd.DataFrame, /, *, nan_policy: NanPolicy = "raise", unit: str | None = None) -> PairVerdict: ...
@overload
def judge(
    frame_a: pd.DataFrame, frame_b: pd.DataFrame, /, *, nan_policy: NanPolicy = "raise", unit: str | None = None
) -> PairVerdict: ...
def judge(
    times_a_s: Any,
    rtts_a_s: Any = None,
    times_b_s: Any = None,
    rtts_b_s: Any = None,
    *,
    nan_policy: NanPolicy = "raise",
    unit: str | None = None,
) -> PairVerdict:
    """Say whether two paths share a bottleneck, by their RTTs alone.

    It is called with four arrays, with one table of both paths, or with a table for each path.

    Parameters
    ----------
    times_a_s, rtts_a_s : (n,) array of numbers, seconds
        When the RTT samples of the first path were taken, in order, and the samples. Times may be dates, and RTTs
        durations (timedelta). In their place, tables of pandas: one with a column ``path`` or a column of RTTs for each
        path, or two of one path each. Their columns are named as those of a CSV that ``sbd detect`` reads:
        ``time_s``, ``time_ms`` or, of dates, ``time``; ``rtt_s``, ``rtt_ms`` and so on.
    times_b_s, rtts_b_s : (m,) array of numbers, seconds
        Of the second path, on the same clock.
    nan_policy : {"raise", "omit"}
        What is done with a sample whose time or RTT is NaN, NaT, NA or masked: it is refused, or left out and counted
        in ``omitted``. Of a table with a column for each path, an empty cell is no sample and always left out.
    unit : {"s", "ms", "us", "ns"}, optional
        Of RTTs in columns of a table whose names have none.

    Returns
    -------
    PairVerdict

    Raises
    ------
    SamplesError
        If they are no samples of RTTs, or a table is not of two paths. It is a ValueError.
    TypeError
        If they are neither four arrays nor one or two tables.

    Examples
    --------
    One queue fills and drains at random; the ways there differ by 15 ms. Then each path has a queue of its own.

    >>> rng = np.random.default_rng(1)
    >>> times_s = np.arange(3_000) / 100
    >>> one_s, other_s = (abs(rng.normal(0, 0.002, 3_000).cumsum() % 0.08 - 0.04) for _ in range(2))
    >>> judge(times_s, 0.030 + one_s, times_s, 0.045 + one_s).shared
    True
    >>> judge(times_s, 0.030 + one_s, times_s, 0.045 + other_s).shared
    False
    >>> judge(times_s[:9], 0.030 + one_s[:9], times_s, 0.045 + one_s).reason
    'a subflow has fewer than ten RTT samples'

    The same as tables, and with a lost sample:

    >>> import pandas as pd
    >>> wifi, lte = (pd.DataFrame({"time_s": times_s, "rtt_s": base_s + one_s}) for base_s in (0.030, 0.045))
    >>> judge(wifi, lte).shared
    True
    >>> both = pd.concat([wifi.assign(path="wifi"), lte.assign(path="lte")])
    >>> judge(both) == judge(wifi, lte)
    True
    >>> wifi.loc[7, "rtt_s"] = float("nan")
    >>> judge(wifi, lte, nan_policy="omit").omitted
    (1, 0)
    """
    given = [times_a_s, rtts_a_s, times_b_s, rtts_b_s]
    count = sum(one is not None for one in given)
    tables = given[:count]
    if tables and all(is_frame(one) for one in tables):
        names, samples = _of_frames(tables, nan_policy, unit)
    elif count == len(given):
        names = (_A, _B)
        samples = (
            PathSamples.of(times_a_s, rtts_a_s, times_name="times_a_s", rtts_name="rtts_a_s", nan_policy=nan_policy),
            PathSamples.of(times_b_s, rtts_b_s, times_name="times_b_s", rtts_name="rtts_b_s", nan_policy=nan_policy),
        )
    else:
        raise TypeError("judge takes four arrays (times and RTTs of two paths), or one or two DataFrames")
    one_clock(*samples)
    verdict, _ = _judge_pair(*samples, names)
    return verdict


def judge_paths(
    paths: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike] | pd.DataFrame] | pd.DataFrame,
    *,
    nan_policy: NanPolicy = "raise",
    unit: str | None = None,
) -> PathsVerdict:
    """Say of several paths which share a bottleneck: each two are judged by themselves, as by :func:`judge`.

    Parameters
    ----------
    paths : mapping of str to (times, RTTs), or DataFrame
        By name, the samples of each path in seconds, as :func:`judge` takes them, or a table of each; or one table of
        all paths.
    nan_policy, unit : str
        As :func:`judge` takes them.

    Returns
    -------
    PathsVerdict

    Raises
    ------
    SamplesError
        If there are fewer than two paths, or they are no samples of RTTs. It is a ValueError.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> times_s = np.arange(3_000) / 100
    >>> one_s, other_s = (abs(rng.normal(0, 0.002, 3_000).cumsum() % 0.08 - 0.04) for _ in range(2))
    >>> wifi, lte, dsl = (times_s, 0.030 + one_s), (times_s, 0.045 + other_s), (times_s, 0.040 + one_s)
    >>> verdicts = judge_paths({"wifi": wifi, "lte": lte, "dsl": dsl})
    >>> {pair: verdict.shared for pair, verdict in verdicts.pairs.items()}
    {('wifi', 'lte'): False, ('wifi', 'dsl'): True, ('lte', 'dsl'): False}
    >>> verdicts.groups
    {'wifi': 0, 'lte': 1, 'dsl': 0}

    A table with a column for each path, in milliseconds:

    >>> import pandas as pd
    >>> table = pd.DataFrame({"time_s": times_s, "wifi_rtt_ms": 30 + 1e3 * one_s, "lte_rtt_ms": 45 + 1e3 * other_s})
    >>> judge_paths(table).groups
    {'wifi': 0, 'lte': 1}
    """
    from smartsbd.detectors.partition import pairs_of
    from smartsbd.detectors.verdict.joint_partition import joint_verdicts

    if is_frame(paths):
        of_paths = paths_of(cast("pd.DataFrame", paths), "frame", nan_policy=nan_policy, unit=unit)
    else:
        of_paths = {
            name: _samples_of(name, of_path, nan_policy, unit)
            for name, of_path in cast("Mapping[str, Any]", paths).items()
        }
    if len(of_paths) < _LEAST_PATHS:
        raise SamplesError(f"fewer than two paths: {len(of_paths)}")
    names = [str(name) for name in of_paths]
    samples = list(of_paths.values())
    one_clock(*samples)
    labels = [_labelled(name) for name in names]
    judged = {
        (a, b): _judge_pair(samples[a], samples[b], (labels[a], labels[b])) for a, b in pairs_of(range(len(names)))
    }
    joint = joint_verdicts(len(names), {pair: score for pair, (_, score) in judged.items()})
    return PathsVerdict(
        pairs={(names[a], names[b]): verdict for (a, b), (verdict, _) in judged.items()},
        groups=dict(zip(names, joint.partition(), strict=True)),
    )


def _labelled(name: object) -> str:
    return printable(f"path {name}")


def _of_frames(
    tables: Sequence[pd.DataFrame], nan_policy: NanPolicy, unit: str | None
) -> tuple[tuple[str, str], tuple[PathSamples, PathSamples]]:
    """Return the labels and the samples of the two paths of one table, or of a table for each."""
    if len(tables) == 1:
        by_path = paths_of(tables[0], "frame", nan_policy=nan_policy, unit=unit)
        if len(by_path) != _LEAST_PATHS:
            found = printable(", ".join(str(path) for path in by_path if path is not None))
            raise SamplesError(
                f"frame has {len(by_path)} paths ({found or 'no column names one'}): judge takes two, and judge_paths"
                " any number"
            )
        (name_a, a), (name_b, b) = by_path.items()
        return (_labelled(name_a), _labelled(name_b)), (a, b)
    if len(tables) > _LEAST_PATHS:
        raise SamplesError(f"{len(tables)} tables: judge takes two, and judge_paths any number")
    a, b = (
        _only_path(table, name, nan_policy, unit) for table, name in zip(tables, ("frame_a", "frame_b"), strict=True)
    )
    return (_A, _B), (a, b)


def _only_path(table: pd.DataFrame, name: str, nan_policy: NanPolicy, unit: str | None) -> PathSamples:
    by_path = paths_of(table, name, nan_policy=nan_policy, unit=unit)
    if len(by_path) != 1:
        raise SamplesError(f"{name} has {len(by_path)} paths: each of two tables is of one")
    (samples,) = by_path.values()
    return samples


def _samples_of(name: str, of_path: Any, nan_policy: NanPolicy, unit: str | None) -> PathSamples:
    if is_frame(of_path):
        return _only_path(of_path, printable(f"paths[{name!r}]"), nan_policy, unit)
    try:
        times_s, rtts_s = of_path
    except (TypeError, ValueError) as error:
        raise SamplesError(printable(f"paths[{name!r}] is not two arrays, times and RTTs")) from error
    return PathSamples.of(
        times_s,
        rtts_s,
        times_name=f"paths[{name!r}][0]",
        rtts_name=f"paths[{name!r}][1]",
        nan_policy=nan_policy,
    )


def _limits(signals: tuple[SubflowSignals, SubflowSignals], names: tuple[str, str]) -> tuple[str, ...]:
    """Return what the samples of two paths do not show: a sentence or two for each limit."""
    from smartsbd.features.input_evidence import NO_STATES, InputEvidence, SubflowEvidence
    from smartsbd.features.judged_rtts import NO_RTTS, SAMPLES, JudgedRtts
    from smartsbd.traces.connection import Subflow

    last_ns = max((int(of_path.rtt_time_ns[-1]) for of_path in signals if of_path.rtt_time_ns.size), default=0)
    subflows = []
    for number, (name, of_path) in enumerate(zip(names, signals, strict=True)):
        # Nothing is known of when a path without a sample was recorded.
        start_ns, end_ns = of_path.rtt_time_ns[[0, -1]].tolist() if of_path.rtt_time_ns.size else [0, last_ns]
        subflow = Subflow(number, start_ns, end_ns, name=name.removeprefix("path "))
        kind = SAMPLES if of_path.rtt_us.size else NO_RTTS
        subflows.append(SubflowEvidence.of(subflow, JudgedRtts(kind, of_path), 0))
    return tuple(InputEvidence(NO_STATES, (), tuple(subflows)).limits_of_rtts())


@functools.cache
def _rule() -> CommonLagRule:
    from smartsbd.detectors.verdict import default_detector

    return default_detector.load()[1].rule


def _judge_pair(a: PathSamples, b: PathSamples, names: tuple[str, str]) -> tuple[PairVerdict, PairScore]:
    """Return the verdict on two paths, and its score for the comparison with other pairs."""
    # The detector takes longer to import than to judge: a program that only imports this package does not wait for it.
    from smartsbd.detectors.verdict.joint_partition import PairScore
    from smartsbd.detectors.verdict.timed_judgements import reason_before_block, timed_judgements
    from smartsbd.features.fixed import ONE_Q10, SCORE_DIGITS

    first_s = origin_s(a, b)
    x, y = a.signals(first_s), b.signals(first_s)
    early = reason_before_block(x, y)
    told: dict[str, Any] = {
        "limits": _limits((x, y), names),
        "omitted": (a.omitted, b.omitted),
        "_samples": (a, b),
        "_names": names,
    }
    if not x.rtt_us.size + y.rtt_us.size:
        return PairVerdict(None, None, early, None, (), **told), PairScore()
    judgements = list(timed_judgements(x, y, _rule(), names))
    # A judgement is made at a sample: its time is returned as the caller gave it.
    times_ns, times_s = np.append(x.rtt_time_ns, y.rtt_time_ns), np.append(a.times_s, b.times_s)
    order = np.argsort(times_ns, kind="stable")
    decided_at = np.searchsorted(times_ns[order], [judgement.decided_ns for judgement in judgements])
    from_s = [first_s, *times_s[order][decided_at].tolist(), float(times_s.max())]
    spans = [JudgedSpan(from_s[0], from_s[1], None, None, early)]
    for timed, (start_s, end_s) in zip(judgements, itertools.pairwise(from_s[1:]), strict=True):
        score = None if timed.score_q10 is None else round(timed.score_q10 / ONE_Q10, SCORE_DIGITS)
        spans.append(JudgedSpan(start_s, end_s, timed.shared, score, timed.reason, timed.wrong_share))
    last = spans[-1]
    lasting = itertools.takewhile(lambda span: span.shared is last.shared, reversed(spans))
    since_s = None if last.shared is None else min(span.from_s for span in lasting)
    verdict = PairVerdict(last.shared, last.score, last.reason, since_s, tuple(spans), last.wrong_share, **told)
    return verdict, judgements[-1].judgement.pair_score() if judgements else PairScore()
