"""The site that `make docs` builds without a network asks nobody for anything when chromium opens it as files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from docs.site.contents import CONTENTS
from tests.browser.served import CHROMIUM, browsing

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build/site"
MOST_BUILD_S = 3600
#: An address where nobody answers, for whatever would go out.
_NOBODY = "http://127.0.0.1:9"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (ROOT / ".venv/docs/.installed").is_file(), reason="`make docs` has not set itself up here"),
]


@pytest.fixture(scope="module")
def site() -> Path:
    offline = {"UV_OFFLINE": "1", "HTTP_PROXY": _NOBODY, "HTTPS_PROXY": _NOBODY}
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MFLAGS")}
    done = subprocess.run(
        ["make", "docs"],
        cwd=ROOT,
        env=environment | offline,
        capture_output=True,
        text=True,
        timeout=MOST_BUILD_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return SITE


def test_every_document_and_package_has_its_page(site: Path) -> None:
    for document in (document for documents in CONTENTS.values() for document in documents):
        assert (site / document).with_suffix(".html").is_file(), document
    api = (site / "api/smartsbd/index.html").read_text()
    for name in (
        "judge",
        "judge_paths",
        "read",
        "Recordings.rtts",
        "PairVerdict.plot",
        "SharedBottleneckClassifier.fit",
    ):
        assert f'id="smartsbd.{name}"' in api
    assert 'id="smartsbd.datasets.load"' in (site / "api/smartsbd/datasets/index.html").read_text()
    assert sorted(path.parent.name for path in site.glob("api/**/index.html")) == ["datasets", "smartsbd"]
    assert 'href="../files/features/paper.py.html"' in (site / "docs/features.html").read_text()
    assert (site / "notebooks/03_model_selection.html").read_text().count("<img") >= 3


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not on the path")
def test_chromium_asks_nobody_and_finds_every_file(site: Path) -> None:
    pages = [
        "index.html",
        *("docs/results.html", "docs/dvc.html", "docs/formats.html", "notebooks/01_connection.html"),
        *(
            "api/smartsbd/index.html",
            "api/smartsbd/datasets/index.html",
            "reports/index.html",
            "files/index.html",
            "genindex.html",
        ),
    ]
    with browsing() as browser:
        failed: list[str] = []
        browser.page.on("requestfailed", lambda request: failed.append(request.url))
        browser.page.on("pageerror", lambda error: failed.append(str(error)))
        for name in pages:
            browser.page.goto((site / name).as_uri())
            browser.page.wait_for_load_state("networkidle")
            broken = "[...document.images].filter(one => one.complete && one.naturalWidth === 0).map(one => one.src)"
            assert browser.page.evaluate(broken) == [], name
        assert len(browser.asked) > 3 * len(pages)
        assert browser.hosts() == {"file"}
        assert failed == []


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not on the path")
def test_a_search_finds_a_document_and_a_function(site: Path) -> None:
    with browsing() as browser:
        for words, found in (("Kendall", "docs/results"), ("SharedBottleneckClassifier", "api/smartsbd/index")):
            browser.page.goto((site / "search.html").as_uri() + f"?q={words}")
            browser.page.locator(f"#search-results a[href*='{found}']").first.wait_for(timeout=60_000)
        assert browser.hosts() == {"file"}
