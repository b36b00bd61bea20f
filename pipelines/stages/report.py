"""One self-contained page of the run's results, in the order of the paper, with the paper's numbers."""

from __future__ import annotations

import argparse
from pathlib import Path

from contracts.whole_file import write_whole
from pipelines.params import Params
from pipelines.reporting.run_page import render
from pipelines.reporting.tables.cell import Results
from pipelines.running import stage


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--reports", type=Path, required=True, help="folder with the other stages' reports")
    parser.add_argument("--headers", type=Path, required=True, help="folder with the exported headers")
    parser.add_argument(
        "--automl", type=Path, required=True, help="folder with AutoML's results, one folder for each dataset"
    )
    parser.add_argument("--page", type=Path, required=True, help="HTML file to write")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    found = Results(arguments.reports, params)
    page = render(found, arguments.params.read_text("utf-8"), arguments.headers, arguments.automl)
    write_whole(page.encode(), arguments.page)
    return stage.EXIT_OK
