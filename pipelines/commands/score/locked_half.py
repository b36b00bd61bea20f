"""Scores of every stored model on the locked half of the kernel's connections.

This is done once for each release, never between releases. Nothing else reads that half. The report is named by the
version and is not made again: a model changed after seeing the report could no longer be judged by it.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from smartsbd.contracts.fault import UsageFault
from smartsbd.pipelines.commands.score.stored_models import MODELS, Labelled, labelled, scored
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_csv
from smartsbd.pipelines.running import stage
from smartsbd.traces import recording
from smartsbd.traces.truth import read_csv
from smartsbd.traces.validation import Measured, by_bottleneck

log = logging.getLogger(__name__)

#: Folders of the locked recordings, and of reports.
SAMPLES, REPORTS = Path("data/samples/kernel_locked"), Path("reports/locked")


class AlreadyScoredError(UsageFault):
    """The release is scored already."""


def _labelled(samples: Path, params: Params) -> Iterator[Labelled]:
    """Yield each pair whose bottlenecks were filled."""
    for row in read_csv(samples / "truth.csv"):
        measured = Measured((row["utilisation_a"], row["utilisation_b"]), (None, None))
        verdict = by_bottleneck(measured, min_utilisation=params.validate_.min_utilisation, min_drop_share=None)
        if verdict.valid:
            yield from labelled(
                recording.read(samples / "inputs" / row["input"], params.parse.dialect(), params.parse.bounds()), [row]
            )
        else:
            log.warning("%s: left out: %s", row["input"], verdict.why)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Score the stored models on the locked half.

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
    AlreadyScoredError
        If there is a report of this version.
    """
    report = (arguments.reports or REPORTS) / f"{metadata.version('smartsbd')}.csv"
    if report.exists():
        raise AlreadyScoredError(f"{report} is there: a release is scored once; the next one has another version")
    table, _ = scored(list(_labelled(arguments.samples or SAMPLES, params)), arguments.models or MODELS, params)
    write_csv(table, report)
    return stage.EXIT_OK
