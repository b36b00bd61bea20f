"""What the check of "shared" finds in this machine's kernel, and what it costs while windows are moved.

Run as root, once after ``sbd kernel load``, then after ``sbd kernel load --check --log-checks`` with ``--plain`` and
the folder of the first run. experiments.md has the protocol.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import zstandard

from smartsbd.detectors.active.dithered_pair import DitheredPair
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_csv
from smartsbd.pipelines.running import stage
from smartsbd.scenarios.closed_loop.checked_paths import LABELS, SHARED, CheckedNetwork, draw, has_equal_rtts
from smartsbd.scenarios.simulator import written
from smartsbd.testbed import machine
from smartsbd.testbed.decided_groups import status

SEED = 20261201
_PERIOD_S = 0.2
_TRUTH: Final = "truth.csv"
_UNA = re.compile(rb"smartsbd: (\d+) C=[0-9a-f]+ SF=(\d+) V=UNA (\d+)")
#: Windows that are shorter say nothing of goodput.
_LEAST_S = 1.0
_Z = 1.959963984540054


def wilson(count: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share by Wilson.

    Parameters
    ----------
    count, of : int

    Returns
    -------
    tuple of float

    Examples
    --------
    >>> tuple(round(bound, 3) for bound in wilson(0, 32))
    (0.0, 0.107)
    """
    if not of:
        return 0.0, 1.0
    share, spread = count / of, _Z**2 / of
    centre = (share + spread / 2) / (1 + spread)
    half = _Z / (1 + spread) * float(np.sqrt(share * (1 - share) / of + spread / 4 / of))
    return max(centre - half, 0.0), min(centre + half, 1.0)


def replayed(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Return what the kernel found by each check, and what its twin in Python finds of what the check was given.

    Parameters
    ----------
    lines : sequence of str
        Of one connection of two subflows, as ``sbd kernel checks`` prints them.

    Returns
    -------
    list of (str, str)

    Examples
    --------
    >>> replayed(["0a 0 1 begin 5 30000", "0a 0 1 rtt 0 6 31000", "0a 0 1 end 7 unknown"])
    [('unknown', 'unknown')]
    """
    found = []
    pair: DitheredPair | None = None
    for line in lines:
        what, *values = line.split()[3:]
        if what == "begin":
            pair = DitheredPair(int(values[1]))
        elif pair is None:
            continue
        elif what == "end":
            found.append((values[1], pair.verdict.name.lower()))
            pair = None
        elif what == "symbol":
            which, begin_ns, middle_ns, end_ns, amplitude = map(int, values)
            pair.on_symbol(which, begin_ns, middle_ns, end_ns, amplitude)
        else:
            which, time_ns, rtt_us = map(int, values)
            pair.on_rtt(which, time_ns, rtt_us)
    return found


def acknowledged(log: bytes) -> tuple[np.ndarray, np.ndarray]:
    r"""Return when bytes of a connection were acknowledged, and how many since its beginning.

    Parameters
    ----------
    log : bytes
        Event lines of ``sbd record``.

    Returns
    -------
    times_s : (events,) float64, seconds
        By the monotonic clock, in order.
    acked_bytes : (events,) int64

    Examples
    --------
    >>> lines = [b"smartsbd: %d C=a SF=1 V=UNA %d" % event for event in ((10**9, 4294967295), (2 * 10**9, 9))]
    >>> times_s, acked_bytes = acknowledged(b"\n".join(lines))
    >>> times_s.tolist(), acked_bytes.tolist()
    ([1.0, 2.0], [0, 10])
    """
    last: dict[bytes, int] = {}
    events = []
    for time_ns, subflow, una in _UNA.findall(log):
        value = int(una)
        events.append((int(time_ns), (value - last.get(subflow, value)) % (1 << 32)))
        last[subflow] = value
    events.sort()
    times_s = np.array([time_ns for time_ns, _ in events], dtype=np.float64) / 1e9
    return times_s, np.cumsum([acked for _, acked in events], dtype=np.int64)


def rate_mbit_s(log: bytes, from_s: float, to_s: float) -> float | None:
    """Return a connection's goodput over a part of it.

    Parameters
    ----------
    log : bytes
        Event lines of ``sbd record``.
    from_s, to_s : float, seconds
        After its first event.

    Returns
    -------
    float, Mbit/s or None
        None if the part is too short, or the log does not have all of it.
    """
    times_s, acked_bytes = acknowledged(log)
    if to_s - from_s < _LEAST_S or not len(times_s) or times_s[-1] - times_s[0] < to_s:
        return None
    first, last = np.searchsorted(times_s, times_s[0] + np.array([from_s, to_s]))
    return float((acked_bytes[last] - acked_bytes[first]) * 8e-6 / (to_s - from_s))


class _CheckedPairs:
    """What the kernel says of every pair, and what its checks were given, asked a few times a second."""

    def __init__(self) -> None:
        self.pairs: dict[str, list[dict[str, Any]]] = {}
        self.lines: dict[str, list[str]] = {}
        self.lost = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)

    def __enter__(self) -> _CheckedPairs:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _ask(self) -> None:
        while not self._stop.wait(_PERIOD_S):
            report = status()
            if not report:
                continue
            self.lost = report["counts"]["check_events_lost"]
            for connection in report["connections"]:
                for pair in connection["pairs"]:
                    seen = {key: pair[key] for key in ("shared", "coupled", "verdicts", "check")}
                    self.pairs.setdefault(connection["token"], []).append(seen | {"now_ns": report["now_ns"]})
            if report["checks"]:
                words = [str(machine.CONTROLLERS_LOADER), "checks"]
                asked = subprocess.run(words, capture_output=True, text=True, check=False)
                for line in asked.stdout.splitlines():
                    self.lines.setdefault(line.split()[0], []).append(line)


def _log(folder: Path, name: str) -> bytes:
    compressed = folder / "inputs" / f"{name}.log.zst"
    if not compressed.exists():
        return b""
    return zstandard.ZstdDecompressor().decompressobj().decompress(compressed.read_bytes())


def check_row(
    seen: Sequence[Mapping[str, Any]], lines: Sequence[str], label: str, log: bytes, plain_log: bytes
) -> dict[str, Any]:
    """Return what the first check of a connection came to.

    Parameters
    ----------
    seen : sequence of mapping
        ``shared``, ``coupled``, ``verdicts`` and ``check`` of its pair, in order of time.
    lines : sequence of str
        What its checks were given.
    label : str
    log, plain_log : bytes
        Event lines of the connection, and of that on the same network without checks.

    Returns
    -------
    dict
        A row of the table.
    """
    checks = [row["check"] for row in seen if row["check"]]
    ended = [line.split() for line in lines if " end " in line]
    begun = [line.split() for line in lines if " begin " in line]
    row: dict[str, Any] = {
        "passive_shared": any(own["shared"] for own in seen),
        "passive_wrong": any(own["shared"] is not None and own["shared"] != (label == SHARED) for own in seen),
        "coupled_at_end": seen[-1]["coupled"] if seen else None,
        "checks": len(begun),
        "found": None,
    }
    if not begun:
        return row
    m_s, begin_s = int(begun[0][5]) / 1e6, int(begun[0][4]) / 1e9
    row["m_ms"] = m_s * 1e3
    if ended:
        end_s = int(ended[0][4]) / 1e9
        row["found"] = ended[0][5] if ended[0][5] in ("shared", "apart") else "unknown"
        row["took_s"], row["took_m"] = end_s - begin_s, (end_s - begin_s) / m_s
        row["symbols"] = max((own["symbols"] for own in checks), default=None)
        same = [twin in (found, "unknown" if found == "none" else found) for found, twin in replayed(lines)]
        row["replay_same"] = all(same)
        times_s, _ = acknowledged(log)
        if len(times_s):
            part = (begin_s - times_s[0], end_s - times_s[0])
            row["begun_s"] = part[0]
            row["on_mbit_s"] = rate_mbit_s(log, *part)
            row["plain_mbit_s"] = rate_mbit_s(plain_log, *part)
    return row


def sentences(table: pd.DataFrame) -> Iterator[str]:
    """Yield what a table of runs says of each label, with intervals.

    Parameters
    ----------
    table : DataFrame
        As the program writes it.

    Yields
    ------
    str
    """
    for label in LABELS:
        own = table[table["label"] == label]
        begun = own[own["checks"] > 0]
        wrong = "apart" if label == SHARED else "shared"
        decided = begun[begun["found"].isin(["shared", "apart"])]
        errors = int((begun["found"] == wrong).sum())
        low, high = wilson(errors, len(begun))
        median_m = decided["took_m"].median() if len(decided) else float("nan")
        yield (
            f"{label}: {len(own)} networks, passive said shared of {int(own['passive_shared'].sum())}, "
            f"checks {len(begun)}, decided {len(decided)}, right {len(decided) - errors}, "
            f"false {wrong} {errors} [{low:.3f}, {high:.3f}], median {median_m:.0f} M, "
            f"coupled at the end {int(own['coupled_at_end'].astype(float).sum())}"
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    parser.add_argument("--networks", type=int, default=16, help="of each label (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=40.0, help="length of each transfer (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=3, help="connections at once (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=SEED, help="of the networks (default: %(default)s)")
    parser.add_argument("--plain", type=Path, help="folder of a run on the same networks without checks")
    parser.add_argument("--out", type=Path, required=True, help="folder to make, with what `sbd testbed` writes")
    parser.add_argument("--table", type=Path, required=True, help="table to write")


def _ran(arguments: argparse.Namespace, networks: Sequence[CheckedNetwork]) -> tuple[int, _CheckedPairs]:
    """Run all networks under sbd_smart; return the exit code, and what was seen."""
    scenarios = arguments.out.with_name(arguments.out.name + "-scenarios")
    scenarios.mkdir(parents=True)
    for network in networks:
        (scenarios / f"{network.name}.json").write_text(written(network.scenario))
    files = [str(scenarios / f"{network.name}.json") for network in networks]
    words = ["testbed", *files, "--congestion-control", "sbd_smart", "--jobs", str(arguments.jobs)]
    with _CheckedPairs() as watched:
        command = [sys.executable, "-m", "smartsbd.pipelines", *words, "--out", str(arguments.out)]
        done = subprocess.run(command, check=False)
    return done.returncode, watched


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run them, and say what was found."""
    del params
    networks = list(draw(arguments.networks, arguments.seconds, arguments.seed))
    code, watched = _ran(arguments, networks)
    if not (arguments.out / _TRUTH).exists():
        return code
    truth = pd.read_csv(arguments.out / _TRUTH, dtype={"token": str})
    rows = []
    for network in networks:
        tokens = truth.loc[truth["input"] == f"{network.name}.log.zst", "token"]
        if tokens.empty:
            continue
        token = str(tokens.iloc[0])
        plain = _log(arguments.plain, network.name) if arguments.plain else b""
        own = check_row(
            watched.pairs.get(token, []),
            watched.lines.get(token, []),
            network.label,
            _log(arguments.out, network.name),
            plain,
        )
        kind = {"rival": bool(network.scenario.background), "equal_rtts": has_equal_rtts(network.number)}
        rows.append({"label": network.label, "number": network.number, **kind, **own})
    table = pd.DataFrame(rows)
    write_csv(table.round(4), arguments.table)
    for sentence in sentences(table):
        stage.say(sentence)
    stage.say(f"events lost: {watched.lost}")
    return code
