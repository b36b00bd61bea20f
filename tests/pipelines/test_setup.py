"""The set-up says in one line what is missing, and what to do."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ("sh", "uname", "cut", "gcc", "g++", "make", "git", "sha256sum")


def check(tmp_path: Path, *, without: str = "", programs: dict[str, str] | None = None) -> tuple[int, str, str]:
    """Run the check with nothing on the path but the tools, less one, and made-up programs."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found is not None
        if tool != without:
            (folder / tool).symlink_to(found)
    scripts = {"python3.11": f'exec "{sys.executable}" "$@"'} | (programs or {})
    for name, script in scripts.items():
        (folder / name).unlink(missing_ok=True)
        if script:
            (folder / name).write_text(f"#!/bin/sh\n{script}\n")
            (folder / name).chmod(0o755)
    done = subprocess.run(
        [str(ROOT / "requirements/check-tools.sh")],
        env={"PATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_fit_machine_names_its_python(tmp_path: Path) -> None:
    assert check(tmp_path) == (0, "python3.11\n", "")


def test_a_later_python_will_do(tmp_path: Path) -> None:
    later = {"python3.11": "", "python3.13": f'exec "{sys.executable}" "$@"'}
    assert check(tmp_path, programs=later) == (0, "python3.13\n", "")


@pytest.mark.parametrize(
    ("without", "programs", "message"),
    [
        ("g++", {}, "g++ is missing"),
        ("git", {}, "git is missing"),
        ("", {"uname": "echo Darwin arm64"}, "this is Darwin arm64"),
        ("", {"g++": "echo 9"}, "g++ 9 is too old"),
        ("", {"python3.11": "exit 1"}, "Python 3.11, 3.12 or 3.13 is missing"),
        ("", {"python3.11": ""}, "Python 3.11, 3.12 or 3.13 is missing"),
        ("", {"python3.11": 'case "$2" in *venv*) exit 1;; esac'}, "has no venv module"),
        ("", {"python3.11": 'case "$2" in *Python.h*) exit 1;; esac'}, "has no headers"),
    ],
)
def test_what_is_missing_is_one_line(tmp_path: Path, without: str, programs: dict[str, str], message: str) -> None:
    code, out, err = check(tmp_path, without=without, programs=programs)
    assert code == 1
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_no_file_of_the_setup_names_a_registry() -> None:
    for path in [*(ROOT / "requirements").iterdir(), ROOT / "pyproject.toml", ROOT / "Makefile", ROOT / ".ci/run"]:
        assert "https://" not in path.read_text(), path
