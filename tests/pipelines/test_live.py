"""`sbd detect --live`: what is said while samples come is what is said of the whole, in memory that is bounded."""

from __future__ import annotations

import io
import itertools
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from smartsbd.detectors.lag_excess import Criterion, judgements
from smartsbd.detectors.partition import Pair, pairs_of
from smartsbd.detectors.verdict.common_lag import CommonLagRule
from smartsbd.detectors.verdict.timed_judgements import timed_judgements
from smartsbd.features import connection_pairs
from smartsbd.features.reading import DEFAULT
from smartsbd.features.series import SubflowSignals
from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.judging import live, live_common_lag, live_lag_excess
from smartsbd.pipelines.judging.live import Live, LiveJudgement
from smartsbd.pipelines.judging.live_common_lag import CommonLagConnection
from smartsbd.pipelines.judging.live_lag_excess import LagExcessConnection
from smartsbd.pipelines.judging.live_limits import LATE_NS, KeptAtMost
from smartsbd.traces import recording
from smartsbd.traces.dialect import Dialect
from tests.night import few_now
from tests.processes import PATIENCE_S

ROOT = Path(__file__).parents[2]
RECORDED = sorted(
    path for name in ("kernel", "kernel_hard") for path in (ROOT / f"data/samples/{name}/inputs").iterdir()
)
TOKEN = 0x7F3A91C2
RULES = [CommonLagRule(), Criterion()]
each_rule = pytest.mark.parametrize("rule", RULES, ids=["common-lag", "lag-excess"])
Rule = CommonLagRule | Criterion
#: Time, subflow and RTT of a sample.
Sample = tuple[int, int, int]


def signals_of(path: Path) -> dict[int, SubflowSignals]:
    return connection_pairs.signals(recording.only_connection([path], Dialect()), DEFAULT)


def samples_of(signals: dict[int, SubflowSignals]) -> list[Sample]:
    return sorted(
        (time_ns, subflow, rtt_us)
        for subflow, own in signals.items()
        for time_ns, rtt_us in zip(own.rtt_time_ns.tolist(), own.rtt_us.tolist(), strict=True)
    )


def said(one: LiveJudgement) -> dict[str, object]:
    """All of a judgement but the evidence of the lag excess, which is compared by what it comes to."""
    return {name: value for name, value in vars(one).items() if name != "evidence"}


def judged(samples: list[Sample], own: Live) -> dict[Pair, list[dict[str, object]]]:
    found = defaultdict(list)
    for time_ns, subflow, rtt_us in samples:
        for pair, one in own.take(time_ns, TOKEN, subflow, rtt_us):
            found[pair].append(said(one))
    for _, pair, one in own.finish():
        found[pair].append(said(one))
    return dict(found)


def whole_of(signals: dict[int, SubflowSignals], pair: Pair, rule: Rule) -> Iterator[LiveJudgement]:
    x, y = (signals[subflow] for subflow in pair)
    if isinstance(rule, CommonLagRule):
        names = (f"subflow {pair[0]}", f"subflow {pair[1]}")
        yield from timed_judgements(x, y, rule, names)
    else:
        yield from judgements(x, y, rule)


def expected(signals: dict[int, SubflowSignals], rule: Rule) -> dict[Pair, list[dict[str, object]]]:
    found = {pair: [said(one) for one in whole_of(signals, pair, rule)] for pair in pairs_of(signals)}
    return {pair: own for pair, own in found.items() if own}


@each_rule
@pytest.mark.parametrize("path", few_now(RECORDED, now=RECORDED[::6]), ids=lambda path: path.name.partition(".")[0])
def test_judgements_are_those_on_the_whole(path: Path, rule: Rule) -> None:
    signals = signals_of(path)
    whole = expected(signals, rule)
    assert whole
    own = Live(rule)
    assert judged(samples_of(signals), own) == whole
    assert not own.counts


@each_rule
@pytest.mark.parametrize("later", [0, 1])
def test_the_order_in_which_subflows_are_told_changes_nothing(later: int, rule: Rule) -> None:
    """As far as one is not told a second later than the other."""
    signals = signals_of(RECORDED[0])
    late = sorted(samples_of(signals), key=lambda one: one[0] + (one[1] == later) * 900_000_000)
    own = Live(rule)
    assert judged(late, own) == expected(signals, rule)
    assert not own.counts


@each_rule
@pytest.mark.parametrize("late_ns", [0, 900_000_000])
def test_a_third_subflow_makes_pairs_with_the_others(late_ns: int, rule: Rule) -> None:
    signals = signals_of(RECORDED[0])
    signals[7] = signals[0].shifted(3_000_000_000)
    told = sorted(samples_of(signals), key=lambda one: one[0] + (one[1] == 7) * late_ns)
    found = judged(told, Live(rule))
    assert found == expected(signals, rule)
    assert set(found) == {(0, 1), (0, 7), (1, 7)}


def test_what_is_told_too_late_is_counted_and_the_rest_is_judged() -> None:
    """A stop of one subflow's lines, for half a second longer than is waited."""
    signals = signals_of(RECORDED[0])
    from_ns = int(signals[0].rtt_time_ns[0]) + 8 * 10**9
    until_ns = from_ns + LATE_NS + 500_000_000
    told = sorted(samples_of(signals), key=lambda one: until_ns if one[1] and from_ns < one[0] < until_ns else one[0])
    own = Live(CommonLagRule())
    (found,) = judged(told, own).values()
    (whole,) = expected(signals, CommonLagRule()).values()
    assert own.counts.keys() == {live_common_lag.TOLD_LATE}
    assert 0 < own.counts[live_common_lag.TOLD_LATE] < own.samples // 10
    assert found != whole and len(found) > 1 and found[-1]["shared"] is whole[-1]["shared"] is True


@each_rule
def test_a_silence_is_passed_over_at_once(rule: Rule) -> None:
    """Of a day, and then of as long as a log can tell."""
    signals = signals_of(RECORDED[0])
    day = 86_400 * 1_000_000_000
    before = samples_of(signals)
    after = [(time_ns + day, subflow, rtt_us) for time_ns, subflow, rtt_us in before]
    both = {
        subflow: SubflowSignals.of_rtts(
            [one[0] for one in before + after if one[1] == subflow],
            [one[2] for one in before + after if one[1] == subflow],
        )
        for subflow in signals
    }
    assert judged(before + after, Live(rule)) == expected(both, rule)
    own = Live(rule)
    for time_ns, subflow, rtt_us in before:
        list(own.take(time_ns, TOKEN, subflow, rtt_us))
    begun_s = time.process_time()
    judged([(2**62 - 1, subflow, 1) for subflow in signals], own)
    assert time.process_time() - begun_s < 1


def kept_of(own: Live) -> list[int]:
    """How many samples of each subflow the lag excess keeps."""
    connections = [one for one in own.connections() if isinstance(one, LagExcessConnection)]
    return [len(samples.time_ns) for one in connections for samples in one.samples.values()]


def test_the_common_lag_keeps_few_samples() -> None:
    """One subflow alone, then one that is silent, and one that tells a thousand samples a time."""
    own = Live(CommonLagRule(), KeptAtMost(samples=100))
    told = [(time_ns, 1) for time_ns in range(0, 10**11, 10**7)]
    told += [(10**11 + at, 2) for at in range(10)]
    told += [(10**11 + at // 1_000 * 10**7, 1) for at in range(1_000, 6_000)]
    for time_ns, subflow in told:
        list(own.take(time_ns, TOKEN, subflow, 20_000))
    (connection,) = own.connections()
    assert isinstance(connection, CommonLagConnection)
    assert all(len([*samples.to_begin()]) <= 100 + 11 for samples in connection.samples.values())
    assert len(pickle.dumps(connection)) < 50_000
    assert not own.counts


@pytest.mark.slow
def test_what_no_tile_needs_is_dropped() -> None:
    """One subflow alone; then two that are judged, over many tiles."""
    own = Live(Criterion(), KeptAtMost(samples=1 << 14))
    judged([(time_ns, 1, 20_000) for time_ns in range(0, 10**12, 10**7)], own)
    judged([(10**12 + 10**7 * at + subflow, subflow, 20_000) for at in range(20_000) for subflow in (1, 2)], own)
    kept = kept_of(own)
    assert len(kept) == 2
    assert max(kept) < 4096
    assert not own.counts


@each_rule
def test_what_is_kept_has_limits(rule: Rule) -> None:
    own = Live(rule, KeptAtMost(connections=2, subflows=2, samples=4096))
    for token in (1, 2, 3):
        for subflow in (1, 2, 3):
            list(own.take(5, token, subflow, 9))
    list(own.take(5, 0, 1, 9))
    list(own.take(4, 3, 1, 9))
    assert own.counts == {live.FORGOTTEN: 1, live.TOO_MANY_SUBFLOWS: 3, live.EARLY: 1, live.BACKWARDS: 1}
    assert own.samples == 6


def test_a_tile_that_takes_long_has_a_limit_too() -> None:
    """Of fifty round trips of 16 s each."""
    own = Live(Criterion(), KeptAtMost(samples=4096))
    judged([(10**6 * at, subflow, 16_000_000) for at in range(100_000) for subflow in (1, 2)], own)
    assert max(kept_of(own)) <= 4096 + 1024
    assert own.counts[live_lag_excess.DROPPED] > 0


#: What a log may hold besides: neither is judged.
ODD = "# a comment\nsmartsbd: 5 C=0 SF=0 V=RTT 7\nsmartsbd: 5 C=1 SF=0 V=RT\n"


def monotonic(path: Path) -> dict[int, SubflowSignals]:
    """By a clock that a log's eighteen digits hold."""
    signals = signals_of(path)
    start_ns = min(int(own.rtt_time_ns[0]) for own in signals.values())
    return {subflow: own.shifted(10**9 - start_ns) for subflow, own in signals.items()}


def log_of(signals: dict[int, SubflowSignals]) -> str:
    return "".join(
        f"smartsbd: {time_ns} C={TOKEN:x} SF={subflow} V=RTT {rtt}\n" for time_ns, subflow, rtt in samples_of(signals)
    )


def run_live(monkeypatch: pytest.MonkeyPatch, text: str, *options: str) -> int:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    return main(["detect", "--live", "-", *options])


by_name = pytest.mark.parametrize(("name", "rule"), [("common-lag", RULES[0]), ("lag-excess", RULES[1])])


@by_name
def test_changes_alone_are_said(
    name: str, rule: Rule, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    signals = monotonic(RECORDED[0])
    whole = expected(signals, rule)[0, 1]
    assert run_live(monkeypatch, ODD + log_of(signals), "--model", name) == 0
    shown = capsys.readouterr()
    words = [(one["shared"], one["reason"]) for one in whole]
    assert len(shown.out.splitlines()) == 1 + sum(before != after for before, after in itertools.pairwise(words))
    assert f" s  connection {TOKEN:x}, subflows 0 and 1: shared; score " in shown.out
    assert (" such verdicts are wrong\n" in shown.out) is (name == "common-lag")
    assert "not an event line: 1; other lines: 1; token 0: before the connection has one: 1" in shown.err


@by_name
def test_objects_have_what_was_said(
    name: str, rule: Rule, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    signals = monotonic(RECORDED[0])
    whole = expected(signals, rule)[0, 1]
    chosen = [] if name == "common-lag" else ["--model", name]
    assert run_live(monkeypatch, log_of(signals), "--json", "-v", *chosen) == 0
    objects = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for field in ("shared", "reason"):
        assert [one[field] for one in objects] == [one[field] for one in whole]
    assert [one["wrong_share"] for one in objects] == [one.get("wrong_share") for one in whole]
    assert [round(one["time_s"] * 10**9) for one in objects] == [one["decided_ns"] for one in whole]
    assert {(one["token"], one["subflow_a"], one["subflow_b"], one["model"]) for one in objects} == {
        (f"{TOKEN:x}", 0, 1, name)
    }


def test_a_file_that_grows_is_followed(tmp_path: Path) -> None:
    text = log_of(monotonic(RECORDED[0]))
    path = tmp_path / "growing.log"
    path.write_text(text[:1000])
    words = [str(Path(sys.prefix) / "bin/sbd"), "detect", "--live", str(path)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as own:
        assert own.stdout is not None
        # Cut within a line: what follows is the rest of it.
        with path.open("a") as growing:
            growing.write(text[1000:])
        watch = threading.Timer(PATIENCE_S, own.kill)
        watch.start()
        try:
            first = own.stdout.readline()
            own.send_signal(signal.SIGTERM)
            _, messages = own.communicate(timeout=PATIENCE_S)
        finally:
            watch.cancel()
            own.kill()
    assert "subflows 0 and 1: shared" in first
    assert own.returncode == 0
    assert "not an event line" not in messages


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--model", "rfc8382", "-"], "judges by common-lag or lag-excess"),
        (["a.log", "b.log"], "--live takes one INPUT"),
        (["."], "is no regular file"),
        (["nowhere.log"], "nowhere.log: cannot be read: No such file or directory"),
    ],
)
def test_what_cannot_be_followed_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["detect", "--live", *words]) in (2, 3)
    shown = capfd.readouterr().err
    assert message in shown
    assert shown.count("\n") == 1
