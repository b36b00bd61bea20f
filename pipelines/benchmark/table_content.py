"""A digest of what a table holds: its columns and values, and nothing of how a file stores them.

Another version of pyarrow, another compression or other row groups give other bytes of the same table. So a task is
compared by content.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from smartsbd.contracts.contract import Table

#: Of each column three digests: which rows have a value, the lengths of texts, the values.
_DIGESTS = 3


def content_sha256(table: Table, parts: Iterable[pa.Table]) -> str:
    """Return a SHA-256 of the rows of a table.

    It is of a line for each column: name, type, and three SHA-256, with a blank between them. These are of a byte for
    each row, 1 where there is a value; of the lengths of texts in bytes; and of the values one after the other, 0 or no
    text where there is none.
    Numbers are in their type's width and lengths in 32 bits, all with the lowest byte first. A truth value is a byte.

    Parameters
    ----------
    table : Table
        Its contract.
    parts : iterable of pyarrow.Table
        Its rows, in parts of any size.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> from smartsbd.contracts.contract import Column
    >>> table = Table("t", "a number", ("n",), (Column("n", pa.int32(), "a number"),))
    >>> rows = table.build({"n": [1, 2, 3]})
    >>> content_sha256(table, [rows]) == content_sha256(table, [rows[:1], rows[1:]])
    True
    >>> content_sha256(table, [rows]) == content_sha256(table, [rows[1:], rows[:1]])
    False
    """
    digests = {column.name: [hashlib.sha256() for _ in range(_DIGESTS)] for column in table.columns}
    for rows in parts:
        for name, three in digests.items():
            for chunk in rows.column(name).chunks:
                for digest, content in zip(three, _contents(chunk), strict=True):
                    digest.update(content)
    lines = (
        " ".join([column.name, str(column.dtype), *(digest.hexdigest() for digest in digests[column.name])])
        for column in table.columns
    )
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def _contents(values: pa.Array) -> tuple[bytes, bytes, bytes]:
    """Return which rows have a value, the lengths of texts, and the values."""
    there = pc.is_valid(values).to_numpy(zero_copy_only=False).tobytes()
    if pa.types.is_string(values.type):
        texts = pc.fill_null(values, "")
        lengths = pc.binary_length(texts).to_numpy(zero_copy_only=False).astype("<i4")
        return there, lengths.tobytes(), _joined(texts)
    nothing = False if pa.types.is_boolean(values.type) else 0
    numbers = pc.fill_null(values, nothing).to_numpy(zero_copy_only=False)
    return there, b"", numbers.astype(numbers.dtype.newbyteorder("<")).tobytes()


def _joined(texts: pa.Array) -> bytes:
    """Return texts one after the other, without a Python object for each."""
    _, offsets, content = texts.buffers()
    if not len(texts) or content is None:
        return b""
    places = np.frombuffer(offsets, dtype=np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return memoryview(content)[places[0] : places[-1]].tobytes()
