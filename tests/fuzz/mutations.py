"""Changes to an input that leave most of it whole: other numbers and lines in a log, other packets in a capture."""

from __future__ import annotations

import io
import re
import struct
import zipfile
from collections.abc import Callable
from random import Random

#: Changes any bytes, to at most so many.
Mutate = Callable[[bytes, int], bytes]
#: What is put in place of a number: the ends of what tables, int64 and Python itself hold, and texts that are none.
NUMBERS = [
    str(number).encode()
    for number in (0, 1, 4, 5, 255, 256, 9999, 2**15, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**62, 2**63, 2**64)
] + [b"-1", b"1e400", b"NaN", b"9" * 9, b"9" * 10, b"9" * 17, b"9" * 18, b"9" * 19, b"9" * 5000, b"0" * 18, b"0x8", b""]

_ORDERS = {b"\xa1\xb2\xc3\xd4": ">", b"\xa1\xb2\x3c\x4d": ">", b"\xd4\xc3\xb2\xa1": "<", b"\x4d\x3c\xb2\xa1": "<"}
_SECTION = b"\x0a\x0d\x0d\x0a"
_HEADER_BYTES, _RECORD_BYTES, _BLOCK_BYTES = 24, 16, 12


def _order(content: bytes) -> str:
    """Return the byte order of a capture."""
    return (">" if content[8:12] == b"\x1a\x2b\x3c\x4d" else "<") if _is_blocks(content) else _ORDERS[content[:4]]


def _is_blocks(content: bytes) -> bool:
    return content.startswith(_SECTION)


def pieces(content: bytes) -> list[bytes]:
    """Return the header of a capture and its records, or its blocks, of which the last may be broken; else nothing."""
    if not _is_blocks(content) and content[:4] not in _ORDERS:
        return []
    order, found, at = _order(content), [], 0
    if not _is_blocks(content):
        found, at = [content[:_HEADER_BYTES]], _HEADER_BYTES
    while at < len(content):
        if _is_blocks(content):
            field = content[at + 4 : at + 8]
            size = struct.unpack(order + "I", field)[0] if len(field) == 4 else 0
            size = size if size >= _BLOCK_BYTES else len(content)
        else:
            field = content[at + 8 : at + 12]
            size = _RECORD_BYTES + (struct.unpack(order + "I", field)[0] if len(field) == 4 else 0)
        found.append(content[at : at + size])
        at += size
    return found


def _fitted(piece: bytes, order: str, *, block: bool) -> bytes:
    """Return a record or block whose lengths say how long it is."""
    if block:
        whole = piece[:-4] + bytes(-len(piece) % 4)
        size = struct.pack(order + "I", len(whole) + 4)
        return whole[:4] + size + whole[8:] + size
    return piece[:8] + struct.pack(order + "I", len(piece) - _RECORD_BYTES) + piece[12:]


def log(content: bytes, most: int, seed: int, mutate: Mutate) -> bytes:
    """Return a text with other numbers, or lines lost, repeated or moved; half the time, with any bytes changed.

    Parameters
    ----------
    content : bytes
    most : int, bytes
        How long the result may be.
    seed : int
    mutate : callable
    """
    random = Random(seed)  # noqa: S311 - nothing secret
    if random.random() < 0.5:
        return mutate(content, most)
    for _ in range(random.randint(1, 3)):
        digits = list(re.finditer(rb"\d+", content))
        lines = content.splitlines(keepends=True)
        if digits and random.random() < 0.75:
            one = random.choice(digits)
            near = [b"%d" % max(0, int(one[0]) + step) for step in (-1, 1)] if len(one[0]) < 20 else []
            # Often that of another field: an earlier time, the other subflow.
            known = random.choice(digits)[0]
            content = content[: one.start()] + random.choice([*NUMBERS, *near, *[known] * 8]) + content[one.end() :]
        elif lines:
            at = random.randrange(len(lines))
            how = random.choice(["lose", "repeat", "move"])
            line = lines[at] if how == "repeat" else lines.pop(at)
            if how != "lose":
                lines.insert(random.randint(0, len(lines)), line)
            content = b"".join(lines)
    return content[:most]


def capture(content: bytes, most: int, seed: int, mutate: Mutate) -> bytes:
    """Return a capture with packets lost, repeated, moved, or changed inside; half the time, with any bytes changed.

    Parameters
    ----------
    content : bytes
    most : int, bytes
        How long the result may be.
    seed : int
    mutate : callable
    """
    random = Random(seed)  # noqa: S311 - nothing secret
    found = pieces(content)
    if len(found) < 2 or random.random() < 0.5:
        return mutate(content, most)
    order, block = _order(content), _is_blocks(content)
    smallest = _BLOCK_BYTES if block else _RECORD_BYTES
    for _ in range(random.randint(1, 3)):
        at = random.randrange(1, len(found))
        how = random.choice(["inside", "inside", "head", "lose", "repeat", "move"])
        if how in ("inside", "head") and len(found[at]) >= smallest:
            # A packet's own bytes, or its time and lengths before them.
            head = smallest if block else (_RECORD_BYTES if how == "inside" else 0)
            head = min(head + 16 * (how == "inside" and block), len(found[at]))
            inner = mutate(found[at][head:], len(found[at]) + 16)
            changed = found[at][:head] + inner
            found[at] = _fitted(changed, order, block=block) if len(changed) >= smallest else found[at]
        elif how == "lose" and len(found) > 2:
            del found[at]
        elif how == "repeat":
            found.insert(random.randrange(1, len(found) + 1), found[at])
        else:
            found.insert(random.randrange(1, len(found)), found.pop(at))
    return b"".join(found)[:most]


def by_kind(content: bytes, most: int, seed: int, mutate: Mutate) -> bytes:
    """Return a capture changed as :func:`capture` does, and all else as :func:`log` does."""
    return (capture if pieces(content) else log)(content, most, seed, mutate)


def any_bytes(content: bytes, most: int, _seed: int, mutate: Mutate) -> bytes:
    """Return an input with any bytes changed."""
    return mutate(content, most)


def archive(content: bytes, most: int, seed: int, mutate: Mutate) -> bytes:
    """Return a zip archive with one member changed, its checksum right, or seldom with any bytes changed.

    Parameters
    ----------
    content : bytes
    most : int, bytes
        How long the result may be.
    seed : int
    mutate : callable
    """
    random = Random(seed)  # noqa: S311 - nothing secret
    parts = _members(content, 8 * most)
    if not parts or random.random() < 0.2:
        return mutate(content, most)
    # Text, half the time; of numbers the head, where their type and shape are.
    name = random.choice([*sorted(parts), *[name for name in parts if name.endswith(".json")] * len(parts)])
    if name.endswith(".json"):
        parts[name] = log(parts[name], len(parts[name]) + 64, random.randrange(1 << 32), mutate)
    else:
        parts[name] = mutate(parts[name], len(parts[name]) + 16)
    changed = io.BytesIO()
    with zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archived:
        for one, part in parts.items():
            archived.writestr(zipfile.ZipInfo(one), part, zipfile.ZIP_DEFLATED)
    whole = changed.getvalue()
    return whole if len(whole) <= most else mutate(content, most)


def _members(content: bytes, most: int) -> dict[str, bytes]:
    """Return the members of an archive; none if it is broken, or holds more than so many bytes."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archived:
            if sum(one.file_size for one in archived.infolist()) > most:
                return {}
            return {name: archived.read(name) for name in archived.namelist()}
    except Exception:
        # Whatever is wrong with it, its bytes are changed.
        return {}
