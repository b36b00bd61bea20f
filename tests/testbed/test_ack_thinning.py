"""Which packets the relay drops where of a subflow's pure ACKs each n-th goes on."""

from __future__ import annotations

import random
import struct
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_SOURCES = ROOT / "testbed/relay/src"
FIN, SYN, RST, PSH, ACK, URG, ECE, CWR = (1 << bit for bit in range(8))
TIMESTAMPS = bytes([1, 1, 8, 10, *range(8)])
#: DSS with a data acknowledgement of 4 bytes, and of 8.
DATA_ACK = bytes([30, 8, 0x20, 1, *range(4)])
LONG_DATA_ACK = bytes([30, 12, 0x20, 3, *range(8)])


@pytest.fixture(scope="module")
def acks(relay: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that says what becomes of each packet; it ends where it reads beside one."""
    del relay
    program = tmp_path_factory.mktemp("acks") / "acks"
    flags = ["-std=c++20", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover"]
    sources = [Path(__file__).with_name("acks.cc"), _SOURCES / "ack-thinning.cc"]
    subprocess.run(["g++", *flags, "-I", _SOURCES, *sources, "-o", program], check=True)
    return program


def packet(
    acked: int,
    flags: int = ACK,
    *,
    options: bytes = TIMESTAMPS + DATA_ACK,
    data: bytes = b"",
    port: int = 5000,
    fragment: int = 0,
    protocol: int = 6,
    high_flags: int = 0,
) -> bytes:
    """A TCP segment in an IPv4 packet."""
    options += bytes(-len(options) % 4)
    offset = (20 + len(options)) // 4 << 4 | high_flags
    tcp = struct.pack("!HHIIBBHHH", 5201, port, 7, acked % 2**32, offset, flags, 500, 0, 0) + options + data
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(tcp), 1, fragment, 64, protocol, 0)
    return head + bytes([10, 1, 0, 1, 10, 0, 0, 1]) + tcp


def kept(acks: Path, every: int, packets: list[bytes]) -> list[bool]:
    """Whether each goes on."""
    lines = "".join(f"{one.hex()}\n" for one in packets)
    done = subprocess.run([acks, str(every)], input=lines, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *said, dropped = done.stdout.split()
    assert said.count("dropped") == int(dropped)
    return [word == "kept" for word in said]


@pytest.mark.parametrize("options", [b"", TIMESTAMPS, TIMESTAMPS + DATA_ACK, LONG_DATA_ACK, bytes([1, 0, 77, 77])])
def test_of_pure_acks_each_nth_goes_on_and_the_first_of_a_flow(acks: Path, options: bytes) -> None:
    sent = [packet(1000 * number, options=options) for number in range(13)]
    assert kept(acks, 4, sent) == [number % 4 == 0 for number in range(13)]
    assert kept(acks, 1, sent) == [True] * 13


def test_numbers_that_wrap_advance(acks: Path) -> None:
    sent = [packet(2**32 - 2500 + 1000 * number) for number in range(7)]
    assert kept(acks, 3, sent) == [number % 3 == 0 for number in range(7)]


@pytest.mark.parametrize(
    "special",
    [
        packet(9000, SYN | ACK),
        packet(9000, FIN | ACK),
        packet(9000, RST | ACK),
        packet(9000, RST),
        packet(9000, PSH | ACK),
        packet(9000, URG | ACK),
        packet(9000, ECE | ACK),
        packet(9000, CWR | ACK),
        packet(9000, high_flags=1),
        packet(9000, data=b"x"),
        # It says no more than the one before: a duplicate, or another window or data acknowledgement.
        packet(2000),
        packet(1000),
        packet(9000, options=bytes([1, 1, 5, 10, *range(8)])),
        # MPTCP: ADD_ADDR, MP_PRIO, MP_FAIL, MP_JOIN; DSS with a mapping, DATA_FIN, or bits that nobody knows.
        packet(9000, options=bytes([30, 8, 0x30, 1, *range(4)])),
        packet(9000, options=DATA_ACK + bytes([30, 4, 0x50, 1])),
        packet(9000, options=bytes([30, 12, 0x60, 0, *range(8)])),
        packet(9000, options=bytes([30, 24, 0x10, 0, *range(20)])),
        packet(9000, options=bytes([30, 18, 0x20, 5, *range(14)])),
        packet(9000, options=bytes([30, 8, 0x20, 0x11, *range(4)])),
        packet(9000, options=bytes([30, 8, 0x20, 0x21, *range(4)])),
        # Options that are unknown, or longer than their room.
        packet(9000, options=bytes([99, 4, 0, 0])),
        packet(9000, options=bytes([8, 200, 0, 0])),
        packet(9000, options=bytes([8, 0, 0, 0])),
        packet(9000, options=bytes([1, 1, 1, 8])),
        # Another flow, a fragment, no TCP, less than the header says.
        packet(9000, port=5001),
        packet(9000, fragment=0x2000),
        packet(9000, fragment=5),
        packet(9000, protocol=17),
        packet(9000)[:-1],
        packet(9000)[:30],
        b"",
    ],
)
def test_whatever_is_no_pure_ack_goes_on(acks: Path, special: bytes) -> None:
    assert kept(acks, 64, [packet(1000), packet(2000), special]) == [True, False, True]


def test_counting_begins_again_after_what_goes_on(acks: Path) -> None:
    sack = packet(4000, options=bytes([1, 1, 5, 10, *range(8)]))
    sent = [packet(1000), packet(2000), packet(3000), sack, packet(5000), packet(6000), packet(7000), packet(8000)]
    assert kept(acks, 3, sent) == [True, False, False, True, False, False, True, False]


def test_any_bytes_are_read_within_their_end(acks: Path) -> None:
    draw = random.Random(1)  # noqa: S311 - no secret
    sent = []
    for _ in range(20_000):
        changed = bytearray(packet(draw.randrange(2**32), options=draw.randbytes(draw.randrange(41) // 4 * 4)))
        for _ in range(draw.randrange(4)):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        # The length fits, so that more than the header is read.
        cut = changed[: draw.randrange(20, len(changed) + 1)]
        cut[2:4] = len(cut).to_bytes(2, "big")
        sent.append(bytes(cut))
    assert len(kept(acks, 2, sent)) == len(sent)
