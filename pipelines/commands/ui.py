"""Serve MLflow's page on loopback, and print the address of the runs."""

from __future__ import annotations

import argparse

from smartsbd.pipelines.params import Params
from smartsbd.pipelines.running.dag import read_stages
from smartsbd.pipelines.running.stage import EXIT_OK
from smartsbd.pipelines.tracking.server import database_of, serve

_MOST_PORT = 65535


def port_number(text: str) -> int:
    """Return the number of a port, as a type of an argument.

    Returns
    -------
    int

    Raises
    ------
    ArgumentTypeError
        If there is no such port.
    """
    port = int(text)
    if not 0 < port <= _MOST_PORT:
        raise argparse.ArgumentTypeError(f"must be from 1 to {_MOST_PORT}")
    return port


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--port", type=port_number, default=5000, help="port on loopback (default: %(default)s)")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    serve(database_of(read_stages(), params), params, arguments.port)
    return EXIT_OK
