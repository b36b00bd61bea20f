"""Copy the recordings and the truth of a dataset in git to data/raw/."""

from __future__ import annotations

import argparse
import logging
import shutil
from pathlib import Path

from smartsbd.contracts import regular_file
from smartsbd.contracts.whole_file import written_whole
from smartsbd.pipelines.params import LOCKED, Params
from smartsbd.pipelines.params.block import ParamsError
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.running.unfinished_folder import unfinished

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--samples", type=Path, required=True, help="the dataset's folder in git")
    parser.add_argument("--raw", type=Path, required=True, help="folder to write: inputs/ and truth.csv")


def _copy(source: Path, target: Path) -> None:
    with regular_file.opened(source) as content, written_whole(target) as part, part.open("wb") as copy:
        shutil.copyfileobj(content, copy)


def run(arguments: argparse.Namespace, _params: Params) -> int:
    """Run the stage."""
    if arguments.dataset == LOCKED:
        raise ParamsError(f"{LOCKED} is read by `sbd score --locked` alone")
    source, target = arguments.samples, arguments.raw
    paths = sorted((source / "inputs").iterdir())
    # No half of a dataset is left, whatever ends this.
    with unfinished(target) as part:
        (part / "inputs").mkdir()
        for path in paths:
            _copy(path, part / "inputs" / path.name)
        _copy(source / "truth.csv", part / "truth.csv")
    log.info("%d inputs of %s", len(paths), source)
    return stage.EXIT_OK
