"""Background traffic: what it offers, and where it joins."""

from itertools import pairwise
from pathlib import Path

import pytest

from tests.simulator.capture import SYN, read
from tests.simulator.program import flow, link, network, simulate, subflow

DURATION = 200.0


@pytest.mark.parametrize("kind", [pytest.param("web", marks=pytest.mark.slow), "cbr"])
def test_offered_load_is_the_rate(kind: str, tmp_path: Path) -> None:
    """On an empty path the mean payload rate over a long run is the one configured, within 10 %.

    For web, 6700 transfers with a coefficient of variation of 2 have a standard error of 2.5 %.
    """
    scenario = network(
        [link(100.0)], [subflow([0], 40.0), subflow([0], 40.0)], [flow(kind, 8.0)], DURATION, receive_buffer_bytes=16384
    )
    scenario["subflows"][0]["start_s"] = scenario["subflows"][1]["start_s"] = DURATION - 1
    simulate(tmp_path, scenario, "--pcap=.")
    packets = [p for p in read(tmp_path / "receiver.0.pcap") if p.ports[1] == 10000]
    assert sum(p.payload for p in packets) * 8e-6 / (DURATION - 0.2) == pytest.approx(8.0, rel=0.1)
    transfers = sum(bool(p.flags & SYN) for p in packets)
    if kind == "web":
        assert transfers == pytest.approx(8e6 / 8 / 29800 * DURATION, rel=0.1)
    else:
        gaps = [b.ns - a.ns for a, b in pairwise(packets)]
        assert transfers == 0 and max(gaps) < 1.5 * 1400 * 8e3 / 8


@pytest.mark.parametrize(
    ("enters", "crossed"), [("server", [True, True]), ("client", [False, True]), ("access", [False, False])]
)
def test_flows_enter_where_they_should(enters: str, crossed: list[bool], tmp_path: Path) -> None:
    """A flow of 4 Mbit/s loads those of two links of 10 Mbit/s that lie behind its entry."""
    links = [link(10.0), link(10.0, place="client")]
    scenario = network(
        links, [subflow([0, 1], 40.0), subflow([0, 1], 50.0)], [flow("cbr", 4.0, enters)], receive_buffer_bytes=16384
    )
    scenario["subflows"][0]["start_s"] = 11.0
    scenario["subflows"][1]["start_s"] = 11.2
    simulate(tmp_path, scenario)
    scenario["background"] = []
    quiet = simulate(tmp_path, scenario).truth["links"]
    scenario["background"] = [flow("cbr", 4.0, enters)]
    loaded = simulate(tmp_path, scenario).truth["links"]
    more = [a["utilisation"] - b["utilisation"] > 0.2 for a, b in zip(loaded, quiet, strict=True)]
    assert more == crossed


@pytest.mark.parametrize("enters", ["server", "client", "access"])
def test_flows_have_their_rtt(enters: str, tmp_path: Path) -> None:
    """Base RTT from SYN to SYN/ACK at the client, seen as the first data that answer it."""
    links = [link(100.0), link(100.0, place="client")]
    scenario = network(
        links,
        [subflow([0, 1], 40.0), subflow([0, 1], 50.0)],
        [flow("reno", None, enters, rtt=90.0)],
        2.0,
        host_delay_us=0.0,
    )
    simulate(tmp_path, scenario, "--pcap=.")
    packets = [p for p in read(tmp_path / "receiver.0.pcap") if 10000 in p.ports]
    syn_ack = next(p for p in packets if p.flags & SYN and p.ports[0] == 10000)
    answer = next(p for p in packets if not p.flags & SYN and p.ports[1] == 10000)
    assert (answer.ns - syn_ack.ns) / 1e6 == pytest.approx(90.0, abs=0.1)
