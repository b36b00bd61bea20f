"""What ``sbd kernel status`` prints while runs go on: groups of subflows, their verdicts, and the time they took."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

from smartsbd.testbed import machine

_PERIOD_S = 0.5
#: What a row has.
COLUMNS = (
    *("time_ns", "token", "by", "signals", "works", "work_ns", "work_most_ns", "subflow_a", "subflow_b"),
    *("coupled", "shared", "verdicts", "said", "score_q10"),
)


def status() -> dict[str, Any] | None:
    """Return what ``sbd kernel status --json`` prints; None where no controllers are loaded.

    Returns
    -------
    dict or None
        The report.

    Raises
    ------
    smartsbd.testbed.machine.MachineError
        If the program that prints it has not been built.
    """
    machine.check_built(machine.CONTROLLERS_LOADER)
    words = [str(machine.CONTROLLERS_LOADER), "status", "--json"]
    asked = subprocess.run(words, capture_output=True, text=True, check=False)
    if asked.returncode:
        return None
    # Behind it come controllers that were unloaded, while connections still have them.
    report: dict[str, Any] = json.loads(asked.stdout.splitlines()[0])
    return report if report["loaded"] else None


def of_status(report: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each pair of subflows of each connection.

    Parameters
    ----------
    report : dict
        What ``sbd kernel status --json`` prints.

    Yields
    ------
    dict
        Values of :data:`COLUMNS` by name.

    Examples
    --------
    >>> pair = {"subflows": [1, 2], "coupled": True, "shared": None, "verdicts": 0, "said": None, "score_q10": 0}
    >>> connection = {"token": "0a", "by": "common_lag", "subflows": [{"signals": 3}, {"signals": 4}], "pairs": [pair]}
    >>> connection |= {"works": 1, "work_ns": 900, "work_most_ns": 900}
    >>> (row,) = of_status({"now_ns": 5, "connections": [connection]})
    >>> row["time_ns"], row["token"], row["signals"], row["coupled"], row["shared"]
    (5, '0a', 7, True, None)
    """
    for connection in report["connections"]:
        for pair in connection["pairs"]:
            subflow_a, subflow_b = sorted(pair["subflows"])
            yield {
                "time_ns": report["now_ns"],
                "token": connection["token"],
                "by": connection["by"],
                "signals": sum(subflow["signals"] for subflow in connection["subflows"]),
                **{name: connection[name] for name in ("works", "work_ns", "work_most_ns")},
                "subflow_a": subflow_a,
                "subflow_b": subflow_b,
                "coupled": pair["coupled"],
                "shared": pair["shared"],
                "verdicts": pair["verdicts"],
                "said": pair["said"],
                "score_q10": pair["score_q10"],
            }


class DecidedGroups:
    """Asks twice a second, from its beginning to its end.

    Attributes
    ----------
    rows : list of dict
        As :func:`of_status` yields them.
    """

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self._first: dict[str, Any] | None = None
        self._last: dict[str, Any] | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)

    def __enter__(self) -> DecidedGroups:
        """Begin to ask."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Ask no more."""
        self._stop.set()
        self._thread.join()

    def programs(self) -> list[dict[str, Any]]:
        """Return how often each program ran between the first and the last time it was asked, and for how long.

        Returns
        -------
        list of dict
            ``name``, ``runs`` and ``run_ns``; ``runs`` is 0 unless the kernel counted (``kernel.bpf_stats_enabled``).
        """
        if self._first is None or self._last is None:
            return []
        before = {program["name"]: program for program in self._first["programs"]}
        return [
            {"name": program["name"]} | {key: program[key] - before[program["name"]][key] for key in ("runs", "run_ns")}
            for program in self._last["programs"]
        ]

    def _ask(self) -> None:
        while not self._stop.wait(_PERIOD_S):
            report = status()
            if report is None:
                continue
            self._first = self._first or report
            self._last = report
            self.rows += of_status(report)
