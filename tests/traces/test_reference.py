"""Public captures: what is read of every TCP stream, beside what tshark and tcptrace print of it.

A folder has captures and, in ``streams-*.csv``, the values of tshark 4.0.17 and tcptrace 6.6.7 of each stream and
direction. One folder is in git; ``SBD_CAPTURES`` names another. Where nothing was sent again all three agree; where
something was, their definitions differ: docs/formats.md lists every difference with its cause.
"""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_address
from pathlib import Path

import pytest

from smartsbd.traces.connection import NOT_OBSERVED
from smartsbd.traces.formats import capture
from smartsbd.traces.quarantine import Refusal
from smartsbd.traces.trace import Trace
from tests.traces.naive.flow import Flow, connections
from tests.traces.naive.pcap import frames
from tests.traces.naive.segment import ACK, RST, SYN, Segment, UnusableError, segment
from tests.traces.naive.sender import Sender

_ALL = os.environ.get("SBD_CAPTURES")
FOLDERS = [Path(__file__).parent / "samples/captures", *([Path(_ALL)] if _ALL is not None else [])]

#: Streams with so many samples are compared by their samples.
FEW = 10


@dataclass
class Stream:
    """One direction: ours, its row, and what the tools count and we do not."""

    sender: Sender
    row: dict[str, str]
    handshake_us: int | None
    by_reset: int

    @property
    def rtts_us(self) -> list[int]:
        return [rtt_us for rtt_us in self.sender.matched_us if rtt_us != NOT_OBSERVED]

    def value(self, name: str) -> float:
        return float(self.row[name] or "nan")


def captures() -> dict[str, Path]:
    """The captures of all folders; one that is in two of them is the same in both."""
    found: dict[str, Path] = {}
    for path in (path for folder in FOLDERS for path in sorted(folder.iterdir()) if ".pcap" in path.name):
        assert found.setdefault(path.name, path).read_bytes() == path.read_bytes()
    return found


@cache
def rows() -> dict[str, dict[tuple[int, str], dict[str, str]]]:
    """The tools' rows by capture, and by stream and sender; tables that hold the same capture agree."""
    found: dict[str, dict[tuple[int, str], dict[str, str]]] = {}
    for path in (path for folder in FOLDERS for path in sorted(folder.glob("streams-*.csv"))):
        with path.open(newline="", encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                own = found.setdefault(row["file"], {})
                assert own.setdefault((int(row["tcp_stream"]), row["src"]), row) == row
    return found


def segments(path: Path) -> list[Segment]:
    found = []
    for frame in frames(path):
        assert not isinstance(frame, Refusal)
        try:
            found.append(segment(frame))
        except UnusableError:
            continue
    return found


def handshake_us(flow: Flow, end: int, packets: list[Segment]) -> int | None:
    """From the SYN or SYN/ACK of an end to the first packet that acknowledges it."""
    own = [one for one in packets if one.source == flow.ends[end] and one.flags & SYN]
    if len(own) != 1:
        return None
    answers = [
        one.time_ns
        for one in packets
        if one.source == flow.ends[1 - end] and one.flags & ACK and one.ack == (own[0].seq + 1) % 2**32
    ]
    return (min(answers) - own[0].time_ns) // 1000 if answers else None


@cache
def streams(name: str) -> list[Stream]:
    path = captures()[name]
    everything = segments(path)
    found = []
    for number, flow in enumerate(connections(path, Trace())):
        own = [one for one in everything if {one.source, one.destination} == set(flow.ends)]
        for end, (address, port) in enumerate(flow.ends):
            row = rows()[name][number, f"{ip_address(address)}:{port}"]
            resets = sum(one.source == flow.ends[1 - end] and bool(one.flags & RST) for one in own)
            found.append(Stream(flow.senders[end], row, handshake_us(flow, end, own), resets))
    return found


every_capture = pytest.mark.parametrize("name", sorted(rows()))


def test_every_capture_is_read_without_a_refusal() -> None:
    assert rows() and rows().keys() <= captures().keys()
    for path in captures().values():
        trace = capture.read_together([path])[0]
        assert trace.records_in and not trace.refusals


@every_capture
def test_bytes_are_the_tools_(name: str) -> None:
    for one in streams(name):
        if one.row["tcptrace_unique_bytes"]:
            assert one.sender.payload_bytes == one.value("tcptrace_unique_bytes")
        # The reference counts the FIN's sequence number.
        assert one.value("bytes_acked") - one.sender.acked_bytes == one.sender.fin_is_acked


@every_capture
def test_where_nothing_is_sent_again_samples_are_tshark_s(name: str) -> None:
    """tshark counts the handshake, and the ACK of a RST, too: ours are no samples of the controller's."""
    for one in streams(name):
        if one.sender.resent_segments or len(one.rtts_us) < FEW:
            continue
        assert one.value("tshark_retrans") == 0
        assert one.handshake_us is not None
        samples_us = [*one.rtts_us, one.handshake_us]
        more = one.value("tshark_rtt_n") - len(samples_us)
        assert 0 <= more <= one.by_reset
        if more == 0:
            assert sum(samples_us) / len(samples_us) / 1000 == pytest.approx(one.value("tshark_rtt_mean_ms"), abs=2e-3)
        assert min(samples_us) / 1000 == pytest.approx(one.value("tshark_rtt_min_ms"), abs=2e-3)


@pytest.mark.skipif(
    _ALL is None, reason="the table is of the 194 streams of 19 captures: SBD_CAPTURES names no folder of them"
)
def test_how_many_streams_agree_is_what_the_table_says() -> None:
    """docs/formats.md: samples (the handshake's aside) of 26 of 39 streams, segments sent again of 167 of 194."""
    known = [one for name in sorted(rows()) for one in streams(name)]
    assert len(known) == 194
    many = [one for one in known if len(one.rtts_us) >= FEW or one.value("tshark_rtt_n") - 1 >= FEW]
    equal = [
        0 <= one.value("tshark_rtt_n") - len(one.rtts_us) - (one.handshake_us is not None) <= one.by_reset
        for one in many
        if not one.sender.resent_segments
    ]
    assert (len(many), len(equal), sum(equal)) == (39, 26, 26)
    assert sum(one.sender.resent_segments == one.value("tshark_retrans") for one in known) == 167
