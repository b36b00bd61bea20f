"""Captures: agreement with the event lines, and MPTCP signalling as RFC 8684 has it."""

import hashlib
import hmac
from dataclasses import dataclass
from pathlib import Path

import pytest

from smartsbd.traces.formats.capture import crossings
from tests.simulator.capture import ACK, MPTCP, SACK, SYN, Packet, read
from tests.simulator.program import MSS, Run, shared, simulate
from tests.simulator.topology_partition import by_links, by_nodes, ends_of

SYN_ACK = SYN | ACK


@dataclass(frozen=True)
class Recorded:
    """A run with its captures, by subflow, without background traffic."""

    directory: Path
    run: Run
    sender: list[list[Packet]]
    receiver: list[list[Packet]]

    def handshake(self, subflow: int) -> list[bytes]:
        """MPTCP options of SYN, SYN/ACK and the ACK that follows."""
        packets = self.sender[subflow]
        syn = next(p for p in packets if p.flags & SYN_ACK == SYN)
        syn_ack = next(p for p in packets if p.flags & SYN_ACK == SYN_ACK)
        ack = next(p for p in packets if p.from_server and not p.flags & SYN)
        assert ack.payload == 0
        return [p.options[MPTCP] for p in (syn, syn_ack, ack)]

    @property
    def keys(self) -> tuple[bytes, bytes]:
        option = self.handshake(0)[2]
        return option[2:10], option[10:18]

    @property
    def first_data(self) -> int:
        """Data sequence number of the first byte."""
        return (int.from_bytes(hashlib.sha256(self.keys[0]).digest()[-8:], "big") + 1) % 2**64


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    directory = tmp_path_factory.mktemp("capture")
    scenario = shared(loss=0.01)
    scenario["background"] = scenario["background"][:1]
    run = simulate(directory, scenario, "--pcap=.")
    names = {path.name for path in directory.iterdir()}
    files = {f"{end}.{subflow}.pcap" for end in ("sender", "receiver") for subflow in range(2)}
    assert names == files | {"scenario.json", "events", "truth.json"}
    ends = [
        [[p for p in read(directory / f"{end}.{i}.pcap") if p.of_connection] for i in range(2)]
        for end in ("sender", "receiver")
    ]
    return Recorded(directory, run, ends[0], ends[1])


def test_captures_do_not_change_without_the_option(tmp_path: Path) -> None:
    """The same scenario gives the same captures; without them the truth names no token."""
    scenario = {**shared(), "duration_s": 3.0}
    contents = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        simulate(tmp_path / name, scenario, "--pcap=.")
        contents.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert contents[0] == contents[1]
    assert "mptcp_token" not in simulate(tmp_path, scenario).truth["connection"]


def test_acks_of_capture_and_events_agree(recorded: Recorded) -> None:
    """Each ACK that advances is in both, with the same bytes and within 1 us."""
    events = recorded.run.parse()
    for subflow in range(2):
        lines = [(e.ns, e.value) for e in events if e.kind == "ACK" and e.subflow == subflow]
        captured = []
        highest = 0
        for packet in recorded.sender[subflow]:
            acked = packet.ack - 1
            if not packet.from_server and not packet.flags & SYN and acked > highest:
                captured.append((packet.ns, acked))
                highest = acked
        assert [value for _, value in captured] == [value for _, value in lines]
        assert max(abs(a - b) for (a, _), (b, _) in zip(captured, lines, strict=True)) <= 1000


def test_every_packet_of_the_connection_carries_mptcp(recorded: Recorded) -> None:
    """Version 1 with HMAC-SHA256 on the SYN; no packet is without an option, SACK or not."""
    assert recorded.handshake(0)[0] == b"\x01\x01"
    packets = [p for end in (recorded.sender, recorded.receiver) for own in end for p in own]
    assert all(MPTCP in p.options for p in packets)
    blocks = [len(p.options[SACK]) // 8 for p in packets if SACK in p.options]
    assert max(blocks) == 3


def test_each_router_takes_one_from_the_time_to_live(recorded: Recorded) -> None:
    """There are three: before and after the server link, and before the access link."""
    for end, at_server in ((recorded.sender, True), (recorded.receiver, False)):
        for packets in end:
            seen = {(packet.from_server, packet.time_to_live) for packet in packets}
            assert seen == {(at_server, 64), (not at_server, 61)}


def test_keys_and_tokens_verify(recorded: Recorded) -> None:
    """Keys repeat, and the token of MP_JOIN is that of the receiver's key and of the truth."""
    _, syn_ack, ack = recorded.handshake(0)
    sender_key, receiver_key = recorded.keys
    assert syn_ack == b"\x01\x01" + receiver_key
    assert ack == b"\x01\x01" + sender_key + receiver_key
    token = hashlib.sha256(receiver_key).digest()[:4]
    join = recorded.handshake(1)[0]
    assert (join[0], join[2:6]) == (0x10, token)
    assert recorded.run.truth["connection"]["mptcp_token"] == token.hex()


def test_join_hmacs_verify(recorded: Recorded) -> None:
    """SYN/ACK and ACK of the second subflow authenticate by RFC 8684, section 3.2."""
    syn, syn_ack, ack = recorded.handshake(1)
    sender_key, receiver_key = recorded.keys
    sender_nonce, receiver_nonce = syn[6:10], syn_ack[10:14]

    def sign(key: bytes, message: bytes) -> bytes:
        return hmac.new(key, message, hashlib.sha256).digest()

    assert syn_ack[2:10] == sign(receiver_key + sender_key, receiver_nonce + sender_nonce)[:8]
    assert ack == b"\x10\x00" + sign(sender_key + receiver_key, sender_nonce + receiver_nonce)[:20]


def test_mappings_leave_no_gap_below_the_data_ack(recorded: Recorded) -> None:
    """What reached the client covers all data up to the last DATA_ACK; none is mapped twice."""
    mapped: dict[int, tuple[int, int]] = {}
    last_ack = 0
    for subflow, packets in enumerate(recorded.receiver):
        for packet in packets:
            option = packet.options[MPTCP]
            if not packet.from_server and option[0] == 0x20:
                assert option[1] == 0x03 and len(option) == 10
                last_ack = max(last_ack, int.from_bytes(option[2:], "big") - recorded.first_data)
            if packet.from_server and packet.payload:
                if option[0] == 0x01:
                    data, position, length = 0, 1, int.from_bytes(option[18:], "big")
                else:
                    assert option[:2] == b"\x20\x0c" and len(option) == 16
                    data = int.from_bytes(option[2:10], "big") - recorded.first_data
                    position, length = int.from_bytes(option[10:14], "big"), int.from_bytes(option[14:], "big")
                assert (packet.sequence, packet.payload) == (position, length)
                assert length == MSS
                assert mapped.setdefault(data, (subflow, position)) == (subflow, position)
    assert len(set(mapped.values())) == len(mapped)
    assert sorted(data for data in mapped if data < last_ack) == list(range(0, last_ack, MSS))
    connection = recorded.run.truth["connection"]
    # The last ACK may be delayed until a second segment comes.
    assert last_ack <= connection["delivered_bytes"] <= last_ack + 2 * MSS
    assert connection["duplicated_bytes"] == 0


def test_data_acks_of_capture_and_events_agree(recorded: Recorded) -> None:
    """The DACK lines are the DATA_ACKs that advance at the server's interfaces."""
    highest = 0
    captured = []
    for packet in sorted((p for own in recorded.sender for p in own), key=lambda p: p.ns):
        option = packet.options[MPTCP]
        if not packet.from_server and option[0] == 0x20:
            value = int.from_bytes(option[2:], "big") - recorded.first_data
            if value > highest:
                captured.append((packet.ns, value))
                highest = value
    assert captured == [(e.ns, e.value) for e in recorded.run.parse() if e.kind == "DACK"]


def test_points_tell_the_paths_of_subflows(recorded: Recorded) -> None:
    """Both ends' links of both subflows are captured: by nodes both share the ends, by links nothing.

    The bottleneck between is not captured; with it, as whoever knows the network would have it, they share that too.
    """
    links = {}
    for subflow in range(2):
        links[("server", f"in{subflow}")] = [recorded.directory / f"sender.{subflow}.pcap"]
        links[(f"out{subflow}", "client")] = [recorded.directory / f"receiver.{subflow}.pcap"]
    token = recorded.run.truth["connection"]["mptcp_token"]
    (found,) = [one for one in crossings(links) if one.tokens[1] == int(token, 16)]
    assert found.seen == {
        ("server", "in0"): {0},
        ("out0", "client"): {0},
        ("server", "in1"): {1},
        ("out1", "client"): {1},
    }
    assert by_links(found.subflow_ids, found.seen) == (0, 1)
    assert by_nodes(found.subflow_ids, ends_of(found.seen)) == (0, 0)
    assert by_nodes(found.subflow_ids, ends_of(found.seen), access=["server", "client"]) == (0, 1)
    bottleneck = {("router", "next router"): frozenset({0, 1})}
    assert by_links(found.subflow_ids, found.seen | bottleneck) == (0, 0)
