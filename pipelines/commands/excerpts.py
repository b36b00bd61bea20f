"""Rewrite the tables that README.md, docs/ and studies/ take from the reports, and the graph of the stages."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

from smartsbd.contracts.whole_file import write_whole
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.excerpts import documents, refreshed
from smartsbd.pipelines.running import stage

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a document differs")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    stale = []
    for path in documents(Path.cwd()):
        text = path.read_text("utf-8")
        fresh = refreshed(text, Path.cwd())
        if fresh != text:
            stale.append(str(path.relative_to(Path.cwd())))
            if not arguments.check:
                write_whole(fresh.encode(), path)
    if arguments.check and stale:
        log.error("%s: not what the reports say: run `sbd excerpts`", ", ".join(stale))
        return stage.EXIT_FAILED
    return stage.EXIT_OK
