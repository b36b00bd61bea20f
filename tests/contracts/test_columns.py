"""Columns are made as pyarrow makes them, and what does not fit is refused with its words."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartsbd.contracts.columns import array_of, array_of_bytes, array_of_numbers, scalar_of

DTYPES = [
    *(pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint32(), pa.uint64()),
    *(pa.float32(), pa.float64(), pa.bool_(), pa.string(), pa.large_string(), pa.binary()),
]
KINDS: list[st.SearchStrategy[Any]] = [
    *(st.booleans(), st.integers(-(2**70), 2**70), st.integers(-200, 200)),
    *(st.floats(), st.text(st.characters()), st.binary(max_size=8)),
]
LISTS = st.one_of(*(st.lists(st.none() | kind, max_size=20) for kind in [*KINDS, st.one_of(KINDS)]))


def outcome(make: Any, values: Any, dtype: pa.DataType) -> tuple[Any, ...]:
    try:
        array = make(values, dtype)
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        return type(error), str(error)
    array.validate(full=True)
    # As text, where not-a-numbers are equal.
    return type(array), array.type, array.null_count, str(array.to_pylist())


@given(st.sampled_from(DTYPES), LISTS)
def test_any_values_become_what_pyarrow_makes_of_them(dtype: pa.DataType, values: list[Any]) -> None:
    assert outcome(array_of, values, dtype) == outcome(pa.array, values, dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    "values",
    [
        [2**31 - 1, -(2**31)],
        [2**63 - 1, -(2**63)],
        [2**64 - 1],
        [2**64],
        [2**53 + 1, 1.5],
        [-1, None],
        [1.5, 1],
        [1.0, None],
        [True, 1],
        [True, None, False] * 7,
        ["", "ö", None, "\U0001f600"],
        ["\udcff"],
        ["x", 1],
        ["x", b"x"],
        [b"\xff", None, b""],
        [np.int64(3), 4],
        [np.float64(3.0)],
        [Decimal(1)],
        [[1]],
        [None, None],
        (1, 2),
        range(3),
        np.array([1, 2]),
        "text",
    ],
    ids=repr,
)
def test_these_become_what_pyarrow_makes_of_them(values: Any, dtype: pa.DataType) -> None:
    assert outcome(array_of, values, dtype) == outcome(pa.array, values, dtype)


@pytest.mark.parametrize(
    ("numbers", "dtype"),
    [
        (np.array([1, -5, 2**40]), pa.int64()),
        (np.array([1, -5, 2**40]), pa.int32()),
        (np.array([1, 2, 3], dtype=np.int8), pa.uint32()),
        (np.arange(6)[::2], pa.int16()),
        (np.array([0.5, np.nan, 3]), pa.float64()),
        (np.array([True, False, True]), pa.bool_()),
    ],
    ids=str,
)
@pytest.mark.parametrize("missing", [None, [False, False, True], [True, True, True]], ids=str)
def test_numbers_become_what_pyarrow_makes_of_them(numbers: Any, dtype: pa.DataType, missing: Any) -> None:
    mask = None if missing is None else np.array(missing)
    own = outcome(partial(array_of_numbers, missing=mask), numbers, dtype)
    assert own == outcome(partial(pa.array, mask=mask), numbers, dtype)


def test_texts_are_cut_from_one_piece() -> None:
    sizes = np.array([1, 0, 2])
    assert array_of_bytes("aö".encode(), sizes, pa.string()).to_pylist() == ["a", "", "ö"]
    missing = np.array([False, True, False])
    assert array_of_bytes(b"abc", sizes, pa.binary(), missing).to_pylist() == [b"a", None, b"bc"]
    assert array_of_bytes(b"", np.zeros(0, dtype=np.int64), pa.string()).to_pylist() == []


def test_a_scalar_is_of_the_type_asked_for() -> None:
    assert scalar_of(5, pa.int16()).equals(pa.scalar(5, pa.int16()))
