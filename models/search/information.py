"""Mutual information of features and a label by nearest neighbours, found in the features' sorted order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import digamma

Float64Array = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

#: Standard deviation of a feature's noise, in units of its mean magnitude.
_NOISE = 1e-10
#: Values whose differences can be squared, as scikit-learn does.
_LIMIT = 1e150


@dataclass(frozen=True)
class _Sorted:
    """Features in ascending order.

    Attributes
    ----------
    values : (features, rows) float64
        Each feature's values, ascending.
    rows : (features, rows) int64
        Row that each value is of.
    """

    values: Float64Array
    rows: Int64Array


def _scaled(x: Float64Array) -> Float64Array:
    """Divide each feature by its standard deviation; a constant feature stays as it is."""
    # Indexed as scikit-learn does: the order in memory decides in which order a sum is made.
    scaled: Float64Array = x[:, np.ones(x.shape[1], dtype=bool)]
    deviation = np.nanstd(scaled, axis=0)
    deviation[deviation < 10 * np.finfo(np.float64).eps] = 1.0
    scaled /= deviation
    return scaled


def _sorted_with_noise(scaled: Float64Array, seed: int) -> _Sorted:
    """Add noise that breaks ties, and sort."""
    rng = np.random.RandomState(seed)  # as scikit-learn draws
    mean = np.maximum(1, np.mean(np.abs(scaled), axis=0))
    noisy = np.ascontiguousarray((scaled + _NOISE * mean * rng.standard_normal(size=scaled.shape)).T)
    rows = np.argsort(noisy, axis=1)
    return _Sorted(np.take_along_axis(noisy, rows, axis=1), rows)


def _radius(values: Float64Array, neighbors: int) -> Float64Array:
    """Return just less than the distance of each value to its neighbour number `neighbors` in its own row.

    Parameters
    ----------
    values : (features, rows) float64, ascending
        Of one label; more than `neighbors` of them.
    neighbors : int
    """
    count = values.shape[1]
    beyond = np.full((len(values), neighbors), np.inf)
    padded = np.concatenate([-beyond, values, beyond], axis=1)
    # The neighbours are the nearest of the stretches of neighbours + 1 values that hold the value.
    distance = np.full(values.shape, np.inf)
    for below in range(neighbors + 1):
        first = neighbors - below
        last = first + neighbors
        reach = np.maximum(values - padded[:, first : first + count], padded[:, last : last + count] - values)
        np.minimum(distance, reach, out=distance)
    radius: Float64Array = np.nextafter(distance, 0)
    return radius


def _within(values: Float64Array, radius: Float64Array) -> Int64Array:
    """Return how many values lie no further from each than its radius.

    Parameters
    ----------
    values, radius : (rows,) float64
        The values ascend.
    """
    first = np.searchsorted(values, values - radius, side="left")
    last = np.searchsorted(values, values + radius, side="right") - 1
    # A sum that is rounded may miss its place: what counts is the difference.
    while (early := (first > 0) & (values - values[first - 1] <= radius)).any():
        first -= early
    while (late := values - values[first] > radius).any():
        first += late
    end = len(values) - 1
    while (early := (last < end) & (values[np.minimum(last + 1, end)] - values <= radius)).any():
        last += early
    while (late := values[last] - values > radius).any():
        last -= late
    return last - first + 1


class Estimator:
    """Estimates the mutual information of the same features and labels that may differ.

    Parameters
    ----------
    x : (rows, features) float64
        Below 1e150 in magnitude.
    neighbors : int
        Nearest neighbours within the class.
    seed : int
        Of the noise that breaks ties.
    repeats : int
        Estimates with different noise to average.

    Raises
    ------
    ValueError
        If a value is too large, or is not a number.

    Notes
    -----
    The estimates are those of scikit-learn's ``mutual_info_classif`` to the last bit, which builds a tree of each
    feature and label. The work that does not depend on the label is done once here.

    References
    ----------
    Ross (2014), Mutual information between discrete and continuous data sets.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[float(place)] for place in range(40)])
    >>> tells = Estimator(x).nats(np.arange(40) < 20)
    >>> tells_nothing = Estimator(x).nats(np.arange(40) % 2 == 0)
    >>> round(float(tells[0]), 2), round(float(tells_nothing[0]), 2)
    (0.66, 0.0)
    """

    def __init__(self, x: Float64Array, *, neighbors: int = 3, seed: int = 0, repeats: int = 1) -> None:
        if not (np.abs(x) < _LIMIT).all():
            raise ValueError(f"a feature is not below {_LIMIT:g} in magnitude")
        self._x = x
        self._neighbors = neighbors
        self._seeds = range(seed, seed + repeats)
        scaled = _scaled(x)
        self._sorted = [_sorted_with_noise(scaled, noise_seed) for noise_seed in self._seeds]
        self._digamma = digamma(np.arange(len(x) + 1))

    def nats(self, shared: BoolArray) -> Float64Array:
        """Return the information of each feature, (features,), nats, not below 0.

        Parameters
        ----------
        shared : (rows,) bool
            The label.

        Returns
        -------
        (features,) float64, nats
            The mean of the repeats.
        """
        # For fewer rows, scikit-learn finds the distances by products of matrices, which round differently.
        few = any(0 < count // 2 <= self._neighbors or count == 1 for count in np.bincount(shared))
        estimates = self._estimate_few(shared) if few else [self._once(features, shared) for features in self._sorted]
        information: Float64Array = np.mean(estimates, axis=0)
        return information

    def _estimate_few(self, shared: BoolArray) -> list[Float64Array]:
        # Slow to import, and seldom needed.
        from sklearn.feature_selection import mutual_info_classif

        return [
            mutual_info_classif(
                self._x, shared, discrete_features=False, n_neighbors=self._neighbors, random_state=seed
            )
            for seed in self._seeds
        ]

    def _once(self, features: _Sorted, shared: BoolArray) -> Float64Array:
        labels = shared[features.rows]
        radius = np.empty_like(features.values)
        for label in np.unique(shared):
            of_label = labels == label
            values = features.values[of_label].reshape(len(labels), -1)
            radius[of_label] = _radius(values, self._neighbors).ravel()
        within = np.empty_like(features.rows)
        for place, rows in enumerate(features.rows):
            within[place, rows] = _within(features.values[place], radius[place])
        same = np.bincount(shared)[shared.astype(np.int64)]
        information: Float64Array = (
            self._digamma[len(shared)]
            + np.mean(np.full(len(shared), self._digamma[self._neighbors]))
            - np.mean(self._digamma[same])
            - np.mean(self._digamma[within], axis=1)
        )
        return np.maximum(0, information)
