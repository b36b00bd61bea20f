"""``sbd kernel`` as an operator has it: who gets the controllers, how they are switched, and what off means."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from smartsbd.pipelines.commands.kernel import ACTIONS
from tests.kernel.controllers import NAMES, Controllers, alone, available, loaded, loaded_programs
from tests.kernel.two_paths import PORT, TwoPaths, go_on, run, two_paths
from tests.processes import PATIENCE_S, waited_for

_MBIT_S = 8
_LONG_S = 2 * PATIENCE_S
#: Prints the median of what is left of the window at a loss, of plain TCP, and how many losses there were.
_REDUCTIONS = """
import socket, statistics, struct, sys, time
with socket.socket() as own:
    own.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, sys.argv[1].encode())
    own.connect(("10.77.1.2", int(sys.argv[2])))
    own.setblocking(False)
    shares, most, before = [], 0, 0
    until = time.monotonic() + float(sys.argv[3])
    while len(shares) < 3 and time.monotonic() < until:
        try:
            own.send(bytes(1 << 16))
        except BlockingIOError:
            pass
        info = own.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 84)
        ca_state, (ssthresh, cwnd) = info[1], struct.unpack_from("17I2I", info, 8)[17:]
        # ssthresh stays: a busy machine may miss the moment at which the window is there.
        # A small window is halved in whole segments.
        if ssthresh != before and most > max(1.2 * ssthresh, 10):
            shares.append(ssthresh / most)
            most = 0
        if ca_state == 0:
            most = max(most, cwnd)
        before = ssthresh
        time.sleep(0.001)
print(statistics.median(shares), len(shares))
"""
#: Takes what plain TCP sends, except some segments: a sender that has the bottleneck's queue in its own host waits for
#: it, and loses nothing there. The filter drops a segment if a random number of 32 bits is below 2^32 / 150.
_RECEIVED = """
import ctypes, socket, struct, sys
LOAD_RANDOM, JUMP_IF_NOT_BELOW, RETURN = 0x20, 0x35, 0x06
words = [
    (LOAD_RANDOM, 0, 0, 0xFFFFF000 + 56), (JUMP_IF_NOT_BELOW, 0, 1, 2**32 // 150),
    (RETURN, 0, 0, 0xFFFFFFFF), (RETURN, 0, 0, 0),
]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *word) for word in words))
own = socket.create_server(("10.77.1.2", int(sys.argv[1])))
print("ready", flush=True)
other, _ = own.accept()
SO_ATTACH_FILTER = 26
other.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HP", len(words), ctypes.addressof(code)))
while other.recv(1 << 18):
    pass
"""
#: Sends over MPTCP from within a cgroup.
_WITHIN = 'echo $$ > "$0/cgroup.procs"; exec "$@"'


@pytest.fixture
def cgroup() -> Iterator[Path]:
    """A cgroup of the second hierarchy."""
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    mounted = [Path(place) for _, place, kind, *_ in mounts if kind == "cgroup2"]
    if not mounted:
        pytest.skip("no cgroup2 is mounted")
    folder = mounted[0] / f"sbd{os.getpid()}"
    try:
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"{folder}: {error}")
    try:
        yield folder
    finally:
        waited_for(lambda: not (folder / "cgroup.procs").read_text())
        folder.rmdir()


def _coupled(coupled: bool) -> Callable[[dict[str, Any]], bool]:
    """Whether there is one pair, and it is so."""

    def is_so(told: dict[str, Any]) -> bool:
        return [pair["coupled"] for one in told["connections"] for pair in one["pairs"]] == [coupled]

    return is_so


@contextmanager
def _receiving(paths: TwoPaths, port: int) -> Iterator[None]:
    """Take what plain TCP sends, with losses."""
    words = ["ip", "netns", "exec", paths.server, sys.executable, "-c", _RECEIVED, str(port)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as own:
        try:
            assert own.stdout is not None
            assert own.stdout.readline() == b"ready\n"
            yield
        finally:
            own.kill()


@pytest.mark.parametrize(("plain", "least", "most"), [("cubic", 0.6, 0.8), ("reno", 0.4, 0.58)])
def test_plain_tcp_keeps_the_hosts_controller(
    paths: TwoPaths, controllers_allowed: Path, plain: str, least: float, most: float
) -> None:
    """CUBIC leaves 0.7 of a window at a loss, Reno a half."""
    with loaded(controllers_allowed, "--plain", plain) as own, _receiving(paths, 5301):
        words = ["ip", "netns", "exec", paths.client, sys.executable, "-c", _REDUCTIONS, "sbd_smart", "5301"]
        words.append(str(PATIENCE_S))
        left, times = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
        told = own.status()
    assert int(times) == 3
    assert least < float(left) < most
    assert told["plain"] == plain
    assert told["counts"]["sockets_left_to_the_host"] >= 1
    assert told["connections"] == []


def test_switched_by_hand_connections_that_live_follow(paths: TwoPaths, controllers_allowed: Path) -> None:
    with loaded(controllers_allowed) as own, paths.sending(_LONG_S, "sbd_smart") as sender:
        own.await_status(lambda now: any(one["pairs"] for one in now["connections"]), PATIENCE_S)
        for word, coupled in (("uncouple", False), ("couple", True), ("uncouple", False)):
            assert own.asked(word).returncode == 0
            told = own.await_status(_coupled(coupled), 2)
            assert told["mode"] == word
        assert own.asked("auto").returncode == 0
        # Without a verdict it is coupled; these paths have no queue that would give one.
        assert own.await_status(_coupled(True), 2)["mode"] == "auto"
        go_on(sender)


def test_switched_for_a_cgroup_others_stay(paths: TwoPaths, controllers_allowed: Path, cgroup: Path) -> None:
    words = ["bash", "-c", _WITHIN, str(cgroup), "ip", "netns", "exec", paths.client, sys.executable]
    words += [str(Path(__file__).with_name("two_paths.py")), "send", str(PORT), str(_LONG_S), "sbd_smart"]
    with loaded(controllers_allowed) as own, paths.sending(_LONG_S, "sbd_smart", port=5202):
        own.await_status(lambda now: sum(bool(one["pairs"]) for one in now["connections"]) == 1, PATIENCE_S)
        with paths.sending(_LONG_S, "reno"), subprocess.Popen(words) as within:
            try:
                own.await_status(lambda now: sum(bool(one["pairs"]) for one in now["connections"]) == 2, PATIENCE_S)
                assert own.asked("uncouple", "--cgroup", cgroup).returncode == 0

                def one_is_apart(now: dict[str, Any]) -> bool:
                    pairs = [(one["mode"], one["pairs"][0]["coupled"]) for one in now["connections"] if one["pairs"]]
                    return sorted(pairs) == [("auto", True), ("uncouple", False)]

                own.await_status(one_is_apart, PATIENCE_S)
                assert f"cgroup {cgroup}: uncouple" in own.asked("status").stdout
            finally:
                within.kill()


def test_for_one_cgroup_all_others_are_the_hosts(paths: TwoPaths, controllers_allowed: Path, cgroup: Path) -> None:
    words = ["bash", "-c", _WITHIN, str(cgroup), "ip", "netns", "exec", paths.client, sys.executable]
    words += [str(Path(__file__).with_name("two_paths.py")), "send", str(PORT), str(_LONG_S), "sbd_smart"]
    with loaded(controllers_allowed, "--cgroup", cgroup) as own, paths.sending(_LONG_S, "sbd_smart", port=5202):
        own.await_status(lambda now: now["counts"]["sockets_left_to_the_host"] == 2, PATIENCE_S)
        with paths.sending(_LONG_S, "reno"), subprocess.Popen(words) as within:
            try:
                told = own.await_status(lambda now: any(one["pairs"] for one in now["connections"]), PATIENCE_S)
            finally:
                within.kill()
        assert len(told["connections"]) == 1
        assert (told["mode"], [one["mode"] for one in told["cgroups"]]) == ("host", ["auto"])
        for word, modes in (("couple", ("host", ["couple"])), ("auto", ("auto", []))):
            assert own.asked(word).returncode == 0
            told = own.status()
            assert (told["mode"], [one["mode"] for one in told["cgroups"]]) == modes


def test_what_is_no_cgroup_is_named(controllers_allowed: Path, tmp_path: Path) -> None:
    with loaded(controllers_allowed) as own:
        for path, why in ((tmp_path, "no folder of cgroup2"), (tmp_path / "none", "No such file or directory")):
            done = own.asked("couple", "--cgroup", path)
            assert done.returncode == 1
            assert done.stderr.startswith(f"sbd kernel: {path}: {why}")


def test_in_another_namespace_it_can_be_the_default_and_off_is_off(paths: TwoPaths, controllers_allowed: Path) -> None:
    with alone():
        before = loaded_programs()
        setting = ["ip", "netns", "exec", paths.client, "sysctl", "-qw"]
        with loaded(controllers_allowed) as own, ExitStack() as stack:
            for controller in ("sbd_smart", "reno", "sbd_smart"):
                subprocess.run([*setting, f"net.ipv4.tcp_congestion_control={controller}"], check=True)
            stack.callback(subprocess.run, [*setting, "net.ipv4.tcp_congestion_control=reno"], check=True)
            assert f"sbd_smart is the default in /run/netns/{paths.client}" in own.asked("status").stdout
            done = own.asked("unload")
            assert done.returncode == 1
            assert f"sbd_smart in /run/netns/{paths.client}" in done.stderr
            assert not NAMES & available()
            told = own.status()
            assert not told["loaded"]
            assert any(paths.client in line for line in told["alarms"])
            # A new socket there has the host's controller by it.
            left = told["counts"]["sockets_left_to_the_host"]
            with _receiving(paths, 5303):
                program = "import socket; socket.create_connection(('10.77.1.2', 5303)).send(b'1')"
                subprocess.run(["ip", "netns", "exec", paths.client, sys.executable, "-c", program], check=True)
            assert own.status()["counts"]["sockets_left_to_the_host"] == left + 1
        waited_for(lambda: not loaded_programs() - before)


def test_names_in_a_private_mount_namespace_hide_nothing(controllers_allowed: Path) -> None:
    own = Controllers(controllers_allowed)
    script = f"mount --make-rprivate / && {controllers_allowed} load && echo ready && sleep {_LONG_S}"
    words = ["unshare", "--mount", "sh", "-c", script]
    with alone(), subprocess.Popen(words, stdout=subprocess.PIPE) as hidden:
        try:
            assert hidden.stdout is not None
            assert hidden.stdout.readline() == b"ready\n"
            assert own.status()["loaded"]
            assert own.asked("load").stderr.startswith("sbd kernel: the controllers are loaded already")
            assert own.asked("couple").returncode == 0
            assert own.asked("unload").returncode == 0
            assert not NAMES & available()
        finally:
            subprocess.run(["pkill", "-P", str(hidden.pid)], check=False)
            hidden.kill()


@pytest.mark.usefixtures("paths")
def test_of_more_subflows_than_have_room_all_are_coupled(controllers_allowed: Path) -> None:
    with loaded(controllers_allowed) as own, two_paths(_MBIT_S, "wide") as wide:
        for name in (wide.client, wide.server):
            run("ip", "-n", name, "mptcp", "limits", "set", "subflow", "6", "add_addr_accepted", "2")
        for host in range(3, 7):
            run("ip", "-n", wide.client, "addr", "add", f"10.77.1.{host}/24", "dev", "c1")
            run("ip", "-n", wide.client, "mptcp", "endpoint", "add", f"10.77.1.{host}", "dev", "c1", "subflow")
        with wide.sending(_LONG_S, "sbd_smart") as sender:
            own.await_status(lambda now: now["counts"]["subflows_without_room"] >= 1, PATIENCE_S)
            own.asked("uncouple")
            told = own.await_status(lambda now: any(one["crowded"] for one in now["connections"]), PATIENCE_S)
            assert len(told["connections"][0]["subflows"]) == 4
            own.asked("auto")
            own.await_status(
                lambda now: all(pair["coupled"] for one in now["connections"] for pair in one["pairs"]), PATIENCE_S
            )
            go_on(sender)


def test_memory_is_given_back(paths: TwoPaths, controllers_allowed: Path) -> None:
    """Of two subflows 32 KiB, a ring of two pages each and four pages of their pair."""
    with loaded(controllers_allowed) as own:
        empty = own.status()["memory_bytes"]
        with paths.sending(_LONG_S, "sbd_smart") as sender:
            own.await_status(
                lambda now: any(one["pairs"] for one in now["connections"]) and now["memory_bytes"] == empty + 32768,
                PATIENCE_S,
            )
            go_on(sender)
        own.await_status(lambda now: now["memory_bytes"] == empty, _LONG_S)


@pytest.mark.slow
@pytest.mark.usefixtures("paths")
def test_ten_thousand_connections_come_and_go(controllers_allowed: Path) -> None:
    """Each has two subflows; all have places, and memory is 32 KiB of each, and is given back."""
    count, rounds = 10_000, 2
    here = [sys.executable, str(Path(__file__).with_name("many_connections.py"))]
    enter = ["ip", "netns", "exec"]
    with loaded(controllers_allowed, "--connections", "16384") as own, two_paths(10_000, "many") as paths:
        empty = own.status()["memory_bytes"]
        receiver = subprocess.Popen([*enter, paths.server, *here, "receive"], stdout=subprocess.PIPE)
        words = [*enter, paths.client, *here, "send", str(count), str(rounds)]
        assert receiver.stdout is not None
        assert receiver.stdout.readline() == b"ready\n"
        with receiver, subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as sender:
            assert sender.stdin is not None
            assert sender.stdout is not None
            try:
                for _ in range(rounds + 1):
                    assert sender.stdout.readline() == "ready\n"
                    told = own.await_status(
                        lambda now: (
                            sum(len(one["subflows"]) == 2 for one in now["connections"]) == count
                            # Asked before the connections were.
                            and now["memory_bytes"] - empty == count * 32768
                        ),
                        60,
                    )
                    assert len(told["connections"]) == count
                    assert told["memory_bytes"] - empty < 350e6
                    print("go on", file=sender.stdin, flush=True)
                assert sender.wait(60) == 0
                told = own.await_status(lambda now: not now["connections"] and now["memory_bytes"] == empty, 60)
            finally:
                receiver.kill()
                sender.kill()
        assert told["counts"]["connections"] == told["counts"]["ended"] == count + rounds * count // 2
        unwanted = ("connections_without_room", "subflows_without_room", "times_without_memory")
        assert [told["counts"][name] for name in unwanted] == [0, 0, 0]


def test_the_command_has_every_action_and_option_of_the_program(controllers_loader: Path) -> None:
    """``sbd kernel`` becomes the program: what that takes, it takes too."""
    shown = subprocess.run([controllers_loader, "--help"], capture_output=True, text=True, check=True).stdout
    listed = re.findall(r"^  ([a-z][a-z, ]*?)(?: FILE)?  ", shown, re.MULTILINE)
    actions = {word for words in listed for word in words.split(", ")}
    assert actions == {name for name, _ in ACTIONS}
    program = Path(sys.prefix) / "bin/sbd"
    taken = subprocess.run([program, "kernel", "load", "--help"], capture_output=True, text=True, check=True).stdout
    options = set(re.findall(r"^    (--[a-z-]+)", shown, re.MULTILINE))
    assert options - {"--json"} == set(re.findall(r"--[a-z-]+", taken)) - {"--help", "--params", "--quiet"}
