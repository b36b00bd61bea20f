"""What the documents say is what the reports hold."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.params import read_params
from smartsbd.pipelines.reporting import excerpts

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize("path", excerpts.documents(ROOT), ids=lambda path: str(path.relative_to(ROOT)))
def test_excerpts_are_what_the_reports_say(path: Path) -> None:
    assert excerpts.refreshed(path.read_text(), ROOT) == path.read_text()


def test_every_excerpt_stands_somewhere() -> None:
    texts = "".join(path.read_text() for path in excerpts.documents(ROOT))
    assert all(f"<!-- {name} -->" in texts and f"<!-- /{name} -->" in texts for name in excerpts.EXCERPTS)


def test_a_stale_excerpt_is_replaced_and_an_unknown_one_refused() -> None:
    stale = "before\n<!-- graph -->\nold\n<!-- /graph -->\nafter\n"
    fresh = excerpts.refreshed(stale, ROOT)
    assert "old" not in fresh and fresh.startswith("before\n") and fresh.endswith("\nafter\n")
    with pytest.raises(excerpts.ExcerptError, match="novel"):
        excerpts.refreshed("<!-- novel -->\n<!-- /novel -->", ROOT)


def test_every_dataset_has_its_difficulty() -> None:
    names = [path.stem for path in (ROOT / "reports/difficulty").glob("*.json")]
    assert sorted(names) == sorted(read_params(ROOT / "params.yaml").datasets)


def anchor_of(heading: str) -> str:
    """The anchor that a page shows a heading under."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def links() -> list[tuple[str, str]]:
    """Every link of every document that leads to a place in the project."""
    found = [
        (str(path.relative_to(ROOT)), target)
        for path in excerpts.documents(ROOT)
        for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text())
        if not target.startswith("http")
    ]
    return sorted(set(found))


@pytest.mark.parametrize(("document", "target"), links())
def test_links_lead_somewhere(document: str, target: str) -> None:
    path, _, anchor = target.partition("#")
    place = (ROOT / document).parent / path if path else ROOT / document
    if "reports/report.html" in target:
        return
    assert place.exists()
    if anchor:
        headings = re.findall(r"^#+ (.+)$", place.read_text(), re.MULTILINE)
        assert anchor in [anchor_of(heading) for heading in headings]


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 90


def test_the_table_of_folders_is_the_tree() -> None:
    """Every folder in git has its row; the reader need not find out what one is for."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    table = text.partition("## Where things are")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| ")][1:]
    named = {name for row in rows for name in re.findall(r"[`\[]([a-z]+)/[`\]]", row)}
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    folders = {path.partition("/")[0] for path in listed.split("\0") if "/" in path and not path.startswith(".")}
    assert named == folders - {"LICENSES", "docs", "requirements"}


def test_the_layers_of_contributing_are_those_that_are_checked() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = [contract for contract in contracts if contract["type"] == "layers"]
    assert len(layers) == 2
    for contract in layers:
        names = [layer.replace(" | ", ", ") for layer in contract["layers"] if layer not in ("entry", "__main__")]
        assert f"`{' > '.join(names)}`" in text


def test_the_results_are_one_page() -> None:
    assert len((ROOT / "docs/results.md").read_bytes()) <= 20_000


@pytest.mark.parametrize("study", sorted(ROOT.glob("studies/*/README.md")), ids=lambda path: path.parent.name)
def test_a_study_is_short_and_the_results_lead_to_it(study: Path) -> None:
    assert len(study.read_bytes()) <= 12_000
    assert f"](../{study.relative_to(ROOT)})" in (ROOT / "docs/results.md").read_text()


def test_every_experiment_has_its_line_in_the_index() -> None:
    """A question, its answer, and when it was asked."""
    folder = ROOT / "docs/experiments"
    lines = [line for line in (folder / "README.md").read_text().splitlines() if line.startswith("| [")]
    assert all(re.fullmatch(r"\| \[.+\]\(\S+\) \| .+ \| \d+ \w+ 20\d\d \|", line) for line in lines)
    targets = [(folder / re.findall(r"\]\((\S+)\)", line)[0]).resolve() for line in lines]
    assert len(targets) == len(set(targets))
    experiments = {path for path in folder.glob("*.md") if path.name != "README.md"}
    assert set(targets) == experiments | set(ROOT.glob("studies/*/README.md"))


def test_the_sample_of_detect_is_what_it_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sample = re.search(r"^\$ sbd (detect .*)\n((?:.+\n)+?)```$", README, re.MULTILINE)
    assert sample is not None
    monkeypatch.chdir(ROOT)
    assert main(sample[1].split()) == 0
    assert capsys.readouterr().out == sample[2]


def test_commands_named_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for name in set(re.findall(r"`make (\w+)", README)):
        assert re.search(rf"^{name}:", makefile, re.MULTILINE), name
