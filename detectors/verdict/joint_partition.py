"""The partition of a connection's subflows that the evidence on all pairs together makes the likeliest.

Connected components (:func:`smartsbd.detectors.partition.partition_of`) follow chains: one pair that is wrongly said to
share joins two groups, whatever all other pairs between them say. Here every pair has a weight, the logarithm of the
odds that it shares, and the partition is the one of largest likelihood: that in which the weights of all pairs within
groups have the largest sum.

- Errors score high too, so no pair weighs more than 3 in log-odds. Where a verdict holds although the score is inside
  the band, the pair weighs the narrowest band, 0.5. Without a verdict it weighs its score, up to that band.
- The last partition stands until another one is likelier by more than 0.5, as the verdict on a pair stands until its
  score is outside the band.
- A pair without a verdict of its own gets one if all partitions of nearly the largest likelihood agree on it, except
  where none is allowed: where no sign of a queue has been seen.

Up to :data:`MOST_SUBFLOWS` subflows all partitions are compared, 52 at most. With more, the two groups of the largest
sum of weights are joined while it is positive; the others that are compared with this partition differ from it by one
subflow on its own or by two groups that are joined.

With two subflows, the verdict is that on the pair. The twin in C is ``detectors/in_c/joint.c``, and
``sbd_joint_partition.h`` beside it for a sender.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from smartsbd.detectors.partition import Pair, Partition, numbered, pairs_of

#: Subflows up to which all partitions are compared.
MOST_SUBFLOWS = 5
#: The most that a pair weighs; the least with a verdict, and the most without.
_MOST_Q10, _BAND_Q10 = 3072, 512
#: By how much a partition has to be likelier than another one.
_MARGIN_Q10 = 512

#: A number for the group of each subflow, by its place.
Groups = tuple[int, ...]
#: Weights of all pairs, by the places of their subflows.
Weights = Mapping[Pair, int]


@dataclass(frozen=True)
class PairScore:
    """What is known of a pair.

    Attributes
    ----------
    shared : bool or None
        The verdict on it alone; None if there is none.
    score_q10 : int or None
        Logarithm of the odds that it shares; 0 without evidence; None if no verdict on it is allowed, whatever
        the scores of other pairs.
    """

    shared: bool | None = None
    score_q10: int | None = 0

    def weight_q10(self) -> int:
        """Return by how much it makes partitions likelier that have it in one group.

        Returns
        -------
        int
            Logarithm of odds, Q10; negative where it makes them less likely.

        Examples
        --------
        >>> [PairScore(True, score_q10).weight_q10() for score_q10 in (9000, 600, -20, None)]
        [3072, 600, 512, 0]
        >>> [PairScore(None, score_q10).weight_q10() for score_q10 in (2000, 0, -70)]
        [512, 0, -70]
        """
        if self.score_q10 is None:
            return 0
        if self.shared is None:
            return min(max(self.score_q10, -_BAND_Q10), _BAND_Q10)
        size = min(max(self.score_q10 if self.shared else -self.score_q10, _BAND_Q10), _MOST_Q10)
        return size if self.shared else -size


@dataclass(frozen=True)
class JointVerdicts:
    """The likeliest partition, and the verdicts on pairs.

    Attributes
    ----------
    groups : Groups
    verdicts : dict of Pair to bool or None
        By the places of the subflows; None is no verdict.
    weights_q10 : dict of Pair to int
    """

    groups: Groups
    verdicts: dict[Pair, bool | None]
    weights_q10: dict[Pair, int]

    def is_known(self) -> bool:
        """Tell whether there is a verdict on any pair."""
        return any(verdict is not None for verdict in self.verdicts.values())

    def partition(self) -> Partition:
        """Return the groups of subflows, such that there is a verdict on every two that have a group.

        The subflow of which most pairs are unknown loses its group first; of several, the one with the smallest weights
        of known pairs, then the last one.

        Returns
        -------
        Partition
            By place; None for a subflow without a group.

        Examples
        --------
        >>> unknown = JointVerdicts((0, 0, 1), {(0, 1): True, (0, 2): False, (1, 2): None}, {(0, 1): 900, (0, 2): -600})
        >>> unknown.partition()
        (0, 0, None)
        """
        left = set(range(len(self.groups)))
        while unknown := [pair for pair, verdict in self.verdicts.items() if verdict is None and left >= set(pair)]:
            left.remove(max(left, key=lambda place: self._doubt(place, left, unknown)))
        alone = len(left) <= 1
        return numbered([None if alone or place not in left else group for place, group in enumerate(self.groups)])

    def _doubt(self, place: int, left: set[int], unknown: Sequence[Pair]) -> tuple[int, int, int]:
        known_q10 = sum(
            abs(weight_q10)
            for pair, weight_q10 in self.weights_q10.items()
            if place in pair and left >= set(pair) and self.verdicts[pair] is not None
        )
        return sum(place in pair for pair in unknown), -known_q10, place


@functools.cache
def every_grouping(subflows: int) -> tuple[Groups, ...]:
    """Return all partitions of some subflows, in order.

    Returns
    -------
    tuple of Groups
        Groups are numbered from 0 in order of appearance.

    Examples
    --------
    >>> every_grouping(3)
    ((0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2))
    """
    if not subflows:
        return ((),)
    return tuple(
        (*groups, group) for groups in every_grouping(subflows - 1) for group in range(max(groups, default=-1) + 2)
    )


def _likelihood_q10(groups: Groups, weights_q10: Weights) -> int:
    return sum(weight_q10 for (a, b), weight_q10 in weights_q10.items() if groups[a] == groups[b])


def _likeliest_of_all(subflows: int, weights_q10: Weights, held: Groups | None) -> tuple[Groups, list[Groups]]:
    """Return the likeliest of all partitions, and those that are nearly as likely."""
    likelihoods_q10 = {groups: _likelihood_q10(groups, weights_q10) for groups in every_grouping(subflows)}
    most_q10 = max(likelihoods_q10.values())
    near = [groups for groups, likelihood_q10 in likelihoods_q10.items() if likelihood_q10 >= most_q10 - _MARGIN_Q10]
    if held in near:
        return held, near
    return max(near, key=likelihoods_q10.__getitem__), near


def _joined(groups: Groups, first: int, second: int) -> Groups:
    return tuple(first if group == second else group for group in groups)


def _between_q10(groups: Groups, weights_q10: Weights) -> dict[Pair, int]:
    """Return the sum of the weights of the pairs of every two groups."""
    between_q10 = dict.fromkeys(pairs_of(set(groups)), 0)
    for (a, b), weight_q10 in weights_q10.items():
        if groups[a] != groups[b]:
            between_q10[min(groups[a], groups[b]), max(groups[a], groups[b])] += weight_q10
    return between_q10


def _agglomerated(subflows: int, weights_q10: Weights) -> Groups:
    """Join the two groups of the largest sum of weights, of several the first ones, while it is positive."""
    groups: Groups = tuple(range(subflows))
    between_q10 = _between_q10(groups, weights_q10)
    while between_q10:
        first, second = max(between_q10, key=between_q10.__getitem__)
        if between_q10[first, second] <= 0:
            break
        groups = _joined(groups, first, second)
        between_q10 = _between_q10(groups, weights_q10)
    return groups


def _neighbours(groups: Groups) -> Iterator[Groups]:
    """Yield the partitions that differ by one subflow on its own, or by two groups that are joined."""
    new = max(groups) + 1
    for place in range(len(groups)):
        yield (*groups[:place], new, *groups[place + 1 :])
    for first, second in pairs_of(set(groups)):
        yield _joined(groups, first, second)


def _likely_of_some(subflows: int, weights_q10: Weights, held: Groups | None) -> tuple[Groups, list[Groups]]:
    """Return a likely partition, and those beside it that are nearly as likely."""
    likely = _agglomerated(subflows, weights_q10)
    least_q10 = _likelihood_q10(likely, weights_q10) - _MARGIN_Q10
    if held is not None and _likelihood_q10(held, weights_q10) >= least_q10:
        likely = held
    near = [groups for groups in _neighbours(likely) if _likelihood_q10(groups, weights_q10) >= least_q10]
    return likely, [likely, *near]


def joint_verdicts(subflows: int, scores: Mapping[Pair, PairScore], held: Groups | None = None) -> JointVerdicts:
    """Return the likeliest partition of some subflows and the verdict on each pair.

    Parameters
    ----------
    subflows : int
        How many there are.
    scores : mapping of Pair to PairScore
        What is known of pairs, by the places of their subflows; no entry is a pair of which nothing is known yet.
    held : Groups or None
        The last likeliest partition, in the same numbers of groups as it was returned; None if there was no verdict.

    Returns
    -------
    JointVerdicts
        By the places of the subflows.

    Examples
    --------
    One pair that is wrongly said to share, against two:

    >>> apart, shared = PairScore(False, -1800), PairScore(True, 1500)
    >>> joint_verdicts(3, {(0, 1): shared, (0, 2): apart, (1, 2): PairScore(True, 700)}).partition()
    (0, 0, 1)

    The third pair of a group needs no verdict of its own; that of two pairs that are apart does:

    >>> joint_verdicts(3, {(0, 1): shared, (1, 2): shared}).verdicts[0, 2]
    True
    >>> print(joint_verdicts(3, {(0, 1): apart, (1, 2): apart}).verdicts[0, 2])
    None
    >>> print(joint_verdicts(3, {(0, 1): shared, (1, 2): shared, (0, 2): PairScore(None, None)}).verdicts[0, 2])
    None
    """
    pairs = list(itertools.combinations(range(subflows), 2))
    known = {pair: scores.get(pair, PairScore()) for pair in pairs}
    weights_q10 = {pair: score.weight_q10() for pair, score in known.items()}
    groups, near = (_likeliest_of_all if subflows <= MOST_SUBFLOWS else _likely_of_some)(subflows, weights_q10, held)
    verdicts: dict[Pair, bool | None] = {}
    for (a, b), score in known.items():
        likely = near if score.shared is None else [groups]
        together = {grouping[a] == grouping[b] for grouping in likely}
        verdicts[a, b] = together.pop() if score.score_q10 is not None and len(together) == 1 else None
    return JointVerdicts(groups, verdicts, weights_q10)
