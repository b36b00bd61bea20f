"""Verdicts of detectors on the labels of a benchmark task: on signals, or as the stage ``replay`` has them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pyarrow.compute as pc

from smartsbd.contracts import tables
from smartsbd.contracts.columns import array_of
from smartsbd.contracts.contract import read_table
from smartsbd.detectors import detector_of
from smartsbd.detectors.partition import Pair
from smartsbd.detectors.replaying import Named, opinions_in
from smartsbd.detectors.scoring import OnPair
from smartsbd.detectors.verdict_lines import on_pairs_of
from smartsbd.models.labelled.labelled_connection import LabelledConnection, LabelledPair, SignalRows
from smartsbd.pipelines.benchmark.run_connections import RunConnections
from smartsbd.pipelines.benchmark.task_tables import TaskTables
from smartsbd.pipelines.judging.detector_opinions import Answers, Asked, opinions_of_ours

#: In event lines: a name is not a token.
_TOKEN = 1
#: Verdicts on the labels of a task over time, by the label's number.
OfLabels = dict[int, OnPair]


def connections(task: str, made: TaskTables, signals: Iterable[tuple[str, SignalRows]]) -> Iterator[LabelledConnection]:
    """Yield the connections that are judged, each with its signals; those without a signal are left out.

    Parameters
    ----------
    task : str
        Its name.
    made : TaskTables
    signals : iterable of (str, SignalRows)
        By connection, by the labels' clock.

    Yields
    ------
    LabelledConnection
    """
    pairs: dict[str, list[LabelledPair]] = defaultdict(list)
    for row in made.labels.to_dict("records"):
        pair = LabelledPair(row["subflow_a"], row["subflow_b"], row["shared"], row["from_ns"])
        pairs[row["connection"]].append(pair)
    for name, rows in signals:
        if any(len(part) for part in rows):
            yield LabelledConnection(name, task, _TOKEN, rows, tuple(pairs[name]))


def by_ours(made: TaskTables, asked: Iterable[LabelledConnection], known: Named) -> dict[str, OfLabels]:
    """Return the verdicts of detectors of ours, by name; a detector has none where a connection lacks its signal.

    Parameters
    ----------
    made : TaskTables
    asked : iterable of LabelledConnection
    known : Named
        The detectors.

    Returns
    -------
    dict of str to OfLabels
    """
    by_detector: dict[str, dict[str, Mapping[Pair, OnPair]]] = {name: {} for name, _ in known}
    for connection in asked:
        for name, on_pairs in opinions_of_ours(connection, known).items():
            by_detector[name][connection.name] = on_pairs
    return {name: made.by_label(by_connection) for name, by_connection in by_detector.items()}


def by_foreign(made: TaskTables, asked: Iterable[LabelledConnection], detector: Asked) -> tuple[OfLabels, Answers]:
    """Return the verdicts of somebody else's detector, and how it answered.

    Parameters
    ----------
    made : TaskTables
    asked : iterable of LabelledConnection
    detector : Asked

    Returns
    -------
    OfLabels
        Its verdicts.
    Answers
        How often it answered, and how.
    """
    by_connection: dict[str, Mapping[Pair, OnPair]] = {}
    answers = Answers()
    for connection in asked:
        answer = detector(connection)
        by_connection[connection.name] = answer.on_pairs
        answers.add(answer)
        answers.try_cut(connection, answer, detector)
    return made.by_label(by_connection), answers


def replayed(made: TaskTables, run: RunConnections, folder: Path, names: Iterable[str]) -> dict[str, OfLabels]:
    """Return the verdicts that the stage ``replay`` has of detectors of ours with their default parameters, by name.

    Parameters
    ----------
    made : TaskTables
    run : RunConnections
    folder : Path
        With one folder of opinions for each dataset.
    names : iterable of str
        Of the detectors.

    Returns
    -------
    dict of str to OfLabels
    """
    kinds = {name: detector_of(name)[0].default for name in names}
    by_detector: dict[str, dict[str, Mapping[Pair, OnPair]]] = {name: {} for name in kinds}
    tested = {name: run.tested[name] for name in made.labels["connection"].unique()}
    for dataset in sorted({connection.dataset for connection in tested.values()}):
        tested_here = {
            connection.connection_id: (name, connection.by_ns)
            for name, connection in tested.items()
            if connection.dataset == dataset
        }
        subflows: dict[str, list[int]] = defaultdict(list)
        for row in read_table(tables.SUBFLOW, run.data.tables / dataset / "subflow.parquet").to_pylist():
            subflows[row["connection_id"]].append(row["subflow_id"])
        grouping = read_table(tables.GROUPING, folder / dataset / "grouping.parquet")
        for column, values in (("connection_id", tested_here), ("detector", kinds)):
            there = pc.is_in(
                grouping.column(column), value_set=array_of(list(values), grouping.schema.field(column).type)
            )
            grouping = grouping.filter(there)
        for connection_id, opinions in opinions_in(grouping).items():
            name, by_ns = tested_here[connection_id]
            for (detector, preset), changes in opinions.items():
                if preset == kinds[detector]:
                    on_pairs = on_pairs_of(changes, sorted(subflows[connection_id]))
                    by_detector[detector][name] = {pair: _later(on, by_ns) for pair, on in on_pairs.items()}
    return {name: made.by_label(by_connection) for name, by_connection in by_detector.items()}


def _later(on: OnPair, by_ns: int) -> OnPair:
    return OnPair(tuple(at + by_ns for at in on.from_ns), on.verdicts)
