"""Times of ISO 8601, as programs write them into tables: date and time, with or without a fraction and a zone."""

from __future__ import annotations

import datetime
import functools
import re
from dataclasses import dataclass

_TIME = re.compile(
    rb"(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,12}))?"
    rb"(?: ?(?:(Z|UTC|GMT)|([+-])(\d\d)(?::?(\d\d))?))?",
    re.ASCII,
)
_NS_PER_S, _NS_DIGITS = 1_000_000_000, 9
_EPOCH = datetime.date(1970, 1, 1).toordinal()
_DAY_S, _HOUR_S, _MINUTE_S = 86_400, 3_600, 60
_HOURS, _MINUTES, _LEAP_S = 24, 60, 60


@dataclass(frozen=True)
class IsoTime:
    """A time.

    Attributes
    ----------
    ns : int, nanoseconds
        Since 1970, in UTC; of a time without a zone, as if it were in UTC.
    has_zone : bool
    """

    ns: int
    has_zone: bool


@functools.lru_cache(maxsize=64)
def _day_s(date: bytes) -> int | None:
    """Return the seconds from 1970 to the beginning of a day; None if there is no such day."""
    try:
        return (datetime.date.fromisoformat(date.decode()).toordinal() - _EPOCH) * _DAY_S
    except ValueError:
        return None


def iso_time(text: bytes) -> IsoTime | None:
    """Return the time that a text is, None if it is none.

    Examples
    --------
    >>> iso_time(b"2024-01-31T12:00:00.125Z")
    IsoTime(ns=1706702400125000000, has_zone=True)
    >>> iso_time(b"2024-01-31 13:00:00,125 +0100").ns, iso_time(b"2024-01-31 12:00:00").has_zone, iso_time(b"12:00:00")
    (1706702400125000000, False, None)
    """
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    day_s = _day_s(match[1])
    hour, minute, second, zone_hour, zone_minute = (int(match[group] or 0) for group in (2, 3, 4, 8, 9))
    if day_s is None or max(hour, zone_hour) >= _HOURS or max(minute, zone_minute) >= _MINUTES or second > _LEAP_S:
        return None
    zone_s = (zone_hour * _HOUR_S + zone_minute * _MINUTE_S) * (-1 if match[7] == b"-" else 1)
    time_s = day_s + hour * _HOUR_S + minute * _MINUTE_S + second - zone_s
    fraction_ns = int((match[5] or b"")[:_NS_DIGITS].ljust(_NS_DIGITS, b"0"))
    return IsoTime(time_s * _NS_PER_S + fraction_ns, has_zone=match[6] is not None or match[7] is not None)
