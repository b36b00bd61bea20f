"""Run somebody else's detector on labelled connections, and write a scorecard beside our own detectors.

DETECTOR is a command, as one argument: a program that reads the event lines of one connection on standard input, and
writes verdict lines on standard output. It is run once for each connection, within limits of time, output and memory.
Or it is a C header with a function on windows, as `sbd detect --model` takes it.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

from smartsbd.contracts.fault import UsageFault
from smartsbd.contracts.whole_file import write_whole
from smartsbd.export.compiled_header import HEADER
from smartsbd.pipelines.judging.detector_opinions import foreign
from smartsbd.pipelines.judging.foreign_options import add_foreign_options, limits_of
from smartsbd.pipelines.judging.scorecard_rows import scorecard
from smartsbd.pipelines.labelling.labelled_connections import (
    DEFAULT,
    Gathered,
    NoLabelledConnectionError,
    of_datasets,
    of_folder,
)
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting import scorecard_page
from smartsbd.pipelines.reporting.report_files import write_json
from smartsbd.pipelines.reporting.text_table import aligned
from smartsbd.pipelines.running import stage
from smartsbd.traces.assembly import BACKWARDS

log = logging.getLogger(__name__)


class ScorecardInputError(UsageFault):
    """Inputs and labels that are not named together."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "detector", metavar="DETECTOR", help=f"a command in one argument, or a path that ends with {HEADER}"
    )
    parser.add_argument("--inputs", metavar="DIR", type=Path, help="folder with logs or captures, judged by --labels")
    parser.add_argument("--labels", metavar="FILE", type=Path, help="CSV file with the labels of --inputs")
    parser.add_argument(
        "--dataset",
        metavar="NAME",
        action="append",
        help="in place of --inputs: a dataset whose tables the pipeline has made, or a folder of data/samples; may be"
        f" given several times (default: {' and '.join(DEFAULT)})",
    )
    add_foreign_options(parser)
    parser.add_argument("--html", metavar="FILE", type=Path, help="page to write: one self-contained file")
    parser.add_argument(
        "--json", metavar="FILE", type=Path, help="JSON file to write: figures, findings and every pair"
    )


def _gathered(arguments: argparse.Namespace, params: Params) -> Gathered:
    if (arguments.inputs is None) != (arguments.labels is None):
        raise ScorecardInputError("--inputs and --labels belong together")
    if arguments.inputs is None:
        return of_datasets(arguments.dataset or DEFAULT, params)
    if arguments.dataset:
        raise ScorecardInputError("either --inputs with --labels, or --dataset")
    return of_folder(arguments.inputs, arguments.labels, params)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    asked = foreign(arguments.detector, limits_of(arguments), trusted=arguments.trust_header)
    gathered = _gathered(arguments, params)
    for remark in gathered.remarks:
        log.warning("%s", remark)
    if not gathered.connections:
        raise NoLabelledConnectionError("no connection has a valid label: there is nothing to judge on")
    backwards = gathered.counts.pop(BACKWARDS, 0)
    card = scorecard(arguments.detector, asked, gathered.connections, backwards, gathered.counts, params)
    stage.say(*aligned(scorecard_page.summary(card)), "")
    stage.say(*scorecard_page.said_of_answers(card.answers), *scorecard_page.left_out(card))
    stage.say(*(finding.sentence for finding in card.findings))
    if arguments.json is not None:
        write_json(card.content(), arguments.json)
    if arguments.html is not None:
        write_whole(scorecard_page.render(card).encode(), arguments.html)
    return stage.EXIT_OK
