"""Congestion control: hand-computed steps, and shares beside a TCP flow."""

import os
import subprocess
import sys
from pathlib import Path
from statistics import mean

import pytest

from tests.simulator.program import (
    MSS,
    PACKET,
    SIMULATOR,
    Scenario,
    flow,
    link,
    network,
    seeds,
    simulate_all,
    subflow,
)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(path.stem for path in (SIMULATOR / "test").glob("*-test.cc")))
def test_unit_agrees_with_values_computed_by_hand(name: str) -> None:
    """What controllers do to windows, what is refused, RTT samples, hashes and so on are those of simulator/test."""
    make = ["make", "-C", str(SIMULATOR), f"PREFIX={os.path.relpath(sys.prefix, SIMULATOR)}", "unit-tests"]
    subprocess.run(make, check=True, capture_output=True)
    program = SIMULATOR.parent / "build" / "simulator" / "test" / name
    result = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


def beside_tcp(rate: float, queue: int, rtt: float, controller: str, counts: str = "packets") -> Scenario:
    """Two subflows and a bulk Reno flow of equal RTTs on one link; host delay of one packet time."""
    return network(
        [link(rate, queue)],
        [subflow([0], rtt, 0.5), subflow([0], rtt, 0.6)],
        [flow("reno", None, rtt=rtt)],
        duration=40.0,
        congestion_control=controller,
        lia_counts=counts,
        host_delay_us=PACKET * 8 / rate,
    )


#: Seeds over which a share is the mean.
RUNS = 10


def get_share(directory: Path, scenario: Scenario) -> float:
    """Rate of the connection over that of the TCP flow, mean of so many seeds."""
    shares: list[float] = []
    for run in simulate_all(directory, seeds(scenario, RUNS)):
        (line,) = run.truth["links"]
        begin = max(s["established_ns"] for s in run.truth["subflows"]) / 1e9
        total: float = line["utilisation"] * line["rate_mbit_s"] * MSS / PACKET
        own = sum(run.acked(i, begin, 40.0) for i in range(2)) * 8e-6 / (40.0 - begin)
        shares.append(float(own / (total - own)))
    return mean(shares)


@pytest.mark.slow
@pytest.mark.parametrize(("rate", "queue", "rtt"), [(10.0, 75000, 60.0), (8.0, 40000, 40.0)])
@pytest.mark.parametrize(
    ("controller", "low", "high"),
    [("lia", 0.75, 1.35), ("olia", 0.75, 1.35), ("balia", 0.75, 1.35), ("reno", 1.6, 2.4)],
)
def test_share_beside_a_tcp_flow(
    rate: float, queue: int, rtt: float, controller: str, low: float, high: float, tmp_path: Path
) -> None:
    """LIA, OLIA and BALIA take as much as one TCP flow, and two uncoupled subflows as much as two."""
    share = get_share(tmp_path, beside_tcp(rate, queue, rtt, controller))
    assert low <= share <= high, share


@pytest.mark.slow
def test_counting_acks_takes_less(tmp_path: Path) -> None:
    """Linux's way of counting halves the growth with delayed ACKs, so the share falls."""
    share = get_share(tmp_path, beside_tcp(8.0, 40000, 40.0, "lia", "acks"))
    assert 0.4 < share < 0.85, share


@pytest.mark.slow
def test_the_whole_numbers_of_the_kernel_take_less_still(tmp_path: Path) -> None:
    """At 60 ms the kernel has quotients of 0 only, and takes the oldest subflow for the best: it grows too slowly."""
    shares = []
    for place, chosen in enumerate(({"counts": "acks"}, {"mode": "kernel"})):
        scenario = beside_tcp(10.0, 75000, 60.0, "lia")
        del scenario["connection"]["lia_counts"]
        scenario["connection"]["congestion_control"] = {"name": "lia", **chosen}
        (tmp_path / str(place)).mkdir()
        shares.append(get_share(tmp_path / str(place), scenario))
    acks, kernel = shares
    assert 0.2 < kernel < 0.8 * acks, shares
