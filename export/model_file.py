"""Model files: what a sender loads in place of a compiled header (``sbd_load`` of the C).

Little-endian: "SBDMODEL", u32 version, u32 features, u32 trees, u32 words; names of the features, 32 bytes each,
zeros behind; u32 where each tree begins; the words, a split's feature being its place among the names
(:mod:`export.packed`); u32 CRC-32 of all before.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

from export.packed import packed
from export.tree import Forest

MAGIC = b"SBDMODEL"
VERSION = 1
_HEAD = struct.Struct("<8sIIII")
_NAME = struct.Struct("<32s")
_COUNT = struct.Struct("<I")
_WORD = struct.Struct("<Q")


def content(forest: Forest, features: Sequence[str] | None = None) -> bytes:
    """Return the bytes of a model's file.

    Parameters
    ----------
    forest : Forest
    features : sequence of str, optional
        Features a sender computes for it; those it takes, unless more are named.
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
