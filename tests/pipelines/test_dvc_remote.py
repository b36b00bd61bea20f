"""Data through a remote: pushed, pulled by a clone that then has nothing to run, and imported by another project."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

from smartsbd.pipelines.publishing.table_file import places
from smartsbd.pipelines.running import profile as scratch
from smartsbd.pipelines.running.journal import JOURNAL
from tests.made_once import made_once

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SAMPLES = ["kernel", "kernel_captures"]
#: The last stages that are run, of those that lead to the tables that are published.
TARGETS = ("extract", "tiles")
_PULL = ("dvc", "pull", "--with-deps", *TARGETS)


def _run(folder: Path, *command: str) -> str:
    """Run a program in a folder, by this environment and the folder's own code; return what it prints."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ
        | {
            "PATH": f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(folder),
            "DVC_NO_ANALYTICS": "1",
            **{f"GIT_{who}_{what}": "test@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.stdout}\n{done.stderr}"
    return done.stdout


def _commit(project: Path) -> None:
    _run(project, "git", "add", "--all")
    _run(project, "git", "commit", "--quiet", "--message", "data and results")


def _push(project: Path, store: Path) -> None:
    """Give a project a remote, as docs/publishing.md does, and push what its commit has."""
    _run(project, "dvc", "remote", "add", "--default", "store", str(store))
    _commit(project)
    _run(project, "dvc", "push", "--quiet", "dvc.yaml")


def _make_small(folder: Path) -> None:
    """Run the pipeline of a clone whose only datasets are two of those in git, up to their tables; push them."""
    project = folder / "project"
    scratch.prepare(ROOT, "default", project)
    params = yaml.safe_load((project / "params.yaml").read_text())
    params |= {"simulated": [], "samples": SAMPLES, "datasets": SAMPLES}
    (project / "params.yaml").write_text(yaml.safe_dump(params))
    _run(project, "dvc", "repro", "--quiet", *TARGETS)
    _push(project, folder / "store")


@pytest.fixture(scope="session")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a project and the remote that it has pushed to; to read alone."""
    return made_once(tmp_path_factory, "pushed", _make_small)


@pytest.fixture
def pulled(pushed: Path, tmp_path: Path) -> Path:
    """A clone of it that has pulled."""
    clone = tmp_path / "clone"
    _run(tmp_path, "git", "clone", "--quiet", str(pushed / "project"), str(clone))
    assert not (clone / "data/tables").exists()
    _run(clone, *_PULL)
    return clone


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_clone_that_has_pulled_runs_nothing_anew(pushed: Path, pulled: Path) -> None:
    for dataset in SAMPLES:
        for _, path in places(dataset):
            assert (pulled / path).read_bytes() == (pushed / "project" / path).read_bytes()
    assert json.loads(_run(pulled, "dvc", "status", "--json", *TARGETS)) == {}
    before = _files(pulled / "data")
    said = _run(pulled, "dvc", "repro", *TARGETS)
    assert "Running stage" not in said
    assert "Data and pipelines are up to date." in said
    # Every stage that is run writes a line there.
    assert not (pulled / JOURNAL).exists()
    assert _files(pulled / "data") == before


def test_a_change_is_run_in_the_clone(pulled: Path) -> None:
    """The counterpart: nothing is run because nothing has changed, not because nothing can be."""
    params = (pulled / "params.yaml").read_text()
    assert "max_subflows: 64" in params
    (pulled / "params.yaml").write_text(params.replace("max_subflows: 64", "max_subflows: 63"))
    assert "Running stage 'parse'" in _run(pulled, "dvc", "repro", "--dry", *TARGETS)


def test_what_was_pulled_is_published(pulled: Path) -> None:
    """One command, of data that nothing here has made; DVC says that they are what it has recorded."""
    said = _run(pulled, "python", "-m", "pipelines", "publish", "out", "--url", "https://example.org/records/1")
    assert said.startswith("out: 2 datasets")
    assert "DVC had found every table as the pipeline made it" in (pulled / "out/README.md").read_text()


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """Somebody else's project, with DVC and nothing of ours."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    _run(folder, "git", "init", "--quiet")
    _run(folder, "dvc", "init", "--quiet")
    return folder


def test_another_project_imports_a_dataset(pushed: Path, elsewhere: Path) -> None:
    source = pushed / "project"
    _run(elsewhere, "dvc", "import", "--quiet", str(source), "data/tables/kernel", "--out", "tables")
    assert _files(elsewhere / "tables").keys() > {"ack.parquet", "connection.parquet"}
    for name, content in _files(elsewhere / "tables").items():
        if name.endswith(".parquet"):
            assert content == (source / "data/tables/kernel" / name).read_bytes()
    record = yaml.safe_load((elsewhere / "tables.dvc").read_text())
    assert record["deps"][0]["repo"]["rev_lock"] == _run(source, "git", "rev-parse", "HEAD").strip()
    assert len(pd.read_parquet(elsewhere / "tables/connection.parquet")) == 12
    # Later, from what is recorded alone.
    shutil.rmtree(elsewhere / "tables")
    shutil.rmtree(elsewhere / ".dvc/cache")
    _run(elsewhere, "dvc", "pull", "--quiet")
    assert (elsewhere / "tables/ack.parquet").is_file()


def test_a_remote_that_has_lost_a_file_is_said(pushed: Path, tmp_path: Path) -> None:
    store = Path(shutil.copytree(pushed / "store", tmp_path / "store"))
    clone = tmp_path / "clone"
    _run(tmp_path, "git", "clone", "--quiet", str(pushed / "project"), str(clone))
    largest = max((path for path in store.rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)
    largest.unlink()
    _run(clone, "dvc", "remote", "modify", "store", "url", str(store))
    done = subprocess.run(
        [sys.executable, "-m", *_PULL],
        cwd=clone,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "missing" in done.stderr or "failed" in done.stderr.lower()


# All of a pipeline.


@pytest.fixture
def whole(quick: Path, tmp_path: Path) -> Path:
    """A clone of the profile ``quick`` with all of its data, pushed, and then pulled by another clone."""
    project = tmp_path / "project"
    scratch.prepare(ROOT, "quick", project)
    for name in ("dvc.lock", "reports", "export/generated"):
        copy = shutil.copytree if (quick / name).is_dir() else shutil.copy
        shutil.rmtree(project / name, ignore_errors=True)
        copy(quick / name, project / name)
    shutil.copytree(quick / ".dvc/cache", project / ".dvc/cache")
    _push(project, tmp_path / "store")
    shutil.rmtree(project / ".dvc/cache")
    clone = tmp_path / "clone"
    _run(tmp_path, "git", "clone", "--quiet", str(project), str(clone))
    _run(clone, "dvc", "pull", "--quiet", "dvc.yaml")
    return clone


def _with_an_empty_folder(project: Path) -> set[str]:
    """Return the stages that have left a folder in git without a file, which git does not keep."""
    stages = yaml.safe_load((project / "dvc.lock").read_text())["stages"]
    return {
        name.partition("@")[0]
        for name, one in stages.items()
        for out in one.get("outs", [])
        if (project / out["path"]).is_dir() and not any((project / out["path"]).iterdir())
    }


@pytest.mark.slow
def test_all_that_dvc_keeps_of_a_pipeline_comes_through_a_remote(quick: Path, whole: Path) -> None:
    """What is left to run is the page, and what leaves an empty folder in git."""
    left = json.loads(_run(whole, "dvc", "status", "--json", "dvc.yaml"))
    assert {name.partition("@")[0] for name in left} == {"report"} | _with_an_empty_folder(quick)
    for path in (quick / "data/tables").rglob("*.parquet"):
        assert (whole / path.relative_to(quick)).read_bytes() == path.read_bytes()
