"""Whether echoes can be sent here: iputils' ping is installed, and this user may use it."""

from __future__ import annotations

import subprocess

import pytest


def _refused() -> str | None:
    """Return why no echo can be sent, in one line; None if one can."""
    try:
        tried = subprocess.run(["ping", "-c", "1", "127.0.0.1"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "ping is missing"
    lines = (tried.stderr or tried.stdout).strip().splitlines()
    return lines[-1] if tried.returncode else None


_WHY = _refused()
needs_ping = pytest.mark.skipif(_WHY is not None, reason=str(_WHY))
