"""A packet that is captured twice is one packet, and a segment that is sent again is none that was captured twice."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from smartsbd.pipelines.__main__ import main
from smartsbd.traces import stored
from smartsbd.traces.connection import Subflow
from smartsbd.traces.recorded import SEEN_TWICE, Recorded, record, spools
from tests.traces import packets
from tests.traces.comparison import assert_same_content, rows
from tests.traces.packets import ACK, IPV4, IPV6, MS, PSH, SYN, Packet, Talk
from tests.traces.test_recorded import wild

ROOT = Path(__file__).parents[2]
CAPTURES = ROOT / "data/samples/kernel_captures/inputs"
ANY = ROOT / "tests/traces/samples/public/any-two-interfaces.pcap"
US = 1000
RAW, COOKED_V1, COOKED_V2 = 101, 113, 276
OUTGOING = 4


class Ip(NamedTuple):
    """An IP packet, and whether the sender of the data sent it."""

    time_ns: int
    data: bytes
    wire: int
    sends: bool


class Link(NamedTuple):
    """How a packet looks on an interface."""

    number: int
    head: Callable[[Ip, int], bytes]


def _kind(ip: Ip) -> int:
    return IPV4 if ip.data[0] >> 4 == 4 else IPV6


def cooked_v2(ip: Ip, number: int, sender: int = 0) -> bytes:
    return struct.pack("!HHIHBB8s", _kind(ip), 0, number, 1, sender, 6, bytes(8)) + ip.data


def outgoing_v2(ip: Ip, number: int) -> bytes:
    """Tell who sends: the capture was taken at the sender of the data."""
    return cooked_v2(ip, number, OUTGOING if ip.sends else 0)


def cooked_v1(ip: Ip, _number: int) -> bytes:
    return packets.cooked(ip.data, kind=_kind(ip))


def ethernet(ip: Ip, _number: int) -> bytes:
    return packets.ethernet(ip.data, kind=_kind(ip))


def tagged(ip: Ip, number: int) -> bytes:
    """A VLAN tag on the second interface alone."""
    return packets.ethernet(ip.data, kind=_kind(ip), tags=[0x8100] * (number - 1))


def routed(ip: Ip, number: int) -> bytes:
    """Each interface is a hop farther."""
    place = 8 if ip.data[0] >> 4 == 4 else 7
    return ip.data[:place] + bytes([ip.data[place] - number]) + ip.data[place + 1 :]


@cache
def sent(most: int = 6000) -> tuple[Ip, ...]:
    """Packets of a download over two subflows, captured at the sender."""
    found = []
    for subflow in (0, 1):
        content = b"".join(stored.blocks(CAPTURES / f"101.sf{subflow}.pcap.zst"))
        at = 24
        while at < len(content):
            seconds, rest_us, captured, wire = struct.unpack_from("<IIII", content, at)
            data = content[at + 16 : at + 16 + captured]
            at += 16 + captured
            sends = struct.unpack_from("!H", data, 20)[0] != 5201
            found.append(Ip(seconds * 10**9 + rest_us * US, data, wire, sends))
    return tuple(sorted(found)[:most])


def as_ipv6(ip: Ip) -> Ip:
    """The same over IPv6, whose packets have no number."""
    segment = ip.data[20:]
    length = int.from_bytes(ip.data[2:4], "big") - 20
    head = struct.pack("!IHBB", 6 << 28, length, 6, 64)
    prefix = bytes.fromhex("20010db8") + bytes(8)
    data = head + prefix + ip.data[12:16] + prefix + ip.data[16:20] + segment
    return Ip(ip.time_ns, data, length + 40, ip.sends)


def numbered(number: int) -> Callable[[Ip], Ip]:
    """Return what gives all packets one number, as some senders do."""
    return lambda ip: ip._replace(data=ip.data[:4] + number.to_bytes(2, "big") + ip.data[6:])


def capture_of(copies: Sequence[tuple[int, Ip, int]], head: Callable[[Ip, int], bytes] | None, link: int) -> bytes:
    """Return a capture of packets, each with its time and the number of its interface."""
    if head is None:
        blocks = (packets.enhanced(ns, ip.data, number=number, wire=ip.wire) for ns, ip, number in copies)
        return packets.section() + 4 * packets.interface(RAW, resolution=9) + b"".join(blocks)
    frames = []
    for ns, ip, number in copies:
        data = head(ip, number)
        frames.append(Packet(ns, data, ip.wire + len(data) - len(ip.data)))
    return packets.pcap(frames, link=link, tick_ns=1)


def read(content: bytes, folder: Path) -> tuple[Recorded, list[tuple[int, int, Subflow, Subflow]]]:
    """Read a capture: segments sent again by both ends of each subflow, and their rows."""
    path = folder / "capture"
    path.write_bytes(content)
    recorded = record(path, folder)
    (spool,) = spools([recorded.spool])
    flows = []
    for flow in recorded.flows():
        first, second = (sender.resent_segments for sender in flow.senders)
        flows.append((first, second, rows(spool, flow, 0), rows(spool, flow, 1)))
    return recorded, flows


FORMS: dict[str, tuple[Callable[[Ip, int], bytes] | None, int]] = {
    "cooked v2": (cooked_v2, COOKED_V2),
    "cooked v1, which does not name the interface": (cooked_v1, COOKED_V1),
    "ethernet, the same bytes": (ethernet, 1),
    "ethernet, a VLAN tag on one": (tagged, 1),
    "raw, a hop farther": (routed, RAW),
    "pcapng, two interfaces": (None, RAW),
}
KINDS = {"IPv4": lambda ip: ip, "IPv6": as_ipv6, "number 0": numbered(0), "number 1": numbered(1)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FORMS)
def test_a_packet_seen_on_two_interfaces_is_one(tmp_path: Path, form: str, kind: str) -> None:
    head, link = FORMS[form]
    once = [KINDS[kind](ip) for ip in sent()]
    alone, expected = read(capture_of([(ip.time_ns, ip, 1) for ip in once], head, link), tmp_path)
    twice = sorted([(ip.time_ns + 7 * US * (number - 1), ip, number) for ip in once for number in (1, 2)])
    recorded, found = read(capture_of(twice, head, link), tmp_path)
    assert SEEN_TWICE not in alone.unused and sum(flow[0] + flow[1] for flow in expected) > 20
    assert recorded.records_in == 2 * len(once)
    if kind != "IPv4" and link in (1, COOKED_V1) and head is not tagged:
        # Nothing tells the copy of an answer from a second one if data came between.
        assert len(once) - 2 <= recorded.unused[SEEN_TWICE] <= len(once)
        assert [flow[:2] for flow in found] == [flow[:2] for flow in expected]
        return
    assert recorded.unused[SEEN_TWICE] == len(once)
    assert found == expected


@pytest.mark.parametrize("sends", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_one_direction_alone_is_seen_twice(tmp_path: Path, kind: str, sends: bool) -> None:
    once = [KINDS[kind](ip) for ip in sent()]
    _, expected = read(capture_of([(ip.time_ns, ip, 1) for ip in once], cooked_v2, COOKED_V2), tmp_path)
    copies = [(ip.time_ns + 7 * US, ip, 2) for ip in once if ip.sends == sends]
    recorded, found = read(
        capture_of(sorted([*((ip.time_ns, ip, 1) for ip in once), *copies]), cooked_v2, COOKED_V2), tmp_path
    )
    assert recorded.unused[SEEN_TWICE] == len(copies) > 100
    assert found == expected


@pytest.mark.parametrize("kind", ["IPv4", "IPv6"])
def test_copies_may_come_out_of_order_and_on_five_interfaces(tmp_path: Path, kind: str) -> None:
    rng = random.Random(1)  # noqa: S311 - test data
    once = [KINDS[kind](ip) for ip in sent()]
    _, expected = read(capture_of([(ip.time_ns, ip, 1) for ip in once], cooked_v2, COOKED_V2), tmp_path)
    copies = [
        (ip.time_ns + (number > 1) * rng.randrange(300 * US), ip, number) for ip in once for number in range(1, 6)
    ]
    # Each processor writes what it captured; a packet stands up to 20 from its place.
    order = sorted(range(len(copies)), key=lambda place: (copies[place][0] // MS, rng.random()))
    for written in (sorted(copies), [copies[place] for place in order]):
        recorded, found = read(capture_of(written, cooked_v2, COOKED_V2), tmp_path)
        assert recorded.unused[SEEN_TWICE] == 4 * len(once)
        assert found == expected


def test_the_copy_nearest_to_the_wire_is_kept(tmp_path: Path) -> None:
    """What the host sends is on the wire last, what it receives first."""
    once = sent()
    _, expected = read(capture_of([(ip.time_ns, ip, 1) for ip in once], outgoing_v2, COOKED_V2), tmp_path)
    inner = [(ip.time_ns + (-30 if ip.sends else 30) * US, ip, 2) for ip in once]
    both = sorted([*((ip.time_ns, ip, 1) for ip in once), *inner])
    recorded, found = read(capture_of(both, outgoing_v2, COOKED_V2), tmp_path)
    assert recorded.unused[SEEN_TWICE] == len(once)
    assert found == expected


def test_a_copy_may_wait_in_the_hosts_own_queue(tmp_path: Path) -> None:
    """A packet that is shaped on its way out is seen on the second interface 60 ms later."""
    once = sent()
    _, expected = read(capture_of([(ip.time_ns, ip, 1) for ip in once], outgoing_v2, COOKED_V2), tmp_path)
    queued = [(ip.time_ns + 60 * MS, ip, 2) for ip in once if ip.sends]
    both = sorted([*((ip.time_ns, ip, 1) for ip in once), *queued])
    recorded, found = read(capture_of(both, outgoing_v2, COOKED_V2), tmp_path)
    assert recorded.unused[SEEN_TWICE] == len(queued) > 1000
    assert found == expected


def lan(*, copied: bool) -> bytes:
    """Many segments that are sent again within 0.3 ms over IPv6, by a sender whose clock ticks in milliseconds."""
    talk = Talk(("2001:db8::1", 1000), ("2001:db8::2", 80))
    talk.open(0, packets.v1(b"A" * 8, b"B" * 8), round_trip_ms=0.2)
    stamps = packets.timestamps(1000, 1000)
    for burst in range(200):
        start_ms, first = 10 + burst, talk.sent[0]
        for place in range(4):
            talk.say(0, start_ms + place * 0.01, size=1000, options=stamps)
        for place in range(1, 4):
            blocks = packets.sack((first + 1000, first + 1000 * (place + 1)))
            talk.say(1, start_ms + 0.2 + place * 0.01, options=stamps + blocks, ack=first)
        talk.say(0, start_ms + 0.25, size=1000, seq=first, options=stamps)
        talk.say(1, start_ms + 0.45, options=stamps)
    seen = [Ip(packet.time_ns, packet.data[14:], packet.wire - 14, sends=True) for packet in talk.packets]
    copies = [(ip.time_ns + number * 2 * US, ip, number) for ip in seen for number in range(1 + copied)]
    return capture_of(sorted(copies, key=lambda copy: copy[0]), cooked_v2, COOKED_V2)


@pytest.mark.parametrize("copied", [False, True])
def test_a_segment_sent_again_at_once_is_no_copy(tmp_path: Path, copied: bool) -> None:
    recorded, ((resent, _, _, _),) = read(lan(copied=copied), tmp_path)
    assert resent == 200
    assert recorded.unused[SEEN_TWICE] == copied * (recorded.records_in // 2)


def test_what_is_sent_again_is_no_copy_where_answers_were_not_captured(tmp_path: Path) -> None:
    """Only the sender's packets, without numbers: later ones passed before one is sent again."""
    talk = Talk(("2001:db8::1", 1000), ("2001:db8::2", 80))
    stamps = packets.timestamps(1000, 1000) + packets.dss(1)
    for burst in range(100):
        first = talk.sent[0]
        for place in range(4):
            talk.say(0, burst + place * 0.01, size=1000, options=stamps)
        talk.say(0, burst + 0.3, size=1000, seq=first, options=stamps)
    recorded, _ = read(packets.pcap(talk.packets), tmp_path)
    assert SEEN_TWICE not in recorded.unused


@pytest.mark.parametrize("capture", sorted(path.name for path in CAPTURES.iterdir())[:8])
@pytest.mark.parametrize("kind", ["IPv4", "IPv6"])
def test_nothing_is_seen_twice_in_captures_of_one_interface(tmp_path: Path, capture: str, kind: str) -> None:
    """Of loss and reordering, with answers that look the same."""
    content = b"".join(stored.blocks(CAPTURES / capture))
    copies, at = [], 24
    while at < len(content):
        seconds, rest_us, captured, wire = struct.unpack_from("<IIII", content, at)
        ip = KINDS[kind](Ip(0, content[at + 16 : at + 16 + captured], wire, sends=True))
        copies.append((seconds * 10**9 + rest_us * US, ip, 1))
        at += 16 + captured
    path = tmp_path / "capture"
    path.write_bytes(capture_of(copies, ethernet, 1))
    assert SEEN_TWICE not in record(path, tmp_path).unused


def copied(seed: int, one: Packet, rng: random.Random) -> list[Packet]:
    """A packet, and sometimes others that look like it, by the same way or another, soon or late."""
    data = bytearray(one.data)
    if seed % 3:
        data[18:20] = rng.randrange(1 << 16 if seed % 3 == 1 else 2).to_bytes(2, "big")
    found = [replace_data(one, bytes(data))]
    while rng.random() < 0.4:
        later_ns = rng.choice([0, 0, 5 * US, -10 * US, 200 * US, 600 * US, 3 * MS, 900 * MS, 1100 * MS])
        again = bytearray(data)
        if rng.random() < 0.3:
            again[22] -= rng.randrange(3)
        if rng.random() < 0.5:
            again[12:12] = b"\x81\x00\x00\x01"
        found.append(Packet(one.time_ns + later_ns, bytes(again)))
    return found


def replace_data(one: Packet, data: bytes) -> Packet:
    return Packet(one.time_ns, data)


@pytest.mark.parametrize("seed", range(12))
def test_the_compiled_parser_tells_copies_as_the_naive_one_does(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - test data
    found = [copy for one in wild(seed, 300) for copy in copied(seed, one, rng)]
    if seed % 2:
        found.sort(key=lambda one: one.time_ns)
    assert assert_same_content(packets.pcap(found, tick_ns=1))


@pytest.mark.parametrize("link", [cooked_v2, outgoing_v2])
def test_the_naive_parser_keeps_the_same_copies(link: Callable[[Ip, int], bytes]) -> None:
    rng = random.Random(3)  # noqa: S311 - test data
    copies = sorted(
        (ip.time_ns + rng.randrange(2000 * US), ip, number) for ip in sent(900) for number in range(rng.randrange(1, 9))
    )
    assert assert_same_content(capture_of(copies, link, COOKED_V2))


def test_a_smaller_mss_makes_no_other_syn(tmp_path: Path) -> None:
    talk = Talk()
    opening, answer, last = packets.v1(b"A" * 8, b"B" * 8)
    for number, mss in enumerate((1460, 1452)):
        options = packets.option(2, mss.to_bytes(2, "big")) + packets.option(4)
        talk.say(0, number * 0.01, flags=SYN, options=options + opening, seq=1000)
    talk.sent[0] += 1
    talk.say(1, 40, flags=SYN | ACK, options=answer)
    talk.say(0, 40.1, options=last)
    talk.say(0, 41, flags=ACK | PSH, size=100, options=packets.dss(1, seq=1, length=100))
    talk.packets[1] = Packet(talk.packets[1].time_ns, packets.ethernet(talk.packets[1].data[14:], tags=[0x8100]))
    recorded, ((resent, _, _, _),) = read(packets.pcap(talk.packets), tmp_path)
    assert recorded.unused == {SEEN_TWICE: 1} and resent == 0


def test_inspect_and_detect_say_that_packets_were_seen_twice(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    assert main(["inspect", str(ANY)]) == 0
    said = capsys.readouterr().out
    assert "  seen twice: 120 packets" in said and "in no table" not in said
    first, second = (line.split() for line in said.splitlines() if "small#" in line or "any-two-interfaces#" in line)
    assert first[-1] == second[-1] == "0"
    main(["detect", str(ANY)])
    assert "seen twice: 120 packets" in caplog.text + capsys.readouterr().err
