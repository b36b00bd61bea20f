"""What somebody meant who typed a name that is none."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_MOST = 3


def meant(typed: str, lines: Iterable[str]) -> str:
    """Return a question for what was meant; empty if no name is like the one that was typed.

    Parameters
    ----------
    typed : str
        The name.
    lines : iterable of str
        What can be typed after ``sbd``; the last word of each is a name.

    Returns
    -------
    str

    Examples
    --------
    >>> meant("detct", ["detect", "stage extract", "ui"])
    'did you mean `sbd detect`?'
    >>> meant("serch", ["score", "stage search"])
    'did you mean `sbd stage search`?'
    >>> meant("fly", ["detect", "ui"])
    ''
    """
    of_name = {line.rpartition(" ")[2]: line for line in lines}
    close = difflib.get_close_matches(typed, of_name, n=_MOST, cutoff=0.7)
    return f"did you mean {' or '.join(f'`sbd {of_name[name]}`' for name in close)}?" if close else ""
