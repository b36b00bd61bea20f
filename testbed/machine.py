"""What a testbed needs of the machine; each missing part is reported in one line."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from smartsbd.contracts.fault import Fault
from smartsbd.testbed.sender import TCP_CONGESTION

#: Where ``make testbed`` puts the relay, and ``make kernel`` the recorder and what loads controllers.
_ROOT = Path(__file__).resolve().parents[1]
RELAY = _ROOT / "build/testbed/sbd-relay"
RECORDER = _ROOT / "build/kernel/sbd-record"
CONTROLLERS_LOADER = _ROOT / "build/kernel/sbd-kernel"
#: What the relay is built from.
_SOURCES_OF_RELAY = _ROOT / "testbed/relay/src"

#: Capabilities by their bit (capability.h), and what for.
_CAPABILITIES = ((12, "CAP_NET_ADMIN"), (21, "CAP_SYS_ADMIN"))
_PROGRAMS = {"unshare": "util-linux", "setpriv": "util-linux", "mount": "mount", "ip": "iproute2"}
_TUN = Path("/dev/net/tun")
_CONTROLLERS = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")


class MachineError(Fault):
    """Something that a testbed needs is not there; the message says how to get it."""


def check_built(program: Path) -> None:
    """Make sure that a program of ``make kernel`` is there.

    Raises
    ------
    MachineError
        With how to build it.
    """
    if not program.is_file():
        raise MachineError(f"{program} is not there: `make kernel` builds it (kernel/README.md says what it needs)")


def missing_capability(status: str) -> str | None:
    r"""Return the first capability that a process lacks, from its ``/proc/PID/status``.

    Returns
    -------
    str or None
        Its name; None if all are there.

    Examples
    --------
    >>> missing_capability("CapEff:\t0000000000001000"), missing_capability("CapEff:\t000001ffffffffff")
    ('CAP_SYS_ADMIN', None)
    """
    effective = next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapEff:"))
    return next((name for bit, name in _CAPABILITIES if not effective >> bit & 1), None)


def controllers(asked: Collection[str] = ()) -> set[str]:
    """Return the congestion controllers that the kernel has.

    Parameters
    ----------
    asked : collection of str
        Those of them that are modules are loaded: the kernel lists no other.

    Returns
    -------
    set of str
    """
    for name in set(asked) - set(_CONTROLLERS.read_text().split()):
        with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_STREAM) as unused:
            unused.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, name.encode())
    return set(_CONTROLLERS.read_text().split())


def is_stale(program: Path, sources: Path) -> bool:
    """Tell whether a source has changed since a program was built from it.

    Parameters
    ----------
    program : Path
    sources : Path
        Folder of its sources.

    Returns
    -------
    bool
    """
    built_ns = program.stat().st_mtime_ns
    return any(path.stat().st_mtime_ns > built_ns for path in sources.iterdir())


def check(*, recorder: bool) -> None:
    """Make sure that a testbed can be made here.

    Parameters
    ----------
    recorder : bool
        Logs are wanted too.

    Raises
    ------
    MachineError
        With what is missing.
    """
    missing = missing_capability(Path("/proc/self/status").read_text())
    if missing:
        raise MachineError(f"{missing} is missing: a testbed makes network namespaces and devices; run it as root")
    for name, package in _PROGRAMS.items():
        if shutil.which(name) is None:
            raise MachineError(f"{name} is missing; on Debian: apt-get install {package}")
    if not _TUN.exists():
        raise MachineError(f"{_TUN} is missing: the kernel's module tun makes it (modprobe tun)")
    try:
        socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_MPTCP).close()
    except OSError as error:
        raise MachineError(f"this kernel gives no MPTCP: {os.strerror(error.errno or 0)}") from error
    if not RELAY.is_file():
        raise MachineError(f"{RELAY} is not there: `make testbed` builds it")
    if is_stale(RELAY, _SOURCES_OF_RELAY):
        raise MachineError(f"{RELAY} is older than its sources: `make testbed` builds it")
    if recorder and not RECORDER.is_file():
        raise MachineError(f"{RECORDER} is not there: `make kernel` builds it; --captures-only does without")
