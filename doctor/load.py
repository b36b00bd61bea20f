"""A load on a path: begun, looked at while it runs, ended."""

from __future__ import annotations

from typing import Protocol

from contracts.fault import Fault
from doctor.received import Received


class LoadError(Fault):
    """Nothing can be loaded over a path; the message says what the other end, or this host, said."""


class Load(Protocol):
    """What loads a path from its making on."""

    def look(self) -> int:
        """Return how many bytes have come so far.

        Raises
        ------
        LoadError
            If it has failed.
        """

    def kill(self) -> None:
        """End it now, whatever has come."""

    def end(self) -> Received:
        """End it; return what came.

        Raises
        ------
        LoadError
            If it has failed.
        """
