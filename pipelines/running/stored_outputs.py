"""Outputs of a stage that DVC could not store.

Where there is no room to copy a folder, DVC says so and ends as if all was well. The stage is done then, and is not run
again. Its outputs would be missing as soon as another version takes their place.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from smartsbd.contracts.fault import Fault


class NotStoredError(Fault):
    """Outputs that are not in DVC's cache."""


def _dvc(project: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "dvc", *arguments]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit {done.returncode}"]
        raise NotStoredError(f"dvc {arguments[0]}: {lines[-1]}")
    return done.stdout


def missing(project: Path) -> list[str]:
    """Return the paths of outputs that are there but not in DVC's cache; those of a study that was not run are neither.

    Parameters
    ----------
    project : Path

    Returns
    -------
    list of str
        From the project's folder.

    Raises
    ------
    NotStoredError
        If DVC fails.
    """
    paths: list[str] = json.loads(_dvc(project, "data", "status", "--json")).get("not_in_cache", [])
    return [path for path in paths if (project / path).exists()]


def changed(project: Path) -> list[Path]:
    """Return files of outputs that differ from DVC's record of the last run, and folders that DVC has no record of.

    Parameters
    ----------
    project : Path

    Returns
    -------
    list of Path
        From the project's folder, in order.

    Raises
    ------
    NotStoredError
        If DVC fails.
    """
    uncommitted = json.loads(_dvc(project, "data", "status", "--json", "--granular")).get("uncommitted", {})
    # A folder is listed beside the file in it that differs; alone where its record is not in the cache.
    return sorted(
        Path(path) for how, paths in uncommitted.items() for path in paths if how == "unknown" or not path.endswith("/")
    )


def store(project: Path) -> None:
    """Store the missing outputs once more.

    Parameters
    ----------
    project : Path
        Where all stages are done.

    Raises
    ------
    NotStoredError
        If something is missing then.
    """
    absent = missing(project)
    if not absent:
        return
    # An output that is not there cannot be committed: each by its own path.
    _dvc(project, "commit", "--force", *absent)
    left = missing(project)
    if left:
        raise NotStoredError(
            f"{len(left)} outputs are not in DVC's cache, {left[0]} the first: there is no room for them, perhaps;"
            " the next run stores them"
        )
