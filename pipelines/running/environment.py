"""What a page was made with: the code, Python and its packages, the locks, the compilers, the machine."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from smartsbd.export import compilers

_CODE = Path(__file__).resolve().parents[2]
_PACKAGES = ("numpy", "pandas", "pyarrow", "scikit-learn", "scipy", "dtaidistance", "xgboost-cpu", "flaml", "ns3")
_LOCKS = ("requirements/main.txt", "requirements/simulator.txt", "requirements/auto-sklearn.txt")
#: Results are made by the pipeline, so that they say nothing of the sources a run was made from.
_NOT_SOURCES = (":!reports", ":!studies/*/reports/*", ":!export/generated", ":!*dvc.lock")
_DIGITS = 16


def _output_of(command: Sequence[str]) -> str | None:
    """Return the output of a program, None if it is not there or fails."""
    if shutil.which(command[0]) is None:
        return None
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=_CODE)
    return ran.stdout.strip() if ran.returncode == 0 else None


def commit() -> str:
    """Return the commit of the code, and whether its sources are as there."""
    head = _output_of(("git", "rev-parse", "HEAD"))
    if head is None:
        return "not in git"
    changed = _output_of(("git", "status", "--porcelain", "--", ".", *_NOT_SOURCES))
    return f"{head}, {'with changes' if changed else 'unchanged'}"


def processor() -> str:
    """Return what the machine computes with: its processor, as it calls itself, and how many cores this process has."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()}, {len(os.sched_getaffinity(0))} cores"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:_DIGITS] if path.is_file() else "not there"


def version() -> str:
    """Return the version of the workbench."""
    return _version("smartsbd")


def environment() -> dict[str, str]:
    """Return facts about what this process runs in, by name."""
    versions = {compiler: _output_of((compiler, "--version")) for compiler in compilers.KNOWN}
    return {
        "made at": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit(),
        "version": version(),
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "packages": ", ".join(f"{name} {_version(name)}" for name in _PACKAGES),
        "compilers": ", ".join(
            text.splitlines()[0] if text else f"{name} not installed" for name, text in versions.items()
        ),
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        **{f"{name}, sha256": _sha256(_CODE / name) for name in _LOCKS},
    }
