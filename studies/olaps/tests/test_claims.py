"""Each claim of the OLAPS paper holds where gains are as it says, and does not where one of them is not."""

from __future__ import annotations

from collections import defaultdict

import pandas as pd
import pytest

from studies.olaps.claims import CLAIMS, READINGS
from studies.transfers.claim import HELD, NO_BAR, NOT_HELD, NOT_RUN, beside_paper
from studies.transfers.gains import GAINS, RELEARNING, SchedulerResults

Key = tuple[str, str, str]
UCB1, EXP3, UCB1_ALONE, EXP3_ALONE = "olaps ucb1", "olaps exp3", "olaps ucb1, no monitor", "olaps exp3, no monitor"
ALL = ("min_rtt", "round_robin", "redundant", "blest", "ecf", EXP3, UCB1)
WALKS = ("walk", "walk, 802.11n")
#: Gain, and share of networks in which it is below 0.75.
Gain = tuple[float, float]


def as_reported() -> tuple[dict[Key, Gain], dict[tuple[str, str], float]]:
    """Gains and times that hold every claim."""
    found: dict[Key, Gain] = {}

    def put(experiment: str, group: str, gains: dict[str, float]) -> None:
        found.update({(experiment, group, name): (gain, 0.0) for name, gain in gains.items()})

    for hosts in ("", "_linux"):
        ample = dict(zip(ALL, (1.77, 1.7, 1.0, 1.7, 1.7, 1.6, 1.75), strict=True))
        tight = dict(zip(ALL, (0.6, 0.5, 1.0, 1.0, 0.6, 0.96, 0.97), strict=True))
        small = dict(zip(ALL, (1.3, 1.9, 1.0, 1.0, 1.3, 1.2, 1.25), strict=True))
        code = {"olaps ucb1, code": 1.0, "olaps exp3, code": 1.0}
        for group, gains in (("0 ms, 100 kB", ample), ("40 ms, 30 kB", tight), ("0 ms, 30 kB", small)):
            put(f"delays{hosts}", group, gains | code)
        for group in ("30 kB", "50 kB"):
            put(f"grid{hosts}", group, dict(zip(ALL, (0.7, 0.6, 1.0, 1.0, 0.7, 0.9, 1.0), strict=True)))
        for group in ("small", "large"):
            put(f"factors{hosts}", group, dict(zip(ALL, (1.0, 0.84, 1.0, 1.0, 1.0, 0.98, 1.04), strict=True)))
        found[f"factors{hosts}", "small", "min_rtt"] = (1.0, 0.2)
        found[f"factors{hosts}", "small", UCB1] = (1.04, 0.01)
        for group in WALKS:
            walked = {"min_rtt": 1.0, UCB1: 1.4, EXP3: 1.3, UCB1_ALONE: 1.2, EXP3_ALONE: 1.1}
            put(f"mobility{hosts}", group, walked)
    for reading, exp3 in READINGS.items():
        for group, gain in (("40 ms, 30 kB", 0.97), ("0 ms, 100 kB", 1.75)):
            put("read_delays", group, {reading: gain})
        for group in ("30 kB", "50 kB"):
            put("read_grid", group, {reading: 1.0, exp3: 0.9})
    for group in ("without the third", "three paths"):
        put("three", group, {UCB1: 1.5, "min_rtt": 1.0})
    times = {("+30 ms, 30 kB", UCB1): 10.0, ("+30 ms, 30 kB", UCB1_ALONE): 200.0}
    times |= {("+30 ms, 30 kB", EXP3): 15.0, ("+30 ms, 30 kB", EXP3_ALONE): 60.0}
    return found, times


def judged(gains: dict[Key, Gain], times: dict[tuple[str, str], float]) -> list[dict[str, str]]:
    table = pd.DataFrame(
        [(*key, 1, gain, gain, gain, gain, float(gain < 1), low, gain, gain) for key, (gain, low) in gains.items()],
        columns=list(GAINS),
    )
    relearnt = pd.DataFrame(
        [("changes", setting, 1.0, name, 1, 1, at_s, at_s, at_s) for (setting, name), at_s in times.items()],
        columns=list(RELEARNING),
    )
    return list(beside_paper(CLAIMS, SchedulerResults(table, relearnt)))


def test_every_claim_holds_where_gains_are_as_reported() -> None:
    rows = judged(*as_reported())
    held = defaultdict(list)
    for row in rows:
        held[row["held"]].append(row["paper"])
    assert (held[NOT_HELD], held[NOT_RUN]) == ([], [])
    assert len(held[NO_BAR]) == sum(not claim.must_show for claim in CLAIMS)
    assert len(held[HELD]) == sum(bool(claim.must_show) for claim in CLAIMS)
    assert all(row["ours"] for row in rows)


@pytest.mark.parametrize("hosts", ["", "_linux"])
@pytest.mark.parametrize(
    ("key", "gain", "fails"),
    [
        (("delays", "0 ms, 100 kB", UCB1), (1.5, 0), "equal paths, ample buffer: UCB1 has 1.75 of ReMP"),
        (("delays", "0 ms, 100 kB", "min_rtt"), (2.1, 0), "equal paths, ample buffer: MinRTT has 1.77 of ReMP"),
        (("delays", "40 ms, 30 kB", "round_robin"), (1.0, 0), "MinRTT and RR fall below ReMP at 40 ms"),
        (("delays", "40 ms, 30 kB", EXP3), (0.94, 0), "OLAPS never falls below ReMP"),
        (("delays", "0 ms, 30 kB", UCB1), (2.0, 0), "equal paths, 30 kB: RR is best"),
        (("grid", "50 kB", "min_rtt"), (0.85, 0), "UCB1 over MinRTT, mean of the grid: 1.46, 1.34"),
        (("grid", "50 kB", "round_robin"), (0.72, 0), "UCB1 over RR: 2.40, 1.75"),
        (("grid", "30 kB", "redundant"), (0.8, 0), "UCB1 over ReMP: 0.987, 1.11"),
        (("grid", "30 kB", EXP3), (0.96, 0), "UCB1 over Exp3: 1.12, 1.13"),
        (("factors", "small", EXP3), (1.05, 0), "small space: UCB1 has the largest mean"),
        (
            ("factors", "small", UCB1),
            (1.04, 0.05),
            "UCB1 has more than 0.75 in 99 % of cases, MinRTT less in about 20 %, RR in 35 %",
        ),
        (
            ("factors", "small", "min_rtt"),
            (1.0, 0.1),
            "UCB1 has more than 0.75 in 99 % of cases, MinRTT less in about 20 %, RR in 35 %",
        ),
    ],
)
def test_a_claim_fails_where_one_gain_is_another(key: Key, gain: Gain, fails: str, hosts: str) -> None:
    gains, times = as_reported()
    gains[f"{key[0]}{hosts}", key[1], key[2]] = gain
    failed = [row for row in judged(gains, times) if row["held"] == NOT_HELD]
    assert [row["paper"] for row in failed] == [fails]
    assert ("Linux's MPTCP kernel" in failed[0]["substitution"]) == bool(hosts)


@pytest.mark.parametrize("reading", READINGS)
def test_a_reading_is_judged_beside_the_exp3_of_its_own_kind(reading: str) -> None:
    gains, times = as_reported()
    gains["read_delays", "40 ms, 30 kB", reading] = (0.94, 0.0)
    gains["read_grid", "50 kB", reading] = (0.93, 0.0)
    failed = [(row["experiment"], row["substitution"]) for row in judged(gains, times) if row["held"] == NOT_HELD]
    assert [experiment for experiment, _ in failed] == ["Figs. 4 and 5", "Fig. 6"]
    assert all(substitution.startswith(f"{reading};") for _, substitution in failed)


@pytest.mark.parametrize("name", [UCB1, EXP3])
def test_a_monitor_must_be_three_times_as_soon(name: str) -> None:
    gains, times = as_reported()
    times["+30 ms, 30 kB", name] = times["+30 ms, 30 kB", f"{name}, no monitor"] / 3
    assert [row["experiment"] for row in judged(gains, times) if row["held"] == NOT_HELD] == ["Fig. 7"]


@pytest.mark.parametrize("hosts", ["", "_linux"])
@pytest.mark.parametrize("walk", WALKS)
def test_a_walk_needs_both_ends_of_the_order(walk: str, hosts: str) -> None:
    for name, gain in ((EXP3, 1.5), (UCB1_ALONE, 1.0)):
        gains, times = as_reported()
        gains[f"mobility{hosts}", walk, name] = (gain, 0.0)
        assert [row["experiment"] for row in judged(gains, times) if row["held"] == NOT_HELD] == ["Fig. 8"]


def test_what_was_not_run_says_so() -> None:
    rows = judged({}, {})
    assert {row["held"] for row in rows} == {NOT_RUN}
