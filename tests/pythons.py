"""Other Pythons than the one that runs the tests, where there are some."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path


def pythons() -> list[str]:
    """Return Pythons that may be here: on the path, and of pyenv, if this user has a home."""
    on_path = (shutil.which(f"python3.{minor}") for minor in (11, 12, 13, 14, 10, 9))
    of_pyenv = Path(os.environ.get("HOME", os.devnull)).glob(".pyenv/versions/3.*/bin/python")
    return [*filter(None, on_path), *sorted(map(str, of_pyenv))]


def python_of(version: str) -> str | None:
    """Return a Python of this version, as `3.12`, that runs; None if there is none."""
    test = f"import sys; sys.exit('%d.%d' % sys.version_info[:2] != {version!r})"
    for path in pythons():
        if subprocess.run([path, "-c", test], capture_output=True, check=False).returncode == 0:
            return path
    return None
