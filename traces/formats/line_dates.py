"""Dates that people put before a sample, or before each line, of a tool that prints none.

A date is a line by itself (``date +%s.%N; ss -tin``), or stands before the text of a line (``ping | ts``, ``ping -D``).
Intervals are all that counts: a date without a zone is read as UTC, and so is one whose zone is a name (``CET``); one
without a year or a day is of the first one that goes on from the date before it, from the year 2000 on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

NS_PER_S = 1_000_000_000
_DAY_NS = 86_400 * NS_PER_S
#: No date is longer, with its label.
MAX_DATE_BYTES = 96
_NOON = 12
# Stands for what a date leaves out. A leap year: it has every day.
_FIRST_YEAR = 2000

_LABEL = (
    rb"(?i:[\w ]{0,16}?(?:date|time(?:[_ ]?stamp)?|epoch|now|stamp|ts|clock|sample)(?:[_ ]?(?:s|ms|us|ns|utc))?\b"
    rb" ?[:=]? ?)?"
)
_BEFORE = rb"[ \t]*(?:[#=*@>-]{1,8} ?)?" + _LABEL + rb"(?P<open>[\[(\"']?) ?"
_FRACTION = rb"(?:[.,](?P<fraction>\d{1,9}))?"
_CLOCK = (
    rb"(?P<hour>\d{1,2}):(?P<minute>\d\d):(?P<second>\d\d)" + _FRACTION + rb"(?!\d)(?: ?(?P<half>[AaPp])\.?[Mm]\b\.?)?"
)
_OFFSET = rb"(?: ?(?P<zone>Z\b|[+-]\d\d(?::?\d\d)?(?!\d)))?"
# A name is taken for a zone's where it cannot be a state of a socket, or another word of the line.
_ZONE_NAME = rb"(?:,? \(?(?:UTC|GMT|MSK|[A-Z]{1,3}[SD]T|[CEW]E(?:S)?T|WEST)\b\)?(?:[+-]\d\d:?\d\d\)?)?)?"
_YEAR = rb"(?P<year>(?:19|20)\d\d)"
# Letters beyond ASCII are bytes beyond 127, in whatever encoding.
_WORD = rb"[A-Za-z\x80-\xff]"
_MONTH = rb"(?P<month>" + _WORD + rb"{3,12})\.?"
_WEEKDAY = rb"(?:" + _WORD + rb"{2,12}\.?,? )?"

# In `date`'s own order the zone stands before the year.
_CLOCK_AND_YEAR = _CLOCK + rb"(?: [A-Z]{2,5}| [+-]\d{2,4})? " + _YEAR + rb"\b"
_CLOCK_AND_ZONE = _CLOCK + _OFFSET + _ZONE_NAME
_DAY_AND_MONTH = _WEEKDAY + rb"(?P<day>\d{1,2})\.? (?:de )?" + _MONTH
_MONTH_AND_DAY = _WEEKDAY + _MONTH + rb" {1,2}(?P<day>\d{1,2})"
# The words for year, month and day, and a day of the week.
_EASTERN_DAY = (
    rb"(?:\xe5\xb9\xb4|\xeb\x85\x84) ?(?P<number>\d\d?)(?:\xe6\x9c\x88|\xec\x9b\x94) ?"
    rb"(?P<day>\d\d?)(?:\xe6\x97\xa5|\xec\x9d\xbc)[ (]{0,2}" + _WORD + rb"{0,12}[ )]{0,2}"
)

_FORMS = tuple(
    re.compile(_BEFORE + form)
    for form in (
        # Seconds, milliseconds, microseconds or nanoseconds since 1970.
        rb"(?P<epoch>\d{9,10})[.,](?P<fraction>\d{1,9})(?!\d|[.,:]\d)",
        rb"(?P<count>[1-9]\d{9}|[1-9]\d{12}|[1-9]\d{15}|[1-9]\d{18})(?!\d|[.,:]\d)",
        # ISO 8601, and its neighbours with other signs between the numbers.
        rb"(?P<year>\d{4})[-/](?P<number>\d\d)[-/](?P<day>\d\d)[T _-]" + _CLOCK_AND_ZONE,
        _YEAR + rb"(?P<number>\d\d)(?P<day>\d\d)[T _-]?(?P<hour>\d\d):?(?P<minute>\d\d):?(?P<second>\d\d)"
        + _FRACTION + rb"(?!\d)" + _OFFSET,
        # Of Windows in German and its neighbours.
        rb"(?P<day>\d\d?)\.(?P<number>\d\d?)\." + _YEAR + rb",? " + _CLOCK_AND_ZONE,
        # `date` in Chinese, Japanese and Korean.
        _YEAR + _EASTERN_DAY + _CLOCK_AND_ZONE,
        # `date` in other languages.
        _MONTH_AND_DAY + rb",? " + _CLOCK_AND_YEAR,
        _MONTH_AND_DAY + rb",? " + _YEAR + rb",? (?:at )?" + _CLOCK_AND_ZONE,
        _DAY_AND_MONTH + rb"(?: de)? " + _YEAR + rb",? " + _CLOCK_AND_ZONE,
        _DAY_AND_MONTH + rb" " + _CLOCK_AND_YEAR,
        # `ts`.
        _MONTH_AND_DAY + rb" " + _CLOCK,
        # A time of day, as of `ping --apple-time`.
        _CLOCK,
    )
)  # fmt: skip
_UPTIME = re.compile(rb"(?P<s>\d{1,9})\.(?P<fraction>\d\d) \d{1,11}\.\d\d\s*")
_BOOT = re.compile(rb"\[ *(?P<s>\d{1,8})\.(?P<fraction>\d{1,9})\]")
_CLOSE = {b"": b"", b"[": b"]", b"(": b")", b'"': b'"', b"'": b"'"}
_BEHIND = re.compile(rb"(?: ?[:;,|>]{1,2}| -)?[ \t]")
_ENDS_LINE = re.compile(rb"[ \t]*[:#=*@<-]{0,8}\s*")
_PLACES_OF_COUNT = {10: 0, 13: 3, 16: 6, 19: 9}

# The first letters of months, in English, German, French, Spanish, Italian, Portuguese and Dutch.
_MONTHS = (
    (b"jan", b"j\xc3\xa4n", b"j\xe4n", b"ene", b"gen"),
    (b"feb", b"f\xc3\xa9v", b"f\xe9v", b"fev"),
    (b"mar", b"m\xc3\xa4r", b"m\xe4r", b"mrz", b"mrt", b"maa"),
    (b"apr", b"avr", b"abr"),
    (b"may", b"mai", b"mei", b"mag"),
    (b"jun", b"juin", b"giu"),
    (b"jul", b"juil", b"lug"),
    (b"aug", b"ao\xc3\xbb", b"ao\xfb", b"ago"),
    (b"sep", b"set"),
    (b"oct", b"okt", b"out", b"ott"),
    (b"nov",),
    (b"dec", b"dez", b"d\xc3\xa9c", b"d\xe9c", b"dic"),
)


@dataclass(frozen=True)
class LineDate:
    """The date of a line.

    Attributes
    ----------
    time_ns : int
        Since 1970, or since where the clock of the line began.
    resolution_ns : int
        What the last of its digits counts.
    end : int
        Where in the line the text behind it begins.
    """

    time_ns: int
    resolution_ns: int
    end: int


class LineDates:
    """Reads the dates of one input's lines, in their order."""

    def __init__(self) -> None:
        # Most lines of an input have the form of the line before.
        self._forms = list(_FORMS)
        self._last_ns = 0

    def alone(self, line: bytes) -> LineDate | None:
        """Return the date that a line is, None if it is another line.

        Examples
        --------
        >>> LineDates().alone(b"Timestamp: 1700000000.25").time_ns
        1700000000250000000
        >>> LineDates().alone(b"1700000000 bytes") is None
        True
        """
        if len(line) > MAX_DATE_BYTES:
            return None
        if uptime := _UPTIME.fullmatch(line):
            return LineDate(_in_ns(uptime["s"], uptime["fraction"]), NS_PER_S // 100, len(line))
        return self._first(line, is_alone=True)

    def before(self, line: bytes) -> LineDate | None:
        """Return the date before the text of a line, None if there is none, or no text.

        Examples
        --------
        >>> line = b"[1700000000.25] 64 bytes"
        >>> line[LineDates().before(line).end :]
        b'64 bytes'
        """
        return self._first(line, is_alone=False)

    def _first(self, line: bytes, *, is_alone: bool) -> LineDate | None:
        boot = _BOOT.match(line)
        if boot and (end := _end(line, boot.end(), is_alone=is_alone)) is not None:
            return LineDate(_in_ns(boot["s"], boot["fraction"]), 10 ** (9 - len(boot["fraction"])), end)
        for place, form in enumerate(self._forms):
            match = form.match(line, 0, MAX_DATE_BYTES)
            if match is None:
                continue
            closing = _CLOSE[match["open"]]
            if line[match.end() : match.end() + len(closing)] != closing:
                continue
            end = _end(line, match.end() + len(closing), is_alone=is_alone)
            dated = None if end is None else self._time(match)
            if dated is None or end is None:
                continue
            if place:
                self._forms.insert(0, self._forms.pop(place))
            self._last_ns = dated[0]
            return LineDate(*dated, end)
        return None

    def _time(self, match: re.Match[bytes]) -> tuple[int, int] | None:
        """Return time and resolution of a match, None if it is no time that there is."""
        parts = match.groupdict()
        if count := parts.get("count"):
            unit_ns: int = 10 ** (9 - _PLACES_OF_COUNT[len(count)])
            return int(count) * unit_ns, unit_ns
        fraction = parts["fraction"] or b""
        resolution_ns: int = 10 ** (9 - len(fraction))
        if epoch := parts.get("epoch"):
            return _in_ns(epoch, fraction), resolution_ns
        seconds = _seconds(parts)
        if seconds is None:
            return None
        time_ns = seconds * NS_PER_S + int(fraction.ljust(9, b"0"))
        if not parts.get("day"):
            # The day after, if the clock went back by most of a day.
            back_ns = self._last_ns - _DAY_NS // 2 - time_ns
            time_ns += max(0, -(-back_ns // _DAY_NS)) * _DAY_NS
        elif not parts.get("year") and time_ns < self._last_ns - 183 * _DAY_NS:
            year = datetime.fromtimestamp(self._last_ns // NS_PER_S, UTC).year
            for later in (year, year + 1):
                seconds = _seconds(parts | {"year": b"%d" % later})
                if seconds is not None and seconds * NS_PER_S >= self._last_ns - 183 * _DAY_NS:
                    return seconds * NS_PER_S + int(fraction.ljust(9, b"0")), resolution_ns
        return time_ns, resolution_ns


def _in_ns(seconds: bytes, fraction: bytes) -> int:
    return int(seconds) * NS_PER_S + int(fraction.ljust(9, b"0"))


def _end(line: bytes, at: int, *, is_alone: bool) -> int | None:
    """Return where the text behind a date begins; None if a date alone has text behind it, or the other way round."""
    if is_alone:
        return len(line) if _ENDS_LINE.fullmatch(line, at) else None
    behind = _BEHIND.match(line, at)
    return behind.end() if behind and line[behind.end() :].strip() else None


def _month(parts: dict[str, bytes]) -> int | None:
    if number := parts.get("number"):
        return int(number)
    word = parts.get("month", b"").lower().replace(b"\xc3\x84", b"\xc3\xa4")
    if not word:
        return 1
    # The longest beginning counts: "juin" and "juil" are not "jun" and "jul", and "mai" is not "mar".
    return next((number for number, names in enumerate(_MONTHS, 1) if word.startswith(names)), None)


def _seconds(parts: dict[str, bytes]) -> int | None:
    """Return the seconds since 1970 of a calendar's date, None if there is no such date or it is before 1970."""
    month = _month(parts)
    hour = int(parts["hour"])
    if half := parts.get("half"):
        if not 1 <= hour <= _NOON:
            return None
        hour = hour % _NOON + (_NOON if half in b"Pp" else 0)
    if month is None:
        return None
    year, day = int(parts.get("year") or _FIRST_YEAR), int(parts.get("day") or 1)
    # A leap second is the second after it.
    leap = parts["second"] == b"60"
    try:
        time = datetime(
            year,
            month,
            day,
            hour,
            int(parts["minute"]),
            59 if leap else int(parts["second"]),
            tzinfo=_zone(parts.get("zone")),
        )
    except ValueError:
        return None
    seconds = int(time.timestamp()) + leap
    return seconds if seconds >= 0 else None


def _zone(text: bytes | None) -> timezone:
    if not text or text == b"Z":
        return UTC
    digits = text[1:].replace(b":", b"").ljust(4, b"0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if text.startswith(b"-") else offset)
