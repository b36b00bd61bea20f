"""Labelled connections to compare detectors on: from a user's folder, the samples in git, or a run's tables."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from smartsbd.contracts import tables
from smartsbd.contracts.contract import TableReader, read_table
from smartsbd.contracts.fault import InputFault, UsageFault, printable
from smartsbd.detectors.event import ACK_COLUMNS, LOSS_COLUMNS, STATE_COLUMNS
from smartsbd.features import connection_pairs
from smartsbd.models.labelled.labelled_connection import LabelledConnection, labelled
from smartsbd.pipelines.labelling import labelled_inputs
from smartsbd.pipelines.labelling.labels import read_labels
from smartsbd.pipelines.params import LOCKED, Params
from smartsbd.traces import recording, truth
from smartsbd.traces.assembly import BACKWARDS
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.recording import Recording

SAMPLES = Path("data/samples")
#: Folders with the tables and the truth of a run's datasets: those of the main road, and those of studies.
RUNS = (Path("data"), Path("data/studies/datasets"))
#: The samples in git that are judged if nothing is named: logs of a sender.
DEFAULT = ("kernel", "kernel_hard")
#: In event lines, of a connection whose token is not known.
_NO_TOKEN = 1


class UnknownDatasetError(UsageFault):
    """A dataset that is neither among the samples nor among a run's tables."""


class NoLabelledConnectionError(InputFault):
    """There is nothing to judge a detector on."""


@dataclass
class Gathered:
    """Labelled connections, and the remarks on them.

    Attributes
    ----------
    connections : list of LabelledConnection
    counts : Counter of str
        Labels and pairs that are left out, and records whose time runs backwards.
    remarks : list of str
        What the user should know.
    """

    connections: list[LabelledConnection] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)


def _add(gathered: Gathered, dataset: str, recorded: Recording, rows: Sequence[Mapping[str, Any]]) -> None:
    gathered.counts[BACKWARDS] += recorded.trace.refused().get(BACKWARDS, 0)
    for name, connection in recorded.connections():
        labels = [
            row for row in rows if row["token"] is None or row["token"] in (connection.token, connection.remote_token)
        ]
        token = connection.token or _NO_TOKEN
        labelled_connection = labelled(f"{dataset}/{name}", dataset, token, connection_pairs.rows(connection), labels)
        if labelled_connection is not None:
            gathered.connections.append(labelled_connection)


def _filled(row: Mapping[str, Any], least: float) -> bool:
    """Return whether both bottlenecks were used enough for the label to hold, as far as their use is known."""
    used = [row[f"utilisation_{side}"] for side in "ab"]
    return all(share is None or share >= least for share in used)


def of_sample(dataset: str, params: Params, gathered: Gathered) -> None:
    """Add the labelled connections of a sample in git; a pair that did not fill its bottlenecks has no valid label.

    Parameters
    ----------
    dataset : str
        Name of a folder of ``data/samples``.
    params : Params
    gathered : Gathered

    Raises
    ------
    UnreadableInputError
        If an input cannot be read.
    """
    by_input: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in truth.read_csv(SAMPLES / dataset / "truth.csv"):
        valid = _filled(row, params.validate_.min_utilisation)
        gathered.counts["pairs that did not fill their bottlenecks"] += not valid
        by_input[row["input"]].append({**row, "valid": valid})
    paths = [SAMPLES / dataset / "inputs" / name for name in sorted(by_input)]
    for recorded in recording.read_all(paths, params.parse.dialect(), params.parse.bounds()):
        if isinstance(recorded, UnreadableInputError):
            raise recorded
        _add(gathered, dataset, recorded, by_input[recorded.path.name])


def of_tables(dataset: str, made: Path, gathered: Gathered) -> None:
    """Add the labelled connections of a dataset of the pipeline's run, by its validated truth.

    Parameters
    ----------
    dataset : str
    made : Path
        One of :data:`RUNS`.
    gathered : Gathered
    """
    folder = made / "tables" / dataset
    truths: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in read_table(tables.TRUTH, made / "truth" / f"{dataset}.parquet").to_pylist():
        truths[row["connection_id"]].append(row)
        gathered.counts["labels that are not valid"] += not row["valid"]
    readers = [
        TableReader(table, folder / f"{table.name}.parquet", columns)
        for table, columns in (
            (tables.ACK, (*ACK_COLUMNS, "is_dup", "newly_sacked_bytes", "srtt_us", "data_ack")),
            (tables.STATE, STATE_COLUMNS),
            (tables.LOSS, LOSS_COLUMNS),
        )
    ]
    for row in read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist():
        name = row["connection_id"]
        acks, states, losses = (reader.rows_of(name) for reader in readers)
        token = row["token"] or _NO_TOKEN
        labelled_connection = labelled(name, dataset, token, (acks, states, losses), truths.get(name, []))
        if labelled_connection is not None:
            gathered.connections.append(labelled_connection)
    for row in read_table(tables.QUARANTINE, folder / "quarantine.parquet").to_pylist():
        gathered.counts[BACKWARDS] += row["reason"] == BACKWARDS


def of_folder(folder: Path, labels: Path, params: Params) -> Gathered:
    """Return the labelled connections of a folder of inputs and a file of labels.

    Parameters
    ----------
    folder, labels : Path
    params : Params

    Returns
    -------
    Gathered

    Raises
    ------
    LabelsError
        If inputs and labels make no dataset; the details are every problem.
    """
    rows, paths = read_labels(labels), labelled_inputs.inputs(folder, labels)
    with tempfile.TemporaryDirectory(prefix="sbd-") as staged:
        checked = labelled_inputs.check(folder, paths, rows, Path(staged) / "truth.csv", params)
    labelled_inputs.refuse(folder, checked)
    gathered = Gathered(remarks=list(checked.remarks))
    for name, recorded in checked.recorded.items():
        _add(gathered, folder.name, recorded, [row for row in checked.rows if row["input"] == name])
    return gathered


def of_datasets(names: Sequence[str], params: Params) -> Gathered:
    """Return the labelled connections of datasets: tables of a run where there are any, else samples in git.

    Parameters
    ----------
    names : sequence of str
    params : Params

    Returns
    -------
    Gathered
        The connections of all datasets, in their order.

    Raises
    ------
    UnknownDatasetError
        If there is no dataset of a name, or it is the locked one.
    """
    gathered = Gathered()
    for name in names:
        if name == LOCKED:
            raise UnknownDatasetError(f"{LOCKED} is read by `sbd score --locked` alone")
        made = next((run for run in RUNS if name in _made(run)), None)
        if made is not None:
            of_tables(name, made, gathered)
        elif "/" not in name and (SAMPLES / name / "truth.csv").is_file():
            of_sample(name, params, gathered)
        else:
            known = sorted(_named())
            raise UnknownDatasetError(f"dataset {printable(name)!r} is unknown, known are {known}")
    return gathered


def _made(run: Path) -> list[str]:
    """Return the datasets whose tables and truth a run has made."""
    return [path.stem for path in (run / "truth").glob("*.parquet") if (run / "tables" / path.stem).is_dir()]


def _named() -> Iterator[str]:
    yield from (path.parent.name for path in SAMPLES.glob("*/truth.csv") if path.parent.name != LOCKED)
    for run in RUNS:
        yield from _made(run)
