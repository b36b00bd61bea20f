"""Controllers: what is the same as Reno must be so byte for byte, and groups say who is coupled."""

import copy
import json
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from smartsbd.scenarios import registry
from tests.simulator.program import (
    MSS,
    PACKET,
    Run,
    Scenario,
    flow,
    link,
    network,
    simulate,
    simulate_all,
    subflow,
)
from tests.simulator.program import separate as separate_paths

pytestmark = pytest.mark.slow

#: Those whose subflows know nothing of each other.
UNCOUPLED = {"bbr", "cubic", "reno"}
#: Those whose subflows do, and are not under Reno when they are alone.
RATES = {"cmpbbr", "coupled_bbr", "fmbbr", "mpcc", "mplibra", "mpol", "rl_joint"}
#: Those above another one.
ABOVE = {"dither"}
COUPLED = [name for name in registry.names("congestion_control") if name not in UNCOUPLED | RATES | ABOVE]


def under(scenario: Scenario, controller: Any, groups: list[int] | None = None) -> Scenario:
    """The same scenario with another controller, and groups of its subflows."""
    changed = copy.deepcopy(scenario)
    changed["connection"]["congestion_control"] = controller
    changed["connection"].pop("lia_counts", None)
    for place, group in enumerate(groups or []):
        changed["subflows"][place]["group"] = group
    return changed


@pytest.mark.parametrize(
    "controller",
    [*COUPLED, *({"name": name, "mode": "kernel"} for name in ("lia", "balia"))],
    ids=lambda controller: controller if isinstance(controller, str) else f"{controller['name']}-kernel",
)
def test_alone_in_its_group_a_subflow_is_under_reno(controller: Any, tmp_path: Path) -> None:
    """Events and truth are Reno's, byte for byte; in one group they are not."""
    apart, together, reno = simulate_all(
        tmp_path,
        [
            under(separate_paths(), controller, [0, 1]),
            under(separate_paths(), controller, [3, 3]),
            under(separate_paths(), "reno"),
        ],
    )
    assert apart == reno
    assert together != reno


def three_paths() -> Scenario:
    """Three subflows, of which the last two share a bottleneck."""
    scenario = separate_paths()
    scenario["subflows"].append(subflow([1], 70.0, 1.2))
    return scenario


def test_groups_are_coupled_each_by_itself(tmp_path: Path) -> None:
    """What groups are called is of no effect; who is in which is."""
    groups = [[0, 1, 1], [4, 2, 2], [0, 0, 1], [0, 0, 0], [0, 1, 2]]
    runs = simulate_all(tmp_path, [under(three_paths(), "lia", own) for own in groups])
    assert runs[0] == runs[1]
    assert len({run.events for run in runs}) == 4
    (tmp_path / "reno").mkdir()
    assert runs[4] == simulate(tmp_path / "reno", under(three_paths(), "reno"))


@pytest.mark.parametrize("name", registry.names("congestion_control"))
def test_the_same_scenario_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    """Under every controller, in two processes."""
    (tmp_path / "other").mkdir()
    scenario = under(separate_paths(), {"name": name})
    assert simulate(tmp_path, scenario) == simulate(tmp_path / "other", scenario)


def test_defaults_are_those_of_the_name_alone(tmp_path: Path) -> None:
    """A name, an object with the name, and the older key of LIA are one and the same."""
    older = under(separate_paths(), "lia")
    older["connection"]["lia_counts"] = "acks"
    runs = simulate_all(
        tmp_path,
        [
            under(separate_paths(), "lia"),
            under(separate_paths(), {"name": "lia"}),
            under(separate_paths(), {"name": "lia", "counts": "packets", "recovery_window": "threshold"}),
            older,
            under(separate_paths(), {"name": "lia", "counts": "acks"}),
            under(separate_paths(), {"name": "lia", "recovery_window": "window"}),
        ],
    )
    assert runs[0] == runs[1] == runs[2]
    assert runs[3] == runs[4] != runs[0]
    assert runs[5] != runs[0]


def other_values() -> list[tuple[str, str, Any]]:
    """Every parameter of every controller, with a value that is not its default, and within the run's 10 s."""
    within = {"refresh_s": 3}
    listed = json.loads(registry.REGISTRY.read_text())["congestion_control"]
    return [
        (kind["properties"]["name"]["const"], name, within.get(name) or (schema.get("enum") or [schema["maximum"]])[-1])
        for kind in listed
        for name, schema in kind["properties"].items()
        if name != "name"
    ]


@pytest.mark.parametrize(("controller", "parameter", "value"), other_values())
def test_every_parameter_is_of_effect(controller: str, parameter: str, value: Any, tmp_path: Path) -> None:
    """What a scenario says of a controller reaches it."""
    usual, other = simulate_all(
        tmp_path,
        [
            under(separate_paths(), controller),
            under(separate_paths(), {"name": controller, parameter: value}),
        ],
    )
    assert usual.events != other.events


def two_links(rates: tuple[float, float], controller: Any, *rivals: dict[str, Any]) -> Scenario:
    """Two subflows of 60 ms, each over its own link with room for 120 kB."""
    links = [link(rate, 120000) for rate in rates]
    paths = [subflow([0], 60.0), subflow([1], 60.0)]
    return under(network(links, paths, rivals, duration=40.0, host_delay_us=200.0), controller)


def waiting(run: Run, index: int, rate: float) -> float:
    """Packets of a subflow that wait at its bottleneck in the second half of the run, by its RTTs."""
    rtts = [(ns, rtt) for ns, rtt, _ in run.delays(index)]
    base = min(rtt for _, rtt in rtts)
    return mean(rtt - base for ns, rtt in rtts if ns > 20e9) * rate / 8 / PACKET


@pytest.mark.parametrize(
    ("rates", "due"), [((5.0, 5.0), (5, 5)), ((10.0, 10.0), (5, 5)), ((8.0, 4.0), (6, 3))], ids=["equal", "fast", "2:1"]
)
def test_wvegas_keeps_its_part_of_ten_segments_waiting(
    rates: tuple[float, float], due: tuple[float, float], tmp_path: Path
) -> None:
    """By weights of 1/2, five on each link; of 2/3 and 1/3, six and three. Both links are full, and nothing is lost.

    The kernel rounds down what waits, so there may be one more; and ACKs for two packets come with the RTT of the
    second, which is less than one more.
    """
    run = simulate(tmp_path, two_links(rates, {"name": "wvegas", "drain": "none"}))
    for place, (rate, segments) in enumerate(zip(rates, due, strict=True)):
        assert segments - 1 < waiting(run, place, rate) < segments + 2
        assert run.truth["links"][place]["utilisation"] > 0.95
        assert run.truth["links"][place]["drops"] == 0


@pytest.mark.parametrize("drain", ["kernel", "none"])
def test_wvegas_gives_way_to_a_tcp_flow(drain: str, tmp_path: Path) -> None:
    """Beside Reno, which fills the queue, it takes less than 35 % of a link; the other link it has for itself."""
    scenario = two_links((8.0, 8.0), {"name": "wvegas", "drain": drain}, flow("reno", None, rtt=60.0))
    run = simulate(tmp_path, scenario)
    contested, _ = run.truth["links"]
    own = run.acked(0, 10, 40) * 8e-6 / 30
    assert own < 0.35 * contested["utilisation"] * 8.0 * MSS / PACKET
    assert run.acked(1, 10, 40) > 1.5 * run.acked(0, 10, 40)
