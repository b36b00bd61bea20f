"""The common lag against its definition in plain loops, and what fades, and what a score is made of."""

from __future__ import annotations

import pytest

from smartsbd.detectors.verdict.fading_sums import PARTS, SAMPLE_PARTS, EarlierBlocks, FadingSums, sums_of
from smartsbd.detectors.verdict.lag_agreement import LAGS
from smartsbd.detectors.verdict.lattice_blocks import LatticeBlock, LatticeBlocks
from smartsbd.detectors.verdict.odds import PairEvidence, evidence_of, score_q10
from tests import naive_common_lag as naive
from tests.features.delays_made import pair

MS = 1_000_000


def samples_of(seed: int) -> list[tuple[int, int, int]]:
    """Samples of a made pair, in the order in which they come."""
    x, y, _ = pair(seed)
    of_both = [
        (int(time_ns), which, min(int(rtt_us), naive.LIMIT_US))
        for which, own in enumerate((x, y))
        for time_ns, rtt_us in zip(own.rtt_time_ns, own.rtt_us, strict=True)
    ]
    return sorted(of_both, key=lambda sample: sample[:2])


def sums_of_blocks(samples: list[tuple[int, int, int]]) -> tuple[list[FadingSums], LatticeBlocks]:
    blocks, before, found = LatticeBlocks(), EarlierBlocks(), []
    for time_ns, which, rtt_us in samples:
        found += [sums_of(block, before) for block in blocks.on_rtt(which, time_ns, rtt_us)]
    return found, blocks


@pytest.mark.parametrize("seed", [0, 3, 4, 10, 15, 17, 27, 32, 37])
def test_sums_are_those_of_the_definition(seed: int) -> None:
    samples = samples_of(seed)
    where = naive.lattice(samples)
    found, blocks = sums_of_blocks(samples)
    assert not where.outgrown
    assert (blocks.lattices, blocks.step_ns) == (1, where.step_ns)
    expected = naive.block_sums(samples, where, len(found))
    assert len(found) > 10
    for sums, plain in zip(found, expected, strict=True):
        agreed = list(zip(sums.agreement, sums.counted, strict=True))
        assert agreed == [(PARTS * agreement, PARTS * counted) for agreement, counted in plain.agreements]
        assert sums.level_products == plain.level_products
        assert sums.level_counted == [PARTS * counted for counted in plain.level_counted]
        assert (sums.level_squares, sums.level_both) == (plain.level_squares, PARTS * plain.level_both)
        assert sums.adjacent == [[SAMPLE_PARTS * count, *rest] for count, *rest in plain.adjacent]
        assert sums.probes == [[SAMPLE_PARTS * count, *rest] for count, *rest in plain.probes]


def test_stalls_are_among_what_is_compared() -> None:
    samples = samples_of(27)
    a, b = naive.of_each(samples)
    assert len(naive.stalls(a, b, naive.lattice(samples))) > 10


def test_a_shorter_round_trip_begins_a_new_lattice() -> None:
    blocks = LatticeBlocks()
    for place in range(2_000):
        rtt_us = 100_000 if place < 1_000 else 69_000
        assert all(isinstance(block, LatticeBlock) for block in blocks.on_rtt(place % 2, place * 5 * MS, rtt_us))
        expected = (place >= 19) + (place > 1_000)
        assert blocks.lattices == expected, place
    assert blocks.step_ns == 69_000_000 // 16


def test_blocks_in_which_both_are_silent_are_skipped_and_counted() -> None:
    """Hours of silence cost no more than seconds."""
    blocks, taken = LatticeBlocks(), []
    for place in range(400):
        silent_ns = 3_600_000 * MS if place >= 200 else 0
        for block in blocks.on_rtt(place % 2, place * 20 * MS + silent_ns, 100_000):
            taken.append(block)
            blocks.tell_void(block.silent and not block.samples.any())
    assert len(taken) < 40
    numbers = [block.number for block in taken]
    assert sum(block.skipped for block in taken) + len(taken) == numbers[-1] + 1
    assert numbers[-1] * 256 * blocks.step_ns > 3_600_000 * MS * 0.99


def test_sums_that_fade_keep_their_sign_and_reach_what_is_left() -> None:
    sums = FadingSums(agreement=[-4096] * LAGS, level_both=64)
    for _ in range(200):
        sums.fade(1)
    assert set(sums.agreement) == {-7}
    assert sums.level_both == 7
    other = sums.copy()
    other.add(sums)
    assert (set(other.agreement), set(sums.agreement)) == ({-14}, {-7})
    assert not FadingSums().any()
    assert evidence_of(FadingSums()) == PairEvidence(None, None, None, None, 0, 0, 0)


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        # 1.73 for each standard deviation up to five, less 1.32.
        (PairEvidence(2048, None, None, None, 8, 0, 0), 2 * 1770 - 1348),
        (PairEvidence(9999, None, None, None, 8, 0, 0), 5 * 1770 - 1348),
        (PairEvidence(-3000, None, None, None, 8, 0, 0), -1770 - 1348),
        # A correlation of 1 counts half where 15 samples have it.
        (PairEvidence(None, 1024, None, None, 0, 15 * 256, 0), 5940 // 2 - 1348),
        (PairEvidence(None, None, None, -1024, 0, 0, 15 * 256), -5242 // 2 - 1348),
        # Own correlation counts by the logarithm of how many samples there are: 32 are 5.
        (PairEvidence(None, None, 1024, None, 0, 32 * 256, 0), -767 * 5 - 1348),
        (PairEvidence(None, None, 1024, None, 0, 1 << 30, 0), -767 * 10 - 1348),
    ],
)
def test_a_score_is_a_weighed_sum(evidence: PairEvidence, expected: int) -> None:
    assert score_q10(evidence) == expected
