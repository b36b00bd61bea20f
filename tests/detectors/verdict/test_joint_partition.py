"""Joint partitions: against a trial of all partitions, and what is said where the evidence does not do."""

from __future__ import annotations

import itertools
import random

import pytest

from smartsbd.detectors.partition import Pair, Partition, numbered, pairs_of, shares
from smartsbd.detectors.verdict.joint_partition import JointVerdicts, PairScore, joint_verdicts

BAND_Q10, MOST_Q10 = 512, 3072


def every_partition(count: int) -> set[Partition]:
    return {numbered(groups) for groups in itertools.product(range(count), repeat=count)}


def weight_q10(score: PairScore) -> int:
    """Define the weight by cases."""
    if score.score_q10 is None:
        return 0
    if score.shared is None:
        return sorted((-BAND_Q10, score.score_q10, BAND_Q10))[1]
    if score.shared:
        return sorted((BAND_Q10, score.score_q10, MOST_Q10))[1]
    return sorted((-MOST_Q10, score.score_q10, -BAND_Q10))[1]


def log_odds_q10(partition: Partition, scores: dict[Pair, PairScore]) -> int:
    """Sum the scores of pairs in one group less those of pairs in two; twice what differs between partitions."""
    return sum(weight_q10(score) * (1 if shares(partition, *pair) else -1) for pair, score in scores.items())


def drawn(rng: random.Random, count: int) -> dict[Pair, PairScore]:
    """Draw scores of all pairs: of one verdict or the other, held ones, ones without a verdict, barred ones."""
    return {
        pair: PairScore(
            rng.choice([True, True, False, False, None]),
            None if rng.random() < 0.1 else rng.choice([0, rng.randint(-900, 900), rng.randint(-9000, 9000)]),
        )
        for pair in pairs_of(range(count))
    }


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_the_likeliest_partition_is_that_of_a_trial_of_all(count: int) -> None:
    rng, unknown, held_on = random.Random(count), 0, 0  # noqa: S311 - test data
    held: Partition | None = None
    for _ in range(400):
        scores = drawn(rng, count)
        found = joint_verdicts(count, scores, held)  # type: ignore[arg-type]
        likely = {partition: log_odds_q10(partition, scores) for partition in every_partition(count)}
        near = [one for one, log_odds in likely.items() if log_odds >= max(likely.values()) - 2 * BAND_Q10]
        assert numbered(found.groups) == found.groups
        if held in near:
            assert found.groups == held
            held_on += likely[held] < max(likely.values())
        else:
            assert likely[found.groups] == max(likely.values())
        for pair, score in scores.items():
            said = {shares(one, *pair) for one in near}
            expected = shares(found.groups, *pair) if score.shared is not None or len(said) == 1 else None
            assert found.verdicts[pair] == (expected if score.score_q10 is not None else None)
            unknown += found.verdicts[pair] is None
        held = found.groups if rng.random() < 0.8 else None
    assert unknown > 20
    assert held_on > 5 or count == 2


def test_of_two_subflows_the_verdict_is_that_on_the_pair() -> None:
    rng, held = random.Random(1), None  # noqa: S311 - test data
    shared: bool | None = None
    for _ in range(500):
        score_q10 = rng.randint(-1500, 1500)
        if abs(score_q10) > BAND_Q10:
            shared = score_q10 > 0
        found = joint_verdicts(2, {(0, 1): PairScore(shared, score_q10)}, held)
        assert found.verdicts == {(0, 1): shared}
        assert found.partition() == {True: (0, 0), False: (0, 1), None: (None, None)}[shared]
        held = found.groups if found.is_known() else None


def test_a_score_above_all_does_not_outweigh_several() -> None:
    """The score of one pair of four subflows is -9, those of the others are 2."""
    scores = dict.fromkeys(pairs_of(range(4)), PairScore(True, 2048)) | {(1, 2): PairScore(False, -9216)}
    assert joint_verdicts(4, scores).partition() == (0, 0, 0, 0)
    assert joint_verdicts(4, scores | {(0, 2): PairScore(True, 600)}).partition() == (0, 0, 1, 0)


def test_of_a_pair_without_a_sign_of_a_queue_nothing_is_said() -> None:
    together = dict.fromkeys(pairs_of(range(4)), PairScore(True, 3000))
    assert joint_verdicts(4, together).partition() == (0, 0, 0, 0)
    barred = joint_verdicts(4, together | {(1, 2): PairScore(None, None)})
    assert barred.verdicts[1, 2] is None
    assert barred.partition() == (0, 0, None, 0)
    assert joint_verdicts(2, {(0, 1): PairScore(True, None)}).partition() == (None, None)


def test_every_two_subflows_with_a_group_are_known() -> None:
    rng, dropped = random.Random(2), 0  # noqa: S311 - test data
    for count in (3, 4, 5, 7):
        for _ in range(100):
            found = joint_verdicts(count, drawn(rng, count))
            partition = found.partition()
            for pair, verdict in found.verdicts.items():
                assert shares(partition, *pair) in (None, verdict)
            assert partition.count(None) != count - 1
            dropped += partition.count(None)
    assert dropped > 50


def _planted(rng: random.Random, count: int) -> tuple[Partition, dict[Pair, PairScore]]:
    """Draw groups and scores that tell them, except for one pair."""
    groups = numbered([rng.randrange(3) for _ in range(count)])
    scores = {}
    for a, b in pairs_of(range(count)):
        shared = groups[a] == groups[b]
        scores[a, b] = PairScore(shared, rng.randint(1500, 3000) * (1 if shared else -1))
    return groups, scores


def test_more_subflows_than_all_partitions_are_tried_of_are_put_into_their_groups() -> None:
    rng = random.Random(3)  # noqa: S311 - test data
    for _ in range(30):
        groups, scores = _planted(rng, 7)
        assert joint_verdicts(7, scores).partition() == groups


def test_of_many_subflows_what_a_near_partition_denies_is_not_said() -> None:
    """The last subflow has no verdict with anyone, and its scores are next to nothing."""
    scores = {pair: PairScore(True, 3000) for pair in pairs_of(range(6))}
    scores |= {(place, 6): PairScore(None, 80) for place in range(6)}
    assert joint_verdicts(7, scores).partition() == (0, 0, 0, 0, 0, 0, None)
    scores |= {(place, 6): PairScore(None, 300) for place in range(6)}
    assert joint_verdicts(7, scores).partition() == (0,) * 7
    scores |= {(place, 6): PairScore(None, -300) for place in range(6)}
    assert joint_verdicts(7, scores).partition() == (0, 0, 0, 0, 0, 0, 1)


def test_of_many_subflows_the_last_partition_stands_until_another_is_likelier() -> None:
    scores = {pair: PairScore(True, 3000) for pair in pairs_of(range(6))}
    scores |= {(place, 6): PairScore(False, -3000) for place in range(5)}
    apart: JointVerdicts = joint_verdicts(7, scores | {(5, 6): PairScore(False, -3000)})
    assert apart.partition() == (0, 0, 0, 0, 0, 0, 1)
    moved = {pair: PairScore(score.shared, 512 if score.shared else -512) for pair, score in scores.items()}
    turned = moved | {(place, 6): PairScore(True, 600) for place in range(3)}
    turned |= {(5, 6): PairScore(True, -100)}
    # Three of 0.59 and one of 0.5 against two of 0.5.
    assert joint_verdicts(7, turned).partition() == (0,) * 7
    assert joint_verdicts(7, turned, apart.groups).partition() == (0,) * 7
    turned |= {(2, 6): PairScore(False, -100)}
    # Two of 0.59 and one of 0.5 against three of 0.5: likelier by less than 0.5.
    assert joint_verdicts(7, turned).partition() == (0,) * 7
    assert joint_verdicts(7, turned, apart.groups).partition() == (0, 0, 0, 0, 0, 0, 1)
