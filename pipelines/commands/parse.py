"""Write the tables of logs and captures (RTTs, states, bytes) for pandas, DuckDB and other readers of Parquet.

The folder also has README.md, which says what each column is, and report.json, which counts what was read and refused.
A folder that is not there is made whole or not at all. In one that was written before, report.json is taken away first
and written last.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from smartsbd.contracts.fault import InputFault, UsageFault
from smartsbd.contracts.whole_file import write_whole
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.data_dictionary import dictionary_of
from smartsbd.pipelines.reporting.report_files import write_json
from smartsbd.pipelines.reporting.text_table import aligned
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.running.unfinished_folder import unfinished
from smartsbd.pipelines.running.written_path import written_folder
from smartsbd.pipelines.stages.parse import write_tables
from smartsbd.traces.input_tables import TABLES

log = logging.getLogger(__name__)

_DICTIONARY, _REPORT = "README.md", "report.json"
_OURS = {_DICTIONARY, _REPORT, *(f"{table.name}.parquet" for table in TABLES)}


class MissingInputError(InputFault):
    """An input is not there."""


class FolderError(UsageFault):
    """The folder holds something else."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "inputs", metavar="INPUT", type=Path, nargs="+", help="log of a sender or capture of packets, also compressed"
    )
    parser.add_argument("--out", metavar="DIR", type=written_folder, required=True, help="folder for the tables")
    parser.add_argument("--name", default="inputs", help="prefix of connection names (default: %(default)s)")


@contextmanager
def _written_to(folder: Path) -> Iterator[Path]:
    """Give a folder to write to: it takes the place of `folder` when it is whole, or is that folder already."""
    with nullcontext(folder) if folder.exists() else unfinished(folder) as place:
        # An earlier one has no report until its tables are those of the report.
        (place / _REPORT).unlink(missing_ok=True)
        yield place


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    folder: Path = arguments.out
    foreign = sorted({path.name for path in folder.iterdir()} - _OURS) if folder.exists() else []
    if foreign:
        raise FolderError(f"{folder} holds {foreign[0]}, which is none of ours: name another folder")
    for path in arguments.inputs:
        if not path.exists():
            raise MissingInputError(f"{path}: no such file")
    with _written_to(folder) as place:
        report = write_tables([path.absolute() for path in arguments.inputs], arguments.name, place, params)
        write_whole(dictionary_of(TABLES).encode(), place / _DICTIONARY)
        write_json(report, place / _REPORT)
    stage.say(*aligned([{"table": name, "rows": str(count)} for name, count in sorted(report["rows"].items())]))
    if report["records_quarantined"]:
        log.warning("%d records refused: %s", report["records_quarantined"], report["quarantined_by_reason"])
    if report["inputs_unreadable"]:
        log.error("%d of %d inputs cannot be read", report["inputs_unreadable"], len(arguments.inputs))
        return stage.EXIT_BAD_INPUT
    return stage.EXIT_OK
