"""`sbd detect --live`: what is said while samples come is what is said of the whole, in memory that is bounded."""

from __future__ import annotations

import io
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path

import pytest

from features import connection_pairs
from features.reading import DEFAULT
from features.series import SubflowSignals
from models.detectors.lag_excess import Criterion, Judgement, judgements
from models.partition import Pair, pairs_of
from pipelines.__main__ import main
from pipelines.judging import live
from pipelines.judging.live import KeptAtMost, Live
from tests.night import few_now
from tests.processes import PATIENCE_S
from traces import recording
from traces.dialect import Dialect

ROOT = Path(__file__).parents[2]
RECORDED = sorted(
    path for name in ("kernel", "kernel_hard") for path in (ROOT / f"data/samples/{name}/inputs").iterdir()
)
TOKEN = 0x7F3A91C2
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


def said(one: Judgement) -> tuple[object, ...]:
    return one.decided_ns, one.start_ns, one.end_ns, one.shared, one.score_q10, one.reason


def judged(samples: list[Sample], own: Live) -> dict[Pair, list[tuple[object, ...]]]:
    found = defaultdict(list)
    for time_ns, subflow, rtt_us in samples:
        for pair, one in own.take(time_ns, TOKEN, subflow, rtt_us):
            found[pair].append(said(one))
    return dict(found)


def expected(signals: dict[int, SubflowSignals]) -> dict[Pair, list[tuple[object, ...]]]:
    found = {
        pair: [said(one) for one in judgements(signals[pair[0]], signals[pair[1]], Criterion())]
        for pair in pairs_of(signals)
    }
    return {pair: own for pair, own in found.items() if own}


@pytest.mark.parametrize("path", few_now(RECORDED, now=RECORDED[::6]), ids=lambda path: path.name.partition(".")[0])
def test_judgements_are_those_on_the_whole(path: Path) -> None:
    signals = signals_of(path)
    whole = expected(signals)
    assert whole
    own = Live(Criterion())
    assert judged(samples_of(signals), own) == whole
    assert not own.counts


def test_the_order_in_which_subflows_are_told_changes_nothing() -> None:
    """As far as one is not told a second later than the other."""
    signals = signals_of(RECORDED[0])
    late = sorted(samples_of(signals), key=lambda one: one[0] + one[1] * 900_000_000)
    assert judged(late, Live(Criterion())) == expected(signals)


def test_a_third_subflow_makes_pairs_with_the_others() -> None:
    signals = signals_of(RECORDED[0])
    signals[7] = signals[0].shifted(3_000_000_000)
    found = judged(samples_of(signals), Live(Criterion()))
    assert found == expected(signals)
    assert set(found) == {(0, 1), (0, 7), (1, 7)}


def test_a_silence_is_passed_over_at_once() -> None:
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
    own = Live(Criterion())
    assert judged(before + after, own) == expected(both)
    begun_s = time.process_time()
    judged([(2**62 - 1, subflow, 1) for subflow in signals], own)
    assert time.process_time() - begun_s < 1


@pytest.mark.slow
def test_what_no_tile_needs_is_dropped() -> None:
    """One subflow alone; then two that are judged, over many tiles."""
    own = Live(Criterion(), KeptAtMost(samples=1 << 14))
    judged([(time_ns, 1, 20_000) for time_ns in range(0, 10**12, 10**7)], own)
    judged([(10**12 + 10**7 * at + subflow, subflow, 20_000) for at in range(20_000) for subflow in (1, 2)], own)
    kept = [len(one.time_ns) for one in own.samples_kept()]
    assert len(kept) == 2
    assert max(kept) < 4096
    assert not own.counts


def test_what_is_kept_has_limits() -> None:
    own = Live(Criterion(), KeptAtMost(connections=2, subflows=2, samples=4096))
    for token in (1, 2, 3):
        for subflow in (1, 2, 3):
            list(own.take(5, token, subflow, 9))
    list(own.take(5, 0, 1, 9))
    list(own.take(4, 3, 1, 9))
    assert own.counts == {live.FORGOTTEN: 1, live.TOO_MANY_SUBFLOWS: 3, live.EARLY: 1, live.BACKWARDS: 1}
    assert own.samples == 6
    # A tile of fifty round trips of 16 s each: what is kept of it has a limit too.
    own = Live(Criterion(), KeptAtMost(samples=4096))
    judged([(10**6 * at, subflow, 16_000_000) for at in range(100_000) for subflow in (1, 2)], own)
    assert max(len(one.time_ns) for one in own.samples_kept()) <= 4096 + 1024
    assert own.counts[live.DROPPED] > 0


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


def test_changes_alone_are_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    signals = monotonic(RECORDED[0])
    whole = expected(signals)[0, 1]
    assert run_live(monkeypatch, ODD + log_of(signals)) == 0
    shown = capsys.readouterr()
    changes = 1 + sum(before[3::2] != after[3::2] for before, after in itertools.pairwise(whole))
    assert len(shown.out.splitlines()) == changes
    assert f" s  connection {TOKEN:x}, subflows 0 and 1: shared; score " in shown.out
    assert "not an event line: 1; other lines: 1; token 0: before the connection has one: 1" in shown.err


def test_objects_have_what_was_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    signals = monotonic(RECORDED[0])
    whole = expected(signals)[0, 1]
    assert run_live(monkeypatch, log_of(signals), "--json", "-v") == 0
    objects = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["shared"] for one in objects] == [one[3] for one in whole]
    assert [round(one["time_s"] * 10**9) for one in objects] == [one[0] for one in whole]
    assert {(one["token"], one["subflow_a"], one["subflow_b"], one["model"]) for one in objects} == {
        (f"{TOKEN:x}", 0, 1, "lag-excess")
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
        (["--model", "rfc8382", "-"], "judges by lag-excess"),
        (["a.log", "b.log"], "--live takes one INPUT"),
        (["."], "is no regular file"),
        (["nowhere.log"], "nowhere.log: no such file"),
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
