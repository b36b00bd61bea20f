"""Captures of MPTCP connections that transfer data, of any length, built by simulating them packet by packet.

Every connection has two subflows over paths of their own, both with data from the client, next to which the capture
is taken; half the paths lose segments. Nothing is closed: the capture ends before.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from smartsbd.traces import mptcp
from tests.naive import compiled
from tests.traces import packets as build

START_NS = 1_700_000_000 * 10**9
MS = build.MS
NEVER = 2**62
PAYLOAD_BYTES = 1420
SNAP_BYTES = 94
MOST_ROW_BYTES = 16 + SNAP_BYTES
BUFFER_BYTES = 1 << 20
#: Handshakes are over; data begins, on each subflow within the longest RTT.
DATA_NS = START_NS + 400 * MS
RTT_MS = (10, 80)
LOSS = 0.01
#: The server's clock of timestamps is ahead by so much.
AHEAD_MS = 5_000_000
#: From an ACK to what it lets out, and from one segment to the next.
ANSWER_NS, SPACING_NS = 20_000, 1_200
DUPLICATES = 3
LEAST_WINDOW = 4
#: Lengths of rings, powers of two: segments not acknowledged, of a subflow and of a connection; ACKs under way; losses.
SEGMENTS, MAPPED, ACKS, LOSSES = 512, 4096, 256, 64
DATA, ACK, SACK = range(3)

Rows: TypeAlias = npt.NDArray[Any]


def _ints(names: str) -> list[Any]:
    return [(name, np.int64) for name in names.split()]


#: Flying back: when it comes, the segment awaited, the SACKed range, how many segments had come, TSval and TSecr.
ACK_FLYING = np.dtype(_ints("time_ns ack left high delivered value_ms echo_ms"))
#: A subflow. Segments are counted from 0, and losses and ACKs with them: places in a ring are their remainders.
FLOW = np.dtype(
    [
        *_ints("connection one_way_ns gap_ns first_seq first_of_subflow"),
        *((name, np.float64) for name in ("loss", "window", "cwnd", "threshold")),
        # The sender; `data` tells which segment of the connection each is.
        *_ints("una next sent delivered recovered free_ns heard_ms"),
        ("data", np.int64, SEGMENTS),
        # The receiver.
        *_ints("awaited left high received acked waiting echo_ms received_ns"),
        # Segments lost, in order: before which all have come again, all were sent again, all are known to be lost.
        *_ints("lost_repaired lost_resent lost_known lost_end"),
        ("lost", np.int64, LOSSES),
        *_ints("acks_taken acks_end"),
        ("acks", ACK_FLYING, ACKS),
        ("packet_id", np.int64, 2),
    ]
)
CONNECTION = np.dtype([*_ints("file first_data data_next data_una"), ("come", np.uint8, MAPPED)])


# Bytes.


@compiled
def put(row: Rows, at: int, size: int, value: int) -> None:
    for place in range(size):
        row[at + place] = (value >> 8 * (size - 1 - place)) & 255


@compiled
def put_packet(row: Rows, template: Rows, flow: Any, end: int, time_ns: int, value_ms: int, echo_ms: int) -> int:
    """Write a record but for its numbers of sequence; return its length."""
    size: int = 16 + template[8]
    row[:size] = template[:size]
    for place in range(4):
        row[place] = (time_ns // 1_000_000_000 >> 8 * place) & 255
        row[4 + place] = (time_ns % 1_000_000_000 >> 8 * place) & 255
    flow.packet_id[end] += 1
    put(row, 34, 2, flow.packet_id[end])
    put(row, 74, 4, value_ms)
    put(row, 78, 4, echo_ms)
    return size


# A subflow: its sender, where the capture is, a bottleneck that loses, and the receiver behind it.


@compiled
def receive(flow: Any, segment: int, time_ns: int) -> None:
    """Let a segment that is not lost arrive; an ACK flies back after two in order, or at once."""
    arrival_ns = max(time_ns + flow.one_way_ns, flow.received_ns + flow.gap_ns)
    flow.received_ns = arrival_ns
    flow.received += 1
    flow.waiting += 1
    fills = segment < flow.high
    if fills:
        # Segments are sent again in order, and are not lost again.
        flow.lost_repaired += 1
    else:
        if segment > flow.high:
            flow.left = segment
        flow.high = segment + 1
    flow.awaited = flow.high
    if flow.lost_repaired < flow.lost_end:
        flow.awaited = min(flow.awaited, flow.lost[flow.lost_repaired % LOSSES])
    if segment == flow.acked:
        # RFC 7323: of the first segment since the last ACK.
        flow.echo_ms = time_ns // MS
    if fills or flow.waiting == 2 or flow.awaited < flow.high:
        ack = flow.acks[flow.acks_end % ACKS]
        ack.time_ns = arrival_ns + flow.one_way_ns
        ack.ack = flow.awaited
        ack.left = flow.left
        ack.high = flow.high
        ack.delivered = flow.received
        ack.value_ms = arrival_ns // MS + AHEAD_MS
        ack.echo_ms = flow.echo_ms
        flow.acks_end += 1
        flow.acked = flow.awaited
        flow.waiting = 0


@compiled
def next_ns(flow: Any) -> int:
    """Return when the subflow's next packet passes."""
    ack_ns = flow.acks[flow.acks_taken % ACKS].time_ns if flow.acks_taken < flow.acks_end else NEVER
    under_way = flow.sent - flow.delivered - flow.lost_known
    return min(ack_ns, flow.free_ns if under_way < flow.cwnd else NEVER)


@compiled
def send(flow: Any, connection: Any, templates: Rows, row: Rows, time_ns: int, rng: Any) -> int:
    """Let the sender send; return the length of the record."""
    again = flow.lost_resent < flow.lost_known
    if again:
        segment = flow.lost[flow.lost_resent % LOSSES]
        flow.lost_resent += 1
    else:
        segment = flow.next
        flow.next += 1
        if flow.next - flow.una > SEGMENTS or connection.data_next - connection.data_una >= MAPPED:
            raise OverflowError("a ring is too short")
        flow.data[segment % SEGMENTS] = connection.data_next
        connection.data_next += 1
    flow.sent += 1
    flow.free_ns = time_ns + SPACING_NS
    # Of two in succession one arrives, so that some duplicate ACK always tells of a loss.
    follows_loss = flow.lost_end > 0 and flow.lost[(flow.lost_end - 1) % LOSSES] == segment - 1
    if not again and not follows_loss and rng.random() < flow.loss:
        flow.lost[flow.lost_end % LOSSES] = segment
        flow.lost_end += 1
    else:
        receive(flow, segment, time_ns)
    size = put_packet(row, templates[DATA], flow, 0, time_ns, time_ns // MS, flow.heard_ms)
    put(row, 54, 4, flow.first_seq + segment * PAYLOAD_BYTES)
    put(row, 94, 8, connection.first_data + flow.data[segment % SEGMENTS] * PAYLOAD_BYTES)
    put(row, 102, 4, flow.first_of_subflow + segment * PAYLOAD_BYTES)
    return size


@compiled
def take_ack(flow: Any, connection: Any, templates: Rows, row: Rows) -> int:
    """Let the sender take an ACK, Reno's way; return the length of the record."""
    ack = flow.acks[flow.acks_taken % ACKS]
    flow.acks_taken += 1
    for segment in range(flow.una, ack.ack):
        connection.come[flow.data[segment % SEGMENTS] % MAPPED] = 1
    while connection.come[connection.data_una % MAPPED]:
        connection.come[connection.data_una % MAPPED] = 0
        connection.data_una += 1
    advanced = ack.ack - flow.una
    flow.una, flow.delivered, flow.heard_ms = ack.ack, ack.delivered, ack.value_ms
    flow.free_ns = max(flow.free_ns, ack.time_ns + ANSWER_NS)
    while flow.lost_known < flow.lost_end and flow.lost[flow.lost_known % LOSSES] + DUPLICATES < ack.high:
        if flow.lost[flow.lost_known % LOSSES] >= flow.recovered:
            flow.threshold = flow.cwnd = max(flow.cwnd / 2, LEAST_WINDOW)
            flow.recovered = flow.next
        flow.lost_known += 1
    if flow.una >= flow.recovered:
        grown = advanced if flow.cwnd < flow.threshold else advanced / flow.cwnd
        flow.cwnd = min(flow.cwnd + grown, flow.window)
    has_sack = ack.ack < ack.high
    size = put_packet(row, templates[SACK if has_sack else ACK], flow, 1, ack.time_ns, ack.value_ms, ack.echo_ms)
    put(row, 58, 4, flow.first_seq + ack.ack * PAYLOAD_BYTES)
    put(row, 86, 8, connection.first_data + connection.data_una * PAYLOAD_BYTES)
    if has_sack:
        put(row, 98, 4, flow.first_seq + ack.left * PAYLOAD_BYTES)
        put(row, 102, 4, flow.first_seq + ack.high * PAYLOAD_BYTES)
    return size


@compiled
def run(flows: Rows, connections: Rows, templates: Rows, buffers: Rows, used: Rows, rng: Any, most: int) -> int:
    """Write up to `most` packets in order of time, until a buffer is full; return how many."""
    waiting = [(next_ns(flows[number]), number) for number in range(len(flows))]
    heapq.heapify(waiting)
    for written in range(most):
        time_ns, number = waiting[0]
        flow = flows[number]
        connection = connections[flow.connection]
        file = connection.file
        if used[file] + MOST_ROW_BYTES > BUFFER_BYTES:
            return written
        row = buffers[file, used[file] :]
        if flow.acks_taken < flow.acks_end and flow.acks[flow.acks_taken % ACKS].time_ns == time_ns:
            used[file] += take_ack(flow, connection, templates[number], row)
        else:
            used[file] += send(flow, connection, templates[number], row, time_ns, rng)
        heapq.heapreplace(waiting, (next_ns(flow), number))
    return most


# Captures.


def stamps(value_ms: float, echo_ms: float) -> bytes:
    return b"\x01\x01" + build.timestamps(int(value_ms), int(echo_ms))


def handshake(talk: build.Talk, time_ms: float, rtt_ms: float, options: Sequence[bytes]) -> None:
    """Let a subflow be opened; `options` are those of MPTCP."""
    common = build.option(2, b"\x05\xb4") + build.option(4)
    scale = b"\x01" + build.option(3, b"\x0e")
    server_ms = time_ms + rtt_ms / 2 + AHEAD_MS
    syn = common + build.timestamps(int(time_ms), 0) + scale + options[0]
    syn_ack = common + build.timestamps(int(server_ms), int(time_ms)) + scale + options[1]
    talk.open(time_ms, (syn, syn_ack, stamps(time_ms + rtt_ms, server_ms) + options[2]), round_trip_ms=rtt_ms)


def conversation(number: int, rng: np.random.Generator) -> tuple[Rows, Rows, Rows, list[build.Packet]]:
    """Return a connection, its two subflows, the templates of their packets, and the packets of its handshakes."""
    origin_ms = START_NS / MS
    keys = [rng.bytes(8), rng.bytes(8)]
    first_data = [mptcp.first_data(key, 1) for key in keys]
    token = int(mptcp.token(keys[1], 1))
    flows, templates = np.zeros(2, FLOW), np.zeros((2, 3, MOST_ROW_BYTES), np.uint8)
    found: list[build.Packet] = []
    time_ms = origin_ms + rng.uniform(0, 20)
    for subflow, flow in enumerate(flows):
        rtt_ms = rng.uniform(*RTT_MS)
        talk = build.Talk(
            client=(f"10.0.{subflow}.1", 10_000 + number),
            server=(f"10.{1 + subflow}.{number >> 8}.{number & 255}", 40_000),
            isn=(int(rng.integers(2**32)), int(rng.integers(2**32))),
            origin_ms=0,
        )
        # The checksum bit of MP_CAPABLE is off: mappings carry none.
        capable = [build.option(30, b"\x01\x01" + b"".join(keys[1 : 1 + n])) for n in (0, 1)]
        both = b"\x01\x01" + b"".join(keys)
        opening = build.join(token, (1, 1)) if subflow else (*capable, build.option(30, both))
        handshake(talk, time_ms, rtt_ms, opening)
        opened_ms, heard_ms = time_ms + rtt_ms, time_ms + 1.5 * rtt_ms + AHEAD_MS
        if not subflow:
            carried = build.option(30, both + PAYLOAD_BYTES.to_bytes(2, "big"))
            talk.say(0, opened_ms + 0.2, size=PAYLOAD_BYTES, options=stamps(opened_ms, heard_ms - rtt_ms) + carried)
        # The server's answer lets the client send.
        una = (first_data[0] + PAYLOAD_BYTES) % 2**64
        ack = build.option(30, build.dss_body(una, ack_bytes=8))
        time_ms = opened_ms + rtt_ms + 0.2
        talk.say(1, time_ms, options=stamps(heard_ms, opened_ms) + ack)
        for place, packet in enumerate(talk.packets):
            # Numbered: tcptrace takes packets of one sequence number and one identification for copies.
            data = packet.data[:18] + place.to_bytes(2, "big") + packet.data[20:]
            found.append(packet._replace(data=data))
        flow["packet_id"] = len(talk.packets)
        flow["first_seq"] = talk.sent[0]
        flow["first_of_subflow"] = 1 if subflow else 1 + PAYLOAD_BYTES
        flow["one_way_ns"] = rtt_ms / 2 * MS
        flow["window"] = flow["threshold"] = rng.integers(8, 33)
        flow["gap_ns"] = rtt_ms * MS / flow["window"] * rng.uniform(0.8, 1.2)
        flow["loss"] = LOSS * rng.integers(2)
        flow["cwnd"] = min(10, flow["window"])
        flow["free_ns"] = DATA_NS + rng.integers(RTT_MS[1] * MS)
        flow["heard_ms"] = heard_ms
        mapped = build.dss_body(first_data[1], ack_bytes=8, seq=0, seq_bytes=8, length=PAYLOAD_BYTES)
        sent = (
            talk.say(0, 0, size=PAYLOAD_BYTES, options=stamps(0, 0) + build.option(30, mapped)),
            talk.say(1, 0, options=stamps(0, 0) + ack),
            talk.say(1, 0, options=stamps(0, 0) + ack + b"\x01\x01" + build.sack((0, 0))),
        )
        for template, packet in zip(templates[subflow], sent, strict=True):
            record = build.pcap_record(packet.cut(SNAP_BYTES), tick_ns=1)
            template[: len(record)] = np.frombuffer(record, np.uint8)
    connection = np.zeros(1, CONNECTION)
    # Signed, as the compiled code has all numbers: only the bits count.
    connection["first_data"] = int.from_bytes(una.to_bytes(8, "big"), "big", signed=True)
    return connection, flows, templates, found


def write_captures(paths: Sequence[Path], packets: int, connections: int, seed: int = 1) -> int:
    """Write the first so many packets of connections, shared out over captures; return how many were sent again."""
    rng = np.random.default_rng(seed)
    made = [conversation(number, rng) for number in range(connections)]
    all_connections, flows, templates = (np.concatenate([one[part] for one in made]) for part in range(3))
    all_connections["file"] = np.arange(connections) % len(paths)
    flows["connection"] = np.repeat(np.arange(connections), 2)
    opening = [(packet, number % len(paths)) for number, one in enumerate(made) for packet in one[3]]
    opening = sorted(opening, key=lambda one: one[0].time_ns)[:packets]
    buffers = np.zeros((len(paths), BUFFER_BYTES), np.uint8)
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("wb")) for path in paths]
        for file in files:
            file.write(build.pcap([], tick_ns=1, snap_bytes=SNAP_BYTES))
        for packet, number in opening:
            files[number].write(build.pcap_record(packet.cut(SNAP_BYTES), tick_ns=1))
        left = packets - len(opening)
        while left:
            used = np.zeros(len(paths), np.int64)
            left -= run(flows, all_connections, templates, buffers, used, rng, left)
            for number, file in enumerate(files):
                file.write(buffers[number, : used[number]].data)
    return int(flows["lost_resent"].sum())
