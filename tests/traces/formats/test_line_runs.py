"""A log of which lines are taken in many at once gives what its lines give one by one, whatever is wrong with it."""

from __future__ import annotations

import random
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from smartsbd.native import log_reading
from smartsbd.traces import stored
from smartsbd.traces import trace as trace_of
from smartsbd.traces.assembly import LIMITS, MAX_TIME_NS, UNUSED
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Connection
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import event_log, line_runs, state_log, tcp_probe
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace
from tests.log_traffic import KINDS, write_log
from tests.traces.formats import test_state_log, test_tcp_probe
from tests.traces.formats.test_event_log import GOOD
from tests.traces.naive import log as naive

DIALECT = Dialect(tcpprobe_srtt="ms")
SHARED = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
READERS: dict[str, Callable[[Path, Dialect, Bounds], Trace]] = {
    kind: {"state": state_log.read, "tcp_probe": tcp_probe.read, "tcp_probe, traced": tcp_probe.read}.get(
        kind, event_log.read
    )
    for kind in KINDS
}
Outcome = tuple[Trace, list[Connection]] | tuple[int, str]


def outcome(kind: str, path: Path, most: Bounds) -> Outcome:
    try:
        found = READERS[kind](path, DIALECT, most)
    except UnreadableInputError as error:
        return error.offset, error.why
    return found, list(found.connections)


def assert_same(kind: str, path: Path, most: Bounds | None = None) -> Outcome:
    """Read a log both ways; fail on any difference, the order of subflows too."""
    found = outcome(kind, path, most or Bounds())
    with naive.plain():
        expected = outcome(kind, path, most or Bounds())
    assert found == expected
    if isinstance(found[1], list) and isinstance(expected[1], list):
        for one, other in zip(found[1], expected[1], strict=True):
            assert list(one.subflows) == list(other.subflows)
    return found


def in_small_blocks(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Have content come in blocks of so many bytes, and lines taken from no more at once."""
    whole = stored.blocks

    def blocks(path: Path) -> Iterator[bytes]:
        for block in whole(path):
            yield from (block[at : at + size] for at in range(0, len(block), size))

    monkeypatch.setattr(stored, "blocks", blocks)
    monkeypatch.setattr(line_runs, "PIECE_BYTES", size)


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The lines that were looked at one by one."""
    found: list[bytes] = []
    whole = line_runs.left

    def counted(*arguments: Any) -> Iterator[tuple[int, bytes]]:
        for offset, line in whole(*arguments):
            found.append(line)
            yield offset, line

    monkeypatch.setattr(line_runs, "left", counted)
    return found


@pytest.mark.parametrize("broken", [0, 0.01, 0.3])
@pytest.mark.parametrize("kind", KINDS)
def test_a_long_log_gives_what_its_lines_give(tmp_path: Path, kind: str, broken: float, left: list[bytes]) -> None:
    path = tmp_path / "a"
    write_log(path, kind, 6_000, 10, broken)
    found = outcome(kind, path, Bounds())
    looked_at = len(left)
    assert assert_same(kind, path) == found
    assert isinstance(found[0], Trace)
    refused = sum(found[0].refused().values())
    assert (refused > 6_000 * broken / 10) if broken else not refused
    # The first line, the first one of each subflow, those that are broken, and where a number is missing.
    assert looked_at <= 1 + 20 + 2.5 * 6_000 * broken


@pytest.mark.parametrize("size", [1, 7, 64, 4096])
@pytest.mark.parametrize("kind", KINDS)
def test_where_blocks_end_changes_nothing(
    tmp_path: Path, kind: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, packed = tmp_path / "a", tmp_path / "b"
    write_log(path, kind, 300, 2, 0.1)
    packed.write_bytes(zstandard.compress(path.read_bytes()))
    found = outcome(kind, path, Bounds())
    in_small_blocks(monkeypatch, size)
    assert outcome(kind, path, Bounds()) == outcome(kind, packed, Bounds()) == found
    assert_same(kind, packed)


def _mutated(content: bytes, draw: random.Random) -> bytes:
    """Return a log with some bytes changed, lost, doubled or moved."""
    changed = bytearray(content)
    words = (b"\n", b"\r\n", b" ", b'"', b"{", b"\\", b"9" * 19, b"smartsbd: ", b"tcp_probe: ", b" 7 messages dropped ")
    for _ in range(draw.randrange(1, 40)):
        at = draw.randrange(len(changed) + 1)
        other = draw.randrange(len(changed) + 1)
        match draw.randrange(5):
            case 0:
                changed[at : at + 1] = bytes([draw.randrange(256)])
            case 1:
                changed[at:at] = draw.choice(words)
            case 2:
                del changed[at : at + draw.randrange(1, 30)]
            case 3:
                changed[at:at] = changed[other : other + draw.randrange(200)]
            case _:
                changed[at : at + 1] = draw.choice(b"0123456789abcdefSFCV= ").to_bytes(1, "big")
    return bytes(changed)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("kind", KINDS)
def test_a_log_with_bytes_changed_gives_what_its_lines_give(tmp_path: Path, kind: str, seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - the same each time
    path = tmp_path / "a"
    write_log(path, kind, 200, 2)
    path.write_bytes(_mutated(path.read_bytes(), draw))
    assert_same(kind, path)
    assert_same(kind, path, Bounds(subflows=1, connections=draw.randrange(1, 3)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_log_that_is_cut_gives_what_its_lines_give(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a"
    write_log(path, kind, 40, 1)
    content = path.read_bytes()
    for size in range(1, len(content), 13 if len(content) > 5_000 else 5):
        path.write_bytes(content[:size])
        assert_same(kind, path)
    packed = zstandard.compress(content * 50)
    path.write_bytes(packed[: len(packed) // 2])
    assert assert_same(kind, path)[1] == "cannot be read: the zstd stream ends early"


@pytest.mark.parametrize("kind", KINDS)
def test_which_of_two_faults_is_said_is_the_same(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """More refused records than are kept come before the end that is missing."""
    monkeypatch.setattr(trace_of, "MOST_REFUSED", 3)
    path = tmp_path / "a"
    write_log(path, kind, 12_000, 1, 0.05)
    packed = zstandard.compress(path.read_bytes())
    path.write_bytes(packed[:-5])
    assert assert_same(kind, path)[1] == "more than 3 records refused"


#: Of each kind a good line that may follow itself, and lines of which it is not known that they are good.
LINES = {
    "event lines": (
        b"5000 C=7f3a91c2 SF=0 V=RTT 5",
        [
            *(b"", b"hello", b"\r", b"5000 C=7f3a91c2 SF=0 V=RTT 5\r", b"5000 C=7f3a91c2 SF=0 V=RTT 5\r\r"),
            *(b"5000 C=7f3a91c2 SF=0 V=RTT -5", b"5000 C=7f3a91c2 SF=0 V=RTT 0x5", b"5000 C=7f3a91c2 SF=0 V=RTT 5 6"),
            *(b"5000 C=7f3a91c2 SF=0 V=RTT  5", b" 5000 C=7f3a91c2 SF=0 V=RTT 5", b"5000 C=7f3a91c2 SF=0 V=RTT 5 "),
            *(b'5000 C=7f3a91c2 SF=0 V=RTT "5"', b"0000000000000005000 C=7f3a91c2 SF=0 V=RTT 5"),
            *(b"000000000000005000 C=7f3a91c2 SF=0 V=RTT 000000000000000005", b"5000 C=07f3a91c2 SF=0 V=RTT 5"),
            *(b"5000 C=7f3a91c2a SF=0 V=RTT 5", b"5000 C=7F3A91C2 SF=0 V=RTT 5", b"5000 C= SF=0 V=RTT 5"),
            *(b"5000 C=7f3a91c2 SF=00000 V=RTT 5", b"5000 C=7f3a91c2 SF=0000 V=RTT 5", b"5000 C=7f3a91c2 SF= V=RTT 5"),
            *(b"5000 C=7f3a91c2 SF=0 V=CWND 10", b"5000 C=7f3a91c2 SF=0 V= 10", b"5000 C=7f3a91c2 SF=0 V=RTTRTTRTT 5"),
            *(
                b"5000 C=7f3a91c2 SF=0 V=CA 5",
                b"5000 C=7f3a91c2 SF=0 V=RTT 0",
                b"5000 C=7f3a91c2 SF=0 V=RTT 2147483648",
            ),
            *(
                b"5000 C=7f3a91c2 SF=0 V=GROUP 32767",
                b"5000 C=7f3a91c2 SF=0 V=GROUP 32768",
                b"1 C=7f3a91c2 SF=0 V=GROUP 1",
            ),
            *(b"1 C=7f3a91c2 SF=0 V=RTT 5", b"999999999999999999 C=7f3a91c2 SF=9 V=RTT 5", b"1 C=1 SF=9999 V=RTT 5"),
            *(b"5000 C=7f3a91c2 SF=0 V=ACK 4294967295\n6000 C=7f3a91c2 SF=0 V=ACK 5", b"\xff\x00" * 40, b"5" * 20_000),
            *(b"5000 C=7f3a91c2 SF=0 V=RTT", b"5000 C=7f3a91c2 SF=0 V=RTT ", b"5000", b"5000 C=7f3a91c2 SF=0"),
        ],
    ),
    "dmesg": (
        b"[    9.1] smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5",
        [
            *(
                b"",
                b"[ 1.5] eth0: up",
                b"smartsbd: ",
                b"smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5 smartsbd: ",
                b"x" * 16_384,
            ),
            *(b"smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5x", b"smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5 x"),
            *(b'smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5"', b"smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5\x0bx"),
            *(b"smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5\r", b"smartsbd:  5000 C=7f3a91c2 SF=0 V=RTT 5"),
            b"smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5" + b" " * 16_346,
            b"smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5" + b" " * 16_347,
            b"[1.2] smartsbd: 5000 C=7f3a9[ 1.3] smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5",
            *(
                b"C=7f3a91c2 SF=0 V=RTT 5",
                b"C=7f3a91c2 SF=0 V=RTT 5 smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5",
                b"XF=0 and F=1",
            ),
            *(b"** 7 printk messages dropped ** smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5", b"9 callbacks suppressed"),
            *(b"no messages for you", b"Missed 5 kernel messages", b"4 messages lost due to rate-limiting"),
            *(
                b"smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5 7 messages suppressed",
                b"ssmartsbd: 5000 C=7f3a91c2 SF=0 V=CA 1",
            ),
        ],
    ),
    "/dev/kmsg": (
        b"6,5,1,-;smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5",
        [
            *(
                b"6,6,1,-;smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5",
                b"6,9,1,-;eth0: up",
                b"6,4,1,-;eth0: up",
                b" SUBSYSTEM=net",
            ),
            *(
                b"6,6,1,-;bad smartsbd: x",
                b"6,7,1,-smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5",
                b"6,999999999999999999,1,-;x",
            ),
            *(
                b"6,9999999999999999999,1,-;x",
                b"66666666666,7,1,-;x",
                b"6,7,1," + b"f" * 64 + b";x",
                b"6,7,1," + b"f" * 65 + b";",
            ),
            *(
                b"6,8,1,c;C=7f3a91c2 SF=0 V=RTT 5",
                b"6,8,1,C=7f3a91c2 SF=0 V=R;x",
                b"6,8,1,9 messages dropped;x",
                b"6,,1,-;x",
            ),
            *(
                b"6,80,1,-;7 messages suppressed",
                b"6,80,1,-;" + b"x" * 16_384,
                b"6,7,1,smartsbd: ;x",
                b"6,5,1,-;smartsbd: 1",
            ),
        ],
    ),
    "journal": (
        b'{"MESSAGE":"smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5"}',
        [
            *(
                b"{",
                b"{}",
                b'{"MESSAGE":"x"',
                b'{"MESSAGE":"x"}}',
                b'{"MESSAGE":null}',
                b'{"MESSAGE":7}',
                b'{"A":"b"}',
                b'{"',
            ),
            *(b'{ "MESSAGE" : "smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5" } ', b'{"MESSAGE":"x",}', b'{,"MESSAGE":"x"}'),
            *(b'{"MESSAGE":"a","MESSAGE":"smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5"}', b'{"A":"b" "MESSAGE":"x"}'),
            *(b'{"A":"\\"","MESSAGE":"smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5"}', b'{"A":"\xc3\xa9","MESSAGE":"x"}'),
            *(
                b'{"A":"\xff","MESSAGE":"x"}',
                b'{"A":"\x7f","MESSAGE":"x"}',
                b'{"A":"\t","MESSAGE":"x"}',
                b'["MESSAGE","x"]',
            ),
            *(
                b'{"MESSAGE":"smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5 x"}',
                b'{"MESSAGE":"smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5x"}',
            ),
            *(
                b'{"MESSAGE":"smartsbd: "}',
                b'{"MESSAGE":"9 messages dropped"}',
                b'{"MESSAGE":"x"} smartsbd: 5',
                b'{"MESSAGE";"x"}',
            ),
            *(
                b'{"A":"smartsbd: 5","MESSAGE":"x"}',
                b'{"MESSAGE":"x"}\r',
                b'{"MESSAGE":["x"]}',
                b'{"A":{"MESSAGE":"x"}}',
            ),
            b"{" + b",".join(b'"A":"b"' for _ in range(127)) + b',"MESSAGE":"smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5"}',
            b"{" + b",".join(b'"A":"b"' for _ in range(128)) + b',"MESSAGE":"smartsbd: 5000 C=7f3a91c2 SF=0 V=RTT 5"}',
        ],
    ),
    "state": (
        b"5.0,0,rtt_us,5",
        [
            *(
                b"",
                b"t,sf,var,value",
                b"5.0,0,rtt_us,5\r",
                b"5.0,0,rtt_us,5 ",
                b"5.0,0,rtt_us,0",
                b"5.0,0,rtt_us,05",
                b"5,0,rtt_us,5",
            ),
            *(
                b"5.1234567890,0,rtt_us,5",
                b"5.123456789,0,rtt_us,5",
                b"55555555555.0,0,rtt_us,5",
                b"9999999999.0,0,rtt_us,5",
            ),
            *(
                b"9999999999.999999999,0,cwnd,5",
                b"0.0,0,cwnd,0",
                b"1.0,0,ssthresh,999999999999999999",
                b"1.0,0,cwnd,1" + b"0" * 18,
            ),
            *(
                b"5.0,0,ack,4294967296",
                b"5.0,0,ack,4294967295",
                b"5.0,0,ca_state,5",
                b"5.0,0,retrans,0",
                b"5.0,0,retrans,77",
            ),
            *(
                b"4.9,0,rtt_us,5",
                b"4.9,1,rtt_us,5",
                b"5.0,9999,rtt_us,5",
                b"5.0,00000,rtt_us,5",
                b"5.0,0,rtt_us_,5",
                b"5.0,0,,5",
            ),
            *(
                b"5.0,0,srtt,5",
                b"5.0,0," + b"a" * 17 + b",5",
                b"5.,0,rtt_us,5",
                b".0,0,rtt_us,5",
                b"5.0,0,rtt_us,",
                b"9" * 300,
            ),
        ],
    ),
    "tcp_probe": (
        test_tcp_probe.MODULE.splitlines()[0],
        [
            *test_tcp_probe.MODULE.splitlines(),
            *(
                b"",
                b"3.0 a:1 b:2 32 0x1 0x1 45 45 204032 1 2",
                b"3.0 a:1 b:2 32 0x1 0x1 45 45 204032 1\r",
                b"3.0 a:1 b:2",
            ),
            *(
                b"3.0 a:1 b:2 32 0x1 0x1 45 45 204032 1 ",
                b"3.0 a:1 b:2 32 0x1 0x1 45 45 204032 1 2 3",
                b"3.0  a:1 b:2 1 1",
            ),
            *(
                b"3.0 a:1 b:2 32 0x1 0x1 45 45 204032 1 2  ",
                b"3.0 a:1 b:2 32 0x1 0xABC 45 45 204032 1",
                b"3.0 a1 b:2 32 0x1 0x1 4 4 2 1",
            ),
            *(
                b"3.0 a:01 b:2 32 0x1 0x1 45 45 204032 1",
                b"3.0 a:1 b:2 32 0x1 0x1 45 45 204032 9999999999",
                b"0.1 a:1 b:2 3 0x1 0x1 4 4 2 1",
            ),
            b"3.0 " + b"a" * 59 + b":1 b:2 32 0x1 0x1 45 45 204032 1",
            b"3.0 a:1 b:2 32 0x1 0x1 45 45 204032 1" + b" " * 1_000,
        ],
    ),
    "tcp_probe, traced": (
        test_tcp_probe.PERF.splitlines()[0],
        [
            *test_tcp_probe.FTRACE.splitlines(),
            *(
                test_tcp_probe.PERF.splitlines()[0] + more
                for more in (b"\r", b" tcp_probe: ", b"x", b" x" * 500, b" [LOST 3 EVENTS]")
            ),
            *(
                b"x" + test_tcp_probe.PERF.splitlines()[0],
                test_tcp_probe.PERF.splitlines()[0].replace(b": tcp:", b":tcp:"),
            ),
            *(
                test_tcp_probe.PERF.splitlines()[0].replace(b"99975", one)
                for one in (b"", b"x99975", b"12345678901", b"1")
            ),
            *(
                test_tcp_probe.PERF.splitlines()[0].replace(b"src=", one)
                for one in (b"family=x src=", b"family= src=", b"  src=")
            ),
            *(
                b"tcp_probe: ",
                b"",
                b"CPU:3 [LOST 12 EVENTS]",
                b"1.2: tcp_probe: src=1.2: tcp_probe: dest=",
                b"1.2: tcp_probe: x",
            ),
            test_tcp_probe.PERF.splitlines()[0].replace(b"src=192.168.1.21:44404", b"src=tcp_probe: "),
            test_tcp_probe.PERF.splitlines()[0].replace(b"dest=203.0.113.9:443", b"dest=\xff\xfe:443"),
        ],
    ),
}
ODD = [(kind, number) for kind, (_, lines) in LINES.items() for number in range(len(lines))]


@pytest.mark.parametrize(("kind", "number"), ODD)
def test_one_odd_line_gives_what_it_gives_alone(tmp_path: Path, kind: str, number: int) -> None:
    good, lines = LINES[kind]
    head = test_state_log.HEADER if kind == "state" else b""
    path = tmp_path / "a"
    for before, after in ((3, 3), (1, 0), (0, 2)):
        path.write_bytes(head + (good + b"\n") * before + lines[number] + b"\n" + (good + b"\n") * after)
        assert_same(kind, path)
        path.write_bytes(path.read_bytes()[:-1])
        assert_same(kind, path)


@pytest.mark.parametrize("kind", LINES)
def test_a_good_line_is_taken_once_its_subflow_is_known(tmp_path: Path, kind: str, left: list[bytes]) -> None:
    """All lines below would be of no use if none was."""
    path = tmp_path / "a"
    head = test_state_log.HEADER if kind == "state" else b""
    path.write_bytes(head + (LINES[kind][0] + b"\n") * 50)
    found = outcome(kind, path, Bounds())
    assert isinstance(found[0], Trace) and found[0].records_out == 50
    assert len(left) == 1 + len(head.splitlines())


def test_groups_are_counted_and_change_nothing(tmp_path: Path) -> None:
    """What the sender did is in no table; a log of nothing else has no connection."""
    path = tmp_path / "a"
    path.write_bytes(GOOD + b"5000 C=7f3a91c2 SF=0 V=GROUP 1\n1 C=9 SF=0 V=GROUP 2\n" * 30 + GOOD.replace(b"7f3", b"8"))
    found = assert_same("event lines", path)
    assert isinstance(found[0], Trace)
    assert (found[0].unused, found[0].records_in, found[0].records_out) == ({"GROUP": 60}, 90, 30)
    path.write_bytes(b"5 C=1 SF=0 V=GROUP 0\n" * 3)
    assert assert_same("event lines", path)[1] == []


_EVENTS = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.sampled_from(["a", "0a", "b"]),
        st.integers(0, 2),
        st.sampled_from([kind.decode() for kind in [*LIMITS, *UNUSED]] + ["CWND"]),
        st.one_of(st.integers(0, 5), st.integers(0, 2**33)),
    ),
    max_size=12,
)


@settings(SHARED, max_examples=400)
@given(events=_EVENTS, ends=st.sampled_from([b"\n", b"\r\n"]), begin=st.sampled_from([b"", b"[ 1.000000] smartsbd: "]))
def test_drawn_logs_give_what_their_lines_give(
    tmp_path: Path, events: list[tuple[int, str, int, str, int]], ends: bytes, begin: bytes
) -> None:
    time_ns, lines = 0, [begin + b"0 C=a SF=0 V=CA 0"]
    for step_ns, token, subflow, kind, value in events:
        time_ns += step_ns
        lines.append(begin + f"{time_ns} C={token} SF={subflow} V={kind} {value}".encode())
    path = tmp_path / "a.log"
    path.write_bytes(ends.join(lines))
    assert_same("event lines", path)


_VALUES = {
    kind: st.one_of(st.integers(*limits), st.integers(limits[0], min(limits[1], 5))) for kind, limits in LIMITS.items()
}


@settings(SHARED, max_examples=400)
@given(
    st.lists(
        st.sampled_from(list(LIMITS)).flatmap(lambda kind: st.tuples(st.just(kind), st.integers(0, 1), _VALUES[kind]))
    )
)
def test_rows_are_those_of_plain_python(events: list[tuple[bytes, int, int]]) -> None:
    numbers = {name.encode(): number for number, name in enumerate(log_reading.KINDS)}
    columns = (
        np.arange(len(events)),
        np.cumsum([step_ns for _, step_ns, _ in events], dtype=np.int64),
        np.array([value for _, _, value in events], dtype=np.int64),
        np.array([5 * log_reading.MOST_KINDS + numbers[kind] for kind, _, _ in events], dtype=np.int64),
    )
    assert log_reading.rows(*columns) == naive.rows(*columns)


def test_kinds_are_those_of_the_limits() -> None:
    assert [name.encode() for name in log_reading.KINDS] == list(LIMITS)
    assert len(LIMITS) <= log_reading.MOST_KINDS


def test_what_is_no_event_is_refused() -> None:
    one, none = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64)
    for columns in (
        (one + 1, one, one, one),
        (one - 1, one, one, one),
        (one, one, one, one + 15),
        (one, one, none, one),
    ):
        with pytest.raises(ValueError, match=r"event|kind"):
            log_reading.rows(*columns)


@pytest.mark.parametrize("kind", ["event lines", "dmesg", "state", "tcp_probe", "tcp_probe, traced"])
def test_a_line_without_end_takes_little_memory(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a"
    write_log(path, kind, 20, 1)
    with path.open("ab") as stream:
        for _ in range(64):
            stream.write(b"[" * (1 << 20))
    READERS[kind](path, DIALECT, Bounds())
    tracemalloc.start()
    READERS[kind](path, DIALECT, Bounds())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 20


def test_a_line_without_end_is_not_looked_through_at_every_broken_line(tmp_path: Path) -> None:
    """Looked through from the end at each of them, it would take half a minute."""
    path = tmp_path / "a"
    path.write_bytes(b"t,sf,var,value\n" + b"x\n" * 4096 + b"y" * 2**20)
    started_s = time.process_time()
    found = state_log.read(path, DIALECT, Bounds())
    assert time.process_time() - started_s < 10
    assert sum(found.refused().values()) == 4097


def test_limits_that_are_compiled_in_are_those_of_the_parsers() -> None:
    assert log_reading.MAX_TIME_NS == MAX_TIME_NS
    assert LIMITS[b"SRTT"] == (1, log_reading.MOST_SRTT_US)
