"""`sbd why` as it is typed, on captures whose limit was set (studies/why) and on others."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.running.stage import EXIT_BAD_INPUT, EXIT_OK
from tests.traces import rewritten
from tests.traces.test_plain_flows import flow, written

ROOT = Path(__file__).parents[2]
SAMPLES = Path(__file__).parent / "samples"
CAPTURES = ROOT / "data/samples/kernel_captures/inputs"


def told(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    assert main(["why", "--json", *words]) == EXIT_OK
    answer = json.loads(capsys.readouterr().out)
    assert isinstance(answer, dict)
    return answer


@pytest.mark.parametrize("cause", ["sender", "backup", "receive window", "not joined"])
def test_the_cause_that_was_set_is_named(cause: str, capsys: pytest.CaptureFixture[str]) -> None:
    answer = told([str(SAMPLES / f"{cause.replace(' ', '-')}.pcap.zst")], capsys)
    assert answer["main"] == cause
    assert cause in answer["next"]  # type: ignore[operator]


@pytest.mark.parametrize(("number", "cause"), [("101", "shared bottleneck"), ("102", "own bottleneck")])
def test_the_verdict_says_whose_queue_it_is(number: str, cause: str, capsys: pytest.CaptureFixture[str]) -> None:
    answer = told([str(path) for path in sorted(CAPTURES.glob(f"{number}.sf*"))], capsys)
    assert answer["main"] == cause


def test_one_capture_of_two_says_nothing_about_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    answer = told([str(CAPTURES / "102.sf0.pcap.zst")], capsys)
    assert answer["main"] == "queue, shared or not is not known"
    assert "One subflow of several" in str(answer["remarks"])
    answer = told([str(CAPTURES / "102.sf1.pcap.zst")], capsys)
    assert "not joined" not in answer["shares"]  # type: ignore[operator]


def test_a_log_and_a_doctor_s_folder(capsys: pytest.CaptureFixture[str]) -> None:
    answer = told([str(ROOT / "data/samples/kernel/inputs/101.state.csv.zst")], capsys)
    assert answer["main"] == "shared bottleneck" and "Not a capture" in str(answer["remarks"])
    for sample, cause in (("shared", "shared bottleneck"), ("not-shared", "own bottleneck")):
        assert told([str(ROOT / "tests/doctor/samples" / sample)], capsys)["main"] == cause


def test_pings_of_two_paths_are_one_connection_if_so_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rewritten.write_all(ROOT / "data/samples/kernel/inputs/101.state.csv.zst", tmp_path)
    pings = [str(tmp_path / "wlan0.ping"), str(tmp_path / "wwan0.ping")]
    assert told(["--together", *pings], capsys)["main"] == "shared bottleneck"
    answer = told(pings[:1], capsys)
    assert answer["main"] == "queue, shared or not is not known" and "--together" in str(answer["remarks"])


def test_plain_tcp_is_taken_as_paths_if_so_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capture = str(written(tmp_path / "plain.pcap", flow(1001, 80), flow(1002, 80)))
    assert main(["why", capture]) == EXIT_BAD_INPUT
    assert "--together" in capsys.readouterr().err
    assert len(told(["--together", capture], capsys)["subflows"]) == len("ab")  # type: ignore[arg-type]


def test_the_page_begins_with_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", str(SAMPLES / "receive-window.pcap.zst")]) == EXIT_OK
    first, place, empty, *page = capsys.readouterr().out.splitlines()
    assert first == "Mostly receive window: 100% of the time of its subflows."
    assert "2 subflows" in place and not empty
    assert any(line.startswith("  Next: Give the receiver more room") for line in page)


def test_what_was_sent_over_two_subflows_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    """Subflow 1 maps 1,000 of its 6,000 bytes where subflow 0 did, as `sbd inspect` has it too."""
    answer = told([str(ROOT / "tests/fuzz/corpus/pcap/good-version-1-pcapng")], capsys)
    assert [subflow["reinjected_share"] for subflow in answer["subflows"]] == [0.0, 0.167]  # type: ignore[attr-defined]


def test_the_page_needs_no_other_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It has the answer, a stretch of each cause and subflow, and the input's name as text."""
    place, page = tmp_path / "<b>a & b.pcap.zst", tmp_path / "page.html"
    place.write_bytes((SAMPLES / "receive-window.pcap.zst").read_bytes())
    assert main(["why", "--html", str(page), str(place)]) == EXIT_OK
    written = page.read_text()
    assert capsys.readouterr().out.splitlines()[0] in written
    assert "&lt;b&gt;a &amp; b.pcap.zst" in written and "<b>a" not in written
    assert not re.findall(r"(?:src|href)=", written) and "<script" not in written
    assert len(re.findall(r"<rect [^>]+><title>[^<]*receive window</title>", written)) == 2


@pytest.mark.parametrize("content", [b"", b"garbage\n", bytes(range(256)) * 9])
def test_garbage_is_told_in_one_line(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "garbage"
    place.write_bytes(content)
    assert main(["why", str(place)]) == EXIT_BAD_INPUT
    shown = capsys.readouterr()
    assert not shown.out and len(shown.err.splitlines()) == 1
    assert main(["why", str(tmp_path / "none")]) == EXIT_BAD_INPUT
