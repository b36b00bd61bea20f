"""A load on a path: begun, looked at while it runs, ended."""

from __future__ import annotations

from typing import Protocol

from smartsbd.contracts.fault import Fault
from smartsbd.doctor.received import Received


class LoadError(Fault):
    """A load could not be begun, or broke off; the message says what the other end, or this host, said.

    Parameters
    ----------
    message : str
    came : Received, optional
        What had come until then.
    """

    def __init__(self, message: str, came: Received | None = None) -> None:
        super().__init__(message)
        self.came = came or Received([], [])


class Load(Protocol):
    """What loads a path from its making on."""

    def look(self) -> int:
        """Return how many bytes have come, as far as that is known while it runs.

        Returns
        -------
        int, bytes

        Raises
        ------
        LoadError
            If it has failed.
        """

    def kill(self) -> None:
        """End it now, whatever has come."""

    def end(self) -> Received:
        """End it; return what came.

        Returns
        -------
        Received

        Raises
        ------
        LoadError
            If it has failed.
        """
