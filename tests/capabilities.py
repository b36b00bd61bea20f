"""What this process may do beyond a plain user: root has all of it, except in a container."""

from __future__ import annotations

from pathlib import Path

import pytest

#: Their bits (capability.h).
_BITS = {"setpcap": 8, "net_admin": 12, "sys_admin": 21, "perfmon": 38, "bpf": 39}


def held(*names: str) -> bool:
    """Tell whether this process has each of these capabilities."""
    lines = Path("/proc/self/status").read_text().splitlines()
    effective = next(int(line.split()[1], 16) for line in lines if line.startswith("CapEff:"))
    return all(effective >> _BITS[name] & 1 for name in names)


def taken_away_of(*names: str) -> pytest.MarkDecorator:
    """Return the mark of a test that takes one of these capabilities away: it must have them all."""
    needed = ("setpcap", *names)
    return pytest.mark.skipif(not held(*needed), reason=f"has not all of CAP_{', CAP_'.join(needed).upper()}")
