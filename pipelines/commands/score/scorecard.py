"""Somebody else's detector run on labelled connections, and its scorecard beside our own detectors."""

from __future__ import annotations

import argparse
import logging

from smartsbd.contracts.whole_file import write_whole
from smartsbd.pipelines.judging.detector_opinions import foreign
from smartsbd.pipelines.judging.foreign_options import limits_of
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


def _gathered(arguments: argparse.Namespace, params: Params) -> Gathered:
    if arguments.folder is None:
        return of_datasets(arguments.dataset or DEFAULT, params)
    return of_folder(arguments.folder, arguments.labels, params)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the detector, and write what came of it.

    Parameters
    ----------
    arguments : Namespace
        Of the command.
    params : Params

    Returns
    -------
    int
        Exit code.

    Raises
    ------
    NoLabelledConnectionError
        If no connection has a valid label.
    """
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
