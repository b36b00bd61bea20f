"""The sender of rust/quic: what it writes is read, and the replay of it repeats every judgement."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tomllib
from pathlib import Path

import pytest

from studies.quic.qlog_replay import compared, judged
from studies.quic.sent_transfers import MODES, STACKS

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "rust/quic"
BUILT = ROOT / "build/quic/target"
RECORD = "\x1e"
_FURTHER = ("127.0.0.1", "127.0.0.2", "none", "log")
HEADER: dict[str, object] = {
    "file_schema": "urn:ietf:params:qlog:file:sequential",
    "serialization_format": "application/qlog+json-seq",
    "trace": {"vantage_point": {"type": "client"}},
}


def cargo(*arguments: str) -> None:
    """Run cargo in the package; skip where it is missing or too old, or cannot have the packages that it needs."""
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not installed")
    environment = os.environ | {"CARGO_TARGET_DIR": str(BUILT)}
    done = subprocess.run(
        ["cargo", *arguments], cwd=PACKAGE, env=environment, capture_output=True, text=True, check=False
    )
    if re.search(
        r"requires rustc|edition2024|[Ff]ailed to (download|get|fetch)|[Cc]ould not (connect|resolve)", done.stderr
    ):
        pytest.skip("this cargo is older than the package takes, or cannot have what it needs")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def sender() -> Path:
    cargo("build", "--quiet", "--release", "--locked")
    return BUILT / "release/sbd-quic"


@pytest.mark.slow
def test_it_is_formatted_and_clippy_and_rustdoc_have_no_warning() -> None:
    cargo("fmt", "--check")
    cargo("clippy", "--quiet", "--release", "--locked", "--all-targets", "--", "--deny", "warnings")
    cargo("rustdoc", "--quiet", "--release", "--locked", "--lib", "--", "--deny", "warnings")


@pytest.mark.slow
def test_its_own_tests_pass() -> None:
    cargo("test", "--quiet", "--release", "--locked")


@pytest.mark.slow
@pytest.mark.parametrize("stack", STACKS)
def test_what_it_writes_is_read_and_the_replay_repeats_its_judgements(sender: Path, stack: str, tmp_path: Path) -> None:
    """Over loopback, two addresses of it as two paths; without a queue there is no verdict, but scores."""
    qlog, certificate = tmp_path / "sender.sqlog", tmp_path / "receiver.der"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    receiver = subprocess.Popen([sender, "receive", stack, address, certificate], stdout=subprocess.PIPE, text=True)
    assert receiver.stdout is not None
    try:
        assert receiver.stdout.readline() == "ready\n"
        words = ["send", stack, MODES[2], "2", address, "127.0.0.1", "127.0.0.2"]
        done = subprocess.run([sender, *words, certificate, qlog], capture_output=True, text=True, check=True)
        receiver.send_signal(signal.SIGTERM)
        received = json.loads(receiver.communicate(timeout=10)[0])["received_bytes"]
    finally:
        receiver.kill()
        receiver.wait()
    outcome, judgements = json.loads(done.stdout), judged(qlog)
    assert min(outcome["acked_bytes"]) > 0 and received > 1_000_000
    assert len(judgements) == outcome["judgements"] > 10
    replay = compared(qlog, judgements)
    assert replay.judgements == replay.equal == len(judgements)
    detected = subprocess.run(["sbd", "detect", qlog], capture_output=True, text=True, check=False)
    assert "subflows 0 and 1" in detected.stdout, detected.stdout + detected.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["send", "tcp", "coupled", "1", "127.0.0.1:1", *_FURTHER], "tcp: no stack: noq or quinn"),
        (["send", "noq", "sideways", "1", "127.0.0.1:1", *_FURTHER], "sideways: none of"),
        (["send", "noq", "coupled", "-1", "127.0.0.1:1", *_FURTHER], "-1: "),
        (["send", "noq", "coupled", "1", "127.0.0.1", *_FURTHER], "127.0.0.1: no address with a port"),
        (["send", "noq", "coupled", "1", "127.0.0.1:1", *_FURTHER], "none: No such file"),
        (["receive", "noq", "127.0.0.1:0", "missing/receiver.der"], "missing/receiver.der: No such file"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_and_no_log_is_begun(
    sender: Path, words: list[str], line: str, tmp_path: Path
) -> None:
    done = subprocess.run([sender, *words], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=10)
    assert done.returncode == 1
    assert done.stderr.startswith("sbd-quic: ")
    assert line in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_judgement_that_the_replay_does_not_repeat_is_counted(tmp_path: Path) -> None:
    """Both paths have one queue, whose delay wanders; the log's judgements are those of the first replay."""
    qlog, state, queue_us = tmp_path / "sender.sqlog", 1, 0
    records: list[dict[str, object]] = [HEADER]
    for step in range(20_000):
        state = state * 6364136223846793005 % (1 << 64) + 1442695040888963407
        queue_us = min(max(queue_us + (state >> 33) % 2_001 - 1_000, 0), 60_000)
        for path, base_us in enumerate((20_000, 35_000)):
            data = {"latest_rtt": (base_us + queue_us) / 1_000}
            records.append(
                {"time": step * 2, "name": "quic:recovery_metrics_updated", "tuple": str(path), "data": data}
            )
    qlog.write_text("".join(f"{RECORD}{json.dumps(record)}\n" for record in records))
    replay = compared(qlog, [])
    assert (replay.equal, replay.last_verdict) == (0, "shared")
    assert replay.judgements > 10
    judgement = {"time": 1.5, "name": "verdicts:judged", "data": {"verdict": "shared", "score_q10": 1}}
    with qlog.open("a") as log:
        log.write(f"{RECORD}{json.dumps(judgement)}\n")
    (said,) = judged(qlog)
    assert (said.time_ns, said.verdict, said.score_q10) == (1_500_000, "shared", 1)
    assert compared(qlog, [said]).equal == 0


def test_the_package_is_not_published_and_is_safe() -> None:
    manifest = tomllib.loads((PACKAGE / "Cargo.toml").read_text())
    assert manifest["package"]["publish"] is False
    assert manifest["lints"]["rust"]["unsafe_code"] == "forbid"
    assert manifest["dependencies"]["smartsbd"] == {"path": ".."}
    assert manifest["package"]["rust-version"] in (PACKAGE / "README.md").read_text()


def test_what_is_locked_comes_from_one_place_with_its_digest() -> None:
    packages = tomllib.loads((PACKAGE / "Cargo.lock").read_text())["package"]
    foreign = [package for package in packages if "source" in package]
    assert {package["name"] for package in packages} - {package["name"] for package in foreign} == {
        "smartsbd",
        "smartsbd-quic",
    }
    kernel = tomllib.loads((ROOT / "kernel/Cargo.lock").read_text())["package"]
    assert {package["source"] for package in foreign} == {
        package["source"] for package in kernel if "source" in package
    }
    assert all("checksum" in package for package in foreign)
