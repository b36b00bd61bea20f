"""Lines of a text that may be UTF-16, as Windows' shells write it: they become UTF-8, others stay as they are."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

from smartsbd.traces import stored

_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_UNIT_BYTES = 2
_LAST_OF_ONE_UNIT = "\uffff"


def _codec(head: bytes) -> str | None:
    """Return the codec of a text of UTF-16, None of another."""
    codec = _MARKS.get(head[:_UNIT_BYTES])
    if codec is None and len(head) > _UNIT_BYTES and head[0] and head[2] and not head[1] and not head[3:4].strip(b"\0"):
        # Without a mark, and begins with letters of ASCII.
        return "utf-16-le"
    return codec


def utf8(head: bytes) -> bytes:
    """Return the first bytes of a text in UTF-8 if they are UTF-16, else as they are.

    Examples
    --------
    >>> utf8("a".encode("utf-16")), utf8(b"a")
    (b'a', b'a')
    """
    codec = _codec(head)
    return head if codec is None else head.decode(codec, "replace").removeprefix("\ufeff").encode("utf-8", "replace")


def lines(path: Path, longest_bytes: int) -> Iterator[tuple[int, bytes]]:
    """Yield (offset, line) of a text, as :func:`stored.lines` does; lines of UTF-16 become UTF-8.

    Parameters
    ----------
    path : Path
    longest_bytes : int
        Of a longer line only so many and one are there.

    Yields
    ------
    (int, bytes)
        Offset in decompressed bytes, and the line.

    Raises
    ------
    UnreadableInputError
        As :func:`stored.blocks` does.
    """
    codec = _codec(stored.head(path))
    if codec is None:
        yield from stored.lines(path, longest_bytes)
        return
    decoder = codecs.getincrementaldecoder(codec)("replace")
    offset, skipped, rest = 0, 0, ""
    for block in stored.blocks(path):
        pieces = (rest + decoder.decode(block)).split("\n")
        rest = pieces.pop()
        for piece in pieces:
            yield offset, _line(piece, longest_bytes)
            offset += _size_bytes(piece) + skipped + _UNIT_BYTES
            skipped = 0
        if len(rest) > longest_bytes:
            skipped += _size_bytes(rest[longest_bytes + 1 :])
            rest = rest[: longest_bytes + 1]
    if rest:
        yield offset, _line(rest, longest_bytes)


def _line(text: str, longest_bytes: int) -> bytes:
    # Cut as text first: the line may be as long as a block.
    return text[: longest_bytes + 1].removeprefix("\ufeff").encode("utf-8", "replace")[: longest_bytes + 1]


def _size_bytes(text: str) -> int:
    """Return how long a text is in UTF-16."""
    return _UNIT_BYTES * (len(text) + sum(letter > _LAST_OF_ONE_UNIT for letter in text))
