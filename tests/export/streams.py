"""Signals of a connection, as a sender's lines and as the pipeline takes them, and what the pipeline makes of them."""

from __future__ import annotations

import itertools
import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from smartsbd.features.pair import PairWindow, pair_window, pair_windows
from smartsbd.features.series import SubflowSignals, signals_of
from smartsbd.features.throughput import achieved_mbit_s
from smartsbd.features.window import NO_RATE, NO_RTT_WITHIN, geometry

Rng = np.random.Generator
Pair = tuple[int, int]


@dataclass(frozen=True)
class Event:
    """One signal."""

    time_ns: int
    subflow: int
    kind: str
    value: int


@dataclass(frozen=True)
class Found:
    """One window of a pair with its features, and, of the pipeline's, what they were computed from."""

    pair: Pair
    start_ns: int
    window_ns: int
    features: dict[str, int]
    source: PairWindow | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Replayed:
    """What the program said and counted."""

    exit_code: int
    windows: dict[int, list[Found]]
    verdicts: dict[int, list[bool]]
    groups: dict[int, dict[int, str]]
    counts: dict[str, int]
    text: str


_DECISION = re.compile(r"C=([0-9a-f]+) SF=(\d+),(\d+) (\d+) (\d+) (SB|NSB)((?: \w+=-?\d+)*)")
_GROUPS = re.compile(r"C=([0-9a-f]+) GROUPS((?: \d+:(?:\d+|-))*)")


def replayed(program: Path, lines: bytes, *arguments: str | Path) -> Replayed:
    """Run a replay program on lines; windows and verdicts stand as they were said, by token."""
    done = subprocess.run([program, *arguments], input=lines, capture_output=True, check=False)
    counts = re.findall(rb"replay: (lines .*)\n", done.stderr)
    found = Replayed(
        exit_code=done.returncode,
        windows={},
        verdicts={},
        groups={},
        counts={
            name: int(number) for own in counts for name, number in re.findall(r"([a-z ]+?) (\d+)(?:, )?", own.decode())
        },
        text=done.stderr.decode(errors="replace"),
    )
    for line in done.stdout.decode().splitlines():
        if decision := _DECISION.fullmatch(line):
            token, a, b, start_ns, window_ns, verdict, features = decision.groups()
            values = {name: int(value) for name, value in re.findall(r"(\w+)=(-?\d+)", features)}
            window = Found((int(a), int(b)), int(start_ns), int(window_ns), values)
            found.windows.setdefault(int(token, 16), []).append(window)
            found.verdicts.setdefault(int(token, 16), []).append(verdict == "SB")
        else:
            groups = _GROUPS.fullmatch(line)
            assert groups, line
            assert int(groups[1], 16) not in found.groups
            found.groups[int(groups[1], 16)] = {
                int(subflow): group for subflow, group in re.findall(r"(\d+):(\d+|-)", groups[2])
            }
    return found


@dataclass(frozen=True)
class Stream:
    """Events of a connection in order of time, and its end."""

    events: list[Event]
    end_ns: int
    #: Where windows begin anew, of which subflows, and whether that is said before the signals of that time.
    restarts: list[tuple[int, int, int, bool]] = field(default_factory=list)

    def subflows(self) -> list[int]:
        return sorted({event.subflow for event in self.events})

    def pairs(self) -> list[Pair]:
        return list(itertools.combinations(self.subflows(), 2))

    def lines(self, token: int) -> bytes:
        """Return its lines."""
        lines = [(e.time_ns, 1, f"SF={e.subflow} V={e.kind} {e.value}") for e in self.events]
        lines += [(at_ns, 0 if first else 2, f"SF={a} V=WINDOW {b}") for at_ns, a, b, first in self.restarts]
        lines.sort(key=lambda line: line[:2])
        lines.append((self.end_ns, 0, "SF=0 V=END 0"))
        return "".join(f"{time_ns} C={token:x} {rest}\n" for time_ns, _, rest in lines).encode()

    def signals(self, subflow: int) -> SubflowSignals:
        """Return a subflow's signals; samples, which may come without an ACK, stand beside the table of ACKs."""
        own = {
            kind: [e for e in self.events if (e.subflow, e.kind) == (subflow, kind)] for kind in ("ACK", "RTT", "CA")
        }
        taken = signals_of(
            _rows(own["ACK"], "acked_bytes").append_column("rtt_us", pa.nulls(len(own["ACK"]), pa.int64())),
            _rows(own["CA"], "ca_state"),
            subflow,
        )
        sampled = _rows(own["RTT"], "rtt_us")
        rate_time_ns, rate_mbit_s = achieved_mbit_s(taken.ack_time_ns, taken.acked_bytes, weight=0.125)
        return SubflowSignals(
            rtt_time_ns=sampled.column("time_ns").to_numpy(),
            rtt_us=sampled.column("rtt_us").to_numpy(),
            state_time_ns=taken.state_time_ns,
            congested=taken.congested,
            ack_time_ns=taken.ack_time_ns,
            acked_bytes=taken.acked_bytes,
            rate_time_ns=rate_time_ns,
            rate_mbit_s=rate_mbit_s,
        )

    def tiled(self) -> tuple[list[Found], int]:
        """Return the pipeline's windows, and how many it rejects for want of a sample or a rate."""
        signals = {subflow: self.signals(subflow) for subflow in self.subflows()}
        windows: list[Found] = []
        rejected = 0
        for x, y in self.pairs():
            found, without = pair_windows(signals[x], signals[y], self.end_ns, ["tiled"], feature_set="both")
            windows += [_found((x, y), one) for one in found]
            rejected += sum(one.reason in (NO_RTT_WITHIN, NO_RATE) for one in without)
        return windows, rejected

    def placed(self, start_ns: int, pair: Pair) -> list[Found]:
        """Return the pair's windows one after the other from a time on."""
        signals = [self.signals(subflow) for subflow in pair]
        windows: list[Found] = []
        while True:
            x_us, y_us = (int(own.rtt_us[own.rtt_time_ns <= start_ns].min()) for own in signals)
            window = geometry("tiled", start_ns, x_us, y_us)
            if window.end_ns > self.end_ns:
                return windows
            within = [
                any(start_ns <= time_ns <= window.end_ns for time_ns in own.rtt_time_ns.tolist())
                and any(time_ns <= window.end_ns for time_ns in own.rate_time_ns.tolist())
                for own in signals
            ]
            if all(within):
                windows.append(_found(pair, pair_window(signals[0], signals[1], window, feature_set="both")))
            start_ns = window.end_ns


def _found(pair: Pair, one: PairWindow) -> Found:
    features = {name: int(value) for name, value in one.features.items()}
    return Found(pair, one.window.start_ns, one.window.window_ns, features, one)


def _rows(events: Sequence[Event], value: str) -> pa.Table:
    columns = {
        "subflow_id": [e.subflow for e in events],
        "time_ns": [e.time_ns for e in events],
        value: [e.value for e in events],
    }
    return pa.table({name: pa.array(values, pa.int64()) for name, values in columns.items()})


@dataclass(frozen=True)
class Kind:
    """What a connection is like.

    Attributes
    ----------
    base_us : tuple of int
        Smallest and largest base RTT.
    ratio : tuple of float
        Of the base RTTs of the other subflows to the first's, drawn from.
    queue_us : tuple of int
        What is drawn from to be added to a sample.
    times : int
        Times lie on multiples of the base RTT over this; 0 for any nanosecond.
    gap : float
        Chance of a gap before an event of a subflow.
    gap_windows : tuple of float
        Its length in windows, drawn from.
    windows : int
        About how many windows it lasts.
    density : float
        Events of a subflow in the larger base RTT.
    subflows : tuple of int
        How many, drawn from.
    begin_ns : int
        Time of the first event.
    seeds : int
        How many are tried.
    """

    base_us: tuple[int, int] = (100, 20_000)
    ratio: tuple[float, ...] = (1, 1, 1.5, 2, 3, 7.3)
    queue_us: tuple[int, ...] = (0, 0, 1, 500, 5_000, 50_000)
    times: int = 0
    gap: float = 0.0
    gap_windows: tuple[float, ...] = (0.3, 1, 2.5)
    windows: int = 4
    density: float = 1.0
    subflows: tuple[int, ...] = (2, 2, 3)
    begin_ns: int = 0
    seeds: int = 25


KINDS = {
    "plain": Kind(),
    "on the grid": Kind(base_us=(4, 40), ratio=(1, 1, 2, 3), queue_us=(0, 0, 0, 1, 2, 40), times=2, density=0.8),
    "sparse": Kind(base_us=(4, 40), ratio=(1, 2), queue_us=(0, 0, 8), times=1, density=0.04, windows=30),
    "on the edges": Kind(base_us=(2, 8), ratio=(1, 2), queue_us=(0, 4), times=1, density=0.02, windows=60),
    "silent": Kind(gap=0.05, gap_windows=(0.3, 1, 1, 2, 3, 7.5), windows=12, times=1),
    "hours": Kind(
        base_us=(100_000, 2_000_000),
        queue_us=(0, 1_000, 3_000_000, 4_290_000_000),
        gap=0.03,
        gap_windows=(0.1, 1, 50, 400, 5000),
        windows=8,
        seeds=60,
    ),
    "coarse": Kind(
        base_us=(10, 3_000),
        ratio=(13.4, 13.6, 13.61, 13.62, 13.63, 13.64, 14, 68.1, 1000),
        density=2.0,
        windows=3,
        subflows=(2,),
        seeds=12,
    ),
    "clamped": Kind(
        base_us=(1_000, 9_000), queue_us=(0, 0, 2_097_150, 2_097_151, 2_097_152, 3_000_000, 4_290_000_000), windows=5
    ),
    "many": Kind(subflows=(3, 4, 5), windows=3, density=0.7, seeds=15),
    "late": Kind(begin_ns=(1 << 61) + 12_345, windows=3),
}


def made(rng: Rng, kind: Kind) -> Stream:
    """Return a random connection of a kind."""
    count = int(rng.choice(kind.subflows))
    known = rng.permutation(np.array([0, 1, 2, 3, 7, 10, 4_000_000_000, 4_294_967_295]))[:count].tolist()
    first_us = int(rng.integers(kind.base_us[0], kind.base_us[1], endpoint=True))
    base_us = [max(1, int(first_us * (rng.choice(kind.ratio) if place else 1))) for place in range(count)]
    unit_ns = first_us * 1_000 // kind.times if kind.times else 1
    events = [
        event
        for subflow, own_us in zip(known, base_us, strict=True)
        for event in _of_subflow(rng, kind, subflow, own_us, max(base_us), unit_ns)
    ]
    events = _in_order(rng, events)
    later_ns = int(rng.choice([0, 0, 1, unit_ns, 50_000 * max(base_us)]))
    return Stream(events, events[-1].time_ns + later_ns)


def _of_subflow(rng: Rng, kind: Kind, subflow: int, base_us: int, largest_us: int, unit_ns: int) -> list[Event]:
    mean_ns = largest_us * 1_000 / kind.density
    time_ns, acked = int(rng.integers(0, 3)) * unit_ns, 0
    falling_us = base_us * int(rng.choice([1, 1, 2, 30]))
    events = []
    while time_ns <= 50_000 * largest_us * kind.windows:
        acked += int(rng.choice([0, 1, 1_400, 1 << 40], p=[0.2, 0.2, 0.59, 0.01]))
        falling_us = max(base_us, falling_us * 9 // 10)
        what = str(rng.choice(["RTT", "ACK", "CA"], p=[0.5, 0.35, 0.15]))
        if what == "RTT":
            value = min(falling_us + int(rng.choice(kind.queue_us)), (1 << 32) - 1)
        else:
            value = acked if what == "ACK" else int(rng.choice([0, 1, 2, 3, 4], p=[0.3, 0.1, 0.1, 0.4, 0.1]))
        events.append(Event(kind.begin_ns + time_ns, subflow, what, value))
        # One in four has another of its time behind it.
        if rng.random() < 0.25:
            continue
        if rng.random() < kind.gap:
            step_ns = float(rng.choice(kind.gap_windows)) * 50_000 * largest_us
        else:
            step_ns = rng.exponential(mean_ns)
        time_ns += -(-int(step_ns) // unit_ns) * unit_ns
    return events


def _in_order(rng: Rng, events: list[Event]) -> list[Event]:
    """Sort by time; at one time, those of a kind and subflow stay in order and the others mix."""
    keys = sorted({(e.subflow, e.kind) for e in events})
    place = {key: float(number) for number, key in zip(rng.permutation(len(keys)), keys, strict=True)}
    return sorted(events, key=lambda e: (e.time_ns, place[(e.subflow, e.kind)]))


def in_order(windows: Iterable[Found]) -> list[Found]:
    return sorted(windows, key=lambda window: (window.pair, window.start_ns))


def largest_product(stream: Stream, window: Found) -> int:
    """Return the largest rise of an RTT times the time it takes, over the gaps between samples in a window."""
    end_ns, most = window.start_ns + window.window_ns, 0
    for subflow in window.pair:
        own = stream.signals(subflow)
        times: npt.NDArray[np.int64] = own.rtt_time_ns
        for place in np.flatnonzero((times[1:] > window.start_ns) & (times[:-1] < end_ns)).tolist():
            rise = abs(int(own.rtt_us[place + 1]) - int(own.rtt_us[place]))
            most = max(most, rise * (int(times[place + 1]) - int(times[place])))
    return most
