"""The parse stage: damaged inputs are counted, and too many of them fail it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from smartsbd.contracts import tables
from smartsbd.contracts.contract import read_table
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.stages import parse
from tests.fuzz.targets import CORPUS
from tests.traffic import write_captures

ROOT = Path(__file__).parents[2]
LINE = "{} C=7f3a91c2 SF=0 V=RTT 24511\n"


def arguments(tmp_path: Path) -> list[str]:
    found = ["--params", str(ROOT / "params.yaml"), "--dataset", "made", "--raw", str(tmp_path / "raw")]
    return [*found, "--tables", str(tmp_path / "tables"), "--report", str(tmp_path / "report.json")]


def run(tmp_path: Path, inputs: dict[str, bytes]) -> int:
    folder = tmp_path / "raw" / "inputs"
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in inputs.items():
        (folder / name).write_bytes(content)
    return stage.main("parse", parse, [*arguments(tmp_path), "-q"])


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


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("README.md", b"\x1f\x8bbroken"),
        ("cut.log.gz", b"\x1f\x8bbroken"),
        ("bomb.log", (CORPUS / "stored/zstd-bomb-of-zeros").read_bytes()),
        ("bomb.log.xz", (CORPUS / "stored/xz-bomb-of-line-breaks").read_bytes()),
    ],
    ids=["broken", "broken log", "bomb of zeros", "bomb of line breaks"],
)
def test_an_unreadable_input_is_named_and_too_many_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes
) -> None:
    assert run(tmp_path, {"0.log": good(900), name: content}) == stage.EXIT_FAILED
    message = capsys.readouterr().err
    assert "1 of 2 inputs cannot be read" in message
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["inputs_unreadable"] == 1
    assert (report["records_in"], report["records_out"]) == (901, 900)
    assert report["quarantined_by_reason"] == {"unreadable input": 1}


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


def test_without_labels_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, {"0.log": good(9)}) == stage.EXIT_OK
    assert stage.main("parse", parse, arguments(tmp_path)) == stage.EXIT_OK
    assert f"{tmp_path}/raw/truth.csv is missing: none of the inputs has a label" in capsys.readouterr().err


def test_what_an_input_says_does_not_reach_the_terminal_raw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, {"\x1b[31mred.log": good(900) + b"damaged\n"}) == stage.EXIT_OK
    stage.main("parse", parse, arguments(tmp_path))
    shown = capsys.readouterr().err
    assert "red.log" in shown and "\x1b" not in shown


#: Parse that stops when its captures are in the spool.
STOPPED = """
import sys
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.stages import parse
from smartsbd.traces import parsed_input

def stopped(waiting, most):
    print(len(waiting), flush=True)
    sys.stdin.read()

parsed_input.joined = stopped
stage.main("parse", parse, sys.argv[1:])
"""


def test_what_a_killed_run_left_goes_with_the_next(tmp_path: Path) -> None:
    inputs = {"a.pcap": (CORPUS / "pcap/good-version-0").read_bytes()}
    folder = tmp_path / "tables"
    assert run(tmp_path, inputs) == stage.EXIT_OK
    written = {path.name for path in folder.iterdir()}
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", STOPPED, *arguments(tmp_path)]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        try:
            assert other.stdout is not None and other.stdout.readline() == b"1\n"
            (left,) = folder.glob(".spool-*/*.spool")
            # It is alive: what it has there stays.
            assert run(tmp_path, inputs) == stage.EXIT_OK
            assert list(folder.glob(".spool-*/*")) == [left]
        finally:
            other.kill()
    assert left.exists()
    assert run(tmp_path, inputs) == stage.EXIT_OK
    assert {path.name for path in folder.iterdir()} == written


def by_subflow(capture: bytes) -> list[bytes]:
    """Return the packets of first and of second subflows, each as a capture."""
    parts = [bytearray(capture[:24]), bytearray(capture[:24])]
    start = 24
    while start < len(capture):
        end = start + 16 + int.from_bytes(capture[start + 8 : start + 12], "little")
        # Clients are 10.0.<subflow>.1, their servers 10.<1 + subflow>.*.*.
        _, net, subnet, _ = capture[start + 42 : start + 46]
        parts[net - 1 if net else subnet] += capture[start:end]
        start = end
    return [bytes(part) for part in parts]


def test_it_starts_without_pandas_and_a_progress_bar(tmp_path: Path) -> None:
    folder = tmp_path / "raw" / "inputs"
    folder.mkdir(parents=True)
    # Connections in two captures, so that keys of a table do not ascend; and a refused record.
    write_captures([folder / "0.pcap"], packets=400, connections=4)
    for number, part in enumerate(by_subflow((folder / "0.pcap").read_bytes())):
        (folder / f"{number}.pcap").write_bytes(part)
    (folder / "2.log").write_bytes(good(900) + b"damaged\n")
    command = [
        sys.executable,
        "-X",
        "importtime",
        "-m",
        "smartsbd.pipelines.stages",
        "parse",
        *arguments(tmp_path),
        "-q",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "pyarrow" in imported
    assert not imported & {"pandas", "tqdm", "joblib"}
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["rows"]["connection_capture"] > report["rows"]["connection"]
    assert report["rows"]["loss"] and report["rows"]["quarantine"] == 1
