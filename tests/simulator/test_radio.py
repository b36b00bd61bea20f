"""Access links of 802.11n: what a station near the access point gets, and how the link ends when it walks away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.simulator.program import RADIO_PROGRAM, Run, Scenario, execute, link, network, simulate, subflow

pytestmark = pytest.mark.slow

#: Payload that the slowest mode carries one way: frames of 6 Mbit/s with preambles, contention and acknowledgements.
ONE_WAY_MBIT_S = 4.7


def beside_radio(duration: float = 10.0, **radio: Any) -> Scenario:
    """A subflow over 802.11n in its slowest mode behind a fast link, and one over a wire."""
    scenario = network(
        [link(50.0), link(2.0)],
        [subflow([0], 30.0, kind="802.11n", rate=6.0), subflow([1], 40.0)],
        duration=duration,
    )
    scenario["subflows"][0]["access"] |= radio
    scenario["series_s"] = 1.0
    return scenario


def rates_mbit_s(run: Run, number: int) -> list[float]:
    """What a subflow acknowledged in each second."""
    intervals = run.truth["series"]["intervals"]
    return [one["subflows"][number]["acked_bytes"] * 8e-6 for one in intervals]


def test_the_slowest_mode_carries_what_its_frames_leave(tmp_path: Path) -> None:
    run = simulate(tmp_path, beside_radio())
    assert all(rate == pytest.approx(ONE_WAY_MBIT_S, abs=0.2) for rate in rates_mbit_s(run, 0)[4:])


def test_a_faster_mode_carries_more(tmp_path: Path) -> None:
    run = simulate(tmp_path, beside_radio(rate_mbit_s=24.0))
    assert min(rates_mbit_s(run, 0)[4:]) > 2.5 * ONE_WAY_MBIT_S


def test_runs_are_the_same_to_the_byte(tmp_path: Path) -> None:
    logs = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        logs.append(simulate(tmp_path / name, beside_radio(speed_m_s=5.0)).events)
    assert logs[0] == logs[1]


def test_a_station_that_walks_away_loses_the_link(tmp_path: Path) -> None:
    """ns-3's default path loss ends the slowest mode between 50 and 55 m; the other subflow goes on."""
    run = simulate(tmp_path, beside_radio(duration=20.0, speed_m_s=5.0))
    walked, wired = rates_mbit_s(run, 0), rates_mbit_s(run, 1)
    assert min(walked[4:9]) > 0.8 * ONE_WAY_MBIT_S
    assert max(walked[12:]) == 0
    assert min(wired[4:]) > 1.5


def test_out_of_reach_there_is_no_subflow(tmp_path: Path) -> None:
    done = execute(tmp_path, json.dumps(beside_radio(distance_m=200.0)), program=RADIO_PROGRAM)
    assert done.returncode != 0
    assert "a subflow was not established before the end" in done.stderr


def test_what_waits_for_the_air_is_bounded(tmp_path: Path) -> None:
    """A packet that does not fit is counted as dropped elsewhere than at the bottleneck."""
    queue_bytes = 30_000
    run = simulate(tmp_path, beside_radio(duration=20.0, queue_bytes=queue_bytes))
    (phase,) = run.truth["subflows"][0]["phases"]
    assert phase["drops_elsewhere"] > 0
    assert phase["drops_at_bottleneck"] == 0


def test_other_programs_say_which_one_has_it(tmp_path: Path) -> None:
    done = execute(tmp_path, json.dumps(beside_radio()))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("/subflows/0/access/kind: smartsbd-sim has no 802.11n, smartsbd-radio has\n")
