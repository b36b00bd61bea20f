"""Write data/README.md, the data dictionary, from the tables' contracts."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

from smartsbd.contracts.whole_file import write_whole
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.data_dictionary import data_dictionary
from smartsbd.pipelines.running import stage

log = logging.getLogger(__name__)

_DICTIONARY = Path("data/README.md")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the file differs")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    text = data_dictionary()
    if not arguments.check:
        write_whole(text.encode(), _DICTIONARY)
    elif not _DICTIONARY.exists() or _DICTIONARY.read_text() != text:
        log.error("%s is not what the tables say: run `sbd dictionary`", _DICTIONARY)
        return stage.EXIT_FAILED
    return stage.EXIT_OK
