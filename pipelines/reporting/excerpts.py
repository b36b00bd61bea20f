"""Excerpts of the reports in the documents, each between ``<!-- NAME -->`` and ``<!-- /NAME -->``.

``sbd excerpts`` rewrites them, ``--check`` fails where a document differs. A new excerpt is one function of
pipelines/reporting/tables/ and one line here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from smartsbd.contracts.fault import UsageFault
from smartsbd.pipelines.params import read_params
from smartsbd.pipelines.reporting.tables import benchmark_tasks, detectors, features, models, transfer
from smartsbd.pipelines.reporting.tables.cell import Results, Rows
from smartsbd.pipelines.running import dag

#: Documents that may hold excerpts, below the project's folder.
DOCUMENTS = ("README.md", "docs/*.md", "docs/experiments/*.md", "studies/*/*.md", "kernel/*/*.md")

_BLOCK = re.compile(r"<!-- (?P<name>[a-z_]+(?: [a-z_]+)*) -->\n(?P<text>.*?)<!-- /(?P=name) -->", re.DOTALL)


class ExcerptError(UsageFault):
    """A document asks for an excerpt that does not exist."""


def markdown(rows: Rows) -> str:
    """Return a table as documents have it; the first row has every column."""
    head = list(rows[0])
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(str(row[name]) for name in head)} |" for row in rows)])


def _table(rows_of: Callable[[Results], Rows]) -> Callable[[Path], str]:
    """Return what renders a table of the run below a folder."""
    return lambda root: markdown(rows_of(Results.of(root)))


def _graph(root: Path) -> str:
    """Return the graph of the stages."""
    return f"```mermaid\n{dag.mermaid(dag.read_stages(root / 'dvc.yaml'), read_params(root / 'params.yaml'))}\n```"


def _sections(root: Path) -> str:
    """Return the graph of the sections of dvc.yaml."""
    path = root / "dvc.yaml"
    graph = dag.overview(dag.sections(path.read_text()), dag.read_stages(path), read_params(root / "params.yaml"))
    return f"```mermaid\n{graph}\n```"


EXCERPTS: dict[str, Callable[[Path], str]] = {
    "accuracy": _table(models.accuracy),
    "unseen": _table(transfer.unseen),
    "cases": _table(transfer.cases),
    "generalisation": _table(transfer.generalisation),
    "kernel": _table(transfer.kernel),
    "selection": _table(models.selection),
    "shuffled": _table(models.shuffled),
    "bias": _table(detectors.bias),
    "summary": _table(detectors.summary),
    "leaderboard": _table(benchmark_tasks.leaderboard),
    "leaderboard_of_full": _table(benchmark_tasks.leaderboard_of_full),
    "graph": _graph,
    "sections": _sections,
    "relevance": _table(features.relevance),
    "agreement": _table(features.agreement),
}


def documents(root: Path) -> list[Path]:
    """Return the documents that may hold excerpts."""
    return sorted(path for pattern in DOCUMENTS for path in root.glob(pattern))


def refreshed(text: str, root: Path) -> str:
    """Return a document with every excerpt as the reports below `root` have it.

    Returns
    -------
    str
        Markdown.

    Raises
    ------
    ExcerptError
        If it asks for one that does not exist.
    """

    def block(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in EXCERPTS:
            raise ExcerptError(f"excerpt {name!r} is unknown, known are {sorted(EXCERPTS)}")
        return f"<!-- {name} -->\n{EXCERPTS[name](root)}\n<!-- /{name} -->"

    return _BLOCK.sub(block, text)
