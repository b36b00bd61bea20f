"""Addresses of a socket: IP version and port are kept, the address itself becomes a pseudonym."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

_MAX_PORT = 65535


@dataclass(frozen=True)
class Endpoint:
    """One end of a subflow.

    Attributes
    ----------
    address : str
        As the input has it.
    port : int
    """

    address: str
    port: int

    @property
    def family(self) -> int | None:
        """IP version, 4 for an IPv4 address mapped into IPv6; None if the address is not written out."""
        try:
            address = ipaddress.ip_address(self.address.partition("%")[0].strip("[]"))
        except ValueError:
            return None
        mapped = isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None
        return 4 if mapped else address.version


def endpoint(text: str) -> Endpoint | None:
    """Return the endpoint of an ``address:port``, split at the last colon; None if it is none.

    Examples
    --------
    >>> endpoint("[::ffff:10.0.1.1]:5201")
    Endpoint(address='[::ffff:10.0.1.1]', port=5201)
    >>> endpoint("[::ffff:10.0.1.1]:5201").family
    4
    """
    address, _, port = text.rpartition(":")
    if not address or not (port.isascii() and port.isdigit()) or len(port) > len(str(_MAX_PORT)):
        return None
    return Endpoint(address, int(port)) if int(port) <= _MAX_PORT else None


class Pseudonyms:
    """Names for the addresses of one input, in order of appearance: nothing leads back to an address."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def of(self, address: str) -> str:
        """Return the name of an address, the same each time."""
        return self._names.setdefault(address, f"address {len(self._names)}")
