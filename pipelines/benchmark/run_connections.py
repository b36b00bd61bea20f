"""The connections of a run's datasets by name, and a task's tables made of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from smartsbd.contracts import tables
from smartsbd.contracts.contract import TableReader, read_table
from smartsbd.contracts.fault import InputFault
from smartsbd.detectors.event import ACK_COLUMNS, LOSS_COLUMNS, STATE_COLUMNS
from smartsbd.models.labelled.labelled_connection import START_NS, SignalRows, shifted
from smartsbd.models.last_verdict.dataset_tables import DatasetTables
from smartsbd.pipelines.benchmark.named_split import NamedSplit, draw_split, names_of
from smartsbd.pipelines.benchmark.task import BenchmarkTask
from smartsbd.pipelines.benchmark.task_tables import TaskTables, labels_of, tables_of

#: The signals that a detector judges: tables and their columns. The last four of ACKs are in event lines alone.
SIGNALS = (
    (tables.ACK, (*ACK_COLUMNS, "is_dup", "newly_sacked_bytes", "srtt_us", "data_ack")),
    (tables.STATE, STATE_COLUMNS),
    (tables.LOSS, LOSS_COLUMNS),
)


class TaskNotRunError(InputFault):
    """The data of a task at a size are not there; the message says which."""


@dataclass(frozen=True)
class RunConnection:
    """A connection of a run's dataset.

    Attributes
    ----------
    dataset, connection_id : str
    by_ns : int
        Nanoseconds to add to its times, which gives the labels' clock: its first record is at 1 s there.
    labels : list of dict
        As :func:`~smartsbd.pipelines.benchmark.task_tables.labels_of` returns them.
    """

    dataset: str
    connection_id: str
    by_ns: int
    labels: list[dict[str, Any]]


@dataclass(frozen=True)
class RunConnections:
    """The connections of a task's datasets that a run has, by name.

    Attributes
    ----------
    data : DatasetTables
    trained, tested : dict of str to RunConnection
        Those with a valid label.
    """

    data: DatasetTables
    trained: dict[str, RunConnection]
    tested: dict[str, RunConnection]

    @classmethod
    def of(cls, task: BenchmarkTask, data: DatasetTables) -> RunConnections:
        """Return what a run has of a task's datasets.

        Returns
        -------
        RunConnections
            Both sides, all connections with a valid label.

        Raises
        ------
        TaskNotRunError
            If a dataset is not there.
        """
        known = {
            dataset: _named(data, dataset, task.judged_every_s)
            for dataset in dict.fromkeys((*task.trained, *task.tested))
        }
        trained, tested = (
            {name: connection for dataset in side for name, connection in known[dataset].items()}
            for side in (task.trained, task.tested)
        )
        return cls(data, trained, tested)

    def split(self, task: BenchmarkTask, size: str) -> NamedSplit:
        """Return the split of a task at a size, of all that is there."""
        first_label = (
            {name: bool(connection.labels[0]["shared"]) for name, connection in side.items()}
            for side in (self.trained, self.tested)
        )
        return draw_split(task, size, *first_label)

    def check(self, split: NamedSplit) -> None:
        """Raise :class:`TaskNotRunError` unless every connection of a split is there.

        Raises
        ------
        TaskNotRunError
            If one is not.
        """
        for names, there in ((split.train, self.trained), (split.test, self.tested)):
            missing = sum(name not in there for name in names)
            if missing:
                raise TaskNotRunError(f"{missing} of {len(names)} connections are not there")

    def tables(self, split: NamedSplit) -> TaskTables:
        """Return a task's tables."""
        labels = [{"connection": name, **label} for name in split.test for label in self.tested[name].labels]
        return tables_of(self._tiles(split.train, self.trained), self._tiles(split.test, self.tested), labels)

    def _tiles(self, names: Iterable[str], there: Mapping[str, RunConnection]) -> pd.DataFrame:
        """Return the tiles of some connections, by name and the labels' clock."""
        name_of = {there[name].connection_id: name for name in names}
        parts = []
        for dataset in sorted({there[name].dataset for name in name_of.values()}):
            tiles = self.data.pair_tile(dataset)
            tiles = tiles[tiles["connection_id"].isin(name_of.keys())]
            named = tiles["connection_id"].map(name_of)
            by_ns = named.map({name: there[name].by_ns for name in name_of.values()})
            parts.append(tiles.assign(connection_id=named, decided_ns=tiles["decided_ns"] + by_ns))
        return pd.concat(parts, ignore_index=True)

    def signals(self, split: NamedSplit) -> Iterator[tuple[str, SignalRows]]:
        """Yield the rows of each connection that is judged, by the labels' clock, dataset by dataset."""
        by_dataset: dict[str, list[str]] = defaultdict(list)
        for name in split.test:
            by_dataset[self.tested[name].dataset].append(name)
        for dataset, names in sorted(by_dataset.items()):
            readers = [
                TableReader(table, self.data.tables / dataset / f"{table.name}.parquet", columns)
                for table, columns in SIGNALS
            ]
            for name in names:
                connection = self.tested[name]
                acks, states, losses = (
                    shifted(reader.rows_of(connection.connection_id), connection.by_ns) for reader in readers
                )
                yield name, (acks, states, losses)


def _named(data: DatasetTables, dataset: str, every_s: int | None) -> dict[str, RunConnection]:
    """Return the connections of a dataset that have a valid label, by name."""
    folder = data.tables / dataset
    if not (folder / "connection.parquet").is_file() or not (data.truths / f"{dataset}.parquet").is_file():
        raise TaskNotRunError(f"the dataset {dataset} is not there")
    truths: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in data.truth(dataset):
        truths[row["connection_id"]].append(row)
    names = names_of(read_table(tables.CONNECTION_CAPTURE, folder / "connection_capture.parquet"))
    connections = {}
    for row in data.connections(dataset):
        connection_id, start_ns, end_ns = row["connection_id"], row["start_ns"], row["end_ns"]
        by_ns = START_NS - start_ns
        labels = labels_of(truths[connection_id], start_ns, end_ns, by_ns, every_s)
        if labels:
            connections[names[connection_id]] = RunConnection(dataset, connection_id, by_ns, labels)
    return connections
