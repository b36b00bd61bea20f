"""Find out which AutoML engines can run here. Every `dvc repro` runs this stage, so a new environment is found."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

from models.automl import engine_of
from models.automl.environment import installed, remedy
from pipelines.params import Params
from pipelines.reporting.report_files import write_json
from pipelines.running import stage

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument(
        "--environments",
        type=Path,
        default=Path(sys.prefix),
        help="folder with the engines' environments (default: %(default)s)",
    )
    parser.add_argument("--found", type=Path, required=True, help="JSON file: what each engine's environment holds")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    found = {}
    for name in params.automl.evaluations:
        engine = engine_of(name)
        found[name] = installed(engine, arguments.environments)
        if found[name] is None:
            log.warning("%s", remedy(engine))
    write_json(found, arguments.found)
    return stage.EXIT_OK
