"""What the common lag says where it gives no verdict, how sure it is where it does, and when."""

from __future__ import annotations

from dataclasses import replace

import pytest

from smartsbd.detectors.verdict.calibration import WRONG_SHARES, wrong_in_words, wrong_share
from smartsbd.detectors.verdict.common_lag import LEAST_SAMPLES, CommonLagJudgement, CommonLagPair, CommonLagRule
from smartsbd.detectors.verdict.odds import PairEvidence
from smartsbd.detectors.verdict.timed_judgements import (
    NO_QUEUE,
    TOO_FEW_BESIDE,
    WITHIN_BAND,
    TimedJudgement,
    samples_in_order,
    timed_judgements,
)
from smartsbd.features.fixed import ONE_Q10
from tests.features.delays_made import pair

ENOUGH = PairEvidence(100, 100, 100, 100, bands=8, samples=LEAST_SAMPLES, probes=LEAST_SAMPLES)
UNSAID = CommonLagJudgement(None, 300, 1, ENOUGH, (True, True))


@pytest.mark.parametrize(
    ("judgement", "reason", "score_q10"),
    [
        (UNSAID, WITHIN_BAND, 300),
        (replace(UNSAID, queues=(False, False)), NO_QUEUE, None),
        (replace(UNSAID, queues=(True, False)), "no sign of a queue on subflow 9", None),
        (replace(UNSAID, queues=(False, True)), "no sign of a queue on subflow 4", None),
        (replace(UNSAID, evidence=replace(ENOUGH, samples=LEAST_SAMPLES - 1)), TOO_FEW_BESIDE, None),
        (replace(UNSAID, evidence=replace(ENOUGH, bands=0)), TOO_FEW_BESIDE, None),
    ],
)
def test_each_reason_is_told(judgement: CommonLagJudgement, reason: str, score_q10: int | None) -> None:
    said = TimedJudgement.of(judgement, 5, CommonLagRule(), ("subflow 4", "subflow 9"))
    assert (said.shared, said.reason, said.score_q10, said.wrong_share) == (None, reason, score_q10, None)


def test_a_rule_that_needs_no_queue_does_not_miss_one() -> None:
    idle = replace(UNSAID, queues=(False, False))
    said = TimedJudgement.of(idle, 5, CommonLagRule(needs_queues=False), ("subflow 4", "subflow 9"))
    assert said.reason == WITHIN_BAND


def test_a_verdict_has_a_score_and_a_share_and_no_reason() -> None:
    for shared in (True, False):
        # It holds, whatever the evidence is by then.
        judgement = replace(UNSAID, shared=shared, evidence=replace(ENOUGH, samples=0))
        said = TimedJudgement.of(judgement, 5, CommonLagRule(), ("subflow 4", "subflow 9"))
        assert (said.shared, said.reason, said.score_q10) == (shared, None, 300)
        assert said.wrong_share == wrong_share(shared, 300)


@pytest.mark.parametrize("seed", [1, 2, 4])
def test_judgements_are_the_last_ones_of_each_moment(seed: int) -> None:
    x, y, _ = pair(seed)
    own, expected = CommonLagPair(CommonLagRule()), list[tuple[int, CommonLagJudgement]]()
    last_ns = 0
    for which, time_ns, rtt_us in samples_in_order(x, y):
        last_ns = time_ns
        expected += [(time_ns, one) for one in [*own.on_rtt(which, time_ns, rtt_us)][-1:]]
    expected += [(last_ns, one) for one in [*own.finish()][-1:]]
    said = list(timed_judgements(x, y, CommonLagRule()))
    assert [(one.decided_ns, one.judgement) for one in said] == expected
    assert len(said) > 2


def test_the_shares_fall_with_the_size_of_the_score() -> None:
    sizes, shares = zip(*WRONG_SHARES, strict=True)
    assert sizes == (0, 1, 2, 4)
    assert all(0 < share < 1 for share in shares)
    assert list(shares) == sorted(shares, reverse=True)
    for size, share in WRONG_SHARES:
        score_q10 = round(size * ONE_Q10)
        assert wrong_share(True, score_q10) == wrong_share(False, -score_q10) == share


def test_shares_are_told_in_round_numbers() -> None:
    said = [wrong_in_words(share) for share in (0.5, 0.0101, 0.00123)]
    assert [words.split()[3] for words in said] == ["2", "99", "810"]
