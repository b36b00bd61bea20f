"""The page of a run: its sections and their content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from smartsbd.pipelines.reporting import published as paper
from smartsbd.pipelines.reporting.findings import findings
from smartsbd.pipelines.reporting.page import Page, text
from smartsbd.pipelines.reporting.page_template import page_template
from smartsbd.pipelines.reporting.report_files import read_json
from smartsbd.pipelines.reporting.tables import automl as automl_tables
from smartsbd.pipelines.reporting.tables import (
    benchmark_tasks,
    beside_paper,
    datasets,
    detectors,
    exported,
    features,
    models,
    transfer,
)
from smartsbd.pipelines.reporting.tables.cell import Results, Rows
from smartsbd.pipelines.running.environment import commit, environment, version

#: Sections in their order, how right it is first: templates/report/<name>.html.j2, and the title.
SECTIONS = {
    "baselines": "Accuracy beside the paper and other detectors",
    "benchmark": "Leaderboard of the benchmark",
    "unseen": "Paths of settings not seen",
    "changes": "Bottlenecks that move",
    "groups": "Three and more subflows",
    "travel": "What carries over",
    "sensitivity": "Sensitivity",
    "controls": "Controls",
    "selection": "Model selection",
    "automl": "AutoML",
    "relevance": "Features and their relevance",
    "data": "Data and settings",
    "cost": "Cost in the kernel",
    "export": "Export",
    "made": "How it was made",
    "refused": "Refused records",
}

#: What the sections show, by its name: ``rows.NAME`` of a template.
TABLES: tuple[Callable[[Results], Rows], ...] = (
    beside_paper.spaces,
    beside_paper.table2,
    beside_paper.table4,
    beside_paper.table6,
    beside_paper.table6_cases,
    beside_paper.table7,
    models.accuracy,
    features.agreement,
    models.alone,
    transfer.captured,
    transfer.cases,
    datasets.datasets,
    datasets.difficulty,
    detectors.elsewhere,
    models.every_accuracy,
    exported.exported,
    transfer.generalisation,
    transfer.kernel,
    benchmark_tasks.leaderboard,
    benchmark_tasks.leaderboard_details,
    detectors.learnt_verdicts,
    detectors.overtime,
    detectors.papersway,
    detectors.partitions,
    exported.proved,
    datasets.refused,
    datasets.rejected,
    features.relevance,
    models.rules,
    detectors.samerows,
    models.sensitivity,
    detectors.shifts,
    models.shuffled,
    models.sites,
    models.swapped,
    transfer.transfer,
    datasets.validated,
    detectors.verdict_controls,
    detectors.verdicts,
    datasets.windows,
)


@dataclass(frozen=True)
class FurtherSection:
    """A section behind those of :data:`SECTIONS`.

    Attributes
    ----------
    name, title : str
    content : callable
        Takes the page made so far, which numbers tables and figures; returns the section.
    """

    name: str
    title: str
    content: Callable[[Page], Markup]


def _headers(folder: Path, exported: dict[str, Any]) -> dict[str, str]:
    """Return the texts of the headers that a person can read, without packed tables of nodes."""
    return {
        f"{name}.{suffix}": (folder / f"{name}.{suffix}").read_text()
        for name, entry in exported.items()
        for suffix in (("md", "h") if entry["layout"] == "nested" else ("md",))
    }


def render(
    results: Results, parameters: str, headers: Path, automl: Path, further: Sequence[FurtherSection] = ()
) -> str:
    """Return the page of a run.

    Parameters
    ----------
    results : Results
        Its reports and parameters.
    parameters : str
        The parameters as they are written.
    headers, automl : Path
        Folders with the exported headers, and with AutoML's results, one folder for each dataset.
    further : sequence of FurtherSection

    Returns
    -------
    str
        HTML.
    """
    page = Page(results.reports)
    rule = results.params.search.rule
    return page_template("report.html.j2").render(
        sections=SECTIONS,
        further=further,
        page=page,
        params=results.params,
        paper=paper,
        rows={rows_of.__name__: rows_of(results) for rows_of in TABLES}
        | {"table5": beside_paper.table5(results, automl)},
        findings=[text(sentence) for sentence in findings(results)],
        candidates={name: automl_tables.candidates(automl / name, rule) for name in results.params.automl.datasets},
        automl={name: automl_tables.details(automl / name) for name in results.params.automl.datasets},
        headers=_headers(headers, read_json(results.reports / "export.json")),
        parameters=parameters,
        commit=commit(),
        version=version(),
        environment=environment(),
    )
