"""What ``sbd kernel status`` tells while runs go on: which subflows are coupled, and what was said of them."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

from testbed import machine

_PERIOD_S = 0.5
#: What a row has.
COLUMNS = (
    *("time_ns", "token", "by", "signals", "subflow_a", "subflow_b"),
    *("coupled", "shared", "verdicts", "said", "score_q10"),
)


def of_status(told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each pair of subflows of each connection.

    Parameters
    ----------
    told : dict
        What ``sbd kernel status --json`` prints.

    Examples
    --------
    >>> pair = {"subflows": [1, 2], "coupled": True, "shared": None, "verdicts": 0, "said": None, "score_q10": 0}
    >>> connection = {"token": "0a", "by": "lag_excess", "subflows": [{"signals": 3}, {"signals": 4}], "pairs": [pair]}
    >>> (row,) = of_status({"now_ns": 5, "connections": [connection]})
    >>> row["time_ns"], row["token"], row["signals"], row["coupled"], row["shared"]
    (5, '0a', 7, True, None)
    """
    for connection in told["connections"]:
        for pair in connection["pairs"]:
            subflow_a, subflow_b = sorted(pair["subflows"])
            yield {
                "time_ns": told["now_ns"],
                "token": connection["token"],
                "by": connection["by"],
                "signals": sum(subflow["signals"] for subflow in connection["subflows"]),
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

    def _ask(self) -> None:
        words = [str(machine.CONTROLLERS_LOADER), "status", "--json"]
        while not self._stop.wait(_PERIOD_S):
            asked = subprocess.run(words, capture_output=True, text=True, check=False)
            # Where nothing is loaded, no connection has groups that are decided.
            if asked.returncode == 0:
                self.rows += of_status(json.loads(asked.stdout))
