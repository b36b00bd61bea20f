"""Windows that a controller moves, and what the active check makes of it while the connection runs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from smartsbd.detectors.active.dithered_pair import DitheredPair
from tests.simulator.program import (
    Run,
    Scenario,
    flow,
    link,
    network,
    separate,
    shared,
    simulate,
    simulate_all,
    subflow,
)
from tests.simulator.test_coupling import decided, under

BELOW = ("lia", "balia", "cubic", "olia", "reno")
#: Which controller is below on the networks of simulator/README.md, by their seed.
TURNS = ("lia", "olia", "balia", "cubic", "reno")
KINDS = ("shared", "own", "twin")
CHECK_RTTS = 300


def one_link(duration: float = 30.0) -> Scenario:
    """A bottleneck that two subflows share, with nobody else."""
    return network([link(8.0)], [subflow([0], 40.0), subflow([0], 60.0, 0.8)], duration=duration)


def two_links(duration: float = 30.0, **more: Any) -> Scenario:
    """A bottleneck for each subflow."""
    links = [link(6.0), link(5.0, 50000)]
    return network(links, [subflow([0], 40.0), subflow([1], 60.0, 0.8)], duration=duration, **more)


def two_links_that_move_together(duration: float = 30.0) -> Scenario:
    """A bottleneck for each, whose capacities rise and fall at the same times by the same factors."""
    scenario = two_links(duration)
    factors = [1.0, 0.5, 1.3, 0.7, 1.6, 0.9, 0.6, 1.2]
    for one in scenario["links"]:
        ((_, rate),) = one["rate_mbit_s"]
        moments = range(int(duration / 0.5))
        one["rate_mbit_s"] = [[i * 0.5, round(rate * factors[(3 * i + i // 5) % 8], 3)] for i in moments]
    return scenario


def drawn(kind: str, seed: int) -> Scenario:
    """A network of simulator/README.md: shared, of links of their own, or twins of one relative capacity over time.

    RTTs are of 20 to 100 ms, links of 4 to 16 Mbit/s with queues of 0.8 to 2 times their product. Half of the shared
    and own ones have a CUBIC flow at the first subflow's bottleneck. Capacities of twins change every 0.5 s.
    """
    duration_s = 50.0
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    rtts_ms = rng.uniform(20, 100, 2).round(1)
    rates = rng.uniform(4, 16, 2).round(2)
    links = []
    for rate in rates:
        product_bytes = rate * 1e6 / 8 * max(rtts_ms) / 1e3
        links.append(link(float(rate), max(int(product_bytes * rng.uniform(0.8, 2)), 15_000)))
    if kind == "twin":
        factors = np.exp(rng.normal(0, 0.5, int(2 * duration_s)))
        for one, rate in zip(links, rates, strict=True):
            changing = [[i / 2, round(float(np.clip(rate * factor, 1, 60)), 3)] for i, factor in enumerate(factors)]
            one["rate_mbit_s"] = changing
    other = 0 if kind == "shared" else 1
    subflows = [subflow([0], float(rtts_ms[0])), subflow([other], float(rtts_ms[1]), 0.8)]
    rivals = []
    if kind != "twin" and rng.random() < 0.5:
        rivals = [flow("cubic", None, "server", round(float(rng.uniform(110, 150)), 1))]
    return {**network(links[: other + 1], subflows, rivals, duration_s), "seed": seed}


@dataclass(frozen=True)
class Told:
    """A run whose windows were moved, and what its file of verdicts says."""

    run: Run
    verdicts: dict[str, Any]


def told(folder: Path, scenario: Scenario, source: Any = "active", of: str = "lia", **more: Any) -> Told:
    folder.mkdir(parents=True, exist_ok=True)
    controller = {"name": "dither", "of": of, **more}
    run = simulate(folder, decided(scenario, source, controller), "--verdicts=verdicts.json")
    return Told(run, json.loads((folder / "verdicts.json").read_text()))


@pytest.mark.parametrize("below", BELOW)
def test_a_window_that_is_not_moved_is_the_controllers_below(below: str, tmp_path: Path) -> None:
    """Events and truth, byte for byte, on both networks; one that is moved gives others, and the same ones again."""
    for scenario in (shared(), separate()):
        folder = tmp_path / str(len(scenario["links"]))
        still = {"name": "dither", "of": below, "share": 0}
        moved = {"name": "dither", "of": below}
        runs = simulate_all(folder, [under(scenario, chosen) for chosen in (below, still, moved, moved)])
        assert runs[0] == runs[1]
        assert runs[2] == runs[3]
        assert runs[0].events != runs[2].events


def test_signs_are_drawn_anew_for_each_seed(tmp_path: Path) -> None:
    signs = []
    for seed in (1, 2):
        found = told(tmp_path / str(seed), {**one_link(15.0), "seed": seed}).verdicts["symbols"]
        signs.append([[one["segments"] > 0 for one in found if one["subflow"] == which][:20] for which in (0, 1)])
    assert len({tuple(of_one) for of_both in signs for of_one in of_both}) == 4


@pytest.mark.parametrize("below", BELOW)
def test_each_symbol_has_two_halves_of_half_a_round_trip(below: str, tmp_path: Path) -> None:
    one = told(tmp_path, two_links(), of=below)
    least = min(event.value for event in one.run.parse() if event.kind == "RTT" and event.subflow == 1)
    last = {0: 0, 1: 0}
    for symbol in one.verdicts["symbols"]:
        begin, middle, end = (symbol[f"{part}_ns"] for part in ("begin", "middle", "end"))
        assert last[symbol["subflow"]] <= begin
        last[symbol["subflow"]] = end
        assert min(middle - begin, end - middle) >= least * 500
        assert 1 <= abs(symbol["segments"]) <= 16
    assert len(one.verdicts["symbols"]) > 100


def test_the_verdicts_are_those_of_the_python_on_the_log(tmp_path: Path) -> None:
    """Every number of every judgement, from the event lines and the symbols."""
    for name, scenario in {"one": one_link(), "two": two_links()}.items():
        one = told(tmp_path / name, scenario)
        (begun,) = one.verdicts["begun"]
        pair, judged = DitheredPair(begun["m_us"]), []
        symbols = [symbol for symbol in one.verdicts["symbols"] if symbol["end_ns"] >= begun["from_ns"]]
        for event in one.run.parse():
            if event.kind != "RTT" or event.ns < begun["from_ns"]:
                continue
            while symbols and symbols[0]["end_ns"] < event.ns:
                symbol = symbols.pop(0)
                begin_ns, middle_ns, end_ns = (symbol[f"{part}_ns"] for part in ("begin", "middle", "end"))
                pair.on_symbol(symbol["subflow"], begin_ns, middle_ns, end_ns, symbol["segments"])
            if pair.on_rtt(event.subflow, event.ns, event.value):
                judged.append((event.ns, pair.verdict.name.lower(), *pair.evidence(), pair.left_out))
        columns = ("decided_ns", "said", "symbols", "shared_q8", "own_q8", "llr", "left_out")
        assert judged == [tuple(each[column] for column in columns) for each in one.verdicts["active"]]
        assert len(judged) > 50


@pytest.mark.parametrize("below", ["lia", "cubic"])
def test_it_tells_one_queue_from_two(below: str, tmp_path: Path) -> None:
    """Also from two that rise and fall at the same times."""
    networks = {"shared": one_link(), "apart": two_links(), "together": two_links_that_move_together()}
    said = {
        name: [each["said"] for each in told(tmp_path / name, scenario, of=below).verdicts["active"]]
        for name, scenario in networks.items()
    }
    assert {name: each[-1] for name, each in said.items()} == {
        "shared": "shared",
        "apart": "apart",
        "together": "apart",
    }
    assert "apart" not in said["shared"]
    assert "shared" not in said["apart"] + said["together"]


def test_under_another_controller_it_never_speaks(tmp_path: Path) -> None:
    run = simulate(tmp_path, decided(one_link(10.0), "active", "lia"), "--verdicts=verdicts.json")
    verdicts = json.loads((tmp_path / "verdicts.json").read_text())
    assert verdicts["symbols"] == verdicts["active"] == verdicts["verdicts"] == []
    assert run == simulate(tmp_path, under(one_link(10.0), "lia"))


def test_a_check_runs_after_a_passive_shared_and_not_for_long(tmp_path: Path) -> None:
    """Windows are moved while it runs alone, and what it confirms stays as it is."""
    one = told(tmp_path, one_link(40.0), "checked")
    passive = one.verdicts["passive"]["verdicts"]
    first_ns = next(each["from_ns"] for each in passive if each["groups"] == [0, 0])
    check = one.verdicts["checks"][0]
    assert check["from_ns"] >= first_ns
    (begun, *_) = one.verdicts["begun"]
    assert check["to_ns"] - check["from_ns"] <= (CHECK_RTTS + 5) * begun["m_us"] * 1000
    assert check["outcome"] == "confirmed"
    spans = [(each["from_ns"], each["to_ns"]) for each in one.verdicts["checks"]]
    assert one.verdicts["symbols"]
    for symbol in one.verdicts["symbols"]:
        assert any(begin <= symbol["begin_ns"] and symbol["middle_ns"] <= end for begin, end in spans)
    assert one.verdicts["verdicts"][-1]["groups"] == [0, 0]


def test_a_check_of_no_time_leaves_the_passive_verdicts(tmp_path: Path) -> None:
    """It is over before a symbol is, and the run is that of the common lag."""
    scenario = one_link(20.0)
    never = told(tmp_path / "never", scenario, {"name": "checked", "check_rtts": 0}, share=0)
    plain = tmp_path / "plain"
    plain.mkdir()
    run = simulate(plain, decided(scenario, "common_lag", "lia"), "--verdicts=verdicts.json")
    assert never.run == run
    assert never.verdicts["passive"] == {
        key: value
        for key, value in json.loads((plain / "verdicts.json").read_text()).items()
        if key in ("verdicts", "judgements")
    }
    assert {check["outcome"] for check in never.verdicts["checks"]} == {"undecided"}


def test_a_veto_sets_subflows_apart(tmp_path: Path) -> None:
    """Where the common lag takes two queues that rise and fall together for one, the check says that they are two."""
    one = told(tmp_path, drawn("twin", 3), "checked", of="cubic")
    assert [check["outcome"] for check in one.verdicts["checks"]] == ["vetoed"]
    assert one.verdicts["passive"]["verdicts"][-1]["groups"] == [0, 0]
    assert one.verdicts["verdicts"][-1]["groups"] == one.verdicts["groups"][-1]["groups"] == [0, 1]


def of_each_network(folder: Path, kind: str, source: str) -> list[dict[str, Any]]:
    """What is said of the 20 networks of a kind, each controller above four of them."""
    return [
        told(folder / str(seed), drawn(kind, seed), source, of=TURNS[seed % len(TURNS)]).verdicts
        for seed in range(1, 21)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "decided_of_20"), [("shared", 17), ("own", 20), ("twin", 20)])
def test_the_check_alone_is_as_simulator_readme_says(kind: str, decided_of_20: int, tmp_path: Path) -> None:
    found = of_each_network(tmp_path, kind, "active")
    said = [{each["said"] for each in one["active"]} - {"unknown"} for one in found]
    assert [one for one in said if one] == [{"shared" if kind == "shared" else "apart"}] * decided_of_20


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "passive_right", "right"), [("shared", 20, 20), ("own", 20, 20), ("twin", 2, 18)])
def test_checked_verdicts_are_as_simulator_readme_says(
    kind: str, passive_right: int, right: int, tmp_path: Path
) -> None:
    """The last verdicts."""
    found = of_each_network(tmp_path, kind, "checked")
    due = [0, 0] if kind == "shared" else [0, 1]
    assert sum(one["passive"]["verdicts"][-1]["groups"] == due for one in found) == passive_right
    assert sum(one["verdicts"][-1]["groups"] == due for one in found) == right
    outcomes = {check["outcome"] for one in found for check in one["checks"]}
    assert ("vetoed" if kind == "shared" else "confirmed") not in outcomes
