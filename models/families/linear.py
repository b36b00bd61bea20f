"""What the linear families have in common: a fit that has converged, and coefficients of 16 bits.

So a model does not depend on the order in which a processor adds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

#: At scikit-learn's own tolerance the last bit of a sum decides whether one step more is taken.
TOLERANCE = 1e-8
MOST_ITERATIONS = 10_000
_BITS = 16


def rounded(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Round to 16 significant bits.

    Returns
    -------
    float64
        Of the shape of the values.

    Examples
    --------
    >>> import numpy as np
    >>> rounded(np.array([1.0, 65535.75, -0.1])).tolist()
    [1.0, 65536.0, -0.10000038146972656]
    """
    mantissa, exponent = np.frexp(values)
    nearest: npt.NDArray[np.float64] = np.ldexp(np.rint(np.ldexp(mantissa, _BITS)), exponent - _BITS)
    return nearest


def to_16_bits(estimator: Any) -> None:
    """Round the coefficients of a fitted linear model to 16 significant bits."""
    estimator.coef_ = rounded(estimator.coef_)
    estimator.intercept_ = rounded(estimator.intercept_)
