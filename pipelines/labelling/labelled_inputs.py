"""A folder of inputs and their labels, checked: all problems are reported at once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from smartsbd.contracts.contract import ContractError
from smartsbd.contracts.regular_file import NO_REGULAR_FILE, size_bytes
from smartsbd.contracts.tables import TRUTH
from smartsbd.features import connection_pairs
from smartsbd.pipelines.labelling.labels import LabelsError, connection_of, truth_row
from smartsbd.pipelines.params import LOCKED, Params
from smartsbd.traces import recording
from smartsbd.traces.connection import Connection
from smartsbd.traces.formats import stem_of
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.recording import Recording
from smartsbd.traces.stored import capture_id
from smartsbd.traces.truth import label_at, read_csv, write_csv

#: Columns of the truth that `validate` fills.
_JUDGED = {"valid": [True], "why": [""]}
#: Folder of datasets.
_PLACES = (Path("data/samples"), Path("data/raw"))
#: With fewer connections of a label, a random split's test side may have none.
_FEW = 10


@dataclass
class Checked:
    """The findings of a check of a dataset.

    Attributes
    ----------
    rows : list of dict
        Of truth.csv.
    problems, remarks : list of str
        Why the folder is no dataset, and what its user should know.
    windows : Counter of str
        Number of windows with each label.
    connections : Counter of str
        Number of connections with each label.
    recorded : dict of str to Recording
        The inputs that could be read, by name.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    windows: Counter[str] = field(default_factory=Counter)
    connections: Counter[str] = field(default_factory=Counter)
    recorded: dict[str, Recording] = field(default_factory=dict)


def _lacking(connection: Connection) -> Iterator[str]:
    """Yield the signals that a connection lacks for a window."""
    for subflow in connection.ordered():
        if subflow.min_rtt_us() is None:
            yield f"subflow {subflow.subflow_id} has no RTT sample"
        if not len(subflow.state_ca_state):
            yield f"subflow {subflow.subflow_id} has no change of congestion state"


def _recordings(paths: Mapping[str, Path], params: Params, checked: Checked) -> dict[str, Recording]:
    recordings: dict[str, Recording] = {}
    for recorded in recording.read_all(list(paths.values()), params.parse.dialect(), params.parse.bounds()):
        name = recorded.path.name
        if isinstance(recorded, UnreadableInputError):
            checked.problems.append(f"{name}: cannot be read: {recorded.why}")
            continue
        recordings[name] = recorded
        trace = recorded.trace
        refused = trace.refused()
        if refused:
            count = sum(refused.values())
            note = f"{name}: {count} of {trace.records_in} records refused: {refused}"
            share = count / trace.records_in
            (checked.problems if share > params.parse.max_quarantined else checked.remarks).append(note)
    return recordings


def _count_windows(rows: list[dict[str, Any]], connection: Connection, params: Params, checked: Checked) -> None:
    """Count the windows of a connection that have a label."""
    for pair in connection_pairs.pairs(connection, params.search.rule, params.extract.reading):
        labels = [row for row in rows if (row["subflow_a"], row["subflow_b"]) == (pair.subflow_a, pair.subflow_b)]
        for placed in pair.windows:
            window = placed.window
            label = label_at([{**row, "valid": True} for row in labels], window.start_ns, window.end_ns)
            if label is not None:
                checked.windows["shared" if label.shared else "not shared"] += 1
        if labels and not pair.windows:
            reasons = ", ".join(sorted({rejection.reason for rejection in pair.rejected}))
            checked.remarks.append(f"{labels[0]['input']}: no window: {reasons}")


def _check_values(checked: Checked) -> None:
    """Check every value against the contract of the table that `validate` will write."""
    for row in checked.rows:
        known = {name: value for name, value in row.items() if name not in ("input", "token")}
        try:
            TRUTH.build({name: [value] for name, value in known.items()} | {"connection_id": [""], **_JUDGED})
        except ContractError as error:
            checked.problems.append(f"{row['input']!r}: {error}")


def _check_names(folder: Path, paths: Mapping[str, Path], checked: Checked) -> None:
    """Check that no two inputs have the same content or name; remark on folders in the folder."""
    contents: dict[str, str] = {}
    stems: dict[str, str] = {}
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            checked.remarks.append(f"{path.name}: is no file: left out")
        elif not path.is_file():
            checked.problems.append(f"{path.name}: cannot be read: {NO_REGULAR_FILE}")
    for name, path in paths.items():
        if not name.isprintable():
            checked.problems.append(f"{name}: its name is not printable")
            continue
        try:
            same = contents.setdefault(capture_id(path), name)
        except UnreadableInputError:
            # It has gone since the folder was listed, and is a problem when it is read.
            continue
        alike = stems.setdefault(stem_of(name), name)
        if same != name:
            checked.problems.append(f"{name}: is the same file as {same}")
        elif alike != name:
            checked.problems.append(f"{name}: has the name of {alike} but for its suffixes: rename one of them")


def _are_alike(path: Path, other: Path) -> bool:
    """Return whether two files have the same content, as far as both can be read."""
    try:
        return capture_id(path) == capture_id(other)
    except UnreadableInputError:
        return False


def _check_not_for_evaluation(paths: Mapping[str, Path], params: Params, checked: Checked) -> None:
    """Remark on inputs that an evaluation dataset has too: what learns from them would also be judged on them."""
    sizes: dict[int, list[tuple[str, Path]]] = defaultdict(list)
    for dataset in (*params.evaluation_only, LOCKED):
        for folder in _PLACES:
            for path in sorted((folder / dataset).glob("inputs/*")):
                size = size_bytes(path)
                if size is not None:
                    sizes[size].append((dataset, path))
    for name, path in paths.items():
        alike = {dataset for dataset, other in sizes.get(size_bytes(path) or 0, []) if _are_alike(path, other)}
        if alike:
            checked.remarks.append(
                f"{name}: is an input of {', '.join(sorted(alike))}, which is for evaluation alone: do not train on it"
            )


def remark_on_amounts(checked: Checked) -> None:
    """Remark on a label that too few windows or connections have to learn from."""
    for kind in ("shared", "not shared"):
        if not checked.windows[kind]:
            checked.remarks.append(f"no window is labelled {kind}: nothing can be learnt from this dataset alone")
        elif checked.connections[kind] < _FEW:
            checked.remarks.append(
                f"only {checked.connections[kind]} connections are labelled {kind}: raise search.test_share, or a"
                " random split may test on none"
            )


def check(
    folder: Path, paths: Mapping[str, Path], labels: list[dict[str, str]], staged: Path, params: Params
) -> Checked:
    """Check inputs and labels.

    Parameters
    ----------
    folder : Path
        Folder of the inputs.
    paths : mapping of name to Path
        The inputs.
    labels : list of dict
        Rows of the labels' file.
    staged : Path
        truth.csv to write, from which the rows are read again as the pipeline reads them.
    params : Params

    Returns
    -------
    Checked
        Every problem and remark; the rows, unless a problem kept them from being read.
    """
    checked = Checked()
    _check_names(folder, paths, checked)
    _check_not_for_evaluation(paths, params, checked)
    recorded = checked.recorded = _recordings(paths, params, checked)
    rows, meant = [], []
    # A connection is built anew on each access; its tokens tell it from the others that labels mean.
    connections: dict[tuple[str, int | None, int | None], Connection] = {}
    seen: dict[tuple[str, ...], str] = {}
    for label in labels:
        where = f"line {label['line']}, {label['input']!r}"
        if label["input"] not in paths:
            checked.problems.append(f"{where}: there is no such input")
        if label["input"] not in recorded:
            continue
        connection = connection_of(recorded[label["input"]], label.get("token", ""))
        row = connection if isinstance(connection, str) else truth_row(label, connection)
        if isinstance(row, str) or isinstance(connection, str):
            checked.problems.append(f"{where}: {row}")
            continue
        key = tuple(row[name] for name in ("input", "token", "subflow_a", "subflow_b", "from_ns"))
        if key in seen:
            checked.problems.append(f"{where}: line {seen[key]} is about the same pair from the same moment on")
            continue
        seen[key] = label["line"]
        rows.append({name: cell or None for name, cell in row.items()})
        meant.append((label["input"], connection.token, connection.remote_token))
        connections.setdefault(meant[-1], connection)
    with_connection = {name for name, capture in recorded.items() if not capture.is_part()}
    unlabelled = sorted(with_connection - {label["input"] for label in labels})
    checked.remarks += [f"{name}: has no label: nothing is learnt from it" for name in unlabelled]
    if checked.problems:
        return checked
    write_csv(rows, staged)
    checked.rows = read_csv(staged)
    _check_values(checked)
    if checked.problems:
        return checked
    for known, connection in connections.items():
        of_connection = [row for row, key in zip(checked.rows, meant, strict=True) if key == known]
        checked.remarks += [f"{of_connection[0]['input']}: {lacking}" for lacking in _lacking(connection)]
        checked.connections.update({"shared" if row["shared"] else "not shared" for row in of_connection})
        _count_windows(of_connection, connection, params, checked)
    return checked


def inputs(folder: Path, labels: Path) -> dict[str, Path]:
    """Return the files of a folder by name, without the labels.

    Returns
    -------
    dict of str to Path
        In the order of the names.

    Raises
    ------
    LabelsError
        If there are none.
    """
    if not folder.is_dir():
        raise LabelsError(f"{folder}: is no folder")
    paths = {
        path.name: path for path in sorted(folder.iterdir()) if path.is_file() and path.resolve() != labels.resolve()
    }
    if not paths:
        raise LabelsError(f"{folder}: holds no file")
    return paths


def refuse(folder: Path, checked: Checked) -> None:
    """Report every problem that keeps inputs and labels from being used.

    Raises
    ------
    LabelsError
        If there is anything.
    """
    if checked.problems:
        raise LabelsError(f"{folder}: {len(checked.problems)} problems:", checked.problems)
