"""Excerpts of the reports in the documents: between ``<!-- NAME -->`` and ``<!-- /NAME -->`` stands what they say.

``sbd excerpts`` refreshes them, ``--check`` fails where a document says something else. A new excerpt is one
function of pipelines/result_tables.py and one line here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from pipelines import dag, result_tables
from pipelines.params import read_params
from pipelines.result_tables import Rows, Run
from traces.fault import UsageFault

#: Documents that may hold excerpts, below the project's folder.
DOCUMENTS = ("README.md", "docs/*.md")

_BLOCK = re.compile(r"<!-- (?P<name>[a-z_]+(?: [a-z_]+)*) -->\n(?P<text>.*?)<!-- /(?P=name) -->", re.DOTALL)


class ExcerptError(UsageFault):
    """A document asks for an excerpt that there is none of."""


def _markdown(rows: Rows) -> str:
    head = list(rows[0])
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(str(row[name]) for name in head)} |" for row in rows)])


def _table(rows_of: Callable[[Run], Rows]) -> Callable[[Path], str]:
    """Return what renders a table of the run below a folder."""
    return lambda root: _markdown(rows_of(Run.of(root)))


def _graph(root: Path) -> str:
    """Stages, and what follows from what."""
    return f"```mermaid\n{dag.mermaid(dag.read_stages(root / 'dvc.yaml'), read_params(root / 'params.yaml'))}\n```"


EXCERPTS: dict[str, Callable[[Path], str]] = {
    "accuracy": _table(result_tables.accuracy),
    "transfer": _table(result_tables.transfer),
    "unseen": _table(result_tables.unseen),
    "cases": _table(result_tables.cases),
    "generalisation": _table(result_tables.generalisation),
    "kernel": _table(result_tables.kernel),
    "captured": _table(result_tables.captured),
    "inferred": _table(result_tables.inferred),
    "changed": _table(result_tables.changed),
    "locked": _table(result_tables.locked),
    "compared": _table(result_tables.compared),
    "sites": _table(result_tables.sites),
    "rules": _table(result_tables.rules),
    "selection": _table(result_tables.selection),
    "swapped": _table(result_tables.swapped),
    "alone": _table(result_tables.alone),
    "shuffled": _table(result_tables.shuffled),
    "sensitivity": _table(result_tables.sensitivity),
    "papersway": _table(result_tables.papersway),
    "samerows": _table(result_tables.samerows),
    "overtime": _table(result_tables.overtime),
    "bias": _table(result_tables.bias),
    "elsewhere": _table(result_tables.elsewhere),
    "partitions": _table(result_tables.partitions),
    "verdicts": _table(result_tables.verdicts),
    "learnt_verdicts": _table(result_tables.learnt_verdicts),
    "verdict_controls": _table(result_tables.verdict_controls),
    "shifts": _table(result_tables.shifts),
    "difficulty": _table(result_tables.difficulty),
    "graph": _graph,
    "relevance": _table(result_tables.relevance),
    "agreement": _table(result_tables.agreement),
    "ambiguities": _table(result_tables.ambiguities),
}


def documents(root: Path) -> list[Path]:
    """Return the documents that may hold excerpts."""
    return sorted(path for pattern in DOCUMENTS for path in root.glob(pattern))


def refreshed(text: str, root: Path) -> str:
    """Return a document with every excerpt as the reports below `root` have it.

    Raises
    ------
    ExcerptError
        If it asks for one that there is none of.
    """

    def block(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in EXCERPTS:
            raise ExcerptError(f"excerpt {name!r} is unknown, known are {sorted(EXCERPTS)}")
        return f"<!-- {name} -->\n{EXCERPTS[name](root)}\n<!-- /{name} -->"

    return _BLOCK.sub(block, text)
