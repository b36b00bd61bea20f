"""The program's options, exit statuses and output files."""

import hashlib
import json
import os
import stat
import subprocess
import threading
from pathlib import Path

import pytest

from smartsbd.scenarios import simulator
from tests.simulator.program import PROGRAM, SIMULATOR, execute, shared


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scenario=none.json", "--events=e", "--truth=t"], "none.json: cannot be read\n"),
        (["--scenario=none.json", "--events=e"], "option --truth=FILE is missing"),
        (["--scenario=none.json", "--events=e", "--truth=t", "--fast"], "unknown option --fast"),
        (["--scenario", "none.json"], "unknown option --scenario"),
        (["--scenario=none.json", "--events=e", "--truth=e"], "--events and --truth name the same file"),
        (["--scenario=none.json", "--events=e", "--truth=t", "--pcap"], "unknown option --pcap"),
    ],
)
def test_bad_options_are_refused(arguments: list[str], message: str, tmp_path: Path) -> None:
    """A missing file, an unknown option and a missing option exit 2 with one line."""
    command = [str(PROGRAM), *arguments]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert message in result.stderr and result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_unwritable_output_fails_without_a_trace(tmp_path: Path) -> None:
    """If one output cannot be written, the exit status is 1 and the other is not left behind."""
    (tmp_path / "scenario.json").write_text(json.dumps(shared()))
    command = [str(PROGRAM), "--scenario=scenario.json", "--events=e", "--truth=no/such/t"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "no/such/t" in result.stderr and result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["scenario.json"]


def test_subflow_never_established_is_a_failure(tmp_path: Path) -> None:
    """A run without all its subflows has no truth to state: exit 1 and no file."""
    scenario = shared()
    scenario["subflows"][1]["start_s"] = 11.99
    result = execute(tmp_path, json.dumps(scenario))
    assert result.returncode == 1
    assert "not established" in result.stderr and result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["scenario.json"]


def test_what_a_link_points_to_is_written(tmp_path: Path) -> None:
    """Links stay, also to a file that is not there yet; nothing else is left in either folder."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "events").write_text("as it was")
    (tmp_path / "events").symlink_to("kept/events")
    (tmp_path / "truth.json").symlink_to("kept/truth.json")
    assert execute(tmp_path, json.dumps(shared())).returncode == 0
    assert (tmp_path / "events").is_symlink() and (tmp_path / "truth.json").is_symlink()
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == ["events", "truth.json"]
    assert (tmp_path / "kept" / "events").stat().st_size > 1000
    assert len(list(tmp_path.iterdir())) == 4


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    """What is no regular file is not replaced by one: as contracts/whole_file.py has it."""
    assert execute(tmp_path, json.dumps(shared())).returncode == 0
    expected = (tmp_path / "events").read_bytes()
    (tmp_path / "events").unlink()
    os.mkfifo(tmp_path / "events")
    came: list[bytes] = []
    reader = threading.Thread(target=lambda: came.append((tmp_path / "events").read_bytes()), daemon=True)
    reader.start()
    assert execute(tmp_path, json.dumps(shared())).returncode == 0
    reader.join(10)
    assert came == [expected]
    assert stat.S_ISFIFO((tmp_path / "events").stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["events", "scenario.json", "truth.json"]


def test_links_that_lead_nowhere_are_a_failure(tmp_path: Path) -> None:
    (tmp_path / "events").symlink_to("events")
    result = execute(tmp_path, json.dumps(shared()))
    assert result.returncode == 1
    assert "events" in result.stderr and result.stderr.count("\n") == 1


@pytest.mark.parametrize("option", ["--scenario", "--agent"])
def test_a_pipe_is_not_waited_for(tmp_path: Path, option: str) -> None:
    """Nothing writes to it: to open it would wait for ever."""
    os.mkfifo(tmp_path / "pipe")
    scenario = shared()
    del scenario["connection"]["lia_counts"]
    scenario["connection"]["congestion_control"] = {"name": "mplibra", "agent": "learnt"}
    (tmp_path / "scenario.json").write_text(json.dumps(scenario))
    given = {"--scenario": "scenario.json", "--agent": "pipe", "--events": "e", "--truth": "t"} | {option: "pipe"}
    command = [str(PROGRAM), *(f"{name}={value}" for name, value in given.items())]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=20)
    assert result.returncode in (1, 2)
    assert "pipe" in result.stderr and result.stderr.count("\n") == 1


def test_missing_capture_directory_is_a_failure(tmp_path: Path) -> None:
    """Captures need a directory: exit 1 and no file."""
    result = execute(tmp_path, json.dumps(shared()), "--pcap=none")
    assert result.returncode == 1
    assert "none/sender.0.pcap" in result.stderr and result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["scenario.json"]


def result_of(option: str) -> str:
    """What the program prints with one option."""
    return subprocess.run([PROGRAM, option], capture_output=True, text=True, check=True).stdout


def test_version_names_the_sources() -> None:
    """The hash in the version is that of the sources the program was built from."""
    sources = sorted((path for path in (SIMULATOR / "src").rglob("*") if path.is_file()), key=bytes)
    assert len({path.parent for path in sources}) > 1
    assert simulator.source_digest() in result_of("--version")
    expected = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    assert result_of("--version") == f"smartsbd-sim 0.1.0 sources={expected}\n"
