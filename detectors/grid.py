"""Parameter sets to try, and the choice among them: detectors are tuned like models, on training rows only."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from pydantic import TypeAdapter

from smartsbd.contracts.fault import UsageFault
from smartsbd.detectors.detector import DetectorKind

_DIGITS = 9


class ParameterGridError(UsageFault):
    """A grid that does not fit its detector."""


def preset_name(point: Mapping[str, Any]) -> str:
    """Return the name of a point of a grid.

    Returns
    -------
    str
        Parameters in alphabetical order.

    Examples
    --------
    >>> preset_name({"theta": 0.5, "kappa": 1})
    'kappa=1,theta=0.5'
    """
    return ",".join(f"{name}={point[name]}" for name in sorted(point))


def points(kind: DetectorKind, grid: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Return every point of a grid around the default parameter set, by name, in a fixed order.

    Parameters
    ----------
    kind : DetectorKind
    grid : mapping of str to sequence
        Values of some of its parameters.

    Returns
    -------
    dict of str to parameter set
        By name; parameters that the grid does not have keep their default values.

    Raises
    ------
    ParameterGridError
        If one of the names is no parameter of the detector, or one of the values not possible.
    """
    default = kind.presets[kind.default]
    known = {field.name for field in dataclasses.fields(default)}
    unknown = sorted(set(grid) - known)
    if unknown:
        raise ParameterGridError(f"grid of {kind.name} has {unknown}, its parameters are {sorted(known)}")
    names = sorted(grid)
    tried = [dict(zip(names, values, strict=True)) for values in itertools.product(*(grid[name] for name in names))]
    checked = TypeAdapter(type(default))
    presets = {}
    for point in tried:
        try:
            presets[preset_name(point)] = checked.validate_python({**vars(default), **point})
        except ValueError as error:
            raise ParameterGridError(f"grid of {kind.name}, {preset_name(point)}: {error}") from error
    return presets


def best_preset(judged: pd.DataFrame) -> str:
    """Return the parameter set of the best mean of the recalls of shared and non-shared rows; of equals the first.

    Parameters
    ----------
    judged : DataFrame
        Columns ``preset``, ``shared`` and ``right`` (share of a window or of time that is right, in [0, 1]); the
        rows of each parameter set together; of equals the one that comes first is taken.

    Returns
    -------
    str
        A value of the column ``preset``.

    Examples
    --------
    >>> best_preset(pd.DataFrame({"preset": [*"aabb"], "shared": [True, False] * 2, "right": [1.0, 0.4, 0.8, 0.8]}))
    'b'
    """
    balanced = judged.groupby(["preset", "shared"], sort=False)["right"].mean().groupby("preset", sort=False).mean()
    return str(balanced.round(_DIGITS).idxmax())
