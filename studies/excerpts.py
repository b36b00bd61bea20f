"""Rewrite the tables that the documents of studies take from their results, as the page with studies shows them.

A table stands between ``<!-- table: NAME -->`` and ``<!-- /table -->``; its name is that in the study's section.py.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import re
from pathlib import Path

from smartsbd.contracts.whole_file import write_whole
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.excerpts import ExcerptError, markdown
from smartsbd.pipelines.running import stage

log = logging.getLogger(__name__)

_BLOCK = re.compile(r"(?P<head><!-- table: (?P<name>\w+) -->\n).*?(?=<!-- /table -->)", re.DOTALL)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    parser.add_argument("--studies", type=Path, default=Path("studies"), help="folder with a folder for each study")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a document differs")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Rewrite the tables."""
    documents = [path for path in sorted(arguments.studies.glob("*/*.md")) if _BLOCK.search(path.read_text("utf-8"))]
    stale = {path: fresh for path in documents if (fresh := refreshed(path)) != path.read_text("utf-8")}
    named = ", ".join(map(str, stale))
    if arguments.check and stale:
        log.error("%s: not what the results say: run `python -m studies excerpts`", named)
        return stage.EXIT_FAILED
    for path, fresh in stale.items():
        write_whole(fresh.encode(), path)
    log.info("%d documents with tables, rewritten: %s", len(documents), named or "none")
    return stage.EXIT_OK


def refreshed(document: Path) -> str:
    """Return a document of a study with every table as the study's section has it.

    Raises
    ------
    ExcerptError
        If it asks for a table that does not exist, or has no rows.
    """
    folder = document.parent
    tables = importlib.import_module(f"studies.{folder.name}.section").tables(folder / "reports")

    def block(match: re.Match[str]) -> str:
        rows = tables.get(match["name"])
        if not rows:
            raise ExcerptError(f"{document}: table {match['name']!r} is unknown or empty, known are {sorted(tables)}")
        return f"{match['head']}{markdown(rows)}\n"

    return _BLOCK.sub(block, document.read_text("utf-8"))
