"""The relay on datagrams between two namespaces: rate, delay, queue, loss, marks, as its plan says."""

from __future__ import annotations

import os
import signal
import subprocess
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest

from tests.testbed.two_hosts import Came, Sending, through

_MS = 1_000_000
#: Two devices of the namespace that the relay runs in.
_PLAN = """seed value=1
marks ns=0,1000000000
host netns=/proc/self/ns/net device=left
host netns=/proc/self/ns/net device=right
port delay=1
route from=0 address=10.0.0.1 to=1 there=0 back=0
"""


def _of(came: list[Came], address: int = 0) -> list[Came]:
    return [one for one in came if one.address == address]


def test_a_packet_takes_its_time_on_the_line_and_the_delay(allowed: Path, tmp_path: Path) -> None:
    del allowed
    ports = ["rate=0:8000000 queue=30000 delay=20000000", "delay=5000000"]
    came, report = through(ports, [[0, 1]], [Sending(40, 1000, 0.02)], 1.0, tmp_path)
    assert [one.number for one in came] == list(range(40))
    took_ms = [(one.came_ns - one.sent_ns) / _MS for one in came]
    # 1000 bytes at 8 Mbit/s take 1 ms. No packet can be earlier than due.
    assert min(took_ms) >= 26.0
    assert median(took_ms) == pytest.approx(26.0, abs=0.5)
    (counts,), _, _ = report["ports"]
    assert (counts["packets"], counts["bytes"], counts["busy_ns"]) == (40, 40_000, 40 * _MS)
    assert report["lateness"]["packets"] == 40
    assert median(took_ms) - 26 < report["lateness"]["p99_us"] / 1000 + 0.5


def test_the_line_has_its_rate_and_two_routes_share_it(allowed: Path, tmp_path: Path) -> None:
    del allowed
    sending = [Sending(500, 1000)] * 2
    came, report = through(["rate=0:8000000 queue=600000"], [[0], [0]], sending, 1.0, tmp_path)
    first_ns, last_ns = came[0].came_ns, came[-1].came_ns
    assert (len(came) - 1) * 8_000 / (last_ns - first_ns) * 1e9 == pytest.approx(8e6, rel=0.02)
    assert min(len(_of(came, 0)), len(_of(came, 1))) > 250
    (counts,), _ = report["ports"]
    assert len(came) + sum(counts["drops"]) == 1000
    assert counts["busy_ns"] == pytest.approx(len(came) * _MS)
    assert 599_000 < counts["most_waiting_bytes"] <= 600_000


def test_a_full_queue_drops_what_comes_last(allowed: Path, tmp_path: Path) -> None:
    del allowed
    came, report = through(["rate=0:400000 queue=10500"], [[0]], [Sending(40, 1000)], 1.2, tmp_path)
    # One is on the line, for 20 ms each, ten wait; all come at once.
    assert [one.number for one in came] == list(range(11))
    (counts,), _ = report["ports"]
    assert counts["drops"] == [29]
    assert counts["most_waiting_bytes"] == 10_000
    gaps_ms = [(later.came_ns - one.came_ns) / _MS for one, later in pairwise(came)]
    assert median(gaps_ms) == pytest.approx(20, abs=1)


def _left_by_codel(came_ms: list[float], line_ms: float, packet_bytes: int) -> list[int]:
    """Numbers of the packets that CoDel sends: RFC 8289's pseudocode, packet by packet."""
    free_ms, first_above, drop_next, count, last_count, dropping = 0.0, 0.0, 0.0, 0, 0, False
    left = []
    at = 0

    def take(now: float) -> tuple[int | None, bool]:
        nonlocal at, first_above
        if at == len(came_ms):
            first_above = 0.0
            return None, False
        number, at = at, at + 1
        waiting = sum(1 for later in came_ms[at:] if later <= now)
        if now - came_ms[number] < 5 or waiting * packet_bytes <= 1514:
            first_above = 0.0
            return number, False
        if first_above == 0:
            first_above = now + 100
            return number, False
        return number, now >= first_above

    while at < len(came_ms):
        now = max(free_ms, came_ms[at])
        number, too_long = take(now)
        if dropping:
            dropping = too_long
            while dropping and now >= drop_next:
                count += 1
                number, too_long = take(now)
                dropping = too_long
                if dropping:
                    drop_next += 100 / count**0.5
        elif too_long:
            number, too_long = take(now)
            dropping = True
            delta = count - last_count
            count = delta if delta > 1 and now - drop_next < 1600 else 1
            drop_next, last_count = now + 100 / count**0.5, count
        if number is not None:
            left.append(number)
            free_ms = now + line_ms
    return left


def test_codel_drops_what_the_pseudocode_of_its_rfc_does(allowed: Path, tmp_path: Path) -> None:
    del allowed
    # 2 ms on the line for each, one every 1.5 ms: drop-tail would send all of them.
    sending = [Sending(1000, 1000, 0.0015)]
    expected = _left_by_codel([1.5 * number for number in range(1000)], 2.0, 1000)
    assert 900 < len(expected) < 990
    first_expected = next(place for place, number in enumerate(expected) if number != place)
    # A machine that is busy reads packets late, by which others are dropped: of three runs one may be undisturbed.
    for run in range(3):
        folder = tmp_path / f"{run}"
        folder.mkdir()
        came, report = through(["rate=0:4000000 queue=600000 discipline=codel"], [[0]], sending, 2.6, folder)
        ((counts,), _) = report["ports"]
        assert counts["drops"] == [1000 - len(came)]
        assert counts["packets"] == len(came)
        assert counts["bytes"] == 1000 * len(came)
        first = next(place for place, one in enumerate(came) if one.number != place)
        if abs(len(came) - len(expected)) <= 3 and abs(first - first_expected) <= 5:
            break
    # A packet that is read late may save another one from being dropped.
    assert len(came) == pytest.approx(len(expected), abs=3)
    assert first == pytest.approx(first_expected, abs=5)


def test_codel_lets_a_burst_through_that_is_over_in_time(allowed: Path, tmp_path: Path) -> None:
    del allowed
    ports = ["rate=0:4000000 queue=600000 discipline=codel delay=1000000"]
    came, report = through(ports, [[0]], [Sending(45, 1000)], 0.6, tmp_path)
    assert [one.number for one in came] == list(range(45))
    ((counts,), _) = report["ports"]
    assert counts["drops"] == [0]
    assert counts["busy_ns"] == 45 * 2 * _MS
    assert 30_000 < counts["most_waiting_bytes"] <= 44_000


def test_a_full_queue_of_codel_drops_what_comes_last(allowed: Path, tmp_path: Path) -> None:
    del allowed
    ports = ["rate=0:4000000 queue=10500 discipline=codel"]
    came, report = through(ports, [[0]], [Sending(40, 1000)], 0.6, tmp_path)
    assert [one.number for one in came[:11]] == list(range(11))
    ((counts,), _) = report["ports"]
    assert counts["drops"] == [40 - len(came)]
    assert len(came) < 20


def test_a_policer_lets_its_depth_through_at_once_and_holds_nothing_back(allowed: Path, tmp_path: Path) -> None:
    del allowed
    came, report = through(["rate=0:80000 queue=10500 discipline=policer"], [[0]], [Sending(40, 1000)], 1.4, tmp_path)
    assert [one.number for one in came] == list(range(10))
    # The line behind has ten times the rate.
    gaps_ms = [(later.came_ns - one.came_ns) / _MS for one, later in pairwise(came)]
    assert median(gaps_ms) == pytest.approx(10, abs=0.5)
    ((counts,), _) = report["ports"]
    assert counts["drops"] == [30]
    assert (counts["packets"], counts["bytes"], counts["most_waiting_bytes"]) == (10, 10_000, 0)
    # The bucket is full again when the tokens of ten packets have come.
    assert counts["busy_ns"] == pytest.approx(1000 * _MS, abs=10)


def test_a_policer_lets_its_rate_through_which_changes(allowed: Path, tmp_path: Path) -> None:
    del allowed
    # 500 packets each second, of which 125 and then 375 go on.
    ports = ["rate=0:1000000,500000000:3000000 queue=5000 discipline=policer delay=5000000"]
    came, report = through(ports, [[0]], [Sending(400, 1000, 0.002)], 1.0, tmp_path)
    ((counts,), _) = report["ports"]
    assert len(came) + counts["drops"][0] == 400
    first_ns, last_ns = came[0].sent_ns, came[-1].sent_ns
    # It began within 50 to 100 ms after 0. A sender that is late for long leaves tokens unused.
    for start_ns in (50 * _MS, 100 * _MS):
        slow_ns = 500 * _MS - start_ns
        tokens = 5000 + slow_ns * 1e-9 * 125_000 + (last_ns - first_ns - slow_ns) * 1e-9 * 375_000
        assert 0.85 < len(came) * 1000 / tokens < 1.1
    took_ms = [(one.came_ns - one.sent_ns) / _MS for one in came]
    assert min(took_ms) >= 5 and median(took_ms) < 7
    assert counts["busy_ns"] > 700 * _MS


def test_the_rate_changes_when_the_plan_says_so(allowed: Path, tmp_path: Path) -> None:
    del allowed
    # Sent from 0.05 s on: 10 ms a packet until 0.5 s, then 2 ms.
    ports = ["rate=0:800000,500000000:4000000 queue=1000000"]
    came, report = through(ports, [[0]], [Sending(140, 1000)], 1.2, tmp_path)
    assert len(came) == 140
    gaps_ms = [(later.came_ns - one.came_ns) / _MS for one, later in pairwise(came)]
    assert median(gaps_ms[:40]) == pytest.approx(10, abs=0.5)
    assert median(gaps_ms[50:]) == pytest.approx(2, abs=0.2)
    assert report["ports"][0][0]["drops"] == [0]


def test_as_many_are_lost_as_the_plan_says(allowed: Path, tmp_path: Path) -> None:
    del allowed
    came, report = through(["delay=1000000 loss=0.1"], [[0]], [Sending(4000, 100, 0.0002)], 1.4, tmp_path)
    (counts,), _ = report["ports"]
    assert len(came) + counts["lost"] == 4000
    # Four standard deviations.
    assert counts["lost"] == pytest.approx(400, abs=76)


def test_jitter_varies_over_twice_its_mean_and_keeps_the_order(allowed: Path, tmp_path: Path) -> None:
    del allowed
    came, _ = through(["delay=1000000 jitter=3000000"], [[0]], [Sending(400, 500, 0.002)], 1.0, tmp_path)
    assert [one.number for one in came] == list(range(400))
    took_ms = [(one.came_ns - one.sent_ns) / _MS for one in came]
    assert min(took_ms) >= 1
    assert 2.5 < median(took_ms) < 5.5
    # A new value is drawn every 12 ms, so some 70 in all.
    assert max(took_ms) - min(took_ms) > 4


def test_bursts_leave_when_they_are_complete_or_have_waited(allowed: Path, tmp_path: Path) -> None:
    del allowed
    # Ten bursts that are complete as soon as they are sent, and one that never is.
    sending = [Sending(40, 500), Sending(3, 500)]
    came, _ = through(["burst=4:4", "burst=4:4"], [[0], [1]], sending, 0.5, tmp_path)
    waited_ms = [[(one.came_ns - one.sent_ns) / _MS for one in _of(came, address)] for address in (0, 1)]
    assert [len(own) for own in waited_ms] == [40, 3]
    assert median(waited_ms[0]) < 2
    assert waited_ms[1][0] >= 4
    gone_ms = [one.came_ns / _MS for one in _of(came, 1)]
    assert gone_ms[2] - gone_ms[0] < 1


def test_packets_that_can_be_are_marked_above_the_threshold(allowed: Path, tmp_path: Path) -> None:
    del allowed
    ports = ["rate=0:400000 queue=20000 mark=3000"]
    sending = [Sending(10, 1000, tos=2), Sending(10, 1000, 0.0001)]
    came, report = through(ports, [[0], [0]], sending, 1.0, tmp_path)
    marked = [one.number for one in came if one.tos & 3 == 3]
    (counts,), _ = report["ports"]
    assert marked
    assert marked == [one.number for one in _of(came, 0)][-len(marked) :]
    assert counts["marks"] == [len(marked), 0]
    assert {one.tos & 3 for one in _of(came, 1)} == {0}
    assert len(came) == 20


def test_a_recorded_line_sends_at_its_moments_and_packets_share_them(allowed: Path, tmp_path: Path) -> None:
    del allowed
    trace = tmp_path / "link.trace"
    # Two moments at a time, and round again after 1 s. All packets come before the first.
    trace.write_text("400\n400\n500\n500\n600\n600\n1000\n1000\n")
    came, report = through([f"opportunities={trace} queue=100000"], [[0]], [Sending(12, 1000)], 1.9, tmp_path)
    assert [one.number for one in came] == list(range(12))
    after_ms = [(one.came_ns - came[0].came_ns) / _MS for one in came]
    # 3000 bytes at two moments are three packets: the second is carried half by one moment, half by the other.
    assert [round(at / 50) * 50 for at in after_ms] == [0] * 3 + [100] * 3 + [200] * 3 + [600] * 3
    assert min(one.came_ns - one.sent_ns for one in came) > 0
    ((counts,), _) = report["ports"]
    assert counts["bytes"] == 12_000
    # Before 1.9 s there are eight moments of the first round, and six of the second.
    assert counts["offered_bytes"] == 14 * 1500
    assert counts["most_waiting_bytes"] == 12_000


def test_a_full_queue_of_a_recorded_line_drops_what_comes_last(allowed: Path, tmp_path: Path) -> None:
    del allowed
    trace = tmp_path / "link.trace"
    trace.write_text("500\n")
    came, report = through([f"opportunities={trace} queue=3000"], [[0]], [Sending(5, 1000)], 1.7, tmp_path)
    assert [one.number for one in came] == [0, 1, 2]
    ((counts,), _) = report["ports"]
    assert counts["drops"] == [2]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty, or cannot be read"),
        (b"1\n\n2\n", "line 2: is no whole number of ms"),
        (b"1\nx\n", "line 2: is no whole number of ms"),
        (b"-1\n", "line 1: is no whole number of ms"),
        (b"1.5\n", "line 1: is no whole number of ms"),
        (b"1\r\n", "line 1: is no whole number of ms"),
        (b"\x00" * 64, "line 1: is no whole number of ms"),
        (b"5\n4\n", "line 2: is before the one before it"),
        (b"0\n0\n", "the last moment is at 0"),
        (b"3600001\n", "line 1: is beyond 3600000 ms"),
        (b"99999999999999999999\n", "line 1: is beyond 3600000 ms"),
        (b"7", "line 1: has no end of line"),
        (b"1\n" * 1_000_001, "is beyond 1000000 moments"),
    ],
)
def test_a_trace_that_cannot_be_used_is_one_line(relay: Path, tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "link.trace").write_bytes(content)
    (tmp_path / "plan.txt").write_text("port opportunities=link.trace queue=1\n")
    done = subprocess.run([relay, "plan.txt"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("sbd-relay: plan.txt, line 1: link.trace") and done.stderr.count("\n") == 1
    assert words in done.stderr


@pytest.mark.parametrize("pipe", ["link.trace", "plan.txt"])
def test_a_pipe_is_not_waited_for(relay: Path, tmp_path: Path, pipe: str) -> None:
    (tmp_path / "plan.txt").write_text("port opportunities=link.trace queue=1\n")
    (tmp_path / pipe).unlink(missing_ok=True)
    os.mkfifo(tmp_path / pipe)
    done = subprocess.run([relay, "plan.txt"], capture_output=True, text=True, check=False, cwd=tmp_path, timeout=10)
    assert done.returncode == 2
    assert f"{pipe}: is no regular file\n" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_while_it_waits_for_the_time(
    allowed: Path, relay: Path, tmp_path: Path, sent: signal.Signals
) -> None:
    del allowed
    (tmp_path / "plan.txt").write_text(_PLAN)
    command = ["unshare", "--net", str(relay), "plan.txt"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path) as waiting:
        assert waiting.stdout is not None and waiting.stdout.readline() == b"ready\n"
        waiting.send_signal(sent)
        assert waiting.wait(10) == -sent


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ("colour value=1", "line 1: unknown part 'colour'"),
        ("seed value=x", "line 1: 'x' is no number that fits"),
        ("port delay=1 loss=5.01", "line 1: '5.01' is out of range"),
        ("port delay=1 loss=nan", "line 1: 'nan' is out of range"),
        ("port delay=-1", "line 1: '-1' is out of range"),
        ("port rate=0:inf queue=1", "line 1: 'inf' is out of range"),
        ("port rate=0:0 queue=1", "line 1: '0' is out of range"),
        ("port rate=5:1 queue=1", "line 1: no rate from 0 on"),
        ("port rate=0:1,0:2 queue=1", "line 1: rates are not in order of time"),
        ("port delay=1 burst=3:2", "line 1: '3' is out of range"),
        ("port rate=0:1 queue=1 size=3", "line 1: unknown key 'size'"),
        ("port rate=0:1", "line 1: queue is missing"),
        ("port opportunities=none.trace queue=1", "line 1: none.trace: cannot be read"),
        ("port rate=0:1 queue=1 discipline=red", "line 1: discipline is codel"),
        ("port rate=0:1 queue=1 mark=1 discipline=codel", "line 1: discipline is codel"),
        ("port delay=1 discipline=codel", "line 1: discipline is codel"),
        ("port rate=0:1 queue=1 mark=1 discipline=policer", "line 1: discipline is codel or policer"),
        ("port delay=1 discipline=policer", "line 1: discipline is codel or policer"),
        ("port rate=0:1 discipline=policer", "line 1: queue is missing"),
        ("port rate=0:nan queue=1 discipline=policer", "line 1: 'nan' is out of range"),
        ("port rate=0:1 queue=-1 discipline=policer", "line 1: '-1' is no number that fits"),
        ("port rate=0:1 queue=inf discipline=policer", "line 1: 'inf' is no number that fits"),
        *(
            (f"route from=0 address=10.0.0.1 to=1 there=0 back=0 ack_every={given}", f"line 1: '{given}' is {why}")
            for given, why in (
                ("0", "out of range"),
                ("1001", "out of range"),
                ("-1", "no number that fits"),
                ("nan", "no number that fits"),
                ("inf", "no number that fits"),
                ("2.5", "no number that fits"),
                ("4294967297", "no number that fits"),
            )
        ),
        ("seed 7", "line 1: '7' is not KEY=VALUE"),
        ("seed value=1", "two marks and a host are needed"),
        ("host netns=/a device=p\nroute from=0 address=10.0.0.1 to=0 there=0 back=0", "not between two hosts"),
    ],
)
def test_a_plan_that_cannot_be_used_is_one_line(relay: Path, tmp_path: Path, plan: str, words: str) -> None:
    (tmp_path / "plan.txt").write_text(plan + "\n")
    done = subprocess.run([relay, tmp_path / "plan.txt"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("sbd-relay: ") and done.stderr.count("\n") == 1
    assert words in done.stderr
