"""What is no array of RTT samples is refused whole, in one line that says where and why."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from smartsbd import SamplesError, judge, judge_paths
from smartsbd.contracts.fault import InputFault

TIMES_S = [0.0, 0.1, 0.2]
RTTS_S = [0.02, 0.03, 0.02]
NAN = float("nan")


@pytest.fixture(autouse=True)
def _no_warning() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize(
    ("times_s", "rtts_s", "message"),
    [
        (TIMES_S, [0.02], "times_a_s has 3 values and rtts_a_s has 1: every sample is one of each"),
        (TIMES_S, [0.02, NAN, 0.02], "rtts_a_s[1] is nan: every value is a finite number"),
        (TIMES_S, [0.02, NAN, -float("inf")], "rtts_a_s[1] is nan, as are 1 more: every value is a finite number"),
        ([0.0, float("inf"), 0.2], RTTS_S, "times_a_s[1] is inf: every value is a finite number"),
        ([0.0, 0.2, 0.1], RTTS_S, "times_a_s[2] is 0.1: times ascend, and this one is before the last"),
        (TIMES_S, [0.02, 0.0, 0.02], "rtts_a_s[1] is 0: an RTT is from 1e-06 to 2147.48 s"),
        (TIMES_S, [0.02, -0.02, 0.02], "rtts_a_s[1] is -0.02: an RTT is from 1e-06 to 2147.48 s"),
        (TIMES_S, [0.02, 4e-7, 0.02], "rtts_a_s[1] is 4e-07: an RTT is from 1e-06 to 2147.48 s"),
        (TIMES_S, [20_000, 30_000, 20_000], "rtts_a_s[0] is 20000, as are 2 more: an RTT is from 1e-06 to 2147.48 s"),
        (TIMES_S, [0.02, 1e308, 0.02], "rtts_a_s[1] is 1e+308: an RTT is from 1e-06 to 2147.48 s"),
        ([0.0, 0.1, 5e9], RTTS_S, "times_a_s[2] is 5000000000: times are no more than 4.61e+09 s apart"),
        ([-1e308, 0.1, 1e308], RTTS_S, "times_a_s[1] is 0.1, as are 1 more: times are no more than 4.61e+09 s apart"),
        ([TIMES_S], [RTTS_S], "times_a_s has 2 dimensions: one is needed"),
        (3.0, 0.02, "times_a_s has 0 dimensions: one is needed"),
        (["0", "1", "2"], RTTS_S, "times_a_s is of type <U1: numbers of seconds are needed"),
        ([0.0, None, 0.2], RTTS_S, "times_a_s is of type object: numbers of seconds are needed"),
        ([True, True, True], RTTS_S, "times_a_s is of type bool: numbers of seconds are needed"),
        (iter(TIMES_S), RTTS_S, "times_a_s is of type object: numbers of seconds are needed"),
        ([1j, 1j, 1j], RTTS_S, "times_a_s is of type complex128: numbers of seconds are needed"),
        (
            TIMES_S,
            pd.to_datetime(RTTS_S),
            "rtts_a_s are dates without a time zone: numbers of seconds, or durations, are needed",
        ),
        (
            pd.to_datetime(TIMES_S, unit="s"),
            RTTS_S,
            "times_a_s are dates without a time zone, and times_b_s are numbers: all paths have one clock",
        ),
        (pd.Series([0.0, None, 0.2], dtype="Float64"), RTTS_S, "times_a_s[1] is nan: every value is a finite number"),
        (
            np.array(["3000-01-01"] * 3, dtype="datetime64[s]"),
            RTTS_S,
            "times_a_s has what is more than 292 years from 1970, or lasts as long",
        ),
        (
            np.ma.masked_greater(TIMES_S, 0.1),
            RTTS_S,
            "times_a_s has masked values: leave those samples out of both arrays",
        ),
    ],
)
def test_it_is_refused(times_s: Any, rtts_s: Any, message: str) -> None:
    with pytest.raises(SamplesError) as refused:
        judge(times_s, rtts_s, TIMES_S, RTTS_S)
    assert str(refused.value) == message


def test_arrays_of_no_one_shape_are_refused() -> None:
    with pytest.raises(SamplesError, match=r"^times_a_s is no array of numbers: .*inhomogeneous"):
        judge([[0.0], [0.1, 0.2], []], RTTS_S, TIMES_S, RTTS_S)


def test_the_second_path_is_checked_too() -> None:
    with pytest.raises(SamplesError, match=r"^rtts_b_s\[0\] is -1: "):
        judge(TIMES_S, RTTS_S, TIMES_S, [-1, 1, 1])


def test_paths_are_named() -> None:
    with pytest.raises(SamplesError, match=r"^paths\['lte'\]\[1\]\[2\] is nan: "):
        judge_paths({"wifi": (TIMES_S, RTTS_S), "lte": (TIMES_S, [1, 1, NAN])})
    with pytest.raises(SamplesError, match=r"^paths\['l\\n'\] is not two arrays, times and RTTs$"):
        judge_paths({"wifi": (TIMES_S, RTTS_S), "l\n": (TIMES_S,)})  # type: ignore[dict-item]
    with pytest.raises(SamplesError, match=r"^fewer than two paths: 1$"):
        judge_paths({"wifi": (TIMES_S, RTTS_S)})


def test_both_kinds_of_handler_catch_it() -> None:
    """Who calls it expects a ValueError, and our commands show a fault in one line."""
    assert issubclass(SamplesError, ValueError)
    assert issubclass(SamplesError, InputFault)


@pytest.mark.parametrize("rtt_s", [1e-6, 5.1e-7, 2147.483647])
def test_the_bounds_of_an_rtt_are_within(rtt_s: float) -> None:
    assert judge(TIMES_S, [rtt_s] * 3, TIMES_S, RTTS_S).reason == "a subflow has fewer than ten RTT samples"
