"""Options of commands that run somebody else's detector: its limits, and whether its header is compiled."""

from __future__ import annotations

import argparse
from dataclasses import replace

from smartsbd.contracts.fault import UsageFault
from smartsbd.detectors.bounded_process import ProcessLimits
from smartsbd.detectors.foreign_detector import LIMITS
from smartsbd.export.compiled_header import TRUST_HEADER


class ForeignOptionsError(UsageFault):
    """The time that a detector may take is not above 0."""


def add_foreign_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--seconds`` and the option that trusts a header.

    Parameters
    ----------
    parser : ArgumentParser
        The parser of a command whose argument is ``DETECTOR``.
    """
    parser.add_argument(
        "--seconds",
        metavar="S",
        type=float,
        default=LIMITS.time_s,
        help="what the detector may take for one connection (default: %(default)g)",
    )
    parser.add_argument(
        TRUST_HEADER,
        action="store_true",
        help="compile and run the header that DETECTOR names, whoever wrote it: it may do all that you may",
    )


def limits_of(arguments: argparse.Namespace) -> ProcessLimits:
    """Return what a detector may take for one connection.

    Returns
    -------
    ProcessLimits
        The usual ones, except for the time.

    Raises
    ------
    ForeignOptionsError
        If the time is not above 0.
    """
    if not arguments.seconds > 0:
        raise ForeignOptionsError("--seconds must be above 0")
    return replace(LIMITS, time_s=arguments.seconds)
