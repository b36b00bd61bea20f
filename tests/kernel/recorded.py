"""What a recorder wrote, and what the witness, a congestion controller, was told of the same connection."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

#: Values by token and subflow, with their times (ns).
Told = dict[tuple[str, str], list[tuple[int, int]]]
_RECORD = re.compile(r"smartsbd: (\d+) C=([0-9a-f]+) SF=(\d+) V=([A-Z]+) (\d+)")
_SUMMARY = re.compile(
    r"(\d+) connections, (\d+) subflows, (\d+) samples; lost in the ring buffer (\d+); dropped before a token (\d+)"
)
#: At least this: ids of addresses in place of the kernel's number, which is new in 6.5.
_IDS_TELL = 1 << 31
#: Of tcp_probe: least share of the samples, and most of the recorded that are not the kernel's.
_LEAST_SHARE, _MOST_WRONG = 0.97, 0.005


@dataclass(frozen=True)
class Recorded:
    """One of the recorders that ran beside each other: what it wrote and said."""

    out: Path
    said: list[str]

    @property
    def text(self) -> str:
        return self.out.read_text()

    @property
    def summary(self) -> tuple[int, ...]:
        """Connections, subflows, samples, lost, without a token."""
        found = _SUMMARY.search(self.said[-1])
        assert found, self.said
        return tuple(int(number) for number in found.groups())

    def told(self, kind: str) -> Told:
        found: Told = defaultdict(list)
        for line in self.text.splitlines():
            record = _RECORD.fullmatch(line)
            if record and record[4] == kind:
                found[record[2], record[3]].append((int(record[1]), int(record[5])))
        return found


def witnessed(lines: str, kind: str) -> Told:
    """Values that the witness was told, ``RTT`` or ``CA``; subflows without a number are given one in order."""
    found: Told = defaultdict(list)
    numbers: dict[str, dict[str, int]] = defaultdict(dict)
    for line in lines.splitlines():
        time_ns, token, subflow, own, value = line.split()
        known = numbers[token]
        number = known.setdefault(subflow, len(known) + 1) if int(subflow) >= _IDS_TELL else int(subflow)
        if own == kind:
            found[token, str(number)].append((int(time_ns), int(value)))
    return found


def assert_samples_are_those_told(own: Recorded, witnessed: Told) -> None:
    """By fentry, samples are equal in order and value; by tcp_probe, nearly all are there and are the kernel's."""
    recorded = own.told("RTT")
    assert set(recorded) == set(witnessed)
    for key, expected in witnessed.items():
        if "samples from fentry" in own.said[0]:
            assert [value for _, value in recorded[key]] == [value for _, value in expected]
            continue
        # The controller is told after the segment has come in, and before the next one does.
        times_ns, values = np.array(recorded[key]).T
        places = np.searchsorted([time_ns for time_ns, _ in expected], times_ns)
        assert (np.diff(places) > 0).all()
        wrong = (values != [expected[place][1] for place in places]).sum()
        assert len(places) >= _LEAST_SHARE * len(expected)
        assert wrong <= _MOST_WRONG * len(places)


def assert_states_are_recorded_when_told(own: Recorded, witnessed: Told) -> None:
    """The tracepoint comes just before the controller is told; the controller is not told of every change."""
    recorded = own.told("CA")
    for key, expected in witnessed.items():
        times_ns = [time_ns for time_ns, _ in recorded[key]]
        states = [0, *(state for _, state in recorded[key])]
        places = np.searchsorted(times_ns, [time_ns for time_ns, _ in expected], side="right")
        assert [states[place] for place in places] == [state for _, state in expected]
