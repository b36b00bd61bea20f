"""Transfers that end: the truth says when the client has all."""

from pathlib import Path

import pytest

from tests.simulator.program import MSS, PACKET, Scenario, link, network, simulate, simulate_all, subflow

pytestmark = pytest.mark.slow


def transfer(size: int, paths: int = 1, duration: float = 12.0) -> Scenario:
    """So many bytes over links of 8 Mbit/s and 60 ms each."""
    return network(
        [link(8.0) for _ in range(paths)],
        [subflow([place], 60.0) for place in range(paths)],
        duration=duration,
        congestion_control="reno",
        application={"kind": "transfer", "bytes": size},
    )


@pytest.mark.parametrize(("size", "segments"), [(1, 1), (MSS, 1), (MSS + 1, 2), (100 * MSS, 100)])
def test_all_segments_arrive_and_no_more(size: int, segments: int, tmp_path: Path) -> None:
    """A size is rounded up to whole segments."""
    run = simulate(tmp_path, transfer(size))
    connection = run.truth["connection"]
    assert connection["transfer_bytes"] == connection["delivered_bytes"] == segments * MSS
    assert connection["completed_ns"] is not None
    assert run.truth["subflows"][0]["acked_bytes"] == segments * MSS


def test_completion_is_when_the_last_segment_arrives(tmp_path: Path) -> None:
    """Ten segments are a window: a handshake at 0.5 s, half a round trip, and ten times what a packet takes."""
    completed = simulate(tmp_path, transfer(10 * MSS)).truth["connection"]["completed_ns"] / 1e9
    line = 10 * PACKET * 8 / 8e6
    assert 0.5 + 0.090 + line < completed < 0.5 + 0.090 + line + 0.005


def test_two_paths_take_half_the_time(tmp_path: Path) -> None:
    """4 MB are 4.1 s of one link."""
    one, two = simulate_all(tmp_path, [transfer(4_000_000, paths) for paths in (1, 2)])
    times = [run.truth["connection"]["completed_ns"] / 1e9 - 0.5 for run in (one, two)]
    assert 4.1 < times[0] < 5.5
    assert 0.45 < times[1] / times[0] < 0.65


def test_what_does_not_end_in_time_has_no_completion(tmp_path: Path) -> None:
    """And a connection without an end does not speak of it."""
    late, endless = transfer(4_000_000, duration=2.0), transfer(1)
    del endless["connection"]["application"]
    runs = simulate_all(tmp_path, [late, endless])
    assert runs[0].truth["connection"]["completed_ns"] is None
    assert set(runs[1].truth["connection"]) == {"delivered_bytes", "duplicated_bytes"}
