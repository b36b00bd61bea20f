"""Replaying detectors on connections: their opinions over time, and the accuracy of these on each pair."""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from smartsbd.contracts import tables
from smartsbd.contracts.columns import array_of, array_of_numbers
from smartsbd.contracts.contract import Table, TableReader, read_table, write_table
from smartsbd.detectors import Detector, DetectorKind, Opinion, replayed
from smartsbd.detectors.bottleneck_moves import phases
from smartsbd.detectors.compiled_detectors import CompiledDetector, event_array, is_compiled
from smartsbd.detectors.event import (
    ACK_COLUMNS,
    LOSS_COLUMNS,
    STATE_COLUMNS,
    Event,
    Int64Array,
    Kind,
    event_columns,
)
from smartsbd.detectors.partition import Pair, pairs_of
from smartsbd.detectors.scoring import OnPair, scored_from_ns
from smartsbd.features.catalog import PAIR_WINDOW

#: Connections of one task.
_CONNECTIONS_PER_TASK = 4
#: Detectors by name and parameter set, each ready for any connection.
Named = dict[tuple[str, str], Detector | CompiledDetector]
#: Opinions of detectors on a connection, by name and parameter set.
OpinionsByDetector = dict[tuple[str, str], list[Opinion]]


@dataclass
class ReplayedRows:
    """Rows of tables (those of ``opinion`` in one part for each connection), and counts."""

    grouping: list[dict[str, Any]] = field(default_factory=list)
    opinion: list[pa.Table] = field(default_factory=list)
    time_share: list[dict[str, Any]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, other: ReplayedRows) -> None:
        """Put another's rows behind these."""
        self.grouping += other.grouping
        self.opinion += other.opinion
        self.time_share += other.time_share
        self.counts.update(other.counts)


@dataclass(frozen=True)
class Known:
    """What is known of a dataset's connections in addition to their signals.

    Attributes
    ----------
    connections : list of rows of the ``connection`` table
    subflows : dict of connection_id to its rows of the ``subflow`` table, by number
    truths : dict of connection_id to its rows of the ``truth`` table
    windows : dict of connection_id to its labelled rows of the ``pair_window`` table, without features, in order
    """

    connections: list[dict[str, Any]]
    subflows: dict[str, dict[int, dict[str, Any]]]
    truths: dict[str, list[dict[str, Any]]]
    windows: dict[str, pa.Table]


def built(kind: DetectorKind, parameters: Any) -> Detector | CompiledDetector:
    """Return a detector, the compiled one if there is one: both give the same opinions."""
    return CompiledDetector(kind.name, vars(parameters)) if is_compiled(kind.name) else kind.build(parameters)


def read_known(folder: Path, truth: Path, pair_window: Path) -> Known:
    """Read what is known of a dataset.

    Parameters
    ----------
    folder : Path
        With its tables.
    truth : Path
        Its ``truth`` table.
    pair_window : Path
        Its ``pair_window`` table.

    Returns
    -------
    Known
        Of all connections of the dataset.
    """
    subflows: dict[str, dict[int, dict[str, Any]]] = defaultdict(dict)
    for row in read_table(tables.SUBFLOW, folder / "subflow.parquet").to_pylist():
        subflows[row["connection_id"]][row["subflow_id"]] = row
    truths: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in read_table(tables.TRUTH, truth).to_pylist():
        truths[row["connection_id"]].append(row)
    windows = read_table(PAIR_WINDOW, pair_window).select([column.name for column in tables.PAIR_WINDOW_BASE.columns])
    labelled = windows.filter(pc.is_valid(windows.column("shared")))
    labelled = labelled.sort_by([(name, "ascending") for name in tables.WINDOW_KEY])
    runs = pc.run_end_encode(labelled.column("connection_id").combine_chunks())
    ends = runs.run_ends.to_pylist()
    # Copied, so that no part holds the others' memory when it is sent to another process.
    by_connection = {
        name: labelled.take(np.arange(start, end))
        for name, start, end in zip(runs.values.to_pylist(), [0, *ends], ends, strict=False)
    }
    connections = read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist()
    return Known(connections, dict(subflows), dict(truths), by_connection)


@functools.lru_cache(maxsize=8)
def _reader(folder: Path, name: str) -> TableReader:
    """Return a reader of a table; a process opens each once."""
    table, columns = {
        "ack": (tables.ACK, ACK_COLUMNS),
        "state": (tables.STATE, STATE_COLUMNS),
        "loss": (tables.LOSS, LOSS_COLUMNS),
    }[name]
    return TableReader(table, folder / f"{name}.parquet", columns)


def absent_signals(acks: pa.Table) -> frozenset[Kind]:
    """Return which optional signals a connection lacks: one-way delays, and marks."""
    has = {
        Kind.OWD: acks.column("owd_us").null_count < len(acks),
        Kind.MARK: bool(pc.any(acks.column("ece"), min_count=0).as_py()),
    }
    return frozenset(kind for kind, there in has.items() if not there)


class _ReplayEvents:
    """The events of a connection, of all kinds that any detector wants.

    Parameters
    ----------
    columns : (4, events) int64
        As :func:`smartsbd.detectors.event.event_columns` returns them.
    """

    def __init__(self, columns: Int64Array) -> None:
        self.columns = columns
        self._counts = np.bincount(columns[2], minlength=len(Kind)).tolist()
        self._lists: dict[frozenset[Kind], list[Event]] = {}

    def count(self, kinds: frozenset[Kind]) -> int:
        """Return how many are of some kinds."""
        return sum(self._counts[kind] for kind in kinds)

    def listed(self, kinds: frozenset[Kind]) -> list[Event]:
        """Return those of some kinds one by one."""
        if kinds not in self._lists:
            columns = self.columns[:, np.isin(self.columns[2], list(kinds))]
            self._lists[kinds] = list(map(Event._make, zip(*columns.tolist(), strict=True)))
        return self._lists[kinds]


def opinions_on(
    rows: Sequence[pa.Table], subflow_ids: Sequence[int], end_ns: int, detectors: Named
) -> tuple[OpinionsByDetector, int]:
    """Replay detectors on a connection; return their opinions, and the number of events that they received.

    A detector whose signal the connection does not have is not replayed.

    Parameters
    ----------
    rows : rows of the ``ack``, ``state`` and ``loss`` tables
    subflow_ids : sequence of int
    end_ns : int
        Its end.
    detectors : Named

    Returns
    -------
    (OpinionsByDetector, int)
        Opinions by name and parameter set; events, counted once for each detector that receives them.
    """
    acks, states, losses = rows
    absent = absent_signals(acks)
    replayable = {name: detector for name, detector in detectors.items() if not detector.kinds & absent}
    wanted = frozenset[Kind]().union(*(detector.kinds for detector in replayable.values()))
    events = _ReplayEvents(event_columns(acks, states, losses, wanted))
    compiled = event_array(events.columns, subflow_ids)
    opinions: OpinionsByDetector = {}
    events_count = 0
    for name, detector in replayable.items():
        if isinstance(detector, CompiledDetector):
            opinions[name] = detector.opinions(compiled, len(subflow_ids), end_ns)
        else:
            opinions[name] = replayed(detector, subflow_ids, events.listed(detector.kinds), end_ns)
        events_count += events.count(detector.kinds)
    return opinions, events_count


def _grouping_rows(
    connection_id: str, opinions_by: OpinionsByDetector, subflow_ids: Sequence[int]
) -> list[dict[str, Any]]:
    return [
        {
            "connection_id": connection_id,
            "detector": detector,
            "preset": preset,
            "time_ns": opinion.time_ns,
            "subflow_id": subflow_id,
            "group": group,
        }
        for (detector, preset), opinions in opinions_by.items()
        for opinion in opinions
        for subflow_id, group in zip(subflow_ids, opinion.partition, strict=True)
    ]


def _opinion_rows(windows: pa.Table, on_pairs: Mapping[tuple[str, str], Mapping[Pair, OnPair]]) -> pa.Table:
    """Return the opinions on windows, rows of the ``opinion`` table in order of its key.

    Parameters
    ----------
    windows : rows of the ``pair_window`` table
        Of one connection, in order.
    on_pairs : mapping of detector and parameter set to their opinions on each pair
    """
    names = sorted(on_pairs)
    ends_ns = pc.add(windows.column("window_start_ns"), windows.column("window_ns")).to_numpy()
    verdicts = np.empty((len(windows), len(names)), dtype=np.int8)
    pairs = np.stack([windows.column(name).to_numpy() for name in ("subflow_a", "subflow_b")], axis=1)
    starts = [0, *(np.flatnonzero((pairs[1:] != pairs[:-1]).any(axis=1)) + 1).tolist()]
    for start, end in zip(starts, [*starts[1:], len(windows)], strict=True):
        a, b = pairs[start].tolist()
        for place, name in enumerate(names):
            verdicts[start:end, place] = on_pairs[name][a, b].at_each(ends_ns[start:end])
    repeated = windows.take(np.repeat(np.arange(len(windows)), len(names)))
    columns = {name: repeated.column(name) for name in (*tables.WINDOW_KEY, "shared", "site")}
    for column, values in zip(("detector", "preset"), zip(*names, strict=True), strict=True):
        columns[column] = array_of(values, pa.string()).take(pa.array(np.tile(np.arange(len(names)), len(windows))))
    flat = verdicts.ravel()
    columns["shared_pred"] = array_of_numbers(flat > 0, pa.bool_(), flat < 0)
    return pa.table([columns[column.name] for column in tables.OPINION.columns], schema=tables.OPINION.schema())


def judged(
    connection: Mapping[str, Any], known: Known, states: pa.Table, opinions_by: OpinionsByDetector, *, with_groups: bool
) -> ReplayedRows:
    """Return the accuracy of detectors on a connection: on each labelled window and over the scored time of each truth.

    Parameters
    ----------
    connection : row of the ``connection`` table
    known : Known
    states : its rows of the ``state`` table
    opinions_by : OpinionsByDetector
    with_groups : bool
        Whether the opinions themselves are wanted.

    Returns
    -------
    ReplayedRows
        Of this connection alone; `grouping` is empty unless it is wanted.
    """
    replayed_rows = ReplayedRows()
    connection_id = connection["connection_id"]
    subflows = known.subflows[connection_id]
    place = {subflow_id: number for number, subflow_id in enumerate(sorted(subflows))}
    if with_groups:
        replayed_rows.grouping = _grouping_rows(connection_id, opinions_by, list(place))
    out_ns = {subflow_id: scored_from_ns(states, row["start_ns"], subflow_id) for subflow_id, row in subflows.items()}
    by_pair: dict[tuple[int, int], list[Mapping[str, Any]]] = defaultdict(list)
    for row in known.truths.get(connection_id, []):
        by_pair[row["subflow_a"], row["subflow_b"]].append(row)
    absent = sorted(pair for pair in by_pair if not set(pair) <= set(place))
    replayed_rows.counts["pairs of the truth without their subflows"] += len(absent)
    scored = []
    for pair in sorted(set(by_pair) - set(absent)):
        for truth, until_ns in phases(by_pair[pair], connection["end_ns"]):
            start_ns = max(truth["from_ns"], out_ns[pair[0]], out_ns[pair[1]])
            if truth["valid"] and start_ns < until_ns:
                scored.append((pair, truth, start_ns, until_ns))
            else:
                reason = "ends in slow start" if truth["valid"] else "not valid"
                replayed_rows.counts[f"truths not scored: {reason}"] += 1
    on_pairs = {
        name: {(a, b): OnPair.of(opinions, place[a], place[b]) for a, b in pairs_of(place)}
        for name, opinions in opinions_by.items()
    }
    if connection_id in known.windows and on_pairs:
        replayed_rows.opinion.append(_opinion_rows(known.windows[connection_id], on_pairs))
    for (detector, preset), on_pair in on_pairs.items():
        named = {"detector": detector, "preset": preset}
        for pair, truth, start_ns, until_ns in scored:
            lasting_ns = on_pair[pair].lasting_ns(start_ns, until_ns)
            replayed_rows.time_share.append(
                {
                    "connection_id": connection_id,
                    "subflow_a": pair[0],
                    "subflow_b": pair[1],
                    "from_ns": truth["from_ns"],
                    **named,
                    "scored_ns": until_ns - start_ns,
                    "together_ns": lasting_ns[True],
                    "apart_ns": lasting_ns[False],
                    "last_pred": on_pair[pair].at(until_ns - 1),
                    "shared": truth["shared"],
                    "site": truth["site"],
                }
            )
    return replayed_rows


def replay_on(
    known: Known,
    folder: Path,
    detectors: Named,
    other_opinions: Mapping[str, OpinionsByDetector],
    *,
    with_groups: bool,
) -> ReplayedRows:
    """Replay detectors on all connections of what is known.

    Parameters
    ----------
    known : Known
    folder : Path
        With the dataset's tables; read one connection at a time.
    detectors : Named
    other_opinions : mapping of connection_id to OpinionsByDetector
        Opinions of other judges on the connections, judged with those of the detectors.
    with_groups : bool
        Whether the opinions themselves are wanted.

    Returns
    -------
    ReplayedRows
        Of all connections, with the numbers of connections and events among the counts.
    """
    replayed_rows = ReplayedRows()
    for connection in known.connections:
        connection_id = connection["connection_id"]
        acks, states, losses = (_reader(folder, name).rows_of(connection_id) for name in ("ack", "state", "loss"))
        opinions, events_count = opinions_on(
            (acks, states, losses), sorted(known.subflows[connection_id]), connection["end_ns"], detectors
        )
        for detector, preset in detectors.keys() - opinions.keys():
            replayed_rows.counts[f"without its signal: {detector}/{preset}"] += 1
        all_opinions = {**opinions, **other_opinions.get(connection_id, {})}
        replayed_rows.add(judged(connection, known, states, all_opinions, with_groups=with_groups))
        replayed_rows.counts["events"] += events_count
        replayed_rows.counts["connections"] += 1
    return replayed_rows


def columns_of(table: Table, rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return rows as columns of a table, in order of its key."""
    ordered = sorted(rows, key=lambda row: tuple(row[name] for name in table.key))
    return {column.name: [row[column.name] for row in ordered] for column in table.columns}


def opinion_table(parts: Sequence[pa.Table]) -> pa.Table:
    """Return the rows of some connections, each a part of them, as one ``opinion`` table in order of its key."""
    ordered = sorted(parts, key=lambda part: str(part.column("connection_id")[0]))
    return pa.concat_tables([tables.OPINION.schema().empty_table(), *ordered])


def write_opinions(opinion: pa.Table, path: Path) -> None:
    """Write an ``opinion`` table."""
    columns = {name: opinion.column(name).combine_chunks() for name in opinion.column_names}
    write_table(tables.OPINION, columns, path)


def batches(known: Known) -> list[Known]:
    """Return what is known of a few connections at a time, for tasks of their own."""
    parts = []
    for at in range(0, len(known.connections), _CONNECTIONS_PER_TASK):
        connections = known.connections[at : at + _CONNECTIONS_PER_TASK]
        names = {connection["connection_id"] for connection in connections}

        def named(rows: Mapping[str, Any], names: set[str] = names) -> dict[str, Any]:
            return {name: rows[name] for name in names if name in rows}

        parts.append(Known(connections, named(known.subflows), named(known.truths), named(known.windows)))
    return parts


def names_of(time_share: pa.Table) -> list[tuple[str, str]]:
    """Return the detectors and parameter sets that were replayed, including those without any opinion."""
    return sorted(set(zip(*(time_share.column(name).to_pylist() for name in ("detector", "preset")), strict=True)))


def opinions_in(grouping: pa.Table) -> dict[str, OpinionsByDetector]:
    """Return the opinions of a ``grouping`` table by connection, detector and parameter set.

    Parameters
    ----------
    grouping : rows of the ``grouping`` table
        In order of its key.

    Returns
    -------
    dict of str to OpinionsByDetector
        By connection; opinions in time order.
    """
    groups_at: dict[str, dict[tuple[str, str], dict[int, list[int | None]]]] = defaultdict(lambda: defaultdict(dict))
    names = ("connection_id", "detector", "preset", "time_ns", "group")
    for connection_id, detector, preset, time_ns, group in zip(
        *(grouping.column(name).to_pylist() for name in names), strict=True
    ):
        groups_at[connection_id][detector, preset].setdefault(time_ns, []).append(group)
    return {
        connection_id: {
            name: [Opinion(time_ns, tuple(groups)) for time_ns, groups in by_time.items()]
            for name, by_time in by_detector.items()
        }
        for connection_id, by_detector in groups_at.items()
    }
