"""A log of 60,000 subflows: each command shows those that are held, counts all others, and takes little memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from smartsbd.traces.bounds import TOO_MANY_SUBFLOWS
from tests.processes import PATIENCE_S

ROOT = Path(__file__).parents[2]
#: Runs a command, which may map a gigabyte beyond what the program itself does.
PROGRAM = """
import resource, sys
from smartsbd.pipelines.__main__ import main
mapped_bytes = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (mapped_bytes + (1 << 30),) * 2)
sys.exit(main(sys.argv[1:]))
"""
SUBFLOWS, CONNECTIONS, HELD = 60_000, 6, 64
PAIRS = HELD * (HELD - 1) // 2
REFUSED = SUBFLOWS - CONNECTIONS * HELD


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two megabytes; a number of a subflow has four digits, so they are of six connections."""
    path = tmp_path_factory.mktemp("logs") / "a.log"
    each = SUBFLOWS // CONNECTIONS
    lines = [f"{10**9 + number} C=5bd{number // each} SF={number % each} V=RTT 24511\n" for number in range(SUBFLOWS)]
    path.write_text("".join(lines))
    assert path.stat().st_size > 2_000_000
    return path


def sbd(*arguments: str) -> tuple[str, str]:
    command = [sys.executable, "-c", PROGRAM, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.mark.slow
def test_detect_judges_each_pair_of_what_is_held(log: Path) -> None:
    out, err = sbd("detect", "--json", str(log))
    said = [json.loads(line) for line in out.splitlines()]
    pairs = {(one["connection_id"], one["subflow_a"], one["subflow_b"]) for one in said}
    assert len(pairs) == CONNECTIONS * PAIRS
    assert f"refused {{'{TOO_MANY_SUBFLOWS}': {REFUSED}}} of {SUBFLOWS} records" in err


def test_inspect_shows_what_is_held_and_counts_what_is_not(log: Path) -> None:
    out, _ = sbd("inspect", str(log))
    lines = out.splitlines()
    assert lines[0].endswith(f"{CONNECTIONS} connections, {SUBFLOWS} records, {REFUSED} refused")
    assert lines[-1] == f"  refused {REFUSED}: {TOO_MANY_SUBFLOWS}"
    assert len(lines) == 3 + CONNECTIONS * HELD


def test_parse_writes_what_is_held_and_counts_what_is_not(log: Path, tmp_path: Path) -> None:
    sbd("parse", "--out", str(tmp_path / "tables"), str(log))
    report = json.loads((tmp_path / "tables/report.json").read_text())
    assert report["quarantined_by_reason"] == {TOO_MANY_SUBFLOWS: REFUSED}
    assert (report["records_in"], report["records_out"]) == (SUBFLOWS, CONNECTIONS * HELD)
    assert report["records_quarantined"] == REFUSED
    assert report["rows"]["subflow"] == CONNECTIONS * HELD
