"""Show the run in MLflow that made a header's model."""

from __future__ import annotations

import argparse

from smartsbd.pipelines.params import Params
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.running.dag import read_stages
from smartsbd.pipelines.tracking import lookup
from smartsbd.pipelines.tracking.server import database_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("given", metavar="HEADER_OR_DIGEST", help="header, .skops file, or the digest in the banner")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    stage.say(*lookup.report(database_of(read_stages(), params), arguments.given).split("\n"))
    return stage.EXIT_OK
