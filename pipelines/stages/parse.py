"""Parse the inputs of one dataset into tables; refused records are counted and go to the quarantine table.

An input that cannot be read at all counts as one refused record. More refused records than
parse.max_quarantined, or more unreadable inputs than parse.max_unreadable, fail the stage at its end. An input that
truth.csv names and that is not there fails it at once.
"""

from __future__ import annotations

import argparse
import itertools
import logging
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from smartsbd.contracts.fault import Fault, InputFault
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_json
from smartsbd.pipelines.running import parallel, stage
from smartsbd.traces import formats, input_tables
from smartsbd.traces.distinct_inputs import check_distinct
from smartsbd.traces.parsed_input import parse_input
from smartsbd.traces.truth import read_csv

log = logging.getLogger(__name__)


#: What a dataset's folder has.
_INPUTS, _TRUTH = "inputs", "truth.csv"


class MissingInputsError(InputFault):
    """Inputs that have a label are not there."""


class QuarantineLimitError(Fault):
    """More records were refused than ``parse.max_quarantined`` allows."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--raw", type=Path, required=True, help="the dataset's folder, with inputs/")
    parser.add_argument("--tables", type=Path, required=True, help="folder for the tables")
    parser.add_argument("--report", type=Path, required=True, help="JSON file for the counts")


def _check_whole(raw: Path, names: Collection[str]) -> None:
    """Make sure that every input with a label is there: its label would be lost with it.

    Raises
    ------
    MissingInputsError
        If one is not.
    """
    path = raw / _TRUTH
    if not path.exists():
        log.warning("%s is missing: none of the inputs has a label", path)
        return
    named = {row["input"] for row in read_csv(path)}
    missing = sorted(named.difference(names))
    if missing:
        raise MissingInputsError(
            f"{path}: {len(missing)} of {len(named)} inputs that it names are not in {path.with_name(_INPUTS)},"
            f" {missing[0]!r} the first: the dataset is not whole"
        )


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    # Absolute: a worker may have been started in another folder.
    paths = sorted((arguments.raw.absolute() / _INPUTS).iterdir())
    if not paths:
        raise FileNotFoundError(2, "no inputs", str(arguments.raw / _INPUTS))
    _check_whole(arguments.raw, {path.name for path in paths})
    report = write_tables(paths, arguments.dataset, arguments.tables, params)
    write_json(report, arguments.report)
    records_in, refused = report["records_in"], report["records_quarantined"]
    log.info("%d inputs, %d records, %d quarantined", len(paths), records_in, refused)
    unreadable = report["inputs_unreadable"]
    if unreadable > params.parse.max_unreadable * len(paths):
        raise QuarantineLimitError(
            f"{arguments.raw}: {unreadable} of {len(paths)} inputs cannot be read, more than"
            f" parse.max_unreadable = {params.parse.max_unreadable}"
        )
    if refused > params.parse.max_quarantined * records_in:
        raise QuarantineLimitError(
            f"{arguments.raw}: {refused} of {records_in} records refused, more than"
            f" parse.max_quarantined = {params.parse.max_quarantined}: {report['quarantined_by_reason']}"
        )
    return stage.EXIT_OK


def write_tables(paths: Sequence[Path], dataset: str, target: Path, params: Params) -> dict[str, Any]:
    """Write the tables of some inputs.

    Parameters
    ----------
    paths : sequence of Path
        Logs and captures, absolute.
    dataset : str
        What the names of connections begin with.
    target : Path
        Folder for the tables.
    params : Params

    Returns
    -------
    dict
        Counts of the records that were read and refused.

    Raises
    ------
    UnreadableInputError
        If two inputs are the same, or have the same name.
    """
    check_distinct(paths)
    dialect = params.parse.dialect()
    captures = [path for path in paths if formats.is_joint(path)]
    logs = sorted(set(paths) - set(captures))
    with input_tables.opened(target, params.parse.bounds()) as output:
        work = partial(parse_input, dataset=dataset, dialect=dialect, folder=output.spools, most=params.parse.bounds())
        inputs = itertools.chain(
            parallel.mapped(work, logs, params, what=f"parse {dataset}: logs"),
            # Captures are read outside Python.
            parallel.mapped(work, captures, params, what=f"parse {dataset}: captures", threads=True),
        )
        output.write(inputs, dataset, partial(parallel.overlapped, threads=parallel.workers(params)))
    return output.report(len(paths))
