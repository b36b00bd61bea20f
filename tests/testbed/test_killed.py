"""A testbed that is killed leaves no process, namespace, device or queueing discipline."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from smartsbd.scenarios.simulator import written
from smartsbd.testbed.examples import example
from tests.processes import PATIENCE_S, waited_for

ROOT = Path(__file__).parents[2]
_BY_NIGHT = [pytest.param(one, marks=pytest.mark.slow) for one in (signal.SIGTERM, signal.SIGINT)]


def processes() -> Iterator[tuple[int, str]]:
    """Every process with its command line, which is empty when it is dead."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            yield int(folder.name), words


def namespaces(pids: set[int]) -> set[str]:
    """The namespaces that some processes are in."""
    found = set()
    for pid in pids:
        for kind in ("net", "mnt", "pid"):
            try:
                found.add(str(Path(f"/proc/{pid}/ns/{kind}").readlink()))
            except OSError:
                continue
    return found


def said(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def machine() -> set[str]:
    """What a testbed could leave outside of its own namespaces: names, devices, queueing disciplines, mounts."""
    told = [said("ip", "netns"), said("ip", "-o", "link"), said("tc", "qdisc"), Path("/proc/self/mounts").read_text()]
    # Other tests name namespaces of their own meanwhile (tests/kernel/two_paths.py).
    return {line for text in told for line in text.splitlines() if "sbd" not in line and "/run/netns " not in line}


def descendants(pid: int) -> set[int]:
    """The processes that a process has started, and those that these have."""
    parents: dict[int, list[int]] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(place.read_text(errors="replace").rpartition(")")[2].split()[1])
        except OSError:
            continue
        parents.setdefault(parent, []).append(int(place.parent.name))
    found, left = set(), [pid]
    while left:
        left += (new := parents.get(left.pop(), []))
        found |= set(new)
    return found


def networks(pid: int) -> int:
    """How many networks of their own the processes have that a process has started."""
    found = namespaces(descendants(pid)) - namespaces({os.getpid()})
    return len([one for one in found if one.startswith("net:")])


def in_namespaces(wanted: set[str]) -> list[int]:
    """The processes in any of some namespaces."""
    return [pid for pid, _ in processes() if namespaces({pid}) & wanted]


@pytest.mark.parametrize("sent", [signal.SIGKILL, *_BY_NIGHT])
def test_nothing_is_left(allowed: Path, without_logs: str | None, tmp_path: Path, sent: signal.Signals) -> None:
    del allowed
    (tmp_path / "run.json").write_text(written(example("shared")))
    before = machine()
    words = [sys.executable, "-m", "pipelines", "testbed", str(tmp_path / "run.json"), "--out", str(tmp_path / "out")]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [*words, *(["--captures-only"] if without_logs else [])], cwd=ROOT, env=environment, stderr=subprocess.DEVNULL
    ) as own:
        # Hosts, programs and the connection: the networks of relay, server, client and rivals.
        assert waited_for(lambda: own.poll() is not None or (networks(own.pid) == 4 and len(descendants(own.pid)) >= 6))
        assert own.poll() is None
        time.sleep(1)
        made = descendants(own.pid)
        own_namespaces = namespaces(made) - namespaces({os.getpid()})
        own.send_signal(sent)
        assert own.wait(PATIENCE_S) != 0
    # What is dead may wait for process 1 to collect it.
    assert waited_for(
        lambda: not in_namespaces(own_namespaces) and not made & {pid for pid, words in processes() if words}
    ), in_namespaces(own_namespaces)
    assert machine() <= before
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_run_after_one_that_was_killed_takes_its_place(allowed: Path, tmp_path: Path) -> None:
    del allowed
    scenario = example("shared").model_copy(update={"duration_s": 2.0})
    (tmp_path / "run.json").write_text(written(scenario))
    (tmp_path / ".out.part/inputs").mkdir(parents=True)
    (tmp_path / ".out.part/inputs/old.log.zst").write_text("half")
    words = ["testbed", str(tmp_path / "run.json"), "--captures-only", "--out", str(tmp_path / "out")]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "pipelines", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "run.json"]
    assert not (tmp_path / "out/inputs").exists()
    assert not (tmp_path / "out/truth.csv").exists()
    assert [path.name for path in (tmp_path / "out/captures").iterdir()] == ["run.pcap.zst"]
