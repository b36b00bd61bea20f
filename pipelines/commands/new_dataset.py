"""Make a dataset of a folder of inputs and a file of labels, check it, and say in plain words what is missing.

The labels are a CSV file: `input` (a file's name) and `shared` (true or false); `token` where an input holds several
connections; `subflow_a` and `subflow_b` where a connection has more than two subflows; `from_s`, from when on the label
holds, by the input's clock; and any other column of truth.csv, for instance `site`.
"""

from __future__ import annotations

import argparse
import csv
import logging
import re
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from features import connection_pairs
from pipelines.params import LOCKED, Params
from pipelines.running import stage
from traces import recording
from traces.connection import Connection
from traces.contract import ContractError
from traces.fault import InputFault, UsageFault, printable
from traces.formats import stem_of
from traces.quarantine import CaptureError, by_reason
from traces.recording import Recording
from traces.stored import capture_id
from traces.tables import TRUTH
from traces.truth import CSV_COLUMNS, label_at, read_csv, write_csv

log = logging.getLogger(__name__)

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_SHARED = {"true": "true", "1": "true", "sb": "true", "false": "false", "0": "false", "nsb": "false"}
#: Columns of the truth that `validate` fills.
_JUDGED = {"valid": [True], "why": [""]}
_DEFAULTS = {"token": "", "from_ns": "0", "scenario": "recorded", "congestion_control": "unknown"}
_PAIR = 2
#: Other files of the pipeline have this name.
_RESERVED = {"transfer"}
_NS_PER_S = 10**9
_MAX_TIME_NS = 2**62
_NUMBER = re.compile(r"[0-9]{1,4}")
#: Where datasets lie.
_PLACES = (Path("data/samples"), Path("data/raw"))
#: With fewer of a label, a random split's test side may have none.
_FEW = 10


class LabelsError(InputFault):
    """Inputs and labels that make no dataset: says everything that is wrong."""


class TargetError(UsageFault):
    """The dataset's name or place cannot be used."""


@dataclass
class Checked:
    """What was found while a dataset was checked.

    Attributes
    ----------
    rows : list of dict
        Of truth.csv.
    problems, remarks : list of str
        What keeps the folder from being a dataset, and what its user should know.
    windows : Counter of str
        Windows with a label, per label.
    connections : Counter of str
        Connections with a label, per label.
    recorded : dict of str to Recording
        The inputs that could be read, by name.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    windows: Counter[str] = field(default_factory=Counter)
    connections: Counter[str] = field(default_factory=Counter)
    recorded: dict[str, Recording] = field(default_factory=dict)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="folder with the logs or captures, and nothing else")
    parser.add_argument("--labels", metavar="FILE", type=Path, required=True, help="CSV file: what is shared")
    parser.add_argument("--name", help="name of the dataset (default: the folder's)")
    parser.add_argument("--raw", type=Path, default=Path("data/raw"), help="where datasets lie (default: %(default)s)")


def _target(arguments: argparse.Namespace, params: Params) -> Path:
    name = arguments.name or arguments.folder.resolve().name
    if not _NAME.fullmatch(name):
        raise TargetError(f"{name!r} is no name for a dataset: use --name with a-z, 0-9 and _, a letter first")
    if name in {*params.simulated, *params.samples, LOCKED, *_RESERVED}:
        raise TargetError(f"{name!r} is a dataset of the pipeline's own, or another file's name: use --name")
    target: Path = arguments.raw / name
    if target.exists():
        raise TargetError(f"{target} is there already: remove it, or use --name")
    return target


def read_labels(path: Path) -> list[dict[str, str]]:
    """Return the labels, each with the number of its `line`.

    Raises
    ------
    LabelsError
        If the file cannot be read, or holds no label.
    """
    labels = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = csv.reader(stream, strict=True)
            columns = [cell.strip() for cell in next(rows, [])]
            known = {*CSV_COLUMNS, "from_s"} - {"from_ns"}
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


def _connection(recorded: Recording, token: str) -> Connection | str:
    """Return the connection a label means, or what is wrong."""
    connections = recorded.trace.connections
    if token:
        try:
            own = [one for one in connections if int(token, 16) in (one.token, one.remote_token)]
        except ValueError:
            return f"token {token!r} is not hexadecimal"
        return own[0] if own else f"there is no connection with token {token}"
    if recorded.is_part():
        return "its connection begins in another input: label that one"
    if len(connections) != 1:
        tokens = "the label must name a token" if any(one.token for one in connections) else "and names no token"
        return f"it holds {len(connections)} connections: {tokens}"
    return connections[0]


def _from_ns(text: str) -> int | None:
    """Return seconds as nanoseconds, without a detour over binary fractions; None if they are no such number."""
    match = re.fullmatch(r"([0-9]{1,10})(?:\.([0-9]{1,9}))?", text)
    time_ns = int(match[1]) * _NS_PER_S + int((match[2] or "0").ljust(9, "0")) if match else None
    return time_ns if time_ns is not None and time_ns <= _MAX_TIME_NS else None


def _truth_row(label: Mapping[str, str], connection: Connection) -> dict[str, str] | str:
    """Return a label as a row of truth.csv, or what is wrong."""
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
    from_ns = _from_ns(label.get("from_s") or "0")
    if from_ns is None:
        return f"from_s is {label['from_s']!r}, must be seconds by the input's clock, for instance 1795231450.5"
    # An empty cell stands for its default.
    given = {name: cell for name, cell in label.items() if name in CSV_COLUMNS and cell}
    row = {**dict.fromkeys(CSV_COLUMNS, ""), **_DEFAULTS, **given}
    return row | {"shared": shared, "subflow_a": named[0], "subflow_b": named[1], "from_ns": str(from_ns)}


def _lacking(connection: Connection) -> Iterator[str]:
    """Yield what a connection's signals lack for a window."""
    for subflow in connection.ordered():
        if subflow.min_rtt_us() is None:
            yield f"subflow {subflow.subflow_id} has no RTT sample"
        if not len(subflow.state_ca_state):
            yield f"subflow {subflow.subflow_id} has no change of congestion state"


def _recordings(paths: Mapping[str, Path], params: Params, checked: Checked) -> dict[str, Recording]:
    found: dict[str, Recording] = {}
    for recorded in recording.read_all(list(paths.values()), params.parse.dialect()):
        name = recorded.path.name
        if isinstance(recorded, CaptureError):
            checked.problems.append(f"{name}: cannot be read: {recorded.why}")
            continue
        found[name] = recorded
        trace = recorded.trace
        if trace.refusals:
            share = len(trace.refusals) / trace.records_in
            note = f"{name}: {len(trace.refusals)} of {trace.records_in} records refused: {by_reason(trace.refusals)}"
            (checked.problems if share > params.parse.max_quarantined else checked.remarks).append(note)
    return found


def _count_windows(rows: list[dict[str, Any]], connection: Connection, params: Params, checked: Checked) -> None:
    """Count the windows of a connection that have a label."""
    for pair in connection_pairs.pairs(connection, params.search.rule, params.extract.reading):
        own = [row for row in rows if (row["subflow_a"], row["subflow_b"]) == (pair.subflow_a, pair.subflow_b)]
        for placed in pair.windows:
            window = placed.window
            label = label_at([{**row, "valid": True} for row in own], window.start_ns, window.end_ns)
            if label is not None:
                checked.windows["shared" if label.shared else "not shared"] += 1
        if own and not pair.windows:
            reasons = ", ".join(sorted({one.reason for one in pair.rejected}))
            checked.remarks.append(f"{own[0]['input']}: no window: {reasons}")


def _check_values(checked: Checked) -> None:
    """Check every value against the contract of the table that `validate` will write."""
    for row in checked.rows:
        known = {name: value for name, value in row.items() if name not in ("input", "token")}
        try:
            TRUTH.build({name: [value] for name, value in known.items()} | {"connection_id": [""], **_JUDGED})
        except ContractError as error:
            checked.problems.append(f"{row['input']!r}: {error}")


def _check_names(folder: Path, paths: Mapping[str, Path], checked: Checked) -> None:
    """Check that no two inputs are one, by content or by name, and that nothing in the folder goes unsaid."""
    contents: dict[str, str] = {}
    stems: dict[str, str] = {}
    for path in sorted(folder.iterdir()):
        if not path.is_file():
            checked.remarks.append(f"{path.name}: is no file: left out")
    for name, path in paths.items():
        if not name.isprintable():
            checked.problems.append(f"{printable(name)!r}: its name is not printable")
            continue
        same = contents.setdefault(capture_id(path), name)
        alike = stems.setdefault(stem_of(name), name)
        if same != name:
            checked.problems.append(f"{name}: is the same file as {same}")
        elif alike != name:
            checked.problems.append(f"{name}: has the name of {alike} but for its suffixes: rename one of them")


def _check_not_for_evaluation(paths: Mapping[str, Path], params: Params, checked: Checked) -> None:
    """Remark on inputs that a dataset for evaluation alone has too: what learns from them is judged on them as well."""
    sizes: dict[int, list[tuple[str, Path]]] = defaultdict(list)
    for dataset in (*params.evaluation_only, LOCKED):
        for folder in _PLACES:
            for path in sorted((folder / dataset).glob("inputs/*")):
                sizes[path.stat().st_size].append((dataset, path))
    for name, path in paths.items():
        alike = {dataset for dataset, other in sizes[path.stat().st_size] if capture_id(other) == capture_id(path)}
        if alike:
            checked.remarks.append(
                f"{name}: is an input of {', '.join(sorted(alike))}, which is for evaluation alone: do not train on it"
            )


def _check_whole(checked: Checked) -> None:
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
        Where they lie.
    paths : mapping of name to Path
        The inputs.
    labels : list of dict
        Rows of the labels' file.
    staged : Path
        truth.csv to write, from which the rows are read again as the pipeline reads them.
    params : Params
    """
    checked = Checked()
    _check_names(folder, paths, checked)
    _check_not_for_evaluation(paths, params, checked)
    recorded = checked.recorded = _recordings(paths, params, checked)
    rows, meant = [], []
    seen: dict[tuple[str, ...], str] = {}
    for label in labels:
        where = f"line {label['line']}, {label['input']!r}"
        if label["input"] not in paths:
            checked.problems.append(f"{where}: there is no such input")
        if label["input"] not in recorded:
            continue
        connection = _connection(recorded[label["input"]], label.get("token", ""))
        row = connection if isinstance(connection, str) else _truth_row(label, connection)
        if isinstance(row, str) or isinstance(connection, str):
            checked.problems.append(f"{where}: {row}")
            continue
        key = tuple(row[name] for name in ("input", "token", "subflow_a", "subflow_b", "from_ns"))
        if key in seen:
            checked.problems.append(f"{where}: line {seen[key]} is about the same pair from the same moment on")
            continue
        seen[key] = label["line"]
        rows.append({name: cell or None for name, cell in row.items()})
        meant.append(connection)
    with_connection = {name for name, one in recorded.items() if not one.is_part()}
    unlabelled = sorted(with_connection - {label["input"] for label in labels})
    checked.remarks += [f"{name}: has no label: nothing is learnt from it" for name in unlabelled]
    if checked.problems:
        return checked
    write_csv(rows, staged)
    checked.rows = read_csv(staged)
    _check_values(checked)
    if checked.problems:
        return checked
    for connection in {id(one): one for one in meant}.values():
        own = [row for row, one in zip(checked.rows, meant, strict=True) if one is connection]
        checked.remarks += [f"{own[0]['input']}: {lacking}" for lacking in _lacking(connection)]
        checked.connections.update({"shared" if row["shared"] else "not shared" for row in own})
        _count_windows(own, connection, params, checked)
    return checked


def inputs(folder: Path, labels: Path) -> dict[str, Path]:
    """Return the files of a folder by name, without the labels.

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
    """Say everything that keeps inputs and labels from being used.

    Raises
    ------
    LabelsError
        If there is anything.
    """
    if checked.problems:
        listed = "\n".join(map(printable, checked.problems))
        raise LabelsError(f"{folder}: {len(checked.problems)} problems:\n{listed}")


def _next_steps(name: str) -> str:
    return f"""To use it, in params.yaml:
  datasets: add {name}
  validate.rule: add `{name}: given`, so that its labels are believed
  to train on it: search.datasets, rank.datasets and export.dataset name it; so may generalise.trained and, in place of
    a dataset that search.datasets has no more, unseen.trained
  to test on it: transfer.tested names it, and evaluation_only, so that nothing is trained on it
then `dvc repro`."""


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    target = _target(arguments, params)
    labels = read_labels(arguments.labels)
    paths = inputs(arguments.folder, arguments.labels)
    target.mkdir(parents=True)
    try:
        checked = check(arguments.folder, paths, labels, target / "truth.csv", params)
        _check_whole(checked)
        for remark in checked.remarks:
            log.warning("%s", printable(remark))
        refuse(arguments.folder, checked)
        (target / "inputs").mkdir()
        for name, path in paths.items():
            shutil.copyfile(path, target / "inputs" / name)
    except BaseException:
        # No half of a dataset is left.
        shutil.rmtree(target)
        raise
    print(
        f"{target}: {len(paths)} inputs; connections shared {checked.connections['shared']},"
        f" not shared {checked.connections['not shared']}; windows shared {checked.windows['shared']},"
        f" not shared {checked.windows['not shared']}"
    )
    print(_next_steps(target.name))
    return stage.EXIT_OK


if __name__ == "__main__":
    sys.exit(stage.main("new-dataset", __doc__ or "", add_arguments, run))
