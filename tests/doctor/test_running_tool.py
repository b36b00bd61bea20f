"""Programs that run beside a test."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from smartsbd.doctor.running_tool import RunningTool, ToolError
from tests.processes import waited_for


def python(program: str, out: Path) -> RunningTool:
    return RunningTool([sys.executable, "-c", program], out)


def test_what_says_much_of_errors_does_not_wait_for_a_reader(tmp_path: Path) -> None:
    tool = python("import sys; sys.stderr.write('no route\\n' * 100_000); print('done')", tmp_path / "out")
    tool.ended(0)
    assert (tmp_path / "out").read_text() == "done\n"
    tool.kill()


def test_what_failed_says_why_in_one_line(tmp_path: Path) -> None:
    tool = python("import sys; sys.exit('first\\nlast \\x1b')", tmp_path / "out")
    with pytest.raises(ToolError, match=r": last \\x1b$"):
        tool.ended(0)
    assert tool.has_failed(0)
    tool.kill()


def test_what_is_asked_to_end_ends(tmp_path: Path) -> None:
    program = "import signal, time; signal.signal(signal.SIGTERM, lambda *_: exit(7)); print(1, flush=True)"
    tool = python(f"{program}; time.sleep(60)", tmp_path / "out")
    assert waited_for((tmp_path / "out").read_text)
    tool.ask_to_end()
    tool.ended(7)
    tool.kill()


def test_programs_speak_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    tool = python("import os; print(os.environ['LC_ALL'])", tmp_path / "out")
    tool.ended(0)
    assert (tmp_path / "out").read_text() == "C\n"
    tool.kill()
