"""Plain correlation of two subflows' delays, with a threshold. Evidence: ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from smartsbd.detectors.detector import DetectorKind
from smartsbd.detectors.pairwise import DelayPair, Float64Array, Moving, Pairwise


@dataclass(frozen=True)
class Correlating(Moving):
    """The window, how its delays are compared, and from which coefficient on they are of one queue.

    Attributes
    ----------
    of : str
        Of the delays themselves (``pearson``) or of their ranks (``spearman``).
    points : int
        Points of the grid that both series are put on.
    threshold : float
    """

    of: Literal["pearson", "spearman"] = "pearson"
    points: int = 126
    threshold: float = 0.5


def coefficient(x: Float64Array, y: Float64Array) -> float | None:
    """Return Pearson's correlation of two series of one length; None if one of them is constant.

    Returns
    -------
    float or None
        From -1 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> coefficient(np.array([1.0, 2.0, 3.0]), np.array([5.0, 4.0, 3.0]))
    -1.0
    """
    x, y = x - x.mean(), y - y.mean()
    size = float(np.sqrt((x @ x) * (y @ y)))
    return float(np.clip(x @ y / size, -1, 1)) if size else None


class Correlation(Pairwise):
    """Shared where the delays rise and fall together."""

    def __init__(self, correlating: Correlating) -> None:
        super().__init__(correlating)
        self._correlating = correlating

    def judge(self, first: DelayPair, second: DelayPair, start_ns: int, end_ns: int) -> bool | None:
        """Compare the coefficient with the threshold.

        Parameters
        ----------
        first, second, start_ns, end_ns
            As :meth:`~smartsbd.detectors.pairwise.Pairwise.judge` takes them.

        Returns
        -------
        bool or None
            Whether the coefficient reaches the threshold; None where one of the delays is constant.
        """
        grid_ns = np.linspace(start_ns, end_ns, self._correlating.points).astype(np.int64)
        series = [delays.at(grid_ns) for delays in (first, second)]
        if self._correlating.of == "spearman":
            # Slow to import, and the default does without it.
            from scipy.stats import rankdata

            series = [rankdata(delay_us) for delay_us in series]
        correlation = coefficient(*series)
        return None if correlation is None else correlation >= self._correlating.threshold


CORRELATION = DetectorKind(
    name="correlation",
    evidence="ours",
    source="plain correlation",
    build=Correlation,
    presets={
        "default": Correlating(),
        "spearman": Correlating(of="spearman"),
        "owd": Correlating(delay="owd", window_ms=10_000),
    },
)
