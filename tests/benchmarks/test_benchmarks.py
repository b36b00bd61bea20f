"""Every benchmark, with little to do: it runs, checks what it measures, and prints a row of each kind."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.export import PEERS
from smartsbd.detectors import DETECTORS
from tests.export.made import PYTHON_ALONE
from tests.log_traffic import KINDS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
#: Headers that hold no model.
_OF_NO_MODEL = {"sbd_loaded", "sbd_lag_excess", "sbd_common_lag"}
#: What `make bench` runs, by what little it is given to do here.
LITTLE = {
    "parse": "--packets 2000 --connections 2 --runs 1",
    "logs": "--lines 2000 --connections 2 --runs 1 --broken 0.1",
    "extract": "--dataset groups --connections 4",
    "replay": "--tables data/tables/kernel --connections 2",
    "scale_out": "--dataset kernel",
    "windows": "--datasets groups",
    "judgements": "--datasets groups --connections 1",
    "crate": "--datasets kernel --inputs 1",
    "simulator": "--settings 10:60 --seconds 3",
    "loop": "--networks 1 --seconds 20 --sources lag_excess tree_paper",
    "export": "--rounds 1 --rows 2000 --ours",
    # Run where the controllers are: tests/kernel/test_controllers.py.
    "kernel": "--mbit-s 20 --seconds 1",
}


def printed(folder: Path, module: str, *more: str) -> str:
    """Return what a benchmark prints in a project's folder."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *LITTLE[module].split(), *more]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def rows(table: str) -> list[list[str]]:
    """Return the cells of a table's rows, without its head."""
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines[1:]]


def test_every_benchmark_is_in_the_readme_and_is_run_here() -> None:
    listed = re.findall(r"^- `(\w+)`: ", (ROOT / "benchmarks/README.md").read_text(), re.MULTILINE)
    runnable = {path.stem for path in (ROOT / "benchmarks").glob("*.py") if "ArgumentParser" in path.read_text()}
    assert set(listed) == runnable == set(LITTLE)


def test_make_lists_them_and_passes_options_on() -> None:
    listed = subprocess.run(["make", "--dry-run", "bench"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "benchmarks/README.md" in listed.stdout
    wanted = ["make", "--dry-run", "bench", "WHAT=parse --memory"]
    assert (
        "python -m benchmarks.parse --memory"
        in subprocess.run(wanted, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    )


def test_packets_of_parse_beside_other_programs(quick: Path) -> None:
    found = dict(re.findall(r"^(\S.*?)\s{2,}([\d,]+) +\d+\.\d+ ", printed(quick, "parse"), re.MULTILINE))
    assert {"parse", "dpkt", "touching every page"} <= found.keys()
    assert set(found.values()) == {"2,000"}


def test_lines_of_every_kind_of_log(quick: Path) -> None:
    found = rows(printed(quick, "logs"))
    assert [row[0] for row in found] == list(KINDS)
    assert all(float(row[2]) > 0 and float(row[3]) > 0 and 20 < int(row[4]) <= 300 for row in found)


def test_connections_of_extract(quick: Path) -> None:
    said = r"4 connections, \d+ MB of tables: [\d.]+ s wall, [\d.]+ s CPU, \d+ MB in the largest process\n"
    assert re.fullmatch(said, printed(quick, "extract"))


def test_events_of_every_detector(quick: Path) -> None:
    found = rows(printed(quick, "replay"))
    assert [row[0] for row in found] == list(DETECTORS)
    for name, _, events, *rates, compiled in found:
        assert int(events) > 1000 and min(map(float, rates)) > 0
        assert compiled == "-" if name in PYTHON_ALONE else float(compiled) > 0


@pytest.mark.slow
def test_parse_and_extract_spread_out_come_to_the_same(quick: Path) -> None:
    said = printed(quick, "scale_out")
    digests = re.findall(r"^.{30} parse +[\d.]+ s extract +[\d.]+ s (\w{16})$", said, re.MULTILINE)
    assert len(digests) == 3 and len(set(digests)) == 1
    assert "all the same: True" in said


def test_times_of_headers_on_windows(quick: Path) -> None:
    found = rows(printed(quick, "windows"))
    headers = {path.stem for path in (quick / "export/generated").glob("sbd_*.h")} - _OF_NO_MODEL
    assert {row[0] for row in found} == headers
    assert all(row[2] == "groups" and int(row[3]) > 0 for row in found)


def test_times_of_the_lag_excess(quick: Path) -> None:
    found = rows(printed(quick, "judgements"))
    assert all(row[1] == "groups" and int(row[3]) > 1000 and 0 < float(row[4]) < 2000 for row in found)
    assert {int(row[-1]) for row in found} <= set(range(1, (16 << 10) + 1))


@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
def test_times_of_the_crate_beside_c() -> None:
    timed = rows(printed(ROOT, "crate"))
    assert {row[0] for row in timed} >= {"rustc", "gcc"}
    assert all(int(row[2]) > 1000 and int(row[3]) > 0 and float(row[5]) > 0 for row in timed)
    assert len({(row[2], row[4]) for row in timed}) == 1


def test_times_of_our_exported_models() -> None:
    found = [row for row in rows(printed(ROOT, "export")) if row[0].startswith("ours")]
    assert [row[0] for row in found] == ["ours, nested", "ours, packed"] * 2
    assert all(row[-1] == "2000 (100.00%)" for row in found)


@pytest.mark.slow
@pytest.mark.skipif(not PEERS.exists(), reason="other exporters are not installed: `make bench WHAT=export` does")
def test_other_exporters_models_are_measured_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LITTLE, "export", LITTLE["export"].replace(" --ours", ""))
    found = {row[0].split(",")[0] for row in rows(printed(ROOT, "export"))}
    assert {"ours", "emlearn", "m2cgen", "tl2cgen"} <= found


def test_time_of_the_simulator() -> None:
    """Of a row: the setting, what is in flight, and links that were used."""
    ((setting, packets, used, each),) = rows(printed(ROOT, "simulator"))
    assert (setting, packets) == ("10, 60", "52")
    assert 0 < float(used) <= 1
    assert float(each) > 0


def test_cost_of_a_detector_in_the_loop() -> None:
    """What judges windows costs time when it decides; the lag excess when a signal ends a tile."""
    found = {row[0]: row[1:] for row in rows(printed(ROOT, "loop"))}
    assert set(found) == {"lag_excess", "tree_paper"}
    for signals, signal_ns, _, decisions, decision_us, _, share in found.values():
        assert int(signals.replace(",", "")) > 1000 and float(signal_ns) > 0
        assert int(decisions) > 0 and float(decision_us) > 0
        assert 0 < float(share.removesuffix(" %")) < 100
    assert float(found["tree_paper"][4]) > float(found["lag_excess"][4])
