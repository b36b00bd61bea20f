"""The compiled parser of captures gives, record by record and row by row, what the one in plain Python gives."""

from __future__ import annotations

import gzip
import os
import random
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blake3 import blake3

from smartsbd.native import packet_recording
from smartsbd.traces import recorded
from smartsbd.traces.assembly import BACKWARDS
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import InputPart
from smartsbd.traces.parsed_input import parse_input
from smartsbd.traces.quarantine import Refusal
from smartsbd.traces.recorded import FlowSummaries, Refusals, StoredAcks, record, spools
from tests.traces import packets
from tests.traces.comparison import assert_same, assert_same_content
from tests.traces.naive import scoreboard
from tests.traces.packets import ACK, ECE, FIN, MS, PSH, RST, SYN, Packet, Talk
from tests.traffic import write_captures

KEYS = b"A" * 8, b"B" * 8


def wild(seed: int, count: int) -> list[Packet]:
    """Packets of a few connections that follow no rule but that their numbers stay near each other."""
    rng = random.Random(seed)  # noqa: S311 - test data
    talks = [Talk(("10.0.0.1", 1000 + number), ("10.0.0.2", 80), origin_ms=1000) for number in range(3)]
    for number, talk in enumerate(talks):
        if rng.random() < 0.7:
            stamps = packets.timestamps(1, 0) if rng.random() < 0.7 else b""
            permitted = packets.option(4) if rng.random() < 0.8 else b""
            mss = packets.option(2, rng.choice([b"\x05\xb4", b"\x02\x18"])) if rng.random() < 0.5 else b""
            shake = (
                (packets.v0, packets.v1)[rng.randrange(2)](*KEYS)
                if number == 0
                else packets.join(packets.token_of(KEYS[1], 1), (1, 2))
            )
            talk.open(number, [option + stamps + permitted + mss for option in shake[:2]] + [shake[2] + stamps])
    now_ms, stamp = 100.0, 10
    for _ in range(count):
        talk = rng.choice(talks)
        end = int(rng.random() < 0.4)
        now_ms += rng.choice([0.001, 0.01, 0.3, 2, 20, 40, 300, 1500]) * rng.random()
        stamp += rng.randrange(3)
        if seed % 2:
            # A clock instead of a counter.
            stamp = int(now_ms)
        size = rng.choice([0, 0, 1, 10, 1000, 1000, 1448, 5000])
        seq = None
        if rng.random() < 0.3:
            seq = talk.isn[end] + rng.randrange(max(1, talk.sent[end] - talk.isn[end] + 3000))
        ack = talk.isn[1 - end] + rng.randrange(max(1, talk.sent[1 - end] - talk.isn[1 - end] + 2000))
        if rng.random() < 0.5:
            ack = talk.sent[1 - end]
        options = b""
        if rng.random() < 0.6:
            options += packets.timestamps(stamp - rng.randrange(4), stamp - rng.randrange(60))
        if rng.random() < 0.3:
            blocks = [
                (ack + rng.randrange(-2000, 9000), ack + rng.randrange(-2000, 12000)) for _ in range(rng.randrange(3))
            ]
            options += packets.sack(*blocks)
        elif rng.random() < 0.6:
            options += packets.dss(rng.randrange(2**32) if rng.random() < 0.1 else talk.sent[1 - end] - 1000)
        flags = (
            ACK | rng.choice([0, 0, 0, 0, PSH, ECE]) | (rng.random() < 0.02) * rng.choice([FIN, RST, SYN, FIN | SYN])
        )
        if rng.random() < 0.01:
            flags = rng.choice([0, SYN, RST])
        if len(options) <= 40:
            talk.say(end, now_ms, flags=flags, size=size, options=options, seq=seq, ack=ack % 2**32)
    found = [packet for talk in talks for packet in talk.packets]
    found.sort(key=lambda packet: packet.time_ns + rng.randrange(5) * MS * (rng.random() < 0.05))
    return found


@pytest.mark.parametrize("seed", range(60))
def test_random_packets(seed: int) -> None:
    write = packets.pcapng if seed % 3 == 0 else packets.pcap
    assert assert_same_content(write(wild(seed, 400)))


def test_made_traffic(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    write_captures([path], 20_000, 10)
    subflows = assert_same(path)
    assert len(subflows) == 20 and any(rows.loss_kind for one in subflows for rows in one.values())


@pytest.mark.parametrize(
    ("resolution", "offset_s"), [(6, None), (9, None), (9, 5), (3, 10), (0x94, None), (19, 0), (0, 7)]
)
@pytest.mark.parametrize("order", "<>")
def test_times_of_any_resolution(resolution: int, offset_s: int | None, order: str) -> None:
    # Ten to the power of 19 ticks are nearly two seconds.
    talk = Talk(origin_ms=500)
    talk.open(0, packets.v1(*KEYS))
    talk.data(0, (100, 200))
    ticks_per_s = 2 ** (resolution & 127) if resolution & 128 else 10**resolution
    blocks = [
        packets.enhanced(packet.time_ns * ticks_per_s // 10**9, packet.data, order=order) for packet in talk.packets
    ]
    head = packets.section(order) + packets.interface(resolution=resolution, offset_s=offset_s, order=order)
    (ends,) = assert_same_content(head + b"".join(blocks))
    first_ns = (talk.packets[0].time_ns * ticks_per_s // 10**9) * 10**9 // ticks_per_s + (offset_s or 0) * 10**9
    assert min(time_ns for rows in ends.values() for time_ns in rows.acks.time_ns) >= first_ns


def test_packets_written_long_after_others_run_backwards(tmp_path: Path) -> None:
    """The refused ones come in the order they stand in the file, between those of other causes."""
    talk = Talk()
    talk.open(0, packets.v1(*KEYS))
    talk.data(0, range(100, 400, 3))
    late, cut = talk.packets[5], Packet(0, b"cut")
    found = [packet for packet in talk.packets if packet is not late]
    content = packets.pcap([*found[:90], late, cut, *found[90:], cut])
    (tmp_path / "a").write_bytes(content)
    assert_same(tmp_path / "a")
    one = record(tmp_path / "a", tmp_path)
    refused = list(Refusals(spools([one.spool])[0], *one.refusals))
    assert [refusal.reason for refusal in refused] == [
        BACKWARDS,
        recorded.CUT_HEADERS,
        recorded.CUT_HEADERS,
    ]
    assert [refusal.offset for refusal in refused] == sorted(refusal.offset for refusal in refused)


def test_many_refused_records_are_read_back_in_order(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(packets.pcap([Packet(number, bytes([number % 256]) * 5) for number in range(5000)]))
    one = record(path, tmp_path)
    refused = Refusals(spools([one.spool])[0], *one.refusals)
    assert len(refused) == len(list(refused)) == one.records_in == 5000
    offsets = [refusal.offset for refusal in refused]
    assert offsets == list(range(24, 24 + 21 * 5000, 21))
    assert refused[4999] == Refusal(offsets[-1], recorded.CUT_HEADERS, "link layer", bytes([4999 % 256]) * 5)


def outstanding(count: int) -> list[Packet]:
    """A sender that is never acknowledged."""
    talk = Talk()
    talk.open(0, packets.v1(*KEYS))
    for number in range(count):
        talk.say(0, 100 + number / 1000, size=10, options=packets.dss(1))
    talk.say(1, 1000, ack=talk.isn[0] + 1 + 10 * (count - 5), options=packets.dss(9))
    talk.say(0, 1001, size=10, seq=talk.isn[0] + 1 + 10 * (count - 3))
    return talk.packets


def test_what_is_outstanding_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = scoreboard.MAX_PIECES
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "a"
        path.write_bytes(packets.pcap(outstanding(kept + 10)))
        assert_same(path)
        (found,) = record(path, Path(name)).flows()
        assert [sender.forgotten for sender in found.senders] == [10, 0]


def recording(content: bytes, **limits: Any) -> packet_recording.Recording:
    with tempfile.TemporaryFile() as spool:
        found = packet_recording.Recording(spool.fileno(), **limits)
        found.feed(content)
        found.finish()
        return found


def ended(number: int, at_ms: float, *, over: bool) -> list[Packet]:
    talk = Talk(("10.0.0.1", 1000 + number), ("10.0.0.2", 80), origin_ms=at_ms)
    talk.open(0, packets.v1(*KEYS))
    if over:
        talk.say(0, 50, flags=FIN | ACK)
    return talk.packets


def test_flows_that_are_silent_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every 65,536 segments, those that ended go without a word, the others are counted; what follows is new."""
    quiet = [*ended(0, 0, over=True), *ended(1, 0, over=False)]
    busy = Talk(("10.0.0.9", 9), ("10.0.0.2", 80))
    busy.open(0, packets.v1(*KEYS))
    later = 10_000_000
    busy.packets += [packet._replace(time_ns=later * MS) for packet in busy.packets[-1:]] * 70_000
    again = [packet._replace(time_ns=(later + 1) * MS) for packet in (quiet[3], quiet[-1])]
    found = recording(packets.pcap([*quiet, *busy.packets, *again]))
    assert (found.silent, found.displaced) == (1, 0)
    flows = found.flows()
    assert flows["left"].tolist() == [0, 1, 0]
    assert flows["segments"].tolist() == [4, 3, 70_003]
    # The FIN that comes again has no option; what comes again of the other has one, but not its handshake.
    assert (found.plain_segments, found.records) == (2, 7 + 70_003 + 2)


def test_of_too_many_flows_the_longest_silent_give_way() -> None:
    talks = [ended(number, number, over=False) for number in range(40)]
    content = packets.pcap(sorted((one for talk in talks for one in talk), key=lambda packet: packet.time_ns))
    found = recording(content, flows=16)
    flows = found.flows()
    segments = flows["segments"].sum() + found.plain_segments + found.not_answered_segments
    assert segments == found.records == 120
    assert found.displaced > 0 and (flows["left"] == 2).sum() + (flows["left"] == 0).sum() == len(flows)
    assert recording(content, flows=40).displaced == 0


def test_the_words_are_as_many_as_the_numbers() -> None:
    assert len(recorded._VERDICTS) == packet_recording.VERDICTS
    assert len(recorded._SIGNALS) == packet_recording.SIGNALS


@pytest.mark.parametrize("bite", [1, 7, 100, 4096])
def test_the_bytes_may_come_in_any_pieces(bite: int) -> None:
    content = packets.pcapng(wild(3, 300))
    whole = recording(content)
    with tempfile.TemporaryFile() as spool:
        found = packet_recording.Recording(spool.fileno())
        for at in range(0, len(content), bite):
            found.feed(content[at : at + bite])
        found.finish()
    names = [name for name in whole.flows().dtype.names or () if name != "senders"]
    assert found.records == whole.records and found.verdicts == whole.verdicts
    assert all((found.flows()[name] == whole.flows()[name]).all() for name in names)


def test_a_spool_that_cannot_be_written_is_an_error() -> None:
    with Path("/dev/full").open("wb") as full:
        found = packet_recording.Recording(full.fileno())
        found.feed(packets.pcap(wild(1, 300)))
        with pytest.raises(OSError, match="No space left"):
            found.finish()


def test_a_spool_that_is_broken_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(packets.pcap(wild(0, 300)))
    one = record(path, tmp_path)
    one.spool.write_bytes(b"\xff" * one.spool.stat().st_size)
    spool = spools([one.spool])[0]
    vantage = packet_recording.Vantage.SENDER
    with pytest.raises(OSError, match="Input/output error"):
        packet_recording.read_parts(*spool.place, *one.flows()[0].senders[0].parts)
    with pytest.raises(OSError, match="Input/output error"):
        packet_recording.survey_acks(*spool.place, *one.flows()[0].senders[0].parts, vantage)
    for part in ((0, 100, 10), (0, -1, 10), (0, 100, packet_recording.PART_ROWS + 1), (0, 100, -1)):
        with pytest.raises(OSError, match="Input/output error"):
            packet_recording.read_ack_part(*spool.place, *part, vantage, 0, packet_recording.WayBack(), 0)
    source = (0, *one.flows()[0].senders[0].parts, 100, int(vantage), 0)
    with pytest.raises(OSError, match="Input/output error"):
        packet_recording.read_acks(spool.place[0], np.array([source], packet_recording.ACK_SOURCE))
    for part_rows in (0, packet_recording.PART_ROWS + 1):
        with pytest.raises(ValueError, match="a limit that nothing can keep"):
            packet_recording.Recording(spool.place[0], part_rows=part_rows)
    for rows in (-1, 2**40):
        asked = np.array([(*source[:3], rows, *source[4:])], packet_recording.ACK_SOURCE)
        with pytest.raises(ValueError, match="more rows than are read at once"):
            packet_recording.read_acks(spool.place[0], asked)


def test_rows_that_are_missing_or_left_over_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(packets.pcap(wild(0, 300)))
    one = record(path, tmp_path)
    (spool,) = spools([one.spool])
    place = spool.place
    sender = max((sender for flow in one.flows() for sender in flow.senders), key=lambda sender: sender.rows)
    ((last, size, rows),) = packet_recording.read_parts(*place, *sender.parts)
    vantage = packet_recording.Vantage.SENDER
    assert rows == sender.rows > 10
    columns, _ = packet_recording.read_ack_part(*place, last, size, rows, vantage, 0, packet_recording.WayBack(), 0)
    assert 0 < len(columns[0]) <= rows
    for wrong in (rows - 1, rows + 1):
        with pytest.raises(OSError, match="Input/output error"):
            packet_recording.read_ack_part(*place, last, size, wrong, vantage, 0, packet_recording.WayBack(), 0)
        source = (place[1], *sender.parts, wrong, int(vantage), 0)
        with pytest.raises(OSError, match="Input/output error"):
            packet_recording.read_acks(place[0], np.array([source], packet_recording.ACK_SOURCE))


def test_acks_of_captures_that_were_not_joined_are_not_read_together(tmp_path: Path) -> None:
    stored = []
    for seed in (0, 1):
        path = tmp_path / f"{seed}"
        path.write_bytes(packets.pcap(wild(seed, 300)))
        one = record(path, tmp_path)
        stored.append(StoredAcks(spools([one.spool])[0], one.flows()[0], 0, None))
    with pytest.raises(ValueError, match="not joined"):
        StoredAcks.together(stored)


@pytest.mark.parametrize("bytes_before", [0, 3 << 30])
def test_summaries_are_found_however_large_the_file_is(tmp_path: Path, bytes_before: int) -> None:
    """Numbers of 32 bits, as places of flows are, do not say where they are."""
    talks = [ended(number, number, over=True) for number in range(5)]
    path = tmp_path / "some.pcap"
    path.write_bytes(packets.pcap(sorted((one for talk in talks for one in talk), key=lambda packet: packet.time_ns)))
    found = record(path, tmp_path)
    (spool,) = spools([found.spool])
    # A hole, which takes no room.
    os.truncate(spool.place[0], os.fstat(spool.place[0]).st_size + bytes_before)
    stored = FlowSummaries(spool, found.summaries)
    for places in ([3], [4, 0, 2]):
        assert (stored.at(np.array(places, dtype=np.int32)) == found.summaries[places]).all()


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_what_is_good_before_a_broken_record_is_kept_however_much_follows(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    """Nothing behind it can be read, but all of it is in the name."""
    content = packets.pcap(wild(3, 60)) + struct.pack("<IIII", 1, 0, 2**31, 2**31)
    noise = random.Random(5).randbytes(3 * 2**20)  # noqa: S311 - test data
    found = []
    for name, tail in (("short", b""), ("long", noise)):
        path = tmp_path / name
        path.write_bytes(pack(content + tail))
        one = parse_input(path, "made", Dialect(), tmp_path)
        assert isinstance(one, InputPart)
        assert one.recorded.capture_id == blake3(path.read_bytes()).hexdigest()[:16]
        assert one.recorded.size_bytes == path.stat().st_size
        found.append(one.recorded)
    short, long = found
    assert len(short.flows()) == 3
    assert long.flows() == short.flows()
    assert (long.records_in, long.refusals[1], long.unused) == (short.records_in, short.refusals[1], short.unused)
