"""Samples of ss become rows of the time before them; idle sockets and other lines are counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartsbd.traces import assembly, formats
from smartsbd.traces.connection import NOT_OBSERVED
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import socket_stats
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace

ENTRY = b"ESTAB 0      0          10.0.1.1:42225    10.0.2.2:44180"
DETAILS = (
    b" cubic wscale:7,7 rto:201 rtt:%s/0.017 ato:40 mss:1448 cwnd:10 bytes_sent:9 bytes_acked:%d"
    b" bytes_received:1 send 1.4Mbps lastsnd:6 pacing_rate 2.8Mbps delivery_rate 878535044bps busy:2016ms"
)
MPTCP = b" rcv_space:14600 rcv_rtt:3.5 minrtt:0.034 snd_wnd:33280 tcp-ulp-mptcp flags:Mec token:%s seq:c2802f11"
TIME = b"1700000000.25\n"
LATER = b"1700000000.5\n"


def read(tmp_path: Path, content: bytes) -> Trace:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    assert socket_stats.recognises(content[:65536])
    return socket_stats.read(path, Dialect())


def entry(ports: bytes = b"42225", rtt: bytes = b"0.034", acked: int = 100, rest: bytes = b"") -> bytes:
    return ENTRY.replace(b"42225", ports) + DETAILS % (rtt, acked) + rest + b"\n"


def test_rows_of_the_form_of_one_line(tmp_path: Path) -> None:
    trace = read(
        tmp_path,
        b"# 1700000000.25\n"
        b"State Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n"
        + entry(rest=MPTCP % b"0000(id:0)/3a1e0d3c(id:7)")
        + entry(b"42226", b"71.53", 19591, MPTCP % b"1f(id:2)/3a1e0d3c(id:8)")
        + b"1700000000.5\n"
        + entry(rtt=b"1.0349", acked=300, rest=MPTCP % b"0000(id:0)/3a1e0d3c(id:7)"),
    )
    assert (trace.records_in, trace.records_out, trace.refusals, trace.other_lines) == (3, 3, [], 1)
    assert trace.unused == {}
    (connection,) = trace.connections
    assert (connection.token, connection.vantages) == (0x3A1E0D3C, {0: "sender"})
    first, second = connection.ordered()
    assert list(first.acks.time_ns) == [1700000000_250000000, 1700000000_500000000]
    assert list(first.acks.acked_bytes) == [100, 300]
    assert list(first.acks.srtt_us) == [34, 1034]
    assert list(second.acks.time_ns) == [1700000000_250000000]
    assert list(second.acks.acked_bytes) == [19591]
    assert list(second.acks.srtt_us) == [71530]
    assert (first.loc_id, first.rem_id, second.loc_id, second.rem_id) == (7, 0, 8, 2)
    assert (first.family, first.local_address, first.local_port) == (4, "address 0", 42225)
    assert (first.remote_address, first.remote_port) == ("address 1", 44180)
    assert (second.local_address, second.local_port, second.remote_address) == ("address 0", 42226, "address 1")
    for subflow in (first, second):
        assert set(subflow.acks.rtt_us) == {NOT_OBSERVED}
        assert (len(subflow.state_time_ns), len(subflow.loss_time_ns), subflow.min_rtt_us()) == (0, 0, None)


def test_rows_of_the_form_of_two_lines(tmp_path: Path) -> None:
    trace = read(
        tmp_path,
        TIME
        + b"State       Recv-Q Send-Q                Local Address:Port                 Peer Address:Port\n"
        + b"ESTAB       0      36                      172.23.245.7:22                         172.30.16.162:60490\n"
        + b"\t cubic wscale:5,7 rto:272 rtt:71.53/1.068 mss:1248 cwnd:10 bytes_acked:19591 minrtt:69.402\n"
        + b"ESTAB       0      36                      172.23.245.7:22                         172.30.16.163:60491\n"
        + b"    cubic rtt:2/1\n    bytes_acked:5\n",
    )
    assert (trace.records_in, trace.records_out, trace.other_lines) == (2, 2, 1)
    first, second = trace.connections
    assert (first.token, second.token) == (None, None)
    assert list(first.subflows[0].acks.srtt_us) == [71530]
    assert list(first.subflows[0].acks.acked_bytes) == [19591]
    assert list(second.subflows[0].acks.srtt_us) == [2000]
    assert list(second.subflows[0].acks.acked_bytes) == [5]
    assert (first.subflows[0].remote_address, second.subflows[0].remote_address) == ("address 1", "address 2")


@pytest.mark.parametrize(
    ("line", "time_ns"),
    [
        (b"1700000000.123456789", 1700000000_123456789),
        (b"#1700000000.5", 1700000000_500000000),
        (b"# 1700000000.5", 1700000000_500000000),
        (b"1700000000.5\r", 1700000000_500000000),
        (b"2024-04-10T10:15:57.163826-07:00", 1712769357_163826000),
        (b"2024-04-10 17:15:57.163826123+00:00", 1712769357_163826123),
        (b"2024-04-10T17:15:57,163826123+00:00", 1712769357_163826123),
        (b"2024-04-10T17:15:57.1Z", 1712769357_100000000),
        (b"2024-04-10T17:15:57.1", 1712769357_100000000),
        (b"1712769357", 1712769357_000000000),
        (b"1712769357100", 1712769357_100000000),
        (b"[1712769357.1]", 1712769357_100000000),
        (b"Timestamp: 1712769357,1", 1712769357_100000000),
        (b"Wed Apr 10 17:15:57 UTC 2024", 1712769357_000000000),
        (b"# 2024-04-10T19:15:57.1+0200", 1712769357_100000000),
    ],
)
def test_a_line_gives_the_time_of_the_sample_after_it(tmp_path: Path, line: bytes, time_ns: int) -> None:
    trace = read(tmp_path, b"1600000000.0\n" + line + b"\n" + entry())
    assert list(trace.connections[0].subflows[0].acks.time_ns) == [time_ns]
    assert trace.other_lines == 0


@pytest.mark.parametrize("line", [b"17000", b"2024-13-10T17:15:57.1Z", b"1969-04-10T17:15:57.1Z", b"", b"x"])
def test_other_lines_are_no_time(tmp_path: Path, line: bytes) -> None:
    trace = read(tmp_path, line + b"\n" + entry() + TIME + entry())
    assert (trace.records_in, trace.records_out, trace.other_lines) == (2, 1, 1)
    assert [(refusal.offset, refusal.reason) for refusal in trace.refusals] == [(len(line) + 1, socket_stats.NO_TIME)]


def test_an_entry_before_any_time_is_refused(tmp_path: Path) -> None:
    trace = read(tmp_path, entry() + TIME + entry())
    assert (trace.records_in, trace.records_out) == (2, 1)
    (refusal,) = trace.refusals
    assert (refusal.offset, refusal.reason, refusal.raw) == (0, socket_stats.NO_TIME, entry()[:64])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (LATER + entry(rtt=b"999999999"), assembly.OUT_OF_RANGE),
        (entry().replace(b"10.0.2.2:44180", b"10.0.2.2:*"), socket_stats.NO_ENDPOINT),
        (entry().replace(b"10.0.1.1:42225", b"10.0.1.1:99999"), socket_stats.NO_ENDPOINT),
        (entry(rest=b" x" * 4000), socket_stats.TOO_LONG),
        (ENTRY + b"\n" + b"\t x" * 1000 + b"\n\t rtt:1/1" + b" y" * 600 + b"\n", socket_stats.TOO_LONG),
        (b"1600000000.0\n" + entry(), assembly.BACKWARDS),
        (b"9999999999.0\n" + entry(), assembly.OUT_OF_RANGE),
        (b"9999-04-10T17:15:57.1Z\n" + entry(), assembly.OUT_OF_RANGE),
    ],
)
def test_a_bad_entry_is_refused(tmp_path: Path, line: bytes, reason: str) -> None:
    trace = read(tmp_path, TIME + entry() + line + b"1800000000.0\n" + entry())
    assert (trace.records_in, trace.records_out) == (3, 2)
    (refusal,) = trace.refusals
    place = len(TIME + entry()) + line.index(b"ESTAB")
    assert (refusal.offset, refusal.reason) == (place, reason)
    assert line[line.index(b"ESTAB") :].startswith(refusal.raw[:40])


@pytest.mark.parametrize(
    ("tokens", "connections"),
    [
        ([b"0000(id:0)/3a1e0d3c(id:0)", b"1f(id:1)/3a1e0d3c(id:1)"], [(0x3A1E0D3C, [0, 1])]),
        ([b"1f(id:0)/aa(id:0)", b"1f(id:1)/bb(id:1)"], [(0xAA, [0]), (0xBB, [0])]),
        ([b"1f(id:0)/aa(id:0)", b"1f(id:1)/0000(id:1)"], [(0xAA, [0]), (None, [0])]),
        ([b"1f(id:0)/0000(id:0)", b"1f(id:1)/0000(id:1)"], [(None, [0]), (None, [0])]),
        ([b"1f(id:0)/ffffffff(id:255)", b"none"], [(0xFFFFFFFF, [0]), (None, [0])]),
    ],
)
def test_sockets_of_one_local_token_are_one_connection(
    tmp_path: Path, tokens: list[bytes], connections: list[tuple[int | None, list[int]]]
) -> None:
    sample = b"".join(entry(b"%d" % (1 + place), rest=MPTCP % token) for place, token in enumerate(tokens))
    trace = read(tmp_path, TIME + sample + b"1700000001.0\n" + sample)
    assert trace.records_out == 4
    assert [(one.token, sorted(one.subflows)) for one in trace.connections] == connections
    assert all(len(subflow.acks.time_ns) == 2 for one in trace.connections for subflow in one.ordered())


@pytest.mark.parametrize(
    ("fields", "total"),
    [
        ([b"", b""], 0),
        ([b"", b" retrans:0/3", b" retrans:1/7 lost:1"], 7),
        ([b" retrans:0/3", b""], 3),
        ([b" bytes_retrans:999 retrans:0/2"], 2),
        ([b" dsack_dups:4"], 0),
    ],
)
def test_segments_sent_again_are_the_last_total(tmp_path: Path, fields: list[bytes], total: int) -> None:
    content = b"".join(b"170000000%d.0\n" % place + entry(rest=field) for place, field in enumerate(fields))
    assert read(tmp_path, content).connections[0].subflows[0].retransmissions == total


def test_a_socket_may_lack_one_of_rtt_and_bytes_acked(tmp_path: Path) -> None:
    content = (
        TIME
        + ENTRY
        + b" cubic rtt:2.5/1 minrtt:2\n1700000001.0\n"
        + ENTRY
        + b" cubic bytes_acked:70 minrtt:2\n1700000002.0\n"
        + ENTRY
        + b" cubic rtt:0/0 bytes_acked:90\n"
    )
    trace = read(tmp_path, content)
    subflow = trace.connections[0].subflows[0]
    assert list(subflow.acks.acked_bytes) == [0, 70, 90]
    assert list(subflow.acks.srtt_us) == [2500, NOT_OBSERVED, NOT_OBSERVED]


def test_sockets_that_sent_nothing_are_unused(tmp_path: Path) -> None:
    content = (
        TIME
        + ENTRY
        + b"\n"
        + ENTRY
        + b" cubic rto:1000 mss:524 cwnd:10 minrtt:5 rcv_rtt:3\n"
        + b"LISTEN 0 128 0.0.0.0:22 0.0.0.0:* cubic cwnd:10\n"
        + b"LISTEN 0 128 *:80 *:* cubic cwnd:10\n"
        + entry()
    )
    trace = read(tmp_path, content)
    assert (trace.records_in, trace.records_out, trace.refusals) == (5, 1, [])
    assert trace.unused == {socket_stats.IDLE: 4}


@pytest.mark.parametrize(
    ("local", "family"),
    [
        (b"[2001:db8::1]:1", 6),
        (b"[::ffff:10.0.1.1]:1", 4),
        (b"[fe80::1]%wlan0:1", 6),
        (b"10.0.1.1%lo:1", 4),
        (b"*:1", None),
    ],
)
def test_the_family_is_the_address_s(tmp_path: Path, local: bytes, family: int | None) -> None:
    trace = read(tmp_path, TIME + entry().replace(b"10.0.1.1:42225", local))
    assert trace.connections[0].subflows[0].family == family


def test_sockets_of_mptcp_itself_are_no_subflows(tmp_path: Path) -> None:
    msk = b"mptcp ESTAB 0 0 10.0.1.1:42225 10.0.2.2:44180\n\t subflows:1 remote_key token:3a1e0d3c rtt:1/1\n"
    trace = read(tmp_path, TIME + b"tcp   " + entry() + msk + entry(b"7"))
    assert (trace.records_in, trace.records_out, trace.other_lines) == (2, 2, 2)
    assert list(trace.connections[0].subflows[0].acks.srtt_us) == [34]


#: One socket, as ways of calling ss print it.
ONE_LINE = (ENTRY + DETAILS % (b"0.034", 100)).decode()
BARE = ONE_LINE.removeprefix("ESTAB ").lstrip()
HEADER = "State Recv-Q Send-Q Local Address:Port Peer Address:Port Process"
TWO_LINES = ONE_LINE.replace(" cubic", "\n\t cubic")
AT = "1700000000.25"


def rows(trace: Trace) -> list[tuple[int, int, int]]:
    """Every row of every socket, without where bytes are counted from."""
    return [
        (time_ns, srtt_us, acked)
        for connection in trace.connections
        for subflow in connection.ordered()
        for time_ns, srtt_us, acked in zip(
            subflow.acks.time_ns, subflow.acks.srtt_us, subflow.acks.acked_bytes, strict=True
        )
    ]


@pytest.mark.parametrize(
    "text",
    [
        f"{AT}\n{BARE}\n",
        f"{AT}\n{HEADER.removeprefix('State ')}\n{BARE}\n",
        f"{AT}\n{HEADER.removeprefix('State ')}\n" + BARE.replace(" cubic", "\n\t cubic") + "\n",
        f"{AT}\ntcp   {BARE}\n",
        f"{AT}\n{BARE}\n".replace("0      0 ", "12345  3000 "),
        f"{AT}\n{ONE_LINE}\n".replace("0      0 ", "0      1234567890 "),
        f"{AT}\n{TWO_LINES}\n",
        f"{AT}\n{TWO_LINES}\n".replace("\n", "\r\n"),
        # Through `ts`: white space behind the date is kept.
        "".join(f"{AT} {line}\n" for line in (HEADER, *TWO_LINES.split("\n"))),
        "".join(f"[{AT}]: {line}\n" for line in TWO_LINES.split("\n")),
        "".join(f"2023-11-14T22:13:20.250000 {line}\n" for line in TWO_LINES.split("\n")),
        # Through `while read line`, which drops it.
        "".join(f"{AT} {line.strip()}\n" for line in TWO_LINES.split("\n")),
        f"{AT}\n{TWO_LINES}\n".replace("\t ", ""),
        # A date in front of the first line, and a sample joined to one line.
        f"{AT} {HEADER}\n{TWO_LINES}\n",
        f"{AT} {' '.join(f'{HEADER} {TWO_LINES}'.split())}\n",
        f"{AT} {' '.join(BARE.split())}\n",
        f"{AT}\n{ONE_LINE}".replace(" cubic", ' users:(("a) b",pid=1,fd=3),("c",pid=2,fd=4)) timer:(on,20ms,0) cubic')
        + "\n",
        f"{AT}\n{ONE_LINE}".replace(" cubic", ' users:(("x rtt:9/9",pid=1,fd=3)) cubic') + "\n",
        f"{AT}\n{ONE_LINE}".replace(" cubic", ' users:(("0 0 a:1 b:2 ",pid=1,fd=3)) cubic') + "\n",
    ],
)
def test_each_way_of_calling_ss_gives_the_same_row(tmp_path: Path, text: str) -> None:
    trace = read(tmp_path, text.encode())
    assert (trace.records_in, trace.records_out, trace.refusals) == (1, 1, [])
    (subflow,) = trace.connections[0].ordered()
    assert (list(subflow.acks.time_ns), list(subflow.acks.srtt_us)) == ([1700000000_250000000], [34])
    assert (subflow.local_port, subflow.remote_port, subflow.family) == (42225, 44180, 4)


@pytest.mark.parametrize(
    "start", [ONE_LINE, BARE, f"{HEADER} {ONE_LINE}"], ids=["states", "no states", "a header each"]
)
def test_a_sample_that_was_joined_to_one_line_has_all_of_its_sockets(tmp_path: Path, start: str) -> None:
    line = " ".join(f"{start} {start.replace('42225', '7')} {start.replace('42225', '8')}".split())
    trace = read(tmp_path, f"{AT} {line}\n1700000000.5 {line}\n".encode())
    assert (trace.records_in, trace.records_out) == (6, 6)
    assert [one.ordered()[0].local_port for one in trace.connections] == [42225, 7, 8]
    assert {tuple(one.ordered()[0].acks.time_ns) for one in trace.connections} == {
        (1700000000_250000000, 1700000000_500000000)
    }


def test_each_socket_of_a_line_is_refused_with_its_place(tmp_path: Path) -> None:
    bad = " ".join(f'{ONE_LINE} users:(("a",pid=1,fd=3)) {ONE_LINE}'.replace(":44180", ":99999").split())
    content = f"{AT} {HEADER} {bad}\n{AT}\n{ONE_LINE}\n".encode()
    trace = read(tmp_path, content)
    first = content.index(b"ESTAB")
    assert [refusal.offset for refusal in trace.refusals] == [first, content.index(b"ESTAB", first + 1)]


@pytest.mark.parametrize(
    ("local", "peer", "ports", "family"),
    [
        ("10.0.1.1:ssh", "10.0.2.2:https", (None, None), 4),
        ("10.0.1.1:42225", "server.example:http-alt", (42225, None), 4),
        ("laptop.example:42225", "[2001:db8::1]:9pfs", (42225, None), None),
    ],
)
def test_names_tell_sockets_apart(
    tmp_path: Path, local: str, peer: str, ports: tuple[int | None, int | None], family: int | None
) -> None:
    text = ONE_LINE.replace("10.0.1.1:42225", local).replace("10.0.2.2:44180", peer)
    other = ONE_LINE.replace("10.0.1.1:42225", local).replace("10.0.2.2:44180", "10.0.2.2:imaps")
    trace = read(tmp_path, f"{AT}\n{text}\n{other}\n1700000000.5\n{text}\n{other}\n".encode())
    assert (trace.records_in, trace.records_out, len(trace.connections)) == (4, 4, 2)
    (subflow,) = trace.connections[0].ordered()
    assert (subflow.local_port, subflow.remote_port, subflow.family) == (*ports, family)
    assert subflow.local_address == "address 0"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (f"{ONE_LINE}\n{ONE_LINE}\n", socket_stats.UNDATED),
        (f"{AT}\nESTAB 0 0 10.0.0.1:1 10.0.0.2:2\n", socket_stats.WITHOUT_INFO),
        (f'{AT}\n{HEADER}\nESTAB 0 0 10.0.0.1:1 10.0.0.2:2 users:(("a",pid=1,fd=2))\n', socket_stats.WITHOUT_INFO),
        (f"{HEADER}\nESTAB 0 0 10.0.0.1:1 10.0.0.2:2\n", socket_stats.WITHOUT_INFO),
        (f"{AT}\n{HEADER}\n{AT}\n{HEADER}\n", socket_stats.NO_TCP),
        (f"{AT}\nmptcp ESTAB 0 0 10.0.0.1:1 10.0.0.2:2\n\t subflows:1 token:1f\n", socket_stats.NO_TCP),
        (f"{AT}\n\t cubic rto:201 rtt:1.5/0.2 ato:40 mss:1448 cwnd:10\n", socket_stats.WITHOUT_SOCKETS),
        (f"{AT} rtt:1.5/0.2\n{AT} rtt:1.5/0.2\n", socket_stats.WITHOUT_SOCKETS),
        ("rtt:1.5/0.2\nrtt:1.5/0.2\n", socket_stats.WITHOUT_SOCKETS),
        (f"{AT}\nLISTEN 0 128 0.0.0.0:22 0.0.0.0:* cubic cwnd:10\n", "sockets that sent nothing"),
        (f"{AT} host7 {ONE_LINE}\n{AT} host7 {ONE_LINE}\n", socket_stats.BEHIND_TEXT),
        (f"{AT}\nESTAB 0 0 10.0.0.1:x 10.0.0.2:99999 cubic rtt:1/1\n", socket_stats.NO_ENDPOINT),
    ],
)
def test_an_input_of_which_nothing_can_be_used_says_why(tmp_path: Path, content: str, why: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(content)
    assert socket_stats.recognises(content.encode())
    with pytest.raises(UnreadableInputError) as error:
        socket_stats.read(path, Dialect())
    assert why in error.value.why
    assert "\n" not in error.value.why


def downloading(samples: int, *, sends: bool) -> bytes:
    """A socket to which data comes, beside one that sends or not."""
    text = ""
    for place in range(samples):
        text += f"{1700000000 + place}.25\n"
        for port, acked in ((1, 1), (2, 1 + 9000 * place * sends)):
            text += (
                f"ESTAB 0 0 10.0.0.1:{port} 10.0.0.2:2 cubic rtt:{5 + port + place % 3 * sends * (port - 1)}/1"
                f" bytes_acked:{acked} bytes_received:{1000 * place} rcv_rtt:5\n"
            )
    return text.encode()


def test_an_end_that_only_receives_is_to_be_left_for_the_server(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match=r"this end only receives \(bytes_acked 1\): sample at the server"):
        read(tmp_path, downloading(30, sends=False))


def test_a_socket_that_only_receives_is_said_where_others_send(tmp_path: Path) -> None:
    trace = read(tmp_path, downloading(30, sends=True))
    first, second = (connection.ordered()[0].few_rtts for connection in trace.connections)
    assert first is not None and "this end only receives" in first
    assert second is None


def test_an_idle_socket_does_not_only_receive(tmp_path: Path) -> None:
    assert read(tmp_path, TIME + entry() + LATER + entry()).connections[0].ordered()[0].few_rtts is None


@pytest.mark.parametrize(
    ("dates", "resolution_ns", "coarse"),
    [
        (["1700000000", "1700000000", "1700000001"], 1_000_000_000, 3),
        (["1700000000.0", "1700000000.123456", "1700000001"], 1_000, 0),
        (["Tue Nov 14 22:13:20 UTC 2023", "Tue Nov 14 22:13:20 UTC 2023"], 1_000_000_000, 2),
        (["1700000000123", "1700000000144"], 1_000_000, 0),
    ],
)
def test_how_fine_dates_are_is_kept(tmp_path: Path, dates: list[str], resolution_ns: int, coarse: int) -> None:
    trace = read(tmp_path, b"".join(date.encode() + b"\n" + entry() for date in dates))
    assert trace.records_out == len(dates)
    assert trace.signals[socket_stats.COARSE] == coarse
    assert trace.connections[0].ordered()[0].resolution_ns == resolution_ns


def test_samples_without_dates_of_their_own_are_coarse(tmp_path: Path) -> None:
    trace = read(tmp_path, TIME + 9 * entry())
    assert (trace.records_out, trace.signals) == (9, {socket_stats.REPEATED: 8})
    assert trace.connections[0].ordered()[0].resolution_ns == 1_000_000_000
    trace = read(tmp_path, TIME + 2 * entry() + LATER + 2 * entry())
    assert trace.connections[0].ordered()[0].resolution_ns == 10_000_000


PUBLIC = Path(__file__).parents[1] / "samples/public"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("no-state", (10, 10)),
        ("oneline-no-state", (13, 13)),
        ("with-state", (10, 10)),
        *((f"time-{form}", (3, 3)) for form in ("bracket", "date", "iso-nofraction", "label", "ns", "s")),
        ("time-prefix", (4, 4)),
        ("time-none", socket_stats.UNDATED),
        ("no-info", socket_stats.WITHOUT_INFO),
        ("receiver", "this end only receives (bytes_acked 1): sample at the server"),
    ],
)
def test_what_people_have(name: str, expected: tuple[int, int] | str) -> None:
    path = PUBLIC / f"ss-{name}.log"
    assert formats.format_of(path).source == socket_stats.SOURCE
    if isinstance(expected, str):
        with pytest.raises(UnreadableInputError) as error:
            socket_stats.read(path, Dialect())
        assert expected in error.value.why
        return
    trace = socket_stats.read(path, Dialect())
    assert (trace.records_in, trace.records_out) == expected
    (connection,) = trace.connections
    assert connection.token == 0x2C72E3D
    rtts = rows(trace)
    assert rtts[0] == (rtts[0][0], 154_773, 0)
    assert rtts[0][0] // 1_000_000_000 == 1795231448


def test_a_filter_by_state_leaves_out_nothing_but_the_state() -> None:
    with_state, without = (
        socket_stats.read(PUBLIC / f"ss-{name}.log", Dialect()) for name in ("with-state", "no-state")
    )
    assert rows(without) == rows(with_state)
