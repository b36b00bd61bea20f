"""Where Python 3.9 is not to be had, the set-up says so in one line and goes on."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ("sh", "dirname", "rm", "timeout", "tr", "sha256sum")


@pytest.mark.parametrize(
    ("python39", "programs", "asked"),
    [
        (None, {}, True),
        (None, {"python3.9": "echo Python 3.8"}, True),
        (sys.executable, {}, False),
        ("/no/such/python", {}, False),
    ],
    ids=["none", "another by that name", "another in PYTHON39", "none in PYTHON39"],
)
def test_without_python_39_there_is_no_environment(
    tmp_path: Path, python39: str | None, programs: dict[str, str], *, asked: bool
) -> None:
    path, home, environment = (tmp_path / name for name in ("bin", "home", "environment"))
    for folder in (path, home, environment / "bin"):
        folder.mkdir(parents=True)
    (environment / ".installed").touch()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found is not None
        (path / tool).symlink_to(found)
    for name, script in ({"uv": f'echo "$@" >>{tmp_path}/asked; exit 1'} | programs).items():
        (path / name).write_text(f"#!/bin/sh\n{script}\n")
        (path / name).chmod(0o755)
    done = subprocess.run(
        [str(ROOT / "requirements/auto-sklearn.sh"), str(environment), str(path / "uv")],
        env={"PATH": str(path), "HOME": str(home), "PYENV_ROOT": str(tmp_path / "nowhere")}
        | ({} if python39 is None else {"PYTHON39": python39}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.count("\n") == 1
    assert all(part in done.stderr for part in ("auto-sklearn is left out", "pyenv install 3.9", "PYTHON39"))
    assert not environment.exists()
    # Who names an interpreter wants no other.
    assert (tmp_path / "asked").exists() == asked
    assert list(home.iterdir()) == []
