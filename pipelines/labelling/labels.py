"""Labels of inputs as their owner writes them: a CSV file, read and turned into rows of truth.csv."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from smartsbd.contracts import regular_file
from smartsbd.contracts.fault import InputFault
from smartsbd.traces.connection import Connection
from smartsbd.traces.recording import Recording
from smartsbd.traces.truth import CSV_COLUMNS

_SHARED = {"true": "true", "1": "true", "sb": "true", "false": "false", "0": "false", "nsb": "false"}
_DEFAULTS = {"token": "", "from_ns": "0", "scenario": "recorded", "congestion_control": "unknown"}
_PAIR = 2
_NS_PER_S = 10**9
_MAX_TIME_NS = 2**62
_NUMBER = re.compile(r"[0-9]{1,4}")
_EXACT = re.compile(r"[0-9]{1,19}")


class LabelsError(InputFault):
    """Inputs and labels that make no dataset; the details are every problem."""

    def __init__(self, message: str, details: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.details = tuple(details)


def read_labels(path: Path) -> list[dict[str, str]]:
    """Return the labels, each with the number of its `line`.

    Returns
    -------
    list of dict
        One for each row of the file, cells as text by column.

    Raises
    ------
    NoRegularFileError
        If the file is a pipe, a device or a folder.
    LabelsError
        If it cannot be read, or holds no label.
    """
    labels = []
    try:
        with io.TextIOWrapper(regular_file.opened(path), encoding="utf-8-sig", newline="") as stream:
            rows = csv.reader(stream, strict=True)
            columns = [cell.strip() for cell in next(rows, [])]
            known = {*CSV_COLUMNS, "from_s"}
            if {"from_s", "from_ns"} <= set(columns):
                raise LabelsError(f"{path}: from_s and from_ns say the same: leave one of them out")
            missing, unknown = sorted({"input", "shared"} - set(columns)), sorted(set(columns) - known)
            if missing or unknown or len(set(columns)) != len(columns):
                raise LabelsError(f"{path}: missing columns {missing}, unknown columns {unknown}, given {columns}")
            for row in rows:
                if row and len(row) != len(columns):
                    raise LabelsError(f"{path}, line {rows.line_num}: {len(row)} cells under {len(columns)} columns")
                if row:
                    cells = dict(zip(columns, (cell.strip() for cell in row), strict=True))
                    labels.append({**cells, "line": str(rows.line_num)})
    except (OSError, UnicodeError, csv.Error) as error:
        raise LabelsError(f"{path}: cannot be read as CSV: {error}") from error
    if not labels:
        raise LabelsError(f"{path}: holds no label")
    return labels


def connection_of(recorded: Recording, token: str) -> Connection | str:
    """Return the connection that a label means, or the reason why there is none.

    Parameters
    ----------
    recorded : Recording
        The label's input.
    token : str
        In hexadecimal, of either side; empty where the label names none: then the input must hold one connection.

    Returns
    -------
    Connection or str
    """
    connections = recorded.trace.connections
    if token:
        try:
            matching = [
                connection
                for connection in connections
                if int(token, 16) in (connection.token, connection.remote_token)
            ]
        except ValueError:
            return f"token {token!r} is not hexadecimal"
        return matching[0] if matching else f"there is no connection with token {token}"
    if recorded.is_part():
        return "its connection begins in another input: label that one"
    if len(connections) != 1:
        tokens = (
            "the label must name a token"
            if any(connection.token for connection in connections)
            else "and names no token"
        )
        return f"it holds {len(connections)} connections: {tokens}"
    return connections[0]


def _from_ns(text: str) -> int | None:
    """Return seconds as nanoseconds, without rounding to a float first; None if the text is no such number."""
    match = re.fullmatch(r"([0-9]{1,10})(?:\.([0-9]{1,9}))?", text)
    time_ns = int(match[1]) * _NS_PER_S + int((match[2] or "0").ljust(9, "0")) if match else None
    return time_ns if time_ns is not None and time_ns <= _MAX_TIME_NS else None


def truth_row(label: Mapping[str, str], connection: Connection) -> dict[str, str] | str:
    """Return a label as a row of truth.csv, or a description of its error.

    Parameters
    ----------
    label : mapping of str to str
        Of :func:`read_labels`.
    connection : Connection
        The one that it means.

    Returns
    -------
    dict of str to str, or str
        Cells as text, by the columns of truth.csv.
    """
    shared = _SHARED.get(label["shared"].lower())
    if shared is None:
        return f"shared is {label['shared']!r}, must be true or false"
    subflows = sorted(connection.subflows)
    named = [label.get(name, "") for name in ("subflow_a", "subflow_b")]
    if not any(named):
        if len(subflows) != _PAIR:
            return f"the connection has {len(subflows)} subflows: the label must name subflow_a and subflow_b"
        named = [str(subflow) for subflow in subflows]
    known = all(_NUMBER.fullmatch(name) and int(name) in connection.subflows for name in named)
    if not known or int(named[0]) >= int(named[1]):
        return f"subflow_a and subflow_b are {named}, must be two of {subflows}, the lower first"
    exact = label.get("from_ns") or "0"
    if not _EXACT.fullmatch(exact) or int(exact) > _MAX_TIME_NS:
        return f"from_ns is {exact!r}, must be nanoseconds by the input's clock"
    from_ns = _from_ns(label["from_s"] or "0") if "from_s" in label else int(exact)
    if from_ns is None:
        return f"from_s is {label['from_s']!r}, must be seconds by the input's clock, for instance 1795231450.5"
    # An empty cell stands for its default.
    given = {name: cell for name, cell in label.items() if name in CSV_COLUMNS and cell}
    row = {**dict.fromkeys(CSV_COLUMNS, ""), **_DEFAULTS, **given}
    return row | {"shared": shared, "subflow_a": named[0], "subflow_b": named[1], "from_ns": str(from_ns)}
