"""Swapped partners: pairs of subflows that share no bottleneck, taken from connections whose subflows do.

Subflow a of one connection with a shared bottleneck, and subflow b of another one of the same site: each by itself
looks as in a shared pair, but the two have nothing to do with each other. A model that calls them shared has learnt
the setting and not the sharing.
"""

from __future__ import annotations

import itertools

import numpy as np

from smartsbd.models.labelled.windows import SWAPPED, LabelledWindows, Positions

_JOINT = "+"


def pair_name(first: str, second: str) -> str:
    """Return the connection's name of a pair of swapped partners."""
    return f"{first}{_JOINT}{second}"


def members(name: str) -> tuple[str, str]:
    """Return the two connections of a pair of swapped partners.

    Returns
    -------
    (str, str)
        Names of connections, in the order of :func:`pair_name`.

    Examples
    --------
    >>> members("sites/a+b#0+sites/c#0")
    ('sites/a+b#0', 'sites/c#0')
    """
    dataset, slash, _ = name.partition("/")
    border = name.rindex(f"{_JOINT}{dataset}{slash}") if slash else name.rindex(_JOINT)
    return name[:border], name[border + len(_JOINT) :]


def partners(windows: LabelledWindows, rows: Positions) -> list[tuple[str, str]]:
    """Pair each shared connection of some rows with the next one of its site, the last with the first.

    Returns
    -------
    list of (str, str)
        Names of connections; a site with a single one gives none.
    """
    shared = rows[windows.shared[rows]]
    names, first = np.unique(windows.connections[shared], return_index=True)
    site = windows.site[shared][first]
    pairs: list[tuple[str, str]] = []
    for place in np.unique(site):
        members = names[site == place].tolist()
        if len(members) > 1:
            pairs += zip(members, members[1:] + members[:1], strict=True)
    return pairs


def rows_of_partners(windows: LabelledWindows, rows: Positions) -> Positions:
    """Return the positions of the windows of swapped partners whose connections are both among those of some rows."""
    shared = np.unique(windows.connections[rows[windows.shared[rows]]]).tolist()
    names = [pair_name(first, second) for first, second in itertools.permutations(shared, 2)]
    swapped = windows.rows(SWAPPED)
    positions: Positions = swapped[np.isin(windows.connections[swapped], names)]
    return positions
