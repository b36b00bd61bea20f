"""Our detectors as a process say what they say when they are asked directly, at the same times."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from smartsbd.detectors import DETECTORS, detector_process, replayed, verdict_lines
from smartsbd.detectors.event import Kind, events_of
from smartsbd.features import connection_pairs
from smartsbd.models.labelled.labelled_connection import START_NS, LabelledConnection, labelled
from smartsbd.traces import recording
from smartsbd.traces.connection import Connection
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.log_writing import log_lines
from tests.night import few_now

ROOT = Path(__file__).parents[2]
KERNEL = sorted((ROOT / "data/samples/kernel/inputs").iterdir())
HARD = sorted((ROOT / "data/samples/kernel_hard/inputs").iterdir())[::8]


def both(path: Path) -> tuple[Connection, LabelledConnection]:
    """A recording as it is, and with a label and a clock of its own."""
    (connection,) = recording.read(path, Dialect()).trace.connections
    truth = [{"subflow_a": 0, "subflow_b": 1, "shared": True, "from_ns": 0}]
    one = labelled(path.name, "kernel", 0x5B1, connection_pairs.rows(connection), truth)
    assert one is not None
    return connection, one


def as_process(name: str, lines: bytes) -> bytes:
    command = [sys.executable, "-m", "smartsbd.detectors.detector_process", name]
    return subprocess.run(command, input=lines, stdout=subprocess.PIPE, cwd=ROOT, check=True).stdout


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "lag-excess" else pytest.mark.slow) for name in DETECTORS]
)
def test_verdict_lines_are_the_opinions_on_the_recording(name: str) -> None:
    kind = DETECTORS[name]
    said_something = 0
    for path in (*KERNEL, *HARD):
        connection, one = both(path)
        detector = kind.build(kind.presets[kind.default])
        start_ns, end_ns = connection.span_ns()
        events = events_of(*connection_pairs.rows(connection), detector.kinds)
        direct = verdict_lines.on_pairs_of(replayed(detector, [0, 1], events, end_ns), [0, 1])[0, 1]
        lines = detector_process.verdicts(name, log_lines(one.token, *one.rows))
        said, refused = verdict_lines.read(lines, one.token, [0, 1], one.span_ns())
        assert not refused
        by_ns = start_ns - START_NS
        wanted = direct.changes(start_ns, end_ns)
        assert [(time_ns + by_ns, verdict) for time_ns, verdict in said[0, 1].changes(*one.span_ns())] == wanted, path
        said_something += wanted[-1][1] is not None
    # No ACK of these recordings echoes congestion, which one of the detectors wants.
    assert (said_something > len(KERNEL)) == (Kind.MARK not in kind.build(kind.presets[kind.default]).kinds)


@pytest.mark.parametrize("name", few_now(["lag-excess", "rfc8382"], now=["lag-excess"]))
def test_the_process_writes_what_the_function_returns(name: str) -> None:
    for path in KERNEL[::4]:
        _, one = both(path)
        lines = log_lines(one.token, *one.rows)
        written = as_process(name, lines)
        assert written and written == detector_process.verdicts(name, lines)


@pytest.mark.parametrize(
    ("words", "lines", "status", "said"),
    [
        (["oracle"], b"", 2, "detector 'oracle' is unknown"),
        ([], b"", 2, "usage: "),
        (["correlation"], b"nothing\n", 3, "no event line among 1 lines"),
        (["correlation"], b"5 C=1 SF=0 V=RTT 9\n5 C=2 SF=0 V=RTT 9\n", 2, "event lines of 2 connections"),
    ],
)
def test_what_it_cannot_do_is_one_line(words: list[str], lines: bytes, status: int, said: str) -> None:
    command = [sys.executable, "-m", "smartsbd.detectors.detector_process", *words]
    done = subprocess.run(command, input=lines, capture_output=True, cwd=ROOT, check=False)
    assert done.returncode == status
    assert done.stderr.count(b"\n") == 1
    assert said in done.stderr.decode()
