"""Serve MLflow's page on loopback, and print the address of the runs."""

from __future__ import annotations

import argparse

from smartsbd.pipelines.params import Params
from smartsbd.pipelines.running.dag import read_stages
from smartsbd.pipelines.running.stage import EXIT_OK
from smartsbd.pipelines.tracking.server import database_of, serve


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--port", type=int, default=5000, help="port on loopback (default: %(default)s)")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    serve(database_of(read_stages(), params), params, arguments.port)
    return EXIT_OK
