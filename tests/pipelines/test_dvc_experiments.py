"""A knob changed as an experiment of DVC, and what its commands show of it: in a clone, on results that are there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from smartsbd.pipelines.running import profile as scratch

ROOT = Path(__file__).parents[2]
RESAMPLES = 100
#: Judged by windows of the other rule, models have other accuracies.
CHANGED = [f"evaluate.resamples={RESAMPLES}", "search.rules=[triggered,tiled]"]
HEADLINE = "reports/headline/models.json"


@dataclass(frozen=True)
class Clone:
    """A clone of the project with a commit of its results, the baseline."""

    folder: Path

    def git(self, *arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=self.folder, capture_output=True, text=True, check=True).stdout

    def dvc(self, *arguments: str) -> str:
        environment = os.environ | {"PATH": f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(
            ["dvc", *arguments], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def read(self, *arguments: str) -> Any:
        return json.loads(self.dvc(*arguments, "--json"))


@pytest.fixture(scope="module")
def experimented(quick: Path, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clone in which the experiment `fewer` ran: fewer resamples and windows of the other rule, in the workspace."""
    folder = tmp_path_factory.mktemp("experiments") / "clone"
    scratch.prepare(ROOT, "default", folder)
    # With its cache: an experiment begins by putting in place what dvc.lock names.
    for name in (".dvc/cache", "reports", "export/generated", "data/features", "data/predictions"):
        shutil.copytree(quick / name, folder / name, dirs_exist_ok=True)
    for name in ("params.yaml", "dvc.lock", "data/transferred.parquet"):
        shutil.copy(quick / name, folder / name)
    clone = Clone(folder)
    clone.git("config", "user.name", "A Researcher")
    clone.git("config", "user.email", "researcher@localhost")
    clone.dvc("repro", "--single-item", "evaluate")
    clone.git("add", "--all")
    clone.git("commit", "--quiet", "--message", "baseline")
    clone.dvc("exp", "run", "--single-item", "-n", "fewer", *(f"--set-param={each}" for each in CHANGED), "evaluate")
    return clone


def resamples(params: Path) -> int:
    value = yaml.safe_load(params.read_text())["evaluate"]["resamples"]
    assert isinstance(value, int)
    return value


@pytest.mark.slow
def test_the_table_of_experiments_shows_the_parameter_and_what_it_did(experimented: Clone) -> None:
    table = experimented.read("exp", "show")
    baseline = next(row for row in table if row["rev"] != "workspace")
    (experiment,) = (revision for entry in baseline["experiments"] for revision in entry["revs"])
    assert experiment["name"] == "fewer"
    before, after = baseline["data"], experiment["data"]
    asked = [data["params"]["params.yaml"]["data"]["evaluate"]["resamples"] for data in (before, after)]
    assert asked == [2000, RESAMPLES]
    old, new = (data["metrics"][HEADLINE]["data"] for data in (before, after))
    assert old.keys() == new.keys()
    assert any(old[name] != new[name] for name in old)


@pytest.mark.slow
def test_metrics_and_parameters_that_differ_are_named(experimented: Clone) -> None:
    params = experimented.read("params", "diff", "HEAD", "fewer")
    assert params["params.yaml"].keys() == {each.partition("=")[0] for each in CHANGED}
    resampled = {"old": 2000, "new": RESAMPLES, "diff": RESAMPLES - 2000}
    assert params["params.yaml"]["evaluate.resamples"] == resampled
    metrics = experimented.read("metrics", "diff", "HEAD", "fewer")
    assert list(metrics) == [HEADLINE]
    changed = metrics[HEADLINE]
    assert changed
    assert all(name.endswith("_paper") for name in changed)
    assert all(each["diff"] == pytest.approx(each["new"] - each["old"]) for each in changed.values())


@pytest.mark.slow
def test_the_page_of_plots_shows_both_figures_and_asks_for_nothing_from_elsewhere(experimented: Clone) -> None:
    url = experimented.dvc("plots", "diff", "HEAD", "fewer").strip()
    page = experimented.folder / "dvc_plots/index.html"
    assert url == page.as_uri()
    text = page.read_text()
    sources = re.findall(r'<img src="([^"]+)">', text)
    folder = experimented.folder / "reports/figures"
    figures = ["_".join(path.relative_to(folder).parts) for path in sorted(folder.rglob("*.png"))]
    for revision in ("HEAD", "fewer"):
        assert [f"static/{revision}_reports_figures_{name}" in sources for name in figures] == [True] * len(figures)
    assert all((page.parent / source).read_bytes().startswith(b"\x89PNG") for source in sources)
    accuracy = [page.parent / f"static/{revision}_reports_figures_accuracy.png" for revision in ("HEAD", "fewer")]
    assert accuracy[0].read_bytes() != accuracy[1].read_bytes()
    assert not re.search(r"//|<script|<link|@import", text)
    assert "default-src 'none'" in text


@pytest.mark.slow
def test_the_way_back_leaves_nothing_changed_and_the_experiment_until_it_is_removed(experimented: Clone) -> None:
    params = experimented.folder / "params.yaml"
    assert resamples(params) == RESAMPLES
    experimented.git("checkout", "--quiet", "HEAD", "--", ".")
    experimented.dvc("checkout", "evaluate")
    assert resamples(params) == 2000
    assert experimented.git("status", "--porcelain") == ""
    assert experimented.dvc("exp", "list", "--names-only").split() == ["fewer"]
    experimented.dvc("exp", "remove", "fewer")
    assert experimented.dvc("exp", "list", "--names-only").split() == []
