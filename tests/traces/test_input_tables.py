"""Inputs as tables: every row and every count of theirs, written input by input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from smartsbd.contracts import tables
from smartsbd.contracts.contract import read_table
from smartsbd.traces import input_tables
from smartsbd.traces.connection import Batch
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import InputPart
from smartsbd.traces.joined_captures import JoinedBatch
from smartsbd.traces.parsed_input import BatchMap, Chunk, ParsedInput, parse_input
from tests.fuzz.targets import CORPUS

LINE = "{} C=7f3a91c2 SF=0 V=RTT 24511\n"


def inputs_in(folder: Path) -> list[Path]:
    """Write a log with a refused record, one that cannot be read, and a capture."""
    (folder / "a.1.log").write_text("".join(LINE.format(1 + number) for number in range(9)) + "damaged\n")
    (folder / "b.gz").write_bytes(b"\x1f\x8bbroken")
    (folder / "c.pcap").write_bytes((CORPUS / "pcap/good-version-0").read_bytes())
    return sorted(folder.iterdir())


def written(folder: Path, build_map: BatchMap = map) -> dict[str, Any]:
    (folder / "raw").mkdir(parents=True)
    paths = inputs_in(folder / "raw")
    with input_tables.opened(folder / "tables") as output:
        inputs = [parse_input(path, "made", Dialect(), output.spools) for path in paths]
        assert [type(one) for one in inputs] == [ParsedInput, ParsedInput, InputPart]
        output.write(inputs, "made", build_map)
    return output.report(len(paths))


def test_every_record_is_a_row_or_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING")
    report = written(tmp_path)
    assert (report["inputs"], report["inputs_unreadable"]) == (3, 1)
    refused = report["quarantined_by_reason"]
    assert refused["not an event line"] == refused["unreadable input"] == 1
    unused = sum(report["records_unused"].values())
    assert report["records_in"] == report["records_out"] + unused + report["records_quarantined"]
    assert "a.1.log: at byte" in caplog.text
    for table in input_tables.TABLES:
        rows = read_table(table, tmp_path / f"tables/{table.name}.parquet")
        assert rows.num_rows == report["rows"][table.name], table.name
    names = read_table(tables.CONNECTION, tmp_path / "tables/connection.parquet").column("connection_id").to_pylist()
    assert names == ["made/a.1#0", "made/c#0"]
    assert {path.suffix for path in (tmp_path / "tables").iterdir()} == {".parquet"}


def test_joined_connections_are_built_by_the_map_that_is_given(tmp_path: Path) -> None:
    seen: list[list[str]] = []

    def noted(build: Any, batches: Iterable[Batch | JoinedBatch]) -> Iterator[list[Chunk]]:
        for batch in batches:
            assert isinstance(batch, JoinedBatch)
            seen.append(batch.names.to_pylist())
            yield build(batch)

    assert written(tmp_path / "one", noted) == written(tmp_path / "other")
    assert seen == [["made/c#0"]]
