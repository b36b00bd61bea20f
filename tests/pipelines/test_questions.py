"""`sbd detect` on what people have: the same connection as every kind of input, and how far each goes."""

from __future__ import annotations

import json
import re
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from smartsbd.features import judged_rtts
from smartsbd.features.judged_rtts import VerdictRule
from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.running.stage import EXIT_BAD_INPUT, EXIT_USAGE
from smartsbd.traces import stored
from tests.pipelines.test_documented_commands import BLOCKS, merged
from tests.traces import rewritten

ROOT = Path(__file__).parents[2]
LOGS = ROOT / "data/samples/kernel/inputs"
CAPTURES = ROOT / "data/samples/kernel_captures/inputs"
PUBLIC = ROOT / "tests/traces/samples/public"
#: Arguments, and what the evidence says of the RTTs.
KINDS = {
    "ss": (["--model", "lag-excess", "ss.log"], "smoothed"),
    "ss, no tokens": (["--model", "lag-excess", "--together", "ss-without-tokens.log"], "smoothed"),
    "ping": (["--together", "wlan0.ping", "wwan0.ping"], "samples"),
    "table": (["rtts.csv"], "samples"),
    "tables of packets": (["--together", "wlan0.csv", "wwan0.csv"], "samples"),
    "qlog": (["server.qlog"], "samples"),
}


#: Of the page's sections, one for each kind of input.
TITLES = {
    *("Packets at the sender", "sbd record", "ss", "ping", "tcp_probe", "A table of RTTs", "tshark's fields", "qlog"),
    *("At the receiver", "OpenWrt", "macOS", "Bonding above UDP", "What you have, what is read"),
}
#: The page, and how long each of its commands may take.
PAGE, MOST_S = ROOT / "docs/questions.md", 300


@pytest.fixture(scope="module")
def rewritten_logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A connection that shares, and one that does not, as every kind."""
    found = {}
    for name in ("101", "106"):
        found[name] = tmp_path_factory.mktemp(name)
        rewritten.write_all(LOGS / f"{name}.state.csv.zst", found[name])
    return found


def detect(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path, *arguments: str
) -> list[dict[str, Any]]:
    monkeypatch.chdir(folder)
    assert main(["detect", "--json", *arguments]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(("arguments", "rtts"), KINDS.values(), ids=KINDS)
def test_a_shared_bottleneck_is_found_from_each_kind(
    rewritten_logs: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    rtts: str,
) -> None:
    said = detect(monkeypatch, capsys, rewritten_logs["101"], *arguments)
    pair = [one for one in said if one["subflow_b"] is not None]
    assert pair[-1]["shared"] is True
    evidence = pair[-1]["evidence"]
    assert {own["rtts"] for own in evidence["subflows"]} == {rtts}
    assert any("judged from smoothed RTTs" in limit for limit in evidence["limits"]) == (rtts == "smoothed")
    assert (evidence["states"], evidence["vantages"]) == ("none", ["sender"])
    rest = [one for one in said if one["subflow_b"] is None]
    assert {one["reason"] for one in rest} <= {"its subflows are of a connection that another input begins"}


@pytest.mark.parametrize(("arguments", "rtts"), KINDS.values(), ids=KINDS)
def test_separate_bottlenecks_are_not_called_shared(
    rewritten_logs: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    rtts: str,
) -> None:
    said = detect(monkeypatch, capsys, rewritten_logs["106"], *arguments)
    assert [one for one in said if one["subflow_b"] is not None][-1]["shared"] is not True


def test_the_same_samples_give_the_same_verdicts(
    rewritten_logs: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A table of microseconds loses nothing of a sender's log."""
    columns = ("window_s", "shared", "score", "reason")
    expected = detect(monkeypatch, capsys, ROOT, str(LOGS / "106.state.csv.zst"))
    said = detect(monkeypatch, capsys, rewritten_logs["106"], "rtts.csv")
    # The log has other records before the first sample, and after the last.
    assert [[one[name] for name in columns] for one in said[1:-1]] == [
        [one[name] for name in columns] for one in expected[1:-1]
    ]
    assert len(said) == len(expected) > 3


def test_verdicts_name_paths_and_limits_stand_under_them(
    rewritten_logs: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(rewritten_logs["101"])
    assert main(["detect", "--together", "wlan0.ping", "wwan0.ping"]) == 0
    first, second, third, *_ = capsys.readouterr().out.splitlines()
    assert first == "wlan0.ping: wlan0#0, by common-lag"
    assert second.startswith("  subflows 0 (wlan0) and 1 (wwan0): shared, from ")
    assert third.startswith("  - There are no congestion states")


def test_paths_in_inputs_of_their_own_need_together(
    rewritten_logs: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(rewritten_logs["101"])
    assert main(["detect", "wlan0.ping", "wwan0.ping"]) == 0
    shown = capsys.readouterr()
    assert shown.out.count("no verdict: fewer than two subflows") == 2
    assert "--together" in shown.err


def test_the_rule_refuses_a_verdict_in_one_place(
    rewritten_logs: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (one,) = detect(monkeypatch, capsys, rewritten_logs["101"], "--together", "tcp_probe.txt")
    assert (one["shared"], one["reason"]) == (None, judged_rtts.KIND_NOT_JUDGED)
    assert any("verdicts were too often wrong. Record RTT samples" in limit for limit in one["evidence"]["limits"])
    (one,) = detect(monkeypatch, capsys, rewritten_logs["101"], "ss.log")
    assert (one["shared"], one["reason"]) == (None, judged_rtts.SMOOTHED_NOT_JUDGED)
    monkeypatch.setattr(judged_rtts, "LAG_EXCESS_RULE", VerdictRule(most_interval_ms=1))
    (one,) = detect(monkeypatch, capsys, rewritten_logs["101"], "--model", "lag-excess", "ss.log")
    assert (one["shared"], one["reason"]) == (None, judged_rtts.TOO_FAR_APART)
    monkeypatch.setattr(judged_rtts, "RULE", VerdictRule(most_interval_ms=50))
    assert detect(monkeypatch, capsys, rewritten_logs["101"], "rtts.csv")[-1]["shared"] is True


def test_a_receiver_s_tables_are_unknown_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = [str(PUBLIC / f"hsr-mptcp-1529185357-{carrier}.csv.zst") for carrier in ("M3", "U4")]
    first, second = detect(monkeypatch, capsys, ROOT, "--together", *tables)
    assert (first["shared"], first["reason"]) == (None, "a subflow has fewer than ten RTT samples")
    limits = first["evidence"]["limits"]
    assert any("Recorded at the receiver" in one and "Record at the sender" in one for one in limits)
    assert second["reason"] == "its subflows are of a connection that another input begins"


def test_a_short_qlog_is_unknown_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (one,) = detect(monkeypatch, capsys, ROOT, str(PUBLIC / "picoquic-multipath_qlog_ref.txt.zst"))
    assert (one["shared"], one["reason"]) == (None, "a subflow has fewer than ten RTT samples")
    assert (
        "Subflow 1: fewer than 10 RTTs, the least that is judged. Record for longer, or sample more often."
        in (one["evidence"]["limits"])
    )


def test_what_is_together_has_bounds_and_may_be_unreadable(
    rewritten_logs: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(rewritten_logs["101"])
    assert main(["detect", "--together", "wlan0.ping", "none.ping", "wwan0.ping"]) == EXIT_BAD_INPUT
    assert "subflows 0 (wlan0) and 1 (wwan0): shared" in capsys.readouterr().out
    header = "time_s,path,rtt_ms\n"
    for name in ("a", "b"):
        (tmp_path / name).write_text(header + "".join(f"1,{path},9\n" for path in range(40)))
    assert main(["detect", "--together", str(tmp_path / "a"), str(tmp_path / "b")]) == EXIT_USAGE
    assert "more than 64 subflows are no one connection" in capsys.readouterr().err


@pytest.mark.slow
def test_commands_of_the_page_answer_in_time(
    rewritten_logs: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Those that need no network: each as it stands, on the connection that shares."""
    shutil.copytree(rewritten_logs["101"], tmp_path, dirs_exist_ok=True)
    parts = [tmp_path / f"{subflow}.pcap" for subflow in range(2)]
    for subflow, part in enumerate(parts):
        part.write_bytes(b"".join(stored.blocks(CAPTURES / f"101.sf{subflow}.pcap.zst")))
    merged(parts, tmp_path / "capture.pcap")
    monkeypatch.chdir(tmp_path)
    commands = sorted({one for block in BLOCKS if block.path == PAGE for one in block.commands if "sbd detect" in one})
    assert len(commands) >= 9
    for command in commands:
        begun_s = time.monotonic()
        assert main(command.split()[1:]) == 0, command
        assert time.monotonic() - begun_s < MOST_S
        said = capsys.readouterr().out
        answer = "no verdict: smoothed RTTs at every ACK" if "tcp_probe" in command else "shared, from"
        assert re.search(rf"subflows 0 .*and 1.*: {answer}", said), command
    assert (tmp_path / "rtts.png").stat().st_size > 0


def test_the_page_shows_what_is_printed(
    rewritten_logs: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (shown,) = re.findall(r"^```console\n\$ sbd (.*?)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(rewritten_logs["101"])
    assert main(shown[0].split()) == 0
    assert capsys.readouterr().out == shown[1]


def test_the_page_has_a_section_for_each_format() -> None:
    text = PAGE.read_text()
    assert all(f"](#{re.sub(r'[^a-z0-9_ -]', '', title.lower()).replace(' ', '-')})" in text for title in TITLES)
    assert set(re.findall(r"^## (.*)$", text, re.MULTILINE)) >= TITLES
