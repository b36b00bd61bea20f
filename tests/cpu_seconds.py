"""What every test costs in CPU seconds: its fixtures, itself, and the programs that it starts and waits for.

``pytest --cpu-seconds FILE`` writes a row for each test; ``python -m tests.cpu_seconds FILE`` prints a row for each
test file and each folder. A test of the fast set that takes more than :data:`MOST_CPU_S` is named at the end of a run.
"""

from __future__ import annotations

import csv
import os
import sys
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest

#: What the longest test of the fast set may take, without the fixtures that it shares with others.
MOST_CPU_S = 20.0

_COLUMNS = ("test", "set", "outcome", "setup_cpu_s", "call_cpu_s", "teardown_cpu_s", "wall_s")


def _used_cpu_s() -> float:
    """Return the CPU seconds of this process and of those that it has waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


class CpuSeconds:
    """Measures in each worker, and collects where the run is reported.

    Parameters
    ----------
    path : Path, optional
        CSV file to write.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._before_cpu_s = 0.0
        self._rows: dict[str, dict[str, float | str]] = {}

    def pytest_runtest_logstart(self) -> None:
        """A test begins."""
        self._before_cpu_s = _used_cpu_s()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Set-up, call or teardown of a test has ended."""
        del call
        report = yield
        now_cpu_s = _used_cpu_s()
        # A worker sends its reports with all their attributes.
        set_name = "slow" if item.get_closest_marker("slow") else "fast"
        vars(report).update(cpu_s=now_cpu_s - self._before_cpu_s, set_name=set_name)
        self._before_cpu_s = now_cpu_s
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A report has come, from this process or from a worker."""
        row = self._rows.setdefault(report.nodeid, {"outcome": "passed", "wall_s": 0.0})
        row |= {"set": getattr(report, "set_name", ""), f"{report.when}_cpu_s": getattr(report, "cpu_s", 0.0)}
        row["wall_s"] = float(row["wall_s"]) + report.duration
        if report.outcome != "passed":
            row["outcome"] = report.outcome

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name the tests that make the fast set slow, and write the file."""
        for test, row in self._rows.items():
            if row["set"] == "fast" and float(row.get("call_cpu_s", 0.0)) > MOST_CPU_S:
                terminalreporter.write_line(
                    f"{test}: {row['call_cpu_s']:.0f} CPU s; the fast set has tests of at most {MOST_CPU_S:.0f}"
                )
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("w", newline="") as file:
                table = csv.DictWriter(file, _COLUMNS, restval="")
                table.writeheader()
                table.writerows({"test": test} | row for test, row in self._rows.items())


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes the table."""
    parser.addoption("--cpu-seconds", metavar="FILE", type=Path, help="write a row for each test to a CSV file")


def pytest_configure(config: pytest.Config) -> None:
    """Measure in every process; what runs the workers writes."""
    is_worker = hasattr(config, "workerinput")
    config.pluginmanager.register(CpuSeconds(None if is_worker else config.getoption("--cpu-seconds")))


def summed(path: Path) -> list[tuple[str, int, float]]:
    """Return name, tests and CPU seconds of each folder below ``tests`` and each file, those that take most first.

    Parameters
    ----------
    path : Path
        Written by ``--cpu-seconds``.
    """
    seconds: dict[str, float] = defaultdict(float)
    tests: dict[str, int] = defaultdict(int)
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            name = row["test"].partition("::")[0]
            parts = name.split("/")
            folder = "/".join(parts[: 2 if parts[0] == "tests" else 1]) + "/"
            for place in {name, folder}:
                tests[place] += 1
                seconds[place] += sum(float(row[f"{when}_cpu_s"] or 0) for when in ("setup", "call", "teardown"))
    return sorted(((name, tests[name], seconds[name]) for name in tests), key=lambda row: -row[2])


if __name__ == "__main__":
    for name, count, cpu_s in summed(Path(sys.argv[1])):
        print(f"{cpu_s:9.1f} CPU s {count:6d} tests  {name}")
