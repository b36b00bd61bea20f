"""Model files, which a sender loads in place of a compiled header (``sbd_load`` of the C), and judging by them here.

Little-endian: "SBDMODEL", u32 version, u32 features, u32 trees, u32 words; names of the features, 32 bytes each,
zeros behind; u32 where each tree begins; the words, a split's feature being its place among the names
(:mod:`smartsbd.export.packed`); u32 CRC-32 of all before.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from smartsbd.contracts.fault import InputFault
from smartsbd.export.packed import packed, unpacked
from smartsbd.export.tree import ALL_FOR, Forest
from smartsbd.features import catalog

MAGIC = b"SBDMODEL"
VERSION = 1
_HEAD = struct.Struct("<8sIIII")
_NAME = struct.Struct("<32s")
_COUNT = struct.Struct("<I")
_WORD = struct.Struct("<Q")
#: The most that a model may have, as SBD_LOADED_TREES and SBD_LOADED_WORDS of the C.
MOST_TREES, MOST_WORDS = 256, 1 << 16


_UNKNOWN = "a model of features this program does not know"
_BAD_NODE = "damaged: a node leads nowhere, back, or to no feature"


class ModelFileError(InputFault):
    """Bytes that are no model file; the message says why."""


def content(forest: Forest, features: Sequence[str] | None = None) -> bytes:
    """Return the bytes of a model's file.

    Parameters
    ----------
    forest : Forest
    features : sequence of str, optional
        Features a sender computes for it; those it takes, unless more are named.

    Returns
    -------
    bytes
        The format is in this module's description.
    """
    names = forest.features() if features is None else tuple(features)
    table = packed(forest, {name: number for number, name in enumerate(names)})
    body = b"".join(
        [
            _HEAD.pack(MAGIC, VERSION, len(names), len(table.roots), len(table.words)),
            *(_NAME.pack(name.encode()) for name in names),
            *(_COUNT.pack(root) for root in table.roots),
            *(_WORD.pack(word) for word in table.words),
        ]
    )
    return body + _COUNT.pack(zlib.crc32(body))


@dataclass(frozen=True)
class Loaded:
    """A model read from a file.

    Attributes
    ----------
    feature_names : tuple of str
        What it takes, in order.
    roots : (trees,) int64
        Words at which the trees begin.
    feature, threshold, low, vote : (words,) int64
        Of a split: place of its feature, what is at most this goes low, word of its low side, the high one being the
        next. Of a leaf: its vote, and itself as either side.
    is_leaf : (words,) bool
    depth : int
        Of the deepest tree.
    """

    feature_names: tuple[str, ...]
    roots: npt.NDArray[np.int64]
    feature: npt.NDArray[np.int64]
    threshold: npt.NDArray[np.int64]
    low: npt.NDArray[np.int64]
    vote: npt.NDArray[np.int64]
    is_leaf: npt.NDArray[np.bool_]
    depth: int

    def votes(self, x: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the votes of all trees for a shared bottleneck, of :data:`~smartsbd.export.tree.ALL_FOR` each.

        Parameters
        ----------
        x : (rows, features) int64

        Returns
        -------
        (rows,) int64
            From 0 to :data:`~smartsbd.export.tree.ALL_FOR` times the number of trees.
        """
        votes = np.zeros(len(x), dtype=np.int64)
        rows = np.arange(len(x))
        for root in self.roots:
            at = np.full(len(x), root, dtype=np.int64)
            for _ in range(self.depth):
                high = ~self.is_leaf[at] & (x[rows, self.feature[at]] > self.threshold[at])
                at = self.low[at] + high
            votes += self.vote[at]
        return votes

    def shares(self, x: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the share of the votes that is for a shared bottleneck; more than half says shared."""
        shares: npt.NDArray[np.float64] = self.votes(x) / (len(self.roots) * ALL_FOR)
        return shares


def read(content: bytes) -> Loaded:
    """Read a model's file; nothing of it is used before all is checked, as by ``sbd_load`` of the C.

    Returns
    -------
    Loaded
        Ready to judge.

    Raises
    ------
    ModelFileError
        If it is no model file, of another version, damaged, too large, or takes features that are not known.
    """
    if len(content) < _HEAD.size + _COUNT.size or not content.startswith(MAGIC):
        raise ModelFileError("no model file")
    _, version, features, trees, words = _HEAD.unpack_from(content)
    if version != VERSION:
        raise ModelFileError(f"a model file of another version: {version}, known is {VERSION}")
    known = {feature.name.encode(): feature.name for feature in catalog.FEATURES if feature.exportable}
    if features > len(known):
        raise ModelFileError(_UNKNOWN)
    if trees > MOST_TREES or words > MOST_WORDS:
        raise ModelFileError(
            f"too large a model: {trees} trees and {words} words, {MOST_TREES} and {MOST_WORDS} may be"
        )
    roots_at = _HEAD.size + features * _NAME.size
    words_at = roots_at + trees * _COUNT.size
    end = words_at + words * _WORD.size
    (checksum,) = _COUNT.unpack_from(content, len(content) - _COUNT.size)
    if not trees or not words or end != len(content) - _COUNT.size or checksum != zlib.crc32(content[:end]):
        raise ModelFileError("damaged: its length or its checksum is wrong")
    raw_names = [raw_name.rstrip(b"\0") for (raw_name,) in _NAME.iter_unpack(content[_HEAD.size : roots_at])]
    if not all(name in known for name in raw_names):
        raise ModelFileError(_UNKNOWN)
    roots = np.frombuffer(content[roots_at:words_at], dtype="<u4").astype(np.int64)
    if (roots >= words).any():
        raise ModelFileError(_BAD_NODE)
    table = unpacked(np.frombuffer(content[words_at:end], dtype="<u8"), features)
    if table is None:
        raise ModelFileError(_BAD_NODE)
    return Loaded(tuple(known[name] for name in raw_names), roots, *table)
