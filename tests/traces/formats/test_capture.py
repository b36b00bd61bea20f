"""Packets of one or several captures become connections; what becomes none is counted."""

from __future__ import annotations

import gzip
import json
import os
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from smartsbd.traces import assembly, bounds, formats, recorded
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Connection, Subflow
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import capture
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace
from tests.traces import packets
from tests.traces.comparison import assert_same, in_memory
from tests.traces.packets import ACK, FIN, MS, RST, SYN, Packet, Talk, capable, dss, join, token_of, v0, v1

A, B, C, D = (bytes([value]) * 8 for value in (0xA1, 0xB2, 0xC3, 0xD4))
START_NS = 1_000_000 * MS


def written(path: Path, *talks: Talk | Sequence[Packet]) -> Path:
    """Write the packets of all talks into one capture, in order of time."""
    found = [packet for talk in talks for packet in (talk.packets if isinstance(talk, Talk) else talk)]
    path.write_bytes(packets.pcap(sorted(found, key=lambda packet: packet.time_ns), tick_ns=1))
    return path


def checked(paths: Sequence[Path]) -> list[Trace]:
    for path in paths:
        assert_same(path)
    traces = capture.read_together(paths)
    assert len(traces) == len(paths)
    for trace in traces:
        trace.connections, trace.refusals = in_memory(trace.connections), list(trace.refusals)
        assert trace.records_in == trace.records_out + sum(trace.unused.values()) + len(trace.refusals)
    return traces


def read(tmp_path: Path, *talks: Talk | Sequence[Packet]) -> Trace:
    (trace,) = checked([written(tmp_path / "a.pcap", *talks)])
    return trace


def only(trace: Trace) -> Connection:
    """Return the connection of a trace that has one and nothing else."""
    assert (trace.records_out, trace.unused, trace.refusals) == (trace.records_in, Counter(), [])
    (connection,) = trace.connections
    return connection


def ports(connection: Connection) -> list[tuple[int | None, int | None]]:
    return [(subflow.local_port, subflow.remote_port) for subflow in connection.ordered()]


def tokens(connection: Connection) -> tuple[int | None, int | None]:
    return connection.token, connection.remote_token


def ids(subflow: Subflow) -> tuple[int | None, int | None]:
    return subflow.loc_id, subflow.rem_id


def first(version: int = 0, *, sender: int = 0) -> Talk:
    """The subflow that opens a connection of the keys A (client) and B (server)."""
    talk = Talk(("10.0.0.1", 1000), ("10.0.0.2", 80))
    talk.open(0, (v0, v1)[version](A, B))
    talk.data(sender, (100, 200, 300))
    return talk


def second(version: int = 0, *, sender: int = 0, key: bytes = B, port: int = 2000) -> Talk:
    """A subflow the client opens from another address, with the token of the server."""
    talk = Talk(("10.1.0.1", port), ("10.0.0.2", 80), isn=(70_000, 90_000))
    talk.open(400, join(token_of(key, version), (3, 4)))
    talk.data(sender, (500, 600))
    return talk


@pytest.mark.parametrize("version", [0, 1])
def test_two_subflows_of_one_capture(tmp_path: Path, version: int) -> None:
    connection = only(trace := read(tmp_path, first(version), second(version)))
    assert tokens(connection) == (token_of(A, version), token_of(B, version))
    assert (connection.mptcp_version, connection.vantages, connection.states_inferred) == (version, {0: "sender"}, True)
    assert ports(connection) == [(1000, 80), (2000, 80)]
    assert list(connection.subflows) == [0, 1]
    one, two = connection.ordered()
    assert (ids(one), ids(two)) == ((0, 0), (3, 4))
    assert (one.start_ns, one.end_ns) == (START_NS, START_NS + 340 * MS)
    assert (two.start_ns, two.end_ns) == (START_NS + 400 * MS, START_NS + 640 * MS)
    assert (list(one.acks.acked_bytes), list(two.acks.acked_bytes)) == ([1000, 2000, 3000], [1000, 2000])
    assert list(one.acks.time_ns) == [START_NS + ms * MS for ms in (140, 240, 340)]
    assert set(one.acks.rtt_us) == set(two.acks.rtt_us) == {40_000}
    assert (trace.records_in, trace.signals) == (16, {"MP_CAPABLE": 3, "MP_JOIN": 3, "DSS": 10})


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("turned", [False, True])
def test_two_subflows_of_two_captures(tmp_path: Path, version: int, turned: bool) -> None:
    paths = [written(tmp_path / "b", first(version)), written(tmp_path / "a", second(version))]
    paths = paths[::-1] if turned else paths
    traces = checked(paths)
    at = int(turned)
    assert [len(trace.connections) for trace in traces] == [1 - at, at]
    (connection,) = traces[at].connections
    assert tokens(connection) == (token_of(A, version), token_of(B, version))
    assert ports(connection) == [(1000, 80), (2000, 80)]
    assert connection.vantages == {0: "sender", 1: "sender"}
    assert [(trace.records_in, trace.records_out) for trace in traces] == [(9, 9), (7, 7)][:: -1 if turned else 1]
    assert traces[1 - at].signals == {"MP_JOIN": 3, "DSS": 4}


@pytest.mark.parametrize("sender", [0, 1])
@pytest.mark.parametrize("version", [0, 1])
def test_the_end_that_sent_more_is_the_sender(tmp_path: Path, version: int, sender: int) -> None:
    """It is the connection that has a sender: the first subflow alone would have the other."""
    one = first(version, sender=1 - sender)
    two = second(version, sender=sender)
    two.data(sender, (700, 800, 900))
    connection = only(read(tmp_path, one, two))
    expected = [(A, B), (B, A)][sender]
    assert tokens(connection) == (token_of(expected[0], version), token_of(expected[1], version))
    step = -1 if sender else 1
    assert ports(connection) == [pair[::step] for pair in ((1000, 80), (2000, 80))]
    assert [ids(subflow) for subflow in connection.ordered()] == [(0, 0), (3, 4)[::step]]
    addresses = [(subflow.local_address, subflow.remote_address) for subflow in connection.ordered()]
    (local, remote), (other_local, other_remote) = addresses
    assert (local != other_local, remote == other_remote) == ((True, True) if sender == 0 else (False, False))
    assert [len(subflow.acks.time_ns) for subflow in connection.ordered()] == [3 + sender, 5 + sender]
    # The end that did not open the subflow hears the third packet of the handshake as its first ACK.
    assert list(connection.subflows[1].acks.acked_bytes) == [0, 1000, 2000, 3000, 4000, 5000][1 - sender :]


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("sender", [0, 1])
def test_a_subflow_the_server_opens(tmp_path: Path, version: int, sender: int) -> None:
    """The end that listened opens it, with the token of the end that opened the first."""
    two = Talk(("10.9.0.2", 4000), ("10.0.0.1", 5000), isn=(7, 8))
    two.open(400, join(token_of(A, version), (6, 5)))
    two.data(1 - sender, (500,))
    connection = only(read(tmp_path, first(version, sender=sender), two))
    expected = [(A, B), (B, A)][sender]
    assert tokens(connection) == (token_of(expected[0], version), token_of(expected[1], version))
    step = -1 if sender else 1
    assert ports(connection) == [(1000, 80)[::step], (5000, 4000)[::step]]
    assert ids(connection.subflows[1]) == (5, 6)[::step]
    first_, second_ = connection.ordered()
    if sender == 0:
        assert first_.local_address == second_.local_address
    assert list(second_.acks.acked_bytes) == [0, 1000][sender:]


def test_ipv6_and_ipv4_subflows(tmp_path: Path) -> None:
    two = Talk(("2001:db8::1", 2000), ("2001:db8::2", 80))
    two.open(400, join(token_of(B, 1), (3, 4)))
    two.data(0, (500,))
    connection = only(read(tmp_path, first(1), two))
    assert [subflow.family for subflow in connection.ordered()] == [4, 6]


def test_nothing_leads_back_to_an_address(tmp_path: Path) -> None:
    connection = only(read(tmp_path, first(), second()))
    said = repr(connection)
    assert not any(address in said for address in ("10.0.0.1", "10.0.0.2", "10.1.0.1", r"\n\x00", repr(A), repr(B)))
    names = [name for one in connection.ordered() for name in (one.local_address, one.remote_address)]
    assert names == ["address 0", "address 1", "address 2", "address 1"]


def test_pseudonyms_are_the_same_in_inputs_read_together(tmp_path: Path) -> None:
    other = Talk(("10.0.0.1", 1001), ("10.1.0.1", 80))
    other.open(1000, v0(C, D))
    trace, _ = checked([written(tmp_path / "a", first(), other), written(tmp_path / "b", second())])
    names = [
        (one.local_address, one.remote_address) for connection in trace.connections for one in connection.ordered()
    ]
    assert names == [("address 0", "address 1"), ("address 2", "address 1"), ("address 0", "address 2")]


@pytest.mark.parametrize("sender", [0, 1])
def test_a_join_without_its_first_subflow(tmp_path: Path, sender: int) -> None:
    """The token in a SYN is that of the end it goes to."""
    connection = only(read(tmp_path, second(sender=sender), second(sender=sender, port=2001)))
    expected = (None, token_of(B, 0))
    assert tokens(connection) == (expected[::-1] if sender else expected)
    assert connection.mptcp_version is None
    assert ports(connection) == [pair[:: -1 if sender else 1] for pair in ((2000, 80), (2001, 80))]
    assert [ids(subflow) for subflow in connection.ordered()] == [(3, 4)[:: -1 if sender else 1]] * 2


def test_a_join_with_the_token_of_nobody(tmp_path: Path) -> None:
    """Also that of the other version's hash."""
    trace = read(tmp_path, first(0), second(1), second(0, key=D, port=2001))
    assert [tokens(connection) for connection in trace.connections] == [
        (token_of(A, 0), token_of(B, 0)),
        (None, token_of(B, 1)),
        (None, token_of(D, 0)),
    ]


def test_joins_find_the_connection_of_their_token(tmp_path: Path) -> None:
    other = Talk(("10.0.0.1", 1001), ("10.0.0.2", 80))
    other.open(1, v0(C, D))
    trace = read(tmp_path, first(), other, second(key=D, port=2001), second(key=B, port=2002))
    assert [(tokens(one), ports(one)) for one in trace.connections] == [
        ((token_of(A, 0), token_of(B, 0)), [(1000, 80), (2002, 80)]),
        ((token_of(C, 0), token_of(D, 0)), [(1001, 80), (2001, 80)]),
    ]


def test_a_join_before_its_first_subflow_in_the_capture(tmp_path: Path) -> None:
    """Clocks of two captures may differ: the subflow that opened the connection is the first."""
    late = Talk(("10.0.0.1", 1000), ("10.0.0.2", 80))
    late.open(5000, v0(A, B))
    late.data(0, (5100,))
    assert ports(only(read(tmp_path, second(), late))) == [(1000, 80), (2000, 80)]


@pytest.mark.parametrize("version", [0, 1])
def test_plain_tcp_and_fallback_are_counted(tmp_path: Path, version: int) -> None:
    plain = Talk(("10.0.0.1", 1001), ("10.0.0.2", 80))
    plain.open(0, (b"", b"", b""))
    fallback = Talk(("10.0.0.1", 1002), ("10.0.0.2", 80))
    fallback.open(0, (capable(version, *[A][: 1 - version]), b"", b""))
    fallback.say(0, 100, size=10)
    joined = Talk(("10.0.0.1", 1003), ("10.0.0.2", 80))
    joined.open(500, (packets.join_syn(token_of(B, version), 2), b"", b""))
    trace = read(tmp_path, plain, fallback)
    assert (trace.records_in, trace.connections, trace.refusals, trace.signals) == (7, [], [], {})
    assert trace.unused == {recorded.PLAIN: 3, recorded.NOT_ANSWERED: 4}
    trace = read(tmp_path, plain, fallback, first(version), joined)
    (connection,) = trace.connections
    assert ports(connection) == [(1000, 80)]
    assert trace.unused == {recorded.PLAIN: 3, recorded.NOT_ANSWERED: 7}
    assert trace.signals == {"MP_CAPABLE": 3, "DSS": 6}


def test_what_is_no_segment_is_counted(tmp_path: Path) -> None:
    others = [
        Packet(1, packets.ethernet(bytes(28), kind=0x0806)),
        Packet(2, packets.ethernet(packets.ipv4(bytes(8), protocol=17))),
        Packet(3, packets.ethernet(packets.ipv4(bytes(8), protocol=17))),
        Packet(4, packets.ethernet(packets.ipv4(bytes(8), fragment=3))),
        Packet(5, packets.ethernet(packets.ipv4(packets.tcp(offset=2)))),
        Packet(6, packets.ethernet(packets.ipv4(packets.tcp()))).cut(40),
    ]
    trace = read(tmp_path, others, first())
    assert (trace.records_in, trace.records_out) == (15, 9)
    assert trace.unused == {recorded.NOT_IP: 1, recorded.NOT_TCP: 2, recorded.FRAGMENT: 1}
    assert [(one.reason, one.raw) for one in trace.refusals] == [
        (recorded.BAD_TCP, others[4].data[:64]),
        (recorded.CUT_HEADERS, others[5].data),
    ]
    assert trace.refusals[0].offset == 24 + 4 * 16 + sum(len(packet.data) for packet in others[:4])


def test_another_key_is_counted(tmp_path: Path) -> None:
    talk = Talk()
    talk.open(0, (capable(0, A), capable(0, B), capable(0, A, C)))
    talk.data(0, (100,))
    trace = read(tmp_path, talk)
    assert tokens(only(trace)) == (token_of(A, 0), token_of(B, 0))
    assert trace.signals == {"MP_CAPABLE": 3, "MP_CAPABLE with another key": 1, "DSS": 2}


def test_malformed_options_are_counted(tmp_path: Path) -> None:
    talk = first()
    talk.say(0, 350, options=b"\x1e\x03\xf0")
    talk.say(0, 351, options=b"\x1e\x02")
    talk.say(0, 352, options=b"\x1e\xff\x20\x01")
    trace = read(tmp_path, talk)
    only(trace)
    assert trace.signals == {
        "MP_CAPABLE": 3,
        "DSS": 6,
        "MPTCP subtype that is not known": 1,
        "MPTCP option of a length it cannot have": 1,
        "TCP option of a length it cannot have": 1,
    }


def test_other_options_are_counted(tmp_path: Path) -> None:
    talk = first()
    talk.say(1, 350, options=packets.add_addr(4))
    talk.say(1, 351, options=dss(1) + packets.add_addr(5))
    talk.say(0, 352, flags=RST | ACK, options=packets.fastclose(B))
    trace = read(tmp_path, talk)
    only(trace)
    assert trace.signals == {"MP_CAPABLE": 3, "DSS": 7, "ADD_ADDR": 2, "MP_FASTCLOSE": 1}


@pytest.mark.parametrize("last", [FIN | ACK, RST, RST | ACK])
def test_ports_used_again(tmp_path: Path, last: int) -> None:
    one = first()
    one.say(0, 350, flags=last)
    one.say(1, 390, flags=ACK)
    two = Talk(isn=(1_000_000, 8))
    two.open(1000, v0(C, D))
    two.data(0, (1100,))
    trace = read(tmp_path, one, two)
    assert (trace.records_in, trace.records_out, trace.refusals) == (16, 16, [])
    assert [(tokens(connection), ports(connection)) for connection in trace.connections] == [
        ((token_of(A, 0), token_of(B, 0)), [(1000, 80)]),
        ((token_of(C, 0), token_of(D, 0)), [(1000, 80)]),
    ]
    assert [connection.span_ns() for connection in trace.connections] == [
        (START_NS, START_NS + 390 * MS),
        (START_NS + 1000 * MS, START_NS + 1140 * MS),
    ]


def test_ports_used_again_in_one_connection(tmp_path: Path) -> None:
    one = second()
    one.say(0, 650, flags=RST)
    two = Talk(("10.1.0.1", 2000), ("10.0.0.2", 80), isn=(1, 2))
    two.open(700, join(token_of(B, 0), (3, 4)))
    connection = only(read(tmp_path, first(), one, two))
    assert ports(connection) == [(1000, 80), (2000, 80), (2000, 80)]


def test_a_syn_sent_again_opens_nothing(tmp_path: Path) -> None:
    talk = Talk(isn=(1000, 5000))
    talk.say(0, -1000, flags=SYN, options=capable(0, A), seq=1000)
    talk.open(0, v0(A, B))
    talk.data(0, (100,))
    connection = only(read(tmp_path, talk))
    (subflow,) = connection.ordered()
    assert (subflow.start_ns, subflow.retransmissions) == (START_NS - 1000 * MS, 1)


def test_a_syn_that_comes_late_opens_nothing(tmp_path: Path) -> None:
    """A copy of it after the end."""
    talk = first()
    talk.say(0, 350, flags=FIN | ACK)
    talk.say(0, 360, flags=SYN, options=capable(0, A), seq=1000)
    assert len(only(read(tmp_path, talk)).subflows) == 1


@pytest.mark.parametrize("seq", [999, 1001, 123_456])
def test_another_syn_inside_a_connection_is_refused(tmp_path: Path, seq: int) -> None:
    talk = first()
    talk.say(0, 350, flags=SYN, options=capable(0, C), seq=seq)
    talk.data(0, (400,))
    trace = read(tmp_path, talk)
    assert [one.reason for one in trace.refusals] == [recorded.SYN_INSIDE]
    (connection,) = trace.connections
    assert (trace.records_out, tokens(connection)) == (11, (token_of(A, 0), token_of(B, 0)))
    assert list(connection.subflows[0].acks.acked_bytes) == [1000, 2000, 3000, 4000]


def test_a_capture_that_begins_inside_a_connection(tmp_path: Path) -> None:
    """Nothing tells which subflows belong together: each is a connection."""
    one, two = Talk(("10.0.0.1", 1000)), Talk(("10.1.0.1", 2000))
    one.data(0, (100, 200))
    two.data(1, (101, 201))
    trace = read(tmp_path, one, two)
    assert (trace.records_in, trace.records_out, trace.unused, trace.refusals) == (8, 8, {}, [])
    assert [(tokens(connection), ports(connection)) for connection in trace.connections] == [
        ((None, None), [(1000, 80)]),
        ((None, None), [(80, 2000)]),
    ]
    assert [connection.mptcp_version for connection in trace.connections] == [None, None]
    subflow = trace.connections[0].subflows[0]
    assert ids(subflow) == (None, None)
    assert list(subflow.acks.acked_bytes) == [1000, 2000]


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("missed", [1, 2])
def test_a_capture_that_begins_inside_a_handshake(tmp_path: Path, version: int, missed: int) -> None:
    """The third packet has both keys; a SYN/ACK comes from the end that did not open."""
    connection = only(read(tmp_path, first(version).packets[missed:]))
    assert tokens(connection) == (token_of(A, version), token_of(B, version))
    assert ports(connection) == [(1000, 80)]


@pytest.mark.parametrize("version", [0, 1])
def test_without_payload_the_end_that_opened_is_the_sender(tmp_path: Path, version: int) -> None:
    """A SYN/ACK is sent by the other, also where it is the first packet."""
    for missed in (0, 1, 2):
        connection = only(read(tmp_path, first(version).packets[missed:3], first(version).packets[4:5]))
        assert ports(connection) == [(1000, 80)]


def test_the_server_settles_the_version(tmp_path: Path) -> None:
    talk = Talk()
    talk.open(0, (capable(1), capable(0, B), capable(0, A, B)))
    talk.data(0, (100,))
    connection = only(read(tmp_path, talk))
    assert (connection.mptcp_version, tokens(connection)) == (0, (token_of(A, 0), token_of(B, 0)))


def both_ends(sender: int) -> tuple[Talk, Talk]:
    """One subflow as recorded at the client and, 20 ms away, at the server."""
    at_client, at_server = Talk(), Talk()
    near = (0.1, 40.0)
    at_client.open(0, v0(A, B), near=0)
    at_server.open(20, v0(A, B), near=1)
    for number in range(3):
        at_client.data(sender, [100 + 100 * number], delay_ms=near[1 - sender])
        at_server.data(sender, [120 + 100 * number - 20.05 * sender], delay_ms=near[sender])
    return at_client, at_server


@pytest.mark.parametrize("sender", [0, 1])
@pytest.mark.parametrize("turned", [False, True])
def test_of_two_records_of_a_subflow_the_nearest_to_the_sender_counts(
    tmp_path: Path, sender: int, turned: bool
) -> None:
    talks = both_ends(sender)
    paths = [written(tmp_path / str(number), talk) for number, talk in enumerate(talks)]
    traces = checked(paths[::-1] if turned else paths)
    at = sender ^ turned
    assert (traces[at].records_in, traces[at].records_out, traces[at].unused) == (9, 9, {})
    assert (traces[1 - at].records_out, traces[1 - at].unused) == (0, {capture.ELSEWHERE: 9})
    assert (traces[1 - at].connections, traces[1 - at].signals) == ([], {})
    (connection,) = traces[at].connections
    assert (connection.vantages, ports(connection)) == ({at: "sender"}, [[(1000, 80)], [(80, 1000)]][sender])
    assert list(connection.subflows[0].acks.rtt_us)[-3:] == [40_000] * 3


def test_a_second_subflow_recorded_at_the_receiver_alone(tmp_path: Path) -> None:
    at_client, at_server = both_ends(0)
    two = Talk(("10.1.0.1", 2000), ("10.0.0.2", 80))
    two.open(400, join(token_of(B, 0), (3, 4)), near=1)
    two.data(0, (500, 600), delay_ms=0.1)
    traces = checked([written(tmp_path / "a", at_client), written(tmp_path / "b", at_server, two)])
    (connection,) = traces[0].connections
    assert connection.vantages == {0: "sender", 1: "receiver"}
    assert ports(connection) == [(1000, 80), (2000, 80)]
    assert (traces[1].records_out, traces[1].unused) == (7, {capture.ELSEWHERE: 9})


def test_packets_a_little_out_of_order(tmp_path: Path) -> None:
    talk = first()
    talk.data(0, range(400, 4000, 25))
    in_order = sorted(talk.packets, key=lambda packet: packet.time_ns)
    expected = read(tmp_path, in_order)
    chance = random.Random(1)  # noqa: S311 - an order, no secret
    places = sorted(range(len(in_order)), key=lambda place: place + chance.uniform(0, 30))
    assert places != sorted(places)
    path = tmp_path / "b"
    path.write_bytes(packets.pcap([in_order[place] for place in places], tick_ns=1))
    (trace,) = checked([path])
    assert (trace.connections, trace.refusals, trace.records_out) == (expected.connections, [], len(in_order))


def test_a_packet_far_out_of_order_is_refused(tmp_path: Path) -> None:
    talk = first()
    talk.data(0, range(400, 4000, 25))
    found = sorted(talk.packets, key=lambda packet: packet.time_ns)
    late = found.pop(20)
    path = tmp_path / "b"
    path.write_bytes(packets.pcap([*found[:200], late, *found[200:]], tick_ns=1))
    (trace,) = checked([path])
    assert (trace.records_in, trace.records_out) == (len(found) + 1, len(found))
    (refusal,) = trace.refusals
    assert (refusal.reason, refusal.raw) == (assembly.BACKWARDS, late.data[:64])
    assert refusal.offset == 24 + sum(16 + len(packet.data) for packet in found[:200])


def test_one_packet_from_the_future_spoils_no_other(tmp_path: Path) -> None:
    talk = first()
    talk.data(0, range(400, 4000, 25))
    found = sorted(talk.packets, key=lambda packet: packet.time_ns)
    path = tmp_path / "b"
    path.write_bytes(packets.pcap([*found[:20], found[20]._replace(time_ns=2**31 * 10**9), *found[21:]], tick_ns=1))
    (trace,) = checked([path])
    assert (trace.records_out, trace.refusals) == (len(found), [])


@pytest.mark.parametrize("offset_s", [-1, 2**33])
def test_a_time_out_of_range_is_refused(tmp_path: Path, offset_s: int) -> None:
    """Of 0.5 s before 1970, or of the year 274000."""
    data = first().packets[0].data
    path = tmp_path / "a"
    path.write_bytes(
        packets.section() + packets.interface(resolution=3, offset_s=offset_s) + packets.enhanced(500, data)
    )
    (trace,) = checked([path])
    assert [one.reason for one in trace.refusals] == [assembly.OUT_OF_RANGE]


@pytest.mark.parametrize("order", ["<", ">"])
def test_pcapng_and_pcap_say_the_same(tmp_path: Path, order: str) -> None:
    talks = first(1), second(1)
    expected = read(tmp_path, *talks)
    found = sorted((packet for talk in talks for packet in talk.packets), key=lambda packet: packet.time_ns)
    for number, content in enumerate((packets.pcapng(found, order=order), packets.pcap(found, order=order))):
        path = tmp_path / f"{number}"
        path.write_bytes(gzip.compress(content))
        (trace,) = checked([path])
        assert (trace.connections, trace.signals) == (expected.connections, expected.signals)


def test_headers_alone_say_the_same(tmp_path: Path) -> None:
    talks = first(1), second(1)
    expected = read(tmp_path, *talks)
    assert read(tmp_path, *[[packet.cut(96) for packet in talk.packets] for talk in talks]) == expected


def test_more_subflows_than_a_connection_may_have(tmp_path: Path) -> None:
    talks = first(), *(second(port=port) for port in range(2000, 2005))
    (trace,) = capture.read_together([written(tmp_path / "a", *talks)], Bounds(subflows=3))
    (connection,) = trace.connections
    assert ports(connection) == [(1000, 80), (2000, 80), (2001, 80)]
    assert (list(connection.subflows), trace.refused()) == ([0, 1, 2], {bounds.TOO_MANY_SUBFLOWS: 21})
    assert trace.records_in == trace.records_out + 21
    assert trace.signals == {"MP_CAPABLE": 3, "MP_JOIN": 6, "DSS": 14}


def test_connections_are_found_by_token_across_inputs(tmp_path: Path) -> None:
    other = Talk(("10.0.0.1", 1001), ("10.0.0.2", 80))
    other.open(1, v1(C, D))
    log = tmp_path / "log"
    log.write_text("1000 C=7f3a91c2 SF=0 V=CA 3\n")
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    cut = tmp_path / "cut"
    cut.write_bytes(packets.pcap([])[:20])
    one, two, three = (written(tmp_path / name, talk) for name, talk in (("1", first()), ("2", second()), ("3", other)))
    paths = [two, log, three, empty, one, cut]
    for order in (paths, paths[::-1]):
        found = list(formats.read(order, Dialect()))
        assert [read.path for read in found] == order
        connections = {
            read.path: [ports(connection) for connection in read.outcome.connections]
            for read in found
            if isinstance(read.outcome, Trace)
        }
        assert connections == {
            one: [[(1000, 80), (2000, 80)]],
            two: [],
            three: [[(1001, 80)]],
            log: [[(None, None)]],
        }
        assert {read.path for read in found if isinstance(read.outcome, UnreadableInputError)} == {empty, cut}
    assert list(formats.read([], Dialect())) == []


def test_pseudonyms_by_way_of_a_third(tmp_path: Path) -> None:
    """Two captures of nothing in common have names in common if one has connections with both."""
    other = Talk(("10.0.0.1", 1001), ("10.0.0.2", 80))
    other.open(1, v0(C, D))
    paths = [
        written(tmp_path / "1", first()),
        written(tmp_path / "2", second(key=D, port=2001)),
        written(tmp_path / "3", second(key=B), other),
    ]
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]):
        traces = checked([paths[place] for place in order])
        found = [connection for trace in traces for connection in trace.connections]
        assert sorted(len(connection.subflows) for connection in found) == [2, 2]
        names = [subflow.local_address for connection in found for subflow in connection.ordered()]
        # 10.0.0.1 and 10.1.0.1, both in both connections.
        assert len(names) == 4 and names[:2] == names[2:] and names[0] != names[1]


def test_reading_through_formats(tmp_path: Path) -> None:
    one, two = written(tmp_path / "a", first()), written(tmp_path / "b", second())
    cut = tmp_path / "c"
    cut.write_bytes(gzip.compress(one.read_bytes())[:-20])
    found = list(formats.read([cut, one, two], Dialect()))
    assert [read.path for read in found] == [cut, one, two]
    assert [read.source for read in found[1:]] == ["pcap", "pcap"]
    assert [isinstance(read.outcome, Trace) for read in found] == [False, True, True]
    assert isinstance(found[1].outcome, Trace)
    (connection,) = found[1].outcome.connections
    assert (ports(connection), connection.vantages) == ([(1000, 80), (2000, 80)], {0: "sender", 1: "sender"})


#: Captures of others: two in git, and those of a folder that SBD_CAPTURES names.
PUBLIC = [
    path
    for folder in (Path(__file__).parents[1] / "samples/captures", os.environ.get("SBD_CAPTURES"))
    if folder is not None
    for path in sorted(Path(folder).glob("*.pcap*"))
]


def _pairs(streams: Sequence[str]) -> list[tuple[int, int]]:
    """Return the ports of ``address:port>address:port``, the lower first."""
    return sorted(
        (min(pair), max(pair))
        for one in streams
        for pair in [tuple(int(end.rpartition(":")[2]) for end in one.split(">"))]
    )


@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_public_captures(path: Path) -> None:
    """Groupings are those that tshark, and tokens computed apart from this code, give."""
    (trace,) = checked([path])
    assert trace.refusals == []
    known = [one for one in json.loads((path.parent / "grouping.json").read_text()) if one["file"] == path.name]
    found = [
        sorted(
            (min(pair), max(pair)) for pair in ((one.local_port or 0, one.remote_port or 0) for one in own.ordered())
        )
        for own in trace.connections
    ]
    for one in known:
        for kind in ("tshark", "token_check"):
            assert sorted(found) == sorted(_pairs(streams) for streams in one[kind].values())
        assert {connection.mptcp_version for connection in trace.connections} == set(one["mptcp_version"])


def test_the_captures_in_git_are_of_both_versions_and_one_is_of_two_subflows() -> None:
    found = [(own.mptcp_version, len(own.subflows)) for path in PUBLIC[:2] for own in checked([path])[0].connections]
    assert found == [(0, 2), (1, 1)]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kept", [2, 5])
def test_a_fragment_of_a_capture_displaces_nothing(tmp_path: Path, kept: int, turned: bool) -> None:
    """Two packets lack the client's key, which version 1 sends in the third; the whole of the capture has it."""
    whole = first(1)
    paths = [
        written(tmp_path / "fragment.pcap", whole.packets[:kept]),
        written(tmp_path / "whole.pcap", whole),
        written(tmp_path / "second.pcap", second(1)),
    ]
    traces = checked(paths[::-1] if turned else paths)
    (connection,) = (one for trace in traces for one in trace.connections)
    assert tokens(connection) == (token_of(A, 1), token_of(B, 1))
    assert [subflow.acks.acked_bytes[-1] for subflow in connection.ordered()] == [
        only(read(tmp_path, whole)).subflows[0].acks.acked_bytes[-1],
        only(read(tmp_path, second(1))).subflows[0].acks.acked_bytes[-1],
    ]
    assert Counter({capture.ELSEWHERE: kept}) in [trace.unused for trace in traces]


def test_the_end_of_an_earlier_connection_does_not_spoil_the_next(tmp_path: Path) -> None:
    talk = first()
    stray = Talk(talk.client, talk.server, isn=(900_000, 800_000)).say(1, -5000)
    trace = read(tmp_path, talk, [stray])
    assert trace.unused == Counter({recorded.PLAIN: 1}) and not trace.refusals
    (connection,) = trace.connections
    assert connection.subflows == only(read(tmp_path, talk)).subflows


def test_a_wild_number_is_counted_and_believed_in_nothing(tmp_path: Path) -> None:
    talk = first()
    wild = [talk.say(1, 250, ack=talk.sent[0] + 2**30), talk.say(0, 251, size=10, seq=(talk.sent[0] + 2**30) % 2**32)]
    talk.packets = [packet for packet in talk.packets if packet not in wild]
    trace = read(tmp_path, talk, wild)
    assert trace.signals[recorded.IMPLAUSIBLE] == 2
    whole, clean = only(trace).subflows[0], only(read(tmp_path, talk)).subflows[0]
    assert (whole.acks.acked_bytes, whole.acks.rtt_us) == (clean.acks.acked_bytes, clean.acks.rtt_us)
    assert whole.retransmissions == clean.retransmissions == 0
