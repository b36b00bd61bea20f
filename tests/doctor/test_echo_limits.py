"""What is said of the echoes of a test, in words of the options that it has."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from smartsbd.doctor import observed
from smartsbd.doctor.observed import ObservedError

SAMPLES = Path(__file__).parent / "samples"


def changed(folder: Path, change: Callable[[list[str]], list[str]], phase: str = "both") -> Path:
    """A sample with other echoes over its second path."""
    shutil.copytree(SAMPLES / "shared", folder, dirs_exist_ok=True)
    ping = folder / f"{phase}.1.ping"
    lines = ping.read_text().splitlines()
    answers = [line for line in lines if " time=" in line]
    ping.write_text("\n".join([lines[0], *change(answers)]) + "\n")
    return folder


def rtt(line: str, ms: float) -> str:
    return re.sub(r"time=\S+", f"time={ms:.3g}", line)


def test_a_sample_has_none() -> None:
    assert observed.of_test(SAMPLES / "shared").both.limits == []


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda answers: answers[:9],
            "With both loaded, too few echoes over 10.0.1.1 were answered. Name a host that answers (--ping)",
        ),
        (
            lambda answers: answers[::40],
            "Test with --echo-interval-ms ",
        ),
        (
            lambda answers: [rtt(line, 50.0) for line in answers],
            "With both loaded, there is no sign of a queue on 10.0.1.1. Load with more connections (--streams)",
        ),
    ],
)
def test_each_is_said_with_what_to_do(tmp_path: Path, change: Callable[[list[str]], list[str]], sentence: str) -> None:
    said = " ".join(observed.of_test(changed(tmp_path, change)).both.limits)
    assert sentence in said
    assert not re.search("Subflow|Sample every|--model|sbd record", said)


def test_paths_too_short_for_echoes_are_said(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(SAMPLES / "shared", tmp_path / "short"))
    for number in (0, 1):
        ping = folder / f"both.{number}.ping"
        ping.write_text("\n".join(rtt(line, 0.05) for line in ping.read_text().splitlines()) + "\n")
    said = observed.of_test(folder).both.limits
    assert said[0].startswith("Echoes over 10.0.0.1 were answered every 2")
    assert said[0].endswith("within 2 ms, which this path would need: name a server that is farther away.")


def test_recordings_say_the_names_of_their_paths(tmp_path: Path) -> None:
    table = tmp_path / "rtts.csv"
    rows = [f"{1000 + number / 50:.3f},{name},{0.05}" for number in range(200) for name in ("wlan0", "wwan0")]
    table.write_text("time_s,path,rtt_ms\n" + "\n".join(rows) + "\n")
    said = observed.of_recordings([table]).both.limits
    assert any(one.startswith("Path wlan0: an RTT every 20 ms") for one in said)
    assert not re.search("Subflow|Sample every 0|--model", " ".join(said))


def test_unanswered_echoes_are_counted(tmp_path: Path) -> None:
    before = observed.of_test(SAMPLES / "shared").phases["idle"].echoes[1]
    seen = observed.of_test(changed(tmp_path, lambda answers: answers[:1] + answers[2:], phase="idle"))
    assert seen.phases["idle"].echoes[1].unanswered == before.unanswered + 1
    assert seen.unanswered_share(0) == observed.of_test(SAMPLES / "shared").unanswered_share(0)


def test_a_file_with_echoes_of_several_paths_is_refused(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(SAMPLES / "shared", tmp_path / "several"))
    (folder / "idle.0.ping").write_text("time_s,path,rtt_ms\n1.0,a,10\n1.1,b,10\n1.2,a,10\n")
    with pytest.raises(ObservedError, match=r"idle\.0\.ping holds 2 paths: in a test it has the echoes of one"):
        observed.of_test(folder)
