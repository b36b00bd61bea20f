"""What is read of iperf3's JSON, whatever it holds: what came, or one short line."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartsbd.doctor import iperf3_report
from smartsbd.doctor.iperf3_report import Iperf3Report
from smartsbd.doctor.load import LoadError
from smartsbd.doctor.received import Received

_DIGITS = b"9" * 400
_MOST_LETTERS = 400


def report_of(end: bytes = b"1.5", octets: bytes = b"7", begin: bytes = b"1700000000") -> bytes:
    return (
        b'{"start": {"timestamp": {"timesecs": %b}}, "intervals": [{"streams": [{"socket": 5, "end": 1}],'
        b' "sum": {"end": %b, "bytes": %b}}]}' % (begin, end, octets)
    )


@pytest.mark.parametrize(("octets", "count"), [(b"7", 7), (b"1.5e+16", 15_000_000_000_000_000)])
def test_what_came_is_read(octets: bytes, count: int) -> None:
    table = Iperf3Report.parsed(report_of(octets=octets)).received(0.0)
    assert table == Received([1.7e9, 1.7e9 + 1.5], [0, count])


@pytest.mark.parametrize(
    "value", [b"1e999", b"-1e999", _DIGITS, b"9" * 5000, b"NaN", b"Infinity", b"-1", b'"1"', b"[]"]
)
@pytest.mark.parametrize("name", ["end", "octets", "begin"])
def test_a_value_that_no_test_has_is_said_in_a_short_line(name: str, value: bytes) -> None:
    with pytest.raises(LoadError, match="the output of iperf3 is not as expected: ") as found:
        Iperf3Report.parsed(report_of(**{name: value})).received(0.0)
    assert str(found.value).isprintable() and len(str(found.value)) < _MOST_LETTERS


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"{}", "it does not say when the test began"),
        (b"[1]", "Input should be an object"),
        (b"{", "Invalid JSON: "),
        (b"\xff", "Invalid JSON: "),
        (b'{"end": ' + b"[" * 200_000, "recursion limit"),
        (b'{"intervals": ' + b"[" * 150_000 + b"]" * 150_000 + b"}", "recursion limit"),
        (b'{"error": "it is busy\\n"}', r"iperf3: it is busy\n"),
        (b'{"error": "it is busy", "start": {}, "intervals": []}', "iperf3: it is busy"),
        (b'{"error": "%b"}' % (b"a" * 60_000), "iperf3: aaa"),
        (
            report_of().replace(
                b'"intervals": [', b'"intervals": [{"sum": {"end": 1, "bytes": 4611686018427387904}}, '
            ),
            "more than 4611686018427387904 bytes",
        ),
    ],
)
def test_other_output_is_said_in_a_short_line(text: bytes, why: str) -> None:
    with pytest.raises(LoadError) as found:
        Iperf3Report.parsed(text).received(0.0)
    assert why in str(found.value)
    assert str(found.value).isprintable() and len(str(found.value)) < _MOST_LETTERS


def test_output_that_is_too_long_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(iperf3_report, "_MOST_BYTES", 100)
    (tmp_path / "said.json").write_bytes(b" " * 101)
    with pytest.raises(LoadError, match="has more than 100 bytes"):
        Iperf3Report.read(tmp_path / "said.json")
