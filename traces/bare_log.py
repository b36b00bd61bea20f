"""A log of event lines and nothing else, as the simulator writes it, read by columns.

A line is as :mod:`traces.event_log` says. This module reads only logs that need no second look: every line is a good
record, and no row has two events of a kind. It reads nothing of any other log, whose lines are read one by one.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from traces import bounds, stored
from traces.assembly import ATTRIBUTES, LIMITS, UNUSED, Rows
from traces.bounds import Bounds
from traces.connection import NOT_OBSERVED, Acks, Subflow
from traces.log_connections import EventOrder, LogConnections, SubflowColumns
from traces.sequence import ANY_ORDER_BYTES
from traces.trace import Trace

Int64Array = npt.NDArray[np.int64]

#: Decompressed bytes that are taken apart at once.
_PIECE_BYTES = 1 << 20
#: All that a line may hold: numbers that Arrow and Python read alike.
_CHARACTERS = b"0123456789abcdefABCDEFGHIJKLMNOPQRSTUVWXYZ= \n"
_LEAST_LINE_BYTES = len("0 C=0 SF=0 V=CA 0\n")
_FIELDS = ("time_ns", "token", "subflow", "kind", "value")
_MAX_DIGITS = 18
_TOKEN = re.compile(r"C=([0-9a-f]{1,8})")
_SUBFLOW = re.compile(r"SF=([0-9]{1,4})")
_KIND = re.compile(r"V=([A-Z]{1,8})")
#: Kinds that are counted from the first one seen, in order.
_RELATIVE = b"UNA"
_KINDS = tuple(kind for kind in LIMITS if kind != _RELATIVE)
_ACK, _DUP = _KINDS.index(b"ACK"), _KINDS.index(b"DUP")
_OF_ROWS = np.array([kind in ATTRIBUTES or kind in {b"ACK", b"DUP"} for kind in _KINDS])
#: With those that no table holds, last.
_ALL = {kind: LIMITS[kind] for kind in _KINDS} | UNUSED
_NAMES = tuple(_ALL)
_LEAST, _MOST = (np.array([limits[bound] for limits in _ALL.values()], dtype=np.int64) for bound in (0, 1))
_MAX_SUBFLOWS = 10_000


class _SecondLookError(Exception):
    """The log holds what is not taken in by columns."""


@dataclass(frozen=True)
class _Events:
    """Records in their order.

    Attributes
    ----------
    time_ns, value : (records,) int64
    subflow : (records,) int64
        Token times 10000 plus number of the subflow.
    kind : (records,) int64
        Positions in _NAMES.
    """

    time_ns: Int64Array
    subflow: Int64Array
    kind: Int64Array
    value: Int64Array

    def taken(self, order: Int64Array) -> _Events:
        """Return those at some places."""
        return _Events(self.time_ns[order], self.subflow[order], self.kind[order], self.value[order])


def _pieces(path: Path) -> Iterator[bytes]:
    """Yield the content in pieces of whole lines."""
    held: list[bytes] = []
    size = 0
    for block in stored.blocks(path):
        held.append(block)
        size += len(block)
        if size >= _PIECE_BYTES:
            whole, end, rest = b"".join(held).rpartition(b"\n")
            if not end:
                raise _SecondLookError
            yield whole + end
            held, size = [rest], len(rest)
    if size:
        last = b"".join(held)
        yield last if last.endswith(b"\n") else last + b"\n"


def _numbers(column: pa.ChunkedArray) -> Int64Array:
    lengths = pc.min_max(pc.binary_length(column)).as_py()
    if lengths["min"] < 1 or lengths["max"] > _MAX_DIGITS:
        raise _SecondLookError
    numbers: Int64Array = column.cast(pa.int64()).to_numpy()
    return numbers


def _named(column: pa.ChunkedArray, pattern: re.Pattern[str]) -> tuple[list[str], Int64Array]:
    """Return the different texts that a column holds, without what stands before them, and which each line has."""
    encoded = column.combine_chunks()
    matches = [pattern.fullmatch(text) for text in encoded.dictionary.to_pylist()]
    names = [match[1] for match in matches if match]
    if len(names) < len(matches):
        raise _SecondLookError
    return names, encoded.indices.to_numpy().astype(np.int64)


def _events(piece: bytes) -> _Events:
    # A line, however short, is given room in every column.
    if piece.translate(None, _CHARACTERS) or len(piece) < _LEAST_LINE_BYTES * piece.count(b"\n"):
        raise _SecondLookError
    few = pa.dictionary(pa.int32(), pa.string())
    try:
        table = csv.read_csv(
            pa.py_buffer(piece),
            csv.ReadOptions(use_threads=False, block_size=len(piece) + 1, column_names=_FIELDS),
            csv.ParseOptions(delimiter=" ", quote_char=False, ignore_empty_lines=False),
            csv.ConvertOptions(
                column_types=dict(zip(_FIELDS, (pa.string(), few, few, few, pa.string()), strict=True)),
                null_values=[],
                strings_can_be_null=False,
            ),
        )
        time_ns, value = _numbers(table["time_ns"]), _numbers(table["value"])
    except pa.ArrowInvalid as error:
        raise _SecondLookError from error
    tokens, token = _named(table["token"], _TOKEN)
    subflows, subflow = _named(table["subflow"], _SUBFLOW)
    kinds, kind = _named(table["kind"], _KIND)
    if not {name.encode() for name in kinds} <= set(_NAMES):
        raise _SecondLookError
    kind = np.array([_NAMES.index(name.encode()) for name in kinds], dtype=np.int64)[kind]
    if (value < _LEAST[kind]).any() or (value > _MOST[kind]).any():
        raise _SecondLookError
    token = np.array([int(name, 16) for name in tokens], dtype=np.int64)[token]
    subflow = np.array([int(name) for name in subflows], dtype=np.int64)[subflow]
    return _Events(time_ns, token * _MAX_SUBFLOWS + subflow, kind, value)


def _array(numbers: Int64Array) -> array[int]:
    made = array("q")
    made.frombytes(np.ascontiguousarray(numbers, dtype=np.int64).tobytes())
    return made


def _acks(time_ns: Int64Array, kind: Int64Array, value: Int64Array) -> Acks:
    """Return the rows of the events of a subflow that make rows: those of one time are one row."""
    first = np.diff(time_ns, prepend=-1) > 0
    row = np.cumsum(first) - 1
    rows = int(first.sum())
    columns = {"time_ns": time_ns[first]}
    for place, name in enumerate(_KINDS):
        if _OF_ROWS[place] and name in ATTRIBUTES:
            columns[ATTRIBUTES[name]] = _column(rows, row[kind == place], value[kind == place])
    of_ack = (kind == _ACK) | (kind == _DUP)
    columns["is_dup"] = _column(rows, row[of_ack], (kind == _DUP)[of_ack].astype(np.int64))
    columns["newly_sacked_bytes"] = _column(rows, row[kind == _DUP], value[kind == _DUP])
    acked_bytes = np.maximum.accumulate(np.concatenate(([0], value[kind == _ACK])))
    columns["acked_bytes"] = acked_bytes[np.searchsorted(row[kind == _ACK], np.arange(rows), side="right")]
    return Acks(**{name: _array(column) for name, column in columns.items()})


def _column(rows: int, row: Int64Array, value: Int64Array) -> Int64Array:
    column = np.full(rows, NOT_OBSERVED, dtype=np.int64)
    column[row] = value
    return column


def _check_order(subflow: Int64Array, events: _Events) -> None:
    """Check events that stand in order of their subflows: times ascend, and no row has two events of a kind."""
    same = np.diff(subflow) == 0
    if (same & (np.diff(events.time_ns) < 0)).any():
        raise _SecondLookError
    of_rows = _OF_ROWS[events.kind]
    kind, own, value = events.kind[of_rows], subflow[of_rows], events.value[of_rows]
    row = np.cumsum(np.diff(events.time_ns[of_rows], prepend=-1).astype(np.bool_) | (np.diff(own, prepend=-1) != 0))
    of_ack = (kind == _ACK) | (kind == _DUP)
    for chosen in (of_ack, *(kind == place for place in np.flatnonzero(_OF_ROWS))):
        if (np.diff(row[chosen]) == 0).any():
            raise _SecondLookError
    _check_counts(own[kind == _ACK], value[kind == _ACK])


def _check_counts(subflow: Int64Array, counted: Int64Array) -> None:
    """Check that no subflow's count of bytes acknowledged has wrapped."""
    starts = np.flatnonzero(np.diff(subflow, prepend=-1))
    if not len(starts):
        return
    apart = np.maximum.reduceat(counted, starts) - np.minimum.reduceat(counted, starts)
    ends = np.append(starts[1:], len(counted))
    for place in np.flatnonzero(apart > ANY_ORDER_BYTES).tolist():
        own = counted[starts[place] : ends[place]]
        if (np.maximum.accumulate(own) - own > ANY_ORDER_BYTES).any():
            raise _SecondLookError


def _subflow(number: int, events: _Events, own: Int64Array) -> Subflow:
    time_ns, kind, value = events.time_ns[own], events.kind[own], events.value[own]
    subflow = Subflow(subflow_id=number, start_ns=int(time_ns[0]), end_ns=int(time_ns[-1]))
    of_rows = _OF_ROWS[kind]
    subflow.acks = _acks(time_ns[of_rows], kind[of_rows], value[of_rows])
    others = Rows(subflow)
    for at_ns, place, number_of in zip(*(own[~of_rows].tolist() for own in (time_ns, kind, value)), strict=True):
        others.take(at_ns, _KINDS[place], number_of)
    return subflow


def _in_order(values: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return the different values in order of appearance, and the place of each value among them."""
    different, first, member = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return different[order], places[member]


def read(path: Path, most: Bounds = bounds.DEFAULT) -> Trace | None:
    """Read a log; None if any of it needs a second look.

    Parameters
    ----------
    path : Path
    most : Bounds
        A log that is beyond needs a second look.

    Raises
    ------
    UnreadableInputError
        If the file as a whole cannot be read.
    """
    try:
        parts = [_events(piece) for piece in _pieces(path)]
        if not parts:
            return None
        columns = zip(*((one.time_ns, one.subflow, one.kind, one.value) for one in parts), strict=True)
        every = _Events(*(np.concatenate(column) for column in columns))
        events = every.taken(np.flatnonzero(every.kind < len(_KINDS)))
        if not len(events.kind):
            return None
        subflows, subflow = _in_order(events.subflow)
        tokens, connection = _in_order(subflows // _MAX_SUBFLOWS)
        if len(tokens) > most.connections or np.bincount(connection).max() > most.subflows:
            return None
        where = EventOrder.of(subflow, len(subflows))
        _check_order(subflow[where.order], events.taken(where.order))
    except _SecondLookError:
        return None

    def built(number: int) -> Subflow:
        return _subflow(int(subflows[number]) % _MAX_SUBFLOWS, events, where.own(number))

    connections = LogConnections(SubflowColumns(connection, tokens), built)
    unused = Counter(_NAMES[kind].decode() for kind in every.kind[every.kind >= len(_KINDS)].tolist())
    return Trace(connections=connections, records_in=len(every.kind), records_out=len(events.kind), unused=unused)
