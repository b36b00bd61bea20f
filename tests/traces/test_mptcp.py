"""MPTCP options of both versions, tokens and initial data sequence numbers."""

from __future__ import annotations

import hashlib

import pytest

from smartsbd.traces import mptcp as keys
from tests.traces import packets
from tests.traces.comparison import assert_same_content
from tests.traces.naive import mptcp
from tests.traces.naive.mptcp import Capable, DataAck, Join, MalformedOptionError, Other
from tests.traces.packets import ACK, SYN, Packet, capable_body, dss_body

KEY, OTHER_KEY = bytes(range(8)), b"\xff" * 8


def read(body: bytes, *, syn: bool = False) -> Capable | Join | DataAck | Other:
    flags = SYN if syn else ACK
    # Room for what is longer than options can be.
    if len(body) <= 38:
        segment = packets.tcp(flags=flags, options=packets.option(30, body))
        assert_same_content(packets.pcap([Packet(0, packets.ethernet(packets.ipv4(segment)))]))
    return mptcp.option(body, syn=syn)


@pytest.mark.parametrize(
    ("length", "body", "found"),
    [
        (12, capable_body(0, KEY), Capable(0, (KEY,))),
        (20, capable_body(0, KEY, OTHER_KEY), Capable(0, (KEY, OTHER_KEY))),
        (4, capable_body(1), Capable(1, ())),
        (12, capable_body(1, KEY), Capable(1, (KEY,))),
        (20, capable_body(1, KEY, OTHER_KEY), Capable(1, (KEY, OTHER_KEY))),
        (22, capable_body(1, KEY, OTHER_KEY, rest=b"\x05\xdc"), Capable(1, (KEY, OTHER_KEY))),
        (24, capable_body(1, KEY, OTHER_KEY, rest=b"\x05\xdc\xab\xcd"), Capable(1, (KEY, OTHER_KEY))),
    ],
)
@pytest.mark.parametrize("syn", [True, False])
def test_mp_capable(length: int, body: bytes, found: Capable, syn: bool) -> None:
    assert len(body) + 2 == length
    assert read(body, syn=syn) == found


@pytest.mark.parametrize("length", [3, 4, 5, 11, 13, 18, 19, 21, 22, 24, 28, 40])
def test_no_mp_capable_of_version_0_has_this_length(length: int) -> None:
    with pytest.raises(MalformedOptionError, match=f"^{mptcp.BAD_LENGTH}$"):
        read(b"\x00\x81".ljust(length - 2, b"\x07")[: length - 2])


@pytest.mark.parametrize("length", [3, 5, 6, 8, 11, 13, 14, 16, 19, 21, 23, 25, 28, 40])
def test_no_mp_capable_of_version_1_has_this_length(length: int) -> None:
    with pytest.raises(MalformedOptionError, match=f"^{mptcp.BAD_LENGTH}$"):
        read(b"\x01\x81".ljust(length - 2, b"\x07")[: length - 2])


@pytest.mark.parametrize("version", range(2, 16))
def test_other_versions_are_not_known(version: int) -> None:
    with pytest.raises(MalformedOptionError, match=r"^MP_CAPABLE of a version that is not known$"):
        read(capable_body(version, KEY))


def test_mp_join_in_its_three_forms() -> None:
    token = 0xDEADBEEF
    assert read(packets.join_syn(token, 7)[2:], syn=True) == Join(token, 7)
    assert read(packets.join_syn_ack(255)[2:], syn=True) == Join(None, 255)
    assert read(packets.join_ack()[2:]) == Join(None, None)
    assert read(b"\x11" + packets.join_syn(token, 7)[3:], syn=True) == Join(token, 7, backup=True)
    assert read(b"\x11" + packets.join_syn_ack(7)[3:], syn=True) == Join(None, 7, backup=True)


@pytest.mark.parametrize(("length", "syn"), [(12, False), (16, False), (24, True), (3, True), (14, True), (26, False)])
def test_mp_join_of_another_length(length: int, syn: bool) -> None:
    with pytest.raises(MalformedOptionError, match=f"^{mptcp.BAD_LENGTH}$"):
        read(b"\x10".ljust(length - 2, b"\0"), syn=syn)


@pytest.mark.parametrize("checksum", [True, False])
@pytest.mark.parametrize("seq", [None, (5, 4), (2**64 - 1, 8)])
@pytest.mark.parametrize(("ack", "ack_bytes"), [(0, 4), (2**32 - 1, 4), (2**32 + 7, 8), (2**64 - 1, 8)])
def test_data_ack(ack: int, ack_bytes: int, seq: tuple[int, int] | None, checksum: bool) -> None:
    number, size = seq or (None, 4)
    body = dss_body(ack, ack_bytes=ack_bytes, seq=number, seq_bytes=size, length=1400, checksum=checksum)
    assert read(body) == DataAck(ack, 8 * ack_bytes)


@pytest.mark.parametrize(
    "body",
    [
        dss_body(),
        dss_body(fin=True, seq=9, seq_bytes=8, length=1),
        dss_body(seq=9, length=1400),
        dss_body(seq=9, seq_bytes=8, length=1400, checksum=True),
        # The flag of a long acknowledgement without that of one.
        b"\x20\x02",
    ],
)
def test_dss_without_data_ack(body: bytes) -> None:
    assert read(body) == Other(mptcp.DSS)


@pytest.mark.parametrize("body", [b"\x20", b"\x20\x01", b"\x20\x01\0\0\0", b"\x20\x03\0\0\0\0", b"\x20\x03" + bytes(7)])
def test_dss_that_is_too_short(body: bytes) -> None:
    with pytest.raises(MalformedOptionError, match=f"^{mptcp.BAD_LENGTH}$"):
        read(body)


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b"\x34\x02\xc0\x00\x02\x01", "ADD_ADDR"),
        (b"\x34\x02\xc0\x00\x02\x01\x1f\x90", "ADD_ADDR"),
        (b"\x30\x02\xc0\x00\x02\x01" + bytes(8), "ADD_ADDR"),
        (b"\x31\x02" + bytes(16), "ADD_ADDR"),
        (b"\x40\x01\x02", "REMOVE_ADDR"),
        (b"\x51", "MP_PRIO"),
        (b"\x50\x02", "MP_PRIO"),
        (b"\x60\0" + bytes(8), "MP_FAIL"),
        (b"\x70\0" + KEY, "MP_FASTCLOSE"),
        (b"\x81\x06", "MP_TCPRST"),
    ],
)
def test_options_that_are_counted_only(body: bytes, name: str) -> None:
    found = read(body)
    assert isinstance(found, Other)
    assert mptcp.NAMES[found.subtype] == name


@pytest.mark.parametrize("subtype", range(9, 16))
def test_unknown_subtypes(subtype: int) -> None:
    with pytest.raises(MalformedOptionError, match=r"^MPTCP subtype that is not known$"):
        read(bytes([subtype << 4, 1, 2, 3]))


def test_an_option_without_a_subtype_is_malformed() -> None:
    with pytest.raises(MalformedOptionError, match=f"^{mptcp.BAD_LENGTH}$"):
        read(b"")


def test_token_and_first_data_of_a_known_digest() -> None:
    """The digests of ``abcdefgh``: SHA-1 425af12a...d56a, SHA-256 9c56cc51...35ab."""
    key = b"abcdefgh"
    assert hashlib.sha1(key).hexdigest() == "425af12a0743502b322e93a015bcf868e324d56a"  # noqa: S324
    assert (
        hashlib.sha256(key).hexdigest().startswith("9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab")
    )
    assert (keys.token(key, 0), keys.token(key, 1)) == (0x425AF12A, 0x9C56CC51)
    assert keys.first_data(key, 0) == 0x15BCF868E324D56B
    assert keys.first_data(key, 1) == 0x190ECF1E430635AC


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("key", [KEY, OTHER_KEY, bytes(8), b"\x80" + bytes(7)])
def test_token_and_first_data(key: bytes, version: int) -> None:
    assert keys.token(key, version) == packets.token_of(key, version)
    assert keys.first_data(key, version) == packets.first_data_of(key, version)
