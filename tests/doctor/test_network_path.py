"""Connections over a path of this host, and two names of one path."""

from __future__ import annotations

import socket

import pytest

from smartsbd.doctor.network_path import NetworkPath, are_one, connected
from tests.doctor.iperf3_servers import free_ports


def path(source: str, echo: str = "127.0.0.1") -> NetworkPath:
    return NetworkPath(source=source, load="http://127.0.0.1/", echo=echo)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (path("lo"), path("127.0.0.1"), True),
        (path("127.0.0.1"), path("lo"), True),
        (path("lo"), path("lo"), True),
        (path("127.0.0.1"), path("127.0.0.1", "localhost"), True),
        (path("127.0.0.1"), path("127.0.0.2"), False),
        (path("lo"), path("127.0.0.2"), False),
        (path("lo"), path("lo", "127.0.0.9"), False),
        (path("lo", "no-such-host.invalid"), path("127.0.0.1"), False),
        (path("no-such-device"), path("127.0.0.1"), False),
    ],
)
def test_two_names_of_one_path_are_noticed(one: NetworkPath, other: NetworkPath, same: bool) -> None:
    assert are_one(one, other) is same


def test_an_address_may_be_written_in_two_ways() -> None:
    try:
        with socket.socket(socket.AF_INET6) as own:
            own.bind(("::1", 0))
    except OSError as error:
        pytest.skip(f"no IPv6: {error}")
    assert are_one(path("::1", "::1"), path("0:0::1", "[::1]"))
    assert are_one(path("lo", "::1"), path("::1", "::1"))


def test_two_devices_are_two_paths() -> None:
    others = [name for _, name in socket.if_nameindex() if name != "lo"]
    if not others:
        pytest.skip("this host has one interface")
    assert not are_one(path("lo"), path(others[0]))


def test_each_address_that_was_tried_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_ports(1)
    found = [socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0] for address in ("127.0.0.1", "127.0.0.2")]

    def looked_up(*_: object) -> list[object]:
        return list(found)

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    with pytest.raises(OSError, match=r"^127\.0\.0\.1: Connection refused; 127\.0\.0\.2: Connection refused$"):
        connected("lo", "two.example", port, 1.0)


def test_an_address_reaches_those_of_its_family_alone() -> None:
    with pytest.raises(socket.gaierror):
        connected("127.0.0.1", "::1", free_ports(1), 1.0)
