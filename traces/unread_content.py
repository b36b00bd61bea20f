"""Content that no parser reads: what it looks like, and what to give in its place.

Nothing is taken of it. What is recognised here is what people have at hand: text that tools print in place of what they
record, archives, and files of other programs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from smartsbd.contracts.fault import printable

#: Where it is told what is read, and how to record it.
PAGE = "docs/questions.md"

_CAPTURE = "give the packets themselves, recorded at the sender: tcpdump -i any -s 128 -w capture.pcap tcp"
_TABLE = "put times and RTTs into a table with the columns time_s,path,rtt_ms"
_PING = "ping each path while all are loaded"
_RECORD = "record with sbd record, or capture packets at the sender: tcpdump -w"
_SAMPLE = "sample the sender's sockets, with times: sh docs/sample-ss.sh"
_UNPACK = "unpack it, and give the files"
_NO_RTTS = "it holds no RTTs: "

# Of a text, what is looked at: lines, and bytes of each.
_MOST_LINES = 400
_MOST_LINE_BYTES = 400
_MOST_COLUMNS = 12
_MOST_NAME_LETTERS = 24
_USTAR = slice(257, 262)
_JSON_BYTES = 1 << 14
_FEWEST_TABLE_LINES = 2


@dataclass(frozen=True)
class Appearance:
    """What content looks like.

    Attributes
    ----------
    what : str
    instead : str
        What to give in its place, or to do with it.
    """

    what: str
    instead: str

    def in_words(self) -> str:
        """Return both, as the end of a sentence."""
        return f"it looks like {self.what}; {self.instead} ({PAGE})"


def _compiled(kinds: tuple[tuple[bytes, str, str], ...]) -> tuple[tuple[re.Pattern[bytes], Appearance], ...]:
    return tuple((re.compile(pattern, re.DOTALL), Appearance(what, instead)) for pattern, what, instead in kinds)


#: How files begin that are no text, or are known by their beginning.
_BEGINNINGS = _compiled(
    (
        (
            rb"\x1f\x8b|\xfd7zXZ\x00|BZh[1-9]1AY&SY|\x28\xb5\x2f\xfd|PK\x03\x04",
            "a packed file in a packed file",
            "unpack it once, and give what comes out",
        ),
        (
            rb"7z\xbc\xaf\x27\x1c",
            "a 7z archive",
            _UNPACK,
        ),
        (
            rb"Rar!\x1a\x07",
            "a rar archive",
            _UNPACK,
        ),
        (
            rb"\x04\x22\x4d\x18|\x02\x21\x4c\x18",
            "a file packed by lz4",
            "unpack it: lz4 -d",
        ),
        (
            rb"LZIP[\x00\x01]",
            "a file packed by lzip",
            "unpack it: lzip -d",
        ),
        (
            rb"\x5d\x00\x00.{2}",
            "a file packed by lzma",
            "unpack it: xz -d --format=lzma",
        ),
        (
            rb"\x1f[\x9d\xa0]",
            "a file packed by compress",
            "unpack it: gzip -d",
        ),
        (
            rb"\x89LZO\x00",
            "a file packed by lzop",
            "unpack it: lzop -d",
        ),
        (
            rb"\xff\x06\x00\x00sNaPpY",
            "a file packed by snappy",
            "unpack it",
        ),
        (
            rb"!<arch>\n|07070[127]|\xed\xab\xee\xdb",
            "an archive",
            _UNPACK,
        ),
        (
            rb"snoop\x00\x00\x00",
            "a capture of snoop",
            "convert it: editcap -F pcap IN OUT",
        ),
        (
            rb"GMBU|RTSS",
            "a capture of Microsoft's Network Monitor",
            "convert it: editcap -F pcap IN OUT",
        ),
        (
            rb"XCP\x00|TRSNIFF data|iptrace [12]\.0|\x7fver|btsnoop\x00",
            "a capture of another program",
            "convert it: editcap -F pcap IN OUT",
        ),
        (
            rb"\x17\x08\x44tracing",
            "trace.dat of trace-cmd",
            "give its text: trace-cmd report",
        ),
        (
            rb"PERFILE2|2ELIFREP",
            "perf.data",
            "give its text, of tcp:tcp_probe: perf script",
        ),
        (
            rb"LPKSHHRH",
            "a journal of systemd",
            "give its text: journalctl -k -o short-monotonic --file FILE",
        ),
        (
            rb"\x12\x05|\xa5\x0c|\x0c\xa5",
            "measurements of another program (warts, nfcapd)",
            _TABLE,
        ),
        (
            rb"FEA1",
            "a table in Feather of version 1",
            "write it as Parquet or CSV, with the columns time_s,path,rtt_ms",
        ),
        (
            rb"SQLite format 3\x00",
            "a database of SQLite",
            _TABLE,
        ),
        (
            rb"\x89HDF\r\n|MATLAB 5\.0|\x93NUMPY|\x80[\x02-\x05]|CDF[\x01\x02\x05]",
            "arrays of another program",
            _TABLE,
        ),
        (
            rb"\xd0\xcf\x11\xe0\xa1\xb1",
            "an Office document",
            "save its sheet as CSV, and give that",
        ),
        (
            rb"\x89PNG|\xff\xd8\xff|GIF8|BM.{4}\x00\x00\x00\x00|RIFF.{4}WEBP",
            "an image",
            "give the text or the capture itself, not its picture",
        ),
        (
            rb"%PDF-",
            "a PDF",
            "give the text or the capture itself",
        ),
        (
            rb"\x7fELF|MZ.{1,100}PE\x00\x00",
            "a program",
            "give what it records",
        ),
        (
            rb"\xff\xfe|\xfe\xff|(?:[\x09\x0a\x0d\x20-\x7e]\x00){8}|(?:\x00[\x09\x0a\x0d\x20-\x7e]){8}",
            "text in UTF-16, as PowerShell's > writes it",
            "save it as UTF-8: Get-Content IN | Set-Content -Encoding utf8 OUT",
        ),
        (
            rb"\s{0,64}(?i:<!doctype html|<html)",
            "a page of the web",
            "download the file itself",
        ),
        (
            rb"(?:\xef\xbb\xbf)?\s{0,64}(?:<\?xml[^<]{0,200})?<(?:\?xml-stylesheet[^<]{0,200}<)?(?:!--.{0,2"
            rb"00}<)?[pP][ds][mM][lL]",
            "tshark's XML",
            _CAPTURE,
        ),
        (
            rb"\s{0,64}<\?xml",
            "XML",
            _TABLE,
        ),
        (
            rb"version https://git-lfs\.github\.com/spec/",
            "a pointer of Git LFS",
            "fetch the file itself: git lfs pull",
        ),
        (
            rb"#!",
            "a script",
            "give what it prints or records",
        ),
    )
)

#: What stands in JSON of other programs; the first of which all are there.
_JSON: tuple[tuple[tuple[bytes, ...], str, str], ...] = (
    ((b'"layers"',), "tshark's JSON", _CAPTURE),
    (
        (b'"intervals"', b'"start"'),
        "iperf3's JSON without an RTT of each interval",
        "run it where data is sent from, on Linux: iperf3 -J -i 0.1",
    ),
    ((b'"msm_id"', b'"prb_id"'), "results of RIPE Atlas", "a few echoes every few minutes tell nothing: " + _PING),
    ((b'"round_trips"',), "irtt's JSON without a round trip with its times", "run irtt client -o FILE.json"),
    ((b'"x_values"', b'"results"'), "data of Flent", "of its raw values, " + _TABLE),
    ((b'"mtr"', b'"hubs"'), "mtr's JSON", "it holds means: " + _PING),
    ((b'"logEventTypes"',), "a net log of Chrome", "it holds no RTTs: give the server's qlog"),
    ((b'"log"', b'"entries"', b'"request"'), "an HTTP archive of a browser", "give the server's qlog, or a capture"),
    ((b'"event_type"', b'"flow_id"'), "Suricata's log", _CAPTURE),
    ((b'"subflow_a"', b'"verdict"'), "what sbd itself says", "give the input that it judged"),
    ((b'"connection_id"', b'"subflow_a"'), "what sbd itself says", "give the input that it judged"),
    ((b'"records_in"', b'"records_out"'), "what sbd itself says", "give the input that it read"),
    ((b'"MESSAGE"',), "a journal without event lines", _RECORD),
    ((b'"cells"', b'"nbformat"'), "a notebook", "give the data that it reads"),
    ((b'"qlog_version"',), "a qlog without events", "log the events of recovery at the end that sends"),
)

_ADDRESS = rb"[0-9a-fA-F.:%\w-]{2,64}"
_TIME = rb"(?:\d{4}-\d\d-\d\d[ T])?\d[\d:.]{0,30}"
#: Lines of text: the kind of most lines is named, the first of those with as many.
_LINES = _compiled(
    (
        (
            rb".{0,300}Flags \[[A-Z.a-z]{1,10}\]|\s{0,8}(?:"
            + _TIME
            + rb"\s{1,4})?(?:\S{1,20}\s{1,3}(?:In|Out|B|M|P)\s{1,3})?(?:IP6? (?:\(|"
            + _ADDRESS
            + rb" > )|ARP, )|.{0,200}ethertype IPv[46]|\s{0,8}(?:"
            + _TIME
            + rb" )?(?:IP )?"
            + _ADDRESS
            + rb" > "
            + _ADDRESS
            + rb": (?:[SFPRWE.]{1,5} |UDP|ICMP|udp|icmp|Flags)",
            "the text of tcpdump",
            _CAPTURE,
        ),
        (
            rb"(?:reading from file|tcpdump: (?:listening on|verbose output|data link|\S{1,64}: )"
            rb"|listening on \S{1,64}, link-type|\d{1,12} packets? (?:captured|received by filter"
            rb"|dropped by kernel))",
            "what tcpdump prints beside its packets",
            _CAPTURE,
        ),
        (
            rb"\s{0,12}\d{1,9}\s{1,12}"
            + _TIME
            + rb"\s{1,12}"
            + _ADDRESS
            + rb"\s{1,40}(?:(?:\xe2\x86\x92|->|=>)\s{1,4})?"
            + _ADDRESS
            + rb"\s{1,40}[A-Z][\w./-]{1,20}\s{1,12}\d{1,6}\s"
            rb"|\s{0,12}\d{1,9}\s{1,12}\S.{0,200} \[(?:SYN|ACK|PSH|FIN|RST|TCP)[^\]]{0,60}\] ?Seq=\d"
            rb"|No\.\s{1,12}Time\s{1,30}Source|Frame \d{1,9}: \d{1,7} bytes on wire"
            rb"|(?:Internet Protocol Version|Transmission Control Protocol|Ethernet II),",
            "the text of tshark or Wireshark",
            _CAPTURE,
        ),
        (
            rb'"?No\."?[,;\t]"?[Tt]ime"?[,;\t]'
            rb'|"\d{1,9}","[^"]{1,40}","[0-9a-fA-F.:]{3,45}","[0-9a-fA-F.:]{3,45}","[^"]{1,24}","\d',
            "Wireshark's CSV export",
            "give the capture itself, or tshark's fields with tcp.analysis.ack_rtt",
        ),
        (
            rb"\[\s{0,3}(?:ID|SUM|\d{1,3})\](?:\[[A-Z-]{2,6}\])?\s{1,4}(?:Interval"
            rb"|(?:local )?\d{1,9}\.\d{1,4}\s{0,2}-\s{0,2}\d|local )"
            rb"|Connecting to host |Server listening on |Client connecting to |iperf Done",
            "the text of iperf",
            _NO_RTTS + "run iperf3 -J -i 0.1 where data is sent from, or ping each path meanwhile",
        ),
        (
            rb"\[[ \t]{0,24}(?:SF_|LISTENER_)?(?:CREATED|ESTABLISHED|CLOSED|REMOVED|ANNOUNCED"
            rb"|PRIO)\]\s{1,4}token="
            rb"|\[LISTENER_\w{1,20}\s{0,4}\]",
            "the text of ip mptcp monitor",
            _NO_RTTS + _SAMPLE,
        ),
        (
            _ADDRESS + rb" id \d{1,3} (?:subflow|signal|backup|fullmesh|implicit|dev)|add_addr_accepted \d",
            "the text of ip mptcp",
            _NO_RTTS + _SAMPLE,
        ),
        (
            rb"\s{0,4}sl\s{1,4}(?:loc_tok|local_address)"
            rb"|\s{0,6}\d{1,6}: (?:[0-9A-F]{6,8} [0-9A-F]{6,8} \d\s|[0-9A-F]{8,32}:[0-9A-F]{4} )",
            "a table of sockets in /proc/net",
            _NO_RTTS + _SAMPLE,
        ),
        (
            rb"#kernel\s*$"
            rb"|(?:Tcp|TcpExt|MPTcp|MPTcpExt|Ip|Ip6|IpExt|Icmp|Icmp6|Udp|Udp6"
            rb"|UdpLite)[A-Z]\w{2,48}\s{1,60}\d{1,20}(?:\s|$)"
            rb"|(?:TcpExt|MPTcpExt|IpExt|Tcp|Ip|Icmp|IcmpMsg|Udp|UdpLite):(?: |\s*$)",
            "counters of the kernel (nstat, netstat -s)",
            _NO_RTTS + _SAMPLE,
        ),
        (
            rb"\S{2,80}\s{1,40}: \[\d{1,9}\], (?:\d{1,6} bytes|timed out)|\S{2,80}\s{1,40}: xmt/rcv/%loss",
            "the text of fping without times",
            "run fping -D -l",
        ),
        (
            rb"(?:Netid\s{1,8})?State\s{1,12}Recv-Q|Active Internet connections"
            rb"|(?:tcp|udp|mptcp)[46]?\s{1,8}\d{1,9}\s{1,8}\d{1,9}\s{1,8}\S{3,64}\s{1,40}\S{3,64}\s{1,40}[A"
            rb"-Z]"
            rb"|Total: \d|TCP:\s{1,4}\d{1,9} \(estab",
            "a list of sockets without RTTs",
            _SAMPLE,
        ),
        (
            rb".{0,200}(?:\bmptcp_\w{2,48}: |\bMPTCP: )",
            "the kernel's debug text of Multipath TCP",
            _NO_RTTS + _RECORD,
        ),
        (
            rb"(?:<\d{1,3}>)?\[\s{0,7}\d{1,9}\.\d{6}\] "
            rb"|[A-Za-z]{3}\s{1,2}\d{1,2} \d\d:\d\d:\d\d \S{1,64} \S{1,64}: "
            rb"|\[?[A-Z][a-z]{2} [A-Z][a-z]{2}\s{1,2}\d{1,2} \d\d:\d\d:\d\d \d{4}\]? "
            rb"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S{0,20} \S{1,64} [^\s:]{1,64}: |<\d{1,3}>(?:1 |[A-Z])"
            rb"|\d{1,3},\d{1,12},\d{1,18},\S{1,20};",
            "a log of a kernel or system without event lines",
            _RECORD,
        ),
        (
            rb"Tracing .{0,80}Hit Ctrl|\s{0,12}(?:[mu]secs?|nsecs?)\s{1,20}: count\s"
            rb"|\s{0,12}\d{1,12} -> \d{1,12}\s{1,12}: \d"
            rb"|[\[(][\dKMGT]{1,12}, [\dKMGT]{1,12}[)\]]\s{1,20}\d{1,12} \|",
            "a histogram of BPF tools (tcprtt)",
            "it does not say when: " + _SAMPLE,
        ),
        (
            rb"(?:TIME\S{0,4}\s{1,12})?PID\s{1,8}COMM\s|TIME\s{1,12}PID\s{1,8}IP\s",
            "the text of BPF tools",
            _NO_RTTS + _RECORD,
        ),
        (
            rb"(?:Start|HOST): .{0,100}(?:Loss%|[+-]\d{4}$)|\s{0,4}\d{1,2}\.\s{0,2}\|-- |Mtr_Version,"
            rb"|MTR\.\d",
            "the text of mtr",
            "it holds means: " + _PING,
        ),
        (
            rb"traceroute6? to |tracepath|Tracing route to "
            rb"|\s{0,4}\d{1,2}:?\s{1,4}\S{1,80}\s{1,4}(?:\([0-9a-f.:]{3,45}\)\s{1,4})?\d{1,6}\.\d{1,3} ?ms"
            rb"|\s{0,4}\d{1,2}\s{1,4}\* \* \*",
            "the text of traceroute",
            "it has an echo or two of each hop: " + _PING,
        ),
        (
            rb"\d{1,9} packets transmitted, |(?:rtt|round-trip) min/avg/max"
            rb"|\s{0,8}(?:Minimum|Packets: Sent) = \d",
            "the summary of ping",
            "give the line of each echo, with its time",
        ),
        (
            rb"\[Connect(?:ing|ed)\]|seq=\d{1,9} (?:rtt=|sent)",
            "the text of irtt",
            "run irtt client -o FILE.json, and give that file",
        ),
        (
            rb".{0,120}\bspeedtest"
            rb"|\s{0,8}(?:Download|Upload|Ping|Latency|Idle Latency)\s{0,3}: {0,8}[\d.]{1,12} ?(?:M|G|k|ms)",
            "the text of a speed test",
            _NO_RTTS + "ping each path meanwhile",
        ),
        (
            rb"\s{0,4}% Total\s{1,4}% Received",
            "the progress of curl",
            _NO_RTTS + "ping each path meanwhile",
        ),
        (
            rb"qdisc \w{1,24} [0-9a-f]{1,8}: |class \w{1,12} [0-9a-f]{1,8}:",
            "the text of tc",
            _NO_RTTS + _RECORD,
        ),
        (
            rb"\d{1,6}: \S{1,40}: <[A-Z0-9_,-]{1,200}>|default (?:via|dev) "
            rb"|\S{1,64} dev \S{1,20} (?:proto|scope|src|metric|lladdr)|\S{1,20}: flags=\d"
            rb"|\S{1,20}\s{1,8}Link encap:|\s{1,8}inet6? (?:addr:)?[0-9a-f.:]{3,45}",
            "a list of links, addresses or routes",
            _NO_RTTS + _PING,
        ),
        (
            rb"TCP connection info:|\d{1,4} args? remaining, starting with|\d{1,12} packets seen, \d",
            "the text of tcptrace",
            _CAPTURE,
        ),
        (
            rb"timeval (?:un)?signed|(?:plot|set (?:term|output|title|xlabel|ylabel|key|style)) ",
            "a plot of xplot or gnuplot",
            _TABLE,
        ),
        (
            rb"[+\-dr] \d{1,9}(?:\.\d{1,12})? /NodeList/",
            "a trace of ns-3",
            "write its pcap, or " + _TABLE,
        ),
        (
            rb"(?:CLIENT|SERVER)_(?:RANDOM|HANDSHAKE_TRAFFIC_SECRET|TRAFFIC_SECRET_0) [0-9a-f]{16}"
            rb"|QUIC_\w{1,40} [0-9a-f]{16}",
            "keys of TLS",
            "keep them secret, and give a qlog or a capture",
        ),
        (
            rb"#(?:separator|set_separator|fields|types)[ \t]",
            "a log of Zeek",
            _CAPTURE,
        ),
        (
            rb"MIGRATED TCP |(?:Recv|Socket)\s{1,8}(?:Send|Recv|Size)\s",
            "the text of netperf",
            _NO_RTTS + "ping each path meanwhile",
        ),
        (
            rb".{0,80}(?:command not found|[Pp]ermission denied|Operation not permitted"
            rb"|No such file or directory|not recognized as|: not found\s*$|invalid option"
            rb"|unrecognized option|[Uu]sage: \S)",
            "the error of a command",
            "run it again, with the rights that it needs, and give what it then prints or writes",
        ),
        (
            rb".{1,200}, by (?:common-lag|lag-excess|rfc8382|mptcp-sbd|correlation|\w{1,20}/\w{1,40})\s*$"
            rb"|  no verdict: |  subflows \d{1,3}"
            rb"|.{1,200}: \w{2,20}, \d{1,9} connections, \d{1,12} records, ",
            "what sbd itself says",
            "give the input that it judged",
        ),
        (
            rb"(?:0x)?[0-9a-f]{4,8}:?\s{1,4}(?:[0-9a-f]{2,4} {1,3}){4}",
            "a dump of bytes",
            "give the capture itself, or make one of it: text2pcap",
        ),
        (
            rb"(?:diff --git |index [0-9a-f]{7,40}\.\.|@@ -\d)",
            "a patch",
            "give what is recorded",
        ),
        (
            rb"\d{1,12}(?:\.\d{1,9})?(?:[eE][+-]?\d{1,3})?\s{1,12}-?\d{1,12}(?:\.\d{1,9})?(?:[eE][+-]?\d{1,"
            rb"3})?\s*$",
            "numbers without the names of their columns",
            _TABLE,
        ),
    )
)


def _lines(head: bytes) -> list[bytes]:
    whole = head.removeprefix(b"\xef\xbb\xbf").replace(b"\r", b"\n").split(b"\n", 4 * _MOST_LINES)
    return [line[:_MOST_LINE_BYTES] for line in whole[: 4 * _MOST_LINES] if line.strip()][:_MOST_LINES]


def _of_json(head: bytes) -> Appearance | None:
    if head.lstrip(b"\xef\xbb\xbf\x1e \t\r\n")[:1] not in {b"{", b"["}:
        return None
    begin = head[:_JSON_BYTES]
    for words, what, instead in _JSON:
        if all(word in begin for word in words):
            return Appearance(what, instead)
    return None


def _of_lines(lines: list[bytes]) -> Appearance | None:
    counts = [0] * len(_LINES)
    for line in lines:
        for number, (pattern, _) in enumerate(_LINES):
            if pattern.match(line):
                counts[number] += 1
                break
    most = max(counts)
    return _LINES[counts.index(most)][1] if most else None


def _of_table(lines: list[bytes]) -> Appearance | None:
    """Recognise a table by its separator, of which each of its first lines has as many."""
    if len(lines) < _FEWEST_TABLE_LINES or lines[0][:1] in {b"{", b"["}:
        return None
    lines = [line for line in lines if not line.startswith(b"#")] or lines
    for separator in (b",", b";", b"\t", b"|"):
        cells = lines[0].split(separator)
        if 1 < len(cells) == len(lines[-1 if len(lines) == 1 else 1].split(separator)):
            names = [printable(cell.strip(b'" \r').decode(errors="replace")) for cell in cells[:_MOST_COLUMNS]]
            shown = ", ".join(name[:_MOST_NAME_LETTERS] for name in names)
            return Appearance(
                f"a table with the columns {shown}{', ...' if len(cells) > _MOST_COLUMNS else ''}",
                "a table of RTTs has the columns time_s,path,rtt_ms",
            )
    return None


def appearance(head: bytes) -> Appearance | None:
    r"""Tell by its first bytes what content looks like that no parser reads.

    Parameters
    ----------
    head : bytes
        Of the content, unpacked.

    Returns
    -------
    Appearance or None
        None if it looks like nothing that is known here.

    Examples
    --------
    >>> appearance(b"12:02:25.985960 IP 10.0.1.2.80 > 10.0.1.1.59574: Flags [.], ack 78, win 509\n").what
    'the text of tcpdump'
    >>> appearance(b"Rar!\x1a\x07\x01\x00").in_words()
    'it looks like a rar archive; unpack it, and give the files (docs/questions.md)'
    """
    if head[_USTAR] == b"ustar":
        return Appearance("a tar archive", f"{_UNPACK}: tar xf")
    if not head.strip(b"\x00"):
        return Appearance("zeros alone", "it was not written or copied whole: give it again")
    for pattern, known in _BEGINNINGS:
        if pattern.match(head):
            return known
    if b"\x00" in head:
        return None
    of_json = _of_json(head)
    if of_json is not None:
        return of_json
    lines = _lines(head)
    return _of_lines(lines) or _of_table(lines)


def in_words(head: bytes) -> str:
    """Return what content looks like and what to give in its place, or where it is told what is read.

    Parameters
    ----------
    head : bytes

    Returns
    -------
    str
        What may stand behind the reason why nothing is taken of it.

    Examples
    --------
    >>> in_words(b"Dear all,")
    'docs/questions.md tells what is read, and how to record it'
    """
    known = appearance(head)
    return f"{PAGE} tells what is read, and how to record it" if known is None else known.in_words()
