"""A campaign counts what runs, goes on where a process ends, and fails where something is found."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz import campaign, programs
from tests.fuzz.targets import ROOT, TARGETS

pytestmark = pytest.mark.slow

#: A reader of truth.csv that differs from ours, for a process that begins with it.
DIFFERENT = """\
import os, signal
from smartsbd.traces import truth
whole, read = truth.read_csv, 0

def read_csv(path):
    global read
    read += 1
    {}
    return whole(path)

truth.read_csv = read_csv
"""


def run(folder: Path, *arguments: str, different: str | None = None) -> tuple[int, dict[str, dict[str, str]], str]:
    """Run a campaign, with a reader that differs; return its exit code, its table by target, and all it said."""
    path = str(ROOT)
    if different is not None:
        (folder / "site").mkdir()
        (folder / "site/sitecustomize.py").write_text(DIFFERENT.format(different))
        path = f"{folder / 'site'}{os.pathsep}{path}"
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.campaign", "--folder", str(folder / "found"), *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines() if "|" in line]
    names = rows[0] if rows else []
    return done.returncode, {row[0]: dict(zip(names, row, strict=True)) for row in rows[2:]}, done.stdout + done.stderr


def number(cell: str) -> int:
    return int(cell.replace(",", ""))


def test_what_runs_is_counted(tmp_path: Path) -> None:
    chosen = ["truth", *(["model_file"] if programs.has_clang() else [])]
    out = tmp_path / "table.md"
    code, found, said = run(tmp_path, *chosen, "--runs", "3000", "--jobs", "2", "--merge", "--out", str(out))
    assert code == 0, said
    assert list(found) == chosen
    for row in found.values():
        assert 3000 <= number(row["executions"]) < 4000
        assert (row["processes"], row["findings"]) == ("1", "0")
        assert min(number(row[name]) for name in ("a CPU second", "edges", "features", "inputs")) > 0
    assert out.read_text().strip() in said
    # What is kept reaches all that was reached.
    for target in chosen:
        kept = list((tmp_path / "found" / target / "corpus").iterdir())
        assert kept and not (tmp_path / "found" / target / "merged").exists()


def test_a_finding_ends_its_target_and_fails_the_campaign(tmp_path: Path) -> None:
    code, found, said = run(tmp_path, "truth", "--runs", "100000", different='assert not whole(path), "made"')
    assert code == 1, said
    assert found["truth"]["findings"] == "1" and number(found["truth"]["executions"]) < 100_000
    (line,) = [line for line in said.splitlines() if line.startswith("found by truth: ")]
    content = Path(line.removeprefix("found by truth: ")).read_bytes()
    # The unchanged program reads it.
    assert TARGETS["truth"].check(content)


def test_a_process_that_is_killed_is_followed_by_another(tmp_path: Path) -> None:
    killed = "if read > 300: os.kill(os.getpid(), signal.SIGKILL)"
    code, found, said = run(tmp_path, "truth", "--runs", "600", different=killed)
    assert code == 0, said
    assert number(found["truth"]["processes"]) > 1 and number(found["truth"]["executions"]) >= 600


def test_a_program_that_cannot_begin_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "found/truth").mkdir(parents=True)
    (tmp_path / "found/truth/seeds").touch()
    code, found, said = run(tmp_path, "truth", "--runs", "600")
    assert code == 1 and found["truth"]["executions"] == "0", said
    assert "found by truth: exit code 1: FileExistsError" in said


def test_what_is_no_target_is_said(tmp_path: Path) -> None:
    code, _, said = run(tmp_path, "none")
    assert code == 2 and "none is no target" in said


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_has_its_bar(target: str) -> None:
    bounds = campaign.bounds_of(None, None)(target)
    assert bounds.runs == (5_000_000 if target in programs.PROGRAMS else 1_000_000)
