"""Singular value decomposition of all subflows' delays (Yousaf and Welzl, 2013). Evidence: A, R.

The series of all subflows are the columns of one matrix. A queue that several of them pass shows as one of its singular
vectors, and the subflows with large loadings on it share that bottleneck.

Known, from the abstract (A): one-way delays in, a singular value decomposition of them all, and clusters taken from its
result by a method of outlier detection.

Ours (R), for which it is called ``svd-r``: columns are centred and of unit length, so that neither base delay nor size
counts. A component is common if its squared singular value is above 1, that is, if it makes up more than one
subflow's variation. A subflow is at a common bottleneck if the common components make up enough of its variation; two
such subflows share if their loadings on them point the same way. What is compared is thus free of how components that
are equally strong happen to be turned. There is no outlier detection.

Of two subflows with correlation r the squared singular values are 1 + r and 1 - r whatever the series: there the rule
is the same as r of at least ``2 * least_common - 1``, a plain threshold of the correlation. It differs from three on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from smartsbd.detectors.detector import DetectorKind
from smartsbd.detectors.pairwise import DelayPair, Float64Array, Moving, Windowed
from smartsbd.detectors.partition import Pair, pairs_of


@dataclass(frozen=True)
class Decomposing(Moving):
    """The window, and which loadings are of one queue.

    Attributes
    ----------
    points : int
        Points of the grid that all series are put on.
    least_common : float
        Share of a subflow's variation from which on, if it is in common components, it is at a common bottleneck.
    least_cosine : float
        Cosine of the angle between two subflows' loadings from which on they point the same way.
    """

    points: int = 126
    least_common: float = 0.75
    least_cosine: float = 0.5


def loadings(series: Float64Array) -> Float64Array:
    """Return how the common components make up each series.

    Parameters
    ----------
    series : (points, subflows) float64
        None of the columns is constant.

    Returns
    -------
    (subflows, components) float64
        Correlation of each series with each component whose squared singular value, of centred columns of unit length,
        is above 1.

    Examples
    --------
    >>> import numpy as np
    >>> up, other = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, -1.0, -1.0, 1.0])
    >>> np.abs(loadings(np.column_stack([up, 5 + 7 * up, other]))).round(6).tolist()
    [[1.0], [1.0], [0.0]]
    """
    centred = series - series.mean(axis=0)
    _, size, directions = np.linalg.svd(centred / np.linalg.norm(centred, axis=0), full_matrices=False)
    common = size * size > 1
    correlations: Float64Array = (size[common, None] * directions[common]).T
    return correlations


class Svd(Windowed):
    """Shared where the loadings on what is common are large and alike."""

    def __init__(self, decomposing: Decomposing) -> None:
        super().__init__(decomposing)
        self._decomposing = decomposing

    def judged(self, delays: Mapping[int, DelayPair], start_ns: int, end_ns: int) -> Mapping[Pair, bool | None]:
        """Compare the loadings of every two subflows; of one whose delay is constant there is no verdict.

        Parameters
        ----------
        delays, start_ns, end_ns
            As :meth:`~smartsbd.detectors.pairwise.Windowed.judged` takes them.

        Returns
        -------
        mapping of Pair to bool or None
            An entry for every two subflows whose delays vary.
        """
        grid_ns = np.linspace(start_ns, end_ns, self._decomposing.points).astype(np.int64)
        series = {subflow_id: samples.at(grid_ns) for subflow_id, samples in delays.items()}
        varying = [subflow_id for subflow_id, delay_us in series.items() if delay_us.min() < delay_us.max()]
        if len(varying) <= 1:
            return {}
        loading = loadings(np.column_stack([series[subflow_id] for subflow_id in varying]))
        products = loading @ loading.T
        size = np.sqrt(np.diag(products))
        common = size * size >= self._decomposing.least_common
        alike = products >= self._decomposing.least_cosine * np.outer(size, size)
        place = {subflow_id: number for number, subflow_id in enumerate(varying)}
        return {
            (a, b): bool(common[place[a]] and common[place[b]] and alike[place[a], place[b]])
            for a, b in pairs_of(varying)
        }


SVD = DetectorKind(
    name="svd-r",
    evidence="A, R",
    source="Yousaf and Welzl, 2013",
    build=Svd,
    # One-way delays have no true zero from which a window's length could be derived.
    presets={"default": Decomposing(), "owd": Decomposing(delay="owd", window_ms=10_000)},
)
