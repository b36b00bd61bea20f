"""Elements of the lists with one name in JSON documents, one at a time, however long a list is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from smartsbd.traces import stored

TOO_LONG = "longer than allowed"
CUT = "its end is cut off"
BETWEEN = "no object of a list"

_SIGN = re.compile(rb'["\\\[\]{}\n]')
_SPACE = b", \t\r\n"
# Of what comes before a list, the last so many bytes are kept.
_BEFORE_BYTES = 1 << 16
_KEY_BYTES = 64
_MOST = 1 << 63


@dataclass(frozen=True)
class ListBegins:
    """A list begins; `before` is the text from the end of the list before, or its last 64 KiB."""

    before: bytes


@dataclass(frozen=True)
class Element:
    """An object of a list: where it begins, its text, and why it is refused if it is."""

    offset: int
    text: bytes
    refused: str = ""

    def parsed(self) -> dict[str, Any] | None:
        """Return the object, its fractions as decimals; None if it is none."""
        return None if self.refused else parsed(self.text)


def parsed(text: bytes) -> dict[str, Any] | None:
    """Return an object of JSON, None if the text is none.

    Examples
    --------
    >>> parsed(b'{"a": 1.5}'), parsed(b"[1]")
    ({'a': Decimal('1.5')}, None)
    """
    try:
        value = json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError, ArithmeticError):
        return None
    return value if isinstance(value, dict) else None


def integer(value: Any, power: int = 0) -> int | None:
    """Return a number times a power of ten, truncated; None if it is none, or too large.

    Examples
    --------
    >>> integer(Decimal("1.5"), 3), integer(7), integer("7"), integer(True)
    (1500, 7, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    return int(value * 10**power) if -_MOST < value < _MOST else None


class _Lists:
    """Cuts the objects out of the lists with one name, as the document comes; holds no more than one of them.

    A string ends at a line's end, where JSON has none: what is broken there does not take the rest with it.
    """

    def __init__(self, name: str, most_bytes: int) -> None:
        self._key = re.compile(rb'"' + re.escape(name.encode()) + rb'"\s*:\s*$')
        self._most_bytes = most_bytes
        self._depth = 0
        # Depth within the list that is open, 0 outside of one.
        self._list_depth = 0
        self._in_string = False
        self._escaped_at = -1
        self._kept = bytearray()
        self._from = 0
        self._is_long = False

    def feed(self, block: bytes, at: int) -> Iterator[Element | ListBegins]:
        """Yield what ends in a block, which begins at `at`."""
        done = 0
        for match in _SIGN.finditer(block):
            place, sign = match.start(), match[0]
            if at + place == self._escaped_at:
                continue
            if self._in_string or sign in b'"\\\n':
                self._within_string(sign, at + place)
                continue
            end = place + (sign in b"]}")
            self._keep(block[done:end])
            done = end
            if sign in b"[{":
                yield from self._opens(sign, at + place)
            else:
                yield from self._closes(at + end)
        self._keep(block[done:])

    def _within_string(self, sign: bytes, offset: int) -> None:
        if sign == b"\\":
            self._escaped_at = offset + 1 if self._in_string else -1
        else:
            self._in_string = sign == b'"' and not self._in_string

    def _opens(self, sign: bytes, offset: int) -> Iterator[Element | ListBegins]:
        if not self._list_depth and sign == b"[" and self._key.search(self._kept[-_KEY_BYTES:]):
            yield ListBegins(bytes(self._kept))
            self._list_depth = self._depth + 1
            self._begin(offset)
        elif self._list_depth and self._depth == self._list_depth:
            yield from self._between()
            self._begin(offset)
        self._depth += 1

    def _closes(self, offset: int) -> Iterator[Element]:
        self._depth = max(0, self._depth - 1)
        if self._list_depth and self._depth == self._list_depth:
            yield self._element()
            self._begin(offset)
        elif self._list_depth and self._depth < self._list_depth:
            yield from self._between()
            self._list_depth = 0
            self._begin(offset)

    def _begin(self, offset: int) -> None:
        self._kept.clear()
        self._from, self._is_long = offset, False

    def _keep(self, text: bytes) -> None:
        self._kept += text
        if not self._list_depth:
            del self._kept[:-_BEFORE_BYTES]
        elif len(self._kept) > self._most_bytes:
            self._is_long = True
            del self._kept[self._most_bytes :]

    def _element(self, refused: str = "") -> Element:
        return Element(self._from, bytes(self._kept), refused or (TOO_LONG if self._is_long else ""))

    def _between(self) -> Iterator[Element]:
        """Yield what lies between two objects and is none, as one that is refused."""
        if self._kept.strip(_SPACE + b"[]"):
            yield self._element(BETWEEN)

    def rest(self) -> Iterator[Element]:
        """Yield an object that the end of the file cuts off."""
        if self._list_depth and self._depth > self._list_depth:
            yield self._element(CUT)
        elif self._list_depth:
            yield from self._between()


def lists(path: Path, name: str, most_bytes: int) -> Iterator[Element | ListBegins]:
    """Yield the objects of all lists with a name in a file of JSON documents.

    Parameters
    ----------
    path : Path
    name : str
    most_bytes : int
        Of an object.

    Yields
    ------
    Element or ListBegins
        The latter before the elements of each list.

    Raises
    ------
    UnreadableInputError
        As :func:`stored.blocks` does.
    """
    cut, at = _Lists(name, most_bytes), 0
    for block in stored.blocks(path):
        yield from cut.feed(block, at)
        at += len(block)
    yield from cut.rest()
