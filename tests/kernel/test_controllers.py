"""``sbd kernel``: controllers on a stock kernel, from loading to the last socket that has one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from smartsbd.detectors.verdict.coupling import APART_Q10, theta_q10
from smartsbd.export import model_file
from smartsbd.export.emit_c import EXPORTABLE
from smartsbd.export.tree import NOT_SHARED, SHARED, Forest
from smartsbd.pipelines.__main__ import main
from smartsbd.testbed import machine
from tests.benchmarks.test_benchmarks import printed
from tests.capabilities import taken_away_of
from tests.kernel.conftest import ROOT
from tests.kernel.controllers import (
    MOST_INSTRUCTIONS,
    NAMES,
    alone,
    available,
    counting,
    emulated,
    loaded,
    loaded_programs,
)
from tests.kernel.two_paths import TwoPaths, go_on
from tests.processes import PATIENCE_S, waited_for

_SHIPPED = ROOT / "export/generated/forest_invariant.sbd"
EXAMPLES = ROOT / "testbed/examples"
#: A first judgement takes some seconds; the examples last half a minute.
_LONGEST_S = 25
#: Of a connection that is ended before.
_LONG_S = 2 * PATIENCE_S
#: What a connection of a kibibyte each takes with another end, both in one namespace.
_MANY = """
import socket, sys, time
kind = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_MPTCP)
with socket.socket(*kind) as listening:
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    for _ in range(int(sys.argv[1])):
        time.sleep(0.005)
        with socket.socket(*kind) as own:
            own.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"sbd_smart")
            own.connect(listening.getsockname())
            other, _ = listening.accept()
            with other:
                own.sendall(bytes(1024))
                while len(other.recv(1024, socket.MSG_WAITALL)) < 1024:
                    raise SystemExit("short")
"""


def _model(path: Path, leaf: Any) -> Path:
    """Write a model file that says the same of every window."""
    path.write_bytes(model_file.content(Forest((leaf,)), [EXPORTABLE[0].name]))
    return path


def _pairs(told: dict[str, Any]) -> list[dict[str, Any]]:
    return [pair for connection in told["connections"] for pair in connection["pairs"]]


def _says(shared: bool) -> Callable[[dict[str, Any]], bool]:
    """Whether there is one pair, and the last verdict on it is this."""
    return lambda told: [pair["shared"] for pair in _pairs(told)] == [shared]


def _has_shares(share_q10: int) -> Callable[[dict[str, Any]], bool]:
    """Whether there is one connection of two subflows, and each has this share of Reno's increase."""
    return lambda told: (
        [[subflow["theta_q10"] for subflow in one["subflows"]] for one in told["connections"]]
        == [[share_q10, share_q10]]
    )


@pytest.mark.parametrize("options", [(), ("--check",), ("--model", _SHIPPED)], ids=["common_lag", "checked", "model"])
def test_the_verifier_takes_them(controllers_allowed: Path, options: tuple[str | Path, ...]) -> None:
    with loaded(controllers_allowed) as own:
        own.asked("unload")
        said = own.asked("load", "--verbose", *options)
        assert said.returncode == 0, said.stderr
        assert available() >= NAMES
    counts = {line.split(":")[0]: int(line.split()[1]) for line in said.stderr.splitlines() if "verified" in line}
    assert counts["prepare"] > 1000
    assert max(counts.values()) <= MOST_INSTRUCTIONS, counts


@pytest.mark.usefixtures("allowed")
def test_its_verdicts_couple_and_part_subflows(controllers_allowed: Path, tmp_path: Path) -> None:
    scenarios = (EXAMPLES / "shared.json", EXAMPLES / "separate.json")
    with loaded(controllers_allowed) as own, emulated(tmp_path, *scenarios):
        told = own.await_status(lambda now: {pair["shared"] for pair in _pairs(now)} == {True, False}, _LONGEST_S)
        for connection in told["connections"]:
            assert connection["by"] == "common_lag"
            (pair,) = connection["pairs"]
            assert pair["coupled"] == pair["shared"]
            assert pair["said"] == ("shared" if pair["shared"] else "apart")
            one, other = connection["subflows"]
            assert (one["group"] == other["group"]) == pair["coupled"]
            # The common lag judges after 16 RTTs, of which each has some.
            assert min(one["signals"], other["signals"]) > 50
            assert one["lost"] == other["lost"] == 0
        table = own.asked("status").stdout
        assert "coupled by common_lag" in table
        assert ": coupled; shared" in table
        assert ": uncoupled; apart" in table


@pytest.mark.usefixtures("allowed")
def test_by_odds_subflows_have_a_share_of_renos_increase(controllers_allowed: Path, tmp_path: Path) -> None:
    with loaded(controllers_allowed, "--by-odds", "10") as own, emulated(tmp_path, EXAMPLES / "separate.json"):
        # As likely as not, before the first score; Reno's whole increase once the odds say that they are apart.
        for share in (theta_q10(0, 102), APART_Q10):
            told = own.await_status(_has_shares(share), _LONGEST_S)
        assert told["asks"] == "common_lag_odds"


@pytest.mark.usefixtures("allowed")
def test_each_pair_of_three_subflows_has_verdicts(controllers_allowed: Path, tmp_path: Path) -> None:
    with loaded(controllers_allowed) as own, emulated(tmp_path, EXAMPLES / "three.json"):
        told = own.await_status(
            lambda now: len(_pairs(now)) == 3 and all(pair["verdicts"] for pair in _pairs(now)), _LONGEST_S
        )
        assert {tuple(pair["subflows"]) for pair in _pairs(told)} == {(1, 2), (1, 3), (2, 3)}
        (connection,) = told["connections"]
        assert len(connection["subflows"]) == 3


def test_sbd_lia_is_always_coupled(paths: TwoPaths, controllers_allowed: Path) -> None:
    with loaded(controllers_allowed) as own, paths.sending(_LONG_S, "sbd_lia") as sender:
        told = own.await_status(lambda now: any(_pairs(now)), PATIENCE_S)
        go_on(sender)
        assert sender.wait() == 0
        (connection,) = [one for one in told["connections"] if one["pairs"]]
        assert connection["by"] == "always"
        assert {subflow["group"] for subflow in connection["subflows"]} == {0}


@pytest.mark.usefixtures("allowed")
def test_another_model_decides_from_the_next_window_on(controllers_allowed: Path, tmp_path: Path) -> None:
    shared, apart = _model(tmp_path / "shared.sbd", SHARED), _model(tmp_path / "apart.sbd", NOT_SHARED)
    with loaded(controllers_allowed, "--model", shared) as own, emulated(tmp_path, EXAMPLES / "separate.json"):
        verdicts = 0
        for model, said in ((None, True), (apart, False), (shared, True)):
            if model is not None:
                assert own.asked("model", model).returncode == 0
            told = own.await_status(_says(said), _LONGEST_S)
            (connection,) = told["connections"]
            assert connection["by"] == "model"
            (pair,) = connection["pairs"]
            assert pair["coupled"] is said
            assert pair["verdicts"] > verdicts
            verdicts = pair["verdicts"]


def test_what_is_no_model_changes_nothing(controllers_allowed: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.sbd"
    content = bytearray(_SHIPPED.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    with loaded(controllers_allowed, "--model", _SHIPPED) as own:
        for path, why in (
            (damaged, "damaged: its length or its checksum is wrong"),
            (ROOT / "README.md", "no model file"),
            (Path("/dev/zero"), "no regular file"),
            (tmp_path / "none", "No such file or directory (os error 2)"),
        ):
            said = own.asked("model", path)
            assert (said.returncode, said.stderr) == (1, f"sbd kernel: {path}: {why}\n")
    with loaded(controllers_allowed) as own:
        said = own.asked("model", _SHIPPED)
        assert said.returncode == 1
        assert said.stderr.startswith("sbd kernel: sbd_smart does not ask a model")


def test_places_are_used_again(paths: TwoPaths, controllers_allowed: Path) -> None:
    """A thousand connections, one after the other, where 128 have room."""
    enter = ["ip", "netns", "exec", paths.client]
    with loaded(controllers_allowed, "--connections", "128") as own:
        subprocess.run([*enter, sys.executable, "-c", _MANY, "1000"], check=True, timeout=10 * PATIENCE_S)
        told = own.await_status(lambda now: now["counts"]["ended"] == 1000, PATIENCE_S)
        assert told["counts"]["connections"] == 1000
        assert told["counts"]["connections_without_room"] == 0
        assert told["connections"] == []


def test_a_place_forgets_the_groups_it_had(paths: TwoPaths, controllers_allowed: Path) -> None:
    """One subflow under sbd_smart, with groups of its own; then two under sbd_lia in the same place."""
    enter = ["ip", "netns", "exec", paths.client]
    with loaded(controllers_allowed, "--connections", "1") as own:
        subprocess.run([*enter, sys.executable, "-c", _MANY, "1"], check=True, timeout=PATIENCE_S)
        own.await_status(lambda now: now["counts"]["ended"] == 1, PATIENCE_S)
        with paths.sending(_LONG_S, "sbd_lia"):
            told = own.await_status(lambda now: any(_pairs(now)), PATIENCE_S)
        (connection,) = told["connections"]
        assert [subflow["group"] for subflow in connection["subflows"]] == [0, 0]


def test_a_controller_that_is_changed_has_a_place_of_its_own(paths: TwoPaths, controllers_allowed: Path) -> None:
    with loaded(controllers_allowed) as own, paths.sending(2 * _LONG_S, "sbd_lia", later="sbd_smart") as sender:
        own.await_status(
            lambda now: [one["by"] for one in now["connections"] if one["pairs"]] == ["always"], PATIENCE_S
        )
        go_on(sender)
        told = own.await_status(lambda now: [one["by"] for one in now["connections"]] == ["common_lag"], PATIENCE_S)
        (connection,) = told["connections"]
        assert len(connection["subflows"]) == 2
        assert told["counts"]["ended"] == 1
        go_on(sender)
        assert sender.wait() == 0


def test_what_acks_took_is_told_where_the_kernel_counts(paths: TwoPaths, controllers_allowed: Path) -> None:
    with loaded(controllers_allowed) as own:
        assert own.status()["asks"] == "common_lag"
        assert not any(one["runs"] for one in own.status()["programs"])
        # Behind it may come what a test before has left.
        assert "mean time" not in own.asked("status").stdout.split("\n!")[0]
        with counting(), paths.sending(_LONG_S, "sbd_smart"):
            told = own.await_status(lambda now: any(_pairs(now)), PATIENCE_S)
            runs = {one["name"]: one for one in told["programs"]}
            assert runs["smart_init"]["runs"] == 2
            assert runs["lia_init"]["runs"] == 0
            acked = runs["smart_pkts_acked"]
            # One takes more than some ns, and less than a millisecond.
            assert 10 < acked["run_ns"] / acked["runs"] < 1_000_000
            assert "mean time: smart_init" in own.asked("status").stdout


@pytest.mark.usefixtures("allowed", "recorder")
def test_controllers_are_compared_on_networks_of_an_experiment(controllers_allowed: Path, tmp_path: Path) -> None:
    words = ["testbed", "--experiment", "loop_kernel", "--networks", "1", "--seconds", "6", "--jobs", "6"]
    words += ["--params", str(ROOT / "params.yaml"), "--out"]
    with loaded(controllers_allowed, "--model", _SHIPPED):
        assert main([*words, str(tmp_path / "common_lag")]) == 2
        with counting():
            assert main([*words, str(tmp_path / "made"), "--controls", "lia", "oracle", "forest_invariant"]) == 0
    assert not (tmp_path / "common_lag").exists()
    outcomes = pd.read_csv(tmp_path / "made/outcomes.csv").set_index(["variant", "control"])
    assert len(outcomes) == 6
    assert (outcomes["goodput_mbit_s"] > 0.5).all()
    assert set(outcomes["place"]) == {"wired"}
    (took, other) = pd.read_csv(tmp_path / "made/costs.csv").to_dict("records")
    assert {took["control"], other["control"]} == {"forest_invariant"}
    for own in (took, other):
        assert own["signals"] > 500
        assert 0 < own["hook_percent"] < 5
        assert 0 < own["work_percent"] < 5


def test_a_connection_without_room_goes_on(paths: TwoPaths, controllers_allowed: Path) -> None:
    with loaded(controllers_allowed, "--connections", "1") as own, paths.sending(_LONG_S, "sbd_smart") as one:
        own.await_status(lambda now: any(_pairs(now)), PATIENCE_S)
        with paths.sending(2, "sbd_smart", port=5202) as other:
            assert other.wait() == 0
        assert own.status()["counts"]["connections_without_room"] >= 1
        go_on(one)
        assert one.wait() == 0


def test_unloaded_under_traffic_the_kernel_is_as_it_was(paths: TwoPaths, controllers_allowed: Path) -> None:
    with alone():
        before = loaded_programs()
        with loaded(controllers_allowed) as own, paths.sending(_LONG_S, "sbd_smart") as sender:
            own.await_status(lambda now: any(_pairs(now)), PATIENCE_S)
            assert loaded_programs() - before
            said = own.asked("unload")
            assert said.returncode == 0
            assert "go on with their controller" in said.stderr
            assert not NAMES & available()
            assert own.asked("status").stdout.startswith("! unloaded; sockets that have it go on")
            go_on(sender)
            assert sender.wait() == 0
        waited_for(lambda: not loaded_programs() - before)
        # Those of tests before may have gone meanwhile; no id is given twice.
        assert loaded_programs() <= before
        assert not Path("/run/smartsbd").exists()


def test_twice_is_once(controllers_allowed: Path) -> None:
    with loaded(controllers_allowed) as own:
        again = own.asked("load")
        assert again.returncode == 1
        assert again.stderr.startswith("sbd kernel: the controllers are loaded already")
        assert available() >= NAMES
        assert own.asked("unload").returncode == 0
        assert own.asked("unload").returncode == 0
        assert not NAMES & available()


@taken_away_of("sys_admin", "net_admin")
@pytest.mark.parametrize("missing", ["sys_admin", "net_admin"])
@pytest.mark.parametrize("action", ["load", "status", "unload"])
def test_a_missing_capability_is_one_line(controllers_loader: Path, missing: str, action: str) -> None:
    words = ["setpriv", "--bounding-set", f"-{missing}", "--inh-caps", f"-{missing}", str(controllers_loader), action]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, f"sbd kernel: CAP_{missing.upper()} is missing: run it as root\n")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["reload"], 'unknown command "reload"; --help lists them'),
        (["load", "--connections", "0"], '--connections "0" is not from 1 to 16384'),
        (["load", "--by-odds", "101"], '--by-odds "101" is not from 1 to 100'),
        (["load", "--log-checks"], "there are no checks to log: --log-checks goes with --check"),
        (["load", "--plain", "bbr"], '--plain "bbr" is neither reno nor cubic'),
        (["couple", "--cgroup"], "--cgroup needs a value"),
        (["load", "--model"], "--model needs a value"),
        (["model"], "model needs a file"),
        (["status", "now"], 'status takes no "now"'),
    ],
)
def test_what_cannot_be_used_is_one_line(controllers_loader: Path, words: list[str], line: str) -> None:
    done = subprocess.run([controllers_loader, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"sbd kernel: {line}\n")


def test_where_it_is_not_built_the_command_says_how(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(machine, "CONTROLLERS_LOADER", tmp_path / "sbd-kernel")
    assert main(["kernel", "status"]) == 1
    shown = capfd.readouterr()
    assert "`make kernel` builds it" in shown.err
    assert shown.err.count("\n") == 1


def test_benchmark_tells_what_an_ack_takes(controllers_allowed: Path) -> None:
    del controllers_allowed
    head, row = printed(ROOT, "kernel").splitlines()
    told = dict(zip(head.split(), row.replace(", ", ",").split(), strict=True))
    assert float(told["mbit_s"]) == 20
    assert all(float(rate) > 100 for rate in told["acks_per_s"].split(","))
    assert 0 < int(told["pkts_acked_ns"]) <= int(told["ack_ns"])


def test_it_compiles_for_arm64(controllers_loader: Path) -> None:
    """There, what a ring holds is shown by atomic exchanges, which order memory."""
    (headers,) = (controllers_loader.parent / "target/release/build").glob("libbpf-sys-*/out/include")
    words = [
        "clang-19",
        "-target",
        "bpf",
        "-mcpu=v4",
        "-mllvm",
        "-disable-ldsx",
        "-O2",
        "-g",
        "-Wall",
        "-Wextra",
        "-Werror",
    ]
    words += [
        "-Wno-unused-parameter",
        "-D__TARGET_ARCH_arm64",
        f"-I{headers}",
        f"-I{ROOT / 'export/generated'}",
        f"-I{ROOT / 'detectors/verdict'}",
        f"-I{ROOT / 'detectors/active'}",
    ]
    words += [f"-I/usr/include/{os.uname().machine}-linux-gnu", "-S", "-o", "-"]
    source = ROOT / "kernel/src/controller.bpf.c"
    made = subprocess.run([*words, source], capture_output=True, text=True, check=True)
    assert "xchg_64(" in made.stdout
