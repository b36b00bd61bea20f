"""One capture of packets, read by the compiled parser (``native/packets/``): its subflows, and a count of all it holds.

The rows of a subflow stay in a file, the spool, until they are asked for; so memory is bounded by the connections that
are alive at one time, however long the capture is.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np

from smartsbd.native import packet_recording
from smartsbd.traces import bounds, link_types, mptcp, stored
from smartsbd.traces.assembly import BACKWARDS, OUT_OF_RANGE
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import NOT_OBSERVED, AckColumns, Acks, PacketFlow, Subflow
from smartsbd.traces.quarantine import Refusal, UnreadableInputError
from smartsbd.traces.vantage import RECEIVER, SENDER, UNKNOWN, vantage

End = tuple[bytes, int]

#: Reasons why a record is in no table, though nothing is wrong with it.
NOT_IP, NOT_TCP, FRAGMENT = "not IP", "not TCP", "IP fragment"
SEEN_TWICE = "seen twice"
PLAIN = "TCP without MPTCP"
NOT_ANSWERED = "TCP, MPTCP offered and not answered"
CUT_OPTIONS = "TCP headers are cut: capture with -s 128"
ENCRYPTED, AGGREGATE = "encrypted 802.11 frame", "802.11 frame of several packets"
DAMAGED = "802.11 frame that was received damaged"
#: Reasons why a record is refused.
CUT, TOO_LONG, BROKEN_BLOCK = "cut packet record", "length beyond any packet", "broken block"
NO_INTERFACE, NO_TIME = "packet of an interface that was not described", "packet without a time"
UNKNOWN_LINK = link_types.UNKNOWN
CUT_HEADERS, BAD_IP, BAD_TCP = "cut before its headers end", "bad IP", "bad TCP"
SYN_INSIDE = "SYN inside a connection"
#: What is counted beside the options of connections.
IMPLAUSIBLE = "number beyond any window"
FORGOTTEN = "more outstanding than is kept"
SILENT = "flow left, silent for long"
DISPLACED = "flow left, too many alive"

# Reason and detail by verdict, as native/packets/src/frame.h numbers them. The first is a segment, seven more are
# unused.
_VERDICTS = (
    ("segment", ""),
    (NOT_IP, ""),
    (NOT_TCP, ""),
    (FRAGMENT, ""),
    (ENCRYPTED, ""),
    (AGGREGATE, ""),
    (DAMAGED, ""),
    (SEEN_TWICE, ""),
    (CUT, "{0} of {1} bytes of its head"),
    (CUT, "{0} of {1} bytes"),
    (TOO_LONG, "{0} bytes"),
    (BROKEN_BLOCK, "byte-order magic {0:08x}"),
    (BROKEN_BLOCK, "block of {0} bytes"),
    (CUT, "{0} of {1} bytes of a block's head"),
    (CUT, "{0} of {1} bytes of a block"),
    (BROKEN_BLOCK, "its two lengths differ"),
    (BROKEN_BLOCK, "description of an interface"),
    (NO_TIME, "simple packet block"),
    (BROKEN_BLOCK, "packet block of {0} bytes"),
    (NO_INTERFACE, "interface {0} of {1}"),
    (BROKEN_BLOCK, "packet of {0} bytes in a block of {1}"),
    (UNKNOWN_LINK, "{0}"),
    (CUT_HEADERS, "link layer"),
    (CUT_HEADERS, "IP"),
    (CUT_HEADERS, "IPv4"),
    (CUT_HEADERS, "IPv6"),
    (CUT_HEADERS, "IPv6 extension header"),
    (CUT_HEADERS, "TCP"),
    (BAD_IP, "version {0}"),
    (BAD_IP, "header of {0} bytes in {1}"),
    (BAD_IP, "extension header of {0} bytes in {1}"),
    (BAD_IP, "{0} bytes"),
    (BAD_TCP, "header of {0} bytes in {1}"),
    (OUT_OF_RANGE, "time before the clock's origin"),
    (OUT_OF_RANGE, "time beyond any clock"),
    (BACKWARDS, "{0} follows {1}"),
    (SYN_INSIDE, "{0} follows {1}"),
)
_UNUSED = range(1, 8)
#: What a flow that is no subflow is, as native/packets/src/flow.h numbers it; the first is one.
PLAIN_KINDS = ("", PLAIN, NOT_ANSWERED, CUT_OPTIONS)
# Of a connection's options, as native/packets/src/mptcp.h numbers them.
_SIGNALS = (
    "MP_CAPABLE",
    "MP_JOIN",
    "DSS",
    "ADD_ADDR",
    "REMOVE_ADDR",
    "MP_PRIO",
    "MP_FAIL",
    "MP_FASTCLOSE",
    "MP_TCPRST",
    "MP_CAPABLE with another key",
    "cut options",
    "TCP option of a length it cannot have",
    "MPTCP option of a length it cannot have",
    "MPTCP subtype that is not known",
    "MP_CAPABLE of a version that is not known",
)
# Why a file as a whole cannot be read, and where: native/packets/src/pcap.h.
_UNREADABLE = (
    (0, ""),
    (0, "is neither pcap nor pcapng"),
    (0, "the pcap header is cut"),
    (0, "the section header is cut"),
    (8, "the section's byte-order magic is none"),
)
_LOSS_KINDS = ("fast", "rto", "tlp")
# Columns of ACKs in the order in which they come, and those that packets do not have.
_ACK_COLUMNS = ("time_ns", "acked_bytes", "rtt_us", "is_dup", "newly_sacked_bytes", "ece", "data_ack", "owd_us")
_NOT_IN_PACKETS = ("srtt_us",)
#: Where a capture was taken, as native/packets/src/answers.h numbers it.
VANTAGES = (UNKNOWN, SENDER, RECEIVER)
_VANTAGES = dict(
    zip(
        VANTAGES,
        (packet_recording.Vantage.UNKNOWN, packet_recording.Vantage.SENDER, packet_recording.Vantage.RECEIVER),
        strict=True,
    )
)
_IPV4, _IPV4_BYTES = 4, 4
# Of a reset that gives none.
_WITHOUT_REASON = -1
_COPIED_BYTES = 1 << 20
# Summaries that are taken apart at once, and ends that are remembered.
_AT_ONCE = 1 << 12
_ALIKE = 1 << 8


@dataclass(frozen=True, slots=True)
class Sender:
    """One end of a subflow as a sender; its rows are in the spool.

    Attributes
    ----------
    payload_bytes : int
        Sent the first time.
    resent_segments : int
        Sent again, SYN and FIN included.
    implausible, forgotten : int
        Numbers so far from what was sent that nothing follows from them; how often more was outstanding than is kept.
    shortest_ns : int or None, nanoseconds
        Its shortest answer.
    first_data_ack : (int, int) or None
        The first data acknowledgement that came to it, and its bits.
    rows : int
        ACKs, and samples by echo.
    parts : (int, int)
        Where the spool lists the parts in which they come, and how many parts there are.
    states, losses : (int, int)
        Last chunk and number of records in the spool.
    """

    payload_bytes: int
    resent_segments: int
    implausible: int
    forgotten: int
    shortest_ns: int | None
    first_data_ack: tuple[int, int] | None
    rows: int
    parts: tuple[int, int]
    states: tuple[int, int]
    losses: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Flow:
    """One subflow; end 0 opened it, or, without its handshake, sent the first segment.

    Attributes
    ----------
    number : int
        Among the flows of its capture.
    ends : (End, End)
        Address and port of both.
    family : int
        IP version.
    start_ns, end_ns : int, nanoseconds
        Times of the first and the last segment.
    segments : int
        Taken.
    first_syn : int or None
        Sequence number of the SYN.
    version : int or None
        Of MPTCP.
    keys : (bytes or None, bytes or None)
        Of either end.
    join_token : int or None
        Token of end 1 that a MP_JOIN carried.
    address_ids : (int or None, int or None)
        Of either end.
    signals : mapping of str to int
        MPTCP options by name; options that are malformed by what is wrong.
    senders : (Sender, Sender)
    reset : int or None
        -1 if it was reset without a reason, else the reason of its MP_TCPRST; None if it was not reset.
    is_answered : bool
        A SYN/ACK was seen.
    is_backup : bool
        So its last MP_JOIN or MP_PRIO said.
    plain : str
        What it is if it is no subflow, else empty.
    """

    number: int
    ends: tuple[End, End]
    family: int
    start_ns: int
    end_ns: int
    segments: int
    first_syn: int | None
    version: int | None
    keys: tuple[bytes | None, bytes | None]
    join_token: int | None
    address_ids: tuple[int | None, int | None]
    signals: Mapping[str, int]
    senders: tuple[Sender, Sender]
    reset: int | None
    is_answered: bool
    is_backup: bool
    plain: str

    def tokens(self) -> tuple[int | None, int | None]:
        """Return the tokens of both ends' keys, None where a key or the version is not known."""
        version = self.version
        if version is None:
            return (None, None)
        first, second = (None if key is None else mptcp.token(key, version) for key in self.keys)
        return first, second

    def first_data(self, end: int) -> int | None:
        """Return the data sequence number of the first byte `end` sends, None if its key is not known."""
        key = self.keys[end]
        return None if key is None or self.version is None else mptcp.first_data(key, self.version)

    def packets(self, path: Path, sender: int) -> PacketFlow:
        """Return where its packets are, and what they say of it, with one of the ends as the sender."""
        return PacketFlow(
            path=path,
            number=self.number,
            sender=sender,
            payload_bytes=sum(end.payload_bytes for end in self.senders),
            sent_bytes=self.senders[sender].payload_bytes,
            is_join=self.join_token is not None,
            has_syn=self.first_syn is not None,
            is_answered=self.is_answered,
            is_backup=self.is_backup,
            reset=self.reset,
        )

    def vantage(self, sender: int) -> str:
        """Return where the capture was taken, with one of the ends as the sender."""
        return vantage(self.senders[sender].shortest_ns, self.senders[1 - sender].shortest_ns)


def seen_twice(copies: int) -> str:
    """Say how many packets of a capture are copies of others."""
    return f"{SEEN_TWICE}: {copies} packets, captured before on another interface or the same; each is taken once"


def _known(number: int) -> int | None:
    return None if number < 0 else number


@lru_cache(_ALIKE)
def _sender(values: tuple[int, ...]) -> Sender:
    """Return an end by its summary, in the order of native/packets/src/flow.h; many idle ones may be alike."""
    payload_bytes, resent_segments, shortest_ns, first_data_ack, rows, *chains, implausible, forgotten, bits = values
    parts_last, states_last, states, losses_last, losses, parts = chains
    return Sender(
        payload_bytes=payload_bytes,
        resent_segments=resent_segments,
        implausible=implausible,
        forgotten=forgotten,
        shortest_ns=_known(shortest_ns),
        first_data_ack=(first_data_ack, bits) if bits else None,
        rows=rows,
        parts=(parts_last, parts),
        states=(states_last, states),
        losses=(losses_last, losses),
    )


@lru_cache(_ALIKE)
def _signals(counts: tuple[int, ...]) -> Mapping[str, int]:
    return signals_of(counts)


def signals_of(counts: Sequence[int]) -> Counter[str]:
    """Return MPTCP options by name, and what was wrong with malformed ones, by the numbers of mptcp.h."""
    return +Counter(dict(zip(_SIGNALS, counts, strict=True)))


def _rows(summaries: np.ndarray) -> Iterator[dict[str, Any]]:
    """Yield the elements of a structured array."""
    names = summaries.dtype.names or ()
    for values in zip(*(summaries[name].tolist() for name in names), strict=True):
        yield dict(zip(names, values, strict=True))


def _flows(summaries: np.ndarray) -> Iterator[Flow]:
    for start in range(0, len(summaries), _AT_ONCE):
        yield from _some_flows(summaries[start : start + _AT_ONCE])


def _some_flows(summaries: np.ndarray) -> Iterator[Flow]:
    for row in _rows(summaries):
        size = _IPV4_BYTES if row["family"] == _IPV4 else None
        first, second = (bytes(address)[:size] for address in row["address"])
        known = [bytes(key) if has else None for key, has in zip(row["key"], row["hasKey"], strict=True)]
        yield Flow(
            number=row["number"],
            ends=((first, row["port"][0]), (second, row["port"][1])),
            family=row["family"],
            start_ns=row["startNs"],
            end_ns=row["endNs"],
            segments=row["segments"],
            first_syn=_known(row["firstSyn"]),
            version=_known(row["version"]),
            keys=(known[0], known[1]),
            join_token=_known(row["joinToken"]),
            address_ids=(_known(row["addressId"][0]), _known(row["addressId"][1])),
            signals=_signals(tuple(row["signals"])),
            senders=(_sender(row["senders"][0]), _sender(row["senders"][1])),
            reset=row["reset"] if row["reset"] >= _WITHOUT_REASON else None,
            is_answered=bool(row["isAnswered"]),
            is_backup=bool(row["isBackup"]),
            plain=PLAIN_KINDS[row["plain"]],
        )


def flow_of(summary: np.ndarray) -> Flow:
    """Return a flow by its summary, the only one of an array."""
    (flow,) = _some_flows(summary)
    return flow


class Refusals(Sequence[Refusal]):
    """The refused records of a capture, read from the spool when they are asked for; iterate rather than index."""

    def __init__(self, spool: Spool, last: int, count: int) -> None:
        self._spool = spool
        self._last = last
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Refusal]:
        for chunk, records in packet_recording.chunks(*self._spool.place, self._last):
            for offset, verdict, first, second, raw in packet_recording.read_refusals(
                *self._spool.place, chunk, records
            ):
                reason, detail = _VERDICTS[verdict]
                if reason == UNKNOWN_LINK:
                    reason = link_types.not_read(first)
                yield Refusal(offset, reason, detail.format(first, second), raw)

    def __getitem__(self, index: int | slice) -> Refusal | list[Refusal]:  # type: ignore[override]
        return list(self)[index]


class Spool:
    """The rows of one capture, a part of a file.

    Attributes
    ----------
    base : int, bytes
        Where it begins.
    """

    def __init__(self, stream: IO[bytes], base: int) -> None:
        self._stream = stream
        self.base = base

    @property
    def place(self) -> tuple[int, int]:
        """The file's descriptor, and where the rows begin."""
        return self._stream.fileno(), self.base

    def append(self, content: memoryview) -> int:
        """Write behind all that the file has; return where it begins."""
        start = self._stream.seek(0, os.SEEK_END)
        self._stream.write(content)
        self._stream.flush()
        return start


class FlowSummaries:
    """Summaries of the flows of a capture, in the file that has its rows; they are read when they are asked for.

    Parameters
    ----------
    spool : Spool
    summaries : structured array
        They are written behind all that the file has.
    """

    def __init__(self, spool: Spool, summaries: np.ndarray) -> None:
        self._spool = spool
        self._count, self._dtype = len(summaries), summaries.dtype
        self._start = spool.append(summaries.view(np.uint8).data)

    def _read(self, first: int, after: int) -> np.ndarray:
        descriptor, _ = self._spool.place
        size = self._dtype.itemsize
        return np.frombuffer(os.pread(descriptor, (after - first) * size, self._start + first * size), self._dtype)

    def at(self, places: np.ndarray) -> np.ndarray:
        """Return the summaries at some places."""
        if len(places) == 1:
            # An int of Python: the file may be larger than the array's numbers can say.
            (place,) = places.tolist()
            return self._read(place, place + 1)
        summaries = np.empty(len(places), dtype=self._dtype)
        starts = places // _AT_ONCE * _AT_ONCE
        for start in np.unique(starts).tolist():
            in_block = starts == start
            summaries[in_block] = self._read(start, min(start + _AT_ONCE, self._count))[places[in_block] - start]
        return summaries


def spools(paths: Sequence[Path]) -> list[Spool]:
    """Return the rows of captures, each of which wrote a file; from now on they are in one file without a name.

    One file for all: of captures there may be more than of files that can be open. It is the largest, and the others
    are copied behind its rows.

    Returns
    -------
    list of Spool
        One for each capture, in the order of `paths`.
    """
    if not paths:
        return []
    largest = max(paths, key=lambda path: path.stat().st_size)
    stream = largest.open("r+b")
    bases = {largest: 0}
    for path in paths:
        if path != largest:
            bases[path] = stream.seek(0, os.SEEK_END)
            with path.open("rb") as rows:
                shutil.copyfileobj(rows, stream, _COPIED_BYTES)
        path.unlink()
    stream.flush()
    return [Spool(stream, bases[path]) for path in paths]


@dataclass(frozen=True)
class Recorded:
    """A capture that was read, before its subflows are put into connections; it may travel between processes.

    Attributes
    ----------
    path : Path
    capture_id : str
    size_bytes : int
        Of the file, as it is stored.
    spool : Path
        File with its rows.
    summaries : structured array
        Of its subflows.
    records_in : int
    unused : Counter of str
        Good records that are of no subflow.
    beyond_segments : int
        Of subflows after as many as are held.
    signals : Counter of str
        Flows that were dropped early.
    refusals : (int, int)
        Last chunk and number of refused records in the spool.
    """

    path: Path
    capture_id: str
    size_bytes: int
    spool: Path
    summaries: np.ndarray
    records_in: int
    unused: Counter[str]
    beyond_segments: int
    signals: Counter[str]
    refusals: tuple[int, int]

    def flows(self) -> list[Flow]:
        """Return its subflows, in order of their first segment."""
        return list(_flows(self.summaries))


def record(
    path: Path,
    folder: Path,
    most: Bounds = bounds.DEFAULT,
    *,
    part_rows: int = packet_recording.PART_ROWS,
    gathered: int = packet_recording.GATHERED_SEGMENTS,
) -> Recorded:
    """Read a capture. The result is the same however many segments are gathered.

    Parameters
    ----------
    path : Path
    folder : Path
        Folder for its spool.
    most : Bounds
    part_rows : int
        ACKs of a sender that can only be read together.
    gathered : int
        Segments that are put in order of their flows.

    Returns
    -------
    Recorded
        Its subflows and counts; the rows are in a file of `folder`.

    Raises
    ------
    UnreadableInputError
        If it cannot be read as a whole.
    """
    descriptor, name = tempfile.mkstemp(suffix=".spool", dir=folder)
    try:
        recording = packet_recording.Recording(
            descriptor, subflows=most.connections, part_rows=part_rows, gathered=gathered, plain=most.plain_flows
        )
        digest = stored.FileDigest()
        for block in stored.blocks(path, digest):
            if not recording.feed(block):
                # Nothing more can be read of a capture that is broken within, but the rest of its bytes names it too.
                digest = stored.digest_of(path)
                break
        recording.finish()
    except BaseException:
        Path(name).unlink()
        raise
    finally:
        os.close(descriptor)
    if recording.unreadable:
        Path(name).unlink()
        raise UnreadableInputError(path, *_UNREADABLE[recording.unreadable])
    verdicts = recording.verdicts
    unused = Counter({_VERDICTS[verdict][0]: verdicts[verdict] for verdict in _UNUSED})
    plain = (recording.plain_segments, recording.not_answered_segments, recording.cut_segments)
    unused.update(dict(zip(PLAIN_KINDS[1:], plain, strict=True)))
    return Recorded(
        path=path,
        capture_id=digest.capture_id(),
        size_bytes=digest.size_bytes,
        spool=Path(name),
        summaries=recording.flows(),
        records_in=recording.records,
        unused=+unused,
        beyond_segments=recording.beyond_segments,
        signals=+Counter({SILENT: recording.silent, DISPLACED: recording.displaced}),
        refusals=(recording.refusals, sum(verdicts[_UNUSED.stop :])),
    )


def listed_segments(path: Path, flows: Collection[int], most: Bounds = bounds.DEFAULT) -> Iterator[np.ndarray]:
    """Read a capture again, and yield the segments of some of its flows, some at a time.

    They are those that :func:`record` took, in the same order; native/packets/src/listed-segment.h describes
    each.

    Parameters
    ----------
    path : Path
    flows : collection of int
        Numbers of the flows, as :func:`record` gave them.
    most : Bounds
        As for :func:`record`.

    Yields
    ------
    (n,) structured array

    Raises
    ------
    UnreadableInputError
        If it cannot be read any more.
    """
    wanted = np.array(sorted(flows), dtype=np.int64)
    with tempfile.TemporaryFile() as spool:
        recording = packet_recording.Recording(spool.fileno(), subflows=most.connections, listing=True)
        for block in stored.blocks(path):
            goes_on = recording.feed(block)
            listed = recording.take_listed()
            yield listed[np.isin(listed["flow"], wanted)]
            if not goes_on:
                break
        recording.finish()
        listed = recording.take_listed()
        yield listed[np.isin(listed["flow"], wanted)]


def acked_before(first_data_ack: tuple[int, int] | None, first_data: int | None) -> int | None:
    """Return the data-level bytes acknowledged by the first data acknowledgement, None if that is not known.

    Parameters
    ----------
    first_data_ack : (int, int) or None
        The acknowledgement and its bits.
    first_data : int or None
        Data sequence number of the first byte.

    Returns
    -------
    int or None, bytes
    """
    if first_data is None or first_data_ack is None:
        return None
    value, bits = first_data_ack
    before = (value - first_data) % 2**bits
    # Less than none: the acknowledgement is none of this connection's.
    return before if before < 2 ** (bits - 1) else None


class StoredAcks:
    """The ACKs of one end of a flow, read from the spool each time they are asked for.

    Parameters
    ----------
    spool : Spool
        Of its capture.
    flow : Flow
    end : int
        Which of its ends is the sender.
    first_data : int or None
        Data sequence number of the first byte the connection's sender sent; None where it is not known.

    Attributes
    ----------
    rows : int
        A number of ACKs that they do not exceed.
    """

    def __init__(self, spool: Spool, flow: Flow, end: int, first_data: int | None) -> None:
        self._spool = spool
        self._sender = flow.senders[end]
        self._vantage = _VANTAGES[flow.vantage(end)]
        before = acked_before(self._sender.first_data_ack, first_data)
        self._acked_before = NOT_OBSERVED if before is None else before
        self._shortest_us: int | None = None
        self._way_back: packet_recording.WayBack | None = None
        self.rows = self._sender.rows

    def _survey(self) -> packet_recording.WayBack:
        """Look through all ACKs; return what the delays of each need to know of all."""
        if self._way_back is None:
            self._shortest_us, self._way_back = packet_recording.survey_acks(
                *self._spool.place, *self._sender.parts, self._vantage
            )
        return self._way_back

    def __iter__(self) -> Iterator[Acks]:
        place = self._spool.place
        way_back = self._survey()
        matched_us = NOT_OBSERVED
        for part in packet_recording.read_parts(*place, *self._sender.parts):
            columns, matched_us = packet_recording.read_ack_part(
                *place, *part, self._vantage, self._acked_before, way_back, matched_us
            )
            acks = Acks()
            for name, column in zip(_ACK_COLUMNS, columns, strict=True):
                getattr(acks, name).frombytes(column.data.cast("B"))
            for name in _NOT_IN_PACKETS:
                getattr(acks, name).extend(array("q", [NOT_OBSERVED]) * len(columns[0]))
            yield acks

    @staticmethod
    def together(stored: Sequence[StoredAcks]) -> AckColumns:
        """Return the ACKs of several, one after the other; of one capture, or of several that were joined.

        Returns
        -------
        AckColumns
            With as many rows as all of them have.

        Raises
        ------
        ValueError
            If they were not joined: their spools are not in one file.
        """
        descriptors = {acks._spool.place[0] for acks in stored}
        if len(descriptors) != 1:
            raise ValueError("ACKs of captures that were not joined cannot be read together")
        (descriptor,) = descriptors
        sources = np.array(
            [
                (acks._spool.base, *acks._sender.parts, acks.rows, int(acks._vantage), acks._acked_before)
                for acks in stored
            ],
            dtype=packet_recording.ACK_SOURCE,
        )
        columns, lengths, shortest_us = packet_recording.read_acks(descriptor, sources)
        for acks, rtt_us in zip(stored, shortest_us.tolist(), strict=True):
            acks._shortest_us = rtt_us
        return AckColumns(lengths.tolist(), dict(zip(_ACK_COLUMNS, columns, strict=True)))

    def min_rtt_us(self) -> int | None:
        """Return the smallest RTT sample, None if there is none."""
        if self._shortest_us is None:
            self._survey()
        return None if self._shortest_us == NOT_OBSERVED else self._shortest_us


def _sources(senders: np.ndarray, bases: np.ndarray, last: str, records: str) -> np.ndarray:
    """Return where chains of some ends are, by the names of their summaries' fields."""
    sources = np.zeros(len(senders), dtype=packet_recording.CHAIN_SOURCE)
    sources["base"], sources["last"], sources["records"] = bases, senders[last], senders[records]
    return sources


def acks_of(
    senders: np.ndarray, descriptor: int, bases: np.ndarray, vantages: np.ndarray, acked_before: np.ndarray
) -> tuple[AckColumns, np.ndarray]:
    """Read the ACKs of some ends, by their summaries; return them, and the smallest RTT sample of each.

    Parameters
    ----------
    senders : (n,) structured array
    descriptor : int
        Of the file that has their spools.
    bases : (n,) int64, bytes
        Where they begin.
    vantages : (n,) int
        Where the captures were taken, by the place in :data:`VANTAGES`.
    acked_before : (n,) int64, bytes
        As :func:`acked_before` returns it.

    Returns
    -------
    acks : AckColumns
    min_rtt_us : (n,) int64, microseconds
        :data:`~smartsbd.traces.connection.NOT_OBSERVED` for an end without a sample.
    """
    sources = np.zeros(len(senders), dtype=packet_recording.ACK_SOURCE)
    sources["base"], sources["vantage"], sources["ackedBefore"] = bases, vantages, acked_before
    for name in ("partsLast", "parts", "rows"):
        sources[name] = senders[name]
    columns, lengths, shortest_us = packet_recording.read_acks(descriptor, sources)
    return AckColumns(lengths.tolist(), dict(zip(_ACK_COLUMNS, columns, strict=True))), shortest_us


def states_of(senders: np.ndarray, descriptor: int, bases: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Read the changes of state of some ends, as :func:`acks_of` does: times and states.

    Parameters
    ----------
    senders : (n,) structured array
        Summaries.
    descriptor : int
        Of the file that has their spools.
    bases : (n,) int64, bytes
        Where they begin.

    Returns
    -------
    time_ns : (k,) int64, nanoseconds
    ca_state : (k,) int64
    """
    return packet_recording.read_states(descriptor, _sources(senders, bases, "statesLast", "states"))


def losses_of(senders: np.ndarray, descriptor: int, bases: np.ndarray) -> tuple[np.ndarray, list[str], np.ndarray]:
    """Read the loss events of some ends, as :func:`acks_of` does: times, kinds and packets.

    Parameters
    ----------
    senders : (n,) structured array
        Summaries.
    descriptor : int
        Of the file that has their spools.
    bases : (n,) int64, bytes
        Where they begin.

    Returns
    -------
    time_ns : (k,) int64, nanoseconds
    kind : list of str
    packets : (k,) int64
    """
    sources = _sources(senders, bases, "lossesLast", "losses")
    times_ns, kinds, packets = packet_recording.read_losses(descriptor, sources)
    return times_ns, [_LOSS_KINDS[kind] for kind in kinds.tolist()], packets


def write(spool: Spool, flow: Flow, end: int, subflow: Subflow) -> None:
    """Write what one end of a flow did, except its ACKs, into a subflow.

    Parameters
    ----------
    spool : Spool
        Of its capture.
    flow : Flow
    end : int
        Which of its ends is the sender.
    subflow : Subflow
    """
    sender = flow.senders[end]
    subflow.retransmissions = sender.resent_segments
    descriptor, base = spool.place
    states_from, losses_from = (
        np.array([(base, *chain)], dtype=packet_recording.CHAIN_SOURCE) for chain in (sender.states, sender.losses)
    )
    state_ns, states = packet_recording.read_states(descriptor, states_from)
    subflow.state_time_ns.frombytes(state_ns.data.cast("B"))
    subflow.state_ca_state.extend(states.tolist())
    loss_ns, kinds, packets = packet_recording.read_losses(descriptor, losses_from)
    subflow.loss_time_ns.frombytes(loss_ns.data.cast("B"))
    subflow.loss_kind.extend(_LOSS_KINDS[kind] for kind in kinds.tolist())
    subflow.loss_packets.frombytes(packets.data.cast("B"))
