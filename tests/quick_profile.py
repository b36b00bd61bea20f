"""The run of the profile ``quick`` that several tests read: that of ``make repro``, made anew where it is stale."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

from smartsbd.pipelines.running import profile as scratch
from tests.made_once import alone

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build/quick"
#: What git knows of the run that was last found whole, as one digest.
_WHOLE = ROOT / "build/quick.whole"


def _known_sha256(folder: Path) -> str:
    """Return the digest of all files that git knows in a folder or would add: sources, results and dvc.lock."""
    listed = ["git", "-C", str(folder), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, capture_output=True, check=True).stdout.decode().split("\0")
    digest = hashlib.sha256()
    for name in sorted(set(names) - {""}):
        if (folder / name).is_file():
            digest.update(f"{name}\0{hashlib.sha256((folder / name).read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def up_to_date() -> Path:
    """Return the run's folder, once its sources are those of the working tree and DVC has made what follows from them.

    DVC is asked unless all that git knows there is as it was when DVC had last made it whole.
    """
    with alone(ROOT / "build/quick.lock"):
        scratch.prepare(ROOT, "quick", FOLDER)
        if not _WHOLE.exists() or _WHOLE.read_text() != _known_sha256(FOLDER):
            assert scratch.repro(FOLDER) == 0
            _WHOLE.write_text(_known_sha256(FOLDER))
    return FOLDER
