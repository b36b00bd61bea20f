"""Connections of one subflow, and paths whose loss and delay change."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.simulator.capture import read
from tests.simulator.program import MSS, PACKET, Scenario, link, network, simulate, simulate_all, subflow

pytestmark = pytest.mark.slow


def alone(**path: Any) -> Scenario:
    """One subflow of 60 ms over a link of 8 Mbit/s; what is given of its access link is put there."""
    last = path.pop("access", {})
    one = {**subflow([0], 60.0), **path}
    one["access"] |= last
    return network([link(8.0)], [one], duration=12.0, congestion_control="reno")


def test_one_subflow_is_a_connection(tmp_path: Path) -> None:
    """It fills its link, and its truth has no pairs."""
    run = simulate(tmp_path, alone())
    assert run.truth["pairs"] == []
    assert len(run.truth["subflows"]) == 1
    assert run.acked(0, 2, 12) * 8e-6 / 10 > 0.95 * 8.0 * MSS / PACKET
    assert run.truth["connection"]["duplicated_bytes"] == 0


@pytest.mark.parametrize("controller", ["lia", "olia", "balia", "wvegas"])
def test_one_subflow_is_under_reno(controller: str, tmp_path: Path) -> None:
    """Nobody is there to be coupled with."""
    coupled = alone()
    coupled["connection"]["congestion_control"] = controller
    runs = simulate_all(tmp_path, [alone(), coupled])
    assert runs[0] == runs[1]


def test_a_delay_comes_and_goes(tmp_path: Path) -> None:
    """Both RTT and one way delay are longer by it, as long as it holds."""
    scenario = alone(delay_changes_ms=[[4.0, 50.0], [8.0, 0.0]])
    scenario["connection"]["application"] = {"kind": "rate", "rate_mbit_s": 1.0}
    samples = list(simulate(tmp_path, scenario).delays(0))
    for low, high, extra in ((1, 4, 0), (4.2, 8, 50_000), (8.2, 12, 0)):
        held = [(rtt, one_way) for ns, rtt, one_way in samples if low * 1e9 < ns < high * 1e9]
        assert len(held) > 100
        for rtt, one_way in held:
            assert 60_000 + extra < rtt < 103_000 + extra
            assert 30_000 + extra < one_way < 34_000 + extra


def test_packets_keep_their_order_when_a_delay_falls(tmp_path: Path) -> None:
    """Those behind wait for those before: what is sent arrives in order, and nothing is sent twice."""
    scenario = alone(delay_changes_ms=[[4.0, 200.0], [6.0, 0.0], [7.0, 300.0], [8.0, 20.0]])
    scenario["connection"]["application"] = {"kind": "rate", "rate_mbit_s": 4.0}
    run = simulate(tmp_path, scenario, f"--pcap={tmp_path}")
    sequences = [packet.sequence for packet in read(tmp_path / "receiver.0.pcap") if packet.payload]
    assert len(sequences) > 2000
    assert all(before < after for before, after in pairwise(sequences))
    assert {event.value for event in run.parse() if event.kind == "CA"} == {0}


def test_loss_holds_from_its_times_on(tmp_path: Path) -> None:
    """Between 4 and 8 s, a part of about 2 % is lost; before and after, nothing is."""
    lossy = alone(access={"loss_changes": [[4.0, 0.02], [8.0, 0.0]]})
    lossy["connection"]["application"] = {"kind": "rate", "rate_mbit_s": 2.0}
    run = simulate(tmp_path, lossy)
    found = [event.ns for event in run.parse() if event.kind == "LOSS"]
    assert found
    assert all(4e9 < ns < 8.5e9 for ns in found)
    # Segments and ACKs of four seconds.
    crossing = 4 * 2e6 / 8 / MSS * 1.5
    assert 0.01 * crossing < run.truth["subflows"][0]["random_losses"] < 0.03 * crossing


def test_changes_to_what_already_holds_change_nothing(tmp_path: Path) -> None:
    """Draws go on where they were: the same packets are lost."""
    steady = alone(access={"loss": 0.01})
    changed = alone(access={"loss": 0.01, "loss_changes": [[3.0, 0.01], [5.0, 0.01]]}, delay_changes_ms=[[3.0, 0.0]])
    runs = simulate_all(tmp_path, [steady, changed])
    assert runs[0] == runs[1]
