"""Every document is on the site, its links lead to pages, and what would lead elsewhere is found."""

from __future__ import annotations

import ast
import json
import subprocess
from pathlib import Path

import pytest

import smartsbd
from docs.site import links
from docs.site.contents import CONTENTS, FRONT
from docs.site.public_package import package_files, public_modules, public_names
from docs.site.sources import Project, files_of, lay_out, rewritten

ROOT = Path(__file__).parents[2]
LISTED = [FRONT, *(document for documents in CONTENTS.values() for document in documents)]


def known() -> Project:
    """A small project: a package, a document beside its front page, a header, a picture."""
    files = {
        "README.md",
        "docs/one.md",
        "traces/__init__.py",
        "traces/rtt.py",
        "c/a.h",
        "c/b.h",
        "docs/a.png",
        "rtt.csv",
        "smartsbd/__init__.py",
    }
    return Project(files=files, packages=("traces",), documents={"README.md", "docs/one.md"})


def test_every_document_and_notebook_is_listed_once() -> None:
    listed = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md", "*.ipynb"]
    names = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split("\0")
    assert sorted(LISTED) == sorted(name for name in names if name and (ROOT / name).is_file())


@pytest.mark.parametrize(
    ("document", "text", "on_the_site"),
    [
        ("README.md", "[a](docs/one.md#there)", "[a](docs/one.md#there)"),
        ("docs/one.md", "[a](../README.md)", "[a](../index.md)"),
        ("docs/one.md", "[`rtt`](../traces/rtt.py)", "[`rtt`](../files/traces/rtt.py.md)"),
        ("docs/one.md", "[a](../traces/)", "[a](../files/traces/index.md)"),
        ("docs/one.md", "[a](../smartsbd/)", "[a](../api/smartsbd/index.rst)"),
        ("docs/one.md", "[a](../smartsbd/__init__.py)", "[a](../api/smartsbd/index.rst)"),
        ("docs/one.md", "[a](../c/a.h)", "[a](../files/c/a.h.md)"),
        ("docs/one.md", "[a](../c/)", "[a](../files/c/index.md)"),
        ("docs/one.md", "![a](a.png)", "![a](a.png)"),
        ("README.md", "[a](reports/report.html)", "[a](reports/index.md)"),
        ("README.md", "see `traces/rtt.py`, `rtt`", "see [`traces/rtt.py`](files/traces/rtt.py.md), `rtt`"),
        ("README.md", "[`c/a.h` and\nmore](c/b.h)", "[`c/a.h` and\nmore](files/c/b.h.md)"),
        ("README.md", "`traces/` and `c/`", "[`traces/`](files/traces/index.md) and `c/`"),
    ],
)
def test_a_link_leads_to_a_page(document: str, text: str, on_the_site: str) -> None:
    assert rewritten(text, document, known()) == on_the_site


@pytest.mark.parametrize(
    "text",
    [
        "[a](https://example.org/one.md) [b](#there) [c](mailto:a@example.org)",
        "## `traces/rtt.py`",
        "`[a](nowhere.md)`",
        "```sh\n[a](nowhere.md) `traces/rtt.py`\n```",
        "- one\n\n  ```text\n  [a](nowhere.md)\n  ```\n",
    ],
)
def test_what_is_no_link_into_the_project_stays(text: str) -> None:
    assert rewritten(text, "README.md", known()) == text


@pytest.mark.parametrize("target", ["nowhere.md", "../README.md", "traces/none.py", "data/"])
def test_a_link_that_leads_nowhere_is_refused(target: str) -> None:
    with pytest.raises(FileNotFoundError, match=target):
        rewritten(f"[a]({target})", "README.md", known())


def test_lines_stay_where_they_are_and_what_is_gone_is_removed(tmp_path: Path) -> None:
    stale = tmp_path / "source/docs/gone.md"
    stale.parent.mkdir(parents=True)
    stale.write_text("# Gone\n")
    laid = lay_out(ROOT, tmp_path)
    assert not stale.exists()
    for document in laid.documents - {FRONT}:
        text, copy = (ROOT / document).read_text(), (tmp_path / "source" / document).read_text()
        if document.endswith(".md"):
            assert copy.count("\n") == text.count("\n"), document
        else:
            cells, copied = json.loads(text)["cells"], json.loads(copy)["cells"]
            assert [cell.get("outputs") for cell in cells] == [cell.get("outputs") for cell in copied]
    front = (tmp_path / "source/index.md").read_text()
    assert all(f"\n{document}\n" in front for document in LISTED if document != FRONT)
    _, of_default, of_full, _ = (tmp_path / "source/reports/index.md").read_text().split("\n## ", 3)
    assert "[accuracy.csv]" in of_default and "[full/" not in of_default
    assert of_full.startswith("Tables of the profile full\n") and "[full/leaderboard.csv]" in of_full
    pages = [*(f"files/{path}.md" for path in laid.shown), *(f"files/{path}/index.md" for path in laid.listed)]
    assert pages and laid.images
    assert all((tmp_path / "source" / path).is_file() for path in [*pages, *laid.images])


def test_the_api_has_what_the_package_names_and_nothing_internal(tmp_path: Path) -> None:
    files = package_files(ROOT)
    listed = ast.literal_eval(files["__init__.py"].rpartition("__all__ = ")[2])
    assert sorted([*listed, "__version__"]) == sorted(smartsbd.__all__)
    assert public_modules(ROOT) == {"smartsbd", "smartsbd.datasets"}
    assert public_names(ROOT)["smartsbd.judging.judge"] == "smartsbd.judge"
    for name in set(smartsbd.__all__) - {"__version__"}:
        assert ">>> " in (getattr(smartsbd, name).__doc__ or "") or name in ("datasets", "JudgedSpan", "SamplesError")
    lay_out(ROOT, tmp_path)
    laid = {path.name for path in (tmp_path / "package/smartsbd").iterdir()}
    assert laid == {"__init__.py", "classifier.py", "datasets.py", "judging.py", "recordings.py", "samples.py"}
    assert "api/smartsbd/index.rst" in (tmp_path / "source/index.md").read_text()


def test_the_project_is_what_git_has() -> None:
    found = files_of(ROOT)
    assert "traces" in found.packages and "features/catalog.py" in found.files
    assert not any(path.startswith((".venv/", "build/")) for path in found.files)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<script src="https://example.org/a.js"></script>', "a.js: is loaded from elsewhere"),
        ('<img alt="" src="//example.org/a.png">', "a.png: is loaded from elsewhere"),
        ('<link rel="preconnect" href="https://example.org">', "example.org: is loaded from elsewhere"),
        ("<style>@import 'https://example.org/a.css'</style>", "a.css: is loaded from elsewhere"),
        ('<p style="background: url(http://example.org/b)">', "b: is loaded from elsewhere"),
        ('<img src="none.png"/>', "none.png: is loaded and is not there"),
        ('<a href="none.html">', "none.html: leads nowhere"),
        ('<a class="x" href="other.html#none">', "other.html#none: has no such place on that page"),
        ('<a href="#none">', "#none: has no such place on that page"),
        ("<a href='/a.html'>", "/a.html: leads out of the site"),
    ],
)
def test_a_fault_of_a_page_is_found(body: str, fault: str, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(f"<html>{body}</html>")
    (tmp_path / "other.html").write_text('<h1 id="there">Other</h1>')
    found = list(links.faults(tmp_path))
    assert len(found) == 1 and found[0].startswith("index.html: ") and found[0].endswith(fault)


def test_a_page_of_its_own_site_has_no_fault(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("/* https://example.org */ p { background: url(data:image/png;base64,AA) }")
    (tmp_path / "index.html").write_text(
        '<link rel="stylesheet" href="a.css?v=1"><link rel="canonical" href="https://example.org/">'
        '<!-- <img src="https://example.org/a.png"> --><a href="https://example.org/">out</a>'
        '<a href="#top" id="top">up</a><a href="index.html#top">again</a><script>"<img src=\'none.png\'>"</script>'
    )
    assert list(links.faults(tmp_path)) == []
