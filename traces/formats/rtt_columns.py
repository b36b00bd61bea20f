"""Which columns of a table are times, paths and RTTs, told by their names; what is not clear is refused.

The name of a column is read whatever its case and whatever stands between its words: ``rtt_ms``, ``RTT (ms)`` and
``Rtt [msec]`` are one. A column of times is ``time``, ``timestamp`` or the like, one of RTTs ``rtt``, each with its
unit. A table is long, with a column ``path`` and one of RTTs; or wide, with a column of RTTs for each path, named after
it (``wlan0_rtt_ms``); or of one path.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from smartsbd.contracts.fault import InputFault, printable
from smartsbd.traces.formats import delimited

#: Powers of ten between a unit and nanoseconds, by the unit's names.
UNITS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 9),
    **dict.fromkeys(("ms", "msec", "msecs", "millis", "millisecond", "milliseconds"), 6),
    **dict.fromkeys(("us", "usec", "usecs", "micros", "microsecond", "microseconds"), 3),
    **dict.fromkeys(("ns", "nsec", "nsecs", "nanos", "nanosecond", "nanoseconds"), 0),
}
#: Of nanoseconds, for RTTs in microseconds.
_US_POWER = -3
_TIMES = frozenset(
    {*("time", "timestamp", "ts", "t", "epoch", "datetime", "date", "elapsed"), "epochtime", "timeepoch"}
    | {"unixtime", "unixtimestamp", "unix"}
)
_PATHS = frozenset({"path", "pathid", "pathname", "subflow", "subflowid", "interface", "iface", "ifname", "link"})
_BYTES = frozenset({"bytes", "ackedbytes", "bytesacked"})
#: What numbers the rows, as pandas writes it.
_INDEX = frozenset({"", "index", "unnamed0", "level0", "indexlevel0"})
#: A column of RTTs that is named by one of these has no samples of a path.
_STATISTICS = frozenset(
    {"min", "max", "avg", "average", "mean", "median", "mdev", "std", "stddev", "var", "variance", "dev", "jitter"}
    | {"minimum", "maximum", "smoothed", "smooth", "count", "samples", "loss", "sum", "total", "ewma", "diff"}
    | {"p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "q1", "q3", "quantile", "percentile"}
)
_RTT = re.compile(r"(?<![A-Za-z0-9])rtt(?![A-Za-z0-9])", re.IGNORECASE)
_UNIT = re.compile(rf"(?<![A-Za-z0-9])({'|'.join(UNITS)})(?![A-Za-z0-9])", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z0-9]+")
# A name of tshark's fields: such a table is of packets.
_FIELD = re.compile(rb"(?:frame|eth|ip|ipv6|tcp|udp|mptcp|quic|_ws)\.[\w.]+")
# What may be the name of a column, where nothing but the word RTT says that the line is a header.
_NAME = re.compile(rb"[A-Za-z_][\w .()\[\]/-]{0,63}")

#: Of the names that the user reads.
_MOST_NAMES, _MOST_LETTERS = 12, 32
WANTED = (
    "wanted: time_s (or time_ms, time_us, time_ns; time or timestamp where it is ISO 8601 or seconds since 1970),"
    " path, rtt_ms (or rtt_s, rtt_us, rtt_ns), and bytes if there are any; or in place of path and rtt_ms a column"
    " such as wlan0_rtt_ms for each path"
)
_KNOWN = (
    *(f"{base}_{unit}" for base in ("time", "timestamp", "rtt") for unit in ("s", "ms", "us", "ns")),
    *("time", "timestamp", "path", "rtt", "bytes"),
)


class Typed(Enum):
    """What the type of a column says, in files that have types: the unit of its numbers is then nanoseconds."""

    DATE = "date"
    DURATION = "duration"


class ColumnsError(InputFault):
    """Columns that are no table of RTTs, or not clearly one."""


@dataclass(frozen=True)
class _Name:
    """A column's name in parts."""

    text: str
    base: str
    unit: int | None
    #: What is left of the name of a column of RTTs, None of other columns.
    path: str | None

    @classmethod
    def of(cls, name: bytes) -> _Name:
        # The micro sign, and the Greek letter that looks like it.
        text = name.decode("utf-8", "replace").replace("\N{MICRO SIGN}", "u").replace("\N{GREEK SMALL LETTER MU}", "u")
        words = [word.lower() for word in _WORD.findall(text)]
        unit = UNITS[words[-1]] if len(words) > 1 and words[-1] in UNITS else None
        base = "".join(words if unit is None else words[:-1])
        rtts = list(_RTT.finditer(text))
        if len(rtts) != 1:
            return cls(text, base, unit, None)
        before, after = text[: rtts[0].start()], text[rtts[0].end() :]
        # The unit is the last word, or the one behind `rtt`.
        units = [match for match in _UNIT.finditer(after) if not (_WORD.search(after[match.end() :]))]
        units = units or [match for match in _UNIT.finditer(after) if not _WORD.search(after[: match.start()])]
        if units:
            unit = UNITS[units[0][1].lower()]
            after = after[: units[0].start()] + " " + after[units[0].end() :]
        left = [_stripped(part) for part in (before, after)]
        return cls(text, "rtt", unit, "_".join(part for part in left if part))


def _stripped(text: str) -> str:
    """Return text without what stands between words at its ends."""
    return text.strip(" \t_-.:/()[]{}|#")


@dataclass(frozen=True)
class RttColumn:
    """A column of RTTs.

    Attributes
    ----------
    place : int
    power : int
        Of ten, from its unit to microseconds.
    path : bytes or None
        Name of its path; None where another column names it, or nothing does.
    """

    place: int
    power: int
    path: bytes | None = None


@dataclass(frozen=True)
class RttColumns:
    """Where the columns of a table are.

    Attributes
    ----------
    cells : int
        Of a row.
    time : int
    time_power : int or None
        Of ten, from its unit to nanoseconds; None if its name has no unit.
    time_name : str
    rtts : tuple of RttColumn
    path : int or None
        None in a wide table, and in one of one path.
    acked : int or None
    """

    cells: int
    time: int
    time_power: int | None
    time_name: str
    rtts: tuple[RttColumn, ...]
    path: int | None
    acked: int | None


@dataclass
class _ColumnsByKind:
    """Columns by what they are; each a list of places."""

    names: Sequence[_Name]
    time: list[int] = field(default_factory=list)
    path: list[int] = field(default_factory=list)
    rtt: list[int] = field(default_factory=list)
    acked: list[int] = field(default_factory=list)
    other: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        for place, name in enumerate(self.names):
            if name.base == "rtt" and name.path is not None:
                self.rtt.append(place)
            elif name.base in _TIMES:
                self.time.append(place)
            elif name.base in _PATHS and name.unit is None:
                self.path.append(place)
            elif name.base in _BYTES and name.unit is None:
                self.acked.append(place)
            elif name.base not in _INDEX or not _is_blank_index(name.text):
                self.other.append(place)


def _is_blank_index(text: str) -> bool:
    """Tell whether a name that has no words has no other letters either: those of another script are a name."""
    return bool(_WORD.search(text)) or not _stripped(text)


def shown(name: str) -> str:
    """Return a column's name as the user reads it, in quotes."""
    return repr(printable(name if len(name) <= _MOST_LETTERS else name[:_MOST_LETTERS] + "..."))


def _refusal(why: str, names: Sequence[_Name]) -> ColumnsError:
    found = ", ".join(shown(name.text) for name in names[:_MOST_NAMES])
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ColumnsError(f"{why}; columns found: {found}{more}; {WANTED}")


def _nearest(text: str) -> str:
    if "srtt" in text.lower():
        # Its name is near to that of a sample, which it is not.
        return " (a smoothed RTT is no sample)"
    near = difflib.get_close_matches(text.lower()[:64], _KNOWN, 1, 0.6)
    return f" (the nearest known name is {near[0]})" if near else ""


def _listed(names: Sequence[_Name], places: Sequence[int]) -> str:
    return ", ".join(shown(names[place].text) for place in places[:_MOST_NAMES])


def columns_of(
    header: Sequence[bytes], unit: str | None = None, typed: Mapping[int, Typed] | None = None
) -> RttColumns:
    """Return the columns of a table.

    Parameters
    ----------
    header : sequence of bytes
        Their names.
    unit : str, optional
        Of RTTs in columns whose names have none: ``s``, ``ms``, ``us`` or ``ns``.
    typed : mapping of int to Typed, optional
        What their types say, by place.

    Returns
    -------
    RttColumns

    Raises
    ------
    ColumnsError
        If a column is missing, occurs twice, is unknown, or has no unit.
    """
    typed = typed or {}
    names = [_Name.of(name) for name in header]
    found = _ColumnsByKind(names)
    if not found.time:
        # An index of dates needs no name.
        found.time = [place for place, kind in typed.items() if kind is Typed.DATE and names[place].base in _INDEX]
    for what, places in (("times", found.time), ("paths", found.path), ("bytes", found.acked)):
        if len(places) > 1:
            raise _refusal(_twice(what, names, places), names)
    if not found.time:
        raise _refusal("no column of times" + _near_missing(names, found.other), names)
    statistics = [place for place in found.rtt if _is_statistic(names[place].path or "")]
    if statistics:
        raise _refusal(f"{_listed(names, statistics)}: no samples of a path; leave out what is no sample", names)
    rtts = _rtt_columns(found, unit, typed)
    (time,) = found.time
    return RttColumns(
        cells=len(names),
        time=time,
        time_power=0 if time in typed else names[time].unit,
        time_name=names[time].text,
        rtts=tuple(rtts),
        path=found.path[0] if found.path else None,
        acked=found.acked[0] if found.acked else None,
    )


def _is_statistic(text: str) -> bool:
    return any(word.lower() in _STATISTICS for word in _WORD.findall(text))


def _twice(what: str, names: Sequence[_Name], places: Sequence[int]) -> str:
    if len({names[place].text for place in places}) == 1:
        return f"column {shown(names[places[0]].text)} is twice"
    return f"a table has one column of {what}, and {_listed(names, places)} are {len(places)}"


def _near_missing(names: Sequence[_Name], places: Sequence[int]) -> str:
    """Return what the unknown columns may be."""
    near = [(names[place].text, _nearest(names[place].text)) for place in places[:_MOST_NAMES]]
    return "".join(f"; {shown(text)} is unknown{hint}" for text, hint in near if hint)


def _rtt_columns(found: _ColumnsByKind, unit: str | None, typed: Mapping[int, Typed]) -> list[RttColumn]:
    """Return the columns of RTTs, one for each path of a wide table.

    Raises
    ------
    ColumnsError
        If it is not clear which these are, or what their unit is.
    """
    names = found.names
    places = found.rtt
    is_wide = any(names[place].path for place in places)
    if not places and not found.path and not found.acked and unit is not None:
        # The user says that the numbers are RTTs: each further column is a path.
        places, found.other, is_wide = found.other, [], True
    if found.other:
        name = names[found.other[0]].text
        hint = _nearest(name)
        if not (places or found.path or found.acked):
            hint += " (if each further column has the RTTs of a path, say --unit ms or the like)"
        raise _refusal(f"column {shown(name)} is unknown{hint}", names)
    if not places:
        raise _refusal("no column of RTTs", names)
    if is_wide and (found.path or found.acked):
        raise _refusal(f"{_listed(names, [*found.path, *found.acked])} in a table with a column for each path", names)
    if len(places) > 1 and not all(names[place].path is None or names[place].path for place in places):
        raise _refusal(_twice("RTTs", names, places), names)
    columns = [RttColumn(place, _rtt_power(names, place, unit, typed), _path_of(names[place])) for place in places]
    if not is_wide:
        return [RttColumn(columns[0].place, columns[0].power)]
    if len({column.path for column in columns}) < len(columns):
        raise _refusal("two columns of one path", names)
    return columns


def _path_of(name: _Name) -> bytes:
    return (name.text if name.path is None else name.path).encode("utf-8", "replace")


def _rtt_power(names: Sequence[_Name], place: int, unit: str | None, typed: Mapping[int, Typed]) -> int:
    """Return the power of ten from a column's unit to microseconds.

    Raises
    ------
    ColumnsError
        If nothing says the unit, or two units are said of a column that is not named an RTT.
    """
    name = names[place]
    if typed.get(place) is Typed.DURATION:
        return _US_POWER
    said = name.unit
    if said is None and unit is None:
        raise _refusal(
            f"column {shown(name.text)} names no unit: name it {_with_unit(name)} or the like, or say --unit ms", names
        )
    if said is not None and unit is not None and name.path is None and said != UNITS[unit]:
        raise _refusal(f"column {shown(name.text)} is of another unit than --unit {unit}", names)
    return _US_POWER + (UNITS[unit or ""] if said is None else said)


def _with_unit(name: _Name) -> str:
    return f"{printable(name.text)[:_MOST_LETTERS]}_ms"


def is_header(names: Sequence[bytes], next_cells: Sequence[bytes] | None) -> bool:
    """Tell whether a line is the header of a table of RTTs, or of one that may be meant as such.

    It has a column of times and one of RTTs or paths, or of numbers alone; or a column that is named an RTT, and
    nothing but names.

    Parameters
    ----------
    names : sequence of bytes
        Cells of the line.
    next_cells : sequence of bytes or None
        Cells of the next line, None if there is none.
    """
    if len(names) < 2 or any(_FIELD.fullmatch(name) for name in names):  # noqa: PLR2004 - a time and an RTT
        return False
    parts = [_Name.of(name) for name in names]
    found = _ColumnsByKind(parts)
    if found.time and (found.rtt or found.path):
        return True
    if found.rtt and all(_NAME.fullmatch(name) for name in names):
        return True
    if not found.time or next_cells is None or len(next_cells) != len(names):
        return False
    values = [cell for place, cell in enumerate(next_cells) if place not in found.time]
    filled = [cell for cell in values if cell]
    return bool(filled) and all(delimited.is_number(cell) for cell in filled)


def is_known(names: Sequence[bytes]) -> bool:
    """Tell whether the names are all those of a table of RTTs, times among them."""
    found = _ColumnsByKind([_Name.of(name) for name in names])
    return len(names) > 1 and bool(found.time) and bool(found.rtt) and not found.other
