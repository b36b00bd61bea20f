"""Forests as one table of words of 64 bits, the layout of large models and of model files.

Of a split: threshold + 2^30 (31 bits below a top one of 0), place of its low side (24), feature (8); the high side is
the word behind. Of a leaf: the top bit, its vote (31), its own place (24), a feature that is taken. The places that a
split names are behind its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from smartsbd.export.tree import ALL_FOR, Branch, ExportError, Forest, Leaf, Tree

_BIAS = 1 << 30
_LEAF = 1 << 63
_FEATURE_BITS = 8
_VALUE_SHIFT = 32
_PLACES = 1 << 24
_DEPTH_LIMIT = 255

Sides = tuple[Tree, Tree]


@dataclass(frozen=True)
class Packed:
    """A forest's words.

    Attributes
    ----------
    words : tuple of int
        Of all trees.
    roots : tuple of int
        Where each tree begins.
    depth : int
        Of the deepest.
    """

    words: tuple[int, ...]
    roots: tuple[int, ...]
    depth: int


class _PackedTable:
    """Nodes on their places, and where the sides of each split are, as they are put down."""

    def __init__(self) -> None:
        self.nodes: list[Tree] = []
        #: By the place of the split, since equal splits may be in several places.
        self.sides_at: dict[int, int] = {}
        #: Splits whose sides are both leaves: equal sides are stored once for the forest, behind all trees.
        self.ends: dict[Sides, list[int]] = {}

    def put_tree(self, tree: Tree) -> int:
        """Put down a tree, except sides that are both leaves; return where it begins."""
        root = len(self.nodes)
        self.nodes.append(tree)
        waiting = list(self._open_splits(root))
        while waiting:
            place = waiting.pop(self._next(waiting))
            waiting += self._put_sides(place)
        return root

    def _open_splits(self, *places: int) -> Iterator[int]:
        """Yield the splits among some places that have a side that is a split; note the others."""
        for place in places:
            node = self.nodes[place]
            if isinstance(node, Leaf):
                continue
            if isinstance(node.low, Leaf) and isinstance(node.high, Leaf):
                self.ends.setdefault((node.low, node.high), []).append(place)
            else:
                yield place

    def _split(self, place: int) -> Branch:
        node = self.nodes[place]
        if isinstance(node, Leaf):
            raise ValueError(f"place {place} is a leaf: it has no sides")
        return node

    def _next(self, waiting: list[int]) -> int:
        """Return which split is next: one whose low side is the last leaf put down, else the newest."""
        last = self.nodes[-1]
        same = (number for number, place in enumerate(waiting) if self._split(place).low == last)
        return next(same, len(waiting) - 1) if isinstance(last, Leaf) else len(waiting) - 1

    def _put_sides(self, place: int) -> list[int]:
        """Put down the sides of a split, its low one on the last word if that is the same leaf."""
        split = self._split(place)
        if not (isinstance(split.low, Leaf) and self.nodes[-1] == split.low):
            self.nodes.append(split.low)
        at = len(self.nodes) - 1
        self.sides_at[place] = at
        self.nodes.append(split.high)
        return list(self._open_splits(at + 1, at))

    def put_ends(self) -> None:
        """Put down the sides that are leaves."""
        for sides, places in self.ends.items():
            self.sides_at.update(dict.fromkeys(places, len(self.nodes)))
            self.nodes += sides


def packed(forest: Forest, numbers: Mapping[str, int]) -> Packed:
    """Pack a forest.

    Parameters
    ----------
    forest : Forest
    numbers : mapping of str to int
        Number of each feature.

    Returns
    -------
    Packed
        Words of 64 bits, and where the trees begin.

    Examples
    --------
    >>> from smartsbd.export.tree import NOT_SHARED, SHARED
    >>> table = packed(Forest((Branch("rtt_ed_4us", 7, NOT_SHARED, SHARED),)), {"rtt_ed_4us": 5})
    >>> [f"{word:016x}" for word in table.words], table.roots, table.depth
    (['4000000700000105', '8000000000000105', '8100000000000205'], (0,), 1)

    Raises
    ------
    ExportError
        If it has more nodes than 24 bits count, or a tree deeper than 8 bits.
    """
    depth = forest.size()[2]
    if depth > _DEPTH_LIMIT:
        raise ExportError(f"a tree is {depth} deep, the packed layout counts to {_DEPTH_LIMIT}")
    table = _PackedTable()
    roots = tuple(table.put_tree(tree) for tree in forest.trees)
    table.put_ends()
    if len(table.nodes) > _PLACES:
        raise ExportError(f"the forest takes {len(table.nodes)} words, the packed layout counts {_PLACES}")
    # A walk compares at a leaf too; a feature that is not taken may be anything there.
    taken = min((numbers[name] for name in forest.features()), default=0)
    words = tuple(
        _LEAF | node.vote << _VALUE_SHIFT | place << _FEATURE_BITS | taken
        if isinstance(node, Leaf)
        else (node.threshold + _BIAS) << _VALUE_SHIFT | table.sides_at[place] << _FEATURE_BITS | numbers[node.feature]
        for place, node in enumerate(table.nodes)
    )
    return Packed(words, roots, depth)


_Ints = npt.NDArray[np.int64]


def unpacked(
    words: npt.NDArray[np.uint64], features: int
) -> tuple[_Ints, _Ints, _Ints, _Ints, npt.NDArray[np.bool_], int] | None:
    """Take words apart: feature, threshold, low side, vote and whether it is a leaf, of each; and the largest depth.

    Parameters
    ----------
    words : (words,) uint64
        From anywhere.
    features : int
        How many there are.

    Returns
    -------
    tuple or None
        None if a split leads back or out of the words, a leaf is not where it says or votes for more than all, a
        feature is not there, or a walk is longer than 8 bits count: as ``sbd_load_words`` of the C.
    """
    count = len(words)
    is_leaf = (words >> np.uint64(63)).astype(np.bool_)
    feature = (words & np.uint64(0xFF)).astype(np.int64)
    place = ((words >> np.uint64(_FEATURE_BITS)) & np.uint64(_PLACES - 1)).astype(np.int64)
    value = ((words & np.uint64(_LEAF - 1)) >> np.uint64(_VALUE_SHIFT)).astype(np.int64)
    at = np.arange(count)
    good_leaf = (place == at) & ((feature == 0) | (feature < features)) & (value <= ALL_FOR)
    good_split = (place > at) & (place < count - 1) & (feature < features)
    if not np.where(is_leaf, good_leaf, good_split).all():
        return None
    level = np.zeros(count + 1, dtype=np.int64)
    for split in np.flatnonzero(~is_leaf).tolist():
        if level[split] == _DEPTH_LIMIT:
            return None
        for side in (place[split], place[split] + 1):
            level[side] = max(level[side], level[split] + 1)
    # No walk looks at the feature of a leaf, and none need be there.
    feature[is_leaf] = 0
    threshold = np.where(is_leaf, 0, value - _BIAS)
    return feature, threshold, place, np.where(is_leaf, value, 0), is_leaf, int(level.max())
