"""Tables in the documents of studies are those of their results."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from smartsbd.pipelines.reporting.excerpts import ExcerptError
from studies.__main__ import main
from studies.excerpts import refreshed

ROOT = Path(__file__).parents[2]
DOCUMENTS = [path for path in sorted(ROOT.glob("studies/*/*.md")) if "<!-- table: " in path.read_text()]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.parent.name)
def test_tables_are_what_the_results_say(document: Path) -> None:
    assert refreshed(document) == document.read_text()


def test_a_stale_table_is_rewritten_and_an_unknown_one_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(ROOT / "params.yaml", tmp_path)
    study = DOCUMENTS[0].parent
    shutil.copytree(study, tmp_path / "studies" / study.name)
    document = tmp_path / "studies" / study.name / DOCUMENTS[0].name
    whole = document.read_text()
    monkeypatch.chdir(tmp_path)
    head, _, rest = whole.partition("<!-- table: ")
    name, _, below = rest.partition(" -->\n")
    document.write_text(f"{head}<!-- table: {name} -->\nold\n{below[below.index('<!-- /table') :]}")
    assert main(["excerpts", "--check"]) == 1
    assert f"studies/{study.name}/{document.name}: not what the results say" in capsys.readouterr().err
    assert main(["excerpts"]) == 0
    assert document.read_text() == whole
    assert main(["excerpts", "--check"]) == 0
    document.write_text(whole.replace(f"table: {name} ", "table: novel "))
    with pytest.raises(ExcerptError, match="'novel' is unknown"):
        refreshed(document)
