"""SVMs over integers: the C decides as the definition, the definition as the floats nearly, and nothing overflows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC

from smartsbd.export import emit_c, header_program, svm, verify
from smartsbd.export.compilers import Compiler, installed
from smartsbd.export.probe import border_rows
from smartsbd.export.svm import IntegerLinear, IntegerRBF, IntegerSVM, from_fitted, kernel_values, largest_sum
from smartsbd.export.tree import ExportError
from smartsbd.features.catalog import feature, feature_names
from smartsbd.models.families.fitted import Fitted, Setting
from tests.export import made

NAME = "sbd_made"
ROWS = 100_000
LEARNT_ROWS = 120
#: Of any line of C here.
MOST_COLUMNS = 100
LOW_S32, HIGH_S32 = -(1 << 31), (1 << 31) - 1


def fitted(estimator: Any, names: tuple[str, ...], seed: int = 0, scaler: Any | None = None) -> Fitted:
    """An SVM that has learnt a rule of two features, with one label in ten turned around."""
    x = made.rows_of(seed, LEARNT_ROWS, names).astype(np.float64)
    z = StandardScaler().fit_transform(x)
    shared = (z[:, 1] + z[:, -1] > 0) ^ (np.random.default_rng(seed).random(len(x)) < 0.1)
    whole = make_pipeline(scaler or StandardScaler(), estimator)
    return Fitted(whole.fit(x, shared), names, Setting(len(names), ()))


def rbf(names: tuple[str, ...]) -> Fitted:
    return fitted(SVC(C=10.0, gamma=0.5 / len(names)), names)


def linear(names: tuple[str, ...]) -> Fitted:
    return fitted(LinearSVC(C=10.0, dual=False), names)


def drawn_rows(names: tuple[str, ...], rows: int, seed: int) -> npt.NDArray[np.int64]:
    return border_rows(names, made.rows_of(0, LEARNT_ROWS, names), rows=rows, seed=seed)


def wide(x: npt.NDArray[np.int64], names: tuple[str, ...]) -> npt.NDArray[np.int64]:
    """The same rows with all features that C computes."""
    rows = np.zeros((len(x), len(emit_c.EXPORTABLE)), dtype=np.int64)
    rows[:, [emit_c.NUMBERS[name] for name in names]] = x
    return rows


def naive_decision(of: IntegerSVM, row: Sequence[int]) -> bool:
    """The same in Python's integers, which have no limit, in plain loops."""
    total = of.intercept
    if isinstance(of, IntegerLinear):
        for coefficient, value in zip(of.coefficients, row, strict=True):
            total += coefficient * value
        return total > 0
    scaled = []
    for scale, value in zip(of.scales, row, strict=True):
        moved = (value - scale.centre) * scale.factor // 2**scale.shift
        scaled.append(max(-(2**19), min(2**19, moved)))
    for vector, weight in zip(of.vectors, of.weights, strict=True):
        distance = sum((mine - other) ** 2 for mine, other in zip(scaled, vector, strict=True))
        whole, place, rest = distance // 2**24, distance // 2**18 % 64, distance // 2**8 % 1024
        powers = [round(2**30 * 2 ** (-step / 64)) for step in (place, place + 1)]
        value = (powers[0] - (powers[0] - powers[1]) * rest // 1024) // 2**whole
        total += weight * value
    return total > 0


def write_header(folder: Path, of: IntegerSVM) -> Path:
    made.write_runtime(folder)
    (folder / f"{NAME}.h").write_text(svm.render(of, made.header(NAME)))
    return folder


MODELS = {
    "rbf, paper": (rbf, feature_names("paper")),
    "rbf, both": (rbf, feature_names("both")),
    "linear, paper": (linear, feature_names("paper")),
    "linear, both": (linear, feature_names("both")),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest) -> tuple[Fitted, IntegerSVM]:
    build, names = MODELS[request.param]
    names = tuple(name for name in names if feature(name).exportable)
    own = build(names)
    return own, from_fitted(own, most_vectors=svm.VECTORS_LIMIT)


def test_the_definition_is_that_of_python_s_integers(model: tuple[Fitted, IntegerSVM]) -> None:
    _, integer = model
    x = drawn_rows(integer.features, 150, 1)
    edges = np.random.default_rng(2).choice([LOW_S32, HIGH_S32, 0], (50, x.shape[1]))
    x = np.vstack([x, edges])
    decided = integer.decisions(x)
    assert decided.tolist() == [naive_decision(integer, row) for row in x.tolist()]
    assert 0 < decided.sum() < len(decided)


@pytest.mark.parametrize("compiler", made.COMPILERS)
def test_c_decides_as_the_definition(model: tuple[Fitted, IntegerSVM], compiler: str, tmp_path: Path) -> None:
    _, integer = model
    (named,) = [one for one in installed() if one.name == compiler]
    program = header_program.build(tmp_path, write_header(tmp_path, integer), NAME, named)
    x = drawn_rows(integer.features, ROWS, 3)
    decided = integer.decisions(x)
    assert np.array_equal(header_program.verdicts(program, wide(x, integer.features)), decided)
    assert 0.02 < decided.mean() < 0.98


@pytest.mark.slow
def test_nothing_is_undefined_in_c(model: tuple[Fitted, IntegerSVM], gcc: Compiler, tmp_path: Path) -> None:
    """Of a model whose every number is as large as it can be, and of the model as it is."""
    _, integer = model
    for place, one in enumerate((integer, as_large_as_can_be(integer))):
        folder = tmp_path / str(place)
        folder.mkdir()
        program = header_program.build(folder, write_header(folder, one), NAME, gcc, made.SANITIZERS)
        x = drawn_rows(one.features, 2000, 4)
        assert np.array_equal(header_program.verdicts(program, wide(x, one.features)), one.decisions(x))


def as_large_as_can_be(of: IntegerSVM) -> IntegerSVM:
    """The model of the same features with the largest weights that `from_fitted` lets through."""
    if isinstance(of, IntegerLinear):
        largest = tuple(1 << svm.COEFFICIENT_BITS for _ in of.features)
        return replace(of, coefficients=largest, intercept=svm.SUM_LIMIT - 1)
    weights = tuple(1 << svm.WEIGHT_BITS for _ in of.weights)
    return replace(of, weights=weights, intercept=svm.SUM_LIMIT - 1)


def test_no_sum_leaves_64_bits(model: tuple[Fitted, IntegerSVM]) -> None:
    _, integer = model
    assert largest_sum(integer) <= largest_sum(as_large_as_can_be(integer)) < 1 << 63
    # The largest model there can be: as many vectors, or features, as are allowed.
    most = svm.VECTORS_LIMIT << (svm.WEIGHT_BITS + svm.VALUE_BITS)
    assert most + svm.SUM_LIMIT - 1 < 1 << 63
    assert (svm.FEATURES_LIMIT << (svm.COEFFICIENT_BITS + 31)) + svm.SUM_LIMIT - 1 < 1 << 63
    # What is multiplied to scale a feature, and the largest squared distance.
    assert ((1 << 31) + (1 << 24)) << svm.FACTOR_BITS < 1 << 63
    assert svm.FEATURES_LIMIT * (2 * svm.SCALED_LIMIT) ** 2 < 1 << 46


def test_a_kernel_value_is_the_power_within_its_error() -> None:
    distances = np.concatenate([np.arange(0, 1 << 24, 97), np.random.default_rng(0).integers(0, 1 << 46, 100_000)])
    exact = np.ldexp(2.0 ** (-distances / 2**24), svm.VALUE_BITS)
    off = np.abs(kernel_values(distances) - exact)
    # Half a unit more for the table, one each for what is cut off by the interpolation and the shift.
    assert (off <= 2.53e-5 * exact + 2.5).all()
    assert kernel_values(np.array([0, (32 << 24) - 1, 32 << 24])).tolist() == [1 << 30, 0, 0]


def test_the_table_of_the_c_is_the_definition_s(model: tuple[Fitted, IntegerSVM]) -> None:
    text = svm.render(model[1], made.header(NAME))
    if isinstance(model[1], IntegerRBF):
        body = text.partition("sbd_power) = {")[2].partition("}")[0]
        assert tuple(int(number) for number in body.split(",") if number.strip()) == svm.POWERS
    model_itself = text.partition("/* Bits of")[2]
    assert text.isascii() and max(map(len, model_itself.expandtabs(8).splitlines())) <= MOST_COLUMNS


def test_it_agrees_with_the_floats_except_beside_the_border(model: tuple[Fitted, IntegerSVM]) -> None:
    own, integer = model
    x = drawn_rows(integer.features, 5000, 5)
    x = x[(np.abs(own.estimator.decision_function(x.astype(np.float64))) > 0.01)]
    assert np.mean(integer.decisions(x) == own.estimator.predict(x.astype(np.float64)).astype(bool)) > 0.999


@pytest.mark.slow
def test_each_header_compiles_wherever_a_tree_must(model: tuple[Fitted, IntegerSVM], tmp_path: Path) -> None:
    _, integer = model
    verify.build_everywhere(write_header(tmp_path, integer), NAME, installed())


NAMES = ("rtt_sd_ratio_q10", "rtt_correlation_q10")


def test_a_model_beyond_the_bound_is_refused() -> None:
    own = rbf(NAMES)
    count = len(own.estimator[-1].support_vectors_)
    assert count > 3
    bounded = from_fitted(own, most_vectors=count)
    assert isinstance(bounded, IntegerRBF) and len(bounded.vectors) == count
    with pytest.raises(ExportError, match=f"{count} support vectors, {count - 1} are allowed"):
        from_fitted(own, most_vectors=count - 1)


def test_the_default_bound_is_128() -> None:
    with pytest.raises(ExportError, match="129 support vectors, 128 are allowed"):
        from_fitted(vectors(129))
    assert len(from_fitted(vectors(128)).rows()) == 128  # type: ignore[union-attr]
    with pytest.raises(ExportError, match="4097 support vectors, 4096 are allowed"):
        from_fitted(vectors(4097), most_vectors=10_000)


class Made(BaseEstimator):  # type: ignore[misc]
    """What an SVM with RBF kernel holds."""

    def __init__(self, count: int, intercept: float = 0.0, weight: float = 1.0, kernel: str = "rbf") -> None:
        self.kernel, self.gamma, self.classes_ = kernel, 0.25, np.array([False, True])
        self.support_vectors_, self.dual_coef_ = np.zeros((count, len(NAMES))), np.full((1, count), weight)
        self.intercept_ = np.array([intercept])


def vectors(count: int, intercept: float = 0.0, weight: float = 1.0, kernel: str = "rbf") -> Fitted:
    return Fitted(Made(count, intercept, weight, kernel), NAMES, Setting(2, ()))


@pytest.mark.parametrize(
    ("own", "message"),
    [
        (vectors(2, intercept=1e9), "a sum could leave 64 bits"),
        (vectors(2, weight=0.0), "decides the same for every window"),
        (vectors(2, kernel="poly"), "those with an RBF kernel"),
        (fitted(SVC(kernel="poly"), NAMES), "those with an RBF kernel"),
        (fitted(SVC(gamma="scale"), NAMES), "a gamma in numbers"),
        (fitted(SVC(gamma=0.25), NAMES, scaler=MinMaxScaler()), "a standard scaler or with none"),
        (fitted(SVC(gamma=0.25), ("rtt_correlation_q10", "rate_ed")), "rate_ed: no integers"),
        (made.tree(0), "DecisionTreeClassifier is no SVM"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_exported_is_refused(own: Fitted, message: str) -> None:
    with pytest.raises(ExportError, match=message):
        from_fitted(own)


def test_an_svm_of_one_class_and_a_scale_out_of_range_are_refused() -> None:
    one_class = vectors(2)
    one_class.estimator.classes_ = np.array([False])
    with pytest.raises(ExportError, match="no fitted SVM of two classes"):
        from_fitted(one_class)
    scaler = StandardScaler().fit([[0.0, 0.0], [1e30, 1e30]])
    with pytest.raises(ExportError, match="no feature is beyond"):
        from_fitted(Fitted(make_pipeline(scaler, Made(2)), NAMES, Setting(2, ())))
    scaler.mean_ = np.zeros(2)
    with pytest.raises(ExportError, match="bits is not possible"):
        from_fitted(Fitted(make_pipeline(scaler, Made(2)), NAMES, Setting(2, ())))
