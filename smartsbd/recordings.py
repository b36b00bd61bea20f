"""Inputs of any kind as tables of pandas: connections, subflows, RTT samples, ACKs, states, losses, what was refused.

A table is made when it is first asked for: of a long capture, the ACKs alone take most of the memory.
"""

from __future__ import annotations

import functools
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from smartsbd.contracts.fault import UsageFault, printable
from smartsbd.traces import bounds, recording
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import stem_of
from smartsbd.traces.input_counts import InputCounts, counted, files_of
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.recording import Recording

if TYPE_CHECKING:
    import pyarrow as pa

    from smartsbd.contracts.contract import Table
    from smartsbd.traces.connection import Connection

_NS_PER_S, _US_PER_S = 1e9, 1e6
RttUnit = Literal["s", "ms", "us", "ns"]
OnUnreadable = Literal["raise", "count"]
#: One input or several: files, folders of files.
Inputs = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


class Recordings:
    """What some inputs hold, as tables; :func:`read` makes it.

    A column's name ends in its unit. Times are seconds after the first record of the connection, whose own time is in
    ``connections``; what was not observed is NaN or NA, and 0 is a measurement.

    Attributes
    ----------
    inputs : DataFrame
        A row for each input: ``input``, ``source`` (what kind it is), ``connections``, ``subflows``, and its records:
        ``records``, ``read``, ``unused`` (good ones that no table holds) and ``refused``, which add up. ``unreadable``
        says why an input cannot be read.
    refused : DataFrame
        A row for each input and reason: ``input``, ``reason``, ``records``.

    Examples
    --------
    >>> recorded = read("data/samples/kernel/inputs/101.state.csv.zst")
    >>> recorded
    <Recordings: 1 input, 1 connection, 2 subflows; of 15799 records 0 are refused>
    >>> recorded.rtts.head(2)
        connection  subflow path    time_s     rtt_s
    0  101.state#0        0    0  0.000000  0.154773
    1  101.state#0        0    0  0.115937  0.115707
    """

    def __init__(self, outcomes: Sequence[Recording | UnreadableInputError]) -> None:
        self._recordings = [outcome for outcome in outcomes if isinstance(outcome, Recording)]
        self._counts = [counted(outcome) for outcome in outcomes]
        self.inputs = _inputs(self._counts)
        self.refused = pd.DataFrame(
            [
                {"input": of_input.input, "reason": reason, "records": records}
                for of_input in self._counts
                for reason, records in of_input.refused.items()
            ],
            columns=["input", "reason", "records"],
        )

    def __repr__(self) -> str:
        unreadable = sum(of_input.source is None for of_input in self._counts)
        words = ", ".join(
            _counted(int(number), noun)
            for number, noun in (
                (len(self.inputs), "input"),
                (self.inputs["connections"].sum(), "connection"),
                (self.inputs["subflows"].sum(), "subflow"),
            )
        )
        words += f"; of {self.inputs['records'].sum()} records {self.inputs['refused'].sum()} are refused"
        words += f"; {_counted(unreadable, 'input')} cannot be read" if unreadable else ""
        return f"<{type(self).__name__}: {words}>"

    def _connections(self) -> Iterator[tuple[Recording, str, Connection]]:
        names = Counter(stem_of(recorded.path.name) for recorded in self._recordings)
        for recorded in self._recordings:
            # Inputs of one name in two folders are two.
            is_one = names[stem_of(recorded.path.name)] == 1
            for number, (name, connection) in enumerate(recorded.connections()):
                yield recorded, name if is_one else f"{recorded.path}#{number}", connection

    @functools.cached_property
    def connections(self) -> pd.DataFrame:
        """A row for each connection: ``connection``, ``input``, ``subflows``, ``start_ns``, ``duration_s``, and more.

        ``start_ns`` is the time of its first record by the clock of the input, in nanoseconds.
        """
        rows = []
        for recorded, name, connection in self._connections():
            start_ns, end_ns = connection.span_ns()
            rows.append(
                {
                    "connection": name,
                    "input": str(recorded.path),
                    "subflows": len(connection.subflows),
                    "start_ns": start_ns,
                    "duration_s": (end_ns - start_ns) / _NS_PER_S,
                    "recorded_at": "/".join(sorted(set(connection.vantages.values()))),
                    "token": None if connection.token is None else f"{connection.token:08x}",
                    "congestion_control": connection.congestion_control,
                }
            )
        columns = ["connection", "input", "subflows", "start_ns", "duration_s", "recorded_at", "token"]
        return pd.DataFrame(rows, columns=[*columns, "congestion_control"])

    @functools.cached_property
    def subflows(self) -> pd.DataFrame:
        """A row for each subflow: ``connection``, ``subflow``, ``path``, addresses, ``min_rtt_s``, and more.

        ``path`` is the name of its path, or the subflow's number where the input has none.
        """
        rows = []
        for _, name, connection in self._connections():
            first_ns, _ = connection.span_ns()
            for subflow in connection.ordered():
                min_rtt_us = subflow.min_rtt_us()
                rows.append(
                    {
                        "connection": name,
                        "subflow": subflow.subflow_id,
                        "path": subflow.name or str(subflow.subflow_id),
                        "start_s": (subflow.start_ns - first_ns) / _NS_PER_S,
                        "end_s": (subflow.end_ns - first_ns) / _NS_PER_S,
                        "min_rtt_s": None if min_rtt_us is None else min_rtt_us / _US_PER_S,
                        "retransmissions": subflow.retransmissions,
                        "local_address": subflow.local_address,
                        "local_port": subflow.local_port,
                        "remote_address": subflow.remote_address,
                        "remote_port": subflow.remote_port,
                    }
                )
        columns = ["connection", "subflow", "path", "start_s", "end_s", "min_rtt_s", "retransmissions"]
        columns += ["local_address", "local_port", "remote_address", "remote_port"]
        numbers = dict.fromkeys(("retransmissions", "local_port", "remote_port"), "Int64")
        return pd.DataFrame(rows, columns=columns).astype({**numbers, "min_rtt_s": float})

    @functools.cached_property
    def rtts(self) -> pd.DataFrame:
        """A row for each RTT sample: ``connection``, ``subflow``, ``path``, ``time_s``, ``rtt_s``.

        It is what :func:`~smartsbd.judging.judge` and :func:`~smartsbd.judging.judge_paths` take of one connection.
        """
        from smartsbd.features import connection_pairs
        from smartsbd.features.reading import DEFAULT

        parts = []
        for _, name, connection in self._connections():
            first_ns, _ = connection.span_ns()
            for subflow_id, signals in connection_pairs.signals(connection, DEFAULT).items():
                parts.append(
                    pd.DataFrame(
                        {
                            "connection": name,
                            "subflow": subflow_id,
                            "path": connection.subflows[subflow_id].name or str(subflow_id),
                            "time_s": (signals.rtt_time_ns - first_ns) / _NS_PER_S,
                            "rtt_s": signals.rtt_us / _US_PER_S,
                        }
                    )
                )
        return _together(parts, ["connection", "subflow", "path", "time_s", "rtt_s"])

    @functools.cached_property
    def acks(self) -> pd.DataFrame:
        """A row for each ACK: ``connection``, ``subflow``, ``time_s``, ``acked_bytes``, ``rtt_s``, ``srtt_s``, others.

        ``acked_bytes`` are all acknowledged so far, ``data_acked_bytes`` those of the connection. ``is_duplicate``,
        ``newly_sacked_bytes``, ``echoes_congestion`` and ``owd_s``, the one-way delay, are NA where they are not known.
        """
        from smartsbd.contracts import tables
        from smartsbd.traces.connection import ack_columns, ack_pieces

        names = {
            "is_dup": "is_duplicate",
            "ece": "echoes_congestion",
            "data_ack": "data_acked_bytes",
        }
        return self._rows(tables.ACK, lambda name, one: ack_columns(list(ack_pieces(name, one))), "ack_no", names)

    @functools.cached_property
    def states(self) -> pd.DataFrame:
        """A row for each change of congestion state: ``connection``, ``subflow``, ``time_s``, ``state``, ``inferred``.

        States have Linux's names. ``inferred`` are those that were derived from packets, and not logged.
        """
        from smartsbd.contracts import tables
        from smartsbd.contracts.tables import CA_STATES
        from smartsbd.traces.connection import state_columns

        frame = self._rows(
            tables.STATE, lambda name, one: state_columns([(name, one)]), "state_no", {"ca_state": "state"}
        )
        return frame.assign(state=frame["state"].map(dict(enumerate(CA_STATES))))

    @functools.cached_property
    def losses(self) -> pd.DataFrame:
        """A row for each loss: ``connection``, ``subflow``, ``time_s``, ``kind``, ``packets``."""
        from smartsbd.contracts import tables
        from smartsbd.traces.connection import loss_columns

        return self._rows(tables.LOSS, lambda name, one: loss_columns([(name, one)]), "loss_no", {})

    def _rows(
        self, table: Table, columns_of: Callable[[str, Connection], dict[str, Any]], number: str, names: dict[str, str]
    ) -> pd.DataFrame:
        """Return the rows of all connections in a table, with times in seconds and the names of columns here."""
        parts = [
            _in_seconds(table, table.build(columns_of(name, connection)), connection.span_ns()[0])
            for _, name, connection in self._connections()
        ]
        # No input, no row, and yet the same columns.
        empty = _in_seconds(table, table.schema().empty_table(), 0)
        renamed = {"connection_id": "connection", "subflow_id": "subflow", **names}
        return pd.concat(parts or [empty], ignore_index=True).drop(columns=number).rename(columns=renamed)


def _in_seconds(table: Table, rows: pa.Table, first_ns: int) -> pd.DataFrame:
    """Return rows as a frame whose times are seconds; what may be null is of a type that knows NA, or NaN."""
    import pyarrow as pa

    nullable = {pa.int64(): pd.Int64Dtype(), pa.int32(): pd.Int32Dtype(), pa.bool_(): pd.BooleanDtype()}
    columns: dict[str, Any] = {}
    for column in table.columns:
        values = rows.column(column.name)
        if column.name == "time_ns":
            columns["time_s"] = (values.to_numpy() - first_ns) / _NS_PER_S
        elif column.name.endswith("_us"):
            columns[f"{column.name.removesuffix('_us')}_s"] = values.cast(pa.float64()).to_numpy() / _US_PER_S
        elif column.nullable:
            columns[column.name] = values.to_pandas(types_mapper=nullable.get)
        else:
            columns[column.name] = values.to_pandas()
    return pd.DataFrame(columns)


def _together(parts: Sequence[pd.DataFrame], columns: Sequence[str]) -> pd.DataFrame:
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(columns))


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _inputs(counts: Sequence[InputCounts]) -> pd.DataFrame:
    rows = [
        {
            "input": one.input,
            "source": one.source,
            "connections": one.connections,
            "subflows": one.subflows,
            "records": one.records_in,
            "read": one.records_out,
            "unused": sum(one.unused.values()),
            "refused": sum(one.refused.values()),
            "unreadable": one.unreadable,
        }
        for one in counts
    ]
    columns = ["input", "source", "connections", "subflows", "records", "read", "unused", "refused", "unreadable"]
    return pd.DataFrame(rows, columns=columns)


class NoInputError(UsageFault, ValueError):
    """Nothing is named that could be read."""


def read(
    inputs: Inputs,
    *,
    unit: RttUnit | None = None,
    together: bool = False,
    on_unreadable: OnUnreadable = "raise",
) -> Recordings:
    """Read logs, captures and tables of RTTs of any kind that ``sbd inspect`` reads.

    Refused records are counted in ``refused``, and a warning says how many they are.

    Parameters
    ----------
    inputs : path, or iterable of paths
        Files, plain or compressed, and folders, of which every file is read. Captures of one connection, one for each
        path, are read together.
    unit : {"s", "ms", "us", "ns"}, optional
        Of RTTs in a table whose columns do not name it.
    together : bool
        All inputs are of one connection: each flow or path in them is a subflow of it, and flows of TCP without MPTCP
        are paths too.
    on_unreadable : {"raise", "count"}
        Whether an input that cannot be read ends it all, or is a row in ``inputs`` that says why.

    Returns
    -------
    Recordings

    Raises
    ------
    UnreadableInputError
        If an input cannot be read, unless these are counted.
    NoInputError
        If no input is named, a folder is empty, or an argument is none of its values.

    Examples
    --------
    >>> import smartsbd
    >>> recorded = smartsbd.read("data/samples/kernel/inputs/101.state.csv.zst")
    >>> recorded.subflows[["connection", "subflow", "min_rtt_s"]]
        connection  subflow  min_rtt_s
    0  101.state#0        0   0.113096
    1  101.state#0        1   0.169895
    >>> smartsbd.judge(recorded.rtts).shared
    True
    """
    if unit not in (None, *recording.RTT_UNITS) or on_unreadable not in ("raise", "count"):
        raise NoInputError(f"unit is one of {recording.RTT_UNITS}, and on_unreadable 'raise' or 'count'")
    named = [Path(inputs)] if isinstance(inputs, str | os.PathLike) else [Path(path) for path in inputs]
    paths = [file for path in named for file in (files_of(path) if path.is_dir() else [path])]
    if not paths:
        raise NoInputError(f"nothing to read in {printable(', '.join(map(str, named))) or 'no inputs'}")
    most = bounds.Bounds(plain_flows=together)
    outcomes = list(recording.read_all(paths, Dialect(rtt_unit=unit), most))
    unreadable = [outcome for outcome in outcomes if isinstance(outcome, UnreadableInputError)]
    if unreadable and on_unreadable == "raise":
        raise unreadable[0]
    if together:
        readable = [outcome for outcome in outcomes if isinstance(outcome, Recording)]
        outcomes = [*recording.as_one(readable, most), *unreadable]
    recorded = Recordings(outcomes)
    for text in _warnings(recorded, unreadable):
        warnings.warn(text, stacklevel=2)
    return recorded


def _warnings(recorded: Recordings, unreadable: Sequence[UnreadableInputError]) -> Iterator[str]:
    """Yield what whoever reads should know before the first table is looked at."""
    if len(recorded.refused):
        refused = recorded.inputs["refused"].sum()
        reasons = ", ".join(
            f"{reason} ({n})" for reason, n in recorded.refused.groupby("reason")["records"].sum().items()
        )
        yield f"refused {refused} of {recorded.inputs['records'].sum()} records: {printable(reasons)}"
    if unreadable:
        yield f"{_counted(len(unreadable), 'input')} cannot be read, first {printable(str(unreadable[0]))}"
