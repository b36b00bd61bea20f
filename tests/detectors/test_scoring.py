"""Opinions over time against a clock that is read every nanosecond."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from smartsbd.detectors import Opinion
from smartsbd.detectors.scoring import OnPair, exact_ns, scored_from_ns
from smartsbd.models.stored.window_opinions import WindowVerdict, opinions_of


def made(seed: int) -> OnPair:
    rng = np.random.default_rng(seed)
    times = np.sort(rng.choice(90, size=8, replace=False)).tolist()
    return OnPair(tuple(times), tuple(rng.choice(np.array([True, False, None], dtype=object), size=8).tolist()))


def every_ns(on: OnPair, until_ns: int) -> list[bool | None]:
    said: list[bool | None] = [None] * until_ns
    for time_ns, opinion in zip(on.from_ns, on.verdicts, strict=True):
        said[time_ns:] = [opinion] * (until_ns - time_ns)
    return said


@pytest.mark.parametrize("seed", range(20))
def test_times_are_those_of_a_clock(seed: int) -> None:
    on, clock = made(seed), every_ns(made(seed), 100)
    for start_ns, end_ns in ((0, 100), (13, 71), (95, 99)):
        part = clock[start_ns:end_ns]
        assert on.lasting_ns(start_ns, end_ns) == {said: part.count(said) for said in (True, False, None)}
        for shared in (True, False):
            for held_ns in (0, 1, 5, 12):
                starts = [
                    at
                    for at in range(len(part))
                    if part[at] is shared and part[at : at + max(1, held_ns)] == [shared] * max(1, held_ns)
                ]
                assert on.right_after_ns(shared, start_ns, end_ns, held_ns) == (starts[0] if starts else None)


@pytest.mark.parametrize("seed", range(10))
def test_a_partition_is_exact_when_all_its_pairs_are_right(seed: int) -> None:
    on_pairs = {(0, 1): made(seed), (0, 2): made(seed + 100), (1, 2): made(seed + 200)}
    labels = {(0, 1): True, (0, 2): False, (1, 2): False}
    clocks = {pair: every_ns(on, 100) for pair, on in on_pairs.items()}
    expected = sum(all(clocks[pair][at] is labels[pair] for pair in labels) for at in range(20, 100))
    assert exact_ns(on_pairs, labels, 20, 100) == expected


def test_opinions_become_those_on_a_pair() -> None:
    opinions = [Opinion(5, (0, None, 0)), Opinion(9, (0, 0, 1))]
    assert OnPair.of(opinions, 0, 2) == OnPair((5, 9), (True, False))
    assert OnPair.of(opinions, 0, 1) == OnPair((5, 9), (None, True))


def test_windows_that_end_at_once_make_one_opinion() -> None:
    verdicts = [
        WindowVerdict(10, (0, 1), True),
        WindowVerdict(10, (1, 2), True),
        WindowVerdict(20, (0, 1), True),
        WindowVerdict(30, (0, 1), False),
        WindowVerdict(30, (1, 2), False),
    ]
    assert opinions_of(verdicts, [0, 1, 2]) == [Opinion(10, (0, 0, 0)), Opinion(30, (0, 1, 2))]


def test_slow_start_ends_with_the_first_congestion_or_after_two_seconds() -> None:
    states = pa.table({"subflow_id": [0, 0, 1, 0], "time_ns": [5, 9, 3, 12], "ca_state": [1, 3, 2, 4]})
    assert scored_from_ns(states, 1, 0) == 9
    assert scored_from_ns(states, 1, 1) == 2_000_000_001
