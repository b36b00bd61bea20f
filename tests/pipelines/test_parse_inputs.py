"""Tables of any inputs, in any folder: what the stage writes of them, with their dictionary."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pandas as pd
import pytest

from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.running.stage import EXIT_BAD_INPUT, EXIT_OK, EXIT_USAGE
from smartsbd.traces.input_tables import TABLES
from tests.killed_moments import check_whole_or_none, command, ended_at_each

ROOT = Path(__file__).parents[2]
LOG = ROOT / "data/samples/kernel/inputs/101.state.csv.zst"
CAPTURES = [ROOT / f"data/samples/kernel_captures/inputs/102.sf{number}.pcap.zst" for number in (0, 1)]
NAMES = {f"{table.name}.parquet" for table in TABLES} | {"README.md", "report.json"}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_tables_are_the_stage_s(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inputs = tmp_path / "raw/inputs"
    inputs.mkdir(parents=True)
    for path in (LOG, *CAPTURES):
        (inputs / path.name).symlink_to(path)
    assert main(["parse", str(LOG), *map(str, CAPTURES), "--out", "tables", "--name", "mine", "-q"]) == EXIT_OK
    assert {path.name for path in Path("tables").iterdir()} == NAMES
    shown = capsys.readouterr().out.split()
    for table in TABLES:
        rows = len(pd.read_parquet(f"tables/{table.name}.parquet"))
        assert shown[shown.index(table.name) + 1] == str(rows)
    acks = pd.read_parquet("tables/ack.parquet")
    assert set(acks["connection_id"]) == {"mine/101.state#0", "mine/102.sf0#0"}
    assert acks["rtt_us"].notna().sum() > 1000
    dictionary = Path("tables/README.md").read_text()
    assert all(f"## {table.name}\n" in dictionary for table in TABLES)
    assert "pair_window" not in dictionary
    # The stage, on the same inputs.
    from smartsbd.pipelines.running import stage
    from smartsbd.pipelines.stages import parse

    arguments = ["--params", str(ROOT / "params.yaml"), "--dataset", "mine", "--raw", "raw", "--tables", "there", "-q"]
    assert stage.main("parse", parse, [*arguments, "--report", "r.json"]) == EXIT_OK
    for table in TABLES:
        name = f"{table.name}.parquet"
        assert Path("tables", name).read_bytes() == Path("there", name).read_bytes(), name
    # Again into the same folder.
    assert main(["parse", str(LOG), "--out", "tables", "-q"]) == EXIT_OK
    assert set(pd.read_parquet("tables/ack.parquet")["connection_id"]) == {"inputs/101.state#0"}


def test_what_cannot_be_read_is_counted_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "noise").write_bytes(b"\x00\x01noise")
    assert main(["parse", str(LOG), "noise", "--out", "tables"]) == EXIT_BAD_INPUT
    assert "1 of 2 inputs cannot be read" in capsys.readouterr().err
    assert json.loads(Path("tables/report.json").read_text())["inputs_unreadable"] == 1
    assert len(pd.read_parquet("tables/subflow.parquet")) == 2


def test_a_folder_of_other_things_and_inputs_that_are_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/letter.txt").write_text("dear")
    assert main(["parse", str(LOG), "--out", "mine"]) == EXIT_USAGE
    assert "holds letter.txt" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]
    assert main(["parse", "none.pcap", "--out", "tables"]) == EXIT_BAD_INPUT
    assert "none.pcap: no such file" in capsys.readouterr().err
    assert not Path("tables").exists()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_ended_at_any_moment_it_leaves_whole_tables_or_none(tmp_path: Path, number: signal.Signals) -> None:
    # Some of the moments: every one of `unfinished` by itself has a test.
    work = command("smartsbd.pipelines.commands.parse", LOG, "--out", tmp_path / "made/tables")
    left = ended_at_each(work, tmp_path / "made", number, step=9)
    check_whole_or_none(left, number)
    assert {path for path in left[-1].paths if path != "tables"} == {f"tables/{name}" for name in NAMES}


def test_tables_of_an_earlier_run_have_no_report_until_they_are_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["parse", str(LOG), "--out", "tables", "-q"]) == EXIT_OK
    before = Path("tables/report.json").read_text()

    def ended(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("smartsbd.pipelines.commands.parse.dictionary_of", ended)
    with pytest.raises(KeyboardInterrupt):
        main(["parse", str(LOG), "--out", "tables", "-q"])
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert not Path("tables/report.json").exists()
    assert main(["parse", str(LOG), "--out", "tables", "-q"]) == EXIT_OK
    assert Path("tables/report.json").read_text() == before
