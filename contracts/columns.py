"""Columns as arrow arrays, made without pandas.

:func:`pyarrow.array` imports pandas if it is installed, which takes longer than a small input takes to be parsed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

# Offsets into texts are of 32 bits; pyarrow divides longer columns.
_MOST_BYTES = np.iinfo(np.int32).max
# By Python type, whether it is a column type in which each of its values means the same.
_IS_SAME_TYPE: dict[type, Callable[[pa.DataType], bool]] = {
    int: pa.types.is_integer,
    float: pa.types.is_float64,
    bool: pa.types.is_boolean,
    str: pa.types.is_string,
    bytes: pa.types.is_binary,
}


def array_of_numbers(
    numbers: npt.NDArray[Any], dtype: pa.DataType, missing: npt.NDArray[np.bool_] | None = None
) -> pa.Array:
    """Return integers, floats or booleans as an arrow array, null where they are missing.

    Parameters
    ----------
    numbers : (n,) integers, floats or booleans
    dtype : pyarrow.DataType
        Of the array; numbers of another type are cast.
    missing : (n,) bool, optional
        Where the array is null, whatever the number there is.

    Returns
    -------
    (n,) pyarrow.Array
        Of type `dtype`.

    Raises
    ------
    pyarrow.ArrowInvalid
        If a number does not fit into `dtype`.
    """
    number_type = pa.from_numpy_dtype(numbers.dtype)
    content = _bits(numbers) if pa.types.is_boolean(number_type) else pa.py_buffer(np.ascontiguousarray(numbers))
    array = pa.Array.from_buffers(number_type, len(numbers), [_validity(missing), content])
    return array if number_type == dtype else array.cast(dtype)


def array_of_bytes(
    content: bytes, sizes: npt.NDArray[np.int64], dtype: pa.DataType, missing: npt.NDArray[np.bool_] | None = None
) -> pa.Array:
    """Return texts (in UTF-8) or bytes of these sizes, one after the other in `content`, as an arrow array.

    Parameters
    ----------
    content : bytes
        All values without anything between them.
    sizes : (n,) int64, bytes
        Of each value.
    dtype : pyarrow.DataType
        ``string`` or ``binary``.
    missing : (n,) bool, optional
        Where the array is null.

    Returns
    -------
    (n,) pyarrow.Array
        Of type `dtype`.

    Raises
    ------
    OverflowError
        If they are too long together for one array.
    """
    if len(content) > _MOST_BYTES:
        raise OverflowError(f"{len(content)} bytes are too many for one array")
    offsets = np.zeros(len(sizes) + 1, dtype=np.int32)
    np.cumsum(sizes, out=offsets[1:])
    return pa.Array.from_buffers(dtype, len(sizes), [_validity(missing), pa.py_buffer(offsets), pa.py_buffer(content)])


def array_of(values: Any, dtype: pa.DataType) -> pa.Array:
    """Return values as :func:`pyarrow.array` does, None as null.

    pyarrow converts only what is not all of the column's own type.

    Returns
    -------
    (n,) pyarrow.Array
        Of type `dtype`.

    Raises
    ------
    pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, OverflowError
        If a value does not fit into `dtype`.
    """
    if isinstance(values, list | tuple):
        try:
            array = _array_of_one_type(values, dtype)
        except (OverflowError, UnicodeEncodeError, pa.ArrowInvalid):
            # The message of pyarrow says more of what is wrong.
            array = None
        if array is not None:
            return array
    return pa.array(values, type=dtype)


def scalar_of(value: Any, dtype: pa.DataType) -> pa.Scalar:
    """Return a value as :func:`pyarrow.scalar` does, which imports pandas as well."""
    return array_of([value], dtype)[0]


def _array_of_one_type(values: Sequence[Any], dtype: pa.DataType) -> pa.Array | None:
    """Return values as an arrow array if each is None or of the one Python type that belongs to `dtype`."""
    kinds = set(map(type, values))
    missing = None
    if NoneType in kinds:
        kinds.remove(NoneType)
        missing = np.fromiter((value is None for value in values), dtype=np.bool_, count=len(values))
    if not kinds:
        return pa.nulls(len(values), dtype)
    kind = kinds.pop()
    if kinds or kind not in _IS_SAME_TYPE or not _IS_SAME_TYPE[kind](dtype):
        return None
    present = values if missing is None else [kind() if value is None else value for value in values]
    if kind in (str, bytes):
        parts = [text.encode() for text in present] if kind is str else present
        sizes = np.fromiter(map(len, parts), dtype=np.int64, count=len(parts))
        return array_of_bytes(b"".join(parts), sizes, dtype, missing)
    return array_of_numbers(np.array(present, dtype=kind), dtype, missing)


def _bits(flags: npt.NDArray[np.bool_]) -> pa.Buffer:
    return pa.py_buffer(np.packbits(flags, bitorder="little"))


def _validity(missing: npt.NDArray[np.bool_] | None) -> pa.Buffer | None:
    return None if missing is None else _bits(~missing)
