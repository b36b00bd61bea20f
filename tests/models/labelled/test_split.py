"""No connection stands on both sides of a split, and every split holds both labels."""

from __future__ import annotations

import numpy as np
import pytest

from smartsbd.models.labelled.split import Split, SplitError, folds, shuffle_splits
from tests.models.windows_made import windows

MADE = windows(connections=60, per_connection=4)
SPLITS = {
    "shuffle": shuffle_splits(MADE.connections, MADE.stratum, splits=10, test_share=0.1, seed=3),
    "folds": folds(MADE.connections, MADE.stratum, count=3, seed=3),
}


@pytest.mark.parametrize("split", [one for splits in SPLITS.values() for one in splits])
def test_connections_stand_on_one_side(split: Split) -> None:
    assert not set(MADE.connections[split.train]) & set(MADE.connections[split.test])
    assert sorted([*split.train, *split.test]) == list(range(len(MADE.shared)))
    for side in (split.train, split.test):
        assert set(MADE.stratum[side]) == set(MADE.stratum)


def test_folds_test_every_row_once() -> None:
    tested = np.concatenate([split.test for split in SPLITS["folds"]])
    assert sorted(tested) == list(range(len(MADE.shared)))


def test_the_seed_decides() -> None:
    def again(seed: int) -> list[list[int]]:
        drawn = shuffle_splits(MADE.connections, MADE.stratum, splits=10, test_share=0.1, seed=seed)
        return [split.test.tolist() for split in drawn]

    assert again(3) == [split.test.tolist() for split in SPLITS["shuffle"]]
    assert again(4) != again(3)


def test_blocks_of_neighbours_stay_on_one_side() -> None:
    drawn = shuffle_splits(MADE.connections, MADE.stratum, splits=10, test_share=0.4, seed=3, block=4)
    drawn += folds(MADE.connections, MADE.stratum, count=3, seed=3, block=4)
    for split in drawn:
        tested = set(MADE.connections[split.test])
        assert sorted([*split.train, *split.test]) == list(range(len(MADE.shared)))
        for stratum in set(MADE.stratum):
            members = np.unique(MADE.connections[MADE.stratum == stratum])
            for at in range(0, len(members), 4):
                assert len({name in tested for name in members[at : at + 4]}) == 1


def test_too_few_connections_are_named() -> None:
    few = MADE.connections[:8], MADE.stratum[:8]
    with pytest.raises(SplitError, match=r"too few connections .*s0/True 1"):
        shuffle_splits(*few, splits=2, test_share=0.5, seed=0)
    with pytest.raises(SplitError, match="too few connections"):
        folds(*few, count=9, seed=0)
