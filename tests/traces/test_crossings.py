"""Captures at several points of a network: which subflows of which connection passed each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from smartsbd.traces.formats.capture import Crossing, crossings, read_together
from smartsbd.traces.quarantine import UnreadableInputError
from tests.traces import packets
from tests.traces.packets import Packet, Talk

KEYS = b"A" * 8, b"B" * 8
OTHER_KEYS = b"C" * 8, b"D" * 8
TOKENS = packets.token_of(KEYS[0], 1), packets.token_of(KEYS[1], 1)


def opened(keys: tuple[bytes, bytes], port: int, version: int = 1) -> Talk:
    talk = Talk(("10.0.0.1", port), ("10.0.0.9", 80))
    talk.open(0, (packets.v0, packets.v1)[version](*keys))
    talk.data(0, (100, 150))
    return talk


def joined(token: int, address: str, at_ms: float) -> Talk:
    talk = Talk((address, 2000), ("10.0.0.9", 80), isn=(7000, 9000))
    talk.open(at_ms, packets.join(token, (1, 0)))
    talk.data(0, (at_ms + 100, at_ms + 150))
    return talk


#: A connection of three subflows, and another of one.
FIRST = opened(KEYS, 1000)
SECOND, THIRD = joined(TOKENS[1], "10.0.0.2", 10), joined(TOKENS[1], "10.0.0.3", 20)
STRANGER = opened(OTHER_KEYS, 1001)


def captured(folder: Path, found: Mapping[str, Sequence[Talk]]) -> dict[str, list[Path]]:
    """Write what each point saw, in a capture of its own, each a millisecond behind the one before."""
    written = {}
    for number, (point, talks) in enumerate(found.items()):
        seen = [
            packet._replace(time_ns=packet.time_ns + number * packets.MS) for talk in talks for packet in talk.packets
        ]
        path = folder / f"{point}.pcap"
        path.write_bytes(packets.pcap(sorted(seen, key=lambda packet: packet.time_ns)))
        written[point] = [path]
    return written


def of_tokens(found: Sequence[Crossing[str]], tokens: tuple[int, int]) -> Crossing[str]:
    (one,) = [one for one in found if one.tokens == tokens]
    return one


def test_each_point_tells_the_subflows_it_saw(tmp_path: Path) -> None:
    """A point that saw no opening knows a subflow by its token; one that saw nothing of the connection is there too."""
    seen = {"east": [SECOND, THIRD], "west": [FIRST, STRANGER], "core": [FIRST, THIRD, STRANGER], "north": [STRANGER]}
    found = crossings(captured(tmp_path, seen))
    ours = of_tokens(found, TOKENS)
    assert ours.subflow_ids == [0, 1, 2]
    assert ours.seen == {"east": {1, 2}, "west": {0}, "core": {0, 2}, "north": frozenset()}
    other = of_tokens(found, (packets.token_of(OTHER_KEYS[0], 1), packets.token_of(OTHER_KEYS[1], 1)))
    assert other.seen == {"east": frozenset(), "west": {0}, "core": {0}, "north": {0}}
    assert len(found) == 2


def test_subflows_have_the_numbers_of_the_tables(tmp_path: Path) -> None:
    points = captured(tmp_path, {"east": [THIRD], "core": [THIRD, FIRST, SECOND], "west": [SECOND]})
    (found,) = crossings(points)
    (connection,) = [one for trace in read_together([path for (path,) in points.values()]) for one in trace.connections]
    begun_ms = [(subflow.start_ns - connection.span_ns()[0]) / packets.MS for subflow in connection.ordered()]
    # By their SYNs, at 0, 10 and 20 ms; captures at two points are 1 ms apart.
    assert found.subflow_ids == sorted(connection.subflows) and [round(ms, -1) for ms in begun_ms] == [0, 10, 20]
    assert found.seen == {"east": {2}, "core": {0, 1, 2}, "west": {1}}


def test_a_point_may_have_several_captures(tmp_path: Path) -> None:
    points = captured(tmp_path, {"eth0": [FIRST], "eth1": [SECOND], "far": [FIRST, SECOND]})
    links = {("server", "core"): points["eth0"] + points["eth1"], ("core", "client"): points["far"]}
    (found,) = crossings(links)
    assert found.seen == {("server", "core"): {0, 1}, ("core", "client"): {0, 1}}


def test_a_token_without_its_key_is_a_connection(tmp_path: Path) -> None:
    """No point saw MP_CAPABLE: the end that was joined is known by its token."""
    (found,) = crossings(captured(tmp_path, {"east": [SECOND], "core": [SECOND, THIRD]}))
    assert found.tokens == (None, TOKENS[1]) and found.seen == {"east": {0}, "core": {0, 1}}


def test_a_subflow_without_its_syn_is_not_known_again(tmp_path: Path) -> None:
    late = Talk()
    late.packets = FIRST.packets[3:]
    found = crossings(captured(tmp_path, {"west": [FIRST], "core": [late]}))
    assert [(one.tokens, one.seen) for one in found] == [
        (TOKENS, {"west": {0}, "core": frozenset()}),
        ((None, None), {"west": frozenset(), "core": {0}}),
    ]


def test_tokens_of_either_version_are_the_specification_s(tmp_path: Path) -> None:
    """The key 0102030405060708 of the end that listens: dd5783bc of version 0, 66840dda of version 1."""
    key = bytes.fromhex("0102030405060708")
    for version, token in ((0, 0xDD5783BC), (1, 0x66840DDA)):
        folder = tmp_path / str(version)
        folder.mkdir()
        talks = [opened((KEYS[0], key), 1000, version), joined(token, "10.0.0.2", 10)]
        (found,) = crossings(captured(folder, {"west": talks[:1], "east": talks[1:]}))
        assert found.tokens[1] == token and found.seen == {"west": {0}, "east": {1}}


def test_a_capture_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(packets.pcap([Packet(0, b"")])[:10])
    with pytest.raises(UnreadableInputError):
        crossings({"west": [path]})
