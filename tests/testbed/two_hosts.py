"""Datagrams through a relay between two network namespaces, and when they came.

Run as a program within namespaces of its own: it is told ports and what to send as JSON, and prints what came.
"""

from __future__ import annotations

import json
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from smartsbd.testbed import machine
from smartsbd.testbed.running_program import RunningProgram

ROOT = Path(__file__).parents[2]
PORT = 9_000
#: IP and UDP headers.
HEADERS_BYTES = 28
_NS_PER_S = 10**9
_SO_TIMESTAMPNS = 35


@dataclass(frozen=True)
class Sending:
    """Datagrams of one address.

    Attributes
    ----------
    count, packet_bytes : int
        How many, and their size with headers.
    every_s : float
        Between two; 0: at once.
    tos : int
        Of each.
    """

    count: int
    packet_bytes: int
    every_s: float = 0.0
    tos: int = 0


@dataclass(frozen=True)
class Came:
    """A datagram that came: who sent it, its number, when by the sender's and by the receiver's clock, its TOS."""

    address: int
    number: int
    sent_ns: int
    came_ns: int
    tos: int


def through(
    ports: Sequence[str], routes: Sequence[Sequence[int]], sending: Sequence[Sending], seconds: float, folder: Path
) -> tuple[list[Came], dict[str, Any]]:
    """Send through ports; return what came, and the relay's report.

    Parameters
    ----------
    ports : sequence of str
        As the relay's plan has them.
    routes : sequence of sequence of int
        Ports that the datagrams of each address meet.
    sending : sequence of Sending
        For each address.
    seconds : float
        How long to wait for all.
    folder : Path
    """
    asked = {"ports": ports, "routes": routes, "sending": [asdict(one) for one in sending], "seconds": seconds}
    words = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable, "-m"]
    done = subprocess.run(
        [*words, "tests.testbed.two_hosts", str(folder), json.dumps(asked)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    return [Came(*one) for one in answer["came"]], answer["report"]


def _run(*words: str) -> None:
    subprocess.run(words, check=True)


def _socket(netns: str, address: str) -> socket.socket:
    """Return a socket of a namespace: it stays there when this program leaves."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    with Path("/proc/self/ns/net").open() as home, Path(f"/run/netns/{netns}").open() as there:
        assert libc.setns(there.fileno(), 0) == 0
        own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
        own.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
        own.bind((address, PORT))
        assert libc.setns(home.fileno(), 0) == 0
    return own


def _receive(own: socket.socket, came: list[tuple[int, ...]]) -> None:
    data, ancillary, _, (address, _) = own.recvmsg(2048, 128)
    told = {(level, kind): value for level, kind, value in ancillary}
    # When the kernel had it, however late this program is.
    seconds, ns = struct.unpack("qq", told[socket.SOL_SOCKET, _SO_TIMESTAMPNS])
    now_ns = seconds * _NS_PER_S + ns - (time.time_ns() - time.monotonic_ns())
    tos = told[socket.IPPROTO_IP, socket.IP_TOS][0]
    number, sent_ns = (int.from_bytes(data[at : at + 8], "big") for at in (0, 8))
    came.append((int(address.split(".")[2]), number, sent_ns, now_ns, tos))


def _main(folder: Path, asked: dict[str, Any]) -> None:
    _run("mount", "-t", "tmpfs", "none", "/run")
    Path("/run/netns").mkdir()
    lines = ["seed value=1", f"marks ns=0,{round(asked['seconds'] * _NS_PER_S)}"]
    for host in ("left", "right"):
        _run("ip", "netns", "add", host)
        lines.append(f"host netns=/run/netns/{host} device=path")
    lines += [f"port {one}" for one in [*asked["ports"], "delay=1"]]
    for number, there in enumerate(asked["routes"]):
        ports = ",".join(map(str, there))
        lines.append(f"route from=0 address=10.0.{number}.1 to=1 there={ports} back={len(asked['ports'])}")
    (folder / "plan.txt").write_text("\n".join(lines) + "\n")
    relay = RunningProgram("sbd-relay", [str(machine.RELAY), str(folder / "plan.txt")], folder)
    relay.wait_ready()
    for host, own in (("left", [f"10.0.{n}.1" for n in range(len(asked["routes"]))]), ("right", ["10.1.0.1"])):
        for one_address in own:
            _run("ip", "-n", host, "address", "add", f"{one_address}/32", "dev", "path")
        _run("ip", "-n", host, "link", "set", "path", "txqueuelen", "10000", "up")
        _run("ip", "-n", host, "route", "add", "default", "dev", "path")
    receiver = _socket("right", "10.1.0.1")
    receiver.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
    receiver.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
    senders = [_socket("left", f"10.0.{number}.1") for number in range(len(asked["routes"]))]
    origin_ns = time.monotonic_ns() + 50_000_000
    relay.begin(origin_ns)
    time.sleep(0.1)
    start_ns = time.monotonic_ns()
    due = sorted(
        (start_ns + round(number * one["every_s"] * _NS_PER_S), number, address)
        for address, one in enumerate(asked["sending"])
        for number in range(one["count"])
    )
    came: list[tuple[int, ...]] = []
    end_ns = origin_ns + round(asked["seconds"] * _NS_PER_S)
    for address, one in enumerate(asked["sending"]):
        senders[address].setsockopt(socket.IPPROTO_IP, socket.IP_TOS, one["tos"])
    while (now_ns := time.monotonic_ns()) < end_ns:
        if due and due[0][0] <= now_ns:
            _, number, address = due.pop(0)
            rest = bytes(asked["sending"][address]["packet_bytes"] - HEADERS_BYTES - 16)
            data = number.to_bytes(8, "big") + time.monotonic_ns().to_bytes(8, "big") + rest
            senders[address].sendto(data, ("10.1.0.1", PORT))
            if due and due[0][0] <= now_ns:
                continue
        wait_ns = min(due[0][0] if due else end_ns, end_ns) - time.monotonic_ns()
        if select.select([receiver], [], [], max(wait_ns, 0) / _NS_PER_S)[0]:
            _receive(receiver, came)
    json.dump({"came": came, "report": json.loads(relay.end(signal.SIGTERM))}, sys.stdout)


if __name__ == "__main__":
    _main(Path(sys.argv[1]), json.loads(sys.argv[2]))
