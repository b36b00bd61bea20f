"""How much a feature tells of the label: mutual information by nearest neighbours."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.feature_selection import mutual_info_classif


def mutual_information_nats(
    x: npt.NDArray[np.int64], shared: npt.NDArray[np.bool_], *, neighbors: int = 3, seed: int = 0
) -> npt.NDArray[np.float64]:
    """Estimate the mutual information of each feature and the label.

    Parameters
    ----------
    x : (rows, features) int64
    shared : (rows,) bool
        The label.
    neighbors : int
        Nearest neighbours within the class; 3 is scikit-learn's default.
    seed : int
        Of the noise that breaks ties.

    Returns
    -------
    (features,) float64, nats, not below 0

    References
    ----------
    SmartSBD, section 3.3; the estimator is Ross (2014) as scikit-learn has it.
    """
    information: npt.NDArray[np.float64] = mutual_info_classif(
        x.astype(np.float64), shared, discrete_features=False, n_neighbors=neighbors, random_state=seed
    )
    return information


def ranking(information_nats: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return feature positions, most informative first; ties keep the given order.

    Examples
    --------
    >>> import numpy as np
    >>> ranking(np.array([0.1, 0.3, 0.1])).tolist()
    [1, 0, 2]
    """
    return np.argsort(-information_nats, kind="stable").astype(np.int64)
