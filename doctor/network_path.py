"""A path that is tested: how this host sends over it, and what it loads and pings there."""

from __future__ import annotations

import ipaddress
import socket
from contextlib import suppress
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

#: Of a Linux interface (IFNAMSIZ is 16), or an address.
_SOURCE = r"[A-Za-z0-9_.:][A-Za-z0-9_.:%@-]{0,63}"
_PRINTED = r"[\x21-\x7e]"
_IPV4 = 4
_ANY_PORT = 9


class NetworkPath(BaseModel):
    """One of two paths.

    Attributes
    ----------
    source : str
        The interface, or the address of this host, that it begins with.
    load : str
        Where the load comes from: an address of HTTP, or host and port of iperf3.
    echo : str
        The host that is pinged over it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    source: Annotated[str, StringConstraints(pattern=f"^{_SOURCE}$")]
    load: Annotated[str, StringConstraints(pattern=f"^{_PRINTED}{{1,2000}}$")]
    echo: Annotated[str, Field(max_length=255), StringConstraints(pattern=r"^[A-Za-z0-9_.:\[][A-Za-z0-9_.:%\[\]-]*$")]


def is_address(source: str) -> bool:
    """Tell an address from the name of an interface.

    Parameters
    ----------
    source : str

    Returns
    -------
    bool

    Examples
    --------
    >>> is_address("192.0.2.1"), is_address("fe80::1%wlan0"), is_address("wlan0")
    (True, True, False)
    """
    with suppress(ValueError):
        ipaddress.ip_address(source)
        return True
    return False


def connected(source: str, host: str, port: int, timeout_s: float) -> socket.socket:
    """Return a TCP connection over a path.

    Parameters
    ----------
    source : str
        An interface or an address of this host.
    host : str
    port : int
    timeout_s : float, seconds
        For each address of the host, and for whatever is read later.

    Returns
    -------
    socket.socket
        The caller closes it.

    Raises
    ------
    OSError
        If no address of the host can be reached over it; it says why of each that was tried.
    """
    failures = []
    for family, kind, protocol, _, address in socket.getaddrinfo(host, port, _family(source), socket.SOCK_STREAM):
        connection = socket.socket(family, kind, protocol)
        try:
            connection.settimeout(timeout_s)
            _bind(connection, source)
            connection.connect(address)
        except OSError as error:
            connection.close()
            failures.append(f"{address[0]}: {error.strerror or error}")
        else:
            return connection
    raise OSError("; ".join(failures))


def are_one(path: NetworkPath, other: NetworkPath) -> bool:
    """Tell whether two paths are one under two names, such as an interface and its address.

    Nothing is sent, but names of hosts are looked up. If a host is not found, its path counts as another one.

    Parameters
    ----------
    path, other : NetworkPath

    Returns
    -------
    bool
    """
    if not is_address(path.source) and not is_address(other.source):
        # One device may have several names. Two devices may send from one address.
        with suppress(OSError):
            if socket.if_nametoindex(path.source) != socket.if_nametoindex(other.source):
                return False
    return bool(_ends(path) & _ends(other))


def _ends(path: NetworkPath) -> set[tuple[str, str]]:
    """Return between which addresses echoes over a path go: this host's, and those of what is pinged."""
    ends = set()
    with suppress(OSError):
        for family, kind, protocol, _, address in socket.getaddrinfo(
            path.echo.strip("[]"), _ANY_PORT, _family(path.source), socket.SOCK_DGRAM
        ):
            with suppress(OSError), socket.socket(family, kind, protocol) as datagrams:
                _bind(datagrams, path.source)
                # Connecting a UDP socket sends nothing: the kernel says from where it would send.
                datagrams.connect(address)
                ends.add((datagrams.getsockname()[0], str(address[0])))
    return ends


def _bind(unbound: socket.socket, source: str) -> None:
    if is_address(source):
        unbound.bind(socket.getaddrinfo(source, 0, unbound.family, unbound.type, flags=socket.AI_NUMERICHOST)[0][4])
    else:
        unbound.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, source.encode())


def _family(source: str) -> int:
    """Return the family of addresses that can be reached from a source: from an address, its own."""
    if not is_address(source):
        return socket.AF_UNSPEC
    return socket.AF_INET if ipaddress.ip_address(source).version == _IPV4 else socket.AF_INET6
