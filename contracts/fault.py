"""Errors that their reader can mend: shown as one line, with an exit code by kind, never a traceback."""

from __future__ import annotations

from collections.abc import Sequence


class Fault(Exception):  # noqa: N818 - the subclasses are errors of this kind
    """Something was checked and found different, or a run failed."""

    exit_code = 1
    #: What is wrong, one by one: each is shown on a line of its own after the message.
    details: Sequence[str] = ()


class UsageFault(Fault):
    """The command line or the parameters cannot be used."""

    exit_code = 2


class InputFault(Fault):
    """An input, a table or a model cannot be used."""

    exit_code = 3


def printable(text: str) -> str:
    r"""Return one line of text with what would disturb a terminal written as Python writes it in a string.

    That is every control character, line ends among them, what turns the direction of writing, and lone surrogates.

    Returns
    -------
    str

    Examples
    --------
    >>> print(printable("a\x1b[31m.log"), printable("two\nlines"), printable("\u202egol"), printable("\udcff é"))
    a\x1b[31m.log two\nlines \u202egol \udcff é
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)
