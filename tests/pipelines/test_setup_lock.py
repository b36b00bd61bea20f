"""Two makes do not set up at once: the second waits, and says so."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from pathlib import Path

from tests.processes import waited_for

ROOT = Path(__file__).parents[2]


def test_a_second_setup_waits(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    # Setting up begins with this one; it takes no more here than to say that it was reached.
    tools = tmp_path / "requirements/check-tools.sh"
    tools.parent.mkdir()
    tools.write_text("#!/bin/sh\ntouch reached\nexit 1\n")
    tools.chmod(0o755)
    for name in ("uv", "main", "simulator", "packets", "auto-sklearn"):
        (tools.parent / f"{name}.txt").touch()
    for path in (tmp_path / "pyproject.toml", tools.parent / "auto-sklearn.sh"):
        path.touch()
    with (tmp_path / "Makefile").open() as makefile, (tmp_path / "said").open("w") as said:
        fcntl.flock(makefile, fcntl.LOCK_EX)
        with subprocess.Popen(["make", "setup"], cwd=tmp_path, stdout=said, stderr=said) as second:
            assert waited_for(lambda: "another sets up in this folder" in (tmp_path / "said").read_text())
            assert second.poll() is None
            assert not (tmp_path / "reached").exists()
            fcntl.flock(makefile, fcntl.LOCK_UN)
    assert (tmp_path / "reached").exists()
