"""Tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def aligned(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    r"""Return rows under their names, in columns that end at the same place; what a row lacks is a dash.

    Returns
    -------
    list of str
        The line of the names, then one for each row.

    Examples
    --------
    >>> print(*aligned([{"subflow": 0, "rtt": 9}, {"subflow": 11, "fast": 1}]), sep="\n")
    subflow rtt fast
          0   9    -
         11   -    1
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [names, *([str(row.get(name, "-")) for name in names] for row in rows)]
    widths = [max(len(line[place]) for line in cells) for place in range(len(names))]
    return [" ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in cells]
