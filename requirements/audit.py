"""Looks known vulnerabilities of every locked package up, and says which could not be looked up.

    audit.py PIP_AUDIT LOCK...

Exit codes: 0 none is known, or nobody could be asked; 1 one is known. In auto-sklearn's locks they are shown and no
more: its versions are the last it runs with, in an environment of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

_SHOWN_ONLY = "auto-sklearn"
_OPTIONS = ("--format", "json", "--desc", "off", "--progress-spinner", "off", "--require-hashes", "--disable-pip")


def audit(program: str, lock: Path) -> int:
    """Print what is known of a lock's packages, a line each, and how many could not be looked up.

    Parameters
    ----------
    program : str
        pip-audit.
    lock : Path
        Requirements with hashes.

    Returns
    -------
    int
        Number of packages with a known vulnerability.
    """
    done = subprocess.run([program, *_OPTIONS, "-r", lock], capture_output=True, text=True, check=False)
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except ValueError:
        reason = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        print(f"{lock}: no package could be looked up: {reason}")
        return 0
    skipped = [one for one in packages if "skip_reason" in one]
    known = [one for one in packages if one.get("vulns")]
    for one in known:
        for each in one["vulns"]:
            mended = ", ".join(each["fix_versions"]) or "no version"
            print(f"{lock}: {one['name']} {one['version']}: {each['id']}, mended in {mended}")
    looked_up = len(packages) - len(skipped)
    print(f"{lock}: {looked_up} of {len(packages)} packages looked up, {len(known)} with a known vulnerability")
    if skipped:
        print(f"{lock}: {len(skipped)} could not be looked up, for instance: {skipped[0]['skip_reason']}")
    return len(known)


def main(program: str, *locks: str) -> int:
    """Look every lock up, and return the exit code."""
    known = {lock: audit(program, Path(lock)) for lock in locks}
    return int(any(number for lock, number in known.items() if not Path(lock).name.startswith(_SHOWN_ONLY)))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
