"""What a user of pandas has, dates, durations, tables and gaps, is judged as the arrays of seconds that it holds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from smartsbd import SamplesError, judge, judge_paths
from smartsbd.judging import PairVerdict
from tests.smartsbd.recorded import KERNEL, arrays_of

TIMES_A_S, RTTS_A_S, TIMES_B_S, RTTS_B_S = arrays_of(KERNEL[0]).pair()
PLAIN = judge(TIMES_A_S, RTTS_A_S, TIMES_B_S, RTTS_B_S)
BEGIN = pd.Timestamp("2026-03-01 12:00")
NAN = float("nan")


def dates(times_s: Any, zone: str | None = None) -> pd.DatetimeIndex:
    since = pd.to_timedelta(np.rint(times_s * 1e9).astype(np.int64), unit="ns")
    return pd.DatetimeIndex(BEGIN + since).tz_localize(zone)


def tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    return (
        pd.DataFrame({"time_s": TIMES_A_S, "rtt_s": RTTS_A_S}),
        pd.DataFrame({"time_s": TIMES_B_S, "rtt_s": RTTS_B_S}),
    )


def both() -> pd.DataFrame:
    a, b = tables()
    return pd.concat([a.assign(path="wifi"), b.assign(path="lte")]).sort_values("time_s", kind="stable")


def wide() -> pd.DataFrame:
    """A column for each path, with an empty cell where the other one's sample was taken."""
    a, b = tables()
    named = (a.rename(columns={"rtt_s": "wifi_rtt_s"}), b.rename(columns={"rtt_s": "lte_rtt_s"}))
    return pd.concat(named).sort_values("time_s", kind="stable")


def in_units() -> tuple[pd.DataFrame, pd.DataFrame]:
    a, b = tables()
    return (
        pd.DataFrame({"time_ns": np.rint(a["time_s"] * 1e9).astype("int64"), "rtt_us": a["rtt_s"] * 1e6}),
        pd.DataFrame({"RTT (ms)": 1e3 * b["rtt_s"], "time_ms": 1e3 * b["time_s"]}).astype("Float64"),
    )


@pytest.mark.parametrize(
    "verdict",
    [
        lambda: judge(*tables()),
        lambda: judge(both()),
        lambda: judge(both().assign(connection="one", subflow=7)),
        lambda: judge(wide()),
        lambda: judge(*in_units()),
        lambda: judge(*(table.rename(columns={"rtt_s": "rtt"}) for table in tables()), unit="s"),
        lambda: judge(*(table.set_index("time_s") for table in tables())),
        lambda: judge_paths(both()).pairs["wifi", "lte"],
        lambda: judge_paths(dict(zip(("wifi", "lte"), tables(), strict=True))).pairs["wifi", "lte"],
    ],
    ids=["two", "long", "read", "wide", "units", "unit", "index", "paths", "mapping"],
)
def test_tables_are_judged_as_their_arrays(verdict: Callable[[], PairVerdict]) -> None:
    said = verdict()
    assert (said.shared, said.score, said.since_s, len(said.judgements)) == (
        *(PLAIN.shared, PLAIN.score, PLAIN.since_s),
        len(PLAIN.judgements),
    )


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_dates_and_durations_have_the_same_verdict_and_are_dates_in_its_table(zone: str | None) -> None:
    a, b = (pd.to_timedelta(1e3 * rtts, unit="ms") for rtts in (RTTS_A_S, RTTS_B_S))
    times_a, times_b = dates(TIMES_A_S, zone), dates(TIMES_B_S, zone)
    said = judge(times_a, a, times_b, b)
    assert (said.shared, said.reason) == (PLAIN.shared, PLAIN.reason)
    assert judge(pd.DataFrame({"rtt": a}, index=times_a), pd.DataFrame({"rtt": b, "time": times_b})) == said
    assert judge(times_a.to_numpy(), a.to_numpy(), times_b.to_numpy(), b.to_numpy()).score == said.score
    whole = [datetime(2026, 3, 1) + timedelta(seconds=time_s) for time_s in TIMES_A_S.tolist()]
    assert judge(whole, RTTS_A_S, whole, RTTS_A_S).shared is True
    frame = said.to_frame()
    first = min(times_a[0], times_b[0])
    assert abs(frame["from_time"].iloc[0] - (first if zone is None else first.tz_convert("UTC"))) <= pd.Timedelta("1us")
    assert (frame["from_time"].iloc[1:] == frame["to_time"].iloc[:-1].to_numpy()).all() or zone is not None
    assert "2026-03-01 1" in repr(said)


def test_times_of_two_kinds_are_no_clock() -> None:
    naive, aware = dates(TIMES_A_S), dates(TIMES_A_S, "UTC")
    with pytest.raises(SamplesError, match="all paths have one clock"):
        judge(naive, RTTS_A_S, aware, RTTS_A_S)
    with pytest.raises(SamplesError, match="all paths have one clock"):
        judge_paths({"wifi": (naive, RTTS_A_S), "lte": (TIMES_B_S, RTTS_B_S)})


def test_what_is_not_a_number_is_refused_or_left_out_and_counted() -> None:
    times_s, rtts_s = np.insert(TIMES_A_S, 100, TIMES_A_S[100]), np.insert(RTTS_A_S, 100, NAN)
    with pytest.raises(SamplesError, match=r"rtts_a_s\[100\] is nan"):
        judge(times_s, rtts_s, TIMES_B_S, RTTS_B_S)
    said = judge(times_s, rtts_s, TIMES_B_S, RTTS_B_S, nan_policy="omit")
    assert said.omitted == (1, 0) and "left out 1 samples" in repr(said)
    assert said.judgements == PLAIN.judgements
    gaps: tuple[tuple[Any, Any], ...] = (
        (pd.Series(times_s), pd.Series(rtts_s).astype("Float64")),
        (times_s, np.ma.masked_invalid(rtts_s)),
        (np.where(np.isnan(rtts_s), NAN, times_s), np.nan_to_num(rtts_s, nan=0.1)),
    )
    for given in gaps:
        assert judge(*given, TIMES_B_S, RTTS_B_S, nan_policy="omit").judgements == PLAIN.judgements
    # The place of what is still wrong is that of the caller.
    with pytest.raises(SamplesError, match=r"rtts_a_s\[200\] is -1"):
        judge(times_s, np.where(np.arange(rtts_s.size) == 200, -1, rtts_s), TIMES_B_S, RTTS_B_S, nan_policy="omit")
    with pytest.raises(SamplesError, match="is inf"):
        judge(times_s, np.nan_to_num(rtts_s, nan=np.inf), TIMES_B_S, RTTS_B_S, nan_policy="omit")
    with pytest.raises(SamplesError, match="nan_policy is 'drop'"):
        judge(times_s, rtts_s, TIMES_B_S, RTTS_B_S, nan_policy="drop")  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda: (both().assign(path="one"),), "frame has 1 paths (one): judge takes two"),
        (lambda: (tables()[0],), "frame has 1 paths (no column names one)"),
        (lambda: (both(), tables()[0]), "frame_a has 2 paths: each of two tables is of one"),
        (lambda: (both().assign(connection=both()["path"]),), "frame has 2 connections: judge each by itself"),
        (lambda: (both().assign(path=None),), "rows name no path"),
        (lambda: (both().rename(columns={"rtt_s": "rtt"}),), "names no unit"),
        (lambda: (both().rename(columns={"rtt_s": "srtt_s"}),), "a smoothed RTT is no sample"),
        (lambda: (both().iloc[::-1],), "times ascend"),
        (lambda: tables() + tables()[:1], "3 tables: judge takes two"),
    ],
)
def test_tables_that_are_not_clear_are_refused(given: Callable[[], Any], message: str) -> None:
    with pytest.raises(SamplesError) as refused:
        judge(*given())
    assert message in str(refused.value) and "--" not in str(refused.value)


def test_what_is_neither_arrays_nor_tables_is_refused() -> None:
    for given in ((TIMES_A_S,), (TIMES_A_S, RTTS_A_S), (*tables(), TIMES_A_S), (None, *tables())):
        with pytest.raises(TypeError, match="judge takes four arrays"):
            judge(*given)


def test_limits_are_those_of_detect(capsys: pytest.CaptureFixture[str]) -> None:
    assert PLAIN.limits == ()
    thinned = judge(TIMES_A_S[::200], RTTS_A_S[::200], TIMES_B_S, RTTS_B_S)
    assert len(thinned.limits) == 1 and thinned.limits[0].startswith("Path a: an RTT every ")
    apart = judge(TIMES_A_S, RTTS_A_S, TIMES_B_S + 1000, RTTS_B_S)
    assert any("never recorded at the same time" in limit for limit in apart.limits)
    assert "1 limit" in repr(thinned)


def test_a_verdict_is_short_and_a_table() -> None:
    assert repr(PLAIN) == "<PairVerdict: shared since 3.99 s, score 6.08; of such verdicts 0.16 % are wrong>"
    frame = PLAIN.to_frame()
    assert list(frame) == ["from_s", "to_s", "shared", "score", "wrong_share", "reason"]
    assert len(frame) == len(PLAIN.judgements)
    assert frame["shared"].iloc[0] is pd.NA and frame["shared"].iloc[-1]
    assert judge([], [], [], []).to_frame().empty
    of_paths = judge_paths(both())
    assert repr(of_paths) == "<PathsVerdict: 2 paths in 1 group: wifi, lte>"
    assert of_paths.to_frame()[["path_a", "path_b", "shared"]].to_numpy().tolist() == [["wifi", "lte", True]]


def test_it_is_drawn_where_the_caller_wants() -> None:
    mpl.use("agg")
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots()
    assert judge(both()).plot(ax) is ax
    assert [line.get_label() for line in ax.get_lines()] == ["path wifi", "path lte"]
    assert ax.get_lines()[0].get_ydata().max() == pytest.approx(1e3 * RTTS_A_S.max())  # type: ignore[union-attr]
    assert "shared since" in ax.get_title(loc="left")
    plt.close(figure)
    with pytest.raises(ValueError, match="no samples to draw"):
        PairVerdict(None, None, None, None, ()).plot()
