"""Support vector machines over integers: what a fitted one becomes before it is written as C.

A kernel has no floats. Each feature is scaled by a multiplication and a shift, a kernel value is read off a table, and
the sum has 64 bits. `decisions` is the definition, and the C computes the same numbers.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from smartsbd.export import emit_c
from smartsbd.export.fragment import RBF
from smartsbd.export.tree import BOUND, ExportError
from smartsbd.features import catalog
from smartsbd.models.families.fitted import Fitted

Int64Array = npt.NDArray[np.int64]

#: Most vectors of a header: a sender pays for each of them at every window.
MOST_VECTORS = 128
#: Most vectors for which no sum leaves 64 bits.
VECTORS_LIMIT = 1 << 12
#: Most features, for which the same holds.
FEATURES_LIMIT = 32
#: Fractional bits of a scaled feature, and of a kernel value.
SCALED_BITS = 12
VALUE_BITS = 30
#: Scaled features are clamped to this, 128 in either direction.
SCALED_LIMIT = 1 << (SCALED_BITS + 7)
#: Significant bits of a factor, of the largest weight and of the largest coefficient.
FACTOR_BITS = 27
WEIGHT_BITS = 20
COEFFICIENT_BITS = 26
#: The sums before the intercept, and the intercept, are below half of what 63 bits hold.
SUM_LIMIT = 1 << 62
#: 2^-f in Q30 for f in 64ths from 0 to 1.
TABLE_BITS = 6
POWERS = tuple(round(math.ldexp(2.0 ** (-place / (1 << TABLE_BITS)), VALUE_BITS)) for place in range(65))
#: Bits of a squared distance between two places of the table that count.
_REST_BITS = 10
_DISTANCE_BITS = 2 * SCALED_BITS
#: A kernel value at this squared distance is nothing in Q30.
_FAR = 32
_MOST_SHIFT = 63
_DIGEST_DIGITS = 16
_DECIDES_NOTHING = "the model decides the same for every window: that is no detector to export"


@dataclass(frozen=True)
class Scale:
    """How a feature is scaled: ``(value - centre) * factor >> shift``, clamped to :data:`SCALED_LIMIT`."""

    centre: int
    factor: int
    shift: int

    def scaled(self, values: Int64Array) -> Int64Array:
        """Return 32-bit values as they are scaled, rounded down."""
        scaled: Int64Array = np.clip((values - self.centre) * self.factor >> self.shift, -SCALED_LIMIT, SCALED_LIMIT)
        return scaled


@dataclass(frozen=True)
class IntegerRBF:
    """An SVM with RBF kernel over integers: shared if the sum of weighted kernel values is above zero.

    Attributes
    ----------
    features : tuple of str
        What it takes.
    scales : tuple of Scale
        One for each feature.
    vectors : tuple of tuple of int
        Scaled support vectors.
    weights : tuple of int
        One for each vector.
    intercept : int
        In units of a weight times a kernel value.
    """

    features: tuple[str, ...]
    scales: tuple[Scale, ...]
    vectors: tuple[tuple[int, ...], ...]
    weights: tuple[int, ...]
    intercept: int

    def rows(self) -> list[tuple[int, ...]]:
        """Return each vector with its weight behind it."""
        return [(*vector, weight) for vector, weight in zip(self.vectors, self.weights, strict=True)]

    def decisions(self, x: Int64Array) -> npt.NDArray[np.bool_]:
        """Return whether each of (rows, features) is shared; any 32-bit values."""
        scaled = np.stack([scale.scaled(x[:, place]) for place, scale in enumerate(self.scales)], axis=1)
        total = np.full(len(x), self.intercept, dtype=np.int64)
        for vector, weight in zip(self.vectors, self.weights, strict=True):
            total += weight * kernel_values(((scaled - np.array(vector)) ** 2).sum(axis=1))
        shared: npt.NDArray[np.bool_] = total > 0
        return shared


@dataclass(frozen=True)
class IntegerLinear:
    """A linear SVM over integers: shared if the intercept and the weighted features add up to more than zero.

    Attributes
    ----------
    features : tuple of str
        What it takes.
    coefficients : tuple of int
        One for each feature.
    intercept : int
    """

    features: tuple[str, ...]
    coefficients: tuple[int, ...]
    intercept: int

    def decisions(self, x: Int64Array) -> npt.NDArray[np.bool_]:
        """Return whether each of (rows, features) is shared; any 32-bit values."""
        shared: npt.NDArray[np.bool_] = x @ np.array(self.coefficients) + self.intercept > 0
        return shared


IntegerSVM = IntegerRBF | IntegerLinear


def kernel_values(distances: Int64Array) -> Int64Array:
    """Return 2^-d in Q30 of squared distances d in Q24.

    Parameters
    ----------
    distances : int64
        At least 0.

    Returns
    -------
    int64
        From 0 to 2^30; 0 where the distance is 32 or more.

    Notes
    -----
    The fraction of d is looked up in a table of 64 intervals, with linear interpolation, and the result is shifted by
    the whole part. Interpolation adds at most (ln 2 / 64)^2 / 8 to it, and what is cut off of d ln 2 / 2^16: together
    a relative error of 2.5e-5 before the shift.

    Examples
    --------
    >>> import numpy as np
    >>> kernel_values(np.array([0, 1 << 24, 3 << 23])) / 2**30
    array([1.        , 0.5       , 0.35355339])
    """
    place = (distances >> (_DISTANCE_BITS - TABLE_BITS)) & ((1 << TABLE_BITS) - 1)
    rest = (distances >> (_DISTANCE_BITS - TABLE_BITS - _REST_BITS)) & ((1 << _REST_BITS) - 1)
    powers = np.array(POWERS)
    above = powers[place]
    value = above - ((above - powers[place + 1]) * rest >> _REST_BITS)
    whole = distances >> _DISTANCE_BITS
    values: Int64Array = np.where(whole < _FAR, value >> np.minimum(whole, _FAR - 1), 0)
    return values


def from_fitted(fitted: Fitted, *, most_vectors: int = MOST_VECTORS) -> IntegerSVM:
    """Translate a fitted SVM, linear or with RBF kernel, and what scales its inputs.

    Parameters
    ----------
    fitted : Fitted
        A pipeline of a standard scaler and an SVM of two classes, or an SVM alone.
    most_vectors : int
        How many support vectors it may have.

    Returns
    -------
    IntegerSVM
        Its verdicts are nearly those of the floats: every number is rounded.

    Raises
    ------
    ExportError
        If it is no such SVM, takes a feature that is no integer, has more vectors than are allowed, or is so large that
        a sum could leave 64 bits.
    """
    scaler, estimator = _parts(fitted.estimator)
    if list(getattr(estimator, "classes_", ())) != [False, True]:
        raise ExportError(f"{type(estimator).__name__} is no fitted SVM of two classes")
    names = fitted.feature_names
    reals = [name for name in names if not catalog.feature(name).exportable]
    if reals:
        raise ExportError(f"{', '.join(reals)}: no integers, and a kernel has no others")
    if len(names) > FEATURES_LIMIT:
        raise ExportError(f"an SVM of {len(names)} features: with more than {FEATURES_LIMIT} a sum could overflow")
    mean, sd = (np.zeros(len(names)), np.ones(len(names))) if scaler is None else (scaler.mean_, scaler.scale_)
    if hasattr(estimator, "support_vectors_"):
        return _rbf(names, estimator, mean, sd, most_vectors)
    if hasattr(estimator, "coef_"):
        return _linear(names, estimator.coef_[0] / sd, float(estimator.intercept_[0]), mean)
    raise ExportError(f"{type(estimator).__name__} is no SVM: it has neither support vectors nor coefficients")


def _parts(estimator: Any) -> tuple[Any | None, Any]:
    """Return what scales the inputs, None if nothing does, and the SVM."""
    steps = [step for _, step in getattr(estimator, "steps", [("", estimator)])]
    scalers = steps[:-1]
    if len(scalers) > 1 or any(not hasattr(scaler, "mean_") for scaler in scalers):
        raise ExportError("inputs of an SVM are exported with a standard scaler or with none")
    return (scalers[0] if scalers else None), steps[-1]


def _rbf(
    names: tuple[str, ...],
    estimator: Any,
    mean: npt.NDArray[np.float64],
    sd: npt.NDArray[np.float64],
    most_vectors: int,
) -> IntegerRBF:
    if getattr(estimator, "kernel", None) != "rbf" or isinstance(estimator.gamma, str):
        raise ExportError("of SVMs with support vectors, those with an RBF kernel and a gamma in numbers are exported")
    vectors, weights = estimator.support_vectors_, estimator.dual_coef_[0]
    if len(weights) > min(most_vectors, VECTORS_LIMIT):
        raise ExportError(f"{len(weights)} support vectors, {min(most_vectors, VECTORS_LIMIT)} are allowed")
    # The kernel is exp(-gamma z^2) of standardised inputs, and 2^-(u^2) of scaled ones.
    width = math.sqrt(estimator.gamma * math.log2(math.e))
    scales = tuple(_scale(float(low), width / float(spread)) for low, spread in zip(mean, sd, strict=True))
    centres = np.array([scale.centre for scale in scales])
    placed = np.rint(np.ldexp((vectors * sd + mean - centres) * width / sd, SCALED_BITS))
    clamped = np.clip(placed, -SCALED_LIMIT, SCALED_LIMIT).astype(np.int64)
    largest = float(np.abs(weights).max(initial=0))
    if not largest > 0:
        raise ExportError(_DECIDES_NOTHING)
    unit = 2.0**WEIGHT_BITS / largest
    intercept = round(math.ldexp(float(estimator.intercept_[0]) * unit, VALUE_BITS))
    return IntegerRBF(
        names,
        scales,
        tuple(tuple(vector) for vector in clamped.tolist()),
        tuple(np.rint(weights * unit).astype(np.int64).tolist()),
        _bounded(intercept),
    )


def _scale(mean: float, units_per_value: float) -> Scale:
    """Return the scale that moves `mean` to 0 and multiplies by `units_per_value` and 2^12."""
    if not abs(mean) < BOUND:
        raise ExportError(f"a feature with a mean of {mean:g}: no feature is beyond 2^24")
    mantissa, exponent = math.frexp(math.ldexp(units_per_value, SCALED_BITS))
    shift = FACTOR_BITS - exponent
    if not 0 <= shift <= _MOST_SHIFT:
        raise ExportError(f"a feature that is scaled by {units_per_value:g}: a shift of {shift} bits is not possible")
    return Scale(round(mean), round(math.ldexp(mantissa, FACTOR_BITS)), shift)


def _linear(
    names: tuple[str, ...],
    coefficients: npt.NDArray[np.float64],
    intercept: float,
    mean: npt.NDArray[np.float64],
) -> IntegerLinear:
    largest = float(np.abs(coefficients).max())
    if not largest > 0:
        raise ExportError(_DECIDES_NOTHING)
    unit = 2.0**COEFFICIENT_BITS / largest
    rounded = np.rint(coefficients * unit).astype(np.int64)
    # By the mean of what is rounded, the sum at the mean of the training rows stays as it is.
    moved = intercept * unit - float(rounded @ mean)
    return IntegerLinear(names, tuple(rounded.tolist()), _bounded(round(moved)))


def _bounded(intercept: int) -> int:
    if abs(intercept) >= SUM_LIMIT:
        raise ExportError(f"an intercept of {intercept}: a sum could leave 64 bits")
    return intercept


def largest_sum(svm: IntegerSVM) -> int:
    """Return what no sum of an SVM exceeds in size, whatever the 32-bit values of its features.

    Parameters
    ----------
    svm : IntegerSVM

    Returns
    -------
    int
        Below 2^63 for what :func:`from_fitted` returns.
    """
    if isinstance(svm, IntegerLinear):
        return abs(svm.intercept) + (sum(map(abs, svm.coefficients)) << 31)
    return abs(svm.intercept) + (sum(map(abs, svm.weights)) << VALUE_BITS)


def digest(svm: IntegerSVM) -> str:
    """Return the first 16 hex digits of the SHA-256 of an SVM's numbers and features."""
    return hashlib.sha256(json.dumps(asdict(svm), sort_keys=True).encode()).hexdigest()[:_DIGEST_DIGITS]


def render(svm: IntegerSVM, header: emit_c.Header) -> str:
    """Return the header of an SVM: the features that it takes, in C, and the model itself.

    Parameters
    ----------
    svm : IntegerSVM
    header : Header
        What it says of itself; its layout means nothing.

    Returns
    -------
    str
        C, as :func:`smartsbd.export.emit_c.render_model` returns it of trees.

    Raises
    ------
    ExportError
        If no piece of C computes one of the features.
    """
    rbf = svm if isinstance(svm, IntegerRBF) else None
    rows = rbf.rows() if rbf else []
    weighed = svm.scales if isinstance(svm, IntegerRBF) else svm.coefficients
    return (
        emit_c.environment()
        .get_template("svm.h.j2")
        .render(
            **emit_c.parts_of(header, svm.features, RBF if rbf else None),
            size=f"SVM with RBF kernel, {len(rows)} vectors" if rbf else "Linear SVM",
            taken=[(emit_c.macro(name), each) for name, each in zip(svm.features, weighed, strict=True)],
            rows=rows,
            intercept=svm.intercept,
            largest_sum=largest_sum(svm),
        )
    )
