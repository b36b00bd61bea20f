"""An analysed connection says what a capture written by hand holds, and its memory is bounded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from smartsbd.traces import capture_analysis
from smartsbd.traces.capture_analysis import (
    MOST_CONNECTIONS,
    TOO_MANY_CAPTURES,
    TOO_MANY_TO_ANALYSE,
    CaptureAnalysis,
    analysed,
)
from smartsbd.traces.connection_analysis import (
    BELOW_KEPT,
    CUT_MAPPINGS,
    FORGOTTEN_RANGES,
    IMPLAUSIBLE_ACKS,
    IMPLAUSIBLE_MAPPINGS,
    REPEATED_OPTIONS,
    ConnectionAnalysis,
    ListedSegment,
    SpacedPoints,
)
from smartsbd.traces.data_ranges import MOST_PIECES
from smartsbd.traces.formats import capture
from smartsbd.traces.quarantine import UnreadableInputError
from tests.fuzz.oracle import check_analysis
from tests.traces import packets
from tests.traces.packets import ACK, FIN, MS, RST, Packet, Talk
from tests.traces.test_recorded import wild

CLIENT, SERVER = b"A" * 8, b"B" * 8
FIRST = packets.first_data_of(CLIENT, 1)


def mapping(data: int, subflow_seq: int, length: int, *, size: int = 8, fin: bool = False) -> bytes:
    """DSS of `size` bytes for the data `data` bytes after the first, without an acknowledgement."""
    raw = (FIRST + data) % 2 ** (8 * size)
    flags = 4 | 8 * (size == 8) | 16 * fin
    body = bytes([0x20, flags]) + raw.to_bytes(size, "big") + subflow_seq.to_bytes(4, "big") + length.to_bytes(2, "big")
    return packets.option(30, body)


def acked(data: int) -> bytes:
    return packets.option(30, packets.dss_body((FIRST + data) % 2**64, ack_bytes=8))


def scaled(shift: int) -> bytes:
    return packets.option(3, bytes([shift]))


def opened(*, shifts: tuple[int, int] = (7, 2)) -> tuple[Talk, Talk]:
    """Two subflows of one connection, shaken hands."""
    first = Talk()
    shakes = packets.v1(CLIENT, SERVER)
    first.open(0, [shakes[0] + scaled(shifts[0]), shakes[1] + scaled(shifts[1]), shakes[2]])
    second = Talk(client=("10.1.0.1", 2000), isn=(2**32 - 50, 9000))
    second.open(100, packets.join(packets.token_of(SERVER, 1), (1, 2)))
    return first, second


def written(folder: Path, *talks: Talk, name: str = "a.pcap") -> Path:
    path = folder / name
    every = sorted((packet for talk in talks for packet in talk.packets), key=lambda one: one.time_ns)
    path.write_bytes(packets.pcap(every))
    return path


def all_of(paths: Sequence[Path]) -> list[CaptureAnalysis]:
    traces = capture.read_together(paths)
    return [
        analysed([(f"{path.stem}#{n}", one) for n, one in enumerate(trace.connections)])
        for path, trace in zip(paths, traces, strict=True)
    ]


def only(path: Path) -> ConnectionAnalysis:
    (found,) = all_of([path])[0].connections.values()
    return found


def columns(points: SpacedPoints, *names: str) -> list[tuple[int, ...]]:
    return list(zip(*(points.column(name).tolist() for name in names), strict=True))


def test_reinjections_and_gaps_are_those_that_were_written(tmp_path: Path) -> None:
    first, second = opened()
    first.say(0, 200, size=1000, options=mapping(0, 1, 1000))
    # 1000 to 1500 is never mapped.
    second.say(0, 210, size=1000, options=mapping(1500, 1, 1000))
    # The same segment sent again is no reinjection, nor is a mapping that goes over two segments.
    second.say(0, 300, size=1000, options=mapping(1500, 1, 1000), seq=second.sent[0] - 1000)
    first.say(0, 310, size=500, options=mapping(2500, 1001, 1000))
    first.say(0, 311, size=500, options=mapping(2500, 1001, 1000))
    # 2000 to 2600 again, on the other subflow: 500 bytes of its own, and 100 of the first.
    first.say(0, 400, size=500, options=mapping(2000, 2001, 500))
    second.say(0, 410, size=100, options=mapping(2500, 1001, 100))
    # The same bytes at another place of the same subflow.
    second.say(0, 420, size=100, options=mapping(2500, 1101, 100))
    # And once more what was said last.
    second.say(0, 430, size=100, options=mapping(2500, 1101, 100), seq=second.sent[0] - 100)
    found = only(written(tmp_path, first, second))
    data = found.directions[0]
    assert data.ranges.gaps() == [(1000, 1500)]
    assert data.ranges.end == 3500
    assert columns(data.reinjections, "time_ns", "subflow", "data_seq", "bytes", "first_subflow") == [
        (1_000_400 * MS, 0, 2000, 500, 1),
        (1_000_410 * MS, 1, 2500, 100, 0),
        (1_000_420 * MS, 1, 2500, 100, 0),
    ]
    sent = [found.sending[number][0] for number in (0, 1)]
    assert [(own.new_bytes, own.reinjected_bytes, own.repeated_bytes) for own in sent] == [
        (2000, 500, 1000),
        (1000, 200, 1100),
    ]
    assert (data.mappings.count, data.repeated) == (6, 3)
    assert [own.resent for own in sent] == [0, 2]
    assert [found.connection.subflows[number].retransmissions for number in (0, 1)] == [0, 2]
    assert not found.all_left_out()


def test_windows_are_scaled_and_data_acknowledged(tmp_path: Path) -> None:
    first, second = opened()
    first.say(0, 200, size=1000, options=mapping(0, 1, 1000))
    second.say(0, 201, size=1000, options=mapping(1000, 1, 1000))
    first.say(1, 240, options=acked(1000))
    second.say(1, 250, options=packets.option(30, packets.dss_body((FIRST + 2000) % 2**32)))
    found = only(written(tmp_path, first, second))
    # The SYN/ACKs, whose windows are not scaled; the second subflow's SYNs scale nothing.
    names = ("subflow", "data_ack", "window", "outstanding_bytes")
    unknown = -(2**63)
    assert columns(found.directions[0].acks, *names) == [
        (0, unknown, 500, unknown),
        (1, unknown, 500, unknown),
        (0, 1000, 500 << 2, 1000),
        (1, 2000, 500, 0),
    ]
    assert found.directions[0].acked == 2000 and found.directions[0].most_outstanding == 1000
    client = found.sending[0][0]
    assert (client.least_window, client.most_window) == (500 << 7, 500 << 7)


def test_one_scale_alone_scales_nothing(tmp_path: Path) -> None:
    first = Talk()
    shakes = packets.v1(CLIENT, SERVER)
    first.open(0, [shakes[0] + scaled(7), shakes[1], shakes[2]])
    first.say(0, 200, size=1000, options=mapping(0, 1, 1000))
    found = only(written(tmp_path, first))
    assert found.window_shift(0) == (0, 0) and found.sending[0][0].most_window == 500


def test_signals_are_events_of_their_end_and_subflow(tmp_path: Path) -> None:
    first, second = opened()
    add = packets.option(30, bytes([0x30, 5]) + bytes(12))
    echo = packets.option(30, bytes([0x31, 5, 192, 0, 2, 9]))
    first.say(1, 200, options=add)
    first.say(0, 210, options=echo)
    first.say(0, 220, options=packets.option(30, bytes([0x40, 7])))
    second.say(0, 230, options=packets.option(30, bytes([0x51])))
    second.say(1, 240, options=packets.option(30, b"\x60\0" + bytes(8)))
    first.say(0, 250, size=10, options=mapping(0, 1, 11, fin=True))
    of_server = packets.first_data_of(SERVER, 1) - FIRST
    first.say(1, 260, options=mapping(of_server, 0, 1, fin=True), flags=FIN | ACK)
    second.say(0, 270, options=packets.option(30, bytes([0x80, 2])) + packets.fastclose(SERVER), flags=RST)
    found = only(written(tmp_path, first, second))
    said = {
        kind: columns(points, "subflow", "from", "number")
        for kind, points in found.events.items()
        if kind not in ("MP_CAPABLE", "MP_JOIN")
    }
    none = -(2**63)
    assert said == {
        "ADD_ADDR": [(0, 1, 5)],
        "ADD_ADDR echo": [(0, 0, 5)],
        "REMOVE_ADDR": [(0, 0, 7)],
        "MP_PRIO": [(1, 0, 1)],
        "MP_FAIL": [(1, 1, none)],
        "MP_FASTCLOSE": [(1, 0, none)],
        "MP_TCPRST": [(1, 0, 2)],
        "DATA_FIN": [(0, 0, 10), (0, 1, 0)],
        "FIN": [(0, 1, none)],
        "RST": [(1, 0, none)],
    }
    assert found.directions[0].ranges.end == 10
    joins = columns(found.events["MP_JOIN"], "subflow", "from", "number", "flag")
    assert joins == [(1, 0, 1, 0), (1, 1, 2, 0), (1, 0, none, 0)]


def test_a_join_as_backup_and_an_empty_window_are_told(tmp_path: Path) -> None:
    first, _ = opened()
    second = Talk(client=("10.1.0.1", 2000))
    shakes = packets.join(packets.token_of(SERVER, 1), (1, 2))
    backup = shakes[0][:2] + bytes([shakes[0][2] | 1]) + shakes[0][3:]
    second.open(100, [backup, *shakes[1:]])
    for time_ms in (200, 201):
        first.say(0, time_ms)
        data = bytearray(first.packets[-1].data)
        data[14 + 20 + 14 : 14 + 20 + 16] = b"\0\0"
        first.packets[-1] = Packet(first.packets[-1].time_ns, bytes(data))
    found = only(written(tmp_path, first, second))
    assert columns(found.events["MP_JOIN"], "number", "flag")[0] == (1, 1)
    # Two segments, one event.
    assert columns(found.events["zero window"], "subflow", "from") == [(0, 0)]
    assert found.sending[0][0].least_window == 0


def test_payload_without_a_mapping_is_counted(tmp_path: Path) -> None:
    first, second = opened()
    first.say(0, 200, size=1000, options=mapping(0, 1, 600))
    first.say(0, 201, size=1000)
    # Sent again, it counts once.
    first.say(0, 300, size=1000, seq=first.sent[0] - 1000)
    # The numbers of the second subflow wrap.
    second.say(0, 310, size=100, options=mapping(600, 1, 100))
    second.say(0, 311, size=100, options=mapping(700, 101, 90))
    # From here on there is no MPTCP on this subflow.
    first.say(0, 320, size=10, options=mapping(0, 2001, 0))
    found = only(written(tmp_path, first, second))
    assert [found.sending[number][0].unmapped_bytes for number in (0, 1)] == [400 + 1000 + 10, 10]
    assert columns(found.events["infinite mapping"], "subflow") == [(0,)]


def test_data_in_the_handshake_of_version_1_is_mapped(tmp_path: Path) -> None:
    first = Talk()
    shakes = packets.v1(CLIENT, SERVER)
    first.open(0, shakes)
    first.say(0, 50, size=300, options=packets.capable(1, CLIENT, SERVER, rest=b"\x01\x2c"))
    first.say(0, 60, size=100, options=mapping(300, 301, 100))
    found = only(written(tmp_path, first))
    assert columns(found.directions[0].mappings, "data_seq", "bytes", "kind") == [(0, 300, 0), (300, 100, 0)]
    assert found.sending[0][0].unmapped_bytes == 0


def test_numbers_of_four_bytes_wrap_and_go_on(tmp_path: Path) -> None:
    first = Talk()
    first.open(0, packets.v1(CLIENT, SERVER))
    step, at, subflow_seq = 2**30, 0, 1
    for place in range(9):
        first.say(0, 200 + place, size=100, options=mapping(at, subflow_seq, 100, size=4 if place % 2 else 8))
        at, subflow_seq = at + step, subflow_seq + 100
    found = only(written(tmp_path, first))
    assert found.directions[0].mappings.column("data_seq").tolist() == [step * place for place in range(9)]
    assert found.directions[0].ranges.all_gaps() == (8, 8 * (step - 100))


def test_without_its_handshake_a_subflow_counts_from_what_was_seen_first(tmp_path: Path) -> None:
    first = Talk()
    first.say(0, 200, size=100, options=mapping(5000, 4001, 100, size=4))
    first.say(0, 201, size=100, options=mapping(5100, 4101, 100))
    first.say(1, 240, options=acked(5200))
    found = only(written(tmp_path, first))
    data = found.directions[0]
    assert columns(data.mappings, "data_seq", "bytes") == [(0, 100), (100, 100)]
    assert data.acked == 200 and data.numbers.first == (FIRST + 5000) % 2**64
    assert data.ranges.gaps() == []
    # Where its numbers begin is not known.
    assert found.sending[0][0].unmapped_bytes is None


def test_what_cannot_be_told_is_counted(tmp_path: Path) -> None:
    first, second = opened()
    first.say(0, 200, size=100, options=mapping(0, 1, 100))
    first.say(0, 201, size=100, options=mapping(2**40, 101, 100))
    first.say(1, 202, options=acked(2**40))
    first.say(0, 203, size=100, options=packets.option(30, bytes([0x20, 4, 1, 2, 3])))
    second.say(0, 204, options=packets.option(30, bytes([0x40, 7])) * 3)
    found = only(written(tmp_path, first, second))
    assert found.all_left_out() == {
        IMPLAUSIBLE_MAPPINGS: 1,
        IMPLAUSIBLE_ACKS: 1,
        CUT_MAPPINGS: 1,
        REPEATED_OPTIONS: 1,
    }
    assert found.directions[0].ranges.end == 100


def test_pieces_beyond_the_bound_are_counted(tmp_path: Path) -> None:
    first = Talk()
    first.open(0, packets.v1(CLIENT, SERVER))
    for place in range(MOST_PIECES + 3):
        first.say(0, 200 + place, size=10, options=mapping(20 * place, 1 + 10 * place, 10))
    first.say(0, 300 + MOST_PIECES, size=10, options=mapping(0, 1, 10), seq=first.isn[0] + 1)
    found = only(written(tmp_path, first))
    assert found.all_left_out() == {FORGOTTEN_RANGES: 3, BELOW_KEPT: 10}
    assert found.directions[0].ranges.all_gaps() == (MOST_PIECES + 2, 10 * (MOST_PIECES + 2))
    assert found.directions[0].mappings.count == MOST_PIECES + 3


def test_of_many_points_a_bounded_number_is_kept_evenly() -> None:
    points = SpacedPoints("time_ns", "value", most=64)
    for number in range(100_000):
        points.append(number, -number)
        assert len(points.column("time_ns")) <= 64
        if number > 10_000:
            break
    for number in range(10_002, 100_000):
        points.append(number, -number)
    times = points.column("time_ns")
    assert points.count == 100_000
    assert times.tolist() == list(range(0, 100_000, points.every)) and 32 < len(times) <= 64
    assert (points.column("value") == -times).all()


def test_subflows_in_two_captures_are_one_connection(tmp_path: Path) -> None:
    first, second = opened()
    for place in range(50):
        talk = (first, second)[place % 2]
        talk.say(0, 200 + place, size=100, options=mapping(100 * place, 1 + 100 * (place // 2), 100))
        talk.say(1, 240.5 + place, options=acked(100 * place + 100))
    second.say(0, 500, size=100, options=mapping(0, 2501, 100))
    whole = only(written(tmp_path, first, second))
    found, none = all_of([written(tmp_path, first, name="b.pcap"), written(tmp_path, second, name="c.pcap")])
    (apart,) = found.connections.values()
    assert not none.connections
    for one, other in zip(whole.directions, apart.directions, strict=True):
        for name in ("mappings", "reinjections", "acks"):
            assert getattr(one, name).content(0) == getattr(other, name).content(0)
    assert whole.sending == apart.sending
    assert whole.directions[0].reinjections.count == 1 and whole.directions[0].ranges.gaps() == []


def test_of_many_connections_those_that_sent_most_are_analysed(tmp_path: Path) -> None:
    talks = []
    for number in range(MOST_CONNECTIONS + 5):
        keys = (2 * number).to_bytes(8, "big"), (2 * number + 1).to_bytes(8, "big")
        talk = Talk(client=("10.0.0.1", 1000 + number))
        talk.open(number, packets.v1(*keys))
        talk.say(0, 500 + number, size=1000 - number if number != 3 else 1)
        talks.append(talk)
    (found,) = all_of([written(tmp_path, *talks)])
    assert list(found.connections) == [f"a#{number}" for number in range(MOST_CONNECTIONS + 1) if number != 3]
    assert found.left_out == {TOO_MANY_TO_ANALYSE: 5}


def test_captures_beyond_those_read_at_once_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture_analysis, "MOST_CAPTURES", 1)
    first, second = opened()
    first.say(0, 200, size=100, options=mapping(0, 1, 100))
    found, _ = all_of([written(tmp_path, first, name="b.pcap"), written(tmp_path, second, name="c.pcap")])
    assert not found.connections and found.left_out == {TOO_MANY_CAPTURES: 1}


def test_a_capture_that_went_is_said_to_be_unreadable(tmp_path: Path) -> None:
    first, _ = opened()
    first.say(0, 200, size=100, options=mapping(0, 1, 100))
    path = written(tmp_path, first)
    (trace,) = capture.read_together([path])
    named = [("a", one) for one in trace.connections]
    whole = path.read_bytes()
    path.write_bytes(whole[:-10])
    (found,) = analysed(named).connections.values()
    assert found.directions[0].mappings.count == 0
    path.unlink()
    with pytest.raises(UnreadableInputError, match="cannot be read"):
        analysed(named)


@pytest.mark.parametrize("seed", range(30))
def test_random_packets_are_analysed(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    path.write_bytes(packets.pcap(wild(seed, 600)))
    (found,) = all_of([path])
    assert found.connections
    for one in found.connections.values():
        check_analysis(one)


def test_the_list_of_segments_has_the_columns_that_are_read(tmp_path: Path) -> None:
    from smartsbd.native import packet_recording

    with (tmp_path / "spool").open("w+b") as spool:
        recording = packet_recording.Recording(spool.fileno(), listing=True)
    names: Iterable[str] = recording.take_listed().dtype.names or ()
    snake = ["".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name) for name in names]
    assert snake == list(ListedSegment.__annotations__)
