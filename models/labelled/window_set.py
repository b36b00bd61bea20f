"""A set of windows that is trained on or tested on, and its name in tables, for instance ``sites/tiled``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from smartsbd.contracts.fault import InputFault

_JOINT = "+"
_BUT_A_SITE = " but the site"


class WindowSetError(InputFault):
    """A name in a table that does not name a set of windows."""


@dataclass(frozen=True)
class WindowSet:
    """Windows of one kind, of some datasets.

    Attributes
    ----------
    datasets : tuple of str
        At least one.
    kind : str
        The rule that placed the windows, or :data:`smartsbd.models.labelled.windows.SWAPPED`.
    but_a_site : bool
        Whether one site is left out, which is tested on.

    Examples
    --------
    >>> str(WindowSet(("sites", "diverse"), "tiled"))
    'sites+diverse/tiled'
    >>> WindowSet.parse("sites but the site/triggered")
    WindowSet(datasets=('sites',), kind='triggered', but_a_site=True)
    """

    datasets: tuple[str, ...]
    kind: str
    but_a_site: bool = False

    @classmethod
    def of(cls, datasets: str | Iterable[str], kind: str) -> WindowSet:
        """Return the windows of a kind of one dataset, or of several.

        Returns
        -------
        WindowSet
            No site is left out.

        Examples
        --------
        >>> WindowSet.of("sites", "tiled") == WindowSet.of(["sites"], "tiled")
        True
        """
        return cls((datasets,) if isinstance(datasets, str) else tuple(datasets), kind)

    @classmethod
    def parse(cls, name: str) -> WindowSet:
        """Return the set of a name.

        Returns
        -------
        WindowSet
            Whose ``str`` is the name.

        Raises
        ------
        WindowSetError
            If the name is not ``datasets/kind``.
        """
        datasets, slash, kind = name.partition("/")
        if not (datasets and slash and kind) or "/" in kind:
            raise WindowSetError(f"{name!r} names no set of windows: it must be datasets/kind")
        but_a_site = datasets.endswith(_BUT_A_SITE)
        return cls(tuple(datasets.removesuffix(_BUT_A_SITE).split(_JOINT)), kind, but_a_site)

    def __str__(self) -> str:
        return f"{_JOINT.join(self.datasets)}{_BUT_A_SITE if self.but_a_site else ''}/{self.kind}"

    @property
    def dataset(self) -> str:
        """The only dataset, as tables name it where one site of it is left out; of several, all of them."""
        return str(self).partition("/")[0]

    def overlaps(self, other: WindowSet) -> bool:
        """Tell whether a dataset is in both."""
        return not set(self.datasets).isdisjoint(other.datasets)


def are_of_kind(names: pd.Series[str], kind: str) -> pd.Series[bool]:
    """Return which rows of a column of names are sets of a kind; a row without a name is not.

    Parameters
    ----------
    names : Series of str
    kind : str

    Returns
    -------
    Series of bool
        In the order of the names.

    Raises
    ------
    WindowSetError
        If a name is none of a set.

    Examples
    --------
    >>> are_of_kind(pd.Series(["sites/tiled", "sites/triggered", None]), "tiled").tolist()
    [True, False, False]
    """
    known = {name: WindowSet.parse(name).kind == kind for name in names.dropna().unique()}
    return names.map(lambda name: known.get(name, False)).astype(bool)
