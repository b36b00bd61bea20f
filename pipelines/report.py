"""One self-contained page of the run's results, in the order of the paper, beside its numbers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jinja2

from pipelines import automl_tables, beside_paper, paper, result_tables, stage
from pipelines.environment import commit, environment, version
from pipelines.findings import findings
from pipelines.page import Page, text
from pipelines.params import Params
from pipelines.reports import read_json
from pipelines.result_tables import Rows, Run

#: Sections in their order, the paper's first: templates/report/<name>.html.j2, and the title.
SECTIONS = {
    "data": "Data and settings",
    "relevance": "Features and their relevance",
    "selection": "Model selection",
    "baselines": "Accuracy beside other detectors",
    "unseen": "Paths of settings not seen",
    "changes": "Bottlenecks that move",
    "cost": "Cost in the kernel",
    "groups": "Three and more subflows",
    "travel": "What carries over",
    "sensitivity": "Sensitivity",
    "controls": "Controls",
    "captures": "What captures tell of the sender",
    "automl": "AutoML",
    "export": "Export",
    "made": "How it was made",
    "refused": "Refused records",
}

_TABLES: tuple[Callable[[Run], Rows], ...] = (
    beside_paper.spaces,
    beside_paper.table2,
    beside_paper.table4,
    beside_paper.table6,
    beside_paper.table6_cases,
    beside_paper.table7,
    result_tables.accuracy,
    result_tables.agreement,
    result_tables.alone,
    result_tables.ambiguities,
    result_tables.captured,
    result_tables.cases,
    result_tables.changed,
    result_tables.compared,
    result_tables.datasets,
    result_tables.difficulty,
    result_tables.elsewhere,
    result_tables.every_accuracy,
    result_tables.exported,
    result_tables.generalisation,
    result_tables.inferred,
    result_tables.kernel,
    result_tables.learnt_verdicts,
    result_tables.overtime,
    result_tables.papersway,
    result_tables.partitions,
    result_tables.proved,
    result_tables.refused,
    result_tables.rejected,
    result_tables.relevance,
    result_tables.rules,
    result_tables.samerows,
    result_tables.sensitivity,
    result_tables.shifts,
    result_tables.shuffled,
    result_tables.sites,
    result_tables.swapped,
    result_tables.transfer,
    result_tables.validated,
    result_tables.verdict_controls,
    result_tables.verdicts,
    result_tables.windows,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--reports", type=Path, required=True, help="folder with the other stages' reports")
    parser.add_argument("--headers", type=Path, required=True, help="folder with the exported headers")
    parser.add_argument("--automl", type=Path, required=True, help="folder with what AutoML found, a folder a dataset")
    parser.add_argument("--page", type=Path, required=True, help="HTML file to write")


def _headers(folder: Path, exported: dict[str, Any]) -> dict[str, str]:
    """Return the texts that can be read: a packed table of nodes is nothing to read."""
    return {
        f"{name}.{suffix}": (folder / f"{name}.{suffix}").read_text()
        for name, one in exported.items()
        for suffix in (("md", "h") if one["layout"] == "nested" else ("md",))
    }


def render(run: Run, parameters: str, headers: Path, automl: Path) -> str:
    """Return the page of a run.

    Parameters
    ----------
    run : Run
        Its reports and parameters.
    parameters : str
        The parameters as they are written.
    headers, automl : Path
        Folders with the exported headers, and with what AutoML found, a folder a dataset.
    """
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = Page(run.reports)
    rule = run.params.search.rule
    return templates.get_template("report.html.j2").render(
        sections=SECTIONS,
        page=page,
        params=run.params,
        paper=paper,
        rows={rows_of.__name__: rows_of(run) for rows_of in _TABLES} | {"table5": beside_paper.table5(run, automl)},
        findings=[text(one) for one in findings(run)],
        candidates={name: automl_tables.candidates(automl / name, rule) for name in run.params.search.datasets},
        automl={name: automl_tables.details(automl / name) for name in run.params.search.datasets},
        headers=_headers(headers, read_json(run.reports / "export.json")),
        parameters=parameters,
        commit=commit(),
        version=version(),
        environment=environment(),
    )


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    found = Run(arguments.reports, params)
    arguments.page.write_text(render(found, arguments.params.read_text(), arguments.headers, arguments.automl))
    return stage.EXIT_OK


if __name__ == "__main__":
    sys.exit(stage.main("report", __doc__ or "", add_arguments, run))
