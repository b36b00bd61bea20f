"""Access links: WiFi bursts and the wandering rate of LTE."""

import math
from itertools import pairwise
from pathlib import Path
from statistics import fmean, pstdev

import pytest

from tests.simulator.capture import read
from tests.simulator.program import MSS, link, network, simulate, subflow

pytestmark = pytest.mark.slow


def read_arrivals(path: Path) -> list[int]:
    """Times in ns at which data of the connection arrive."""
    return [p.ns for p in read(path) if p.from_server and p.payload]


def test_wifi_packets_arrive_in_bursts(tmp_path: Path) -> None:
    """At 40 Mbit/s bursts of 4 to 9 are complete within the hold time, and every size occurs.

    Packets of a burst are one packet time of the access link apart; gaps are longer. Without
    kind wifi packets come one by one, as the slower link before sends them.
    """
    scenario = network([link(40.0, 200000)], [subflow([0], 30.0, kind="wifi", rate=200.0), subflow([0], 200.0)])
    scenario["subflows"][0]["access"]["burst_packets"] = [4, 9]
    scenario["duration_s"] = 6.0
    simulate(tmp_path, scenario, "--pcap=.")
    arrivals = [ns for ns in read_arrivals(tmp_path / "receiver.0.pcap") if ns > 2_000_000_000]
    packet = (MSS + 62) * 8e3 / 200
    sizes = [1]
    for before, after in pairwise(arrivals):
        if after - before <= packet + 1:
            assert after - before >= packet - 1
            sizes[-1] += 1
        else:
            sizes.append(1)
    inner = sizes[1:-1]
    complete = [size for size in inner if 4 <= size <= 9]
    assert len(complete) > 0.98 * len(inner) and max(inner) <= 9
    shares = [complete.count(size) / len(complete) for size in range(4, 10)]
    assert all(share == pytest.approx(1 / 6, abs=0.06) for share in shares)


def test_wifi_hold_is_bounded(tmp_path: Path) -> None:
    """A lone packet leaves after 4 ms: the three handshake packets take 8 ms more than without."""
    established = {}
    for kind in ("plain", "wifi"):
        scenario = network([link(8.0)], [subflow([0], 30.0, kind=kind), subflow([0], 60.0)], host_delay_us=0.0)
        established[kind] = simulate(tmp_path, scenario).truth["subflows"][0]["established_ns"]
    assert established["wifi"] - established["plain"] == 4_000_000


def test_lte_rate_wanders_as_configured(tmp_path: Path) -> None:
    """The rates at which packets arrive back to back have the given mean and deviation.

    The access link is the bottleneck; each step's rate is that of the closest two arrivals within
    it. With correlation 0.9 per step, 3000 steps are worth about 160: the mean of the logarithm
    lies within 4 * 0.3 / sqrt(160) and its deviation within 4 * 0.3 / sqrt(2 * 316).
    """
    sigma = 0.3
    scenario = network(
        [link(50.0)], [subflow([0], 30.0, kind="lte", rate=2.0), subflow([0], 300.0, rate=1.0)], duration=302.0
    )
    scenario["connection"]["congestion_control"] = "reno"
    simulate(tmp_path, scenario, "--pcap=.")
    gaps: dict[int, int] = {}
    for before, after in pairwise(read_arrivals(tmp_path / "receiver.0.pcap")):
        step = after // 10**8
        if before // 10**8 == step:
            gaps[step] = min(gaps.get(step, after), after - before)
    logs = [math.log((MSS + 62) * 8e3 / gap / 2.0) for gap in gaps.values()]
    assert len(logs) > 2800
    assert fmean(logs) == pytest.approx(-(sigma**2) / 2, abs=4 * sigma / math.sqrt(160))
    assert pstdev(logs) == pytest.approx(sigma, abs=4 * sigma / math.sqrt(2 * 316))
