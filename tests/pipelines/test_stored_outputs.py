"""Outputs that DVC had no room to store are stored by the next run, or named."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from smartsbd.pipelines.running import stored_outputs

pytestmark = pytest.mark.slow

_STAGES = """
stages:
  make:
    cmd: mkdir out && head --bytes 1000000 /dev/zero >out/zeros
    outs: [out]
"""


@contextmanager
def files_of_at_most(size_bytes: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose stage is done; its output is not stored."""
    for command in (["git", "init", "--quiet"], [sys.executable, "-m", "dvc", "init", "--quiet"]):
        subprocess.run(command, cwd=tmp_path, check=True)
    (tmp_path / "dvc.yaml").write_text(_STAGES)
    subprocess.run([sys.executable, "-m", "dvc", "repro", "--quiet"], cwd=tmp_path, check=True)
    shutil.rmtree(tmp_path / ".dvc/cache/files/md5")
    return tmp_path


def test_they_are_stored_once_there_is_room(project: Path) -> None:
    with (
        files_of_at_most(500_000),
        pytest.raises(stored_outputs.NotStoredError, match=r"^1 outputs are not in DVC's cache, out/ the first"),
    ):
        stored_outputs.store(project)
    assert stored_outputs.missing(project) == ["out/"]
    stored_outputs.store(project)
    assert stored_outputs.missing(project) == []


def test_what_a_study_has_not_made_here_is_not_missing(project: Path) -> None:
    """Its dvc.lock is in git, its output was made in another clone."""
    study = project / "studies/roads"
    study.mkdir(parents=True)
    (study / "dvc.yaml").write_text("stages: {run: {cmd: echo 1 > drawn, outs: [drawn]}}\n")
    made = "{path: drawn, hash: md5, md5: b026324c6904b2a9cb4b88d6d61c81d1, size: 2}"
    lock = f"schema: '2.0'\nstages: {{run: {{cmd: echo 1 > drawn, outs: [{made}]}}}}\n"
    (study / "dvc.lock").write_text(lock)
    stored_outputs.store(project)
    assert (project / ".dvc/cache/files/md5").is_dir()
