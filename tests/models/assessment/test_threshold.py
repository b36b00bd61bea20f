"""The plain detectors' upper bound, against a search over every threshold."""

from __future__ import annotations

import numpy as np
import pytest

from smartsbd.models.assessment.threshold import best_balanced_accuracy, overlap


@pytest.mark.parametrize("seed", range(20))
def test_no_threshold_is_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    score = np.round(rng.normal(size=30), 1)
    shared = rng.random(30) < 0.4
    threshold, accuracy = best_balanced_accuracy(score, shared)

    def balanced(at: float) -> float:
        return float(((score[shared] >= at).mean() + (score[~shared] < at).mean()) / 2)

    assert balanced(threshold) == pytest.approx(accuracy)
    assert accuracy == pytest.approx(max(balanced(at) for at in [*score, np.inf]))


def test_one_label_has_no_threshold() -> None:
    with pytest.raises(ValueError, match="one label only"):
        best_balanced_accuracy(np.array([1.0, 2.0]), np.array([True, True]))


def test_overlap_by_hand() -> None:
    a = np.array([1.0, 2.0, 3.0, 4.0])
    assert overlap(a, a, bins=2) == 1.0
    assert overlap(a, a + 10, bins=2) == 0.0
    assert overlap(a, np.array([3.0, 4.0, 5.0, 6.0]), bins=2) == pytest.approx(0.5)
    assert overlap(np.ones(3), np.ones(5)) == 1.0
