"""What tshark says of the packets of MPTCP connections, and the same from our list of segments."""

from __future__ import annotations

import csv
import shutil
import subprocess
from collections.abc import Iterator
from decimal import Decimal
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

from smartsbd.traces.connection_analysis import ListedSegment
from smartsbd.traces.recorded import listed_segments, record

SYN, ACK, FIN, RST = 2, 16, 1, 4
DSS = 2
#: Fields of tshark in the order of Packet's own; several values of one field are joined by a semicolon.
FIELDS = (
    "frame.time_epoch",
    "ip.src",
    "ipv6.src",
    "tcp.srcport",
    "tcp.seq_raw",
    "tcp.len",
    "tcp.flags",
    "tcp.window_size",
    "tcp.options.mptcp.subtype",
    "tcp.options.mptcp.rawdataseqno",
    "tcp.options.mptcp.rawdataack",
    "tcp.options.mptcp.subflowseqno",
    "tcp.options.mptcp.datalvllen",
    "tcp.options.mptcp.datafin.flag",
    "tcp.options.mptcp.addrid",
    "tcp.options.mptcp.rst_reason",
    "tcp.analysis.ack_rtt",
)
#: How the stored tables were made: docs in samples/README.md.
COMMAND = ("-T", "fields", "-E", "header=y", "-E", "separator=,", "-E", "occurrence=a", "-E", "aggregator=;")


class Packet(NamedTuple):
    """A packet of TCP, as both have it."""

    time_ns: int
    source: str
    port: int
    seq: int
    payload_bytes: int
    flags: int
    window: int
    subtypes: tuple[int, ...]
    data_seq: int | None
    data_ack: int | None
    subflow_seq: int | None
    data_bytes: int | None
    is_data_fin: bool
    address_ids: tuple[int, ...]
    reason: int | None


def _only(text: str) -> int | None:
    return int(text, 0) if text else None


def packet(row: dict[str, str]) -> Packet:
    """A row of tshark's."""
    source = ip_address(row["ip.src"] or row["ipv6.src"])
    return Packet(
        time_ns=int(Decimal(row["frame.time_epoch"]) * 10**9),
        source=str(source),
        port=int(row["tcp.srcport"]),
        seq=int(row["tcp.seq_raw"]),
        payload_bytes=int(row["tcp.len"]),
        flags=int(row["tcp.flags"], 16) & 0xFF,
        window=int(row["tcp.window_size"]),
        subtypes=tuple(sorted(int(one) for one in row["tcp.options.mptcp.subtype"].split(";") if one)),
        data_seq=_only(row["tcp.options.mptcp.rawdataseqno"]),
        data_ack=_only(row["tcp.options.mptcp.rawdataack"]),
        subflow_seq=_only(row["tcp.options.mptcp.subflowseqno"]),
        data_bytes=_only(row["tcp.options.mptcp.datalvllen"]),
        is_data_fin=row["tcp.options.mptcp.datafin.flag"] == "1",
        address_ids=tuple(int(one) for one in row["tcp.options.mptcp.addrid"].split(";") if one),
        reason=_only(row["tcp.options.mptcp.rst_reason"]),
    )


def program() -> str | None:
    """Where tshark is."""
    return shutil.which("tshark")


def printed(path: Path, only: str = "tcp") -> list[dict[str, str]]:
    """What tshark prints of a capture."""
    fields = [argument for field in FIELDS for argument in ("-e", field)]
    done = subprocess.run(
        ["tshark", "-r", str(path), "-Y", only, *COMMAND, *fields], capture_output=True, text=True, check=True
    )
    return list(csv.DictReader(done.stdout.splitlines()))


def stored_rows(path: Path) -> list[dict[str, str]]:
    """A table that tshark printed once."""
    with path.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def ours(path: Path, folder: Path) -> Iterator[Packet]:
    """Our packets of all subflows of a capture."""
    flows = {flow.number: flow for flow in record(path, folder).flows()}
    scales = {number: [-1, -1] for number in flows}
    for listed in listed_segments(path, flows.keys()):
        for segment in map(ListedSegment._make, listed.tolist()):
            if segment.flags & SYN:
                scales[segment.flow][segment.end] = segment.window_scale
            yield _ours(segment, flows[segment.flow].ends[segment.end], scales[segment.flow])


def _ours(segment: ListedSegment, end: tuple[bytes, int], scales: list[int]) -> Packet:
    shift = 0 if segment.flags & SYN or min(scales) < 0 else scales[segment.end]
    has_mapping = segment.mapping_bits > 0
    capable_bytes = segment.data_bytes if segment.data_bytes >= 0 and not has_mapping else None
    # MP_JOIN, ADD_ADDR and REMOVE_ADDR.
    ids = [segment.detail[subtype] for subtype in (1, 3, 4) if segment.detail[subtype] >= 0]
    return Packet(
        time_ns=segment.time_ns,
        source=str(ip_address(end[0])),
        port=end[1],
        seq=segment.seq,
        payload_bytes=segment.payload_bytes,
        flags=segment.flags,
        window=segment.window << shift,
        subtypes=tuple(subtype for subtype in range(9) if segment.subtypes >> subtype & 1),
        data_seq=segment.data_seq if has_mapping else None,
        data_ack=segment.data_ack if segment.data_ack_bits else None,
        subflow_seq=segment.subflow_seq if has_mapping else None,
        data_bytes=segment.data_bytes if has_mapping else capable_bytes,
        is_data_fin=bool(segment.is_data_fin),
        address_ids=tuple(one % 256 for one in ids),
        reason=None if segment.detail[8] < 0 else segment.detail[8],
    )
