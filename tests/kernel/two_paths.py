"""Two network namespaces with two paths between them, and a MPTCP connection with a subflow on each.

Nothing leaves the namespaces. Run as a program, this module is one end of the connection.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

PORT = 5201
_TCP_CONGESTION = 13
_LINGER_NOT = b"\1\0\0\0\0\0\0\0"


def run(*words: str) -> str:
    """Run a program; an error names what it said."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


@dataclass(frozen=True)
class TwoPaths:
    """Names of the two namespaces."""

    client: str
    server: str

    @property
    def netns(self) -> Path:
        """File of the client's namespace."""
        return Path("/run/netns") / self.client

    @contextmanager
    def sending(
        self, seconds: float, controller: str = "reno", port: int = PORT, *, later: str | None = None
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Send from client to server over both paths; yield the sender, which ends after some seconds.

        After half of them it changes its controller to `later`. :func:`go_on` lets it do either before.
        """
        controllers = (controller,) if later is None else (controller, later)
        here = [sys.executable, str(Path(__file__))]
        enter = ["ip", "netns", "exec"]
        with subprocess.Popen([*enter, self.server, *here, "receive", str(port)], stdout=subprocess.PIPE) as receiver:
            try:
                assert receiver.stdout is not None
                assert receiver.stdout.readline() == b"ready\n"
                with subprocess.Popen(
                    [*enter, self.client, *here, "send", str(port), str(seconds), *controllers]
                ) as own:
                    try:
                        yield own
                    finally:
                        own.kill()
            finally:
                receiver.kill()


def go_on(sender: subprocess.Popen[bytes]) -> None:
    """Let a sender change its controller now, or end, without waiting for its time."""
    sender.send_signal(signal.SIGTERM)


@contextmanager
def two_paths(mbit_s: float, name: str = "sbd") -> Iterator[TwoPaths]:
    """Make the namespaces, each path with a queue of its own; remove them in the end.

    Raises
    ------
    OSError
        If the machine does not allow it.
    """
    own = TwoPaths(f"{name}{os.getpid()}c", f"{name}{os.getpid()}s")
    try:
        for netns in (own.client, own.server):
            run("ip", "netns", "add", netns)
            run("ip", "-n", netns, "link", "set", "lo", "up")
            for setting in ("net.mptcp.enabled=1", "net.ipv4.conf.all.rp_filter=0", "net.ipv4.tcp_no_metrics_save=1"):
                run("ip", "netns", "exec", netns, "sysctl", "-qw", setting)
        for path in (1, 2):
            ends = ((own.client, f"c{path}", 1), (own.server, f"s{path}", 2))
            run(
                "ip",
                "link",
                "add",
                f"c{path}",
                "netns",
                own.client,
                "type",
                "veth",
                "peer",
                f"s{path}",
                "netns",
                own.server,
            )
            for netns, device, host in ends:
                run("ip", "-n", netns, "addr", "add", f"10.77.{path}.{host}/24", "dev", device)
                run("ip", "-n", netns, "link", "set", device, "up")
            shape = f"rate {round(mbit_s * 1000)}kbit burst 16kb limit {max(round(mbit_s * 1250), 20_000)}"
            run("tc", "-n", own.client, "qdisc", "add", "dev", f"c{path}", "root", "tbf", *shape.split())
        for netns in (own.client, own.server):
            run("ip", "-n", netns, "mptcp", "limits", "set", "subflow", "2", "add_addr_accepted", "2")
        run("ip", "-n", own.client, "mptcp", "endpoint", "add", "10.77.2.1", "dev", "c2", "subflow")
        # The second subflow goes from the second address to the first one of the server, by the second path.
        run("ip", "-n", own.client, "rule", "add", "from", "10.77.2.1", "table", "2")
        run("ip", "-n", own.client, "route", "add", "default", "via", "10.77.2.2", "dev", "c2", "table", "2")
        yield own
    finally:
        for netns in (own.client, own.server):
            subprocess.run(["ip", "netns", "del", netns], capture_output=True, check=False)


def _receive(port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_MPTCP) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("10.77.1.2", port))
        listening.listen()
        print("ready", flush=True)
        while True:
            connection, _ = listening.accept()
            # The sender ends by a reset.
            with connection, suppress(ConnectionResetError):
                while connection.recv(1 << 18):
                    pass


def _send(port: int, seconds: float, *controllers: str) -> None:
    asked: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: asked.append(number))
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_MPTCP) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, _TCP_CONGESTION, controllers[0].encode())
        connection.settimeout(1)
        connection.connect(("10.77.1.2", port))
        for own in controllers:
            if own != controllers[0]:
                connection.setsockopt(socket.IPPROTO_TCP, _TCP_CONGESTION, own.encode())
            asked.clear()
            until = time.monotonic() + seconds / len(controllers)
            while time.monotonic() < until and not asked:
                with suppress(TimeoutError):
                    connection.send(bytes(1 << 16))
        # What waits in the buffer is not sent any more.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)


if __name__ == "__main__":
    if sys.argv[1] == "receive":
        _receive(int(sys.argv[2]))
    else:
        _send(int(sys.argv[2]), float(sys.argv[3]), *sys.argv[4:])
