"""Queue disciplines of a link, what its ACK direction has, and ACKs for several segments."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.simulator.program import MSS, PACKET, Run, Scenario, execute, flow, link, network, simulate, subflow

pytestmark = pytest.mark.slow

RATE_MBIT_S = 8.0
#: Takes 300 ms to drain.
QUEUE_BYTES = 300_000
RTT_MS = 40.0


def one_link(background: list[dict[str, Any]] | None = None, **keys: Any) -> Scenario:
    """Two subflows under Reno over one link, which has further keys."""
    line = {**link(RATE_MBIT_S, QUEUE_BYTES), **keys}
    subflows = [subflow([0], RTT_MS), subflow([0], RTT_MS)]
    return network([line], subflows, background or (), 30.0, congestion_control="reno")


def queueing_ms(run: Run, index: int = 0) -> list[float]:
    """One way delays beside propagation, sorted, after the start."""
    return sorted(owd / 1000 - RTT_MS / 2 for ns, _, owd in run.delays(index) if ns > 5e9)


def at_share(ordered: list[float], share: float) -> float:
    """The value below which this share of them lies."""
    return ordered[int(share * (len(ordered) - 1))]


def filled(run: Run) -> float:
    """The utilisation of the link, which is consistent with what arrived and with where packets were dropped."""
    (line,) = run.truth["links"]
    own = [one["phases"][0] for one in run.truth["subflows"]]
    assert line["drops"] == sum(one["drops_at_bottleneck"] for one in own) > 0
    assert line["marks"] == sum(one["drops_elsewhere"] for one in own) == 0
    carried = sum(run.acked(index, 10, 30) for index in range(2)) * 8e-6 / 20 * PACKET / MSS / RATE_MBIT_S
    assert carried == pytest.approx(line["utilisation"], abs=0.05)
    assert line["utilisation"] <= 1
    return float(line["utilisation"])


@pytest.fixture(scope="module")
def drop_tail(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return simulate(tmp_path_factory.mktemp("drop_tail"), one_link())


def test_drop_tail_has_long_queues(drop_tail: Run) -> None:
    """One delay in ten is near the limit, 300 ms."""
    assert filled(drop_tail) > 0.95
    assert at_share(queueing_ms(drop_tail), 0.9) > 200


@pytest.mark.parametrize(("discipline", "most_ms"), [("red", 150), ("codel", 40), ("fq_codel", 40)])
def test_a_discipline_keeps_the_queue_short(discipline: str, most_ms: float, tmp_path: Path) -> None:
    """Nine in ten delays are below what the discipline allows, far below drop tail's, and the link is filled.

    RED's average stays below half of the queue, 150 ms; CoDel's target is 5 ms, its interval 100 ms.
    """
    run = simulate(tmp_path, one_link(queue_discipline=discipline))
    assert filled(run) > 0.8
    assert at_share(queueing_ms(run), 0.9) < most_ms
    # They differ from one another, too.
    assert at_share(queueing_ms(run), 0.9) > (40 if discipline == "red" else 2)


def test_red_draws_by_the_seed(tmp_path: Path) -> None:
    first = simulate(tmp_path, one_link(queue_discipline="red"))
    assert simulate(tmp_path, one_link(queue_discipline="red")) == first
    assert simulate(tmp_path, {**one_link(queue_discipline="red"), "seed": 18}).events != first.events


def test_fq_codel_gives_each_flow_its_share(tmp_path: Path) -> None:
    """UDP at nine tenths of the rate leaves TCP a tenth under CoDel, and half under FQ-CoDel."""
    taken = {}
    for discipline in ("codel", "fq_codel"):
        scenario = one_link([flow("cbr", 0.9 * RATE_MBIT_S)], queue_discipline=discipline)
        run = simulate(tmp_path, scenario)
        taken[discipline] = sum(run.acked(index, 10, 30) for index in range(2)) * 8e-6 / 20
    assert taken["codel"] < 0.3 * RATE_MBIT_S
    assert taken["fq_codel"] > 0.55 * RATE_MBIT_S


@pytest.mark.parametrize("bucket", [30_000, QUEUE_BYTES])
def test_a_policer_drops_without_a_queue(bucket: int, tmp_path: Path) -> None:
    """The rate holds, but nothing waits longer than a line of ten times the rate takes for a bucket."""
    run = simulate(tmp_path, one_link(queue_discipline="policer", queue_bytes=bucket))
    assert filled(run) > 0.8
    delays_ms = queueing_ms(run)
    assert delays_ms[-1] < bucket * 8e-3 / (10 * RATE_MBIT_S) + 1
    assert at_share(delays_ms, 0.5) < 5


def test_a_policer_follows_the_rate(tmp_path: Path) -> None:
    """It lets 8, then 2 Mbit/s through, and says that it is used."""
    scenario = one_link(queue_discipline="policer", queue_bytes=30_000)
    scenario["links"][0]["rate_mbit_s"] = [[0.0, 8.0], [15.0, 2.0]]
    run = simulate(tmp_path, scenario)
    for begin, rate in ((5, 8.0), (17, 2.0)):
        carried = sum(run.acked(index, begin, begin + 10) for index in range(2)) * 8e-7 * PACKET / MSS
        assert 0.75 * rate < carried < 1.02 * rate
    assert all(0.75 < line["utilisation"] <= 1 for line in run.truth["links"])


def upload(rate: float | None = None) -> dict[str, Any]:
    """A flow on the way back."""
    return {**flow("reno", rate), "leaves": "first_link", "direction": "back"}


BACK = {"rate_mbit_s": 4.0, "queue_bytes": 50_000}


def test_a_flow_goes_back_and_acks_wait_behind_it(drop_tail: Run, tmp_path: Path) -> None:
    """It fills 4 Mbit/s, and the way back takes up to the 100 ms of its full queue; without it hardly any time."""
    scenario = {**one_link([upload()], back=BACK, queue_bytes=60_000), "series_s": 1.0}
    run = simulate(tmp_path, scenario)
    intervals = run.truth["series"]["intervals"]
    received_mbit_s = sum(one["background_bytes"][0] for one in intervals[5:]) * 8e-6 / (len(intervals) - 5)
    assert 3.2 < received_mbit_s * PACKET / MSS <= 4.0
    back_ms = sorted((rtt - owd) / 1000 - RTT_MS / 2 for ns, rtt, owd in run.delays(0) if ns > 5e9)
    assert 50 < at_share(back_ms, 0.9) < 150
    idle_ms = sorted((rtt - owd) / 1000 - RTT_MS / 2 for ns, rtt, owd in drop_tail.delays(0) if ns > 5e9)
    assert at_share(idle_ms, 0.9) < 41
    # Its data are no load on the link, its ACKs are little, and the label is as without it.
    assert run.truth["links"][0]["utilisation"] > 0.75
    assert run.truth["pairs"] == drop_tail.truth["pairs"]


def test_a_narrow_way_back_holds_acks_back(drop_tail: Run, tmp_path: Path) -> None:
    """At 50 kbit/s ACKs alone are too many: each takes 7 ms, while 8 Mbit/s are 350 of them a second."""
    run = simulate(tmp_path, one_link(back={"rate_mbit_s": 0.05, "queue_bytes": 10_000}))
    acked = [sum(one.acked(index, 10, 30) for index in range(2)) for one in (run, drop_tail)]
    back_ms = sorted((rtt - owd) / 1000 - RTT_MS / 2 for ns, rtt, owd in run.delays(0) if ns > 5e9)
    assert at_share(back_ms, 0.5) > 200
    assert acked[0] < acked[1]
    # What is dropped there is no drop of the bottleneck.
    assert sum(one["phases"][0]["drops_elsewhere"] for one in run.truth["subflows"]) > 0


def acks_per_segment(run: Run) -> float:
    """ACKs that acknowledge new data, over segments acknowledged."""
    acks = sum(event.kind == "ACK" for event in run.parse())
    segments: float = sum(one["acked_bytes"] for one in run.truth["subflows"]) / MSS
    return acks / segments


def test_an_ack_is_for_so_many_segments(drop_tail: Run, tmp_path: Path) -> None:
    """Half as many ACKs as segments by default, a quarter with 4, each with 1; recoveries differ."""
    found = {}
    for segments in (1, 2, 4):
        scenario = one_link()
        scenario["connection"]["segments_per_ack"] = segments
        found[segments] = simulate(tmp_path, scenario)
    assert acks_per_segment(found[1]) > 0.9
    assert 0.45 < acks_per_segment(found[2]) < 0.55
    assert 0.2 < acks_per_segment(found[4]) < 0.35
    assert found[2].events == drop_tail.events


def test_sinks_of_background_traffic_acknowledge_as_before(tmp_path: Path) -> None:
    """Only the connection's client waits for more segments: a rival alone on its link is as it was."""
    received = []
    for segments in (2, 8):
        scenario = network(
            [link(RATE_MBIT_S), link(RATE_MBIT_S)],
            [subflow([0], RTT_MS), subflow([1], RTT_MS)],
            [{**flow("reno", None), "leaves": "first_link"}],
            20.0,
            segments_per_ack=segments,
        )
        for one in scenario["subflows"]:
            one["start_s"] = 19.0
        scenario["series_s"] = 1.0
        intervals = simulate(tmp_path, scenario).truth["series"]["intervals"]
        received.append([one["background_bytes"] for one in intervals[:18]])
    assert received[0] == received[1]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"queue_discipline": "pie"}, "/links/0/queue_discipline: "),
        (
            {"queue_discipline": "red", "mark_bytes": 9000},
            "/links/0/queue_discipline: a link that marks or sends at given moments is drop-tail\n",
        ),
        (
            {"queue_discipline": "policer", "rate_mbit_s": [[0.0, 12.0]], "opportunities_ms": [1, 2, 3]},
            "/links/0/queue_discipline: a link that marks or sends at given moments is drop-tail\n",
        ),
        ({"back": {"rate_mbit_s": 1.0}}, "/links/0/back"),
        ({"back": {"rate_mbit_s": 0.0, "queue_bytes": 9000}}, "/links/0/back/rate_mbit_s: "),
    ],
)
def test_links_that_cannot_be(keys: dict[str, Any], message: str, tmp_path: Path) -> None:
    result = execute(tmp_path, json.dumps(one_link(**keys)))
    assert result.returncode == 2
    assert result.stderr.startswith(f"scenario.json: {message}")


def test_only_a_flow_that_leaves_goes_back(tmp_path: Path) -> None:
    """There it has a host of its own; the client's controller is none of its."""
    rival = upload()
    del rival["leaves"]
    result = execute(tmp_path, json.dumps(one_link([rival])))
    assert (result.returncode, result.stderr) == (
        2,
        "scenario.json: /background/0/direction: only a flow that leaves can go back\n",
    )
