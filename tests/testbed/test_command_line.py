"""`sbd testbed` before it makes anything: what it cannot use or do, it says in one line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from smartsbd.pipelines.__main__ import main
from smartsbd.testbed import machine
from smartsbd.testbed.examples import FOLDER
from tests.capabilities import taken_away_of

ROOT = Path(__file__).parents[2]
SHARED = str(FOLDER / "shared.json")


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Exit code and what stands on stderr, without usage; for what argparse refuses, too."""
    try:
        code = main(["testbed", *words])
    except SystemExit as end:
        code = int(str(end.code))
    return code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([SHARED], "the following arguments are required: --out"),
        ([SHARED, "--out", "o", "--colour"], "unrecognized arguments: --colour"),
        (["none.json", "--out", "o"], "none.json: cannot be read: No such file or directory"),
        (["text.json", "--out", "o"], "text.json: is no scenario: Invalid JSON: "),
        (["/proc/self/mem", "--out", "o"], "/proc/self/mem: cannot be read: Input/output error"),
        (["empty.json", "--out", "o"], "empty.json: links: Field required"),
        ([SHARED, SHARED, "--out", "o"], "another scenario has the name shared"),
        (["--out", "o"], "name scenario files, or a dataset by --dataset"),
        ([SHARED, "--dataset", "wide_linux", "--out", "o"], "name scenario files, or a dataset by --dataset"),
        ([SHARED, "--experiment", "loop_kernel", "--out", "o"], "name scenario files, or a dataset by --dataset"),
        (["--experiment", "loop_moon", "--out", "o"], "argument --experiment: invalid choice: 'loop_moon'"),
        (["--experiment", "loop_kernel", "--captures-only", "--out", "o"], "--experiment needs logs"),
        ([SHARED, "--controls", "lia", "--out", "o"], "--controls are of an experiment"),
        (["--experiment", "loop_kernel", "--out", "o", "--controls", "olia"], "argument --controls: invalid choice"),
        (
            ["--experiment", "loop_kernel", "--out", "o", "--controls", "common_lag", "forest_invariant"],
            "--controls names two that sbd_smart would ask",
        ),
        (["--dataset", "moon", "--out", "o"], "params.yaml: simulate.moon is missing"),
        (["--dataset", "sites", "--out", "o"], "sites 00000: does not go here: "),
        ([SHARED, "--seed", "7", "--out", "o"], "--seed and --again are of a dataset"),
        ([SHARED, "--again", "1", "--out", "o"], "--seed and --again are of a dataset"),
        (["--dataset", "wide_linux", "--again", "1", "--out", "o"], "wide_linux is not"),
        ([SHARED, "--out", "o", "--jobs", "0"], "--jobs must be at least 1"),
        ([SHARED, "--out", "o", "--jobs", "two"], "argument --jobs: invalid int value: 'two'"),
        ([SHARED, "--out", "o", "--judge", "--captures-only"], "--judge judges logs, and --captures-only makes none"),
    ],
)
def test_what_cannot_be_used_is_said_before_anything_is_made(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    line: str,
) -> None:
    for name in ("dvc.yaml", "params.yaml"):
        shutil.copy(ROOT / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    Path("text.json").write_text("no scenario")
    Path("empty.json").write_text("{}")
    code, shown = said(capsys, *words)
    assert code in (2, 3)
    if "empty.json" in words:
        # Each of several lines names the file.
        assert all(shown_line.startswith("ERROR testbed: empty.json: ") for shown_line in shown.splitlines())
    else:
        assert shown.count("\n") == 1
    assert line in shown
    assert not Path("o").exists()


def test_a_folder_that_is_there_is_not_written_over(
    allowed: Path, without_logs: str | None, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    del allowed
    code, shown = said(capsys, SHARED, "--out", str(tmp_path), *(["--captures-only"] if without_logs else []))
    assert (code, shown) == (2, f"ERROR testbed: {tmp_path} is there already\n")


def test_a_relay_of_older_sources_is_not_run(
    allowed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    del allowed
    (tmp_path / "relay").touch()
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources/port.cc").touch()
    os.utime(tmp_path / "relay", ns=(0, 0))
    monkeypatch.setattr(machine, "RELAY", tmp_path / "relay")
    monkeypatch.setattr(machine, "_SOURCES_OF_RELAY", tmp_path / "sources")
    code, shown = said(capsys, SHARED, "--out", str(tmp_path / "out"), "--captures-only")
    assert code == 1
    assert shown == f"ERROR testbed: {tmp_path / 'relay'} is older than its sources: `make testbed` builds it\n"
    os.utime(tmp_path / "sources/port.cc", ns=(0, 0))
    assert not machine.is_stale(machine.RELAY, tmp_path / "sources")


@taken_away_of("net_admin", "sys_admin")
@pytest.mark.parametrize("missing", ["net_admin", "sys_admin"])
def test_a_missing_capability_is_one_line(tmp_path: Path, missing: str) -> None:
    without = ["setpriv", "--bounding-set", f"-{missing}", "--inh-caps", f"-{missing}"]
    words = [sys.executable, "-m", "pipelines", "testbed", SHARED, "--out", str(tmp_path / "out")]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([*without, *words], capture_output=True, text=True, check=False, cwd=ROOT, env=environment)
    assert done.returncode == 1
    assert done.stderr == (
        f"ERROR testbed: CAP_{missing.upper()} is missing: a testbed makes network namespaces and devices;"
        " run it as root\n"
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "remedy"),
    [("RELAY", "`make testbed` builds it"), ("RECORDER", "`make kernel` builds it; --captures-only")],
)
def test_where_a_program_is_not_built_it_says_how(
    allowed: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    name: str,
    remedy: str,
) -> None:
    del allowed
    monkeypatch.setattr(machine, name, tmp_path / "none")
    code, shown = said(capsys, SHARED, "--out", str(tmp_path / "out"))
    assert code == 1
    assert shown.count("\n") == 1
    assert remedy in shown
    assert list(tmp_path.iterdir()) == []
