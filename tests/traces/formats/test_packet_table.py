"""A table of packets: RTTs are of what the far end answers, and which end is far is told by how soon each answers."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from smartsbd.traces import bounds, stored
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import packet_table
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace
from smartsbd.traces.vantage import RECEIVER, SENDER, UNKNOWN

PUBLIC = Path(__file__).parents[1] / "samples/public"
HEADER = (
    b"frame.time_epoch,ip.src,ip.dst,tcp.srcport,tcp.dstport,tcp.seq,tcp.ack,tcp.len,tcp.flags,tcp.analysis.ack_rtt\n"
)
DATA = b"%d.000000000,192.0.2.1,198.51.100.7,80,%d,1,1,1000,0x10,%s\n"
ACK = b"%d.500000000,198.51.100.7,192.0.2.1,%d,80,1,%d,0,0x10,%s\n"


def read(tmp_path: Path, content: bytes, most: Bounds = bounds.DEFAULT) -> Trace:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    assert packet_table.recognises(content)
    return packet_table.read(path, Dialect(), most)


def talk(*, at_sender: bool, port: int = 1000, packets: int = 5) -> bytes:
    """Data of a server and ACKs of its client, 40 ms away, seen at either."""
    far, near = (b"0.040000000", b"0.000050000") if at_sender else (b"0.000050000", b"0.040000000")
    rows = (DATA % (place, port, near) + ACK % (place, port, 1000 * place, far) for place in range(packets))
    return b"".join(rows)


@pytest.mark.parametrize("separator", [b",", b"\t"])
def test_at_the_sender_the_acks_of_the_receiver_give_samples(tmp_path: Path, separator: bytes) -> None:
    trace = read(tmp_path, (HEADER + talk(at_sender=True)).replace(b",", separator))
    (connection,) = trace.connections
    (subflow,) = connection.ordered()
    assert connection.vantages == {0: SENDER}
    assert list(subflow.acks.rtt_us) == [40_000] * 5
    assert list(subflow.acks.time_ns) == [place * 1_000_000_000 + 500_000_000 for place in range(5)]
    assert list(subflow.acks.acked_bytes) == [0, 1000, 2000, 3000, 4000]
    assert (subflow.local_address, subflow.local_port, subflow.remote_port) == ("address 0", 80, 1000)
    assert trace.unused == {packet_table.NOTHING: 5}


def test_at_the_receiver_what_the_sender_answers_gives_samples(tmp_path: Path) -> None:
    trace = read(tmp_path, HEADER + talk(at_sender=False))
    (connection,) = trace.connections
    assert connection.vantages == {0: RECEIVER}
    acks = connection.subflows[0].acks
    sampled = [at for at, rtt_us in zip(acks.time_ns, acks.rtt_us, strict=True) if rtt_us == 40_000]
    assert sampled == [place * 1_000_000_000 for place in range(5)]
    assert 50 not in acks.rtt_us


def test_at_an_unknown_point_there_is_no_sample(tmp_path: Path) -> None:
    trace = read(tmp_path, HEADER + talk(at_sender=True).replace(b"0.000050000", b"0.039000000"))
    (connection,) = trace.connections
    assert connection.vantages == {0: UNKNOWN}
    assert connection.subflows[0].min_rtt_us() is None


def test_flows_are_subflows_up_to_the_bound(tmp_path: Path) -> None:
    content = HEADER + b"".join(talk(at_sender=True, port=1000 + number) for number in range(3))
    assert len(read(tmp_path, content).connections[0].subflows) == 3
    trace = read(tmp_path, content, Bounds(subflows=2))
    assert (len(trace.connections[0].subflows), trace.refused()) == (2, {bounds.TOO_MANY_SUBFLOWS: 10})


def test_what_is_no_row_is_refused(tmp_path: Path) -> None:
    good = ACK % (9, 1000, 9, b"")
    broken = [
        good.replace(b"9.5", b"x"),
        good.replace(b"192.0.2.1", b""),
        good.replace(b"198.51.100.7", b"192.0.2.1,192.0.2.2"),
        good.replace(b",9,0,", b",9,-1,"),
        b"\n",
        b"9" * 5000 + b"\n",
    ]
    trace = read(tmp_path, HEADER + talk(at_sender=True) + b"".join(broken))
    assert trace.refused() == {packet_table.MALFORMED: 5, packet_table.SEVERAL: 1}
    assert trace.records_in == 16


def test_a_field_that_is_missing_is_named(tmp_path: Path) -> None:
    content = HEADER + talk(at_sender=True)
    for fields, others, missing in [
        (b"tcp.len", b"ip.len", "tcp.len"),
        (b"tcp.analysis.ack_rtt", b"tcp.analysis.flags", "tcp.analysis.ack_rtt"),
        (b"frame.time_epoch", b"frame.time_relative", "frame.time_epoch"),
        (b"ip.src,ip.dst", b"eth.src,eth.dst", "ip.src, ip.dst"),
        (b"ip.src,ip.dst", b"ipv6.src,ip.ttl", "ipv6.dst"),
    ]:
        with pytest.raises(UnreadableInputError, match=rf"missing: {missing}; print them again with -e {missing[:6]}"):
            read(tmp_path, content.replace(fields, others))


@pytest.mark.parametrize("separator", [b",", b"\t", b";", b"|", b" "])
def test_a_table_without_names_says_which_it_wants(tmp_path: Path, separator: bytes) -> None:
    row = b"170000000" + talk(at_sender=True)
    with pytest.raises(
        UnreadableInputError, match=r"print them with -E header=y; needed are frame\.time_epoch, ip\.sr"
    ):
        read(tmp_path, row.replace(b",", separator))


def rtts(trace: Trace) -> list[list[int]]:
    """RTTs of each subflow."""
    return [list(subflow.acks.rtt_us) for subflow in trace.connections[0].ordered()]


@pytest.mark.parametrize("separator", [b";", b"|", b" ", b":", b"@", b"/", b"\\", b"^"])
def test_any_separator(tmp_path: Path, separator: bytes) -> None:
    trace = read(tmp_path, (HEADER + talk(at_sender=True)).replace(b",", separator))
    assert (rtts(trace), trace.refused()) == ([[40_000] * 5], {})


@pytest.mark.parametrize("quote", [b'"', b"'"])
def test_cells_in_quotes(tmp_path: Path, quote: bytes) -> None:
    lines = (HEADER + talk(at_sender=True)).splitlines()
    quoted = b"".join(b",".join(quote + cell + quote for cell in line.split(b",")) + b"\r\n" for line in lines)
    assert rtts(read(tmp_path, quoted)) == [[40_000] * 5]


def sixth(content: bytes) -> bytes:
    """The same between IPv6 addresses."""
    return content.replace(b"192.0.2.1", b"2001:db8::1").replace(b"198.51.100.7", b"2001:db8::7")


def test_ipv6(tmp_path: Path) -> None:
    six = sixth(HEADER + talk(at_sender=True)).replace(b"ip.", b"ipv6.")
    trace = read(tmp_path, six)
    (subflow,) = trace.connections[0].ordered()
    assert (list(subflow.acks.rtt_us), subflow.family) == ([40_000] * 5, 6)


def test_both_families_in_one_table(tmp_path: Path) -> None:
    header = HEADER.replace(b"ip.src,ip.dst,", b"ip.src,ip.dst,ipv6.src,ipv6.dst,")
    rows = []
    for line in talk(at_sender=True).splitlines(keepends=True):
        time, source, destination, rest = line.split(b",", 3)
        rows.append(b",".join((time, source, destination, b"", b"", rest)))
        rows.append(b",".join((time, b"", b"", sixth(source), sixth(destination), rest)))
    four, six = read(tmp_path, header + b"".join(rows)).connections[0].ordered()
    assert (four.family, list(four.acks.rtt_us)) == (4, [40_000] * 5)
    assert (six.family, list(six.acks.rtt_us)) == (6, [40_000] * 5)
    # A packet of one family in one of the other: which is the outer one, no field says.
    tunnel = [row.replace(b",,,", b",2001:db8::1,2001:db8::2,") for row in rows[:1]]
    assert read(tmp_path, header + b"".join(tunnel + rows)).refused() == {}


TUNNEL = (
    (HEADER + talk(at_sender=True)).replace(b"192.0.2.1", b"10.9.9.1,192.0.2.1").replace(b"198.51", b"10.9.9.7,198.51")
)


TABS, SEMICOLONS = TUNNEL.replace(b",", b"\t"), TUNNEL.replace(b",", b";")
TUNNELS = {
    "commas alone": (TUNNEL, b","),
    "tabs": (TABS.replace(b"10.9.9.1\t", b"10.9.9.1,").replace(b"10.9.9.7\t", b"10.9.9.7,"), b"\t"),
    "blanks": (SEMICOLONS.replace(b"10.9.9.1;", b"10.9.9.1 ").replace(b"10.9.9.7;", b"10.9.9.7 "), b";"),
    "quotes": (re.sub(rb"(10\.9\.9\.\d,[\d.]+)", rb'"\1"', TUNNEL), b","),
    "a tunnel in a tunnel": (
        TUNNEL.replace(b"10.9.9.1,", b"1.1.1.1,10.9.9.1,").replace(b"10.9.9.7", b"1.1.1.2,10.9.9.7"),
        b",",
    ),
}


@pytest.mark.parametrize("name", TUNNELS)
def test_of_a_packet_in_a_tunnel_the_inner_addresses_are_taken(tmp_path: Path, name: str) -> None:
    content, separator = TUNNELS[name]
    # The same flow, where it is in no tunnel.
    further = DATA % (9, 1000, b"") + ACK % (9, 1000, 9000, b"0.040000000")
    trace = read(tmp_path, content + further.replace(b",", separator))
    assert (trace.refused(), rtts(trace)) == ({}, [[40_000] * 6])


def test_what_is_said_before_the_table_and_its_names_said_again_are_no_rows(tmp_path: Path) -> None:
    before = b'Running as user "root" and group "root". This could be dangerous.\nCapturing on \'eth0\'\n'
    trace = read(tmp_path, before + HEADER + talk(at_sender=True) + HEADER)
    assert (rtts(trace), trace.records_in, trace.other_lines) == ([[40_000] * 5], 10, 3)


def test_times_that_went_through_other_programs(tmp_path: Path) -> None:
    rows = talk(at_sender=True).replace(b"0.000050000", b"5e-05")
    for second in range(5):
        rows = rows.replace(b"%d.000000000" % second, b"1970-01-01T00:00:0%d.000000000Z" % second)
    assert rtts(read(tmp_path, HEADER + rows)) == [[40_000] * 5]


@pytest.mark.parametrize("name", ["hsr-mptcp-1529185357-U4.csv.zst", "hsr-mptcp-1529185357-M3.csv.zst"])
def test_a_public_table_was_recorded_at_the_receiver(name: str) -> None:
    """The server sends 80 times what the client does; it answers the SYN, and each request."""
    path = PUBLIC / name
    rows = list(csv.DictReader(io.StringIO(b"".join(stored.blocks(path)).decode())))
    trace = packet_table.read(path, Dialect())
    assert (trace.records_in, trace.refusals) == (len(rows), [])
    (connection,) = trace.connections
    assert connection.vantages == {0: RECEIVER}
    answers = [row for row in rows if row["tcp.srcport"] == "8000" and row["tcp.analysis.ack_rtt"]]
    acks = connection.subflows[0].acks
    samples = [rtt_us for rtt_us in acks.rtt_us if rtt_us > 0]
    assert samples == [int(float(row["tcp.analysis.ack_rtt"]) * 1e6 + 0.5) for row in answers]
    acked = max(int(row["tcp.ack"]) for row in rows if row["tcp.dstport"] == "8000" and row["tcp.ack"])
    assert acked - 1 <= acks.acked_bytes[-1] <= acked
