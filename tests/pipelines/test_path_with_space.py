"""In a folder with a space in its path make builds what is native, and it runs: the smaller parts, for real."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COPIED = ("native", "simulator", "detectors/in_c", "detectors/verdict", "requirements")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What make needs, with an environment in which only pybind11 is."""
    project = tmp_path_factory.mktemp("paths") / "split words, кириллица"
    for name in COPIED:
        ignored = shutil.ignore_patterns("*.so", "sbd-baselines", "__pycache__")
        shutil.copytree(ROOT / name, project / name, ignore=ignored)
    shutil.copy(ROOT / "Makefile", project)
    venv.create(project / ".venv", symlinks=True)
    packages = project / sysconfig.get_path("purelib", vars={"base": ".venv"})
    (packages / "pybind11").symlink_to(Path(sysconfig.get_path("purelib")) / "pybind11")
    return project


def make(project: Path, *arguments: str) -> str:
    """Run make with the environment taken as it is; CMake and Ninja are this one's."""
    whole = ["make", "--old-file=.venv/.installed", *arguments]
    environment = os.environ | {"PATH": f"{sys.prefix}/bin:{os.environ['PATH']}"}
    done = subprocess.run(whole, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_modules_and_a_program_are_built_and_run(project: Path) -> None:
    (project / ".venv/.installed").touch()
    # A name that a study is run with reaches every make below it.
    make(project, "native", "NAME=olaps")
    names = ("log_reading", "packet_recording", "time_warping", "window_features")
    imported = f"import {', '.join(names)}; print(*(m.__file__ for m in ({', '.join(names)})), sep='\\n')"
    shown = subprocess.run(
        [project / ".venv/bin/python", "-c", imported],
        cwd=project / "native",
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    files = [Path(line) for line in shown.splitlines()]
    assert len(files) == len(names) and all(file.is_relative_to(project / "native") for file in files)
    answer = subprocess.run([project / "native/sbd-baselines"], capture_output=True, text=True, check=False)
    assert "usage" in answer.stderr


def test_no_word_of_a_longer_build_is_half_a_path(project: Path) -> None:
    (project / ".venv/.installed").touch()
    commands = make(project, "--dry-run", "-C", "simulator", "PREFIX=../.venv").splitlines()
    words = [word for command in commands for word in shlex.split(command)]
    assert "-o" in words and any(str(project) in word for word in words)
    assert [word for word in words if project.name.split()[0] in word and str(project) not in word] == []


def test_an_environment_whose_path_has_a_space_is_to_be_given_relative(project: Path) -> None:
    done = subprocess.run(
        ["make", "-C", "simulator", f"PREFIX={project}/.venv"], cwd=project, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "PREFIX has a space, which make cannot handle: give it relative to this folder" in done.stderr
