"""The page with studies: the main road's sections, then one for each study with results, numbered on."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from smartsbd.pipelines.params import read_params
from smartsbd.pipelines.reporting.page import Page
from smartsbd.pipelines.reporting.run_page import SECTIONS, render
from smartsbd.pipelines.reporting.tables.cell import Results
from studies.page import sections

ROOT = Path(__file__).parents[2]


def test_sections_of_studies_follow_those_of_the_main_road(tmp_path: Path) -> None:
    further = list(sections(ROOT / "studies"))
    results = Results(ROOT / "reports", read_params(ROOT / "params.yaml"))
    page = render(results, "", ROOT / "export/generated", tmp_path, further)
    names = re.findall(r'<section id="(\w+)">', page)
    assert names == [*SECTIONS, *(section.name for section in further)]
    # The table of `why` is in its README alone.
    studies = {path.parent.name for path in ROOT.glob("studies/*/dvc.yaml")}
    assert [section.name for section in further] == sorted(studies)
    for number, section in enumerate(further, len(SECTIONS) + 1):
        assert f'<li><a href="#{section.name}">{section.title}</a></li>' in page
        assert f"<h2>{number}. {section.title}</h2>" in page


def test_a_section_has_its_tables_and_figures() -> None:
    for section in sections(ROOT / "studies"):
        content = section.content(Page(ROOT / "reports"))
        template = (ROOT / "studies" / section.name / "section.html.j2").read_text()
        assert "Table 1" in content and ("Figure 1" in content) == ("figure(" in template)
        assert "Not in this run" not in content


def test_a_study_without_results_has_none(tmp_path: Path) -> None:
    copy = Path(shutil.copytree(ROOT / "studies", tmp_path / "studies"))
    first, *others = [section.name for section in sections(copy)]
    shutil.rmtree(copy / first / "reports")
    assert [section.name for section in sections(copy)] == others
