"""Ramps: windows that saw only one straight rise, and no queue that comes and goes.

Two queues that share nothing but both rise over the whole of a window are as correlated as one queue seen twice. They
can be told apart by what is left without the rise.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Float64Array = npt.NDArray[np.float64]

#: Share of a straight line in the variance of both series from which on a window is a ramp; ours, for reading results.
RAMP_SHARE = 0.75


def without_line(series: Float64Array) -> Float64Array:
    """Return what is left of each series without its straight line of least squares.

    Parameters
    ----------
    series : (rows, points) float64

    Returns
    -------
    (rows, points) float64
        In the unit of the series.

    Examples
    --------
    >>> import numpy as np
    >>> without_line(np.array([[1.0, 2.0, 3.0], [0.0, 3.0, 0.0]])).round(9).tolist()
    [[0.0, 0.0, 0.0], [-1.0, 2.0, -1.0]]
    """
    points = np.arange(series.shape[1]) - (series.shape[1] - 1) / 2
    level = series - series.mean(axis=1, keepdims=True)
    slope = level @ points / (points @ points)
    rest: Float64Array = level - slope[:, None] * points
    return rest


def line_share(series: Float64Array) -> Float64Array:
    """Return the share of each series' variance that is a straight line; nan for a constant one.

    Parameters
    ----------
    series : (rows, points) float64

    Returns
    -------
    (rows,) float64 in [0, 1]

    Examples
    --------
    >>> import numpy as np
    >>> line_share(np.array([[1.0, 2.0, 3.0], [0.0, 3.0, 0.0], [5.0, 5.0, 5.0]])).tolist()
    [1.0, 0.0, nan]
    """
    variance = series.var(axis=1)
    rest = without_line(series).var(axis=1)
    share: Float64Array = 1 - np.divide(rest, variance, out=np.full(len(series), np.nan), where=variance > 0)
    return share


def correlation(first: Float64Array, second: Float64Array) -> Float64Array:
    """Return the correlation of each row of one with that of the other; nan where either is constant.

    Parameters
    ----------
    first, second : (rows, points) float64

    Returns
    -------
    (rows,) float64 in [-1, 1]
        Pearson's.

    Examples
    --------
    >>> import numpy as np
    >>> up, flat = np.array([[1.0, 2.0, 3.0]]), np.array([[4.0, 4.0, 4.0]])
    >>> correlation(up, -up).round(9).tolist(), correlation(up, flat).tolist()
    ([-1.0], [nan])
    """
    first_level, second_level = (series - series.mean(axis=1, keepdims=True) for series in (first, second))
    size = np.sqrt((first_level**2).sum(axis=1) * (second_level**2).sum(axis=1))
    coefficient: Float64Array = np.divide(
        (first_level * second_level).sum(axis=1), size, out=np.full(len(size), np.nan), where=size > 0
    )
    return coefficient


def ramps(rtt_us: Float64Array) -> npt.NDArray[np.bool_]:
    """Tell for which windows a straight line is most of both series (:data:`RAMP_SHARE`).

    Parameters
    ----------
    rtt_us : (rows, points, 2) float64, microseconds

    Returns
    -------
    (rows,) bool
        True for a ramp.
    """
    return np.asarray((line_share(rtt_us[:, :, 0]) >= RAMP_SHARE) & (line_share(rtt_us[:, :, 1]) >= RAMP_SHARE))
