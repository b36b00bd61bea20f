"""`sbd inspect --plot DIR`: a page that needs nothing else, with the numbers that `--json` prints."""

from __future__ import annotations

import json
import re
import shutil
import signal
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.reporting import analysis_folder, analysis_page
from tests.killed_moments import check_whole_or_none, command, ended_at_each
from tests.traces import packets
from tests.traces.test_connection_analysis import mapping, opened, written

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
KERNEL = [ROOT / f"data/samples/kernel_captures/inputs/110.sf{number}.pcap.zst" for number in (0, 1)]
LOG = ROOT / "data/samples/kernel/inputs/101.state.csv.zst"
SAMPLE = ROOT / "tests/traces/samples/captures/the-tcpdump-group-mptcp-v1.pcap"


class Cells(HTMLParser):
    """The text of a page, and the cells of its tables row by row."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.text = ""
        self.links: list[str] = []
        self._is_cell = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self._is_cell = True

    def handle_endtag(self, tag: str) -> None:
        self._is_cell &= tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._is_cell:
            self.rows[-1][-1] += data

    def table(self, first: str) -> list[dict[str, str]]:
        """Rows below the first head that begins with a cell."""
        start = next(place for place, row in enumerate(self.rows) if row[0] == first)
        heads = self.rows[start]
        found = []
        for row in self.rows[start + 1 :]:
            if len(row) != len(heads) or row[0] in ("subflow", "data of", "event"):
                break
            found.append(dict(zip(heads, row, strict=True)))
        return found


def page_of(folder: Path) -> Cells:
    return Cells((folder / "index.html").read_text())


def number(text: str) -> int:
    return int(text.replace(",", ""))


def test_the_page_has_the_numbers_of_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "--json", "--plot", str(tmp_path / "page"), *map(str, KERNEL)]) == 0
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    (one,) = first["analysis"]["connections"]
    # The second capture has the second subflow of the same connection.
    assert second["analysis"] == {"connections": [], "left_out": {}}
    assert first["connections"] == 1 and len(one["subflows"]) == 2
    page = page_of(tmp_path / "page")
    assert "110.sf0#0" in page.text and one["token"] in page.text and one["remote_token"] in page.text
    for row, subflow in zip(page.table("subflow"), one["subflows"], strict=True):
        assert number(row["RTT samples"]) == subflow["rtt"]["count"]
        assert number(row["acknowledged, bytes"]) == subflow["rate"]["acked_bytes"]
        spread = (subflow["rtt"][name] / 1000 for name in ("least_us", "median_us", "most_us"))
        assert row["RTT low/median/high, ms"] == "/".join(f"{value:.1f}" for value in spread)
    rows = page.table("data of")
    assert [(row["data of"], row["subflow"]) for row in rows] == [
        (end, subflow) for end in ("sender", "receiver") for subflow in ("0", "1", "all")
    ]
    for row, subflow in zip(rows[:2], one["subflows"], strict=True):
        for column, name in (("sent again", "sent_again"), ("mapped first", "new_bytes"), ("payload", "payload_bytes")):
            assert number(row[column]) == subflow["sender"][name]
    data = one["data"]["sender"]
    assert number(rows[2]["gaps"]) == data["gaps"]["count"]
    assert number(rows[2]["data acknowledged"]) == data["acked_until"]
    events = {row["event"]: number(row["times"]) for row in page.table("event")}
    assert events == {kind: points["count"] for kind, points in one["events"].items()}
    assert events["MP_CAPABLE"] and events["MP_JOIN"]


def test_rates_add_up_to_what_was_acknowledged(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "--json", *map(str, KERNEL)]) == 0
    (one,) = json.loads(capsys.readouterr().out.splitlines()[0])["analysis"]["connections"]
    for subflow in one["subflows"]:
        rate = subflow["rate"]
        acked = sum(rate["mbit_s"]) * 1e6 / 8 * rate["part_ns"] / 1e9
        assert rate["acked_bytes"] > 100_000 and acked == pytest.approx(rate["acked_bytes"], rel=1e-6)


def test_the_page_needs_nothing_else(tmp_path: Path) -> None:
    assert main(["inspect", "--plot", str(tmp_path / "page"), str(SAMPLE)]) == 0
    content = (tmp_path / "page/index.html").read_text()
    assert all(link.startswith(("data:image/png;base64,", "#")) for link in Cells(content).links)
    assert "http://" not in content and "https://" not in content and "<script" not in content
    assert [path.name for path in (tmp_path / "page/figures").iterdir()] == ["connection-1.png"]


def test_reinjections_gaps_and_what_is_left_out_are_said(tmp_path: Path) -> None:
    first, second = opened()
    first.say(0, 200, size=1000, options=mapping(0, 1, 1000))
    second.say(0, 210, size=1000, options=mapping(1500, 1, 1000))
    first.say(0, 220, size=400, options=mapping(1600, 1001, 400))
    first.say(0, 230, size=10, options=mapping(2**40, 1401, 10))
    assert main(["inspect", "--plot", str(tmp_path / "page"), str(written(tmp_path, first, second))]) == 0
    page = page_of(tmp_path / "page")
    whole = page.table("data of")[2]
    assert [whole[name] for name in ("reinjected", "gaps", "bytes in gaps")] == ["400", "1", "500"]
    assert "Counted, and not drawn: 1 mappings with a number beyond any window." in page.text


def test_names_of_inputs_are_text(tmp_path: Path) -> None:
    hostile = tmp_path / "a<script>\x1b[31m&.pcap"
    shutil.copy(SAMPLE, hostile)
    assert main(["inspect", "--plot", str(tmp_path / "page"), str(hostile)]) == 0
    content = (tmp_path / "page/index.html").read_text()
    assert "<script" not in content and "\x1b" not in content
    assert "a<script>\\x1b[31m&#0" in Cells(content).text


def test_an_earlier_page_is_replaced_and_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page"
    both = tmp_path / "both"
    both.mkdir()
    shutil.copy(SAMPLE, both / "a.pcap")
    shutil.copy(KERNEL[0], both)
    assert main(["inspect", "--plot", str(page), str(both)]) == 0
    assert len(list((page / "figures").iterdir())) == 2
    assert main(["inspect", "--plot", str(page), str(SAMPLE)]) == 0
    assert [path.name for path in (page / "figures").iterdir()] == ["connection-1.png"]
    before = (page / "index.html").read_bytes()
    for foreign in (page / "notes.txt", page / "figures/holiday.png"):
        foreign.write_text("mine")
        capsys.readouterr()
        assert main(["inspect", "--plot", str(page), str(SAMPLE)]) == 2
        captured = capsys.readouterr()
        assert f"holds {foreign.name}, which is none of ours" in captured.err and captured.err.count("\n") == 1
        assert not captured.out
        foreign.unlink()
    assert (page / "index.html").read_bytes() == before
    file = tmp_path / "file"
    file.write_text("mine")
    assert main(["inspect", "--plot", str(file), str(SAMPLE)]) != 0
    assert file.read_text() == "mine" and capsys.readouterr().err.count("\n") == 1


def test_without_a_capture_there_is_nothing_to_plot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = tmp_path / "plain.pcap"
    talk = packets.Talk()
    talk.open(0, [b"", b"", b""])
    plain.write_bytes(packets.pcap(talk.packets))
    assert main(["inspect", "--json", "--plot", str(tmp_path / "page"), str(LOG), str(plain)]) == 3
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1 and "nothing to plot" in captured.err
    of_log, of_plain = (json.loads(line) for line in captured.out.splitlines())
    assert of_log["analysis"] is None and of_plain["analysis"] == {"connections": [], "left_out": {}}
    assert not (tmp_path / "page").exists()


def test_connections_beyond_a_page_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis_page, "MOST_SHOWN", 1)
    assert main(["inspect", "--plot", str(tmp_path / "page"), str(SAMPLE), str(KERNEL[0])]) == 0
    assert f"1 {analysis_folder.NOT_SHOWN}" in page_of(tmp_path / "page").text
    assert len(list((tmp_path / "page/figures").iterdir())) == 1


def test_without_a_handshake_the_page_says_what_is_not_known(tmp_path: Path) -> None:
    talk = packets.Talk()
    for place in range(3):
        talk.say(0, 200 + place, size=100, options=mapping(100 * place, 1 + 100 * place, 100))
        talk.say(1, 240 + place, options=packets.dss(1))
    assert main(["inspect", "--plot", str(tmp_path / "page"), str(written(tmp_path, talk))]) == 0
    page = page_of(tmp_path / "page")
    assert "A handshake was not captured whole" in page.text and "(not scaled)" in page.text


def test_standard_input_is_read_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SAMPLE.open("rb") as stream:
        monkeypatch.setattr(sys, "stdin", type("Stream", (), {"buffer": stream})())
        assert main(["inspect", "--plot", str(tmp_path / "page"), "-"]) == 0
    assert re.search(r"standard input|-#0", page_of(tmp_path / "page").text)


@pytest.mark.parametrize("number", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_ended_at_any_moment_it_leaves_a_whole_page_or_none(tmp_path: Path, number: signal.Signals) -> None:
    # Some of the moments: every one of `unfinished` by itself has a test.
    work = command("smartsbd.pipelines.commands.inspect", "--plot", tmp_path / "page", SAMPLE)
    left = ended_at_each(work, tmp_path, number, step=18)
    check_whole_or_none(left, number)
    assert {"page/index.html", "page/figures/connection-1.png"} < left[-1].paths.keys()
