"""The inputs that a command is given, each by itself or all as one connection."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from smartsbd.traces import recording
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.recording import Recording


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say how inputs are read."""
    parser.add_argument("--unit", choices=recording.RTT_UNITS, help=recording.UNIT)
    parser.add_argument(
        "--together",
        action="store_true",
        help="all that the inputs hold are paths of one connection: for ping, tcp_probe, sockets of ss without a common"
        " token, tables with a file for each path, and flows of plain TCP in captures. Nothing checks that they are, or"
        " that their clocks agree",
    )


def read(
    paths: Sequence[Path], dialect: Dialect, bounds: Bounds, *, together: bool
) -> Iterator[Recording | UnreadableInputError]:
    """Yield the inputs.

    Parameters
    ----------
    paths : sequence of Path
    dialect : Dialect
    bounds : Bounds
    together : bool
        All are of one connection, flows of plain TCP too. Those that cannot be read then come last.

    Yields
    ------
    Recording or UnreadableInputError
        One for each path.
    """
    most = replace(bounds, plain_flows=together)
    outcomes = recording.read_all(paths, dialect, most)
    if not together:
        yield from outcomes
        return
    everything = list(outcomes)
    yield from recording.as_one([outcome for outcome in everything if isinstance(outcome, Recording)], most)
    yield from (outcome for outcome in everything if isinstance(outcome, UnreadableInputError))
