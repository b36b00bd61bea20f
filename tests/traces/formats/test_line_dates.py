"""A date in each of the forms that people have is read; what only resembles one is not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartsbd.traces.formats.line_dates import LineDates

S = 1_000_000_000
#: 2026-11-21T03:24:08Z.
AT = 1_795_231_448
HOUR = 3600


@pytest.mark.parametrize(
    ("text", "time_ns", "resolution_ns"),
    [
        ("1795231448", AT * S, S),
        ("1795231448953", AT * S + 953_000_000, 1_000_000),
        ("1795231448953986", AT * S + 953_986_000, 1000),
        ("1795231448953986048", AT * S + 953_986_048, 1),
        ("1795231448.953985929", AT * S + 953_985_929, 1),
        ("1795231448,95", AT * S + 950_000_000, 10_000_000),
        ("# 1795231448.5\r", AT * S + 500_000_000, 100_000_000),
        ("[1795231448.953986]", AT * S + 953_986_000, 1000),
        ('"1795231448.5"', AT * S + 500_000_000, 100_000_000),
        ("1795231448.5:", AT * S + 500_000_000, 100_000_000),
        ("@1795231448", AT * S, S),
        ("=== 1795231448.5 ===", AT * S + 500_000_000, 100_000_000),
        ("Timestamp: 1795231448.953986", AT * S + 953_986_000, 1000),
        ("time=1795231448", AT * S, S),
        ("epoch_ms: 1795231448953", AT * S + 953_000_000, 1_000_000),
        ("sample time: 2026-11-21T03:24:08Z", AT * S, S),
        ("2026-11-21T03:24:08", AT * S, S),
        ("2026-11-21 03:24:08.25", AT * S + 250_000_000, 10_000_000),
        ("2026-11-21T03:24:08,953985929+00:00", AT * S + 953_985_929, 1),
        ("2026-11-21T03:24:08-0130", (AT + HOUR * 3 // 2) * S, S),
        ("2026-11-21 03:24:08 +01", (AT - HOUR) * S, S),
        ("2026-11-21 03:24:08 CET", AT * S, S),
        ("2026/11/21 03:24:08", AT * S, S),
        ("20261121032408", AT * S, S),
        ("20261121_032408", AT * S, S),
        ("20261121T032408.5Z", AT * S + 500_000_000, 100_000_000),
        ("Sat Nov 21 03:24:08 UTC 2026", AT * S, S),
        ("Sat Nov 21 03:24:08 AM UTC 2026", AT * S, S),
        ("Sat 21 Nov 2026 03:24:08 PM CET", (AT + 12 * HOUR) * S, S),
        ("Sat Nov 21 12:24:08 AM UTC 2026", (AT - 3 * HOUR) * S, S),
        ("Sat, 21 Nov 2026 03:24:08 +0100", (AT - HOUR) * S, S),
        ("Saturday, November 21, 2026 3:24:08 AM", AT * S, S),
        ("Sa 21. Nov 03:24:08 CET 2026", AT * S, S),
        ("Mo 21. Dez 2026 03:24:08 CET", (AT + 30 * 24 * HOUR) * S, S),
        ("sam. 21 nov. 2026 03:24:08 CET", AT * S, S),
        ("samedi 21 novembre 2026, 03:24:08 (UTC+0000)", AT * S, S),
        ("sáb 21 nov 2026 03:24:08 CET", AT * S, S),
        ("sab 21 nov 2026, 03:24:08, CET", AT * S, S),
        ("2026年 11月 21日 土曜日 03:24:08 UTC", AT * S, S),
        ("2026. 11. 21.", None, 0),
        ("123.45 567.89", 123_450_000_000, 10_000_000),
        ("12345", None, 0),
        ("123456789", None, 0),
        ("Total: 1795231448", None, 0),
        ("1795231448 bytes", None, 0),
        ("1795231448.5.5", None, 0),
        ("2026-13-21T03:24:08", None, 0),
        ("2026-11-31T03:24:08", None, 0),
        ("2026-11-21T25:24:08", None, 0),
        ("1969-11-21T03:24:08Z", None, 0),
        ("Sat Abc 21 03:24:08 UTC 2026", None, 0),
        ("Sat Nov 21 13:24:08 PM UTC 2026", None, 0),
        ("", None, 0),
        ("x", None, 0),
        (" " * 200 + "1795231448", None, 0),
    ],
)
def test_a_date_alone(text: str, time_ns: int | None, resolution_ns: int) -> None:
    date = LineDates().alone(text.encode())
    assert (date and (date.time_ns, date.resolution_ns)) == (time_ns and (time_ns, resolution_ns))


@pytest.mark.parametrize(
    ("line", "time_ns", "rest"),
    [
        (b"1795231448.953986 ESTAB 0", AT * S + 953_986_000, b"ESTAB 0"),
        (b"1795231448.953986 \t cubic", AT * S + 953_986_000, b"\t cubic"),
        (b"1795231448.5\tESTAB", AT * S + 500_000_000, b"ESTAB"),
        (b"1795231448: 64 bytes", AT * S, b"64 bytes"),
        (b"1795231448.5 - 64 bytes", AT * S + 500_000_000, b"64 bytes"),
        (b"[1795231448.953986] 64 bytes", AT * S + 953_986_000, b"64 bytes"),
        (b"[12.5] 64 bytes", 12_500_000_000, b"64 bytes"),
        (b"[2026-11-21 03:24:08] 64 bytes", AT * S, b"64 bytes"),
        (b"2026-11-21 03:24:08 ESTAB 0", AT * S, b"ESTAB 0"),
        (b"2026-11-21T03:24:08.5+0100 ESTAB 0", (AT - HOUR) * S + 500_000_000, b"ESTAB 0"),
        (b"2026-11-21 03:24:08 CET | 64 bytes", AT * S, b"64 bytes"),
        (b"Sat Nov 21 03:24:08 UTC 2026: 64 bytes", AT * S, b"64 bytes"),
        (b"Sat Nov 21 03:24:08 2026 ESTAB", AT * S, b"ESTAB"),
        (b"0 0 10.0.0.1:1 10.0.0.2:2", None, b""),
        (b"123456789 0 10.0.0.1:1 10.0.0.2:2", None, b""),
        (b"64 bytes from 10.0.0.1", None, b""),
        (b"1795231448.5", None, b""),
        (b"1795231448.5 \r", None, b""),
        (b"1795231448.5ESTAB 0", None, b""),
    ],
)
def test_a_date_before_text(line: bytes, time_ns: int | None, rest: bytes) -> None:
    date = LineDates().before(line)
    assert (date and (date.time_ns, line[date.end :])) == (time_ns and (time_ns, rest))


def test_a_date_without_a_day_goes_on_over_midnight() -> None:
    dates = LineDates()
    first, second, third = (
        dates.before(b"%b 64 bytes" % time) for time in (b"23:59:59.5", b"00:00:01.25", b"0:00:01.5")
    )
    assert first and second and third
    assert (second.time_ns - first.time_ns, third.time_ns - second.time_ns) == (1_750_000_000, 250_000_000)


def test_a_date_without_a_year_goes_on_over_the_year() -> None:
    dates = LineDates()
    first, second, third = (
        dates.before(b"%b 64 bytes" % time) for time in (b"Dec 31 23:59:59", b"Jan  1 00:00:01", b"Feb 28 00:00:01")
    )
    assert first and second and third
    assert (second.time_ns - first.time_ns, third.time_ns - second.time_ns) == (2 * S, 58 * 24 * HOUR * S)


def test_a_clock_that_is_set_back_goes_back() -> None:
    dates = LineDates()
    first, second = (dates.before(b"%b 64 bytes" % time) for time in (b"Nov 21 03:24:08", b"Nov 21 02:24:09"))
    assert first and second and second.time_ns < first.time_ns


@given(
    st.datetimes(datetime(1970, 1, 3), datetime(2099, 1, 1)),
    st.integers(-14 * 60, 14 * 60),
    st.sampled_from(["%Y-%m-%dT%H:%M:%S.%f%z", "%Y/%m/%d %H:%M:%S,%f %z", "%Y%m%dT%H%M%S.%f%z"]),
)
def test_every_time_is_the_one_that_datetime_wrote(naive: datetime, minutes: int, form: str) -> None:
    time = naive.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    date = LineDates().alone(time.strftime(form).encode())
    since = time - datetime(1970, 1, 1, tzinfo=UTC)
    assert date is not None
    assert date.time_ns == (since // timedelta(microseconds=1)) * 1000


@given(
    st.one_of(st.binary(max_size=120), st.text(alphabet="0123456789 :-T.,[]NovSat2026", max_size=60).map(str.encode))
)
def test_any_line_has_one_date_at_most(line: bytes) -> None:
    alone, before = LineDates().alone(line), LineDates().before(line)
    assert alone is None or before is None
    assert before is None or (0 < before.end < len(line) and before.time_ns >= 0)
