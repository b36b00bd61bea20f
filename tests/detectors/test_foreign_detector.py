"""Somebody else's detector as a process: what it says is read, and what it does wrong costs its own verdicts alone."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from smartsbd.detectors import bounded_process, foreign_detector
from smartsbd.detectors.bounded_process import ProcessLimits
from smartsbd.detectors.foreign_detector import SILENT, Answer, NoProgramError
from smartsbd.detectors.scoring import OnPair
from tests.processes import PATIENCE_S

LINES = b"smartsbd: 5 C=1 SF=0 V=RTT 900\nsmartsbd: 6 C=1 SF=1 V=RTT 900\n"
SMALL = ProcessLimits(time_s=PATIENCE_S, file_bytes=1 << 16, memory_bytes=256 << 20)
#: For what does not end by itself.
SHORT = replace(SMALL, time_s=2)
NOTHING = {(0, 1): OnPair((), ())}


def asked(program: str | Sequence[str], limits: ProcessLimits = foreign_detector.LIMITS) -> Answer:
    command = ["/bin/sh", "-c", program] if isinstance(program, str) else list(program)
    return foreign_detector.ask(command, LINES, 1, [0, 1], (5, 6), limits)


def test_it_reads_every_event_and_its_verdicts_hold() -> None:
    answer = asked('test "$(wc -l)" -eq 2 && echo "smartsbd: 6 C=1 SF=0,1 V=SHARED 1" && echo "about 2 lines"')
    assert answer == Answer({(0, 1): OnPair((6,), (True,))}, refused=answer.refused)
    assert answer.refused == {"not a verdict line": 1}


@pytest.mark.parametrize(
    ("program", "failure", "remark"),
    [
        ("cat > /dev/null", SILENT, ""),
        (
            "echo 6 C=1; printf 'odd\\n\x1b[1mno' >&2; exit 3",
            "ended with status 3",
            r"\x1b[1mno",
        ),
        ("kill -9 $$", "was ended by signal 9", ""),
        ("while :; do :; done", "sh did not end within 2 s, and was killed", ""),
        ("exec yes", "sh wrote more than 65536 bytes, and was killed", ""),
    ],
)
def test_a_process_that_fails_says_nothing_and_why_is_known(program: str, failure: str, remark: str) -> None:
    limits = SHORT if "did not end" in failure else SMALL
    assert asked(program, limits) == Answer(NOTHING, failure, remark=remark)


@pytest.mark.skipif(not bounded_process.namespace(), reason="this system allows no namespace of process numbers")
@pytest.mark.parametrize(
    ("ends", "failure"),
    [
        ("exit 0", SILENT),
        ("kill -9 $$", "was ended by signal 9"),
        ("sleep 60", "sh did not end within 2 s, and was killed"),
    ],
)
def test_what_made_a_session_of_its_own_ends_too(tmp_path: Path, ends: str, failure: str) -> None:
    begun, late = tmp_path / "begun", tmp_path / "late"
    outliving = f"setsid sh -c 'touch {begun}; sleep 3; touch {late}' & while [ ! -e {begun} ]; do sleep 0.01; done"
    assert asked(f"{outliving}; {ends}", SHORT) == Answer(NOTHING, failure)
    time.sleep(3.5)
    assert not late.exists()


def test_memory_is_limited() -> None:
    answer = asked([sys.executable, "-c", "x = bytes(1 << 30); print('6 C=1 SF=0,1 V=SHARED 1')"], SMALL)
    assert (answer.on_pairs, answer.failure, answer.remark) == (NOTHING, "ended with status 1", "MemoryError")


@pytest.mark.parametrize("text", ["", "no-such-program --fast", "'unfinished"])
def test_a_command_without_a_program_is_refused(text: str) -> None:
    with pytest.raises(NoProgramError):
        foreign_detector.command_of(text)
