"""Errors that their reader can mend: shown as one line, with an exit code by kind, never a traceback."""

from __future__ import annotations


class Fault(Exception):  # noqa: N818 - the subclasses are errors of this kind
    """Something was checked and found different, or a run failed."""

    exit_code = 1


class UsageFault(Fault):
    """The command line or the parameters cannot be used."""

    exit_code = 2


class InputFault(Fault):
    """An input, a table or a model cannot be used."""

    exit_code = 3


def printable(text: str) -> str:
    """Return a name with what would disturb a terminal replaced."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
