"""Packed forests: words that say what the trees say, in a table that a walk cannot leave."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from smartsbd.export import packed as module
from smartsbd.export.packed import Packed, packed
from smartsbd.export.tree import NOT_SHARED, SHARED, Branch, ExportError, Forest, Leaf, Tree, from_fitted
from tests.export import made

NUMBERS = {name: number for number, name in enumerate(made.NAMES)}
END = Branch("rtt_ed_4us", 7, NOT_SHARED, SHARED)


def balanced(leaves: Sequence[int], first: int = 0) -> Tree:
    """A tree that goes to a leaf for each value from `first` on."""
    if len(leaves) == 1:
        return Leaf(leaves[0])
    half = len(leaves) // 2
    high = balanced(leaves[half:], first + half)
    return Branch("rtt_ed_4us", first + half - 1, balanced(leaves[:half], first), high)


def chain(depth: int) -> Tree:
    tree: Tree = NOT_SHARED
    for threshold in range(depth):
        tree = Branch("rtt_ed_4us", -threshold, tree, SHARED)
    return tree


def split(threshold: int, name: str, low: int) -> int:
    return (threshold + (1 << 30)) << 32 | low << 8 | NUMBERS[name]


def leaf(vote: int, place: int, name: str) -> int:
    return 1 << 63 | vote << 32 | place << 8 | NUMBERS[name]


def sides_of(table: Packed, place: int) -> tuple[int, ...]:
    """Return where a word leads."""
    low = table.words[place] >> 8 & 0xFFFFFF
    return (low,) if table.words[place] >> 63 else (low, low + 1)


@pytest.mark.parametrize("kind", ["tree", "forest"])
@pytest.mark.parametrize("seed", range(3))
def test_words_give_the_votes_of_the_trees(kind: str, seed: int) -> None:
    forest = from_fitted(made.tree(seed) if kind == "tree" else made.forest(seed, depth=7))
    table = packed(forest, NUMBERS)
    for row in made.rows_of(seed + 5, 200).tolist():
        for number, tree in enumerate(forest.trees):
            assert made.packed_vote(table, number, row) == made.vote(tree, dict(zip(made.NAMES, row, strict=True)))
    assert len({one.vote for tree in forest.trees for one in made.leaves(tree)}) > (1 if kind == "tree" else 20)


@pytest.mark.parametrize("seed", range(3))
def test_children_come_after_their_parents_and_none_is_left_over(seed: int) -> None:
    forest = from_fitted(made.forest(seed, depth=9))
    table = packed(forest, NUMBERS)
    assert len(table.roots) == len(forest.trees) and table.depth == forest.size()[2]
    reached = set(table.roots)
    for place, word in enumerate(table.words):
        sides = sides_of(table, place)
        assert sides == (place,) if word >> 63 else place < sides[0] and sides[1] < len(table.words)
        reached |= set(sides)
    assert reached == set(range(len(table.words)))


def test_a_forest_by_hand() -> None:
    name, ratio = "rtt_ed_4us", "rtt_sd_ratio_q10"
    forest = Forest((Branch(ratio, -1, END, SHARED), Leaf(5), END))
    assert packed(forest, NUMBERS) == Packed(
        (
            split(-1, ratio, 1),
            split(7, name, 5),
            leaf(made.ALL, 2, name),
            leaf(5, 3, name),
            split(7, name, 5),
            leaf(0, 5, name),
            leaf(made.ALL, 6, name),
        ),
        (0, 3, 4),
        2,
    )


def test_leaves_compare_what_the_forest_takes() -> None:
    """What it does not take may be anything, and a walk compares at leaves too."""
    names = made.NAMES[3:]
    forest = from_fitted(made.forest(0, depth=4, names=names))
    table = packed(forest, NUMBERS)
    taken = {NUMBERS[name] for name in forest.features()}
    assert {word & 0xFF for word in table.words if word >> 63} <= taken
    assert packed(Forest((SHARED,)), {}).words == (1 << 63 | made.ALL << 32,)


def test_equal_ends_are_one() -> None:
    forest = from_fitted(made.forest(2, depth=None))
    table = packed(forest, NUMBERS)
    splits, leaves, _ = forest.size()
    assert len(table.words) < splits + leaves
    ends = [
        (table.words[low] >> 32, table.words[high] >> 32)
        for low, high in {sides_of(table, place) for place, word in enumerate(table.words) if not word >> 63}
        if table.words[low] >> 63 and table.words[high] >> 63
    ]
    assert len(ends) == len(set(ends)) > 0


def test_depth_is_that_of_the_deepest() -> None:
    assert packed(Forest((SHARED, END, chain(255))), NUMBERS).depth == 255
    assert packed(Forest((SHARED,)), NUMBERS).depth == 0


def test_a_tree_deeper_than_eight_bits_is_refused() -> None:
    with pytest.raises(ExportError, match="a tree is 256 deep, the packed layout counts to 255"):
        packed(Forest((chain(256),)), NUMBERS)


def test_more_than_sixteen_bits_of_words_are_counted() -> None:
    table = packed(Forest((balanced(range(40_000)),)), NUMBERS)
    assert len(table.words) == 79_999
    for value in (0, 1, 20_000, 32_767, 32_768, 39_999):
        assert made.packed_vote(table, 0, [value]) == value


def test_more_words_than_places_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is lowered: to reach it would take minutes."""
    assert module._PLACES == 1 << 24
    forest = Forest((balanced(range(8)),))
    monkeypatch.setattr(module, "_PLACES", 15)
    assert len(packed(forest, NUMBERS).words) == 15
    monkeypatch.setattr(module, "_PLACES", 14)
    with pytest.raises(ExportError, match="the forest takes 15 words, the packed layout counts 14"):
        packed(forest, NUMBERS)
