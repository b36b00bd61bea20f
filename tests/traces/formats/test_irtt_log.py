"""Round trips of irtt are RTT samples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import format_of, irtt_log
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace

T_NS = 1796010623_729092553


def trip(number: int, rtt_ns: int | None = 176_459, lost: str = "false") -> dict[str, Any]:
    """Return a round trip with the fields of irtt 0.9.0, one every 20 ms."""
    wall = T_NS + 20_000_000 * number
    client: dict[str, Any] = {"send": {"wall": wall - 181_709, "monotonic": 17310678}}
    if lost == "false":
        client["receive"] = {"wall": wall, "monotonic": 17492387}
    delay = {"receive": 82454, "send": 94016} | ({} if rtt_ns is None else {"rtt": rtt_ns})
    return {
        "seqno": number,
        "lost": lost,
        "timestamps": {"client": client, "server": {}},
        "delay": delay if lost == "false" else {},
        "ipdv": {},
    }


def document(*trips: dict[str, Any]) -> bytes:
    head = {"version": {"irtt": "0.9.0", "protocol": 1, "json_format": 1}, "stats": {"rtt": {"n": 2}}}
    return json.dumps(head | {"round_trips": list(trips)}, indent=4).encode()


def read(tmp_path: Path, content: bytes) -> Trace:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    assert format_of(path).source == irtt_log.SOURCE
    return irtt_log.read(path, Dialect())


def test_round_trips_are_samples_when_they_came_back(tmp_path: Path) -> None:
    trace = read(tmp_path, document(trip(0), trip(1, 3_580_000), trip(2, lost="true_up"), trip(3, lost="true")))
    (subflow,) = trace.connections[0].ordered()
    assert list(subflow.acks.time_ns) == [T_NS, T_NS + 20_000_000]
    assert list(subflow.acks.rtt_us) == [176, 3580]
    assert (trace.records_in, trace.records_out, trace.unused) == (4, 2, {irtt_log.LOST: 2})
    assert trace.signals == {"echo without an answer": 2}
    assert subflow.at_intervals


def test_documents_in_one_file_are_a_connection_each(tmp_path: Path) -> None:
    trace = read(tmp_path, document(trip(0)) + b"\n" + document(trip(0, 5_000_000)))
    assert [list(one.ordered()[0].acks.rtt_us) for one in trace.connections] == [[176], [5000]]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"seq=0 rtt=176\xc2\xb5s rd=82.5\xc2\xb5s sd=94\xc2\xb5s ipdv=n/a\n", "run irtt client -o FILE.json"),
        (document(), irtt_log.NOTHING_CAME),
        (document(trip(0, lost="true")), irtt_log.NOTHING_CAME),
        (document(trip(0)).replace(b'"wall"', b'"hall"'), "without --clock=monotonic"),
    ],
)
def test_what_cannot_be_used_says_why(tmp_path: Path, content: bytes, why: str) -> None:
    with pytest.raises(UnreadableInputError) as raised:
        read(tmp_path, content)
    assert why in raised.value.why


def test_broken_round_trips_are_refused(tmp_path: Path) -> None:
    content = document(trip(0), trip(1, None), trip(2, 0), trip(3))
    trace = read(tmp_path, content[: content.rindex(b'"ipdv"')])
    assert trace.refused() == {irtt_log.MALFORMED: 1, "value out of range": 1, "its end is cut off": 1}
    long = document(trip(0), trip(1) | {"more": "x" * (1 << 15)}, trip(2))
    trace = read(tmp_path, long)
    assert (trace.records_out, trace.refused()) == (2, {"longer than allowed": 1})
