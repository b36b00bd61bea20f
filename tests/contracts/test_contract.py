"""A table that breaks its contract is refused by name, and one that keeps it comes back unchanged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pandas
import pyarrow as pa
import pytest

from smartsbd.contracts.contract import Column, ContractError, Table, TableReader, TableWriter, read_table, write_table
from smartsbd.contracts.tables import TABLES

TABLE = Table(
    "sample",
    "one sample",
    ("connection_id", "no"),
    (
        Column("connection_id", pa.string(), "which connection"),
        Column("no", pa.int32(), "number", low=0),
        Column("rtt_us", pa.int64(), "RTT", unit="us", nullable=True, low=1, high=1000),
        Column("state", pa.int8(), "state", choices=(0, 3)),
        Column("share", pa.float64(), "share"),
    ),
)
GOOD: dict[str, Any] = {
    "connection_id": ["a", "a"],
    "no": [0, 1],
    "rtt_us": [5, None],
    "state": [0, 3],
    "share": [0.5, 1.0],
}


def test_rows_come_back_as_written(tmp_path: Path) -> None:
    path = tmp_path / "sample.parquet"
    assert write_table(TABLE, GOOD, path) == 2
    assert read_table(TABLE, path).to_pydict() == GOOD


def test_pandas_and_duckdb_read_a_table_without_this_code(tmp_path: Path) -> None:
    """In several groups, with nulls, small and large differences, and every type that tables have."""
    path = tmp_path / "sample.parquet"
    columns = (*TABLE.columns, Column("time_ns", pa.int64(), "time"), Column("token", pa.uint32(), "token"))
    table = Table(TABLE.name, TABLE.grain, TABLE.key, (*columns, Column("ece", pa.bool_(), "mark", nullable=True)))
    more = {"time_ns": [-(2**62), 2**62], "token": [0, 2**32 - 1], "ece": [None, True]}
    with TableWriter(table, path) as writer:
        for name in ("a", "b"):
            writer.write({**GOOD, **more, "connection_id": [name] * 2})
    expected = read_table(table, path).to_pydict()
    by_pandas = pandas.read_parquet(path)
    assert list(by_pandas) == [column.name for column in table.columns]
    for name, values in expected.items():
        assert [None if pandas.isna(value) else value for value in by_pandas[name]] == values
    with duckdb.connect() as database:
        rows = database.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
    assert rows == list(zip(*expected.values(), strict=True))


def test_the_same_rows_are_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_table(TABLE, GOOD, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"no": [0, 0]}, r"sample: 1 keys stand twice, first \{'connection_id': 'a', 'no': 0\}"),
        ({"no": [0, None]}, "column no is null in 1 rows"),
        ({"no": [0, -1]}, "column no is below 0"),
        ({"rtt_us": [5, 1001]}, "column rtt_us is above 1000"),
        ({"state": [0, 1]}, "column state is none of"),
        ({"share": [0.5, float("nan")]}, "column share is not finite"),
        ({"share": ["x", 1.0]}, "column share"),
        ({"no": [0, 2**40]}, "column no"),
        ({"other": [1, 2]}, r"unknown columns \['other'\]"),
    ],
)
def test_a_broken_contract_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ContractError, match=message):
        TABLE.build(GOOD | change)


def test_keys_may_come_in_any_order_but_not_twice() -> None:
    columns = tuple(Column(name, dtype, name) for name, dtype in (("who", pa.string()), ("no", pa.int32())))
    unordered = Table(
        "unordered", "one of some", ("who", "no", "kind"), (*columns, Column("kind", pa.string(), "kind"))
    )
    rows: dict[str, Any] = {
        "who": ["b", "a", "b", "a", "b"],
        "no": [2, 1, -1, 2, 2],
        "kind": ["y", "x", "y", "y", "x"],
    }
    assert unordered.build(rows).to_pydict() == rows
    twice = {name: [*values, *values[1:3], *values[1:2]] for name, values in rows.items()}
    with pytest.raises(ContractError, match=r"2 keys stand twice, first \{'who': 'a', 'no': 1, 'kind': 'x'\}"):
        unordered.build(twice)


def test_a_missing_column_is_named() -> None:
    with pytest.raises(ContractError, match=r"missing columns \['share'\]"):
        TABLE.build({name: values for name, values in GOOD.items() if name != "share"})


def test_rows_of_one_connection_come_in_one_chunk(tmp_path: Path) -> None:
    with TableWriter(TABLE, tmp_path / "sample.parquet") as writer:
        writer.write(GOOD)
        writer.write(GOOD | {"connection_id": ["b", "c"]})
        for names in (["a", "d"], ["d", "b"], ["c", "b"]):
            with pytest.raises(ContractError, match=r"'[ab]' come in two chunks"):
                writer.write(GOOD | {"connection_id": names, "no": [2, 3]})


def test_a_connection_of_any_earlier_chunk_is_known_again(tmp_path: Path) -> None:
    for again in range(30):
        with TableWriter(TABLE, tmp_path / "sample.parquet") as writer:
            for number in range(31):
                writer.write({**GOOD, "connection_id": [f"{number}", f"{number}+"], "no": [0, 0]})
            with pytest.raises(ContractError, match=rf"rows of connection_id '{again}\+?' come in two chunks"):
                writer.write({**GOOD, "connection_id": ["new", f"{again}" + "+" * (again % 2)], "no": [0, 0]})


def test_the_last_connection_may_go_on_in_the_next_chunk(tmp_path: Path) -> None:
    path = tmp_path / "sample.parquet"
    with TableWriter(TABLE, path) as writer:
        writer.write(GOOD)
        writer.write(GOOD | {"no": [2, 3]})
        with pytest.raises(ContractError, match="'a' come in two chunks"):
            writer.write(GOOD | {"no": [3, 4]})
        with pytest.raises(ContractError, match="'a' come in two chunks"):
            writer.write(GOOD | {"no": [5, 4]})
        writer.write(GOOD | {"connection_id": ["a", "b"], "no": [4, 0]})
    reader = TableReader(TABLE, path)
    assert reader.rows_of("a").column("no").to_pylist() == [0, 1, 2, 3, 4]
    assert reader.rows_of("b").num_rows == 1


def test_a_reader_takes_one_connection_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "sample.parquet"
    with TableWriter(TABLE, path) as writer:
        writer.write(GOOD)
        writer.write(GOOD | {"connection_id": ["b", "c"]})
    reader = TableReader(TABLE, path)
    assert list(reader) == ["a", "b", "c"]
    assert reader.rows_of("c").column("no").to_pylist() == [1]
    assert reader.rows_of("nothing").num_rows == 0


def test_another_table_is_not_read_as_this_one(tmp_path: Path) -> None:
    write_table(TABLE, GOOD, tmp_path / "sample.parquet")
    wider = TABLE.with_columns([Column("extra", pa.int8(), "more")])
    with pytest.raises(ContractError, match="column extra is missing"):
        read_table(wider, tmp_path / "sample.parquet")
    (tmp_path / "noise.parquet").write_bytes(b"no parquet")
    with pytest.raises(ContractError, match=r"noise\.parquet is no parquet file"):
        read_table(TABLE, tmp_path / "noise.parquet")


def read_all(path: Path) -> None:
    read_table(TABLE, path).to_pylist()
    reader = TableReader(TABLE, path)
    for value in reader:
        reader.rows_of(value)


@pytest.mark.parametrize(("mask", "compression"), [(0x01, "none"), (0xFF, "zstd")])
def test_a_byte_that_was_changed_anywhere_is_said_in_a_line_that_names_the_file(
    mask: int, compression: str, tmp_path: Path
) -> None:
    """An error may come when a file is opened, when a page is read or when a text is taken out."""
    good, path = tmp_path / "good.parquet", tmp_path / "changed.parquet"
    with TableWriter(TABLE, good, compression) as writer:
        for names in (["a", "a"], ["b", "c"]):
            writer.write(GOOD | {"connection_id": names})
    content, refused = good.read_bytes(), 0
    for place in range(0, len(content), 11):
        path.write_bytes(content[:place] + bytes([content[place] ^ mask]) + content[place + 1 :])
        try:
            read_all(path)
        except ContractError as error:
            refused += 1
            why = str(error)
            assert str(path) in why and why.isprintable()
    assert refused > len(content) / 44


def test_a_file_that_the_system_cannot_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "sample.parquet").symlink_to("/proc/self/mem")
    with pytest.raises((OSError, ContractError), match=r"sample\.parquet"):
        read_table(TABLE, tmp_path / "sample.parquet")


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_table_exists_with_schema_and_checks(table: Table, tmp_path: Path) -> None:
    path = tmp_path / f"{table.name}.parquet"
    assert write_table(table, {column.name: [] for column in table.columns}, path) == 0
    assert read_table(table, path).schema.equals(table.schema(), check_metadata=True)
    assert all(column.meaning for column in table.columns)


def test_a_connection_of_any_length_comes_back_whole(tmp_path: Path) -> None:
    rows = (1 << 20) + 7
    long = {"connection_id": ["a"] * rows, "no": range(rows), "rtt_us": [5] * rows}
    path = tmp_path / "sample.parquet"
    write_table(TABLE, long | {"state": [0] * rows, "share": [0.5] * rows}, path)
    assert TableReader(TABLE, path).rows_of("a").num_rows == rows


def test_some_columns_are_read_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "sample.parquet"
    with TableWriter(TABLE, path) as writer:
        # Row groups of one connection, and of two: the reader finds both.
        writer.write(GOOD | {"connection_id": ["a", "a"]})
        writer.write(GOOD | {"connection_id": ["b", "c"]})
    reader = TableReader(TABLE, path, ("rtt_us",))
    assert list(reader) == ["a", "b", "c"]
    assert reader.rows_of("a").to_pydict() == {"rtt_us": [5, None]}
    assert reader.rows_of("c").to_pydict() == {"rtt_us": [None]}
    assert reader.rows_of("d").to_pydict() == {"rtt_us": []}
    with pytest.raises(ContractError, match=r"\['novel'\] are not columns"):
        TableReader(TABLE, path, ("novel",))


def test_a_part_of_a_table_keeps_what_it_can_check() -> None:
    whole_key = TABLE.only(("connection_id", "no", "rtt_us"))
    assert whole_key.key == TABLE.key
    with pytest.raises(ContractError, match="1 keys stand twice"):
        whole_key.build({"connection_id": ["a", "a"], "no": [0, 0], "rtt_us": [1, 2]})
    values = TABLE.only(("rtt_us",))
    assert values.key == ()
    assert values.build({"rtt_us": [7, 7]}).num_rows == 2
    with pytest.raises(ContractError, match=r"column rtt_us is above 1000 in 1 rows, first \{'rtt_us': 2000\}"):
        values.build({"rtt_us": [7, 2000]})
