"""`sbd inspect` and `sbd detect`: what they say is what the pipeline says; what they cannot say has a reason."""

from __future__ import annotations

import importlib.util
import io
import itertools
import json
import re
import shutil
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from smartsbd.contracts.contract import read_table
from smartsbd.contracts.tables import PREDICTION
from smartsbd.detectors import DETECTORS
from smartsbd.detectors.lag_excess import Criterion, judgements
from smartsbd.detectors.verdict import default_detector
from smartsbd.detectors.verdict.calibration import wrong_in_words, wrong_share
from smartsbd.detectors.verdict.common_lag import CommonLagRule
from smartsbd.detectors.verdict.timed_judgements import NO_QUEUE, NO_QUEUE_ON, TOO_SHORT, timed_judgements
from smartsbd.export import shipped
from smartsbd.features import connection_pairs
from smartsbd.features.lag_excess import lattice
from smartsbd.features.lag_excess.lattice import TOO_FEW_SAMPLES
from smartsbd.features.reading import DEFAULT
from smartsbd.features.series import SubflowSignals
from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.commands import detect
from smartsbd.pipelines.reporting.figures.pair_delays import PairDelays
from smartsbd.pipelines.running.stage import EXIT_BAD_INPUT, EXIT_USAGE
from smartsbd.traces import recording, stored
from smartsbd.traces.dialect import Dialect
from tests.pipelines.test_new_dataset import log_of
from tests.pipelines.test_selection import MODELS

ROOT = Path(__file__).parents[2]
KERNEL = ROOT / "data/samples/kernel/inputs"
CAPTURES = ROOT / "data/samples/kernel_captures/inputs"
FIELDS = [
    *("input", "connection_id", "subflow_a", "subflow_b", "window_start_s", "window_s"),
    *("shared", "score", "model", "reason", "wrong_share"),
]
EVENT = "5 C={} SF={} V={} {}\n"
#: Of the detectors that judge again and again, why they say nothing at first.
TOO_SHORT_FOR = {"common-lag": {TOO_SHORT}, "lag-excess": {lattice.TOO_SHORT}}


def run(searched: Path, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.chdir(searched)
    return main([str(argument) for argument in arguments])


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_where_nothing_has_a_verdict_it_says_what_to_do(
    searched: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    idle = tmp_path / "idle.log"
    idle.write_text(re.sub(r"V=CA \d", "V=CA 0", log_of(True, 1)))
    assert run(searched, monkeypatch, "detect", "--model", "sites/tree_paper", idle) == 0
    shown = capsys.readouterr()
    assert "a subflow was never congested" in shown.out
    assert "no verdict at all" in shown.err and "--model correlation" in shown.err
    assert run(searched, monkeypatch, "detect", "--model", "correlation", idle) == 0
    shown = capsys.readouterr()
    assert "shared, on" in shown.out and "no verdict at all" not in shown.err
    assert run(searched, monkeypatch, "detect", "--model", "sites/tree_paper", idle, KERNEL / "101.state.csv.zst") == 0
    assert "no verdict at all" not in capsys.readouterr().err


@pytest.mark.parametrize(("name", "feature_set"), sorted(MODELS))
def test_verdicts_are_those_of_the_pipeline(
    searched: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    feature_set: str,
) -> None:
    inputs = sorted(KERNEL.iterdir())
    assert run(searched, monkeypatch, "detect", "--json", "--model", f"sites/{name}_{feature_set}", *inputs) == 0
    said = lines(capsys)
    assert all(list(one) == FIELDS for one in said)
    expected: pd.DataFrame = read_table(PREDICTION, searched / "data/transferred.parquet").to_pandas()
    expected = expected[(expected["train_set"] == "sites/tiled") & (expected["test_set"] == "kernel/tiled")]
    expected = expected[(expected["model"] == name) & (expected["feature_set"] == feature_set)]
    judged = [one for one in said if one["shared"] is not None]
    told = {(f"kernel/{one['connection_id']}", one["window_start_s"]): (one["shared"], one["score"]) for one in judged}
    assert told == {
        (row["connection_id"], row["window_start_ns"] / 1e9): (row["shared_pred"], row["score"])
        for row in expected.to_dict("records")
    }
    (none,) = (one for one in said if one["shared"] is None)
    assert none["connection_id"] == "112.state#0"
    assert none["reason"] == "the trace ends before the window does"
    assert all((one["reason"] is None) == (one["shared"] is not None) for one in said)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("exported", "trust"),
    [("export/generated/sbd_tree_{}.h", ["--trust-header"]), ("data/exported/tree_{}.sbd", [])],
    ids=["header", "file"],
)
@pytest.mark.parametrize("feature_set", ["paper", "invariant"])
def test_an_exported_model_says_what_the_stored_one_says(
    searched: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    exported: str,
    trust: list[str],
    feature_set: str,
) -> None:
    """The header is of the project's own models, and did not come with the program."""
    inputs = [*sorted(KERNEL.iterdir()), *sorted(CAPTURES.iterdir())]
    assert run(searched, monkeypatch, "detect", "--json", "--model", f"sites/tree_{feature_set}", *inputs) == 0
    expected = lines(capsys)
    model = exported.format(feature_set)
    assert run(searched, monkeypatch, "detect", "--json", *trust, "--model", model, *inputs) == 0
    assert lines(capsys) == [one | {"score": None, "model": model} for one in expected]
    assert {one["shared"] for one in expected} > {None}


def test_what_is_no_exported_model_is_refused(
    searched: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = KERNEL / "101.state.csv.zst"
    assert run(searched, monkeypatch, "detect", "--model", tmp_path / "none.h", log) == EXIT_USAGE
    assert "none.h: no such header or model file" in capsys.readouterr().err
    (tmp_path / "noise.sbd").write_bytes(b"noise" * 20)
    assert run(searched, monkeypatch, "detect", "--model", tmp_path / "noise.sbd", log) == 1
    assert "noise.sbd: refused, no model file" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name",
    ["tree_paper", *(pytest.param(name, marks=pytest.mark.slow) for name in ("tree_invariant", "forest_invariant"))],
)
def test_a_header_is_a_program_that_runs_as_it_came_or_is_trusted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    log = KERNEL / "101.state.csv.zst"
    ours = shipped.FOLDER / f"sbd_{name}.h"
    assert run(tmp_path, monkeypatch, "detect", "--json", "--model", ours, log) == 0
    expected = lines(capsys)
    assert {one["shared"] for one in expected} - {None}
    mark, foreign = tmp_path / "mark", tmp_path / f"sbd_{name}.h"
    for runtime in ("smartsbd.h", "sbd_loaded.h"):
        shutil.copy(shipped.FOLDER / runtime, tmp_path)
    first = f'__attribute__((constructor)) static void first(void) {{ fclose(fopen("{mark}", "w")); }}'
    foreign.write_text(f"#include <stdio.h>\n{ours.read_text()}\n{first}\n")
    assert run(tmp_path, monkeypatch, "detect", "--model", foreign, log) == EXIT_BAD_INPUT
    shown = capsys.readouterr()
    assert not mark.exists() and shown.out == "" and shown.err.count("\n") == 1
    assert "--trust-header" in shown.err and ".sbd files" in shown.err
    assert run(tmp_path, monkeypatch, "detect", "--json", "--trust-header", "--model", foreign, log) == 0
    assert mark.exists()
    assert lines(capsys) == [one | {"model": str(foreign)} for one in expected]


@pytest.mark.slow
def test_only_a_header_can_be_trusted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = KERNEL / "101.state.csv.zst"
    file = shipped.FOLDER / shipped.named_in().file
    assert run(tmp_path, monkeypatch, "detect", "--model", file, log) == 0
    for arguments in (["--model", file], ["--model", "rfc8382"], []):
        assert run(tmp_path, monkeypatch, "detect", "--trust-header", *arguments, log) == EXIT_USAGE
        assert "--trust-header is for a header" in capsys.readouterr().err


def test_from_captures_too(searched: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """One file for each subflow, in any order, makes one connection, which is judged as the pipeline does."""
    model = "sites/logistic_invariant"
    inputs = sorted(CAPTURES.iterdir(), reverse=True)
    assert run(searched, monkeypatch, "detect", "--json", "--model", model, *inputs) == 0
    said = lines(capsys)
    expected: pd.DataFrame = read_table(PREDICTION, searched / "data/transferred.parquet").to_pandas()
    expected = expected[(expected["train_set"] == "sites/tiled") & (expected["test_set"] == "kernel_captures/tiled")]
    expected = expected[(expected["model"] == "logistic") & (expected["feature_set"] == "invariant")]
    judged = [one for one in said if one["shared"] is not None]
    told = {(one["connection_id"][:3], one["window_start_s"]): (one["shared"], one["score"]) for one in judged}
    assert told == {
        (row["connection_id"].split("/")[1][:3], row["window_start_ns"] / 1e9): (row["shared_pred"], row["score"])
        for row in expected.to_dict("records")
    }
    parts = [one for one in said if one["connection_id"] is None]
    assert {one["reason"] for one in parts} == {"its subflows are of a connection that another input begins"}
    # One for each connection.
    assert len(parts) == len(inputs) / 2
    assert [one["connection_id"][:3] for one in said if one not in parts and one["shared"] is None] == ["112"]


def test_from_standard_input_and_with_one_capture_broken(
    searched: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    model = "sites/logistic_invariant"
    first, second = (CAPTURES / f"102.sf{number}.pcap.zst" for number in (0, 1))
    assert run(searched, monkeypatch, "detect", "--json", "--model", model, first, second) == 0
    *expected, part = lines(capsys)
    assert part["connection_id"] is None
    expected = [one | {"input": "-", "connection_id": "-#0"} for one in expected]
    with first.open("rb") as stream:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
        assert run(searched, monkeypatch, "detect", "--json", "--model", model, "-", second) == 0
    assert lines(capsys) == [*expected, part]
    monkeypatch.setattr("sys.stdin", None)
    assert run(searched, monkeypatch, "detect", "-") == 2
    assert "standard input is closed" in capsys.readouterr().err

    broken = tmp_path / "broken.pcap"
    broken.write_bytes(b"\xd4\xc3\xb2\xa1short")
    assert run(searched, monkeypatch, "detect", "--json", "--model", model, broken, second, first) == 3
    said = lines(capsys)
    assert [one["reason"] for one in said[:1]] == ["cannot be read: the pcap header is cut"]
    assert [one["score"] for one in said if one["score"] is not None] == [one["score"] for one in expected]
    # Alone, a subflow that joined has no partner.
    assert run(searched, monkeypatch, "detect", "--json", "--model", model, second) == 0
    assert [one["reason"] for one in lines(capsys)] == ["fewer than two subflows"]


def test_inspect_shows_where_a_capture_was_taken_and_what_it_signals(
    searched: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    inputs = [CAPTURES / f"110.sf{number}.pcap.zst" for number in (0, 1)]
    assert run(searched, monkeypatch, "inspect", *inputs) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].endswith("110.sf0.pcap.zst: pcap, 1 connections, 1642 records, 0 refused")
    assert any("MP_CAPABLE 5" in line for line in shown)
    rows = [line.split() for line in shown if line.strip().startswith("110.sf0#0")]
    assert [row[2:4] for row in rows] == [["sender", "0"], ["sender", "1"]]
    assert shown[-2].endswith("110.sf1.pcap.zst: pcap, 0 connections, 3288 records, 0 refused")


#: Verdict, reason, share of such verdicts that are wrong, time.
Shown = tuple[bool | None, str | None, float | None, int]


def of_common_lag(x: SubflowSignals, y: SubflowSignals) -> list[Shown]:
    said = timed_judgements(x, y, CommonLagRule())
    return [(one.shared, one.reason, one.wrong_share, one.decided_ns) for one in said]


def of_lag_excess(x: SubflowSignals, y: SubflowSignals) -> list[Shown]:
    return [(one.shared, one.reason, None, one.decided_ns) for one in judgements(x, y, Criterion())]


def test_the_default_is_the_detector_in_git(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(KERNEL / "101.state.csv.zst")
    assert main(["detect", "--json", path]) == 0
    by_default = lines(capsys)
    assert main(["detect", "--json", "--model", "common-lag", path]) == 0
    assert lines(capsys) == by_default
    assert {one["model"] for one in by_default} == {default_detector.named_in().detector} == {"common-lag"}


@pytest.mark.parametrize(
    ("options", "judged", "too_short"),
    [
        ((), of_common_lag, TOO_SHORT),
        (("--model", "lag-excess"), of_lag_excess, lattice.TOO_SHORT),
    ],
    ids=["common-lag", "lag-excess"],
)
def test_every_judgement_is_shown_and_needs_no_project(
    options: tuple[str, ...],
    judged: Callable[[SubflowSignals, SubflowSignals], list[Shown]],
    too_short: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    inputs = sorted(KERNEL.iterdir())
    assert run(tmp_path, monkeypatch, "detect", "--json", *options, *inputs) == 0
    said = lines(capsys)
    assert list(tmp_path.iterdir()) == []
    for path in inputs:
        ((_, connection),) = recording.read(path, Dialect()).connections()
        signals = connection_pairs.signals(connection, DEFAULT)
        expected = judged(signals[0], signals[1])
        first, *own = [one for one in said if one["input"] == str(path)]
        assert (first["shared"], first["reason"]) == (None, too_short)
        assert [(one["shared"], one["reason"], one["wrong_share"]) for one in own] == [one[:3] for one in expected]
        assert [round(one["window_start_s"] * 1e6) for one in own] == [round(one[3] / 1e3) for one in expected]
        ends_s = [one["window_start_s"] + one["window_s"] for one in (first, *own)]
        assert ends_s[:-1] == pytest.approx([one["window_start_s"] for one in own], abs=1e-6)
    assert {one["shared"] for one in said} == {True, False, None}


def test_the_default_says_how_sure_its_last_verdict_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = KERNEL / "101.state.csv.zst"
    assert run(tmp_path, monkeypatch, "detect", "--json", log) == 0
    last = lines(capsys)[-1]
    assert last["wrong_share"] == wrong_share(True, round(last["score"] * 1024))
    assert run(tmp_path, monkeypatch, "detect", log) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.endswith("101.state.csv.zst: 101.state#0, by common-lag")
    words = r"  subflows 0 and 1: shared, from 4\.\d s on, to the end at 20\.1 s; score \d\.\d\d: (.*)"
    found = re.fullmatch(words, second)
    assert found is not None and found[1] == wrong_in_words(last["wrong_share"])


IDLE = sorted((ROOT / "tests/doctor/samples/shared").glob("idle.*.ping"))


def test_of_an_idle_path_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(tmp_path, monkeypatch, "detect", "--together", *IDLE) == 0
    assert f"subflows 0 (idle.0) and 1 (idle.1): no verdict: {NO_QUEUE}\n" in capsys.readouterr().out
    assert run(tmp_path, monkeypatch, "detect", "--together", "--json", *IDLE) == 0
    last = [one for one in lines(capsys) if one["subflow_b"] is not None][-1]
    assert (last["shared"], last["score"], last["wrong_share"], last["reason"]) == (None, None, None, NO_QUEUE)


def test_a_path_without_a_queue_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Beside one whose queue fills and drains."""
    busy_us = 30_000 + np.abs(np.cumsum(np.random.default_rng(1).normal(0, 2_000, 3_000)) % 80_000 - 40_000)
    idle_us = 45_000 + np.random.default_rng(3).integers(0, 2_000, 3_000)
    log = tmp_path / "made.log"
    log.write_text(
        "".join(
            f"{at * 10**7} C=5b1 SF={subflow} V=RTT {int(rtt_us[at])}\n"
            for at in range(3_000)
            for subflow, rtt_us in ((3, busy_us), (7, idle_us))
        )
    )
    assert run(tmp_path, monkeypatch, "detect", log) == 0
    shown = capsys.readouterr().out
    assert f"subflows 3 and 7: no verdict: {NO_QUEUE_ON.format('subflow 7')}\n" in shown


def test_what_counts_of_the_lag_excess_is_its_last_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    logs = [KERNEL / f"{number}.state.csv.zst" for number in (101, 106)]
    assert run(tmp_path, monkeypatch, "detect", "--model", "lag-excess", *logs) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].endswith("101.state.csv.zst: 101.state#0, by lag-excess")
    assert re.fullmatch(r"  subflows 0 and 1: shared, from 6\.\d s on, to the end at 20\.1 s; score \d\.\d\d", shown[1])
    assert re.fullmatch(
        r"  subflows 0 and 1: not shared, .*; before that \d\.\d s shared and \d\.\d s not shared", shown[3]
    )


@pytest.mark.slow
def test_a_plot_shows_every_pair_and_refuses_what_it_cannot_draw(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    png = tmp_path / "pairs.png"
    logs = [KERNEL / f"{number}.state.csv.zst" for number in range(101, 110)]
    assert run(tmp_path, monkeypatch, "detect", "--plot", png, logs[0]) == 0
    one_pair = png.read_bytes()
    assert one_pair.startswith(b"\x89PNG")
    assert (
        run(tmp_path, monkeypatch, "detect", "--plot", tmp_path / "excess.png", "--model", "lag-excess", logs[0]) == 0
    )
    of_lag_excess = (tmp_path / "excess.png").read_bytes()
    assert of_lag_excess.startswith(b"\x89PNG") and of_lag_excess != one_pair
    assert run(tmp_path, monkeypatch, "detect", "--plot", png, *logs) == 0
    height, of_one = (int.from_bytes(content[20:24]) for content in (png.read_bytes(), one_pair))
    assert height == 8 * of_one
    assert "no more than 8 pairs are drawn" in capsys.readouterr().err
    for arguments in (("--plot", tmp_path / "pairs.pdf"), ("--plot", png, "--model", "correlation")):
        assert run(tmp_path, monkeypatch, "detect", *arguments, logs[0]) == EXIT_USAGE
        assert "--plot FILE.png draws what common-lag or lag-excess says" in capsys.readouterr().err
    assert (
        run(tmp_path, monkeypatch, "detect", "--plot", tmp_path / "none.png", CAPTURES / "101.sf1.pcap.zst")
        == EXIT_USAGE
    )
    assert "no pair of subflows with RTTs to draw" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["excess.png", "pairs.png"]


def test_the_model_in_git_judges_where_none_of_its_name_is_stored(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    named = shipped.named_in()
    inputs = [*sorted(KERNEL.iterdir()), *sorted(CAPTURES.iterdir())]
    assert run(tmp_path, monkeypatch, "detect", "--json", "--model", named.model, *inputs) == 0
    said = lines(capsys)
    assert {one["model"] for one in said} == {named.model}
    # In C, from its model file, it says the same.
    file = shipped.FOLDER / named.file
    assert run(tmp_path, monkeypatch, "detect", "--json", "--model", file, *inputs) == 0
    assert lines(capsys) == [one | {"score": None, "model": str(file)} for one in said]
    assert {one["shared"] for one in said} == {True, False, None}


def test_a_default_that_is_not_the_one_named_is_refused(tmp_path: Path) -> None:
    named = default_detector.named_in()
    for name in (default_detector.NAMED, named.header):
        shutil.copy(shipped.FOLDER / name, tmp_path)
    said = json.loads((tmp_path / default_detector.NAMED).read_text())
    assert default_detector.load(tmp_path)[1].rule == CommonLagRule()
    for changed, why in (
        (said | {"sha256": "0" * 64}, "its SHA-256 differs"),
        (said | {"parameters": {"holds": 5}}, "holds is 5"),
        (said | {"parameters": {"tails": 4}}, "tails"),
        (said | {"detector": "wavelet"}, "names 'wavelet', which has no header"),
        ({"model": 1}, "names no detector"),
    ):
        (tmp_path / default_detector.NAMED).write_text(json.dumps(changed))
        with pytest.raises(default_detector.NoDefaultError, match=why):
            default_detector.load(tmp_path)


def test_a_model_that_is_not_the_one_named_is_refused(tmp_path: Path) -> None:
    for path in (shipped.FOLDER / shipped.NAMED, shipped.FOLDER / shipped.named_in().file):
        shutil.copy(path, tmp_path)
    named, _ = shipped.load(tmp_path)
    content = (tmp_path / named.file).read_bytes()
    (tmp_path / named.file).write_bytes(content[:-1] + b"\0")
    with pytest.raises(shipped.NoShippedError, match="its SHA-256 differs"):
        shipped.load(tmp_path)
    (tmp_path / shipped.NAMED).write_text('{"model": 1}')
    with pytest.raises(shipped.NoShippedError, match="names no model"):
        shipped.load(tmp_path)


def test_each_pair_has_a_line_and_with_v_each_window(
    searched: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = "sites/correlation_plain"
    inputs = [KERNEL / f"{number}.state.csv.zst" for number in (101, 112)]
    assert run(searched, monkeypatch, "detect", "--json", "--model", model, *inputs) == 0
    verdicts = [{True: "SB", False: "NSB", None: "none"}[one["shared"]] for one in lines(capsys)]
    assert run(searched, monkeypatch, "detect", "--model", model, *inputs) == 0
    short = capsys.readouterr().out.splitlines()
    assert run(searched, monkeypatch, "detect", "-v", "--model", model, *inputs) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].endswith(f"101.state.csv.zst: 101.state#0, by {model}")
    assert shown[:2] == short[:2] and shown[-4] == short[-2]
    windows = [line.split() for line in shown if line.startswith("  0, 1   ")]
    assert [words[2] for words in windows] == ["1795231450.486", "1795231460.463", "1795231507.365"]
    assert [words[6] for words in windows] == verdicts
    assert verdicts[0] == verdicts[1] and verdicts[2] == "none"
    words = {"SB": "shared", "NSB": "not shared"}[verdicts[0]]
    assert short[1] == f"  subflows 0 and 1: {words}, on 18.5 s of 18.5 s"
    assert short[3] == "  subflows 0 and 1: no verdict: the trace ends before the window does"
    assert any(line.endswith("none        the trace ends before the window does") for line in shown)


@pytest.mark.parametrize(
    ("options", "quiet_why", "unknown_why"),
    [
        ((), TOO_FEW_SAMPLES, TOO_FEW_SAMPLES),
        (
            ("--model", "sites/tree_paper"),
            "a subflow was never congested",
            "no change of congestion state of a subflow is known",
        ),
    ],
    ids=["default", "model"],
)
def test_nothing_to_say_has_a_reason(
    options: tuple[str, ...],
    quiet_why: str,
    unknown_why: str,
    searched: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    alone = EVENT.format("a", 0, "RTT", 9)
    quiet = "".join(EVENT.format("b", n, "CA", 0) for n in (0, 1, 2))
    unknown = "".join(EVENT.format("c", n, "RTT", 7) for n in (0, 1))
    (tmp_path / "made.log").write_text(alone + quiet + unknown + "damaged\n")
    (tmp_path / "noise").write_bytes(b"\x00\x01noise")
    (tmp_path / "head").write_text("t,sf,var,value\n")
    names = ("made.log", "head", "noise", "no", ".")
    code = run(searched, monkeypatch, "detect", "--json", *options, *(tmp_path / name for name in names))
    captured = capsys.readouterr()
    said = [json.loads(line) for line in captured.out.splitlines()]
    assert code == 3
    assert [(one["connection_id"], one["subflow_a"], one["subflow_b"], one["reason"]) for one in said[:5]] == [
        ("made#0", 0, None, "fewer than two subflows"),
        *(("made#1", a, b, quiet_why) for a, b in ((0, 1), (0, 2), (1, 2))),
        ("made#2", 0, 1, unknown_why),
    ]
    assert (said[5]["connection_id"], said[5]["reason"]) == (
        None,
        "no connection: it holds no record (docs/questions.md)",
    )
    assert [one["reason"].startswith("cannot be read: ") for one in said[6:]] == [True, True, True]
    assert all(one["shared"] is None for one in said)
    assert "refused {'not an event line': 1} of 7 records" in captured.err
    assert captured.err.count("ERROR") == 4
    assert "Traceback" not in captured.err


def test_a_model_that_is_not_there_names_those_that_are(
    searched: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = KERNEL / "101.state.csv.zst"
    assert run(searched, monkeypatch, "detect", "--model", "../sites/tree_paper", path) == 2
    assert "known are diverse/boosting_invariant" in capsys.readouterr().err
    assert run(searched, monkeypatch, "detect", "--models", tmp_path, "--model", "x/y", path) == 2
    assert "`dvc repro` makes them" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "options", "code", "words"),
    [
        ("plain_101", (), 3, "TCP without MPTCP (200); flows of plain TCP are paths only with --together"),
        (
            "plain_101",
            ("--together",),
            0,
            "Left out, 1 flow of TCP without MPTCP: port 50711 to 5201 (no data)",
        ),
        ("snap68", (), 3, "nothing was taken: TCP headers are cut: capture with -s 128 (60)"),
        ("idle_second", (), 0, "Subflow 1 carried no data (joined at 0.3 s)."),
    ],
)
def test_captures_without_a_verdict_say_why(
    name: str,
    options: Sequence[str],
    code: int,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    path = ROOT / f"tests/traces/samples/public/links/{name}.pcap.zst"
    assert run(tmp_path, monkeypatch, "detect", *options, path) == code
    captured = capsys.readouterr()
    assert words in (captured.out if code == 0 else captured.err)
    assert run(tmp_path, monkeypatch, "detect", "--json", *options, path) == code
    assert words in capsys.readouterr().out
    if not options:
        assert run(tmp_path, monkeypatch, "inspect", path) == code
        assert (words in capsys.readouterr().err) == (code == 3)


def test_two_flows_of_plain_tcp_are_judged_together(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    paths = [tmp_path / f"wlan{subflow}.pcap" for subflow in (0, 1)]
    for subflow, path in enumerate(paths):
        content = b"".join(stored.blocks(CAPTURES / f"101.sf{subflow}.pcap.zst"))
        path.write_bytes(without_mptcp(content))
    assert run(tmp_path, monkeypatch, "detect", "--together", *paths) == 0
    # As of the subflows themselves.
    said = capsys.readouterr().out
    assert "0 (wlan0 port 34607 to 5201) and 1 (wlan1 port 50711 to 5201): shared, from 6.6 s on" in said
    assert "score 5.86" in said
    assert run(tmp_path, monkeypatch, "detect", *paths) == 3
    assert capsys.readouterr().err.count("flows of plain TCP are paths only with --together") == 2


def without_mptcp(content: bytes) -> bytes:
    """A capture of raw IPv4 with NOPs in place of MPTCP options."""
    capture = bytearray(content)
    at = 24
    while at < len(capture):
        packet, captured = at + 16, struct.unpack_from("<I", capture, at + 8)[0]
        tcp = packet + 4 * (capture[packet] & 15)
        option, end = tcp + 20, tcp + 4 * (capture[tcp + 12] >> 4)
        while option < end and capture[option]:
            size = 1 if capture[option] == 1 else capture[option + 1]
            if capture[option] == 30:
                capture[option : option + size] = b"\x01" * size
            option += size
        at = packet + captured
    return bytes(capture)


@pytest.mark.slow
def test_inspect_counts_what_a_folder_holds(
    searched: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    shutil.copytree(CAPTURES, tmp_path / "inputs")
    (tmp_path / "inputs/notes\x1b[2J.txt").write_text("none of ours\n")
    (tmp_path / "kern.log").write_text("1 C=7f SF=0 V=RTT 9000\n2 C=7f SF=0 V=CWND 9\n")
    code = run(searched, monkeypatch, "inspect", tmp_path / "inputs", tmp_path / "kern.log")
    captured = capsys.readouterr()
    assert (code, captured.err.count("\n")) == (3, 1)
    shown = captured.out.splitlines()
    # The counts of reports/parse/kernel_captures.json, and two records more.
    assert shown[0].split()[:4] == ["input", "source", "connections", "subflows"]
    assert shown[-4:] == [
        "26 inputs: event_log 1, pcap 24",
        "  cannot be read 1: no event line among 1 lines: docs/questions.md tells what is read, and how to record it",
        "13 connections, 25 subflows; 131,882 records: 131,881 read, 0 unused, 1 refused",
        "  refused 1: unknown kind of event",
    ]
    assert "\x1b" not in captured.out and len(shown) == 1 + 26 + 4
    assert run(searched, monkeypatch, "inspect", "--json", tmp_path / "inputs", tmp_path / "kern.log") == 3
    objects = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(objects) == 26 and sum(one["records_in"] for one in objects) == 131_882
    for one in objects:
        assert one["records_in"] == one["records_out"] + sum(one["unused"].values()) + sum(one["refused"].values())
        assert (one["source"] is None) == (one["unreadable"] is not None)


def test_inspect_shows_what_there_is(
    searched: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = "[    5.000001] smartsbd: 5 C=7f SF=0 V=RTT 9000\n[    5.0] usb 1-1: new\nprintk: 3 messages suppressed.\n"
    (tmp_path / "kern.log").write_text(log + "[    6.000000] smartsbd: 6 C=7f SF=1 V=CWND 9\n")
    shutil.copy(KERNEL / "101.state.csv.zst", tmp_path / "odd\x1b[2Jname")
    code = run(searched, monkeypatch, "inspect", tmp_path / "kern.log", tmp_path / "odd\x1b[2Jname", tmp_path / "none")
    captured = capsys.readouterr()
    assert code == 3
    assert captured.err.count("\n") == 1
    shown = captured.out
    assert "kern.log: event_log, 1 connections, 2 records, 1 refused" in shown
    assert "other lines: 2" in shown and "gaps: 1, messages lost: 3" in shown
    assert "refused 1: unknown kind of event" in shown
    assert "\x1b" not in shown
    assert r"odd\x1b[2Jname: state_log, 1 connections, 15799 records, 0 refused" in shown
    assert "in no table: cwnd 651, ssthresh 17" in shown
    row = next(line.split() for line in shown.splitlines() if "113.1/170.0/203.7" in line)
    # Subflow 0: 8,035 kB, 3,338 samples, ten Recoveries, 19 segments sent again (the recorder's own counts).
    assert " ".join(row[1:]) == "sender 0 1795231448.954 20.125 8035 3338 113.1/170.0/203.7 10 10 0 10 0 19"


def test_the_name_of_an_input_changes_no_verdict(
    searched: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Odd numbers share: no model sees them."""
    shutil.copy(KERNEL / "101.state.csv.zst", tmp_path / "102.log")
    model = "sites/tree_invariant"
    run(searched, monkeypatch, "detect", "--json", "--model", model, KERNEL / "101.state.csv.zst", tmp_path / "102.log")
    said = [[one["window_start_s"], one["shared"], one["score"]] for one in lines(capsys)]
    assert said[:2] == said[2:]


@pytest.mark.parametrize("name", DETECTORS)
def test_every_baseline_detector_speaks_on_a_real_log(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    log = KERNEL / "101.state.csv.zst"
    assert main(["detect", "--model", name, "--json", str(log)]) == 0
    said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    # Stretches of one opinion, end to end from the first record to the last.
    for before, after in itertools.pairwise(said):
        assert after["window_start_s"] == pytest.approx(before["window_start_s"] + before["window_s"], abs=1e-5)
        assert after["shared"] != before["shared"] or name in TOO_SHORT_FOR
    assert {one["model"] for one in said} == {name}
    why = {one["reason"] for one in said if one["shared"] is None}
    assert why <= TOO_SHORT_FOR.get(name, {"the detector has no opinion"})
    assert not {one["reason"] for one in said if one["shared"] is not None} - {None}
    # The log has no marks.
    assert any(one["shared"] is not None for one in said) == (name != "emptcp-r")


def test_a_baseline_detector_is_right_of_real_connections_it_is_simple_for(capsys: pytest.CaptureFixture[str]) -> None:
    truth = (ROOT / "data/samples/kernel/truth.csv").read_text().splitlines()
    label = {line.split(",")[0]: line.split(",")[5] == "true" for line in truth[1:]}
    for number in (101, 105, 108):
        log = KERNEL / f"{number}.state.csv.zst"
        assert main(["detect", "--model", "correlation", "--json", str(log)]) == 0
        last = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert last["shared"] == label[log.name]


def test_seconds_of_each_opinion_end_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    log = KERNEL / "101.state.csv.zst"
    assert main(["detect", "--model", "mptcp-sbd/kernel", str(log)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].endswith("101.state#0, by mptcp-sbd/kernel")
    assert re.fullmatch(r"  subflows 0 and 1: (not )?shared, on [\d.]+ s of [\d.]+ s; 1 window without .*", shown[1])


def test_an_unknown_parameter_set_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    log = KERNEL / "101.state.csv.zst"
    assert main(["detect", "--model", "rfc8382/lcn", str(log)]) == EXIT_USAGE


def test_without_what_draws_a_plot_says_what_to_install_before_it_judges(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert main(["detect", "--plot", str(tmp_path / "none.png"), str(tmp_path / "none.csv")]) == 1
    shown = capsys.readouterr()
    assert not shown.out and "smartsbd[plot]" in shown.err


def test_a_plot_calls_subflows_as_the_input_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    drawn: list[PairDelays] = []
    monkeypatch.setattr(detect, "_draw", lambda pairs, _judge, _path: drawn.extend(pairs))
    for name, base_ms in (("wifi", 30), ("lte", 50)):
        rows = [f"{tick / 50},{base_ms + tick % 7}" for tick in range(600)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["time_s,rtt_ms", *rows, ""]))
    tables = [tmp_path / "wifi.csv", tmp_path / "lte.csv"]
    run(tmp_path, monkeypatch, "detect", "--together", "--plot", tmp_path / "x.png", *tables)
    run(tmp_path, monkeypatch, "detect", "--plot", tmp_path / "x.png", KERNEL / "101.state.csv.zst")
    named, plain = drawn
    assert named.names == ("subflow 0 (wifi)", "subflow 1 (lte)")
    assert named.title.endswith(": subflows 0 (wifi) and 1 (lte)")
    assert plain.names == ("subflow 0", "subflow 1")
    assert plain.title.endswith(": subflows 0 and 1")


@pytest.mark.parametrize(
    ("name", "why"), [("none.log", "No such file or directory"), ("/proc/self/mem", "Input/output error")]
)
@pytest.mark.parametrize("arguments", [("detect",), ("detect", "--live"), ("inspect",), ("why",)])
def test_an_input_that_cannot_be_read_is_named_once(
    name: str, why: str, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, name]) == EXIT_BAD_INPUT
    assert capsys.readouterr().err == f"ERROR {arguments[0]}: {name}: cannot be read: {why}\n"


def test_a_header_that_cannot_be_read_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header = tmp_path / "model.h"
    header.symlink_to("/proc/self/mem")
    assert main(["detect", "--model", str(header), "none.log"]) == EXIT_USAGE
    assert capsys.readouterr().err == f"ERROR detect: {header}: cannot be read: Input/output error\n"
