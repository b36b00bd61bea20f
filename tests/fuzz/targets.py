"""What is fuzzed: one line of :data:`TARGETS` a parser."""

from __future__ import annotations

import bz2
import functools
import gzip
import importlib
import io
import itertools
import json
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import eq, ge
from pathlib import Path
from typing import Any

import zstandard

from smartsbd.contracts.contract import ContractError
from smartsbd.contracts.tables import TRUTH
from smartsbd.traces import capture_analysis, formats, stored, truth, unread_content
from smartsbd.traces.connection import Connection
from smartsbd.traces.dialect import Dialect, LinePattern
from smartsbd.traces.formats import (
    Read,
    columnar,
    columnar_rows,
    event_log,
    fping_log,
    iperf3_log,
    irtt_log,
    packet_table,
    ping_log,
    qlog,
    rtt_table,
    socket_stats,
    state_log,
    tcp_probe,
    text_lines,
)
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace
from tests.fuzz import exported, mutations, oracle, programs
from tests.fuzz.memory_file import MemoryFile
from tests.traces import unread_texts
from tests.traces.naive import log as naive

ROOT = Path(__file__).parents[2]
CORPUS = Path(__file__).parent / "corpus"

OURS = Dialect()
#: One lab's line, and one in which every line is a record.
LAB = Dialect(
    LinePattern(
        "sbd ",
        r"(?:t=(?P<time_s>\S*) )?tok=(?P<token>\S*) pi=(?P<subflow>\S*) rtt=(?P<rtt_ms>\S*) una=(?P<snd_una>\S*)"
        r" st=(?P<ca_state>\S*) lost=(?P<lost_packets>\S*)",
    )
)
ANY_LINE = Dialect(LinePattern("", r"(?P<time_ns>\S+) .*V=(?P<kind>\S+) (?P<value>\S+)"))
#: Of the inputs in a folder of the corpus; those in the others are read as ours.
DIALECTS = {"lab_log": LAB, "tcp_probe": Dialect(tcpprobe_srtt="ms")}

_CAPTURE_MAGICS = (
    *(b"\xa1\xb2\xc3\xd4", b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\x3c\x4d", b"\x4d\x3c\xb2\xa1"),
    b"\x0a\x0d\x0d\x0a",
)
# An input that inflates to more is left out: what is slow about it is its size. Bombs are for tests.fuzz.bounds.
_MOST_BYTES = 1 << 18
_SAMPLE_BYTES = 4096
# Letters of the line that says what content looks like, with the names of columns.
_MOST_SAID = 1000
# Of every so many inputs, by their content, one has its tables built too.
_THOROUGH = 16

#: Reads an input and checks what came out; False if the input is not of the target's kind.
Check = Callable[[bytes], bool]


def _thorough(content: bytes) -> bool:
    return zlib.crc32(content) % _THOROUGH == 0


def _check_plain(
    path: Path, read: Callable[[Path, Dialect], Trace], dialect: Dialect, found: Trace | UnreadableInputError
) -> None:
    """Check that plain Python, line by line, makes the same of an input."""
    connections: list[Connection] = []
    with naive.plain():
        try:
            expected: Trace | UnreadableInputError = read(path, dialect)
        except UnreadableInputError as error:
            expected = error
        if isinstance(expected, Trace):
            connections = list(expected.connections)
    if isinstance(found, Trace):
        assert found == expected
        assert list(found.connections) == connections
    else:
        assert isinstance(expected, UnreadableInputError)
        assert (found.offset, found.why) == (expected.offset, expected.why)


def _log(
    read: Callable[[Path, Dialect], Trace],
    counted: Callable[[int, int], bool],
    *dialects: Dialect,
    lines_of: Callable[[Path, int], Iterator[tuple[int, bytes]]] = stored.lines,
) -> Check:
    """Return the check of one parser, whether it would recognise the input or not.

    Parameters
    ----------
    read : callable
    counted : callable
        Compares the number of records and other lines with the number of lines.
    *dialects : Dialect
    lines_of : callable
        Yields the lines.
    """

    def check(content: bytes) -> bool:
        with MemoryFile(content) as path:
            size = oracle.size_of(path, _MOST_BYTES)
            if size > _MOST_BYTES:
                return False
            for dialect in dialects or (OURS,):
                with oracle.bounded(size):
                    try:
                        found = Read(path, "log", read(path, dialect))
                    except UnreadableInputError as error:
                        found = Read(path, "log", error)
                    oracle.check_read([found], sizes=[size], thorough=_thorough(content))
                _check_plain(path, read, dialect, found.outcome)
                if isinstance(found.outcome, Trace):
                    lines = sum(1 for _ in lines_of(path, 0))
                    said = found.outcome.records_in + found.outcome.other_lines
                    assert counted(said, lines), f"{said} records and other lines among {lines} lines"
        return True

    return check


def _but_the_header(said: int, lines: int) -> bool:
    return said == max(0, lines - 1)


def _rows_and_more(said: int, lines: int) -> bool:
    """A row of a wide table has a record for each path."""
    return said >= lines - 1


def _rtt_table(content: bytes) -> bool:
    """Check a table that is text: another process reads the others."""
    return not columnar.recognises(content) and _check_rtt_table(content)


def _columnar(content: bytes) -> bool:
    """Check what the other process does."""
    if not columnar.recognises(content):
        return False
    try:
        found = list(itertools.islice(columnar_rows.lines_of(io.BytesIO(content)), 1000))
    except Exception:  # whatever Arrow raises: the process says it
        return True
    assert len({line.count("\t") for line in found}) == 1
    assert all(line.replace("\t", "").isprintable() for line in found)
    return True


def _any_number(_said: int, _lines: int) -> bool:
    """Records are no lines."""
    return True


def check_inputs(paths: Sequence[Path], dialect: Dialect, *, thorough: bool = True) -> list[Read]:
    """Read inputs of any kind as the pipeline does, check what comes out, and return it in the order given.

    Parameters
    ----------
    paths : sequence of Path
    dialect : Dialect
    thorough : bool
        As of :func:`tests.fuzz.oracle.check_read`.
    """
    sizes = {path: oracle.size_of(path, 1 << 32) for path in paths}
    with oracle.bounded(sum(sizes.values())):
        found = list(formats.read(paths, dialect))
        assert [one.path for one in found] == list(paths)
        oracle.check_read(found, sizes=[sizes[path] for path in paths], thorough=thorough)
    return found


def _input(content: bytes) -> bool:
    with MemoryFile(content) as path:
        if oracle.size_of(path, _MOST_BYTES) > _MOST_BYTES:
            return False
        check_inputs([path], OURS, thorough=_thorough(content))
    return True


def _check_analyses(found: Sequence[Read]) -> None:
    """Analyse the connections of captures that were read, and check what comes out."""
    for one in found:
        if isinstance(one.outcome, Trace):
            named = [(str(number), connection) for number, connection in enumerate(one.outcome.connections)]
            for analysis in capture_analysis.analysed(named).connections.values():
                oracle.check_analysis(analysis)


def _capture(content: bytes) -> bool:
    if not content.startswith(_CAPTURE_MAGICS):
        return False
    with MemoryFile(content) as path:
        if oracle.size_of(path, _MOST_BYTES) > _MOST_BYTES:
            return False
        _check_analyses(check_inputs([path], OURS, thorough=_thorough(content)))
    return True


@functools.cache
def _partner() -> bytes:
    return (CORPUS / "pcap" / "good-version-0").read_bytes()


def _captures(content: bytes) -> bool:
    """Check a capture that is read with a good one, whose connection it may have a part in."""
    if not content.startswith(_CAPTURE_MAGICS):
        return False
    with MemoryFile(_partner()) as partner, MemoryFile(content) as path:
        _check_analyses(check_inputs([partner, path], OURS, thorough=_thorough(content)))
    return True


def _pack_zstd(content: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=1).compress(content)


def _pack_xz(content: bytes) -> bytes:
    return lzma.compress(content, preset=0)


def _pack_bzip2(content: bytes) -> bytes:
    return bz2.compress(content, 1)


def _pack_zip(content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", content)
    return packed.getvalue()


#: Of streams, of which a file may hold several.
_PACKS: tuple[Callable[[bytes], bytes], ...] = (
    functools.partial(gzip.compress, mtime=0),
    _pack_xz,
    _pack_zstd,
    _pack_bzip2,
)


def _lines(content: bytes, longest_bytes: int) -> Iterator[tuple[int, bytes]]:
    offset = 0
    for line in content.split(b"\n"):
        if line or offset + len(line) < len(content):
            yield offset, line[: longest_bytes + 1]
        offset += len(line) + 1


def _stored(content: bytes) -> bool:
    """Check that blocks, head and lines of a file agree, and that packing it changes nothing."""
    with MemoryFile(content) as path:
        size = oracle.size_of(path, _MOST_BYTES)
        if size > _MOST_BYTES:
            return False
        with oracle.bounded(size):
            try:
                whole = b"".join(stored.blocks(path))
            except UnreadableInputError:
                return True
            assert stored.head(path) == whole[: stored.HEAD_BYTES]
            for longest_bytes in (3, 300):
                assert list(stored.lines(path, longest_bytes)) == list(_lines(whole, longest_bytes))
    pack = _PACKS[zlib.crc32(whole) % len(_PACKS)]
    middle = len(whole) // 2
    with MemoryFile(pack(whole[:middle]) + pack(whole[middle:])) as path:
        assert b"".join(stored.blocks(path)) == whole
    with MemoryFile(_pack_zip(whole)) as path:
        assert b"".join(stored.blocks(path)) == whole
    for packed in (pack(whole), _pack_zip(whole)):
        with MemoryFile(packed[:-1]) as path:
            try:
                list(stored.blocks(path))
            except UnreadableInputError:
                continue
        raise AssertionError("a packed file without its last byte is read as if it were whole")
    return True


def _unread(content: bytes) -> bool:
    """Check that one short line says what any content looks like."""
    with oracle.bounded(len(content)):
        said = unread_content.in_words(content)
    assert said.isprintable() and len(said) < _MOST_SAID, said
    return True


def _truth(content: bytes) -> bool:
    with MemoryFile(content) as path, oracle.bounded(len(content)):
        try:
            rows, why = truth.read_csv(path), ""
        except truth.TruthError as error:
            rows, why = [], str(error)
    # One line, whatever the file holds.
    assert why.isprintable(), why
    for number, row in enumerate(rows):
        assert tuple(row) == truth.CSV_COLUMNS
        assert isinstance(row["token"], int | None)
        judged = row | {"connection_id": str(number), "valid": True, "why": ""}
        columns = {column.name: [judged[column.name]] for column in TRUTH.columns}
        try:
            TRUTH.build(columns)
        except ContractError:
            # What is out of range is said by the stage that writes the table.
            continue
        oracle.check_columns(TRUTH, columns)
    return True


@dataclass(frozen=True)
class Target:
    """One parser.

    Attributes
    ----------
    check : callable
    corpus : tuple of str
        Folders of the corpus it starts from.
    samples : tuple of (str, bytes)
        Files it starts from too: a pattern of their names, and where in them, decompressed, to begin.
    words : tuple of bytes
        What to put in, beside what the code compares with.
    max_bytes : int
        Of an input.
    mutated : callable
        One of :mod:`tests.fuzz.mutations`.
    made : callable
        Returns more inputs it starts from.
    modules : tuple of str
        Imported with their coverage recorded, beside those of traces.
    """

    check: Check
    corpus: tuple[str, ...]
    samples: tuple[tuple[str, bytes], ...] = ()
    words: tuple[bytes, ...] = ()
    max_bytes: int = 1 << 14
    mutated: Callable[[bytes, int, int, mutations.Mutate], bytes] = mutations.log
    made: Callable[[], list[bytes]] = list
    modules: tuple[str, ...] = ()

    def seeds(self) -> list[bytes]:
        """Return the heads of its samples, none where they are not at hand, and what is made."""
        found = self.made()
        for pattern, begin in self.samples:
            for path in sorted(ROOT.glob(pattern))[:2]:
                content = b"".join(stored.blocks(path))
                found.append(content[max(0, content.find(begin)) :][:_SAMPLE_BYTES])
        return found


def _of_module(name: str, function: str) -> Callable[..., Any]:
    """Return a function of a module beside this one, imported when it is called: few targets need it."""

    def call(*arguments: bytes) -> Any:
        return getattr(importlib.import_module(f"tests.fuzz.{name}"), function)(*arguments)

    return call


def _program(name: str, made: Callable[[], list[bytes]], words: tuple[bytes, ...]) -> Target:
    return Target(functools.partial(programs.check, name), (), (), words, 1 << 13, mutations.any_bytes, made)


#: Layers, and as many weights as they have.
_AGENT = b"[2, 3, 1]\n" + bytes(4 * (2 * 3 + 3 + 3 * 1 + 1))


def _agents() -> list[bytes]:
    """Return the beginnings of those in git."""
    return [path.read_bytes()[:2048] for path in sorted((ROOT / "simulator/agents").glob("*.agent"))]


def _scenarios() -> list[bytes]:
    """Return scenarios that have every key between them."""
    from tests.simulator.test_scenario import TRIED

    return [json.dumps(scenario).encode() for scenario in TRIED.values()]


_SCENARIO = (
    *(b'"background": [', b'"further_connections": [', b'"opportunities_ms": [', b'"links": [0, 1]', b'"access": {'),
    *(b'"kind": "', b'"name": "', b'"verdicts": ', b'"meta_queue": {', b'"rate_mbit_s": [[0.0, 8.0]]', b'"back": {'),
    *(b"null", b"true", b"1e999", b"-1", b"4294967296", b"\\ud800", b"\x1b[31m", b"\xc2\x9b"),
)
_PLAN = b"""seed value=1
marks ns=0,1000000000
host netns=/run/netns/left device=path
host netns=/run/netns/right device=path
port rate=0:8000000,1000000000:4000000 queue=30000 mark=15000 delay=20000000 jitter=100000 loss=0.01
port delay=5000000 discipline=codel rate=0:1 queue=1
port rate=0:8000000 queue=30000 discipline=policer
route from=0 address=10.0.0.1 to=1 there=0,2 back=1 ack_every=4
capture host=0 path=capture.pcap
"""
_REPORT = (
    b'{"start": {"timestamp": {"timesecs": 1700000000}}, "intervals": [{"sum": {"end": 0.5, "bytes": 7}},'
    b' {"sum": {"end": 1.0, "bytes": 1.5e+16}}], "error": "the server is busy"}'
)
_EVENTS = (
    b"smartsbd: ",
    b" C=7f3a91c2 SF=0 V=",
    *(b"V=%b " % kind for kind in (b"RTT", b"CA", b"ACK", b"UNA", b"LOSS")),
)
_JOURNAL = (b'{ "MESSAGE" : "', b'"_SOURCE_MONOTONIC_TIMESTAMP" : "', b"6,1234,91328292,-;", b"[   91.328292] ")
_LAB = (b"sbd ", b"tok=", b"rtt=", b"0x")
_STATE = (b",rtt_us,", b",ca_state,", b",retrans,")
_TCP_PROBE = (b"tcp_probe: ", b" snd_una=0x", b" srtt=", b"src=", b"dest=", b"[LOST 9 EVENTS]", b"[2001:db8::1]:80")
_SS = (
    *(b"ESTAB 0 0 10.0.1.1:1 10.0.2.2:2", b" rtt:1/1", b" bytes_acked:1", b" retrans:0/3", b" token:1f(id:7)/1e(id:8)"),
    *(b"0 0 10.0.1.1:1 10.0.2.2:2", b" bytes_received:9", b' users:(("a",pid=1,fd=3))', b"10.0.2.2:https", b" cwnd:9"),
    b"Recv-Q Send-Q Local Address:Port Peer Address:Port Process",
    *(
        b"1700000000 ",
        b"Nov 21 03:24:08 ",
        b"Sat Nov 21 03:24:08 UTC 2026",
        b"2026-11-21T03:24:08,5+01",
        b"Timestamp: ",
    ),
)
_TABLE = (
    *(b"time_s,path,rtt_ms,bytes\n", b"time_ns", b"rtt_us", b"\xef\xbb\xbf", b'"', b";", b"\t", b"# "),
    *(b"timestamp", b"a_rtt_ms", b"2024-01-31T12:00:00.125Z", b"+01:00", b"e-05", b"1700000000.125", b"NaN"),
)
_COLUMNAR = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\x15\x00")
_PING = (
    b"[1700000000.5] ",
    b"64 bytes from a: icmp_seq=1 ttl=1 time=1.5 ms",
    b"no answer yet for icmp_seq=2",
    b" (DUP!)",
    *(
        b"seq=3 ttl=57 time=2 ms",
        b"PING a (192.0.2.1) from 10.0.0.1 wlan0: 56 data bytes\n",
        b"55690.25 ",
        b"2001:db8::1",
    ),
    *(b"192.0.2.1: bytes=32 time=14ms TTL=57", b"\xe3\x83\x9f\xe3\x83\xaa\xe7\xa7\x92", b"\xff\xfe", b"03:24:08.9 "),
)
_FPING = (
    *(b"[1700000000.5] a : [1], 64 bytes, 1.5 ms (", b"timed out (", b"duplicate for [1], ", b" is alive (1 ms)\n"),
    b'{"resp": {"timestamp": "1700000000.5", "host": "a", "seq": 1, "rtt": 1.5}}\n',
)
_IRTT = (
    *(b'"round_trips": [', b'"lost": "true"', b'"delay": {"rtt": 5000}', b"seq=0 rtt=1ms rd="),
    b'"timestamps": {"client": {"receive": {"wall": 1700000000123456789}}}',
)
_IPERF3 = (
    *(b'"intervals": [', b'"streams": [', b'"timesecs": 1700000000', b'"timemillisecs": 1700000000123', b'"rtt": 5'),
    *(
        b'"socket": 5',
        b'"start": 0',
        b'"end": 1.5',
        b'"sender": false',
        b'"retransmits": 3',
        b'{"event": "interval", "data": {',
    ),
    b'"connected": [{"socket": 5, "local_host": "a", "local_port": 1, "remote_host": "b", "remote_port": 2}]',
)
_PACKET_TABLE = (
    b"frame.time_epoch,ip.src,ip.dst,tcp.srcport,",
    b"tcp.analysis.ack_rtt",
    b"192.0.2.1",
    b"0.000050000",
    b"\t",
    b"ipv6.src",
    b"2001:db8::1",
    b"192.0.2.1,192.0.2.2,",
)
_QLOG = (
    *(b'"qlog_version"', b'"events": [', b'"event_fields": [', b'"time_units": "us"', b'"time_format": "delta"'),
    *(b'"path_id": 1', b'"latest_rtt": 5', b'"smoothed_rtt": 5', b"metrics_updated", b"packet_lost", b"\x1e{"),
    *(b'"tuple": "a"', b'"group_id": 1', b'"common_fields": {', b'"traces": [', b'"file_schema":', b"]}]}"),
)
_BLOCKS = (
    b"\x0a\x0d\x0d\x0a",
    b"\x1a\x2b\x3c\x4d",
    b"\x01\0\0\0",
    b"\x06\0\0\0",
    b"\x1e\x0c",
    b"\x05\x0a",
    b"\x81\x00",
)
_LABELS = (b'"', b"true", b"NSB", b"input,shared", b"token", b"subflow_a", b"subflow_b", b"from_s", b"\xef\xbb\xbf")
_ARCHIVE = (
    *(b'"__%b__": "' % name for name in (b"class", b"module", b"loader")),
    *(b'"__id__": ', b'"file": "', b'"type": ', b'"content": ', b'"attrs": {'),
    *(b"ObjectNode", b"TreeNode", b"NdArrayNode", b"JsonNode", b"TypeNode", b"sklearn.tree._tree", b"builtins"),
)
_TASK = (
    *(b'"connections": {', b'"XS": {', b'"train": [', b'"sha256": {', b'"content_sha256": {', b'"size": null'),
    *(b"PAR1", b"\x15\x00", b"\xff\xff\xff\xff\x0f", b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"),
)
_PACKED = (
    b"\x1f\x8b\x08",
    b"\xfd7zXZ\0",
    b"\x28\xb5\x2f\xfd",
    b"\x50\x2a\x4d\x18",
    b"BZh11AY&SY",
    b"PK\3\4",
    b"PK\1\2",
    b"PK\5\6",
    b"\n",
)

_KERNEL_LOG = ("tests/traces/samples/*.dmesg.gz", b"smartsbd: ")
_STATE_LOG = ("data/samples/kernel/inputs/*", b"")
_PUBLIC_TABLE = ("tests/traces/samples/public/hsr-mptcp*", b"")
_PUBLIC_PINGS = ("tests/traces/samples/public/pings/*", b"")
_PUBLIC_QLOG = ("tests/traces/samples/public/picoquic*", b"")
_PCAP = ("data/samples/kernel_captures/inputs/*", b"")
_LINKS = tuple((f"tests/traces/samples/public/links/{link}_*", b"") for link in (1, 113, 127, 239, 258))

_check_rtt_table = _log(rtt_table.read, _rows_and_more)

TARGETS = {
    "event_log": Target(_log(event_log.read, ge), ("event_log",), (_KERNEL_LOG,), _EVENTS + _JOURNAL),
    "lab_log": Target(_log(event_log.read, ge, LAB, ANY_LINE), ("lab_log", "event_log"), (), _LAB),
    "state_log": Target(_log(state_log.read, _but_the_header), ("state_log",), (_STATE_LOG,), _STATE),
    "tcp_probe": Target(_log(tcp_probe.read, eq, DIALECTS["tcp_probe"]), ("tcp_probe",), (), _TCP_PROBE),
    "socket_stats": Target(_log(socket_stats.read, _any_number), ("socket_stats",), (), _SS),
    "rtt_table": Target(_rtt_table, ("rtt_table",), (), _TABLE),
    "columnar": Target(_columnar, ("columnar",), (), _COLUMNAR, 1 << 13, mutations.any_bytes),
    "ping": Target(_log(ping_log.read, eq, lines_of=text_lines.lines), ("ping",), (_PUBLIC_PINGS,), _PING),
    "fping": Target(_log(fping_log.read, eq), ("fping",), (), _FPING),
    "irtt": Target(_log(irtt_log.read, _any_number), ("irtt",), (), _IRTT),
    "iperf3": Target(_log(iperf3_log.read, _any_number), ("iperf3",), (), _IPERF3),
    "packet_table": Target(
        _log(packet_table.read, _but_the_header), ("packet_table",), (_PUBLIC_TABLE,), _PACKET_TABLE
    ),
    "qlog": Target(_log(qlog.read, _any_number), ("qlog",), (_PUBLIC_QLOG,), _QLOG),
    "truth": Target(_truth, ("truth",), (("data/samples/kernel/truth.csv", b""),), (b'"', b",", b"true")),
    "labels": Target(
        _of_module("labels", "check"),
        ("labels",),
        (),
        _LABELS,
        modules=("smartsbd.pipelines.labelling.labels", "smartsbd.traces.truth"),
    ),
    "stored_model": Target(
        _of_module("stored_models", "check"),
        ("stored_model",),
        (),
        _ARCHIVE,
        1 << 16,
        mutations.archive,
        _of_module("stored_models", "archives"),
        ("smartsbd.models.stored.archive", "smartsbd.models.stored.structure", "smartsbd.models.stored.store"),
    ),
    "task_folder": Target(
        _of_module("task_folders", "check"),
        (),
        (),
        _TASK,
        1 << 16,
        mutations.archive,
        _of_module("task_folders", "archives"),
        (
            "smartsbd.pipelines.benchmark.named_split",
            "smartsbd.pipelines.benchmark.task_file",
            "smartsbd.pipelines.benchmark.table_check",
            "smartsbd.pipelines.benchmark.task_folder",
        ),
    ),
    "stored": Target(_stored, ("stored",), (), _PACKED, 1 << 12, mutations.any_bytes),
    "unread_content": Target(
        _unread,
        (),
        words=(b"Flags [", b" > ", b"seq=", b"token=", b"IP ", b" ms", b"count", b'"layers"', b": "),
        mutated=mutations.log,
        made=lambda: [content for content, _, _ in unread_texts.CONTENTS.values()],
    ),
    "pcap": Target(_capture, ("pcap",), (_PCAP, *_LINKS), _BLOCKS, mutated=mutations.capture),
    "pcap_joined": Target(_captures, ("pcap",), (_PCAP, *_LINKS), _BLOCKS, mutated=mutations.capture),
    "formats": Target(
        _input,
        (
            *("event_log", "state_log", "tcp_probe", "socket_stats", "rtt_table", "ping", "packet_table", "qlog"),
            *("fping", "irtt", "iperf3", "pcap", "stored"),
        ),
        (_KERNEL_LOG, _STATE_LOG, _PCAP, *_LINKS),
        _PACKED + _EVENTS[:1] + _TCP_PROBE[:2] + _SS[:1],
        mutated=mutations.by_kind,
    ),
    "model_file": _program("model_file", exported.model_files, (b"SBDMODEL", b"rtt_ed_4us", b"\0\0\0\x80")),
    "sender": _program("sender", exported.calls, (b"\xff\xff\xff\xff", b"\x01\0\0\0")),
    "packets": Target(
        functools.partial(programs.check, "packets"), ("pcap",), (_PCAP, *_LINKS), _BLOCKS, mutated=mutations.capture
    ),
    "logs": Target(
        functools.partial(programs.check, "logs"),
        ("event_log", "state_log", "tcp_probe"),
        (_KERNEL_LOG, _STATE_LOG),
        _EVENTS + _JOURNAL + _STATE + _TCP_PROBE,
        1 << 12,
    ),
    "agent": _program("agent", lambda: [_AGENT, *_agents()], (b"[2, 1]", b"[1, 1]", b"smartsbd-agent 1")),
    "relay_plan": _program(
        "relay_plan",
        lambda: [_PLAN],
        (b"port ", b" rate=0:", b" queue=1", b" discipline=policer", b"route from=0 to=1 there=", b" ack_every=0"),
    ),
    "scenario": _program("scenario", _scenarios, _SCENARIO),
    "iperf3_report": Target(
        _of_module("iperf3_reports", "check"),
        (),
        (),
        (b'"intervals":', b'"sum":', b'"end":', b'"bytes":', b'"timesecs":', b'"error":', b"1e999", b"NaN", b"-1"),
        made=lambda: [_REPORT],
        modules=("smartsbd.doctor.iperf3_report",),
    ),
    "warping": _program("warping", list, (b"\x80", bytes(7) + b"\x80", b"\x80\xff\xff\xff\xff\xff\xff\xef\x7f")),
}
