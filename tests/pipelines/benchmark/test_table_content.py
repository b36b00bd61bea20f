"""A digest of a table's content: it changes with every value, and with nothing of how a file stores them."""

from __future__ import annotations

import hashlib
import itertools
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from smartsbd.contracts.contract import Column, Table
from smartsbd.pipelines.benchmark.table_content import content_sha256

TABLE = Table(
    "t",
    "a row",
    (),
    (
        Column("name", pa.string(), "a text", nullable=True),
        Column("number", pa.int32(), "a number", nullable=True),
        Column("is_dup", pa.bool_(), "a truth value", nullable=True),
    ),
)
VALUES: dict[str, list[Any]] = {
    "name": ["ab", "c", None, "", "de"],
    "number": [1, None, 0, -3, 1 << 30],
    "is_dup": [True, False, None, False, True],
}
ROWS = TABLE.build(VALUES)


def as_the_page_says() -> str:
    """The digest as docs/benchmark.md describes it, in Python alone."""
    lines = []
    for name, kind in (("name", "string"), ("number", "int32"), ("is_dup", "bool")):
        values = VALUES[name]
        there = bytes(value is not None for value in values)
        texts = [(value or "").encode() for value in values] if kind == "string" else []
        lengths = b"".join(len(text).to_bytes(4, "little") for text in texts)
        numbers = [] if kind == "string" else [int(value or 0) for value in values]
        width = 4 if kind == "int32" else 1
        content = b"".join([*texts, *(number.to_bytes(width, "little", signed=True) for number in numbers)])
        three = (hashlib.sha256(part).hexdigest() for part in (there, lengths, content))
        lines.append(f"{name} {kind} {' '.join(three)}\n")
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def test_it_is_what_the_page_says_and_stays() -> None:
    assert content_sha256(TABLE, [ROWS]) == as_the_page_says()
    assert content_sha256(TABLE, [ROWS]) == "faa380191355f787c17002c5e47c822befb2fab7e48b6cd627dce551889d1308"


@pytest.mark.parametrize("cuts", [[0, 5], [0, 1, 5], [0, 2, 2, 3, 5], [0, 1, 2, 3, 4, 5]])
def test_parts_do_not_matter(cuts: list[int]) -> None:
    parts = [ROWS.slice(begin, end - begin) for begin, end in itertools.pairwise(cuts)]
    assert content_sha256(TABLE, parts) == content_sha256(TABLE, [ROWS])
    assert content_sha256(TABLE, [pa.concat_tables(parts)]) == content_sha256(TABLE, [ROWS])


@pytest.mark.parametrize(
    "options",
    [{"compression": "zstd"}, {"row_group_size": 2}, {"use_dictionary": False}, {"version": "1.0"}],
    ids=lambda options: next(iter(options)),
)
def test_a_file_s_form_does_not_matter(tmp_path: Path, options: dict[str, Any]) -> None:
    pq.write_table(ROWS, tmp_path / "t.parquet", **options)
    assert content_sha256(TABLE, [pq.read_table(tmp_path / "t.parquet")]) == content_sha256(TABLE, [ROWS])


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("name", ["ab", "c", "", None, "de"]),
        ("name", ["a", "bc", None, "", "de"]),
        ("name", ["ab", "c", None, "", "df"]),
        ("number", [1, 0, None, -3, 1 << 30]),
        ("number", [1, None, 0, -3, 0]),
        ("number", [1, None, 0, 1 << 30, -3]),
        ("is_dup", [True, None, False, False, True]),
        ("is_dup", [True, False, None, True, True]),
    ],
)
def test_every_value_matters(column: str, values: list[Any]) -> None:
    assert content_sha256(TABLE, [TABLE.build({**VALUES, column: values})]) != content_sha256(TABLE, [ROWS])


def test_names_and_types_matter_and_a_table_may_be_empty() -> None:
    wider = Table("t", "a row", (), (*TABLE.columns[:1], Column("number", pa.int64(), "wide", nullable=True)))
    other = Table("t", "a row", (), (*TABLE.columns[:1], Column("digit", pa.int32(), "a number", nullable=True)))
    same = TABLE.only(["name", "number"])
    digests = {
        content_sha256(table, [table.build({"name": [], table.columns[1].name: []})]) for table in (wider, other, same)
    }
    assert len(digests) == 3
    assert content_sha256(same, []) in digests
