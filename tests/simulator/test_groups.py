"""Truth of more than two subflows and of bottlenecks that move."""

from itertools import combinations
from pathlib import Path

import pytest

from tests.simulator.program import link, network, simulate, subflow

pytestmark = pytest.mark.slow


def test_five_subflows_over_three_links(tmp_path: Path) -> None:
    """Exactly the pairs that were built on one link are called shared; the links are filled."""
    members = [0, 1, 0, 2, 1]
    links = [link(6.0), link(5.0, place="client"), link(4.0)]
    subflows = [subflow([line], 30.0 + 10 * i, 0.5 + 0.1 * i) for i, line in enumerate(members)]
    truth = simulate(tmp_path, network(links, subflows)).truth
    expected = [
        {"subflow_a": a, "subflow_b": b, "from_ns": 0, "shared": members[a] == members[b]}
        for a, b in combinations(range(5), 2)
    ]
    assert truth["pairs"] == expected
    assert all(0.8 < line["utilisation"] <= 1 for line in truth["links"])
    assert all(s["phases"][0]["drops_elsewhere"] == 0 for s in truth["subflows"])
    assert all(s["acked_bytes"] > 100_000 for s in truth["subflows"])


def test_moving_bottleneck(tmp_path: Path) -> None:
    """Shared, separate, shared, for 60 s each: three entries, and drops where they are meant to be."""
    links = [link(8.0), link(30.0, place="client"), link(30.0, place="client")]
    links[0]["rate_mbit_s"] = [[0.0, 8.0], [60.0, 30.0], [120.0, 8.0]]
    links[1]["rate_mbit_s"] = [[0.0, 30.0], [60.0, 5.0], [120.0, 30.0]]
    links[2]["rate_mbit_s"] = [[0.0, 30.0], [60.0, 3.0], [120.0, 30.0]]
    subflows = [subflow([0, 1], 40.0), subflow([0, 2], 60.0)]
    for index, spec in enumerate(subflows):
        spec["bottleneck"] = [[0.0, 0], [60.0, index + 1], [120.0, 0]]
    truth = simulate(tmp_path, network(links, subflows, duration=180.0)).truth
    moments = [(pair["from_ns"], pair["shared"]) for pair in truth["pairs"]]
    assert moments == [(0, True), (60 * 10**9, False), (120 * 10**9, True)]
    for index, own in enumerate(truth["subflows"]):
        assert [phase["bottleneck"] for phase in own["phases"]] == [0, index + 1, 0]
        assert all(phase["drops_at_bottleneck"] > 0 for phase in own["phases"])
        at, elsewhere = (
            sum(phase[key] for phase in own["phases"]) for key in ("drops_at_bottleneck", "drops_elsewhere")
        )
        assert elsewhere <= 0.1 * (at + elsewhere)
    filled = {(line["link"], line["from_ns"] // 10**9) for line in truth["links"] if line["utilisation"] > 0.85}
    assert filled == {(0, 0), (1, 60), (2, 60), (0, 120)}


def test_unchanged_pair_gets_one_entry(tmp_path: Path) -> None:
    """A change of rate alone, or of both bottlenecks together, is no change of the pair."""
    links = [link(8.0), link(30.0, place="client")]
    links[0]["rate_mbit_s"] = [[0.0, 8.0], [3.0, 6.0], [6.0, 30.0]]
    links[1]["rate_mbit_s"] = [[0.0, 30.0], [6.0, 5.0]]
    subflows = [subflow([0, 1], 40.0), subflow([0, 1], 60.0)]
    for spec in subflows:
        spec["bottleneck"] = [[0.0, 0], [6.0, 1]]
    truth = simulate(tmp_path, network(links, subflows)).truth
    assert truth["pairs"] == [{"subflow_a": 0, "subflow_b": 1, "from_ns": 0, "shared": True}]
    assert [phase["from_ns"] for phase in truth["subflows"][0]["phases"]] == [0, 3 * 10**9, 6 * 10**9]
