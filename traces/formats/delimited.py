"""Tables as text: lines with cells, whatever stands between them, and numbers as programs write them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

#: Stands for white space of any length between cells; any other separator is one byte.
WHITE_SPACE = b""

_MARK = b"\xef\xbb\xbf"
_COMMENTS = (b"#", b"%", b"//")
#: Lines before a header that are looked at: blank ones, comments, and what a program says before its table.
_MOST_LINES_BEFORE = 32
_NUMBER = re.compile(rb"(\d{1,19})(?:[.,](\d{1,30}))?(?:[eE]([+-]?\d{1,3}))?")
# A number that is written with an exponent beyond this is none that a column holds.
_MOST_EXPONENT = 40


def first_lines(head: bytes, longest_bytes: int) -> Iterator[tuple[int, bytes]]:
    r"""Yield (offset, line) of the first lines that a header may be: none that is blank or a comment.

    Parameters
    ----------
    head : bytes
        First bytes of the input.
    longest_bytes : int
        Of a longer line no more than this and one byte are yielded.

    Yields
    ------
    (int, bytes)
        Offset, and the line without its end; the first without a byte order mark.

    Examples
    --------
    >>> list(first_lines(b"\xef\xbb\xbf# made today\r\n\r\ntime_s,path\r\n", 100))
    [(19, b'time_s,path')]
    """
    offset = 0
    for _ in range(_MOST_LINES_BEFORE):
        end = head.find(b"\n", offset)
        whole = head[offset : end if end >= 0 else len(head)]
        line = (whole.removeprefix(_MARK) if offset == 0 else whole)[: longest_bytes + 1].rstrip(b"\r")
        if not is_aside(line):
            yield offset, line
        if end < 0:
            return
        offset = end + 1


def is_aside(line: bytes) -> bool:
    """Tell whether a line is blank, or a comment."""
    text = line.lstrip()
    return not text or text.startswith(_COMMENTS)


def uncommented(line: bytes) -> bytes:
    """Return a comment without its sign: numpy writes the header of a table in one."""
    return line.strip().lstrip(b"#%/").strip()


def cells(line: bytes, separator: bytes) -> list[bytes]:
    r"""Return the cells of a line, without white space and quotes around each.

    A cell in quotes may hold the separator. Quotes are double, or single where the line begins with one.

    Parameters
    ----------
    line : bytes
    separator : bytes
        One byte, or :data:`WHITE_SPACE`.

    Returns
    -------
    list of bytes
        Empty where quotes are broken.

    Examples
    --------
    >>> cells(b'1.5, "a b" ,"24,5"\r', b","), cells(b"1.5  a", WHITE_SPACE), cells(b"'1';'a;b'", b";")
    ([b'1.5', b'a b', b'24,5'], [b'1.5', b'a'], [b'1', b'a;b'])
    """
    if separator == WHITE_SPACE:
        return [cell.strip(b"\"'") for cell in line.split()]
    quote = b"'" if line[:1] == b"'" else b'"'
    if quote not in line:
        return [cell.strip() for cell in line.split(separator)]
    # Columns of CSV that a program wrote have no space before a quote; tables that a person wrote may.
    if not separator.isspace():
        line = re.sub(rb"[ \t]*%s[ \t]*" % re.escape(separator), lambda _: separator, line)
    text, between = line.strip(b"\r ").decode("latin-1"), separator.decode("latin-1")
    try:
        (row,) = csv.reader([text], delimiter=between, quotechar=quote.decode())
    except (csv.Error, ValueError):
        return []
    return [cell.encode("latin-1").strip() for cell in row]


def place_of(line: bytes, separator: bytes, number: int) -> int:
    """Return where a cell begins in a line, or near to it; no two cells have the same place.

    Parameters
    ----------
    line : bytes
    separator : bytes
    number : int
        Of the cell, from 0.

    Returns
    -------
    int
        Less than the line's length, unless the line is empty.
    """
    if separator == WHITE_SPACE:
        starts = [match.start() for match in re.finditer(rb"\S+", line)]
    else:
        starts = [0, *(match.start() + 1 for match in re.finditer(re.escape(separator), line))]
    return min(starts[number] if number < len(starts) else number, max(0, len(line) - 1))


def is_number(cell: bytes) -> bool:
    """Tell whether a cell is a number without a sign."""
    return _NUMBER.fullmatch(cell) is not None


def scaled(cell: bytes, power: int) -> int | None:
    """Return a number times a power of ten, truncated; None if it is none.

    The fraction follows a point or a comma; which of them a table has is for its reader to say.

    Parameters
    ----------
    cell : bytes
        Digits with or without a fraction and an exponent, and without a sign.
    power : int
        May be negative.

    Returns
    -------
    int or None

    Examples
    --------
    >>> scaled(b"12.3456", 3), scaled(b"12,3456", 3), scaled(b"5e-05", 9), scaled(b"24511000", -3), scaled(b"-1", 0)
    (12345, 12345, 50000, 24511, None)
    """
    match = _NUMBER.fullmatch(cell)
    if match is None:
        return None
    whole, fraction, exponent = match.groups(b"")
    shift = power - len(fraction)
    if exponent:
        shift += int(exponent)
        if abs(int(exponent)) > _MOST_EXPONENT:
            return None
    digits = int(whole + fraction)
    return digits * int(10**shift) if shift >= 0 else digits // int(10**-shift)


def has_comma(cell: bytes) -> bool | None:
    """Tell whether a number's fraction follows a comma; None where it has no fraction."""
    return None if b"." not in cell and b"," not in cell else b"," in cell
