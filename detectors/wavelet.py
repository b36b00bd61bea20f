"""Delay correlation with wavelet denoising, DCW (Kim et al., ToN 2008). Evidence: M.

Delay is the queueing at a point of congestion plus variations of other causes, which are taken for noise: both series
are denoised by wavelets, and two subflows share where what is left is correlated at lag 0.

Known, from general knowledge of the literature, not read again (M): soft thresholding of the wavelet coefficients, the
correlation above 0.5 at lag 0, samples at about 10 Hz, a window of about 10 s.

Ours, as the paper's choices were not at hand: the wavelet; that it goes down to the last level on which some
coefficient is free of the borders; the universal threshold of Donoho and Johnstone (1994), one for each series, from
the finest level's median absolute coefficient; and that RTT samples, or one-way delays, are put on the grid linearly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pywt

from smartsbd.detectors.correlation import coefficient
from smartsbd.detectors.detector import DetectorKind
from smartsbd.detectors.pairwise import DelayPair, Float64Array, Moving, Pairwise

#: Median of the absolute value of a standard normal variable.
_NORMAL_MEDIAN = 0.6744897501960817


@dataclass(frozen=True)
class Denoising(Moving):
    """The window, how its delays are denoised, and from which correlation on they are of one queue.

    Attributes
    ----------
    points : int
        Points of the grid that both series are put on.
    wavelet : str
        As PyWavelets names it.
    threshold : float
        Of the correlation; shared is above it.
    """

    window_ms: int | None = 10_000
    points: int = 100
    wavelet: str = "db4"
    threshold: float = 0.5


@dataclass(frozen=True)
class Transform:
    """A wavelet transform as matrices: of a hundred points, that is faster than level by level.

    Attributes
    ----------
    analysis : (n, coefficients) float64
        From a series to its coefficients: the approximation, then the details from the coarsest level to the finest.
    synthesis : (coefficients, n) float64
        Back.
    approximation, finest : int
        Coefficients of the approximation, and of the finest level.
    """

    analysis: Float64Array
    synthesis: Float64Array
    approximation: int
    finest: int


@lru_cache
def transform(points: int, wavelet: str) -> Transform:
    """Return the transform of series of that many points, down to the last useful level."""
    levels = pywt.wavedec(np.eye(points), wavelet)
    sizes = [level.shape[1] for level in levels]
    unit = np.split(np.eye(sum(sizes)), np.cumsum(sizes)[:-1], axis=1)
    return Transform(np.hstack(levels), pywt.waverec(unit, wavelet)[:, :points], sizes[0], sizes[-1])


def denoised(series: Float64Array, wavelet: str) -> Float64Array:
    """Return series with their wavelet coefficients shrunk by a threshold, those below it to zero.

    Parameters
    ----------
    series : (m, n) float64
        Of m series, each with a threshold of its own.
    wavelet : str

    Returns
    -------
    (m, n) float64

    Examples
    --------
    The noise is the median of the finest level, with this wavelet of the differences within each two values. Of the
    first series it is 0; of the second, all except the mean is below the threshold.

    >>> import numpy as np
    >>> denoised(np.array([[1.0, 1.0, 1.0, 1.0, 9.0, 9.0, 9.0, 9.0], [3, 5, 3, 5, 5, 3, 5, 3]]), "haar").round(6)
    array([[1., 1., 1., 1., 9., 9., 9., 9.],
           [4., 4., 4., 4., 4., 4., 4., 4.]])

    References
    ----------
    Donoho and Johnstone, Ideal spatial adaptation by wavelet shrinkage, Biometrika 81 (1994): a threshold of
    ``sigma * sqrt(2 ln n)``.
    """
    points = series.shape[1]
    used = transform(points, wavelet)
    coefficients = series @ used.analysis
    details = coefficients[:, used.approximation :]
    noise = np.median(np.abs(details[:, -used.finest :]), axis=1, keepdims=True) / _NORMAL_MEDIAN
    least = noise * np.sqrt(2 * np.log(points))
    details -= np.clip(details, -least, least)
    shrunk: Float64Array = coefficients @ used.synthesis
    return shrunk


class Wavelet(Pairwise):
    """Shared where the denoised delays rise and fall together."""

    def __init__(self, denoising: Denoising) -> None:
        super().__init__(denoising)
        self._denoising = denoising

    def judge(self, first: DelayPair, second: DelayPair, start_ns: int, end_ns: int) -> bool | None:
        """Compare the correlation of the denoised delays with the threshold; no verdict where one is constant.

        Parameters
        ----------
        first, second, start_ns, end_ns
            As :meth:`~smartsbd.detectors.pairwise.Pairwise.judge` takes them.

        Returns
        -------
        bool or None
            Whether the correlation is above the threshold.
        """
        grid_ns = np.linspace(start_ns, end_ns, self._denoising.points).astype(np.int64)
        series = np.stack([first.at(grid_ns), second.at(grid_ns)])
        if (series.min(axis=1) == series.max(axis=1)).any():
            return None
        correlation = coefficient(*denoised(series, self._denoising.wavelet))
        return None if correlation is None else correlation > self._denoising.threshold


WAVELET = DetectorKind(
    name="wavelet",
    evidence="M",
    source="Kim et al., ToN 2008",
    build=Wavelet,
    presets={"default": Denoising(), "owd": Denoising(delay="owd")},
)
