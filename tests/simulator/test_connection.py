"""The connection: receive buffer, schedulers, controllers and ECN."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.simulator.capture import read
from tests.simulator.program import CWR, MSS, Run, Scenario, link, network, simulate, subflow

pytestmark = pytest.mark.slow


def test_receive_buffer_throttles_to_a_window_each_rtt(tmp_path: Path) -> None:
    """A buffer of 30 KB on a path of 40 ms and 20 Mbit/s lets through 30 KB per RTT.

    Theory: whole segments fit, 21 of them; the path in use is the fast one, once its window is
    larger than the buffer, since it has the lower RTT and room. An RTT is 40 ms, plus the time of
    two packets on the links, since ACKs come for pairs. So the rate is 21 segments in 41.4 ms, or
    5.7 Mbit/s. Waiting for the partner of an odd segment may cost one of 21 segments: the measured
    rate lies within 8 % below and 2 % above. The slow path of 200 ms carries less than 5 %.
    """
    links = [link(20.0), link(20.0)]
    scenario = network(links, [subflow([0], 40.0), subflow([1], 200.0)], receive_buffer_bytes=30000)
    run = simulate(tmp_path, scenario)
    theory = 30000 // MSS * MSS / 0.0414
    fast, slow = (run.acked(i, 4, 12) / 8 for i in range(2))
    assert 0.92 * theory < fast + slow < 1.02 * theory
    assert slow < 0.05 * fast
    assert sum(phase["drops_at_bottleneck"] for s in run.truth["subflows"] for phase in s["phases"]) == 0


def test_slow_subflow_blocks_a_small_buffer(tmp_path: Path) -> None:
    """With a buffer below what the paths hold, data of the slow subflow stall the fast one."""
    delivered = {}
    for buffer in (65536, 4194304):
        scenario = network(
            [link(8.0), link(8.0)], [subflow([0], 24.0), subflow([1], 300.0)], receive_buffer_bytes=buffer
        )
        scenario["connection"]["scheduler"] = "round_robin"
        delivered[buffer] = simulate(tmp_path, scenario).truth["connection"]["delivered_bytes"]
    assert delivered[65536] < 0.8 * delivered[4194304]


def equal_paths(**connection: Any) -> Scenario:
    return network([link(10.0), link(10.0)], [subflow([0], 50.0), subflow([1], 50.0)], **connection)


def split(run: Run) -> float:
    first, second = (subflow["acked_bytes"] for subflow in run.truth["subflows"])
    return float(first / (first + second))


def test_round_robin_splits_evenly(tmp_path: Path) -> None:
    """With windows that never fill, both paths carry the same; the fastest gets more otherwise."""
    scenario = equal_paths(scheduler="round_robin", receive_buffer_bytes=40000)
    scenario["subflows"][1]["rtt_ms"] = 60.0
    assert split(simulate(tmp_path, scenario)) == pytest.approx(0.5, abs=0.01)
    scenario["connection"]["scheduler"] = "min_rtt"
    assert split(simulate(tmp_path, scenario)) > 0.8


@pytest.mark.parametrize("controller", ["lia", "reno", "cubic"])
def test_every_controller_fills_its_links(controller: str, tmp_path: Path) -> None:
    """Each runs, delivers what it acknowledges, and differs from the others."""
    run = simulate(tmp_path, equal_paths(congestion_control=controller, scheduler="round_robin"))
    assert all(line["utilisation"] > 0.8 for line in run.truth["links"])
    assert split(run) == pytest.approx(0.5, abs=0.1)
    assert run.truth["connection"]["duplicated_bytes"] == 0


def test_controllers_differ(tmp_path: Path) -> None:
    """Each controller is another one."""
    controllers = ("lia", "reno", "cubic")
    assert len({simulate(tmp_path, equal_paths(congestion_control=c)).events for c in controllers}) == 3


@pytest.mark.parametrize("ecn", [False, True])
@pytest.mark.parametrize("mark", [None, 60000])
def test_ecn_needs_both_ends_and_a_marking_queue(ecn: bool, mark: int | None, tmp_path: Path) -> None:
    """Marks, their echoes and CWR appear with both, and then no packet need be lost."""
    scenario = equal_paths(ecn=ecn)
    for line in scenario["links"]:
        line.update(mark_bytes=mark, queue_bytes=300000)
    run = simulate(tmp_path, scenario, "--pcap=.")
    events = run.parse()
    marks = sum(line["marks"] for line in run.truth["links"])
    by_subflow = [s["phases"][0]["marks_at_bottleneck"] for s in run.truth["subflows"]]
    echoes = sum(event.kind == "ECE" for event in events)
    reductions = sum(event.kind == "CA" and event.value == CWR for event in events)
    captured = sum(packet.ecn == 3 for i in range(2) for packet in read(tmp_path / f"receiver.{i}.pcap"))
    assert sum(by_subflow) == marks
    assert captured == pytest.approx(marks, abs=100) and (captured > 0) == (marks > 0)
    assert all((count > 0) == (ecn and mark is not None) for count in (marks, echoes, reductions))
    if marks:
        assert all(line["drops"] == 0 and line["utilisation"] > 0.8 for line in run.truth["links"])
        assert not any(event.kind == "LOSS" for event in events)


def test_subflows_join_an_established_connection(tmp_path: Path) -> None:
    """The second SYN waits for the first subflow, even if both are to start at once."""
    scenario = equal_paths()
    for spec in scenario["subflows"]:
        spec["start_s"] = 1.0
    first, second = (s["established_ns"] for s in simulate(tmp_path, scenario).truth["subflows"])
    assert 1_050_000_000 <= first < second
    assert second - first == pytest.approx(first - 1_000_000_000, abs=1_000_000)


def test_a_rate_is_what_the_application_gives(tmp_path: Path) -> None:
    """3 Mbit/s of payload over two paths of 10 Mbit/s: neither queue fills, and that is what arrives."""
    scenario = equal_paths(application={"kind": "rate", "rate_mbit_s": 3.0})
    run = simulate(tmp_path, scenario)
    acked_bytes = sum(run.acked(i, 2, 12) for i in range(2))
    assert acked_bytes * 8 / 10 == pytest.approx(3e6, rel=0.01)
    assert {event.value for event in run.parse() if event.kind == "CA"} == {0}


def test_an_application_on_and_off_is_silent_between(tmp_path: Path) -> None:
    """Periods of 2 s with data and 2 s without: half of the time bytes are acknowledged.

    The mean of n pairs of exponential periods scatters by their mean over the root of n: of 200 s, some fifty pairs,
    the share of time with data lies within 0.5 +- 0.2 but for one run in some ten thousand. What was under way when a
    period ends is acknowledged an RTT later, which is 50 ms and a queue of 48 ms.
    """
    scenario = equal_paths(application={"kind": "on_off", "on_s": 2.0, "off_s": 2.0})
    scenario["duration_s"] = 200.0
    times_s = [event.ns / 1e9 for event in simulate(tmp_path, scenario).parse() if event.kind == "ACK"]
    silent_s = [late - early for early, late in pairwise(times_s) if late - early > 0.3]
    assert len(silent_s) > 20
    assert 0.3 < sum(silent_s) / 200 < 0.7
