"""Packets written by hand, and both ends of the connection they make as :class:`traces.sender.Sender` has them.

Times are in ms. Sequence and acknowledgement numbers count the payload of the end that sends it, from 0; on the wire
they follow the initial sequence number. End 0 opens the connection, and is the sender that tests look at.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from smartsbd.traces.connection import NOT_OBSERVED, Subflow
from tests.traces.comparison import assert_same_content
from tests.traces.naive.segment import ACK, CWR, ECE, FIN, PSH, RST, SYN, Options, Segment
from tests.traces.naive.sender import Sender
from tests.traces.naive.vantage import Answers
from tests.traces.packets import Packet as Captured
from tests.traces.packets import dss_body, ethernet, ipv4, option, pcap, sack, tcp, timestamps

__all__ = [
    "ACK",
    "ECE",
    "FIN",
    "MSS",
    "PSH",
    "RST",
    "SYN",
    "Outcome",
    "Packet",
    "back",
    "flight",
    "handshake",
    "out",
    "run",
]

#: Payload of a segment.
MSS = 1000
ISN = 5_000
PEER_ISN = 90_000
_WRAP = 2**32
_ENDS = ((b"\x0a\0\0\1", 40_000), (b"\x0a\0\0\2", 5_001))
_STAMPS_BYTES = 12
_MAX_OPTIONS_BYTES = 40


@dataclass(frozen=True)
class Packet:
    """One packet; `ack` is None where it acknowledges nothing."""

    ms: float
    end: int
    seq: int
    length: int = 0
    ack: int | None = 0
    sack: tuple[tuple[int, int], ...] = ()
    stamps: tuple[int, int] | None = None
    window: int = 500
    flags: int = 0
    sack_permitted: bool = False
    mss: int | None = None
    data_ack: int | None = None


def out(ms: float, seq: int, length: int = MSS, *, flags: int = 0, stamps: tuple[int, int] | None = None) -> Packet:
    """Write a segment of the sender."""
    return Packet(ms, 0, seq, length, flags=flags, stamps=stamps)


def back(
    ms: float,
    ack: int,
    *sack: tuple[int, int],
    flags: int = 0,
    stamps: tuple[int, int] | None = None,
    window: int = 500,
    length: int = 0,
    data_ack: int | None = None,
) -> Packet:
    """Write an ACK that comes to the sender."""
    return Packet(ms, 1, 0, length, ack, sack, stamps, window, flags, data_ack=data_ack)


def flight(ms: float, first: int, count: int) -> list[Packet]:
    """Write `count` segments, the first at `first` times MSS, 0.01 ms apart."""
    return [out(ms + 0.01 * number, (first + number) * MSS) for number in range(count)]


def handshake(
    near_ms: float = 0.05, far_ms: float = 20, *, sack: bool = True, answer_sack: bool = True, stamps: bool = False
) -> list[Packet]:
    """Write a handshake: the peer answers after `far_ms`, the sender after `near_ms`."""
    mss = MSS + (_STAMPS_BYTES if stamps else 0)
    first, second, third = ((10, 0), (70, 10), (11, 70)) if stamps else (None, None, None)
    answer_ms = near_ms + far_ms
    return [
        Packet(0, 0, -1, ack=None, flags=SYN, sack_permitted=sack, mss=mss, stamps=first),
        Packet(far_ms, 1, -1, ack=0, flags=SYN, sack_permitted=answer_sack, mss=mss, stamps=second),
        Packet(answer_ms, 0, 0, ack=0, stamps=third),
    ]


def segments(packets: Iterable[Packet], isn: int = ISN, peer_isn: int = PEER_ISN) -> list[Segment]:
    """Return the packets as segments on the wire."""
    found = []
    for one in packets:
        own, other = (isn, peer_isn) if one.end == 0 else (peer_isn, isn)
        found.append(
            Segment(
                time_ns=round(one.ms * 1_000_000),
                source=_ENDS[one.end],
                destination=_ENDS[1 - one.end],
                seq=(own + 1 + one.seq) % _WRAP,
                ack=0 if one.ack is None else (other + 1 + one.ack) % _WRAP,
                flags=one.flags | (0 if one.ack is None else ACK),
                window=one.window,
                payload_bytes=one.length,
                options=Options(
                    timestamps=one.stamps,
                    sack=tuple(((other + 1 + left) % _WRAP, (other + 1 + right) % _WRAP) for left, right in one.sack),
                    sack_permitted=one.sack_permitted,
                    mss=one.mss,
                ),
            )
        )
    return found


class Outcome:
    """Both senders of a connection, and what the first one's signals are."""

    def __init__(self) -> None:
        self.answers = Answers()
        self.senders = (Sender(0, self.answers), Sender(1, self.answers))

    def take(self, end: int, segment: Segment, data_ack: int | None = None) -> None:
        """Let a segment pass."""
        self.senders[end].sent(segment)
        self.senders[1 - end].heard(segment, data_ack)

    @property
    def sender(self) -> Sender:
        """The sender that tests look at."""
        return self.senders[0]

    def subflow(self) -> Subflow:
        """Return its signals."""
        written = Subflow(0, 0, 0)
        self.sender.write(written, None)
        return written

    @property
    def rtts(self) -> dict[float, float]:
        """RTT samples in ms, by the time in ms of the row they are in."""
        found = self.subflow()
        rows = zip(found.acks.time_ns, found.acks.rtt_us, strict=True)
        return {time_ns / 1e6: rtt_us / 1e3 for time_ns, rtt_us in rows if rtt_us != NOT_OBSERVED}

    @property
    def states(self) -> list[tuple[float, int]]:
        """Changes of state, with their times in ms."""
        congestion = self.sender.congestion
        return [(ns / 1e6, state) for ns, state in zip(congestion.state_ns, congestion.states, strict=True)]

    @property
    def losses(self) -> list[tuple[float, str, int]]:
        """Loss events: time in ms, kind and packets."""
        found = self.sender.congestion.losses
        return [(ns / 1e6, kind, n) for ns, kind, n in zip(found.time_ns, found.kind, found.packets, strict=True)]


# The first packet shows that the connection is MPTCP, by a DSS without numbers; RFC 8684 section 3.3.
_DSS = option(30, b"\x20\x00")
_NOP = b"\x01"


def _options(one: Segment, data_ack: int | None, *, first: bool) -> bytes:
    """Return options as they are on the wire; four SACK blocks leave no room for others."""
    found = _DSS if first else b""
    if one.options.mss is not None:
        found += option(2, one.options.mss.to_bytes(2, "big"))
    if one.options.sack_permitted:
        found += option(4)
    if one.options.timestamps is not None:
        found += timestamps(*one.options.timestamps)
    if one.options.sack:
        found += sack(*one.options.sack)
    if data_ack is not None:
        found += option(30, dss_body(data_ack))
    assert len(found) <= _MAX_OPTIONS_BYTES
    return found


def captured(packets: Sequence[Packet], sent: Sequence[Segment], *, ecn: bool) -> bytes:
    """Return the packets as a capture; with `ecn`, the handshake agrees on it."""
    found = []
    for number, (packet, one) in enumerate(zip(packets, sent, strict=True)):
        flags = one.flags
        if ecn and flags & SYN:
            flags |= ECE if flags & ACK else ECE | CWR
        segment = tcp(
            bytes(packet.length),
            ports=(one.source[1], one.destination[1]),
            seq=one.seq,
            ack=one.ack,
            flags=flags,
            window=one.window,
            options=_options(one, packet.data_ack, first=number == 0),
        )
        ends = (str(ip_address(one.source[0])), str(ip_address(one.destination[0])))
        found.append(Captured(one.time_ns, ethernet(ipv4(segment, source=ends[0], destination=ends[1]))))
    return pcap(found, tick_ns=1)


def run(packets: Sequence[Packet], *, ecn: bool = False, isn: int = ISN, peer_isn: int = PEER_ISN) -> Outcome:
    """Let packets pass, and return what is inferred from them: the same by the compiled parser, from a capture."""
    outcome = Outcome()
    for sender in outcome.senders:
        sender.congestion.has_ecn = ecn
    sent = segments(packets, isn, peer_isn)
    for packet, segment in zip(packets, sent, strict=True):
        outcome.take(packet.end, segment, packet.data_ack)
    if sent:
        (compiled,) = assert_same_content(captured(packets, sent, ecn=ecn))
        assert _signals(compiled[_ENDS[0]]) == _signals(outcome.subflow())
    return outcome


def _signals(subflow: Subflow) -> dict[str, list[int] | list[str] | int | None]:
    """Return what does not depend on data-level numbers, which a script counts from 0."""
    of_acks = ("time_ns", "acked_bytes", "rtt_us", "is_dup", "newly_sacked_bytes", "ece")
    names = ("state_time_ns", "state_ca_state", "loss_time_ns", "loss_kind", "loss_packets")
    return {
        **{name: list(getattr(subflow.acks, name)) for name in of_acks},
        **{name: list(getattr(subflow, name)) for name in names},
        "retransmissions": subflow.retransmissions,
    }
