"""Schedulers and the meta queue: identities, what is sent twice, and paths that die."""

import copy
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from smartsbd.scenarios import registry
from tests.simulator.capture import read
from tests.simulator.program import MSS, Run, Scenario, access, link, network, shared, simulate, subflow

pytestmark = pytest.mark.slow

#: Nothing beside what the scheduler does.
OFF = {"reinject": False, "opportunistic": False, "penalise": False, "half_window": False}
#: Where one path is cut, in s.
CUT_S = 5.0


def olaps(**parameters: Any) -> dict[str, Any]:
    return {"name": "olaps", **parameters}


def unlike_paths(scheduler: Any, extra_ms: float = 80.0, **connection: Any) -> Scenario:
    """Two links of 5 Mbit/s, the second with a longer RTT; BBR, as in OLAPS's experiments."""
    usual: dict[str, Any] = {"congestion_control": "bbr", "receive_buffer_bytes": 100000, "delivery_details": True}
    scenario = network(
        [link(5.0, 30000), link(5.0, 30000)],
        [subflow([0], 20.0), subflow([1], 20.0 + extra_ms)],
        scheduler=scheduler,
        **(usual | connection),
    )
    del scenario["connection"]["lia_counts"]
    return scenario


def with_dying_path(scenario: Scenario) -> Scenario:
    """The same scenario; the second path loses all but one packet in a thousand from CUT_S on."""
    dying = copy.deepcopy(scenario)
    dying["subflows"][1]["access"]["loss_changes"] = [[CUT_S, 0.999]]
    return dying


def delivered(run: Run) -> int:
    return int(run.truth["connection"]["delivered_bytes"])


def last_data_ack_s(run: Run) -> float:
    return max(event.ns for event in run.parse() if event.kind == "DACK") / 1e9


@pytest.mark.parametrize("make", [shared, lambda: unlike_paths("min_rtt")])
def test_olaps_without_copies_is_min_rtt(make: Any, tmp_path: Path) -> None:
    """A share of 0 gives the bytes of min_rtt, and a share of 1 those of redundant."""
    events = {}
    for chosen in ("min_rtt", "redundant", olaps(learner="none", share=0.0), olaps(learner="none", share=1.0)):
        scenario = make()
        scenario["connection"]["scheduler"] = chosen
        name = chosen if isinstance(chosen, str) else chosen["share"]
        events[name] = simulate(tmp_path, scenario).events
    assert events[0.0] == events["min_rtt"] != events["redundant"] == events[1.0]


def test_redundant_is_as_fast_as_the_best_path_alone(tmp_path: Path) -> None:
    """Within 5 %, with a slow path beside it that carries copies alone."""
    both = unlike_paths("redundant", receive_buffer_bytes=4194304)
    alone = copy.deepcopy(both)
    del alone["subflows"][1], alone["links"][1]
    run, best = simulate(tmp_path, both), simulate(tmp_path, alone)
    assert delivered(run) == pytest.approx(delivered(best), rel=0.05)
    details = run.truth["connection"]
    assert details["copied_segments"] * MSS > 0.9 * run.truth["subflows"][1]["acked_bytes"]
    # All that arrives is delivered, or is a copy.
    acked = sum(own["acked_bytes"] for own in run.truth["subflows"])
    assert 0 <= details["delivered_bytes"] + details["duplicated_bytes"] - acked < 100 * MSS


@pytest.mark.parametrize("scheduler", ["redundant", olaps(learner="none", share=1.0)])
def test_copies_outlive_a_path(scheduler: Any, tmp_path: Path) -> None:
    """With everything on both paths, the connection does not notice that one dies."""
    run = simulate(tmp_path, with_dying_path(unlike_paths(scheduler)))
    assert last_data_ack_s(run) > 11.9
    # 5 Mbit/s, headers aside, to the end.
    assert delivered(run) > 0.9 * 5e6 / 8 * 11.4 * MSS / (MSS + 42)


@pytest.mark.parametrize("scheduler", ["min_rtt", "round_robin", "blest", "ecf"])
def test_reinjection_outlives_a_path(scheduler: str, tmp_path: Path) -> None:
    """When a path dies, what was on it holds the connection up for ever, unless it goes out again on the other."""
    off = with_dying_path(unlike_paths(scheduler, extra_ms=20.0, receive_buffer_bytes=300000))
    on = copy.deepcopy(off)
    on["connection"]["meta_queue"] = OFF | {"reinject": True}
    stalled, saved = simulate(tmp_path, off), simulate(tmp_path, on)
    assert stalled.truth["connection"]["reinjected_segments"] == 0
    assert saved.truth["connection"]["reinjected_segments"] > 0
    assert last_data_ack_s(stalled) < CUT_S + 1 < 11.9 < last_data_ack_s(saved)


def test_reinjected_segments_do_not_go_back_to_their_path(tmp_path: Path) -> None:
    """Each goes out on another subflow: as many segments as the first path got, and no copy of it arrives there."""
    scenario = with_dying_path(unlike_paths("min_rtt", extra_ms=20.0, meta_queue=OFF | {"reinject": True}))
    run = simulate(tmp_path, scenario)
    details = run.truth["connection"]
    assert details["copied_segments"] == details["reinjected_segments"]
    # The dying path acknowledges next to nothing after the cut.
    assert run.acked(1, CUT_S + 1, 12) < 30 * MSS < run.acked(0, CUT_S + 1, 12)


def test_rules_of_the_meta_queue_are_off_by_default(tmp_path: Path) -> None:
    """Without the key, and with all its rules off, the bytes are the same."""
    scenario = unlike_paths("min_rtt", receive_buffer_bytes=30000)
    switched_off = unlike_paths("min_rtt", receive_buffer_bytes=30000, meta_queue=OFF)
    assert simulate(tmp_path, scenario) == simulate(tmp_path, switched_off)


def test_half_window_is_half_the_buffer(tmp_path: Path) -> None:
    half = unlike_paths("min_rtt", receive_buffer_bytes=80000, meta_queue=OFF | {"half_window": True})
    assert simulate(tmp_path, half) == simulate(tmp_path, unlike_paths("min_rtt", receive_buffer_bytes=40000))


def test_blocked_window_is_freed(tmp_path: Path) -> None:
    """With a small buffer the slow path blocks the fast one; each rule of Linux makes that rarer, and tells so."""
    runs = {
        rule: simulate(
            tmp_path,
            unlike_paths(
                "min_rtt", congestion_control="reno", receive_buffer_bytes=60000, meta_queue=OFF | {rule: True}
            ),
        )
        for rule in ("half_window", "opportunistic", "penalise")
    }
    plain = simulate(tmp_path, unlike_paths("min_rtt", congestion_control="reno", receive_buffer_bytes=60000))
    details = {rule: run.truth["connection"] for rule, run in runs.items()}
    assert details["opportunistic"]["opportunistic_segments"] == details["opportunistic"]["copied_segments"] > 0
    assert details["penalise"]["penalties"] > 0 == details["penalise"]["copied_segments"]
    assert details["half_window"]["penalties"] == details["half_window"]["opportunistic_segments"] == 0
    assert delivered(runs["opportunistic"]) > delivered(plain)
    assert delivered(runs["penalise"]) > delivered(plain)


def test_waiting_round_robin_gives_equal_shares(tmp_path: Path) -> None:
    """A full subflow keeps its turn, so both get the same number of segments, whatever their rates."""
    transfer = {"kind": "transfer", "bytes": 2000000}
    waits = {"name": "round_robin", "full": "wait"}
    scenario = unlike_paths(waits, receive_buffer_bytes=4194304, application=transfer)
    scenario["links"][1] |= {"rate_mbit_s": [[0.0, 2.0]], "queue_bytes": 300000}
    first, second = (own["acked_bytes"] for own in simulate(tmp_path, scenario).truth["subflows"])
    # Before the second is established, 0.12 s later, the first has what 5 Mbit/s and its queue come to.
    assert 0 <= first - second < 0.12 * 5e6 / 8 + 30000
    scenario["connection"]["scheduler"] = {"name": "round_robin", "full": "skip"}
    first, second = (own["acked_bytes"] for own in simulate(tmp_path, scenario).truth["subflows"])
    assert first > 2 * second


def test_blest_leaves_a_slow_path_that_would_block(tmp_path: Path) -> None:
    """With 30 kB, min_rtt is slower than one path alone; BLEST sends next to nothing on the slow one."""
    plain, blest = (
        simulate(tmp_path, unlike_paths(scheduler, receive_buffer_bytes=30000)) for scheduler in ("min_rtt", "blest")
    )
    assert delivered(blest) > 1.5 * delivered(plain)
    assert blest.truth["subflows"][1]["acked_bytes"] < 0.05 * blest.truth["subflows"][0]["acked_bytes"]


def test_ecf_ends_a_transfer_earlier(tmp_path: Path) -> None:
    """A short transfer is complete earlier without its last segments on a slow path; a bulk one is that of min_rtt."""
    transfer = {"kind": "transfer", "bytes": 1000000}
    ample: dict[str, Any] = {"congestion_control": "reno", "receive_buffer_bytes": 4194304}
    completed = {}
    for scheduler in ("min_rtt", "ecf"):
        scenario = unlike_paths(scheduler, extra_ms=200.0, application=transfer, **ample)
        completed[scheduler] = simulate(tmp_path, scenario).truth["connection"]["completed_ns"]
    assert completed["ecf"] < 0.9 * completed["min_rtt"]
    bulk = [unlike_paths(scheduler, **ample) for scheduler in ("min_rtt", "ecf")]
    assert simulate(tmp_path, bulk[0]).events == simulate(tmp_path, bulk[1]).events


def test_irps_copies_while_subflows_start_up(tmp_path: Path) -> None:
    """Copies go out until each subflow has lost a packet, and none later."""
    scenario = unlike_paths("irps", congestion_control="reno", receive_buffer_bytes=4194304)
    run = simulate(tmp_path, scenario)
    copied = run.truth["connection"]["copied_segments"]
    assert copied > 0
    longer = simulate(tmp_path, scenario | {"duration_s": 20.0})
    assert longer.truth["connection"]["copied_segments"] == copied


@pytest.mark.parametrize("mode", ["paper", "code"])
@pytest.mark.parametrize("learner", ["ucb1", "exp3"])
def test_olaps_learns_what_pays(learner: str, mode: str, tmp_path: Path) -> None:
    """No copies on equal paths with an ample buffer; copies where min_rtt would block the fast path."""
    chosen = olaps(learner=learner, mode=mode)
    ample = simulate(tmp_path, unlike_paths(chosen, extra_ms=0.0) | {"duration_s": 30.0})
    scarce = simulate(tmp_path, unlike_paths(chosen, receive_buffer_bytes=30000) | {"duration_s": 30.0})
    fewest = min(one["share"] for one in ample.truth["connection"]["rounds"])
    for run, copies in ((ample, False), (scarce, True)):
        rounds = run.truth["connection"]["rounds"]
        assert [one["from_ns"] for one in rounds] == sorted(one["from_ns"] for one in rounds)
        assert all(one["reward"] >= 0 for one in rounds[:-1])
        later = rounds[len(rounds) // 2 :]
        assert sum((one["share"] > fewest) == copies for one in later) > 0.55 * len(later)


def test_intervals_last_while_no_subflow_can_send(tmp_path: Path) -> None:
    """With all subflows in Loss, intervals go on as long as ever, and bring nothing."""
    dying = with_dying_path(unlike_paths(olaps()))
    dying["subflows"][0]["access"]["loss_changes"] = [[CUT_S, 0.999]]
    rounds = simulate(tmp_path, dying).truth["connection"]["rounds"]
    begun = [one["from_ns"] for one in rounds]
    assert all(later - earlier > 50_000_000 for earlier, later in pairwise(begun))
    assert all(one["reward"] is None for one in rounds if one["from_ns"] > (CUT_S + 2) * 1e9)


def test_monitor_begins_again_when_paths_change(tmp_path: Path) -> None:
    """When a path becomes slow, the learner with a monitor begins again; the one without does not."""
    changing = unlike_paths(olaps(), extra_ms=0.0, receive_buffer_bytes=30000) | {"duration_s": 90.0}
    changing["subflows"][1]["delay_changes_ms"] = [[60.0, 80.0]]
    rounds = simulate(tmp_path, changing).truth["connection"]["rounds"]
    changed_s = [one["from_ns"] / 1e9 for one in rounds if one["changed"]]
    assert changed_s and 60 < changed_s[0] < 80
    changing["connection"]["scheduler"] = olaps(monitor="off")
    assert not any(one["changed"] for one in simulate(tmp_path, changing).truth["connection"]["rounds"])


def test_ill_conditioned_subflow_is_left_out(tmp_path: Path) -> None:
    """Of three subflows, one of more than 150 ms that loses more than a fifth of its packets gets no more data."""
    scenario = unlike_paths(olaps()) | {"duration_s": 40.0}
    scenario["links"].append(link(5.0, 30000))
    scenario["subflows"].append({**subflow([2], 300.0), "access": access(loss=0.3)})
    run = simulate(tmp_path, scenario)
    assert run.acked(2, 0, 4) > 0 == run.acked(2, 20, 40)
    del scenario["subflows"][0], scenario["links"][2]
    for place, own in enumerate(scenario["subflows"]):
        own.update(links=[place], bottleneck=[[0.0, place]])
    # One of two is never left out.
    assert simulate(tmp_path, scenario).acked(1, 20, 40) > 0


@pytest.mark.parametrize("name", registry.names("scheduler"))
def test_same_scenario_gives_same_bytes(name: str, tmp_path: Path) -> None:
    scenario = shared()
    scenario["connection"] |= {"scheduler": name, "delivery_details": True}
    first = simulate(tmp_path, scenario)
    assert first == simulate(tmp_path, scenario)
    assert first.truth["connection"]["order_delay_us"]["segments"] * MSS == delivered(first)


def test_captured_copies_have_the_mapping_of_their_data(tmp_path: Path) -> None:
    """In a capture each segment of the connection is mapped once on each subflow, from the same sequence number."""
    (tmp_path / "packets").mkdir()
    scenario = unlike_paths("redundant")
    simulate(tmp_path, scenario, "--pcap=packets")
    sent = []
    for number in range(2):
        packets = [one for one in read(tmp_path / "packets" / f"sender.{number}.pcap") if one.payload]
        mapped = {one.options[30][2:10]: one.sequence for one in packets if one.options[30][0] == 0x20}
        assert len(mapped) == len(set(mapped.values()))
        sent.append(set(mapped))
    common = len(sent[0] & sent[1])
    assert common > 0.9 * min(map(len, sent))
