"""Score every stored model on the locked half of the kernel's connections: once a release, never in between.

Nothing else reads that half. The report is named by the version and is not made again: a model that was changed after
a look at it could not be judged by it.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd

from models import detector, store
from models.accuracy import accuracy
from pipelines import detect, recording, stage
from pipelines.detect import Opinion
from pipelines.params import Params
from pipelines.recording import Recording
from pipelines.reports import write_csv
from traces.fault import UsageFault
from traces.tables import WINDOW_KEY
from traces.truth import read_csv
from traces.validation import Measured, by_bottleneck

log = logging.getLogger(__name__)


Labelled = tuple[Recording, Mapping[str, Any]]


class NoModelsError(UsageFault):
    """There is nothing to score."""


class AlreadyScoredError(UsageFault):
    """The release has its score."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--samples", type=Path, default=Path("data/samples/kernel_locked"), help="folder (default: %(default)s)"
    )
    parser.add_argument("--models", type=Path, default=Path("data/trained"), help="folder (default: %(default)s)")
    parser.add_argument("--reports", type=Path, default=Path("reports/locked"), help="folder (default: %(default)s)")


def _labelled(samples: Path, params: Params) -> Iterator[Labelled]:
    """Yield each recording whose bottlenecks were filled, with its row of truth.csv."""
    for row in read_csv(samples / "truth.csv"):
        measured = Measured((row["utilisation_a"], row["utilisation_b"]), (None, None))
        verdict = by_bottleneck(measured, min_utilisation=params.validate_.min_utilisation, min_drop_share=None)
        if verdict.valid:
            yield recording.read(samples / "inputs" / row["input"], params.parse.dialect()), row
        else:
            log.warning("%s: left out: %s", row["input"], verdict.why)


def _row(opinion: Opinion, shared: bool) -> dict[str, Any]:
    window = dict.fromkeys(WINDOW_KEY, 0) | {"window_start_ns": opinion.window_start_s}
    return {**window, "connection_id": opinion.connection_id, "shared_pred": opinion.shared, "shared": shared}


def score(recorded: Sequence[Labelled], judge: detector.Detector, name: str, params: Params) -> Mapping[str, Any]:
    """Return the accuracy of a detector on some recordings of one connection each, over its labelled pair."""
    rows = pd.DataFrame(
        [
            _row(opinion, truth["shared"])
            for own, truth in recorded
            for opinion in detect.opinions(own, judge, name, params)
            if opinion.subflow_b is None
            or (opinion.subflow_a, opinion.subflow_b) == (truth["subflow_a"], truth["subflow_b"])
        ]
    )
    judged = rows["shared_pred"].notna()
    options = params.evaluate
    found = accuracy(rows[judged], resamples=options.resamples, seed=options.seed, none=rows[~judged])
    return asdict(found)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    report = arguments.reports / f"{metadata.version('smartsbd')}.csv"
    names = detector.names(arguments.models)
    if not names:
        raise NoModelsError(f"there is no model in {arguments.models}: `dvc repro` makes them")
    if report.exists():
        raise AlreadyScoredError(f"{report} is there: a release is scored once; the next one has another version")
    recorded = list(_labelled(arguments.samples, params))
    rows = []
    for name in names:
        found = score(recorded, detector.load(arguments.models, name), name, params)
        digest = store.digest(arguments.models / f"{name}.skops")
        rows.append({"model": name, "digest": digest, **found})
        log.info("%s: balanced %.3f", name, found["balanced"])
    write_csv(pd.DataFrame(rows), report)
    return stage.EXIT_OK


if __name__ == "__main__":
    sys.exit(stage.main("score-locked", __doc__ or "", add_arguments, run))
