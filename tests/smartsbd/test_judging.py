"""What arrays are said to be is what `sbd detect` says of the log that they are from."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from array import array
from pathlib import Path
from typing import Any, assert_type

import numpy as np
import pandas as pd
import pytest

import smartsbd
from smartsbd import JudgedSpan, PairVerdict, PathsVerdict, judge, judge_paths
from smartsbd.detectors.verdict.timed_judgements import NO_QUEUE, NO_QUEUE_ON, TOO_SHORT
from smartsbd.features.lag_excess.lattice import TOO_FEW_SAMPLES
from smartsbd.pipelines.__main__ import main
from tests.night import few_now
from tests.smartsbd.recorded import HARD, KERNEL, ROOT, arrays_of

each = pytest.mark.parametrize(
    "path", few_now([*KERNEL, *HARD], now=[*KERNEL[:2], *HARD[:2]]), ids=lambda path: path.name[:3]
)


def detected(path: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    assert main(["detect", "--quiet", "--json", str(path)]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def of_paths(reason: str | None, names: tuple[str, str]) -> str | None:
    """A reason of `sbd detect` with the names of paths in place of the subflows' numbers."""
    for number, name in zip(("subflow 0", "subflow 1"), names, strict=True):
        reason = reason and reason.replace(f"on {number}", f"on path {name}")
    return reason


def assert_same(
    verdict: PairVerdict, said: list[dict[str, Any]], start_ns: int, end_ns: int, names: tuple[str, str] = ("a", "b")
) -> None:
    """Judgements one by one: what is said, and from when on."""
    ours = [(one.shared, one.score, one.reason, one.wrong_share) for one in verdict.judgements]
    assert ours == [(one["shared"], one["score"], of_paths(one["reason"], names), one["wrong_share"]) for one in said]
    assert (verdict.shared, verdict.score, verdict.reason, verdict.wrong_share) == ours[-1]
    assert (verdict.wrong_share is None) == (verdict.shared is None)
    # A connection begins before its first RTT sample, and may end after its last one.
    from_ns = [start_ns + round(one.from_s * 1e9) for one in verdict.judgements]
    to_ns = [start_ns + round(one.to_s * 1e9) for one in verdict.judgements]
    assert [ns / 1e9 for ns in from_ns[1:]] == [one["window_start_s"] for one in said[1:]]
    assert start_ns <= from_ns[0] < from_ns[1] if len(said) > 1 else start_ns <= from_ns[0]
    assert to_ns[:-1] == from_ns[1:]
    assert from_ns[-1] <= to_ns[-1] <= end_ns


@each
def test_every_judgement_is_that_of_detect(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = arrays_of(path)
    verdict = judge(*given.pair())
    assert_same(verdict, detected(path, capsys), given.start_ns, given.end_ns)
    if verdict.shared is None:
        assert verdict.since_s is None and verdict.reason
    else:
        words = "shared" if verdict.shared else "not shared"
        assert main(["detect", "--quiet", str(path)]) == 0
        line = f"subflows 0 and 1: {words}, from {verdict.since_s:.1f} s on, to the end at"
        assert line in capsys.readouterr().out


def test_the_recordings_have_both_answers_and_reasons_before() -> None:
    said = [judge(*arrays_of(path).pair()) for path in [*KERNEL, *HARD]]
    assert {one.shared for one in said} >= {True, False}
    reasons = {span.reason for one in said for span in one.judgements}
    assert reasons >= {None, TOO_SHORT} and len(reasons) > 2


def test_a_path_without_a_queue_has_no_verdict_and_is_named() -> None:
    times_s = np.arange(3_000) / 100
    busy_s = 0.030 + abs(np.random.default_rng(1).normal(0, 0.002, 3_000).cumsum() % 0.08 - 0.04)
    idle_s, other_s = (0.045 + np.random.default_rng(seed).integers(0, 2_000, 3_000) * 1e-6 for seed in (3, 4))
    for a_s, b_s, name in ((busy_s, idle_s, "path b"), (idle_s, busy_s, "path a")):
        verdict = judge(times_s, a_s, times_s, b_s)
        assert (verdict.shared, verdict.score, verdict.wrong_share) == (None, None, None)
        assert verdict.reason == NO_QUEUE_ON.format(name)
    named = judge_paths({"wifi": (times_s, busy_s), "lte\x1b": (times_s, idle_s), "dsl": (times_s, other_s)})
    assert named.pairs["wifi", "dsl"].reason == NO_QUEUE_ON.format("path dsl")
    assert named.pairs["wifi", "lte\x1b"].reason == NO_QUEUE_ON.format(r"path lte\x1b")
    assert named.pairs["lte\x1b", "dsl"].reason == NO_QUEUE


@each
def test_times_since_1970_have_the_same_verdict(path: Path) -> None:
    """Such times are 240 ns apart; what is told is on their clock."""
    times_a_s, rtts_a_s, times_b_s, rtts_b_s = arrays_of(path).pair()
    plain = judge(times_a_s, rtts_a_s, times_b_s, rtts_b_s)
    since_1970 = judge(times_a_s + 1.79e9, rtts_a_s, times_b_s + 1.79e9, rtts_b_s)
    assert since_1970.shared is plain.shared
    assert since_1970.reason == plain.reason
    if plain.since_s is not None:
        assert since_1970.since_s == plain.since_s + 1.79e9


def test_the_time_of_a_judgement_is_that_of_a_sample() -> None:
    times_a_s, rtts_a_s, times_b_s, rtts_b_s = arrays_of(KERNEL[0]).pair()
    times_a_s, times_b_s = times_a_s + 0.1, times_b_s + 0.1
    verdict = judge(times_a_s, rtts_a_s, times_b_s, rtts_b_s)
    given = {*times_a_s.tolist(), *times_b_s.tolist()}
    assert {one.from_s for one in verdict.judgements} | {verdict.judgements[-1].to_s} <= given


def test_a_verdict_is_taken_back_and_the_last_one_counts() -> None:
    """One queue for 30 s, and then, for longer than is remembered, two."""
    rng = np.random.default_rng(1)
    times_s = np.arange(9_000) / 100
    one_s, other_s = (abs(rng.normal(0, 0.002, times_s.size).cumsum() % 0.08 - 0.04) for _ in range(2))
    verdict = judge(times_s, 0.030 + one_s, times_s, 0.045 + np.where(times_s < 30, one_s, other_s))
    said = [one.shared for one in verdict.judgements]
    assert True in said and verdict.shared is False
    assert verdict.since_s is not None and verdict.since_s > 30
    after = [one.shared for one in verdict.judgements if one.from_s >= verdict.since_s]
    assert set(after) == {False} and said[-len(after) - 1] is not False


def three_subflows(path: Path) -> None:
    """Write a log of one connection: a shared pair, and a subflow of another connection."""
    samples = []
    own = [*list(arrays_of(KERNEL[0]).paths.values())[:2], arrays_of(KERNEL[5]).paths["0"]]
    for subflow, (times_s, rtts_s) in enumerate(own):
        both = zip(np.rint(times_s * 1e9).astype(int), np.rint(rtts_s * 1e6).astype(int), strict=True)
        samples += [(ns, f"{ns} C=5b1 SF={subflow} V=RTT {us}\n") for ns, us in both]
    path.write_text("".join(line for _, line in sorted(samples)))


def test_three_paths_are_judged_as_three_subflows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "three.log"
    three_subflows(log)
    given = arrays_of(log)
    assert list(given.paths) == ["0", "1", "2"]
    verdict = judge_paths(given.paths)
    said = detected(log, capsys)
    assert list(verdict.pairs) == [("0", "1"), ("0", "2"), ("1", "2")]
    for (a, b), own in verdict.pairs.items():
        of_pair = [one for one in said if (one["subflow_a"], one["subflow_b"]) == (int(a), int(b))]
        assert_same(own, of_pair, given.start_ns, given.end_ns, (a, b))
        # The names of paths are in reasons.
        alone = judge(*given.paths[a], *given.paths[b])
        assert (own.shared, own.score, own.since_s) == (alone.shared, alone.score, alone.since_s)
    assert verdict.groups == {"0": 0, "1": 0, "2": 1}


def test_a_path_that_nothing_is_said_of_has_no_group() -> None:
    paths = arrays_of(KERNEL[0]).paths
    times_s, rtts_s = paths["1"]
    verdict = judge_paths({"wifi": paths["0"], "lte": (times_s[:5], rtts_s[:5]), "dsl": paths["1"]})
    assert verdict.groups == {"wifi": 0, "lte": None, "dsl": 0}
    assert verdict.pairs["wifi", "lte"].reason == TOO_FEW_SAMPLES


def test_any_array_of_the_same_numbers_has_the_same_verdict() -> None:
    given = arrays_of(KERNEL[0]).pair()
    verdict = judge(*given)
    lists = [own.tolist() for own in given]
    assert judge(*lists) == verdict
    assert judge(*(tuple(own) for own in lists)) == verdict
    assert judge(*(array("d", own) for own in lists)) == verdict
    assert judge(*(pd.Series(own, index=range(5, 5 + own.size)) for own in given)) == verdict
    assert judge(*(np.append(own, own)[::-1][: own.size][::-1] for own in given)) == verdict
    assert judge(*(own.astype(np.longdouble) for own in given)) == verdict


def test_it_changes_nothing_that_it_is_given() -> None:
    given = arrays_of(KERNEL[0]).pair()
    for own in given:
        own.setflags(write=False)
    judge(*given)


def test_little_data_is_no_error() -> None:
    nothing = judge([], [], [], [])
    assert nothing == PairVerdict(None, None, TOO_FEW_SAMPLES, None, (), None, nothing.limits)
    assert nothing.limits[0].startswith("Paths a and b: no RTT.")
    one = judge([3], [0.02], [], [])
    assert one.judgements == (JudgedSpan(3, 3, None, None, TOO_FEW_SAMPLES),)
    times_s = np.arange(20) / 100
    short = judge(times_s, np.full(20, 0.02), times_s, np.full(20, 0.03))
    assert short == PairVerdict(
        None, None, TOO_SHORT, None, (JudgedSpan(0, 0.19, None, None, TOO_SHORT),), None, short.limits
    )


def test_equal_times_and_times_before_zero_are_taken() -> None:
    given = arrays_of(KERNEL[0]).pair()
    earlier = judge(given[0] - 100, given[1], given[2] - 100, given[3])
    assert (earlier.shared, earlier.score) == (True, judge(*given).score)
    assert earlier.since_s is not None and earlier.since_s < 0
    twice = judge(*(np.repeat(own, 2) for own in given))
    assert twice.shared is True


def test_what_is_promised_to_stay() -> None:
    """docs/python.md says so: no name, parameter or field goes, and none comes in between."""
    verdicts = ["JudgedSpan", "PairVerdict", "PathsVerdict"]
    others = ["Recordings", "SamplesError", "SharedBottleneckClassifier", "__version__", "datasets"]
    assert smartsbd.__all__ == [*verdicts, *others, "judge", "judge_paths", "read"]
    assert all(getattr(smartsbd, name) is not None for name in smartsbd.__all__)
    assert set(smartsbd.__all__) <= set(dir(smartsbd))
    fields = {
        one: [field.name for field in dataclasses.fields(one) if not field.name.startswith("_")]
        for one in (PairVerdict, JudgedSpan, PathsVerdict)
    }
    assert fields == {
        PairVerdict: ["shared", "score", "reason", "since_s", "judgements", "wrong_share", "limits", "omitted"],
        JudgedSpan: ["from_s", "to_s", "shared", "score", "reason", "wrong_share"],
        PathsVerdict: ["pairs", "groups"],
    }
    times_s, rtts_s = [0.0], [0.02]
    named = judge(times_a_s=times_s, rtts_a_s=rtts_s, times_b_s=times_s, rtts_b_s=rtts_s)
    assert_type(named, PairVerdict)
    assert_type(judge_paths(paths={"a": (times_s, rtts_s), "b": (times_s, rtts_s)}), PathsVerdict)
    assert_type(named.shared, bool | None)
    assert_type(named.score, float | None)
    assert_type(named.reason, str | None)
    assert_type(named.since_s, float | None)
    assert_type(named.judgements, tuple[JudgedSpan, ...])
    assert (Path(smartsbd.__file__).parent / "py.typed").is_file()


def test_importing_it_loads_nothing_that_is_slow() -> None:
    script = """
import sys
before = set(sys.modules)
import smartsbd
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before} - sys.stdlib_module_names))
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["smartsbd"]
