"""`sbd doctor` as it is typed: plans, recordings, a test over loopback, and what cannot be tested."""

from __future__ import annotations

import json
import shutil
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from smartsbd.doctor import observed, phases
from smartsbd.doctor.guided_test import TEST, Settings
from smartsbd.doctor.network_path import NetworkPath
from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.running.stage import EXIT_BAD_INPUT, EXIT_FAILED, EXIT_OK, EXIT_USAGE
from tests.doctor.iperf3_servers import free_ports, serving
from tests.doctor.ping import needs_ping
from tests.doctor.test_http_download import server
from tests.processes import PATIENCE_S

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
        ([*_PATHS, "--iperf3", "a:65535"], "a:65535 has no next port: name a server for each path"),
        ([*_PATHS, *_LOAD, "--ping=-f"], "what is pinged (--ping) must be the name or address of a host, not -f"),
        ([*_PATHS, "--download", "http://192.0.2.1/é"], "--download takes an address of at most 2000 letters"),
        (["--path", "x y", "--path", "wwan0", *_LOAD], "--path takes an interface or an address of this host, not x y"),
        (["--path", "lo", "--path", "lo", *_LOAD], "both paths begin and end at the same place"),
        ([*_PATHS, *_LOAD, "--seconds", "nan"], "--seconds must be from 1 to 3600"),
        ([*_PATHS, *_LOAD, "--seconds", "1e9"], "--seconds must be from 1 to 3600"),
        ([*_PATHS, *_LOAD, "--seconds", "0.5"], "--seconds must be from 1 to 3600"),
        ([*_PATHS, *_LOAD, "--streams", "0"], "--streams must be from 1 to 64"),
        ([*_PATHS, *_LOAD, "--streams", "65"], "--streams must be from 1 to 64"),
        ([*_PATHS, *_LOAD, "--echo-interval-ms", "1"], "--echo-interval-ms must be from 2 to 1000"),
        ([*_PATHS, *_LOAD, "--most-mb", "0"], "--most-mb must be at least 1"),
        ([*_PATHS, *_LOAD, "--plot", "a.png"], "--plot draws what --from judges; a test draws paths.png"),
        ([*_PATHS, *_LOAD, "--out", "a" * 255], "File name too long"),
        (["--from", "a", *_PATHS], "nothing is tested then"),
        (["--from", "a", "--plan"], "nothing is tested then"),
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


@needs_ping
def test_a_test_over_loopback_keeps_all(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
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


@needs_ping
def test_a_load_that_fails_leaves_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with server() as (address, _):
        words = ["--path", "127.0.0.1", "--path", "127.0.0.2", "--download", f"{address}/missing", "--seconds", "3"]
        code = main(["doctor", *words, "--echo-interval-ms", "200", "--out", str(tmp_path / "test")])
    assert code == EXIT_FAILED
    assert capsys.readouterr().err.strip().splitlines()[-1].endswith("answers 404")
    assert list(tmp_path.iterdir()) == []


@needs_ping
def test_a_host_that_is_none_ends_the_test_at_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["--path", "127.0.0.1", "--path", "127.0.0.2", "--download", "http://127.0.0.1/", "--seconds", "3600"]
    begin_s = time.monotonic()
    code = main(["doctor", *words, "--ping", "no-such-host.invalid", "--out", str(tmp_path / "test")])
    assert code == EXIT_FAILED
    assert "no-such-host.invalid" in capsys.readouterr().err.strip().splitlines()[-1]
    # The phase without load would take 450 s.
    assert time.monotonic() - begin_s < PATIENCE_S


def test_two_names_of_one_path_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["--path", "lo", "--path", "127.0.0.1", "--download", "http://127.0.0.1/", "--out", str(tmp_path / "test")]
    assert main(["doctor", *words]) == EXIT_USAGE
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert said.endswith("lo to 127.0.0.1 and 127.0.0.1 to 127.0.0.1 are one path")
    assert list(tmp_path.iterdir()) == []


@needs_ping
def test_a_test_by_iperf3_over_loopback_keeps_all(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out, port = tmp_path / "test", free_ports(2)
    with serving(port), serving(port + 1):
        words = ["--path", "127.0.0.1", "--path", "127.0.0.2", "--iperf3", f"127.0.0.1:{port}", "--seconds", "3"]
        words += ["--streams", "1", "--echo-interval-ms", "200", "--most-mb", "1000000", "--out", str(out)]
        code = main(["doctor", *words])
    said = capsys.readouterr()
    assert code == EXIT_OK, said.err
    # No queue stands on loopback.
    assert said.out.splitlines()[0].startswith("127.0.0.1 and 127.0.0.2: unknown")
    assert "echoes without an answer: 0.0% over 127.0.0.1, 0.0% over 127.0.0.2" in said.out
    kept = {path.name for path in out.iterdir()}
    loaded = ("first.0", "second.1", "both.0", "both.1")
    assert kept == {
        *(f"{phase}.{number}.ping" for phase in ("idle", "first", "second", "both") for number in (0, 1)),
        *(f"{name}.{kind}" for name in loaded for kind in ("received.csv", "iperf3.json")),
        *("test.json", "answer.json", "paths.png"),
    }
    seen = observed.of_test(out)
    assert all(phase.mbit_s(number) > 1 for phase in seen.phases.values() for number in phase.received)
    assert not any(phase.cut or phase.broken for phase in seen.phases.values())
    # As asked for, and not in whole seconds of iperf3's own; less what this machine gave to others meanwhile.
    both = seen.phases["both"]
    took_s = both.end_s - both.begin_s
    assert took_s >= 3
    assert took_s * (1 - both.still) < 3.5


@needs_ping
def test_a_server_that_ends_leaves_what_was_recorded(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "test"
    with ExitStack() as stack:
        address, _ = stack.enter_context(server())

        def end() -> None:
            while not (tmp_path / ".test.part/test/both.0.ping").exists():
                time.sleep(0.05)
            time.sleep(0.5)
            stack.close()

        threading.Thread(target=end, daemon=True).start()
        words = ["--path", "127.0.0.1", "--path", "127.0.0.2", "--download", f"{address}/short", "--seconds", "30"]
        code = main(["doctor", *words, "--streams", "1", "--echo-interval-ms", "200", "--out", str(out)])
    said = capsys.readouterr()
    assert code == EXIT_OK, said.err
    assert "127.0.0.1 and 127.0.0.2: unknown: the load broke off with both loaded: http://127.0.0.1:" in said.out
    assert "both: the load broke off, and the test ends: http://127.0.0.1:" in said.err
    assert (out / "paths.png").exists() and (out / "answer.json").exists()
    assert main(["doctor", "--from", str(out)]) == EXIT_OK
    assert capsys.readouterr().out == said.out


@pytest.mark.parametrize("place", ["file/test", "dangling"])
def test_a_place_that_cannot_be_is_refused_first(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, place: str
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    words = [*_PATHS, *_LOAD, "--out", str(tmp_path / place)]
    assert main(["doctor", *words]) == EXIT_USAGE
    assert place in capsys.readouterr().err.strip().splitlines()[-1]


@needs_ping
def test_as_much_as_may_come_before_both_ends_the_test(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with server() as (address, _):
        words = ["--path", "127.0.0.1", "--path", "127.0.0.2", "--download", f"{address}/short", "--seconds", "3"]
        words += ["--echo-interval-ms", "200", "--most-mb", "1", "--out", str(tmp_path / "test")]
        code = main(["doctor", *words])
    assert code == EXIT_FAILED
    assert "1 MB came before phase" in capsys.readouterr().err.strip().splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


@needs_ping
def test_as_much_as_may_come_cuts_the_last_phase_short(tmp_path: Path) -> None:
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
            both_s=600,
            streams=4,
            echo_interval_ms=200,
            most_mb=3,
        )
        done = list(phases.run(asked, tmp_path))
    assert [one.cut for one in done] == [False, False, False, True]
    seen = observed.of_test(tmp_path)
    came = sum(table.octets[-1] for phase in seen.phases.values() for table in phase.received.values())
    # Headers count as well.
    assert 2_800_000 <= came < 3_000_000
    assert seen.phases["both"].end_s - seen.phases["both"].begin_s < 10 * PATIENCE_S - 1
