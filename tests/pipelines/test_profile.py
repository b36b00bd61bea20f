"""The clone that another profile runs in: its files are the project's, and what is run there can be run."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import pytest

from smartsbd.pipelines.running import profile


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "params").mkdir(parents=True)
    contents = {"params.yaml": "profile: default\n", "params/quick.yaml": "profile: quick\n", "run": "#!/bin/sh\n"}
    for name, content in contents.items():
        (folder / name).write_text(content)
    (folder / "run").chmod(0o755)
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "all")
    return folder


def git(folder: Path, *arguments: str) -> str:
    run = subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True)
    return run.stdout


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_can_be_run_stays_so(root: Path, tmp_path: Path) -> None:
    clone = tmp_path / "build/quick"
    profile.prepare(root, "quick", clone)
    assert mode(clone / "run") & 0o111 == 0o111
    assert subprocess.run([clone / "run"], check=False).returncode == 0
    assert mode(clone / "params.yaml") & 0o111 == 0
    # Git sees no more than what the profile changes.
    assert git(clone, "status", "--short").split() == ["M", "params.yaml"]


def test_a_mode_that_changes_is_followed(root: Path, tmp_path: Path) -> None:
    clone = tmp_path / "build/quick"
    profile.prepare(root, "quick", clone)
    (root / "run").chmod(0o644)
    (root / "params/quick.yaml").chmod(0o755)
    profile.prepare(root, "quick", clone)
    assert mode(clone / "run") & 0o111 == 0
    assert mode(clone / "params/quick.yaml") & 0o111 == 0o111


def test_a_clone_of_what_may_only_be_read_can_be_brought_up_to_date(root: Path, tmp_path: Path) -> None:
    clone = tmp_path / "build/quick"
    (root / "run").chmod(0o555)
    profile.prepare(root, "quick", clone)
    assert mode(clone / "run") == 0o755


def test_a_study_has_its_own_parameters_of_the_profile_and_keeps_its_results(root: Path, tmp_path: Path) -> None:
    study = root / "studies/roads"
    (study / "params").mkdir(parents=True)
    (study / "reports").mkdir()
    (study / "params.yaml").write_text("runs: 9\nseed: 1\n")
    (study / "params/quick.yaml").write_text("runs: 2\n")
    for name in ("dvc.yaml", "dvc.lock", "reports/runs.csv"):
        (study / name).write_text("stages: {}\n")
    clone = tmp_path / "build/quick"
    profile.prepare(root, "quick", clone)
    assert (clone / "studies/roads/params.yaml").read_text() == "runs: 2\nseed: 1\n"
    assert (clone / "studies/roads/dvc.yaml").exists()
    assert not (clone / "studies/roads/dvc.lock").exists() and not (clone / "studies/roads/reports").exists()
    # The study has no overlay of another profile: it is as by default there.
    (root / "params/long.yaml").write_text("profile: long\n")
    profile.prepare(root, "long", clone)
    assert (clone / "studies/roads/params.yaml").read_text() == "runs: 9\nseed: 1\n"
