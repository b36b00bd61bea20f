"""Every command in the documents is run here as it stands, or said to be run elsewhere and why.

A command is a line of a block marked ``sh``, or one after ``$`` in a block marked ``console``. The lines of a block are
run in order, in a copy of the project that has what documents call ``kern.log.gz``, ``captures/`` and the like; those
of ``dvc``, ``git`` and ``mlflow`` in a clone. A new command needs nothing here unless it cannot be run so: then it is
a line of :data:`SHORTENED`, :data:`ELSEWHERE` or :data:`SILENT`. A line there that no document needs fails too.
"""

from __future__ import annotations

import argparse
import ast
import functools
import gzip
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import dpkt
import pytest
import zstandard

from smartsbd.pipelines.__main__ import typed
from smartsbd.pipelines.front.completion import whole_parser
from smartsbd.pipelines.running import profile as scratch
from smartsbd.pipelines.running.dag import DAG_FILE, read_stages
from tests.traces import rewritten

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path
    for pattern in (
        "README.md",
        "CONTRIBUTING.md",
        "[a-z]*/README.md",
        "data/*/README.md",
        "docs/*.md",
        "docs/*/*.md",
        "kernel/*/README.md",
        "studies/*/*.md",
    )
    for path in ROOT.glob(pattern)
)
#: The documents whose commands a change waits for.
READ_FIRST = [ROOT / name for name in ("README.md", "docs/tutorial.md")]
#: Has the program `sender.c`.
_TUTORIAL = ROOT / "docs/tutorial.md"
SAMPLES = ROOT / "data/samples"
#: Connections of which inputs are made, by the name of the sample: one shared, one not.
CONNECTIONS = ("101", "106")
#: Not part of the copy: not in git, or put there by hand.
_LEFT_OUT = {".git", ".venv", ".dvc", "build", "data", "mlruns", "reports", ".mypy_cache", ".ruff_cache"}
_MADE = ("trained", "exported")
_MOST_S = 300
#: Commands that are run in a clone, where DVC's cache and MLflow's store are, one after the other.
_CLONED = re.compile(r"(\w+=\S+ )*(dvc|git|mlflow|jupyter|sed|sbd run) ")


@dataclass(frozen=True)
class Elsewhere:
    """Why a command is not run here, and what is run in its place: a file of tests, or a line of ``.ci/run``."""

    why: str
    instead: str


_SUITE = "sets up and runs for minutes"
_SHELL = "is of the shell it is typed in"
_ROOT_RIGHTS = "needs root, and a kernel with Multipath TCP"
_TWO_LINKS = "needs two links, and a server"
_EMPTY = "makes an environment of its own"
#: Commands that are not run here.
ELSEWHERE: dict[str, Elsewhere] = {
    "make core && . .venv/bin/activate": Elsewhere(_SUITE, "tests/test_core.py"),
    "make repro": Elsewhere(_SUITE, "make repro PROFILE=quick"),
    "make repro PROFILE=quick": Elsewhere(_SUITE, "make repro PROFILE=quick"),
    ". .venv/bin/activate": Elsewhere(_SHELL, "make repro PROFILE=quick"),
    "python3.13 -m venv answers": Elsewhere(_EMPTY, "tests/test_wheel.py"),
    ". answers/bin/activate": Elsewhere(_SHELL, "tests/test_wheel.py"),
    'pip install "$(echo smartsbd-*.whl)[plot]"': Elsewhere(_EMPTY, "tests/test_wheel.py"),
    "cd build/quick": Elsewhere(_SHELL, "make repro PROFILE=quick"),
    "python -m studies mplibra train mplibra": Elsewhere(
        "takes up to 90 minutes", "studies/mplibra/tests/test_training.py"
    ),
    "sbd benchmark folder kernel-1 --size S --out build/kernel-1": Elsewhere(
        "needs the default profile's data", "tests/pipelines/test_benchmark_runs.py"
    ),
    "sbd benchmark run kernel-1 lag-excess --folder build/kernel-1": Elsewhere(
        "needs the default profile's data", "tests/pipelines/test_benchmark_runs.py"
    ),
    "sbd stage export --check": Elsewhere("needs the data models are made of", "tests/pipelines/test_export.py"),
    "make ui": Elsewhere("never ends", "tests/browser/test_mlflow_ui.py"),
    "make ui PROFILE=quick": Elsewhere("never ends", "tests/browser/test_mlflow_ui.py"),
    "make docs": Elsewhere(_SUITE, "tests/browser/test_site.py"),
    "make test": Elsewhere("this is one of its tests", "make test"),
    "make check": Elsewhere(_SUITE, "make check"),
    "while sleep 0.02; do date +%s.%N; ss -tinO; done > ss.log": Elsewhere(
        "never ends", "tests/traces/formats/test_socket_stats.py"
    ),
    "sh docs/sample-ss.sh -i 0.02 -d 60 dst 192.0.2.1 > ss.log": Elsewhere(
        "needs a minute of traffic", "tests/pipelines/test_sample_ss.py"
    ),
    "for link in wlan0 wwan0;"
    " do curl -m 60 --interface $link -o /dev/null https://server.example/large & done": Elsewhere(
        _TWO_LINKS, "tests/traces/formats/test_ping_log.py"
    ),
    "for link in wlan0 wwan0; do ping -D -O -i 0.01 -w 60 -I $link 192.0.2.1 > $link.ping & done; wait": Elsewhere(
        _TWO_LINKS, "tests/traces/formats/test_ping_log.py"
    ),
    "fping -D -l -p 10 192.0.2.1 192.0.2.2 > both.fping": Elsewhere(
        "never ends", "tests/traces/formats/test_fping_log.py"
    ),
    "irtt client -i 10ms -d 60s -o wlan0.json --local=10.0.0.1 192.0.2.1": Elsewhere(
        _TWO_LINKS, "tests/traces/formats/test_irtt_log.py"
    ),
    "for link in wan wanb; do ping -i 0.05 -w 60 -I $link 192.0.2.1 | while read -r l; do read -r t _ < /proc/uptime;"
    ' echo "$t $l"; done > /tmp/$link.ping & done; wait': Elsewhere(
        _TWO_LINKS, "tests/traces/formats/test_ping_log.py"
    ),
    "for link in en0 en5;"
    " do sudo ping --apple-time -i 0.05 -t 60 -b $link 192.0.2.1 > $link.ping & done; wait": Elsewhere(
        "needs a Mac", "tests/traces/formats/test_ping_log.py"
    ),
    "sbd doctor --path wlan0 --path wwan0 --download https://server.example/large --out test": Elsewhere(
        _TWO_LINKS, "tests/doctor/test_live_run.py"
    ),
    "sbd doctor --path 192.0.2.7 --path 192.0.2.7 --download http://198.51.100.1/large"
    " --download http://203.0.113.1/large --out test": Elsewhere(_TWO_LINKS, "tests/doctor/test_live_run.py"),
    "iperf3 -s -p 5201 & iperf3 -s -p 5202 &": Elsewhere("never ends", "tests/doctor/test_iperf3_test.py"),
    "sbd doctor --path wlan0 --path wwan0 --iperf3 server.example:5201 --out test": Elsewhere(
        _TWO_LINKS, "tests/doctor/test_iperf3_test.py"
    ),
    "echo 1 > /sys/kernel/tracing/events/tcp/tcp_probe/enable"
    " && timeout 60 cat /sys/kernel/tracing/trace_pipe > tcp_probe.txt": Elsewhere(
        "needs root and traffic", "tests/traces/formats/test_tcp_probe.py"
    ),
    "tshark -r wlan0.pcap -T fields -E header=y -E separator=, -E occurrence=l -e frame.time_epoch -e ip.src -e ip.dst"
    " -e tcp.srcport -e tcp.dstport -e tcp.ack -e tcp.len -e tcp.analysis.ack_rtt > wlan0.csv": Elsewhere(
        "needs tshark", "tests/traces/formats/test_packet_table.py"
    ),
    "tcpdump -i any -s 128 -w capture.pcap tcp": Elsewhere(
        "needs root and traffic", "tests/traces/formats/test_capture.py"
    ),
    "apt-get install linux-headers-amd64 linux-source && tar -C /tmp -xf /usr/src/linux-source-6.1.tar.xz": Elsewhere(
        "needs root, and a gigabyte", "tests/traces/formats/test_kernel_log.py"
    ),
    "make KSRC=/tmp/linux-source-6.1": Elsewhere(
        "needs the kernel's source", "tests/traces/formats/test_kernel_log.py"
    ),
    "insmod smartsbd_log.ko": Elsewhere(_ROOT_RIGHTS, "tests/traces/formats/test_kernel_log.py"),
    "sysctl net.ipv4.tcp_congestion_control=smartsbd_log": Elsewhere(
        _ROOT_RIGHTS, "tests/traces/formats/test_kernel_log.py"
    ),
    "dmesg > log": Elsewhere(_ROOT_RIGHTS, "tests/traces/formats/test_kernel_log.py"),
    "cat /dev/kmsg > log": Elsewhere(_ROOT_RIGHTS, "tests/traces/formats/test_kernel_log.py"),
    "journalctl -k -o json > log": Elsewhere(_ROOT_RIGHTS, "tests/traces/formats/test_kernel_log.py"),
    "dask scheduler --host 127.0.0.1 --port 8786 --no-dashboard": Elsewhere(
        "never ends", "tests/pipelines/test_scheduler.py"
    ),
    "dask worker tcp://127.0.0.1:8786 --host 127.0.0.1 --nthreads 1 --no-dashboard": Elsewhere(
        "never ends", "tests/pipelines/test_scheduler.py"
    ),
    "sbd kernel load --check": Elsewhere(_ROOT_RIGHTS, "tests/kernel/test_check.py"),
    "make kernel": Elsewhere("needs clang 19 and Rust", "tests/kernel/test_command_line.py"),
    "make -C kernel replay": Elsewhere("needs clang 19 and Rust", "tests/kernel/test_replay.py"),
    "make -C kernel replay BUILD=FOLDER SBD_HEADERS=/a/folder": Elsewhere(
        "needs clang 19 and Rust, and a folder of headers", "tests/kernel/test_replay.py"
    ),
    "build/kernel/replay -f tree_invariant < events.txt": Elsewhere(_ROOT_RIGHTS, "tests/kernel/test_replay.py"),
    "build/kernel/replay --verify": Elsewhere(_ROOT_RIGHTS, "tests/kernel/test_replay.py"),
    "make testbed": Elsewhere("`tests/testbed` builds it", "tests/testbed/test_relay.py"),
    "sbd testbed testbed/examples/shared.json testbed/examples/separate.json --out made": Elsewhere(
        _ROOT_RIGHTS, "tests/testbed/test_run.py"
    ),
    "python -m studies why run --seeds set-aside-2 --runs data/studies/why/set-aside-2"
    " --reports studies/why/reports": Elsewhere(_ROOT_RIGHTS, "studies/why/tests/test_run.py"),
    "sbd new-dataset made/inputs --labels made/truth.csv --name made": Elsewhere(
        "takes what the command before makes", "tests/testbed/test_run.py"
    ),
    "sbd testbed --dataset wide_linux --out made --jobs 4 --judge": Elsewhere(
        _ROOT_RIGHTS, "tests/testbed/test_run.py"
    ),
    "sbd testbed --dataset unseen_linux --out made --jobs 3 --judge": Elsewhere(
        _ROOT_RIGHTS, "tests/testbed/test_run.py"
    ),
    "sbd testbed --dataset testbed_2 --seed N --again 3 --jobs 3 --most-mbit-s 60 --out made": Elsewhere(
        _ROOT_RIGHTS, "tests/testbed/test_run.py"
    ),
    "sbd testbed --dataset idle_2_linux --seed N --again 3 --jobs 3 --out made": Elsewhere(
        _ROOT_RIGHTS, "tests/testbed/test_run.py"
    ),
    "sbd new-dataset made/inputs --labels made/truth.csv --name testbed_unseen"
    " --raw data/studies/datasets/raw": Elsewhere("takes what the command before makes", "tests/testbed/test_run.py"),
    "sbd record --no-addresses --out trace.log": Elsewhere(_ROOT_RIGHTS, "tests/kernel/test_recorder.py"),
    "sbd record | sbd detect --live -": Elsewhere(_ROOT_RIGHTS, "tests/pipelines/test_live.py"),
    "sbd record --format state --out traces/ --seconds 60": Elsewhere(_ROOT_RIGHTS, "tests/kernel/test_recorder.py"),
    **{
        command: Elsewhere(_ROOT_RIGHTS, "tests/kernel/test_controllers.py")
        for command in (
            "sbd kernel load",
            "sysctl -w net.ipv4.tcp_congestion_control=sbd_smart",
            "sbd kernel status",
            "sysctl -w net.ipv4.tcp_congestion_control=cubic",
            "sbd kernel unload",
            "sbd testbed --experiment loop_kernel --networks 20 --seconds 30 --jobs 6 --out made",
        )
    },
    **{
        command: Elsewhere(_ROOT_RIGHTS, "tests/kernel/test_operating.py")
        for command in (
            "mkdir /sys/fs/cgroup/trial",
            "sbd kernel load --cgroup /sys/fs/cgroup/trial",
            "echo PID > /sys/fs/cgroup/trial/cgroup.procs",
            "sbd kernel status --json",
            *(f"sbd kernel {word} --cgroup /sys/fs/cgroup/trial" for word in ("couple", "uncouple", "auto")),
            "sbd kernel couple",
            "sbd kernel auto",
        )
    },
    **{
        command: Elsewhere("needs the tables of a run", "tests/pipelines/test_publish.py")
        for command in (
            "sbd publish deposit",
            "sbd publish deposit --url https://example.org/records/1",
            "sha256sum --check --quiet CHECKSUMS",
        )
    },
    **{
        command: Elsewhere("needs a remote that others read", "tests/pipelines/test_dvc_remote.py")
        for command in (
            "dvc remote add --default store /srv/smartsbd-data",
            'git commit --quiet --message "A remote for the data" .dvc/config',
            "dvc push dvc.yaml",
            "dvc pull dvc.yaml",
            "dvc status dvc.yaml",
            "dvc import https://example.org/workbench.git data/tables/kernel --out tables",
        )
    },
    "make -j PREFIX=<virtual environment>": Elsewhere("`make setup` runs it", "make check"),
}

#: Commands that are run with less to do.
SHORTENED: dict[str, str] = {
    "python -m tests.fuzz pcap -max_total_time=3600": "python -m tests.fuzz pcap -max_total_time=2",
    "python -m tests.fuzz packets -max_total_time=3600": "python -m tests.fuzz packets -max_total_time=2",
    "python -m tests.fuzz.campaign --jobs 2": "python -m tests.fuzz.campaign --jobs 2 --runs 200 truth labels",
    "python -m tests.fuzz --native pcap -max_total_time=3600": "python -m tests.fuzz --native pcap -max_total_time=2",
    "dvc exp run --queue --set-param rank.neighbors=1,5 rank": (
        "dvc exp run --queue --set-param rank.neighbors=1,5 --single-item rank"
    ),
    "dvc repro": "dvc repro export",
    'pytest -m "not slow" tests/features smartsbd/features': "pytest tests/features/test_catalog.py features/ratio.py",
}

#: Commands that print nothing where all is well.
QUIET = re.compile(r".* --quiet\b|git (config|add|status)\b|sed --in-place\b")

#: Other commands that print nothing: a file they write, and what it holds then and not before.
SILENT: dict[str, tuple[str, str]] = {
    "cc -O2 -I export/generated -DSBD_MODEL=sbd_tree_paper -o replay export/programs/replay.c": ("replay", ""),
    "cc -O2 -Wall -Wextra -Werror -I export/generated -o sender sender.c": ("sender", ""),
    "sbd dictionary": ("data/README.md", "## pair_window"),
    "sbd excerpts": ("docs/dvc.md", "flowchart LR"),
}


@dataclass(frozen=True)
class Block:
    """The commands of one block, in order."""

    path: Path
    line: int
    commands: tuple[str, ...]

    @property
    def name(self) -> str:
        """Where it is."""
        return f"{self.path.relative_to(ROOT)}:{self.line}"


def _fences(path: Path) -> Iterator[tuple[int, str, list[str]]]:
    """Yield the line, language and lines of every block of a document."""
    block: list[str] | None = None
    start, language = 0, ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.lstrip().startswith("```"):
            if block is not None:
                block.append(line)
        elif block is None:
            start, language, block = number, line.strip("` "), []
        else:
            yield start, language, block
            block = None


def _commands(language: str, lines: list[str]) -> Iterator[str]:
    """Yield the commands of a block, without comments and prompts, each on one line."""
    whole = re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines()
    for line in whole:
        if language == "console" and not line.startswith("$ "):
            continue
        command = re.sub(r"(^|\s+)#.*", "", line.removeprefix("$ ")).strip()
        if command:
            yield command


BLOCKS = [
    Block(path, line, tuple(_commands(language, lines)))
    for path in DOCUMENTS
    for line, language, lines in _fences(path)
    if language in ("sh", "console")
]
COMMANDS = {command for block in BLOCKS for command in block.commands}


def _decompressed(path: Path) -> bytes:
    return zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes())


def _event_lines(sample: Path) -> list[str]:
    """Return a recorder's log of a real sender as event lines, by a clock that begins with the machine."""
    kinds = {"rtt_us": "RTT", "ack": "UNA", "ca_state": "CA"}
    lines = []
    rows = [row.split(",") for row in _decompressed(sample).decode().splitlines()[1:]]
    begun_s = int(float(rows[0][0]))
    for time_s, subflow, variable, value in rows:
        seconds, fraction = time_s.split(".")
        if variable in kinds:
            lines.append(f"{int(seconds) - begun_s}{fraction:0<9} C=5b1 SF={subflow} V={kinds[variable]} {value}")
    return lines


def merged(captures: list[Path], target: Path) -> None:
    """Write the packets of captures into one, in order of time."""
    packets: list[tuple[float, bytes]] = []
    for capture in captures:
        with capture.open("rb") as stream:
            reader = dpkt.pcap.Reader(stream)
            link = reader.datalink()
            packets += reader
    with target.open("wb") as stream:
        writer = dpkt.pcap.Writer(stream, linktype=link)
        for time_s, packet in sorted(packets):
            writer.writepkt(packet, ts=time_s)


def _put_inputs(project: Path) -> None:
    """Put there what documents call the user's own files: recordings of a real sender."""
    (project / "captures").mkdir()
    (project / "recordings").mkdir()
    labels = ["input,shared"]
    for name, interfaces in zip(CONNECTIONS, (("wlan0.pcap", "wwan0.pcap"), ("a.pcap", "b.pcap")), strict=True):
        parts = [project / interface for interface in interfaces]
        for subflow, part in enumerate(parts):
            part.write_bytes(_decompressed(SAMPLES / f"kernel_captures/inputs/{name}.sf{subflow}.pcap.zst"))
        merged(parts, project / f"captures/{name}")
        shutil.copy(SAMPLES / f"kernel/inputs/{name}.state.csv.zst", project / f"recordings/{name}")
        labels.append(f"{name},{'true' if int(name) % 2 else 'false'}")
    (project / "labels.csv").write_text("\n".join([*labels, ""]))
    shutil.copy(project / f"captures/{CONNECTIONS[0]}", project / "capture.pcap")
    rewritten.write_all(SAMPLES / f"kernel/inputs/{CONNECTIONS[0]}.state.csv.zst", project)
    (program,) = (lines for _, language, lines in _fences(_TUTORIAL) if language == "c")
    (project / "sender.c").write_text("\n".join([*program, ""]))
    events = _event_lines(SAMPLES / f"kernel/inputs/{CONNECTIONS[0]}.state.csv.zst")
    (project / "events.txt").write_text("\n".join([*events, ""]))
    printed = [f"[{number:5d}.000000] smartsbd: {event}\n" for number, event in enumerate(events)]
    (project / "kern.log.gz").write_bytes(gzip.compress("".join(printed).encode()))


@pytest.fixture(scope="module")
def _prepared(quick: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the trained models of the profile ``quick`` and a user's files."""
    project = tmp_path_factory.mktemp("documented") / "project"
    shutil.copytree(
        ROOT,
        project,
        ignore=lambda folder, names: [
            name for name in names if name in (_LEFT_OUT if folder == str(ROOT) else ()) or name.endswith("cache__")
        ],
    )
    shutil.copytree(ROOT / "reports", project / "reports", ignore=shutil.ignore_patterns("report.html"))
    (project / "data").mkdir()
    shutil.copy(ROOT / "data/README.md", project / "data")
    (project / "data/samples").symlink_to(SAMPLES)
    (project / "data/benchmark").symlink_to(ROOT / "data/benchmark")
    for name in _MADE:
        (project / "data" / name).symlink_to(quick / "data" / name)
    # A model is used by its name if the run that made it recorded its digest.
    shutil.copytree(quick / "reports/chosen", project / "reports/chosen", dirs_exist_ok=True)
    _put_inputs(project)
    return project


@pytest.fixture
def project(_prepared: Path, tmp_path: Path) -> Path:
    """A copy of that: no block of commands depends on another."""
    return Path(shutil.copytree(_prepared, tmp_path / "project", symlinks=True))


@pytest.fixture(scope="module")
def clone(quick: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone in git and DVC that may be thrown away: every result is there, and committed.

    Of the profile ``quick``: what a command makes anew there takes seconds.
    """
    clone = tmp_path_factory.mktemp("cloned") / "project"
    scratch.prepare(ROOT, "quick", clone)
    for name in ("dvc.lock", "reports", "export/generated"):
        if (quick / name).is_dir():
            shutil.copytree(quick / name, clone / name, dirs_exist_ok=True)
        else:
            shutil.copy(quick / name, clone / name)
    # A copy: DVC protects what is in its cache, and adds to it.
    shutil.copytree(quick / ".dvc/cache", clone / ".dvc/cache")
    for command in ("git add --all", "git commit --quiet --message=results", "dvc checkout --quiet --force dvc.yaml"):
        subprocess.run(command.split(), cwd=clone, env=_environment(clone), check=True)
    shutil.copytree(quick / "data/mlflow_artifacts", clone / "data/mlflow_artifacts")
    shutil.copy(quick / "data/mlflow.db", clone / "data")
    return clone


def _environment(folder: Path) -> dict[str, str]:
    """Return the environment in which a folder's own code is run, by this Python."""
    return os.environ | {
        "PATH": f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(folder),
        "DVC_NO_ANALYTICS": "1",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "DO_NOT_TRACK": "1",
        "GIT_AUTHOR_NAME": "test",
        "GIT_AUTHOR_EMAIL": "test@localhost",
        "GIT_COMMITTER_NAME": "test",
        "GIT_COMMITTER_EMAIL": "test@localhost",
    }


def _run(command: str, folder: Path) -> None:
    """Run a command in a folder; it must end well and say or write something."""
    path, written = SILENT.get(command, ("", ""))
    target = folder / path
    if path and target.exists():
        assert written in target.read_text()
        target.write_text(target.read_text().replace(written, "stale"))
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", SHORTENED.get(command, command)],
        cwd=folder,
        env=_environment(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_MOST_S,
        check=False,
    )
    assert done.returncode == 0, f"{command}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    if path:
        assert target.exists() and (not written or written in target.read_text()), command
    else:
        said = (done.stdout + done.stderr).strip()
        assert bool(said) != bool(QUIET.match(command)), f"{command}: {said or 'prints nothing'}"


def _waits(block: Block) -> bool:
    """Tell whether a block is in the slow set: it is of another document, or runs stages in a clone."""
    return block.path not in READ_FIRST or any(_CLONED.match(command) for command in block.commands)


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(block, id=block.name, marks=[pytest.mark.slow] if _waits(block) else [])
        for block in BLOCKS
        if set(block.commands) - ELSEWHERE.keys()
    ],
)
def test_commands_do_what_they_are_shown_for(block: Block, request: pytest.FixtureRequest) -> None:
    for command in block.commands:
        if command not in ELSEWHERE:
            folder: Path = request.getfixturevalue("clone" if _CLONED.match(command) else "project")
            _run(command, folder)


def test_commands_are_read_as_documents_write_them(tmp_path: Path) -> None:
    """Lines of ``sh`` are commands, and those of ``console`` after a sign; comments, output and other code are not."""
    document = tmp_path / "written.md"
    document.write_text(
        "Text.\n\n```sh\nmake repro   # an hour\n```\n\n"
        "```console\n$ sbd detect a.pcap\nshared\n```\n\n```python\nprint(1)\n```\n"
    )
    read = [(language, _commands(language, lines)) for _, language, lines in _fences(document)]
    assert [(language, list(found)) for language, found in read if language in ("sh", "console")] == [
        ("sh", ["make repro"]),
        ("console", ["sbd detect a.pcap"]),
    ]
    assert [language for language, _ in read] == ["sh", "console", "python"]


def test_every_exception_is_of_a_command_in_a_document() -> None:
    assert not {*ELSEWHERE, *SHORTENED, *SILENT} - COMMANDS
    assert not ELSEWHERE.keys() & {*SHORTENED, *SILENT}


@pytest.mark.parametrize("one", sorted({one.instead for one in ELSEWHERE.values()}))
def test_what_runs_in_a_command_s_place_is_there(one: str) -> None:
    """It is a line of ``.ci/run``, or a file with a test that is not left out."""
    if not one.startswith(("tests/", "studies/")):
        # What goes to the background is followed by more.
        assert f"{one} " in (ROOT / ".ci/run").read_text().replace("\n", " ")
        return
    module = ast.parse((ROOT / one).read_text())
    marks = {
        name: {ast.unparse(mark) for mark in node.decorator_list}
        for node in module.body
        if isinstance(node, ast.FunctionDef) and (name := node.name).startswith("test_")
    }
    assert any(not any("skip" in mark for mark in own) for own in marks.values()), marks


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_command_stands_in_a_block_without_a_mark(path: Path) -> None:
    program = re.compile(r"^(\$ |(sbd|make|dvc|git|python|pytest|mlflow|dask|cc|pip|uv|sudo|apt-get|tcpdump) )")
    for line, language, lines in _fences(path):
        if language not in ("sh", "console"):
            assert not any(program.match(one) for one in lines), f"{path.name}:{line}"
    assert not re.search(rf"\n\n {{4}}{program.pattern.removeprefix('^')}", path.read_text())


# Commands in running text: what they name is there.

_INLINE = re.compile(r"(?<!`)`((?:sbd|make|dvc|python -m) [^`\n]+)`(?!`)")


def _inline(path: Path) -> list[str]:
    """Return the commands in a document's text, outside of its blocks."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    return sorted(set(_INLINE.findall(text)))


def _below(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the commands that a parser takes."""
    actions = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(actions[0].choices) if actions else {}


@functools.cache
def _subcommands() -> dict[str, argparse.ArgumentParser]:
    """Return the parser of every command of sbd; that of a stage is of ``stage NAME``."""
    commands = _below(whole_parser(typed(read_stages(ROOT / DAG_FILE))))
    return commands | {f"stage {name}": parser for name, parser in _below(commands["stage"]).items()}


def _options(parser: argparse.ArgumentParser, words: list[str]) -> set[str]:
    """Return the options that a command takes, with those of the command in it that is named (`benchmark run`)."""
    known = set(parser._option_string_actions)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for own in (one for name, one in action.choices.items() if name in words):
                known |= _options(own, words)
    return known


def _targets(makefile: Path) -> set[str]:
    return set(re.findall(r"^([a-z][\w-]*):", makefile.read_text(), re.MULTILINE))


def _is_there(path: Path, command: str) -> bool:
    """Tell whether a program, and the command and options of it that a text names, are there."""
    # A quote may be open where a line of the text ends.
    program, *words = shlex.split(command) if command.count('"') % 2 == 0 == command.count("'") % 2 else command.split()
    first, second = [*(word for word in words if not word.startswith("-")), "", ""][:2]
    options = {word.partition("=")[0] for word in words if word.startswith("--") and len(word) > 2}
    if program == "sbd" and first and not words[0].startswith("--completion"):
        known = _subcommands()
        first = f"stage {second}" if first == "stage" and second not in ("", "NAME") else first
        return first in known and options <= {*_options(known[first], words), "--help", "--dataset", "--params"}
    if program == "sbd":
        return options <= {"--help", "--version", "--completion"}
    if program == "make":
        makefiles = (ROOT / "Makefile", path.parent / "Makefile")
        targets = {target for makefile in makefiles if makefile.exists() for target in _targets(makefile)}
        return {word for word in words if "=" not in word} <= targets
    if program == "dvc":
        from dvc.cli.parser import get_main_parser

        (action,) = (action for action in get_main_parser()._actions if action.dest == "cmd")
        return first in (action.choices or ())
    return importlib.util.find_spec(first) is not None


def test_commands_in_the_text_are_there() -> None:
    inline = [(path, command) for path in DOCUMENTS for command in _inline(path)]
    assert len(inline) > 200
    assert [f"{path.relative_to(ROOT)}: {command}" for path, command in inline if not _is_there(path, command)] == []
