"""Flows of TCP without MPTCP as paths: which they are, and that nothing changes where they are not asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from smartsbd.traces import bounds, recorded, recording
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Connection
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.recording import Recording
from smartsbd.traces.trace import Trace
from tests.traces import packets
from tests.traces.comparison import assert_same
from tests.traces.packets import ACK, FIN, RST, SYN, Packet, Talk

TOGETHER = replace(bounds.DEFAULT, plain_flows=True)
LINKS = Path(__file__).parent / "samples/public/links"
CLIENT, SERVER = b"\x01" * 8, b"\x02" * 8
NOTHING = (b"", b"", b"")


def flow(port: int, segments: int, *, handshake: Sequence[bytes] = NOTHING, end: int = 0, start_ms: float = 0) -> Talk:
    """A flow of some segments of 1,000 bytes, each acknowledged, captured at the end that sends them."""
    talk = Talk(client=("10.0.0.1", port))
    talk.open(start_ms, handshake, near=end)
    for number in range(segments):
        talk.say(end, start_ms + 100 + 2 * number, size=1000)
        talk.say(1 - end, start_ms + 100 + 2 * number + 40)
    talk.say(0, start_ms + 200 + 2 * segments, flags=FIN | ACK)
    return talk


def mptcp(port: int, segments: int) -> Talk:
    talk = Talk(client=("10.0.0.1", port))
    talk.open(0, packets.v0(CLIENT, SERVER))
    talk.data(0, range(100, 100 + 2 * segments, 2))
    return talk


def written(path: Path, *talks: Talk) -> Path:
    every: list[Packet] = sorted((one for talk in talks for one in talk.packets), key=lambda one: one.time_ns)
    path.write_bytes(packets.pcap(every))
    assert_same(path)
    return path


def read(path: Path, most: Bounds = TOGETHER) -> Trace:
    trace = recording.read(path, Dialect(), most).trace
    assert trace.records_in == trace.records_out + trace.unused.total() + sum(trace.refused().values())
    return trace


def as_one(*paths: Path) -> list[Recording]:
    found = list(recording.read_all(paths, Dialect(), TOGETHER))
    return recording.as_one([one for one in found if isinstance(one, Recording)])


def only(recordings: Sequence[Recording]) -> Connection:
    (connection,) = [connection for one in recordings for connection in one.trace.connections]
    return connection


def test_flows_that_carried_data_are_paths(tmp_path: Path) -> None:
    path = written(tmp_path / "a.pcap", flow(1001, 70), flow(1002, 80, end=1))
    connection = only(as_one(path))
    assert [one.name for one in connection.ordered()] == ["port 1001 to 80", "port 80 to 1002"]
    assert [sum(rtt_us > 0 for rtt_us in one.all_acks().rtt_us) for one in connection.ordered()] == [70, 80]
    assert connection.token is None and read(path).left_out == []


def test_without_being_asked_for_they_are_none(tmp_path: Path) -> None:
    trace = read(written(tmp_path / "a.pcap", flow(1001, 70), flow(1002, 80)), bounds.DEFAULT)
    assert not trace.connections and trace.unused == {recorded.PLAIN: 144 + 164}


def test_two_captures_give_their_paths_their_names(tmp_path: Path) -> None:
    paths = [written(tmp_path / f"{name}.pcap", flow(port, 70)) for name, port in (("wlan0", 1001), ("wwan0", 1002))]
    assert [one.name for one in only(as_one(*paths)).ordered()] == ["wlan0 port 1001 to 80", "wwan0 port 1002 to 80"]


def test_flows_that_carried_little_are_left_out_by_name(tmp_path: Path) -> None:
    trace = read(written(tmp_path / "a.pcap", flow(1001, 70), flow(1002, 65), flow(1003, 0), flow(1004, 66)))
    assert [len(one.subflows) for one in trace.connections] == [1, 1]
    assert trace.left_out == [
        "Left out, 2 flows of TCP without MPTCP: port 1002 to 80 (65,000 bytes), port 1003 to 80 (no data);"
        " a path carries 65,536 bytes or more."
    ]
    assert trace.unused == {recorded.PLAIN: 134 + 4}


def test_many_that_are_left_out_are_counted(tmp_path: Path) -> None:
    (sentence,) = read(written(tmp_path / "a.pcap", *(flow(1001 + number, number) for number in range(9)))).left_out
    assert sentence.startswith("Left out, 9 flows of TCP without MPTCP: port 1009 to 80 (8,000 bytes), port 1008 to 80")
    assert sentence.endswith("port 1006 to 80 (5,000 bytes), 5 more; a path carries 65,536 bytes or more.")


def test_beside_mptcp_with_data_there_are_none(tmp_path: Path) -> None:
    trace = read(written(tmp_path / "a.pcap", mptcp(1001, 20), flow(1002, 80)))
    (connection,) = trace.connections
    assert connection.token is not None and len(connection.subflows) == 1
    assert trace.left_out == [
        "Left out, 1 flow of TCP without MPTCP: port 1002 to 80 (80,000 bytes); the inputs hold MPTCP with data."
    ]
    assert trace.unused == {recorded.PLAIN: 164}


def test_mptcp_that_fell_back_is_plain_tcp(tmp_path: Path) -> None:
    offered = (packets.capable(0, CLIENT), b"", b"")
    path = written(tmp_path / "a.pcap", flow(1001, 70, handshake=offered), flow(1002, 80, handshake=offered))
    assert read(path, bounds.DEFAULT).unused == {recorded.NOT_ANSWERED: 144 + 164}
    connection = only(as_one(path))
    assert connection.token is None and connection.mptcp_version is None
    assert [len(one.all_acks()) for one in connection.ordered()] == [70, 80]


def test_those_that_carried_most_are_paths_where_there_are_too_many(tmp_path: Path) -> None:
    path = written(tmp_path / "a.pcap", *(flow(1001 + number, 70 + number) for number in range(4)))
    trace = read(path, replace(TOGETHER, subflows=2))
    assert [one.subflows[0].local_port for one in trace.connections] == [1003, 1004]
    assert "port 1002 to 80 (71,000 bytes), port 1001 to 80 (70,000 bytes); a path carries 72,000" in trace.left_out[0]


def test_the_download_of_a_link_that_did_nothing_is_left_out() -> None:
    trace = read(LINKS / "plain_101.pcap.zst")
    (connection,) = trace.connections
    assert [one.name for one in connection.ordered()] == ["port 34607 to 5201"]
    assert "port 50711 to 5201 (no data)" in trace.left_out[0]
    assert read(LINKS / "plain_101.pcap.zst", bounds.DEFAULT).unused == {recorded.PLAIN: 200}


def test_what_is_cut_is_no_path() -> None:
    trace = read(LINKS / "snap68.pcap.zst")
    assert not trace.connections and trace.left_out == []
    assert trace.unused == {recorded.CUT_OPTIONS: 60}


@pytest.mark.parametrize(
    ("syn_options", "cut_bytes", "reason"),
    [(b"", 60, recorded.PLAIN), (packets.timestamps(1, 0), 60, recorded.CUT_OPTIONS)],
)
def test_a_whole_syn_says_that_there_is_no_mptcp(
    syn_options: bytes, cut_bytes: int, reason: str, tmp_path: Path
) -> None:
    talk = Talk()
    talk.say(0, 0, flags=SYN, options=syn_options)
    talk.say(1, 40, flags=SYN | ACK, options=packets.timestamps(7, 1))
    talk.say(0, 41, flags=RST)
    path = tmp_path / "cut.pcap"
    path.write_bytes(packets.pcap([packet.cut(cut_bytes) for packet in talk.packets]))
    assert_same(path)
    assert read(path, bounds.DEFAULT).unused == {reason: 3}
