"""Options of commands that run somebody else's detector: what it may take, and whether its header is compiled."""

from __future__ import annotations

import argparse

from export.compiled_header import TRUST_HEADER
from export.foreign_detector import LIMITS


def add_foreign_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--seconds`` and the option that trusts a header.

    Parameters
    ----------
    parser : ArgumentParser
        Of a command whose argument is ``DETECTOR``.
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
