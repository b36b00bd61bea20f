"""Links that send at the moments of a recording: departures, drops, utilisation, and what is refused."""

from __future__ import annotations

import copy
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from smartsbd.scenarios import capacity_trace
from smartsbd.scenarios.scenario import Scenario as Contract
from smartsbd.scenarios.scenario import mean_mbit_s
from tests.simulator.capture import CLIENT_PORTS
from tests.simulator.naive_replay import replayed, through_line
from tests.simulator.program import Scenario, execute, flow, link, network, simulate, subflow

pytestmark = pytest.mark.slow

TRACES = Path(capacity_trace.__file__).parent / "capacity_traces"
DURATION_S = 8.0
_FAST_NS_PER_BYTE = 8
_FIRST_LINK_NS = _LAST_LINK_NS = 100_000
_LINK_NS = 1_000_000
#: Not in step: packets of both come at the same moment never.
_RTTS_MS = (24.0, 60.0123)


def recorded(moments_ms: list[int], queue: int = 60_000, place: str = "server") -> dict[str, Any]:
    """A link that replays a trace."""
    own = link(round(mean_mbit_s(moments_ms), 3), queue, place)
    return {**own, "opportunities_ms": moments_ms}


def bursts(seed: int) -> list[int]:
    """Moments in bursts, with pauses of up to 0.4 s; the trace lasts some 2 s, so it goes round."""
    rng = np.random.default_rng(seed)
    at = np.cumsum(rng.choice([0, 0, 1, 1, 2, 3, 400], 1200, p=(0.2, 0.2, 0.2, 0.2, 0.1, 0.098, 0.002)))
    return [0, *map(int, at), int(at[-1]) + 1]


def two(one: dict[str, Any], mss: int = 1400) -> Scenario:
    """Two subflows over one recorded link, and nothing else."""
    last = {"rate": 1000.0}
    subflows = [subflow([0], rtt, 0.5 + 0.1 * number, **last) for number, rtt in enumerate(_RTTS_MS)]
    return network([one], subflows, duration=DURATION_S, mss_bytes=mss, host_delay_us=0.0)


def to_client(path: Path) -> list[tuple[int, int]]:
    """When packets to the client passed an interface, in ns, and their bytes as IP has them."""
    data, at, found = path.read_bytes(), 24, []
    while at < len(data):
        seconds, nanoseconds, captured, _ = struct.unpack("<IIII", data[at : at + 16])
        ip = data[at + 18 : at + 16 + captured]
        at += 16 + captured
        head = 4 * (ip[0] & 15)
        if struct.unpack("!H", ip[head + 2 : head + 4])[0] in CLIENT_PORTS:
            found.append((seconds * 10**9 + nanoseconds, len(ip)))
    return found


def expected(directory: Path, moments_ms: list[int], queue: int) -> list[list[int]]:
    """When the packets of each subflow reach the client, from when they left the server."""
    end_ns = round(DURATION_S * 1e9)
    sent = [to_client(directory / f"sender.{number}.pcap") for number in range(2)]
    there = [through_line(own, _FAST_NS_PER_BYTE, _FIRST_LINK_NS) for own in sent]
    merged = sorted((at, number, own) for number in range(2) for at, own in there[number])
    left = replayed([(at, own) for at, _, own in merged], moments_ms, queue, end_ns)
    found = []
    for number, rtt_ms in enumerate(_RTTS_MS):
        out = [(at + _LINK_NS, own) for at, (_, whose, own) in zip(left, merged, strict=True) if at and whose == number]
        rest_ns = round(rtt_ms * 5e5) - _FIRST_LINK_NS - _LINK_NS - _LAST_LINK_NS
        out = through_line(through_line(out, _FAST_NS_PER_BYTE, rest_ns), _FAST_NS_PER_BYTE, _LAST_LINK_NS)
        found.append([at for at, _ in out if at < end_ns])
    return found


@pytest.mark.parametrize(
    ("seed", "mss", "queue"), [(1, 1400, 60_000), (2, 536, 60_000), (3, 1436, 20_000), (4, 700, 6_000)]
)
def test_packets_leave_when_plain_loops_say(seed: int, mss: int, queue: int, tmp_path: Path) -> None:
    """To the nanosecond, with packets that share moments, with drops, and round after round of the trace."""
    moments_ms = bursts(seed)
    run = simulate(tmp_path, two(recorded(moments_ms, queue), mss), "--pcap=.")
    came = [[at for at, _ in to_client(tmp_path / f"receiver.{number}.pcap")] for number in range(2)]
    assert came == expected(tmp_path, moments_ms, queue)
    assert min(map(len, came)) > 50
    assert moments_ms[-1] * 2 < DURATION_S * 1000
    (counts,) = run.truth["links"]
    sent = sum(len(to_client(tmp_path / f"sender.{number}.pcap")) for number in range(2))
    assert counts["drops"] > 0
    assert counts["drops"] <= sent - sum(map(len, came))


def test_a_trace_of_even_moments_is_a_link_of_its_rate(tmp_path: Path) -> None:
    """A moment each 2 ms is 6 Mbit/s: as much is delivered, and as much of the link is used, within 2 %."""
    found = []
    for number, one in enumerate((link(6.0), recorded([2]))):
        (tmp_path / str(number)).mkdir()
        found.append(simulate(tmp_path / str(number), two(one)).truth)
    constant, replay = found
    delivered = [one["connection"]["delivered_bytes"] for one in found]
    assert delivered[1] == pytest.approx(delivered[0], rel=0.05)
    assert constant["links"][0]["utilisation"] > 0.95
    # A packet takes 1440 of the 1500 bytes of a moment, and the next one begins in the rest.
    assert replay["links"][0]["utilisation"] == pytest.approx(constant["links"][0]["utilisation"], abs=0.03)


def test_utilisation_is_the_share_of_the_bytes_that_could_go(tmp_path: Path) -> None:
    """A sender at 2 Mbit/s uses some 2 of 12, headers aside; before all are established nothing counts."""
    scenario = two(recorded([1]))
    scenario["connection"]["application"] = {"kind": "rate", "rate_mbit_s": 2.0}
    truth = simulate(tmp_path, scenario).truth
    (counts,) = truth["links"]
    assert counts["utilisation"] == pytest.approx(2.0 * 1440 / 1400 / 12, rel=0.05)
    assert counts["rate_mbit_s"] == 12.0


def test_a_link_without_a_moment_in_time_is_not_used(tmp_path: Path) -> None:
    """The trace ends long after the run: its one moment is within it, and then there is none."""
    moments_ms = [*range(1, 1500), 900_000]
    truth = simulate(tmp_path, two(recorded(moments_ms, queue=3000))).truth
    assert 0 < truth["links"][0]["utilisation"] <= 1


def test_real_traces_go(tmp_path: Path) -> None:
    """Two subflows over a part of a real trace, and a rival: the link is used, and nothing is sent beyond it."""
    trace = capacity_trace.read(TRACES / "Verizon-LTE-short.down.zst")
    moments_ms = list(trace.part(20_000, 8_000))
    scenario = two(recorded(moments_ms, queue=400_000, place="client"))
    scenario["background"] = [flow("cubic", None, "client")]
    truth = simulate(tmp_path, scenario).truth
    assert 0.5 < truth["links"][0]["utilisation"] <= 1


def test_equal_scenarios_give_equal_bytes(tmp_path: Path) -> None:
    runs = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        runs.append(simulate(tmp_path / name, two(recorded(bursts(5)))))
    assert runs[0] == runs[1]


@pytest.mark.parametrize(
    ("change", "place", "words"),
    [
        ({"opportunities_ms": []}, "/links/0/opportunities_ms", "items"),
        ({"opportunities_ms": "1"}, "/links/0/opportunities_ms", "array"),
        ({"opportunities_ms": None}, "/links/0/opportunities_ms", "array"),
        ({"opportunities_ms": [1.5]}, "/links/0/opportunities_ms/0", "1.5"),
        ({"opportunities_ms": [-1]}, "/links/0/opportunities_ms/0", "-1"),
        ({"opportunities_ms": [3_600_001]}, "/links/0/opportunities_ms/0", "3600001"),
        ({"opportunities_ms": [5, 4]}, "/links/0/opportunities_ms/1", "4 is before the one before it"),
        ({"opportunities_ms": [0, 0]}, "/links/0/opportunities_ms", "the last is at 0"),
        ({"rate_mbit_s": [[0.0, 7.0]]}, "/links/0/rate_mbit_s", "carry 6.0 Mbit/s in the mean"),
        ({"rate_mbit_s": [[0.0, 6.0], [1.0, 6.0]]}, "/links/0/rate_mbit_s", "carry 6.0 Mbit/s in the mean"),
    ],
)
def test_what_is_no_trace_is_refused_by_its_place(
    change: dict[str, Any], place: str, words: str, tmp_path: Path
) -> None:
    """By the simulator in one line, and by the contract."""
    scenario = two(recorded([2, 4]))
    Contract.model_validate(scenario)
    broken = copy.deepcopy(scenario)
    broken["links"][0].update(change)
    result = execute(tmp_path, json.dumps(broken))
    assert result.returncode == 2
    assert result.stderr.startswith(f"scenario.json: {place}: ") and result.stderr.count("\n") == 1
    assert words in result.stderr
    if change != {"opportunities_ms": None}:
        with pytest.raises(ValueError, match="links"):
            Contract.model_validate(broken)


def test_a_trace_is_bounded(tmp_path: Path) -> None:
    """A million moments go, one more does not."""
    scenario = two(recorded([2, 4]))
    scenario["links"][0]["opportunities_ms"] = [*range(1, 1_000_001), 1_000_001]
    result = execute(tmp_path, json.dumps(scenario))
    assert result.returncode == 2
    assert result.stderr.startswith("scenario.json: /links/0/opportunities_ms: ")
