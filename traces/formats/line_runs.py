"""Lines of a log, of which those that say what is known to be good are taken in many at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from smartsbd.traces import stored

#: Takes lines of some content, from one place to another; returns where the first that it does not take begins.
Take = Callable[[bytes, int, int], int]

#: Decompressed bytes that lines are taken from at once: what is packed comes in small blocks.
PIECE_BYTES = 1 << 18


def _taken_out(held: list[bytes]) -> bytes:
    whole = b"".join(held)
    held.clear()
    return whole


def _pieces(path: Path) -> Iterator[bytes]:
    """Yield the content in larger pieces than ``stored.blocks`` does, also all that comes before an error."""
    held: list[bytes] = []
    size = 0
    try:
        for block in stored.blocks(path):
            held.append(block)
            size += len(block)
            if size >= PIECE_BYTES:
                # Nothing of it is kept here while it is used.
                yield _taken_out(held)
                size = 0
    except Exception:
        yield _taken_out(held)
        raise
    yield _taken_out(held)


def _contents(rest: bytes, piece: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield the line that ends in a piece, and the piece behind it, each with where it begins: no more is copied."""
    behind = piece.find(b"\n") + 1
    if rest:
        yield rest + (piece[:behind] or piece), 0
    if behind or not rest:
        yield piece, behind if rest else 0


def left(path: Path, longest_bytes: int, take: Take) -> Iterator[tuple[int, bytes]]:
    """Yield what ``stored.lines`` does, except lines that are taken: never the first, nor a longer one.

    What the lines before it say has been taken in, and nothing behind it, when a line is yielded.

    Parameters
    ----------
    path : Path
    longest_bytes : int
    take : Take
        Receives content, and where whole lines begin and end in it.

    Yields
    ------
    (int, bytes)
        Where the line begins in the decompressed content, and its bytes without the line end.

    Raises
    ------
    UnreadableInputError
        As :func:`smartsbd.traces.stored.blocks` does.
    """
    offset = 0
    rest = b""
    skipped = 0
    is_left = True
    for piece in _pieces(path):
        for content, begin in _contents(rest, piece):
            at = begin
            base = offset - at
            end_of_lines = content.rfind(b"\n") + 1
            while True:
                if not is_left and at < end_of_lines:
                    at = take(content, at, end_of_lines)
                end = content.find(b"\n", at)
                if end < 0:
                    break
                yield base + at, content[at : min(end, at + longest_bytes + 1)]
                at = end + 1
                base += skipped
                skipped, is_left = 0, False
            offset = base + at
        rest = content[at:]
        del content, piece
        if len(rest) > longest_bytes:
            skipped += len(rest) - longest_bytes - 1
            rest = rest[: longest_bytes + 1]
            is_left = True
    if rest:
        yield offset, rest
