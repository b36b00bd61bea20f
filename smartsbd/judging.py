"""Verdicts on paths, by the detector that ``sbd detect`` judges by if no other is named."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from smartsbd.contracts.fault import printable
from smartsbd.samples import PathSamples, SamplesError, origin_s

if TYPE_CHECKING:
    from smartsbd.detectors.verdict.common_lag import CommonLagRule
    from smartsbd.detectors.verdict.joint_partition import PairScore

_LEAST_PATHS = 2


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


@dataclass(frozen=True)
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
    """

    shared: bool | None
    score: float | None
    reason: str | None
    since_s: float | None
    judgements: tuple[JudgedSpan, ...]
    wrong_share: float | None = None


@dataclass(frozen=True)
class PathsVerdict:
    """The verdicts on several paths.

    Attributes
    ----------
    pairs : dict of (str, str) to PairVerdict
        By the names of two paths, in the order in which these were given.
    groups : dict of str to int or None
        Group of each path, numbered from 0 as they come: the groups that the scores of all pairs together make the
        likeliest. None for a path of which too little is known.
    """

    pairs: dict[tuple[str, str], PairVerdict]
    groups: dict[str, int | None]


def judge(
    times_a_s: npt.ArrayLike, rtts_a_s: npt.ArrayLike, times_b_s: npt.ArrayLike, rtts_b_s: npt.ArrayLike
) -> PairVerdict:
    """Say whether two paths share a bottleneck, by their RTTs alone.

    Parameters
    ----------
    times_a_s, rtts_a_s : (n,) array of numbers, seconds
        When the RTT samples of the first path were taken, in order, and the samples.
    times_b_s, rtts_b_s : (m,) array of numbers, seconds
        Of the second path, on the same clock.

    Returns
    -------
    PairVerdict

    Raises
    ------
    SamplesError
        If they are no samples of RTTs. It is a ValueError.

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
    """
    verdict, _ = _judge_pair(
        PathSamples.of(times_a_s, rtts_a_s, times_name="times_a_s", rtts_name="rtts_a_s"),
        PathSamples.of(times_b_s, rtts_b_s, times_name="times_b_s", rtts_name="rtts_b_s"),
        ("path a", "path b"),
    )
    return verdict


def judge_paths(paths: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]]) -> PathsVerdict:
    """Say of several paths which share a bottleneck: each two are judged by themselves, as by :func:`judge`.

    Parameters
    ----------
    paths : mapping of str to (times, RTTs)
        By name, the samples of each path in seconds, as :func:`judge` takes them.

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
    """
    from smartsbd.detectors.partition import pairs_of
    from smartsbd.detectors.verdict.joint_partition import joint_verdicts

    if len(paths) < _LEAST_PATHS:
        raise SamplesError(f"fewer than two paths: {len(paths)}")
    names = list(paths)
    samples = [_samples_of(name, of_path) for name, of_path in paths.items()]
    labels = [printable(f"path {name}") for name in names]
    judged = {
        (a, b): _judge_pair(samples[a], samples[b], (labels[a], labels[b])) for a, b in pairs_of(range(len(names)))
    }
    joint = joint_verdicts(len(names), {pair: score for pair, (_, score) in judged.items()})
    return PathsVerdict(
        pairs={(names[a], names[b]): verdict for (a, b), (verdict, _) in judged.items()},
        groups=dict(zip(names, joint.partition(), strict=True)),
    )


def _samples_of(name: str, of_path: Sequence[npt.ArrayLike]) -> PathSamples:
    try:
        times_s, rtts_s = of_path
    except (TypeError, ValueError) as error:
        raise SamplesError(printable(f"paths[{name!r}] is not two arrays, times and RTTs")) from error
    return PathSamples.of(times_s, rtts_s, times_name=f"paths[{name!r}][0]", rtts_name=f"paths[{name!r}][1]")


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
    if not x.rtt_us.size + y.rtt_us.size:
        return PairVerdict(None, None, early, None, ()), PairScore()
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
    verdict = PairVerdict(last.shared, last.score, last.reason, since_s, tuple(spans), last.wrong_share)
    return verdict, judgements[-1].judgement.pair_score() if judgements else PairScore()
