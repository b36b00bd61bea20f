"""Make a dataset of a folder of logs and a file of labels, check it, and say in plain words what is missing.

The labels are a CSV file: `input` (a file's name) and `shared` (true or false); `token` where an input holds several
connections; `subflow_a` and `subflow_b` where a connection has more than two subflows; `from_s`, from when on the label
holds, by the input's clock; and any other column of truth.csv, for instance `site`.
"""

from __future__ import annotations

import argparse
import logging
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from pipelines import recording, stage
from pipelines.params import Params
from pipelines.recording import Recording
from traces.connection import NOT_OBSERVED, Connection
from traces.fault import InputFault, UsageFault
from traces.quarantine import CaptureError, by_reason
from traces.truth import CSV_COLUMNS, label_at, read_csv, write_csv

log = logging.getLogger(__name__)

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_SHARED = {"true": "true", "1": "true", "sb": "true", "false": "false", "0": "false", "nsb": "false"}
_DEFAULTS = {"token": "", "from_ns": "0", "scenario": "recorded", "congestion_control": "unknown"}
_PAIR = 2
_NS_PER_S = 10**9
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
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    windows: Counter[str] = field(default_factory=Counter)
    connections: Counter[str] = field(default_factory=Counter)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="folder with the logs, and nothing else")
    parser.add_argument("--labels", metavar="FILE", type=Path, required=True, help="CSV file: what is shared")
    parser.add_argument("--name", help="name of the dataset (default: the folder's)")
    parser.add_argument("--raw", type=Path, default=Path("data/raw"), help="where datasets lie (default: %(default)s)")


def _target(arguments: argparse.Namespace, params: Params) -> Path:
    name = arguments.name or arguments.folder.resolve().name
    if not _NAME.fullmatch(name):
        raise TargetError(f"{name!r} is no name for a dataset: use --name with a-z, 0-9 and _, a letter first")
    if name in {*params.simulated, *params.samples}:
        raise TargetError(f"{name!r} is a dataset of the pipeline's own: use --name")
    target: Path = arguments.raw / name
    if target.exists():
        raise TargetError(f"{target} is there already: remove it, or use --name")
    return target


def _read_labels(path: Path) -> list[dict[str, str]]:
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise LabelsError(f"{path}: cannot be read as CSV: {error}") from error
    known = {*CSV_COLUMNS, "from_s"} - {"from_ns"}
    missing, unknown = sorted({"input", "shared"} - set(frame.columns)), sorted(set(frame.columns) - known)
    if missing or unknown:
        raise LabelsError(f"{path}: missing columns {missing}, unknown columns {unknown}")
    return [{str(name): str(cell).strip() for name, cell in row.items()} for row in frame.to_dict("records")]


def _connection(recorded: Recording, token: str) -> Connection | str:
    """Return the connection a label means, or what is wrong."""
    connections = recorded.trace.connections
    if token:
        try:
            own = [one for one in connections if one.token == int(token, 16)]
        except ValueError:
            return f"token {token!r} is not hexadecimal"
        return own[0] if own else f"there is no connection with token {token}"
    if len(connections) != 1:
        return f"it holds {len(connections)} connections: the label must name a token"
    return connections[0]


def _from_ns(text: str) -> str:
    """Return seconds as nanoseconds, without a detour over binary fractions; what is no number as it stands."""
    match = re.fullmatch(r"(\d{1,10})(?:\.(\d{1,9}))?", text)
    return str(int(match[1]) * _NS_PER_S + int((match[2] or "0").ljust(9, "0"))) if match else text


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
    if not all(name.isdigit() and int(name) in connection.subflows for name in named) or int(named[0]) >= int(named[1]):
        return f"subflow_a and subflow_b are {named}, must be two of {subflows}, the lower first"
    given = {name: cell for name, cell in label.items() if name != "from_s" and cell}
    # An empty cell stands for its default.
    row = {**dict.fromkeys(CSV_COLUMNS, ""), **_DEFAULTS, **given}
    row |= {"shared": shared, "subflow_a": named[0], "subflow_b": named[1]}
    return row | ({"from_ns": _from_ns(label["from_s"])} if label.get("from_s") else {})


def _lacking(connection: Connection) -> Iterator[str]:
    """Yield what a connection's signals lack for a window."""
    for subflow in connection.ordered():
        if all(rtt_us == NOT_OBSERVED for rtt_us in subflow.ack_rtt_us):
            yield f"subflow {subflow.subflow_id} has no RTT sample"
        if not len(subflow.state_ca_state):
            yield f"subflow {subflow.subflow_id} has no change of congestion state"


def _recordings(paths: Mapping[str, Path], params: Params, checked: Checked) -> dict[str, Recording]:
    found = {}
    for name, path in paths.items():
        try:
            found[name] = recording.read(path, params.parse.dialect())
        except CaptureError as error:
            checked.problems.append(f"{name}: cannot be read: {error.why}")
            continue
        trace = found[name].trace
        if trace.refusals:
            share = len(trace.refusals) / trace.records_in
            note = f"{name}: {len(trace.refusals)} of {trace.records_in} records refused: {by_reason(trace.refusals)}"
            (checked.problems if share > params.parse.max_quarantined else checked.remarks).append(note)
    return found


def _count_windows(rows: list[dict[str, Any]], connection: Connection, params: Params, checked: Checked) -> None:
    """Count the windows of a connection that have a label."""
    for pair in recording.pairs(connection, params.search.rule, params.extract.reading):
        own = [row for row in rows if (row["subflow_a"], row["subflow_b"]) == (pair.subflow_a, pair.subflow_b)]
        for placed in pair.windows:
            window = placed.window
            label = label_at([{**row, "valid": True} for row in own], window.start_ns, window.end_ns)
            if label is not None:
                checked.windows["shared" if label.shared else "not shared"] += 1
        if own and not pair.windows:
            reasons = ", ".join(sorted({one.reason for one in pair.rejected}))
            checked.remarks.append(f"{own[0]['input']}: no window: {reasons}")


def _check_whole(checked: Checked) -> None:
    for kind in ("shared", "not shared"):
        if not checked.windows[kind]:
            checked.remarks.append(f"no window is labelled {kind}: nothing can be learnt from this dataset alone")
        elif checked.connections[kind] < _FEW:
            checked.remarks.append(
                f"only {checked.connections[kind]} connections are labelled {kind}: raise search.test_share, or a"
                " random split may test on none"
            )


def check(paths: Mapping[str, Path], labels: list[dict[str, str]], staged: Path, params: Params) -> Checked:
    """Check inputs and labels.

    Parameters
    ----------
    paths : mapping of name to Path
        The inputs.
    labels : list of dict
        Rows of the labels' file.
    staged : Path
        truth.csv to write, from which the rows are read again as the pipeline reads them.
    params : Params
    """
    checked = Checked()
    recorded = _recordings(paths, params, checked)
    rows, meant = [], []
    for line, label in enumerate(labels, start=2):
        where = f"line {line}, {label['input']!r}"
        if label["input"] not in paths:
            checked.problems.append(f"{where}: there is no such input")
        if label["input"] not in recorded:
            continue
        connection = _connection(recorded[label["input"]], label.get("token", ""))
        row = connection if isinstance(connection, str) else _truth_row(label, connection)
        if isinstance(row, str) or isinstance(connection, str):
            checked.problems.append(f"{where}: {row}")
            continue
        rows.append({name: cell or None for name, cell in row.items()})
        meant.append(connection)
    unlabelled = sorted(set(recorded) - {label["input"] for label in labels})
    checked.remarks += [f"{name}: has no label: nothing is learnt from it" for name in unlabelled]
    if checked.problems:
        return checked
    write_csv(rows, staged)
    checked.rows = read_csv(staged)
    for connection in {id(one): one for one in meant}.values():
        own = [row for row, one in zip(checked.rows, meant, strict=True) if one is connection]
        checked.remarks += [f"{own[0]['input']}: {lacking}" for lacking in _lacking(connection)]
        checked.connections.update({"shared" if row["shared"] else "not shared" for row in own})
        _count_windows(own, connection, params, checked)
    _check_whole(checked)
    return checked


def _next_steps(name: str) -> str:
    return f"""To use it, in params.yaml:
  datasets: add {name}
  validate.rule: add `{name}: given`, so that its labels are believed
  to train on it: search.datasets, rank.datasets and export.dataset name it
  to test on it: transfer.tested names it, and evaluation_only, so that nothing is trained on it
then `dvc repro`."""


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    target = _target(arguments, params)
    labels = _read_labels(arguments.labels)
    if not arguments.folder.is_dir():
        raise LabelsError(f"{arguments.folder}: is no folder")
    paths = {
        path.name: path
        for path in sorted(arguments.folder.iterdir())
        if path.is_file() and path.resolve() != arguments.labels.resolve()
    }
    if not paths:
        raise LabelsError(f"{arguments.folder}: holds no file")
    target.mkdir(parents=True)
    try:
        checked = check(paths, labels, target / "truth.csv", params)
        for remark in checked.remarks:
            log.warning("%s", remark)
        if checked.problems:
            raise LabelsError(f"{arguments.folder}: {len(checked.problems)} problems:\n" + "\n".join(checked.problems))
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
