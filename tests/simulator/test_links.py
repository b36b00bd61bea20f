"""Links: loss, delay, rates, and what the two subflows' RTTs have in common."""

import math
from pathlib import Path
from statistics import correlation, median

import pytest

from tests.simulator.program import (
    MSS,
    PACKET,
    Run,
    Scenario,
    flow,
    link,
    network,
    seeds,
    separate,
    shared,
    simulate,
    simulate_all,
    subflow,
)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("build", [shared, separate])
def test_no_rtt_exceeds_what_a_segment_can_meet(build: type[Scenario], tmp_path: Path) -> None:
    """Without lost ACKs no sample is above propagation, full queues, jitter and delayed ACK.

    ns-3's own samples are seconds long after a recovery; so is a sample of a retransmission. The
    access links have four times their lowest likely rate, and bursts hold packets for 4 ms.
    """
    scenario = build(loss=0.0)
    scenario["background"] = []
    run = simulate(tmp_path, scenario)
    for index, spec in enumerate(scenario["subflows"]):
        line = scenario["links"][spec["links"][0]]
        # One packet that is being sent may add to a full queue.
        drain = (line["queue_bytes"] + 1500) * 8e-3 / line["rate_mbit_s"][0][1]
        last = 4 + 16 * PACKET * 8e-3 / (spec["access"]["rate_mbit_s"] / 4)
        bound = spec["rtt_ms"] + 0.2 + drain + last + 2 * spec["access"]["jitter_ms"] + 40 + 1
        assert max(rtt for _, rtt, _ in run.delays(index)) <= bound * 1000
    assert sum(phase["drops_at_bottleneck"] for s in run.truth["subflows"] for phase in s["phases"]) > 0


def test_no_rtt_exceeds_its_packets_way_by_more_than_the_ack_takes(tmp_path: Path) -> None:
    """RTT - OWD lies between the reverse path and that plus 40 ms of delayed ACK, packet by packet.

    The reverse path loses nothing and is idle: half the base RTT, and less than 0.1 ms to send the
    ACK over it. Data get lost at the bottleneck, so SACKs and retransmissions occur.
    """
    scenario = separate(loss=0.0)
    run = simulate(tmp_path, scenario)
    for index, spec in enumerate(scenario["subflows"]):
        samples = [rtt - owd for _, rtt, owd in run.delays(index)]
        assert len(samples) > 500
        assert min(samples) >= spec["rtt_ms"] * 500 - 1
        assert max(samples) <= spec["rtt_ms"] * 500 + 40_000 + 100
    assert any(event.kind == "DUP" for event in run.parse())


def test_smallest_rtt_is_the_base_rtt(tmp_path: Path) -> None:
    """On idle links the smallest sample is the base RTT, the packet's sending times and host delay."""
    subflows = [subflow([0], 30.0), subflow([1], 75.0)]
    spec = network([link(50.0), link(50.0)], subflows, receive_buffer_bytes=32768, scheduler="round_robin")
    run = simulate(tmp_path, spec)
    for index, base in enumerate((30.0, 75.0)):
        least = min(rtt for _, rtt, _ in run.delays(index)) / 1000
        sending = PACKET * 8e-3 * (1 / 50 + 1 / 100 + 2 / 1000)
        assert base + sending <= least < base + sending + 0.3


def test_random_losses_have_the_given_probability(tmp_path: Path) -> None:
    """Data segments and ACKs are lost with probability 0.02 each, within four deviations."""
    probability = 0.02
    scenario = separate(loss=probability)
    scenario["duration_s"] = 60.0
    run = simulate(tmp_path, scenario)
    events = run.parse()
    for index, truth in enumerate(run.truth["subflows"]):
        segments = truth["acked_bytes"] / MSS
        acks = sum(e.kind in ("ACK", "DUP") and e.subflow == index for e in events)
        survivors = segments + acks
        expected = survivors * probability / (1 - probability)
        deviation = math.sqrt(survivors * probability) / (1 - probability)
        assert survivors > 1000
        assert abs(truth["random_losses"] - expected) < 4 * deviation


def test_separate_bottlenecks_are_filled_by_their_subflows(tmp_path: Path) -> None:
    """Each subflow alone fills its link, loses there, and nowhere else."""
    scenario = separate(loss=0.0)
    scenario["background"] = []
    truth = simulate(tmp_path, scenario).truth
    assert [pair["shared"] for pair in truth["pairs"]] == [False]
    for line, own in zip(truth["links"], truth["subflows"], strict=True):
        assert 0.9 < line["utilisation"] <= 1
        assert own["phases"][0]["drops_at_bottleneck"] == line["drops"] > 0
        assert own["phases"][0]["drops_elsewhere"] == 0


def bin_rtts(run: Run) -> list[tuple[float, float]]:
    """Mean RTTs of both subflows in those bins of 100 ms where both have samples."""
    bins: list[dict[int, list[int]]] = [{}, {}]
    for index in range(2):
        for ns, rtt, _ in run.delays(index):
            bins[index].setdefault(ns // 10**8, []).append(rtt)
    common = sorted(set(bins[0]) & set(bins[1]))
    return [(sum(bins[0][b]) / len(bins[0][b]), sum(bins[1][b]) / len(bins[1][b])) for b in common]


def get_correlation(directory: Path, scenario: Scenario, runs: int) -> float:
    """Correlation of the RTT series, median of so many seeds."""
    made = simulate_all(directory, seeds({**scenario, "duration_s": 21.0}, runs))
    return median(correlation(*zip(*bin_rtts(run), strict=True)) for run in made)


@pytest.mark.parametrize("runs", [3, pytest.param(6, marks=pytest.mark.slow)])
def test_rtts_correlate_over_a_shared_bottleneck_only(runs: int, tmp_path: Path) -> None:
    """The queue both subflows meet shows in both RTT series; separate queues do not."""
    together = shared()
    together["background"] = [flow("reno", 3.5, "client", 40.0), flow("reno", 1.5, "client", 40.0, on=1)]
    apart = separate()
    assert get_correlation(tmp_path / "shared", together, runs) > 0.3
    assert abs(get_correlation(tmp_path / "separate", apart, runs)) < 0.15


def test_throughput_follows_the_rate(tmp_path: Path) -> None:
    """A link that changes from 8 to 2 to 6 Mbit/s carries that much, and never more."""
    steps = [[0.0, 8.0], [10.0, 2.0], [20.0, 6.0]]
    scenario = network([link(8.0)], [subflow([0], 40.0), subflow([0], 60.0)], duration=30.0)
    scenario["links"][0]["rate_mbit_s"] = steps
    run = simulate(tmp_path, scenario)
    lines = run.truth["links"]
    assert [[line["from_ns"] / 1e9, line["rate_mbit_s"]] for line in lines] == steps
    assert all(0.9 < line["utilisation"] <= 1 for line in lines)
    for begin, rate in steps:
        acked = sum(run.acked(i, begin + 2, begin + 10) for i in range(2)) * 8e-6 / 8
        assert acked == pytest.approx(rate * MSS / PACKET, rel=0.1)


@pytest.mark.parametrize(("rate", "queue"), [(1.0, 3000), (30.0, 1000000), (0.2, 9000)])
def test_utilisation_never_exceeds_one(rate: float, queue: int, tmp_path: Path) -> None:
    """Also with a packet on the link at each boundary and with phases of a few packets' length."""
    scenario = network([link(rate, queue)], [subflow([0], 20.0, 0.1), subflow([0], 30.0, 0.1)], duration=4.0)
    scenario["links"][0]["rate_mbit_s"] = [[k / 10, rate * (1 + k % 2)] for k in range(40)]
    lines = simulate(tmp_path, scenario).truth["links"]
    assert len(lines) == 40
    assert max(line["utilisation"] for line in lines) <= 1
    assert max(line["utilisation"] for line in lines) > 0.99
