"""`sbd doctor` as it is typed: plans, recordings, a test over loopback, and what cannot be tested."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import pytest

from doctor import observed, phases
from doctor.guided_test import TEST, Settings
from doctor.network_path import NetworkPath
from pipelines.__main__ import main
from pipelines.running.stage import EXIT_BAD_INPUT, EXIT_FAILED, EXIT_OK, EXIT_USAGE
from tests.doctor.test_http_download import server

SAMPLES = Path(__file__).parents[1] / "doctor/samples"
_LOAD = ["--download", "http://192.0.2.1/large"]
_PATHS = ["--path", "wlan0", "--path", "wwan0"]


@pytest.mark.parametrize(("sample", "words"), [("shared", "share a bottleneck"), ("not-shared", "share no bottleneck")])
def test_a_recorded_test_is_judged(capsys: pytest.CaptureFixture[str], tmp_path: Path, sample: str, words: str) -> None:
    picture = tmp_path / "paths.png"
    assert main(["doctor", "--from", str(SAMPLES / sample), "--plot", str(picture)]) == EXIT_OK
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"10.0.0.1 and 10.0.1.1: they {words}"
    assert [line.split()[0] for line in lines[1:4]] == ["rates", "delays", "agreement"]
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert main(["doctor", "--json", "--from", str(SAMPLES / sample)]) == EXIT_OK
    said = json.loads(capsys.readouterr().out)
    assert said["answer"] == sample.replace("-", " ")


def test_recordings_have_one_witness(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pings = [str(SAMPLES / f"shared/both.{number}.ping") for number in (0, 1)]
    assert main(["doctor", "--from", *pings, "--plot", str(tmp_path / "paths.png")]) == EXIT_OK
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "both.0 and both.1: they share a bottleneck"
    assert [line.split()[1] for line in lines[1:4]] == ["unknown", "unknown", "shared"]


def test_a_plan_sends_nothing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("something is sent")

    monkeypatch.setattr("subprocess.Popen", refuse)
    monkeypatch.setattr("socket.socket", refuse)
    assert main(["doctor", *_PATHS, *_LOAD, "--plan"]) == EXIT_OK
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("65 s: 5 s without load, 10 s with load on wlan0 alone")
    assert "from wwan0: an echo to 192.0.2.1 every 20 ms" in lines
    assert main(["doctor", *_PATHS, "--iperf3", "192.0.2.1", "--plan"]) == EXIT_OK
    lines = capsys.readouterr().out.splitlines()
    assert "from wwan0: 4 iperf3 tests, sent by the server of 192.0.2.1:5202 at once" in lines


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (_PATHS, "nothing is sent without"),
        (["--path", "wlan0", *_LOAD], "name two paths"),
        ([*_PATHS, *_LOAD], "--out"),
        ([*_PATHS, *_LOAD, "--iperf3", "a"], "not allowed with"),
        ([*_PATHS, *_LOAD, *_LOAD, *_LOAD], "--download: once, or once for each path"),
        ([*_PATHS, "--download", "ftp://a/"], "is not an address of HTTP"),
        ([*_PATHS, "--iperf3", "a b"], "is not HOST"),
        ([*_PATHS, *_LOAD, "--ping=-f"], "echo"),
        (["--path", "x y", "--path", "wwan0", *_LOAD], "source"),
        (["--path", "lo", "--path", "lo", *_LOAD], "both paths begin and end at the same place"),
        ([*_PATHS, *_LOAD, "--seconds", "nan"], "both_s"),
        ([*_PATHS, *_LOAD, "--streams", "0"], "streams"),
        (["--from", "a", *_PATHS], "nothing is tested then"),
    ],
)
def test_what_cannot_be_tested_is_one_line(capsys: pytest.CaptureFixture[str], words: list[str], why: str) -> None:
    try:
        code = main(["doctor", *words])
    except SystemExit as ended:
        code = int(ended.code or 0)
    assert code == EXIT_USAGE
    said = capsys.readouterr().err.strip().splitlines()
    assert why in said[-1]


def test_recordings_that_are_none_are_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    garbage = tmp_path / "garbage"
    garbage.write_bytes(bytes(range(256)) * 10)
    for places in ([tmp_path], [garbage], [tmp_path / "missing"], [SAMPLES / "shared/both.0.ping"]):
        assert main(["doctor", "--from", *map(str, places)]) == EXIT_BAD_INPUT
        assert len(capsys.readouterr().err.strip().splitlines()) == 1
    folder = Path(shutil.copytree(SAMPLES / "shared", tmp_path / "folder"))
    (folder / "both.0.ping").unlink()
    assert main(["doctor", "--from", str(folder)]) == EXIT_BAD_INPUT
    (folder / TEST).unlink()
    assert main(["doctor", "--from", str(folder)]) == EXIT_BAD_INPUT
    assert "is not the folder of a finished test" in capsys.readouterr().err.splitlines()[-1]


def test_a_test_over_loopback_keeps_all(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    if shutil.which("ping") is None:
        pytest.skip("ping is missing")
    out = tmp_path / "test"
    with server() as (address, _):
        words = ["--path", "127.0.0.1", "--path", "127.0.0.2", "--download", f"{address}/short", "--seconds", "3"]
        code = main(
            ["doctor", *words, "--ping", "127.0.0.1", "--streams", "1", "--echo-interval-ms", "200", "--out", str(out)]
        )
    said = capsys.readouterr()
    assert code == EXIT_OK, said.err
    assert "127.0.0.1 and 127.0.0.2: unknown" in said.out
    kept = {path.name for path in out.iterdir()}
    assert kept == {
        *(f"{phase}.{number}.ping" for phase in ("idle", "first", "second", "both") for number in (0, 1)),
        *("first.0.received.csv", "second.1.received.csv", "both.0.received.csv", "both.1.received.csv"),
        *("test.json", "answer.json", "paths.png"),
    }
    assert main(["doctor", "--json", "--from", str(out)]) == EXIT_OK
    assert json.loads(capsys.readouterr().out) == json.loads((out / "answer.json").read_text())


def test_a_load_that_fails_leaves_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    if shutil.which("ping") is None:
        pytest.skip("ping is missing")
    with server() as (address, _):
        words = ["--path", "127.0.0.1", "--path", "127.0.0.2", "--download", f"{address}/missing", "--seconds", "3"]
        code = main(["doctor", *words, "--echo-interval-ms", "200", "--out", str(tmp_path / "test")])
    assert code == EXIT_FAILED
    assert capsys.readouterr().err.strip().splitlines()[-1].endswith("answers 404")
    assert list(tmp_path.iterdir()) == []


def test_a_host_that_is_none_ends_the_test_at_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    if shutil.which("ping") is None:
        pytest.skip("ping is missing")
    words = ["--path", "127.0.0.1", "--path", "127.0.0.2", "--download", "http://127.0.0.1/", "--seconds", "400"]
    begin_s = time.monotonic()
    code = main(["doctor", *words, "--ping", "no-such-host.invalid", "--out", str(tmp_path / "test")])
    assert code == EXIT_FAILED
    assert "no-such-host.invalid" in capsys.readouterr().err.strip().splitlines()[-1]
    # The phase without load would take 50 s.
    assert time.monotonic() - begin_s < 40


@pytest.mark.parametrize("place", ["file/test", "dangling"])
def test_a_place_that_cannot_be_is_refused_first(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, place: str
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    words = [*_PATHS, *_LOAD, "--out", str(tmp_path / place)]
    assert main(["doctor", *words]) == EXIT_USAGE
    assert place in capsys.readouterr().err.strip().splitlines()[-1]


def test_as_much_as_may_come_before_both_ends_the_test(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    if shutil.which("ping") is None:
        pytest.skip("ping is missing")
    with server() as (address, _):
        words = ["--path", "127.0.0.1", "--path", "127.0.0.2", "--download", f"{address}/short", "--seconds", "3"]
        words += ["--echo-interval-ms", "200", "--most-mb", "1", "--out", str(tmp_path / "test")]
        code = main(["doctor", *words])
    assert code == EXIT_FAILED
    assert "1 MB came before phase" in capsys.readouterr().err.strip().splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


def test_as_much_as_may_come_cuts_the_last_phase_short(tmp_path: Path) -> None:
    if shutil.which("ping") is None:
        pytest.skip("ping is missing")
    with server() as (address, _):
        one, other = (
            NetworkPath(source=source, load=f"{address}/short", echo="127.0.0.1")
            for source in ("127.0.0.1", "127.0.0.2")
        )
        asked = Settings(
            paths=(one, other),
            load="http",
            idle_s=1,
            alone_s=1,
            both_s=20,
            streams=4,
            echo_interval_ms=200,
            most_mb=3,
        )
        done = list(phases.run(asked, tmp_path))
    assert [one.cut for one in done] == [False, False, False, True]
    seen = observed.of_test(tmp_path)
    came = sum(table.octets[-1] for phase in seen.phases.values() for table in phase.received.values())
    assert 3_000_000 <= came < 6_000_000
    assert seen.phases["both"].end_s - seen.phases["both"].begin_s < 15
