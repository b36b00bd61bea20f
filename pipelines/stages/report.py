"""One self-contained page of the run's results, in the order of the paper, with the paper's numbers."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from smartsbd.contracts.whole_file import write_whole
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_json
from smartsbd.pipelines.reporting.run_page import FurtherSection, render
from smartsbd.pipelines.reporting.tables.cell import Results
from smartsbd.pipelines.running import stage


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    add_page(parser)
    parser.add_argument("--made", type=Path, required=True, help="JSON file: that the page was made, for DVC")


def add_page(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a page."""
    parser.add_argument("--reports", type=Path, required=True, help="folder with the other stages' reports")
    parser.add_argument("--headers", type=Path, required=True, help="folder with the exported headers")
    parser.add_argument(
        "--automl", type=Path, required=True, help="folder with AutoML's results, one folder for each dataset"
    )
    parser.add_argument("--page", type=Path, required=True, help="HTML file to write")


def write(arguments: argparse.Namespace, params: Params, further: Sequence[FurtherSection] = ()) -> None:
    """Write the page.

    Parameters
    ----------
    arguments : argparse.Namespace
        What :func:`add_page` has added.
    params : Params
    further : sequence of FurtherSection
        Sections behind the run's own.
    """
    results = Results(arguments.reports, params)
    page = render(results, arguments.params.read_text("utf-8"), arguments.headers, arguments.automl, further)
    write_whole(page.encode(), arguments.page)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    write(arguments, params)
    write_json({"page": str(arguments.page)}, arguments.made)
    return stage.EXIT_OK
