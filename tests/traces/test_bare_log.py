"""A log taken in by columns gives what its lines give one by one; whatever is wrong with it is left to them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.traces.test_event_log import GOOD
from traces import bare_log, event_log
from traces.assembly import LIMITS, UNUSED
from traces.dialect import Dialect
from traces.quarantine import UnreadableInputError


def written(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "a.log"
    path.write_bytes(content)
    return path


def long_log(seed: int, rows: int, least_ns: int = 1, *, with_groups: bool = False) -> bytes:
    """A log of two connections of three subflows, as a simulation writes it; ACKs are `least_ns` apart or more."""
    rng = np.random.default_rng(seed)
    lines, acked, time_ns = [], dict.fromkeys(range(6), 0), 0
    for _ in range(rows):
        time_ns += least_ns if rng.random() < 0.1 else int(rng.integers(1, 10**6))
        place = int(rng.integers(0, 6))
        where = f"{time_ns} C={'beef' if place % 2 else '1c0ffee'} SF={place // 2} V="
        kind = rng.choice(["ACK", "DUP", "CA", "LOSS", "RTX", "RTT"], p=[0.6, 0.1, 0.1, 0.05, 0.05, 0.1])
        if with_groups and rng.random() < 0.05:
            lines.append(f"{where}GROUP {rng.integers(0, 3)}")
        acked[place] += int(rng.integers(-1_000, 3_000))
        value = {"ACK": max(0, acked[place]), "CA": int(rng.integers(0, 5))}.get(kind, int(rng.integers(1, 10**5)))
        lines.append(f"{where}{kind} {value}")
        if kind in {"ACK", "DUP"}:
            lines += [f"{where}{one} {rng.integers(1, 10**5)}" for one in ("RTT", "OWD", "DACK") if rng.random() < 0.7]
    return "".join(f"{line}\n" for line in lines).encode()


@pytest.mark.parametrize("content", [GOOD, GOOD[:-1], GOOD + b"5000 C=1 SF=9999 V=CA 0\n"])
def test_a_known_log_is_taken_in_by_columns(tmp_path: Path, content: bytes) -> None:
    path = written(tmp_path, content)
    assert bare_log.read(path) == event_log.read_line_by_line(path)


@pytest.mark.parametrize("seed", range(6))
def test_a_long_log_gives_what_its_lines_give(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bare_log, "_PIECE_BYTES", 1 << 12)
    path = written(tmp_path, zstandard.compress(long_log(seed, 4_000)))
    whole, expected = bare_log.read(path), event_log.read_line_by_line(path)
    assert whole == expected
    assert whole is not None
    assert [list(one.subflows) for one in whole.connections] == [list(one.subflows) for one in expected.connections]


def test_groups_are_counted_and_change_nothing(tmp_path: Path) -> None:
    """What the sender did is in no table; a log of nothing else has no connection."""
    content = long_log(1, 2_000, with_groups=True)
    plain = b"".join(line for line in content.splitlines(keepends=True) if b"V=GROUP" not in line)
    path = written(tmp_path, content)
    whole, by_lines = bare_log.read(path), event_log.read_line_by_line(path)
    assert whole == by_lines
    expected = event_log.read(written(tmp_path, plain), Dialect())
    groups = content.count(b"V=GROUP")
    assert by_lines.unused == {"GROUP": groups} and groups > 50
    assert by_lines.records_in == by_lines.records_out + groups == content.count(b"\n")
    assert list(by_lines.connections) == list(expected.connections)
    path = written(tmp_path, b"5 C=1 SF=0 V=GROUP 0\n")
    assert bare_log.read(path) is None
    alone = event_log.read(path, Dialect())
    assert (list(alone.connections), alone.records_out, alone.unused) == ([], 0, {"GROUP": 1})
    assert event_log.read(written(tmp_path, b"5 C=1 SF=0 V=GROUP 32768\n"), Dialect()).refused() == {
        "value out of range": 1
    }


def test_two_of_a_kind_at_one_time_are_left_to_the_lines(tmp_path: Path) -> None:
    path = written(tmp_path, long_log(0, 4_000, least_ns=0))
    assert bare_log.read(path) is None
    assert event_log.read(path, Dialect()) == event_log.read_line_by_line(path)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"hello",
        b"5000 C=7f3a91c2 SF=0 V=RTT -5",
        b"5000 C=7f3a91c2 SF=0 V=RTT 0x5",
        b"5000 C=7f3a91c2 SF=0 V=RTT 5 6",
        b"5000 C=7f3a91c2 SF=0 V=RTT  5",
        b"5000 C=7f3a91c2 SF=0 V=RTT 5\r",
        b"5000 C=7f3a91c2 SF=0 V=RTT 5\r5000 C=7f3a91c2 SF=0 V=OWD 5",
        b'5000 C=7f3a91c2 SF=0 V=RTT "5"',
        b"0000000000000005000 C=7f3a91c2 SF=0 V=RTT 5",
        b"5000 C=7f3a91c2a SF=0 V=RTT 5",
        b"5000 C=7f3a91c2 SF=00000 V=RTT 5",
        b"5000 C=7f3a91c2 SF=0 V=CWND 10",
        b"5000 C=7f3a91c2 SF=0 V=UNA 10",
        b"5000 C=7f3a91c2 SF=0 V=CA 5",
        b"5000 C=7f3a91c2 SF=0 V=RTT 0",
        b"10 C=7f3a91c2 SF=0 V=RTT 5",
        b"3500 C=7f3a91c2 SF=0 V=RTT 5",
        b"4500 C=7f3a91c2 SF=0 V=ACK 4294967295\n4600 C=7f3a91c2 SF=0 V=ACK 5",
        b"\xff\x00" * 40,
    ],
)
def test_what_needs_a_second_look_is_left_to_the_lines(tmp_path: Path, line: bytes) -> None:
    lines = GOOD.splitlines(keepends=True)
    for content in (GOOD + line + b"\n", b"".join([*lines[:3], line + b"\n", *lines[3:]])):
        path = written(tmp_path, content)
        taken = bare_log.read(path)
        expected = event_log.read_line_by_line(path)
        assert taken is None or taken == expected
        assert event_log.read(path, Dialect()) == expected
    assert bare_log.read(written(tmp_path, GOOD + line + b"\n")) is None


def test_a_log_that_ends_early_is_refused_alike(tmp_path: Path) -> None:
    packed = zstandard.compress(long_log(0, 2_000))
    path = written(tmp_path, packed[: len(packed) // 2])
    with pytest.raises(UnreadableInputError) as by_columns:
        bare_log.read(path)
    with pytest.raises(UnreadableInputError) as by_lines:
        event_log.read_line_by_line(path)
    assert str(by_columns.value) == str(by_lines.value)


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


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=_EVENTS, ends=st.sampled_from([b"\n", b"\r\n"]))
def test_drawn_logs_give_what_their_lines_give(
    tmp_path: Path, events: list[tuple[int, str, int, str, int]], ends: bytes
) -> None:
    time_ns, lines = 0, [b"0 C=a SF=0 V=CA 0"]
    for step_ns, token, subflow, kind, value in events:
        time_ns += step_ns
        lines.append(f"{time_ns} C={token} SF={subflow} V={kind} {value}".encode())
    path = written(tmp_path, ends.join(lines))
    assert event_log.read(path, Dialect()) == event_log.read_line_by_line(path)
