"""Addresses of a socket: IP version and port are kept, the address itself becomes a pseudonym."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from dataclasses import dataclass

from smartsbd.traces.connection import Subflow

_MAX_PORT = 65535
_SERVICE = re.compile(r"(?=.*[A-Za-z])[A-Za-z0-9][A-Za-z0-9_+.-]{0,31}")


@dataclass(frozen=True)
class Endpoint:
    """One end of a subflow.

    Attributes
    ----------
    address : str
        As the input has it.
    port : int or None
        None where its service is named in place of its number.
    service : str
        That name.
    """

    address: str
    port: int | None
    service: str = ""

    @property
    def family(self) -> int | None:
        """IP version, 4 for an IPv4 address mapped into IPv6; None if the address is not written out."""
        try:
            address = ipaddress.ip_address(self.address.partition("%")[0].strip("[]"))
        except ValueError:
            return None
        mapped = isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None
        return 4 if mapped else address.version


def endpoint(text: str, *, named: bool = False) -> Endpoint | None:
    """Return the endpoint of an ``address:port``, split at the last colon; None if it is none.

    Parameters
    ----------
    text : str
    named : bool
        Whether the port may be the name of a service.

    Returns
    -------
    Endpoint or None
        Address and port, the address as it is written.

    Examples
    --------
    >>> endpoint("[::ffff:10.0.1.1]:5201")
    Endpoint(address='[::ffff:10.0.1.1]', port=5201, service='')
    >>> endpoint("[::ffff:10.0.1.1]:5201").family
    4
    >>> endpoint("10.0.1.1:https"), endpoint("10.0.1.1:https", named=True).service
    (None, 'https')
    """
    address, _, port = text.rpartition(":")
    if address and named and _SERVICE.fullmatch(port):
        return Endpoint(address, None, port)
    if not address or not (port.isascii() and port.isdigit()) or len(port) > len(str(_MAX_PORT)):
        return None
    return Endpoint(address, int(port)) if int(port) <= _MAX_PORT else None


class Pseudonyms:
    """Names for the addresses of one input, in order of appearance: nothing leads back to an address."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def of(self, address: str) -> str:
        """Return the name of an address, the same each time."""
        return f"address {self._numbers.setdefault(address, len(self._numbers))}"


def socket_name(local: Endpoint, remote: Endpoint) -> str:
    """Return the name of a socket, which no other has: one text, because sockets may be many."""
    return " ".join(f"{end.address}:{end.service if end.port is None else end.port}" for end in (local, remote))


class Sockets:
    """The sockets that the subflows of a log are, in the order in which subflows are numbered."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._pseudonyms = Pseudonyms()

    def __len__(self) -> int:
        return len(self._names)

    def add(self, name: str) -> None:
        """Add the socket of the next subflow, as :func:`socket_name` names it."""
        self._names.append(name)
        # In order of appearance, whatever is described first.
        for end in _ends(name):
            self._pseudonyms.of(end.address)

    def describe(self, number: int, subflow: Subflow) -> None:
        """Set the addresses and ports of the subflow with a number."""
        local, remote = _ends(self._names[number])
        subflow.family = local.family
        subflow.local_address, subflow.remote_address = (self._pseudonyms.of(end.address) for end in (local, remote))
        subflow.local_port, subflow.remote_port = local.port, remote.port


def _ends(name: str) -> Iterator[Endpoint]:
    for end in name.split(" "):
        address, _, port = end.rpartition(":")
        yield Endpoint(address, int(port)) if port.isdigit() else Endpoint(address, None, port)
