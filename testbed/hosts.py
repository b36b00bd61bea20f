"""The namespaces of a run: server, client and rivals, each with one device to the relay.

They are named in a folder of the mount namespace that the run is in. Nobody else sees the names, and no file is left.
"""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from smartsbd.scenarios.scenario import Scenario
from smartsbd.testbed.relay_network import (
    CLIENT,
    CLIENT_ADDRESS,
    DEVICE,
    HOSTS,
    RIVALS,
    SERVER,
    rival_address,
    server_address,
)
from smartsbd.testbed.running_program import EmulationError

NAMES = Path("/run/netns")
#: Subflows beside the first that Linux's path manager takes at most.
_MOST_FURTHER = 8
#: IP and TCP headers, timestamps, and as much of MPTCP's option as Linux takes off a segment.
_HEADERS_BYTES = 20 + 20 + 12 + 24
#: The relay takes packets at once. What a sender writes at once has room.
_DEVICE_PACKETS = 10_000
#: Until the kernel has opened a subflow that it can open.
_SOON_S = 0.02
_SYSCTLS = (
    "net.ipv6.conf.all.disable_ipv6=1",
    "net.ipv4.conf.all.rp_filter=0",
    "net.ipv4.conf.default.rp_filter=0",
    # No run inherits what an earlier one learnt of its paths.
    "net.ipv4.tcp_no_metrics_save=1",
    "net.mptcp.enabled=1",
    "net.ipv4.tcp_wmem=4096 262144 16777216",
)


def _run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise EmulationError(f"{' '.join(words)}: {lines[-1] if lines else f'exit {done.returncode}'}")
    return done.stdout


def file_of(host: int) -> Path:
    """Return the file of a host's network namespace."""
    return NAMES / HOSTS[host]


def on(host: int, *words: str) -> list[str]:
    """Return the command line that runs a program on a host."""
    return ["ip", "netns", "exec", HOSTS[host], *words]


def make(scenario: Scenario) -> None:
    """Make the namespaces, without devices.

    Parameters
    ----------
    scenario : Scenario

    Raises
    ------
    EmulationError
        If the machine does not allow it.
    """
    _run("mount", "-t", "tmpfs", "none", str(NAMES.parent))
    NAMES.mkdir()
    most = scenario.connection.receive_buffer_bytes
    of_host = {
        SERVER: [f"net.ipv4.tcp_ecn={int(scenario.connection.ecn)}"],
        CLIENT: [f"net.ipv4.tcp_rmem=4096 {min(131_072, most)} {most}"],
        RIVALS: ["net.ipv4.tcp_ecn=0"],
    }
    for host, name in enumerate(HOSTS):
        _run("ip", "netns", "add", name)
        _run("ip", "-n", name, "link", "set", "lo", "up")
        _run(*on(host, "sysctl", "-qw", *_SYSCTLS, *of_host[host]))


def connect(scenario: Scenario) -> None:
    """Give the devices that the relay has made their addresses.

    Parameters
    ----------
    scenario : Scenario

    Raises
    ------
    EmulationError
        If the machine does not allow it.
    """
    addresses = {
        SERVER: [server_address(number) for number in range(len(scenario.subflows))],
        CLIENT: [CLIENT_ADDRESS],
        RIVALS: [rival_address(number) for number in range(len(scenario.background))],
    }
    mtu = str(scenario.connection.mss_bytes + _HEADERS_BYTES)
    for host, name in enumerate(HOSTS):
        for address in addresses[host]:
            _run("ip", "-n", name, "address", "add", f"{address}/32", "dev", DEVICE)
        _run("ip", "-n", name, "link", "set", DEVICE, "mtu", mtu, "txqueuelen", str(_DEVICE_PACKETS), "up")
        _run("ip", "-n", name, "route", "add", "default", "dev", DEVICE)
    for host in (SERVER, CLIENT):
        limits = ("subflow", str(_MOST_FURTHER), "add_addr_accepted", "0")
        _run("ip", "-n", HOSTS[host], "mptcp", "limits", "set", *limits)


def _has_socket(subflow: int) -> bool:
    """Tell whether a subflow has sent its SYN."""
    return bool(_run(*on(SERVER, "ss", "-tnaH", "src", server_address(subflow))).strip())


def join(subflow: int, until_ns: int) -> bool:
    """Have the connection open one more subflow, as soon as it is established.

    Parameters
    ----------
    subflow : int
        Its number.
    until_ns : int
        When to give up, by the monotonic clock.

    Returns
    -------
    bool
        Whether it was opened by then: its SYN was sent.

    Raises
    ------
    EmulationError
        If the machine does not allow it.

    Notes
    -----
    The kernel opens subflows at the moment that their address is added. It does nothing, neither then nor later, while
    the peer has acknowledged no data.
    """
    endpoint = ("ip", "-n", HOSTS[SERVER], "mptcp", "endpoint")
    number = str(subflow + 1)
    while True:
        _run(*endpoint, "add", server_address(subflow), "dev", DEVICE, "id", number, "subflow")
        time.sleep(_SOON_S)
        if _has_socket(subflow):
            return True
        if time.monotonic_ns() > until_ns:
            return False
        _run(*endpoint, "delete", "id", number)


def dropped() -> int:
    """Return how many packets the devices have dropped: the relay was too late to take them."""
    counts = [_run(*on(host, "cat", f"/sys/class/net/{DEVICE}/statistics/tx_dropped")) for host in range(len(HOSTS))]
    return sum(map(int, counts))
