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

    Raises
    ------
    OSError
        If no address of the host can be reached over it.
    """
    bound = is_address(source)
    failure: OSError = OSError(f"{host} has no address")
    for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        one = socket.socket(family, kind, protocol)
        try:
            one.settimeout(timeout_s)
            if bound:
                one.bind((source, 0))
            else:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, source.encode())
            one.connect(address)
        except OSError as error:
            one.close()
            failure = error
        else:
            return one
    raise failure
