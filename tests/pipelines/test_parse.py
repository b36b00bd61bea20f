"""The parse stage: damaged inputs are counted, and too many of them fail it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipelines import parse, stage
from traces import tables
from traces.contract import read_table

ROOT = Path(__file__).parents[2]
LINE = "{} C=7f3a91c2 SF=0 V=RTT 24511\n"


def run(tmp_path: Path, inputs: dict[str, bytes]) -> int:
    folder = tmp_path / "raw" / "inputs"
    folder.mkdir(parents=True)
    for name, content in inputs.items():
        (folder / name).write_bytes(content)
    arguments = ["--params", str(ROOT / "params.yaml"), "--dataset", "made", "--raw", str(tmp_path / "raw")]
    arguments += ["--tables", str(tmp_path / "tables"), "--report", str(tmp_path / "report.json"), "-q"]
    return stage.main("parse", "", parse.add_arguments, parse.run, arguments)


def good(lines: int, start: int = 1) -> bytes:
    return "".join(LINE.format(start + number) for number in range(lines)).encode()


def test_records_in_are_records_out_and_quarantined(tmp_path: Path) -> None:
    inputs = {f"{number}.log": good(9, start=number + 2) for number in range(200)}
    inputs |= {"2023.01.log": good(500) + b"damaged\n", "2023.02.log": good(700, start=3), "x.log.gz": b"\x1f\x8bx"}
    assert run(tmp_path, inputs) == stage.EXIT_OK
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["records_in"] == 3002
    assert report["records_out"] == 3000
    assert report["quarantined_by_reason"] == {"not an event line": 1, "unreadable input": 1}
    quarantine = read_table(tables.QUARANTINE, tmp_path / "tables" / "quarantine.parquet")
    captures = read_table(tables.CAPTURE, tmp_path / "tables" / "capture.parquet")
    assert quarantine.num_rows == 2
    assert set(quarantine.column("capture_id").to_pylist()) <= set(captures.column("capture_id").to_pylist())
    assert captures.num_rows == 203
    connections = read_table(tables.CONNECTION, tmp_path / "tables" / "connection.parquet")
    assert {"made/2023.01#0", "made/2023.02#0"} <= set(connections.column("connection_id").to_pylist())


def test_too_many_refused_records_fail_the_stage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, {"0.log": good(50) + b"damaged\n"}) == stage.EXIT_FAILED
    message = capsys.readouterr().err
    assert "1 of 51 records refused" in message
    assert "not an event line" in message


@pytest.mark.parametrize("name", ["README.md", "cut.log.gz"])
def test_an_unreadable_input_is_named_and_too_many_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert run(tmp_path, {"0.log": good(900), name: b"\x1f\x8bbroken"}) == stage.EXIT_FAILED
    message = capsys.readouterr().err
    assert "1 of 2 inputs cannot be read" in message
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["inputs_unreadable"] == 1
    assert report["records_out"] == 900


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({}, "no such file"),
        ({"0.log": good(9), "1.log": good(9)}, "is the same file as 0.log"),
        ({"\udcff.log": good(9)}, "has a name that is no UTF-8"),
    ],
    ids=["none", "twice", "name"],
)
def test_inputs_that_make_no_dataset(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], inputs: dict[str, bytes], message: str
) -> None:
    assert run(tmp_path, inputs) == stage.EXIT_BAD_INPUT
    shown = capsys.readouterr().err
    assert message in shown
    assert shown.count("\n") == 1


def test_what_an_input_says_does_not_reach_the_terminal_raw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, {"\x1b[31mred.log": good(900) + b"damaged\n"}) == stage.EXIT_OK
    stage.main(
        "parse",
        "",
        parse.add_arguments,
        parse.run,
        [
            "--params",
            str(ROOT / "params.yaml"),
            "--dataset",
            "made",
            "--raw",
            str(tmp_path / "raw"),
            "--tables",
            str(tmp_path / "tables"),
            "--report",
            str(tmp_path / "report.json"),
        ],
    )
    shown = capsys.readouterr().err
    assert "red.log" in shown and "\x1b" not in shown
