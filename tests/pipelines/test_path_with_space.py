"""In a folder with a space in its path make builds what is native, and it runs: the smaller parts, for real."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NATIVE = ("packets", "logs", "simulator", "warping", "windows", "detectors/in_c")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What make needs, with an environment in which only pybind11 is."""
    project = tmp_path_factory.mktemp("paths") / "split words, кириллица"
    for name in (*NATIVE, "requirements"):
        shutil.copytree(ROOT / name, project / name)
    shutil.copy(ROOT / "Makefile", project)
    venv.create(project / ".venv", symlinks=True)
    own = project / sysconfig.get_path("purelib", vars={"base": ".venv"})
    (own / "pybind11").symlink_to(Path(sysconfig.get_path("purelib")) / "pybind11")
    return project


def make(project: Path, *arguments: str) -> str:
    """Run make with the environment taken as it is."""
    whole = ["make", "--old-file=.venv/.installed", *arguments]
    done = subprocess.run(whole, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_module_and_a_program_are_built_and_run(project: Path) -> None:
    (project / ".venv/.installed").touch()
    make(project, "warping", "windows", "baselines")
    environment = project / ".venv"
    imported = "import time_warping as t, window_features as w; print(t.__file__, w.__file__, sep='\\n')"
    shown = subprocess.run(
        [environment / "bin/python", "-c", imported], capture_output=True, text=True, check=True
    ).stdout
    assert len(shown.splitlines()) == 2 and all(Path(own).is_relative_to(environment) for own in shown.splitlines())
    said = subprocess.run([environment / "bin/sbd-baselines"], capture_output=True, text=True, check=False)
    assert "usage" in said.stderr


def test_no_word_of_a_longer_build_is_half_a_path(project: Path) -> None:
    (project / ".venv/.installed").touch()
    built = ("packets", "simulator")
    commands = [line for one in built for line in make(project, "--dry-run", "-C", one, "PREFIX=../.venv").splitlines()]
    words = [word for command in commands for word in shlex.split(command)]
    assert "-o" in words and any(str(project) in word for word in words)
    assert [word for word in words if project.name.split()[0] in word and str(project) not in word] == []


@pytest.mark.parametrize("folder", NATIVE)
def test_an_environment_whose_path_has_a_space_is_to_be_given_relative(project: Path, folder: str) -> None:
    done = subprocess.run(
        ["make", "-C", folder, f"PREFIX={project}/.venv"], cwd=project, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "PREFIX has a space, which make cannot handle: give it relative to this folder" in done.stderr
