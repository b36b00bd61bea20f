"""`sbd record` before it records: what it cannot use or do, it says in one line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from smartsbd.contracts.fault import UsageFault
from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.commands import record
from smartsbd.testbed import machine
from tests.capabilities import taken_away_of

ROOT = Path(__file__).parents[2]
SBD = Path(sys.prefix) / "bin/sbd"


def said(*words: str | Path, cwd: Path = ROOT) -> tuple[int, str]:
    """Exit code and stderr."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=cwd, env=environment)
    assert done.stdout == ""
    return done.returncode, done.stderr


def test_the_command_has_the_options_of_the_program(recorder: Path) -> None:
    shown = subprocess.run([recorder, "--help"], capture_output=True, text=True, check=True).stdout
    of_program = set(re.findall(r"^  --([a-z-]+)", shown, re.MULTILINE)) - {"verbose"}
    assert of_program == {name for name, *_ in record.OPTIONS} | {name for name, _ in record.FLAGS}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--colour"], 'unknown option "--colour"'),
        (["--seconds"], "--seconds needs a value"),
        (["--seconds", "-1"], '--seconds "-1" is not a number of seconds'),
        (["--token", "xyz"], '--token "xyz" is not hexadecimal'),
        (["--token", "0"], '--token "0" is not hexadecimal, or does not fit'),
        (["--port", "65536"], '--port "65536" is not a number that fits'),
        (["--ring-kib", "12"], '--ring-kib "12" is not a power of two from 4'),
        (["--format", "xml"], '--format "xml" is neither events nor state'),
        (["--format", "state"], "--format state needs a folder: --out DIR"),
        (["--rotate-mib", "1"], "parts are for a file of events: --out FILE"),
        (["--out", "x", "--keep", "1"], "--keep is for parts"),
        (["--netns", "/nowhere"], "--netns /nowhere: No such file"),
    ],
)
def test_what_cannot_be_used_is_one_line(recorder: Path, options: list[str], words: str) -> None:
    code, line = said(recorder, *options)
    assert code == UsageFault.exit_code
    assert line.startswith("sbd record: ")
    assert line.count("\n") == 1
    assert words in line


def test_the_command_says_it_in_one_line_too(recorder: Path) -> None:
    assert recorder.is_file()
    assert said(SBD, "record", "--colour") == (2, "sbd record: error: unrecognized arguments: --colour\n")
    code, line = said(SBD, "record", "--port", "none")
    assert (code, line) == (2, 'sbd record: --port "none" is not a number that fits\n')


def test_missing_types_are_one_line(recorder: Path) -> None:
    assert said(recorder, "--btf", "/nowhere") == (1, "sbd record: /nowhere: no such file of kernel types (BTF)\n")


@taken_away_of("bpf", "perfmon")
@pytest.mark.parametrize("missing", ["bpf", "perfmon"])
def test_a_missing_capability_is_one_line(recorder: Path, missing: str) -> None:
    without = f"-{missing},-sys_admin"
    code, line = said("setpriv", "--bounding-set", without, "--inh-caps", without, recorder)
    assert code == 1
    assert line == f"sbd record: CAP_{missing.upper()} is missing: run it as root, or give it CAP_BPF and CAP_PERFMON\n"


def test_a_file_that_is_there_is_not_written_over(recording_allowed: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("mine")
    code, lines = said(recording_allowed, "--seconds", "0.1", "--out", there)
    assert code == 1
    assert lines.splitlines()[-1] == f"sbd record: {there}: File exists (os error 17)"
    assert there.read_text() == "mine"
    code, lines = said(recording_allowed, "--seconds", "0.1", "--format", "state", "--out", tmp_path)
    assert (code, lines.splitlines()[-1]) == (1, f"sbd record: {tmp_path}: not empty")


def test_where_it_is_not_built_the_command_says_how(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(machine, "RECORDER", tmp_path / "sbd-record")
    assert main(["record"]) == 1
    shown = capfd.readouterr()
    assert "`make kernel` builds it" in shown.err
    assert shown.err.count("\n") == 1


def test_missing_tools_are_one_line() -> None:
    code, line = said("env", "CLANG=clang-none", ROOT / "kernel/check-tools.sh")
    assert (code, line) == (1, "kernel: clang-none is missing; on Debian: apt-get install clang-19\n")
