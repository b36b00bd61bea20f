"""What the recorder logs of real traffic, beside what a congestion controller was told of the same connection."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from smartsbd.pipelines.__main__ import main
from smartsbd.traces import recording
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.trace import Trace
from tests.kernel.conftest import BUILT
from tests.kernel.recorded import (
    Recorded,
    assert_samples_are_those_told,
    assert_states_are_recorded_when_told,
    witnessed,
)
from tests.kernel.two_paths import PORT, TwoPaths, go_on
from tests.processes import PATIENCE_S, waited_for


@dataclass(frozen=True)
class Session:
    """Recorders by what they were asked for, and the witness's lines."""

    by_name: dict[str, Recorded]
    witness: str
    token: str


#: Of each subflow. The connection lasts until they are there, at most as long as is given.
_LEAST_SAMPLES, _LONG_S = 1000, 3 * PATIENCE_S
OPTIONS: dict[str, list[str]] = {
    "all": [],
    "no_addresses": ["--no-addresses"],
    "right_port": ["--port", str(PORT)],
    "wrong_port": ["--port", str(PORT + 1)],
    "remote_port": ["--remote-port", str(PORT)],
    "local_port": ["--local-port", str(PORT)],
    "wrong_token": ["--token", "1"],
    "small_ring": ["--ring-kib", "4"],
    "parts": ["--rotate-seconds", "1", "--keep", "2"],
    "state": ["--format", "state"],
}


def _start(stack: ExitStack, program: Path, out: Path, *options: str) -> subprocess.Popen[str]:
    own = subprocess.Popen([program, "--out", out, *options], stderr=subprocess.PIPE, text=True)
    stack.callback(own.kill)
    return own


def _heading(own: subprocess.Popen[str]) -> str:
    """Wait until a recorder records; return what it says then."""
    assert own.stderr is not None
    return own.stderr.readline().rstrip("\n")


def _stop(own: subprocess.Popen[str]) -> list[str]:
    """End a recorder; return what it has said since its heading."""
    own.send_signal(signal.SIGTERM)
    _, said = own.communicate(timeout=PATIENCE_S)
    assert own.returncode == 0, said
    return said.splitlines()


def _growing(out: Path) -> dict[tuple[str, str], int]:
    """Return how many samples a log has so far, by token and subflow; a recorder makes it after its heading."""
    return {key: len(values) for key, values in Recorded(out, []).told("RTT").items()} if out.exists() else {}


def _has_samples_of_both(out: Path, least: int) -> bool:
    found = _growing(out)
    return len(found) == 2 and min(found.values()) >= least


@pytest.fixture(scope="module")
def session(recording_allowed: Path, network: TwoPaths, tmp_path_factory: pytest.TempPathFactory) -> Session:
    folder = tmp_path_factory.mktemp("recorded")
    with ExitStack() as stack:
        witness = subprocess.Popen(
            [BUILT / "witness"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        stack.callback(witness.kill)
        assert witness.stdout is not None
        if witness.stdout.readline() != "ready\n":
            pytest.skip(f"no struct_ops: {witness.communicate()[1].strip()}")
        netns = ["--netns", str(network.netns)]
        running = {
            name: _start(stack, recording_allowed, folder / name, *netns, *options) for name, options in OPTIONS.items()
        }
        headings = {name: _heading(own) for name, own in running.items()}
        with network.sending(_LONG_S, "sbd_witness") as sender:
            # Long enough for parts of a second each, and for all of the samples that are asked for below.
            time.sleep(4)
            assert waited_for(lambda: _has_samples_of_both(folder / "all", 2 * _LEAST_SAMPLES))
            go_on(sender)
            assert sender.wait() == 0
        time.sleep(0.2)
        by_name = {name: Recorded(folder / name, [headings[name], *_stop(own)]) for name, own in running.items()}
        lines, _ = witness.communicate(timeout=PATIENCE_S)
    token = next(iter(by_name["all"].told("RTT")))[0]
    return Session(by_name, lines, token)


def _read(path: Path) -> Trace:
    trace = recording.read(path, Dialect()).trace
    assert trace.refusals == []
    return trace


def test_both_subflows_are_recorded(session: Session) -> None:
    own = session.by_name["all"]
    connections, subflows, samples, lost, _ = own.summary
    told = own.told("RTT")
    assert (connections, subflows, lost) == (1, 2, 0)
    assert set(told) == {(session.token, "1"), (session.token, "2")}
    assert samples == sum(len(values) for values in told.values())
    assert all(len(values) > _LEAST_SAMPLES for values in told.values())


def test_samples_are_those_that_a_controller_is_told(session: Session) -> None:
    """Equal in order and value by fentry; by tcp_probe a subset, but for what is not to be told."""
    assert_samples_are_those_told(session.by_name["all"], witnessed(session.witness, "RTT"))


def test_each_state_that_a_controller_is_told_is_recorded_when_it_is_told(session: Session) -> None:
    told = witnessed(session.witness, "CA")
    assert sum(len(expected) for expected in told.values()) > 10
    assert_states_are_recorded_when_told(session.by_name["all"], told)


def test_the_log_is_read_without_a_refusal(session: Session, tmp_path: Path) -> None:
    own = session.by_name["all"]
    trace = _read(own.out)
    assert trace.messages_lost == 0
    # The heading, a line for each subflow, the summary.
    assert trace.other_lines == 4
    assert main(["parse", "--out", str(tmp_path / "tables"), str(own.out)]) == 0
    assert main(["detect", str(own.out)]) == 0


def test_where_samples_come_from_stands_first_and_what_is_missing_last(session: Session) -> None:
    own = session.by_name["all"]
    lines = own.text.splitlines()
    assert lines[0] == f"# {own.said[0]}"
    assert lines[-1] == f"# {own.said[-1]}"
    if "tcp_probe in place of fentry" in own.said[0]:
        assert re.search(r"samples missing by tcp_probe \d+ \(\d+\.\d %\)", own.said[-1])


def test_addresses_can_be_left_out(session: Session) -> None:
    assert f"C={session.token} SF=1 is 10.77.1.1:" in session.by_name["all"].text
    hidden = session.by_name["no_addresses"]
    assert "10.77." not in hidden.text
    assert str(PORT) not in "".join(line for line in hidden.text.splitlines() if line.startswith("#"))
    assert _read(hidden.out).other_lines == 2
    assert hidden.summary[2] > _LEAST_SAMPLES


@pytest.mark.parametrize("name", ["wrong_port", "local_port", "wrong_token"])
def test_what_is_filtered_out_is_not_there(session: Session, name: str) -> None:
    assert session.by_name[name].summary[:3] == (0, 0, 0)


@pytest.mark.parametrize("name", ["right_port", "remote_port"])
def test_what_the_filter_lets_through_is_there(session: Session, name: str) -> None:
    assert session.by_name[name].summary[:2] == (1, 2)
    assert session.by_name[name].summary[2] > _LEAST_SAMPLES


def test_one_connection_is_told_by_its_token(recording_allowed: Path, network: TwoPaths, tmp_path: Path) -> None:
    with ExitStack() as stack:
        every = _start(stack, recording_allowed, tmp_path / "every", "--netns", str(network.netns))
        _heading(every)
        sending = [stack.enter_context(network.sending(_LONG_S, port=port)) for port in (PORT, PORT + 1)]

        def tokens() -> list[str]:
            return sorted({token for token, _ in _growing(tmp_path / "every")})

        assert waited_for(lambda: len(tokens()) == 2)
        one = _start(stack, recording_allowed, tmp_path / "one", "--token", tokens()[0])
        _heading(one)
        assert waited_for(lambda: _has_samples_of_both(tmp_path / "one", 1))
        for own in sending:
            go_on(own)
            assert own.wait() == 0
        _stop(every)
        _stop(one)
    told = Recorded(tmp_path / "one", []).told("RTT")
    assert {token for token, _ in told} == {tokens()[0]}
    assert len(told) == 2


def test_what_finds_no_room_is_counted_where_it_is_missing(session: Session) -> None:
    own = session.by_name["small_ring"]
    *_, samples, lost, _ = own.summary
    assert lost > 0
    assert samples + lost >= session.by_name["all"].summary[2] / 2
    trace = _read(own.out)
    assert trace.messages_lost == lost
    assert trace.gaps > 0


def test_parts_stand_for_themselves(session: Session) -> None:
    own = session.by_name["parts"]
    parts = sorted(own.out.parent.glob("parts.*"), key=lambda path: int(path.suffix[1:]))
    numbers = [int(path.suffix[1:]) for path in parts]
    assert len(parts) == 2
    assert numbers == [numbers[0], numbers[0] + 1]
    assert own.said[-1].endswith(f"; old parts removed {numbers[0]}")
    # The last may have begun after the connection ended.
    trace = _read(parts[0])
    assert len(trace.connections) == 1


def test_state_files_are_read_without_a_refusal(session: Session) -> None:
    own = session.by_name["state"]
    names = sorted(path.name for path in own.out.iterdir())
    assert names == [f"{int(session.token, 16):08x}.state.csv", "subflows.csv"]
    trace = _read(own.out / names[0])
    subflows = trace.connections[0].subflows
    assert sorted(subflows) == [1, 2]
    ends = (own.out / "subflows.csv").read_text().splitlines()
    assert ends[0] == "token,subflow,local,remote"
    assert {line.split(",")[1] for line in ends[1:]} == {"1", "2"}
    rows = [line.split(",") for line in (own.out / names[0]).read_text().splitlines()[1:]]
    assert sum(row[2] == "rtt_us" for row in rows) == own.summary[2]
