"""Write the tables of logs and captures (RTTs, states, bytes) for pandas, DuckDB and other readers of Parquet.

The folder also has README.md, which says what each column is, and report.json, which counts what was read and refused.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

from contracts.fault import UsageFault
from contracts.whole_file import write_whole
from pipelines.params import Params
from pipelines.reporting.data_dictionary import dictionary_of
from pipelines.reporting.report_files import write_json
from pipelines.reporting.text_table import aligned
from pipelines.running import stage
from pipelines.stages.parse import write_tables
from traces.input_tables import TABLES

log = logging.getLogger(__name__)

_DICTIONARY, _REPORT = "README.md", "report.json"
_OURS = {_DICTIONARY, _REPORT, *(f"{table.name}.parquet" for table in TABLES)}


class FolderError(UsageFault):
    """The folder holds something else."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "inputs", metavar="INPUT", type=Path, nargs="+", help="log of a sender or capture of packets, also compressed"
    )
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="folder for the tables")
    parser.add_argument("--name", default="inputs", help="prefix of connection names (default: %(default)s)")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    folder: Path = arguments.out
    foreign = sorted({path.name for path in folder.iterdir()} - _OURS) if folder.exists() else []
    if foreign:
        raise FolderError(f"{folder} holds {foreign[0]}, which is none of ours: name another folder")
    for path in arguments.inputs:
        if not path.exists():
            raise FileNotFoundError(2, "no such file", str(path))
    report = write_tables([path.absolute() for path in arguments.inputs], arguments.name, folder, params)
    write_json(report, folder / _REPORT)
    write_whole(dictionary_of(TABLES).encode(), folder / _DICTIONARY)
    stage.say(*aligned([{"table": name, "rows": str(count)} for name, count in sorted(report["rows"].items())]))
    if report["records_quarantined"]:
        log.warning("%d records refused: %s", report["records_quarantined"], report["quarantined_by_reason"])
    if report["inputs_unreadable"]:
        log.error("%d of %d inputs cannot be read", report["inputs_unreadable"], len(arguments.inputs))
        return stage.EXIT_BAD_INPUT
    return stage.EXIT_OK
