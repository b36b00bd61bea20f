"""Licences by their SPDX identifiers: their texts, which are in LICENSES/, and their public pages."""

from __future__ import annotations

import re
from pathlib import Path

from smartsbd.contracts.fault import InputFault

#: Folder of the texts, in the project and in a deposit.
FOLDER = Path("LICENSES")
_JOINED = re.compile(r" (?:AND|OR) ")
_IDENTIFIER = re.compile(r"[A-Za-z0-9.-]+")


class LicenceError(InputFault):
    """A licence is none that can be given with data."""


def identifiers(expression: str) -> list[str]:
    """Return the identifiers of an SPDX expression.

    Parameters
    ----------
    expression : str
        Identifiers joined by ``AND`` or ``OR``.

    Returns
    -------
    list of str
        In the expression's order.

    Raises
    ------
    LicenceError
        If it is anything else.

    Examples
    --------
    >>> identifiers("MIT"), identifiers("MIT AND GPL-3.0-only")
    (['MIT'], ['MIT', 'GPL-3.0-only'])
    """
    names = _JOINED.split(expression)
    if not all(map(_IDENTIFIER.fullmatch, names)):
        raise LicenceError(f"licence {expression!r}: SPDX identifiers joined by AND or OR are known")
    return names


def text_file(identifier: str) -> Path:
    """Return where a licence's text is, from the project's folder or a deposit's.

    Returns
    -------
    Path
        Relative.

    Examples
    --------
    >>> text_file("MIT").as_posix()
    'LICENSES/MIT.txt'
    """
    return FOLDER / f"{identifier}.txt"


def address(identifier: str) -> str:
    """Return the page of a licence.

    Returns
    -------
    str

    Examples
    --------
    >>> address("MIT")
    'https://spdx.org/licenses/MIT.html'
    """
    return f"https://spdx.org/licenses/{identifier}.html"
