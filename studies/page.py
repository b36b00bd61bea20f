"""One self-contained page of the run's results: the main road, then a section for each study that has results."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from markupsafe import Markup

from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.page import Page
from smartsbd.pipelines.reporting.page_template import page_template
from smartsbd.pipelines.reporting.run_page import FurtherSection
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.stages import report

_TEMPLATE = "section.html.j2"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    report.add_page(parser)
    parser.add_argument("--studies", type=Path, required=True, help="folder with a folder for each study")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Write the page."""
    report.write(arguments, params, list(sections(arguments.studies)))
    return stage.EXIT_OK


def sections(studies: Path) -> Iterator[FurtherSection]:
    """Yield the section of each study that has one and has results, by the names of the folders."""
    for template in sorted(studies.glob(f"*/{_TEMPLATE}")):
        name = template.parent.name
        module = importlib.import_module(f"studies.{name}.section")
        if any((template.parent / "reports").rglob("*.csv")):
            yield FurtherSection(name, module.TITLE, partial(_section, name, template.parent))


def _section(name: str, folder: Path, page: Page) -> Markup:
    """Return the content of a study's section."""
    module = importlib.import_module(f"studies.{name}.section")
    reports = folder / "reports"
    content = page_template(_TEMPLATE, folder).render(
        page=page, figure=partial(page.figure, folder=reports), rows=module.tables(reports)
    )
    return Markup(content)  # noqa: S704 - rendered with escapes
