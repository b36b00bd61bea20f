"""A run on a full disk, in a clone that may only be read, and with a clock set back: a line, and it goes on after."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from smartsbd.pipelines.running import profile
from tests import quick_profile
from tests.made_once import made_once
from tests.processes import waited_for

ROOT = Path(__file__).parents[2]
SHORT = ("collect@kernel",)
#: What a disk has beside the clone at first, and what it is given each time that it is full.
LITTLE_KB, MORE_KB = {SHORT: 300, (): 4000}, {SHORT: 400, (): 16_000}
_MOST_TIMES = 40
_DAY_S = 24 * 60 * 60

#: Whoever is not root is in a namespace of its own.
NAMESPACE = ["unshare", "--mount"] if os.getuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
can_mount = pytest.mark.skipif(
    subprocess.run([*NAMESPACE, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False).returncode
    != 0,
    reason="no file system can be mounted in a namespace of its own here",
)

RUN = f"{sys.executable} -m pipelines repro default "

READ_ONLY = """
cd "$1"; mount --bind . . && cd "$1" && mount -o remount,bind,ro . || exit 99
{run} >"$2/1.out" 2>"$2/1.err"; echo $? >"$2/1.code"
mount -o remount,bind,rw .
{run} >"$2/2.out" 2>"$2/2.err"; echo $? >"$2/2.code"
"""

FULL = """
mkdir "$2/disk"; mount -t tmpfs tmpfs "$2/disk" || exit 99
cp -a "$1/." "$2/disk/"; cd "$2/disk"; mkdir -p .dvc/tmp/scratch; export TMPDIR="$PWD/.dvc/tmp/scratch"
size=$(( $(df --output=used -k . | tail -1) + {little} )); mount -o remount,size="$size"k "$2/disk" || exit 99
time=1
until [ $time -gt {most} ]; do
    {run} >"$2/$time.out" 2>"$2/$time.err"; code=$?; echo $code >"$2/$time.code"
    [ $code -eq 0 ] && break
    find . -name "*.part" -o -name ".spool-*" -o -path "./.dvc/tmp/scratch/*" >>"$2/left"
    size=$(( size + {more} )); time=$(( time + 1 )); mount -o remount,size="$size"k "$2/disk" || exit 99
done
cp dvc.lock "$1/"
"""


def environment(**more: str) -> dict[str, str]:
    path = f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}"
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return own | {"PATH": path, "DVC_NO_ANALYTICS": "1"} | more


def outs(clone: Path) -> dict[str, dict[str, str]]:
    """Return the digest of every output, by stage and path."""
    stages = yaml.safe_load((clone / "dvc.lock").read_text())["stages"]
    return {name: {out["path"]: out["md5"] for out in stage.get("outs", [])} for name, stage in stages.items()}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    profile.prepare(ROOT, "quick", tmp_path / "clone")
    return tmp_path / "clone"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        profile.prepare(ROOT, "quick", folder)
        assert profile.repro(folder, *SHORT) == 0

    return made_once(tmp_path_factory, "undisturbed", make)


def expected(stages: Sequence[str], undisturbed: Path) -> dict[str, dict[str, str]]:
    return outs(undisturbed) if stages else outs(quick_profile.up_to_date())


def told(tmp_path: Path, time: int) -> tuple[int, list[str]]:
    """Return how a run ended, and what it told of errors."""
    said = (tmp_path / f"{time}.err").read_text()
    assert "Traceback" not in said
    return int((tmp_path / f"{time}.code").read_text()), [line for line in said.split("\n") if "ERROR" in line]


def in_namespace(script: str, clone: Path, tmp_path: Path) -> None:
    command = [*NAMESPACE, "/bin/sh", "-c", script, "sh", str(clone), str(tmp_path)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@can_mount
@pytest.mark.slow
@pytest.mark.parametrize("stages", [SHORT, ()])
def test_in_a_clone_that_may_only_be_read(
    stages: tuple[str, ...], clone: Path, undisturbed: Path, tmp_path: Path
) -> None:
    in_namespace(READ_ONLY.format(run=RUN + " ".join(stages)), clone, tmp_path)
    assert told(tmp_path, 1) == (1, ["ERROR repro: .dvc/tmp: Read-only file system"])
    assert (tmp_path / "1.out").read_text() == ""
    assert told(tmp_path, 2) == (0, [])
    assert outs(clone) == expected(stages, undisturbed)


@can_mount
@pytest.mark.slow
@pytest.mark.parametrize("stages", [SHORT, ()])
def test_on_a_disk_that_is_full(stages: tuple[str, ...], clone: Path, undisturbed: Path, tmp_path: Path) -> None:
    little, more = LITTLE_KB[stages], MORE_KB[stages]
    in_namespace(FULL.format(run=RUN + " ".join(stages), little=little, more=more, most=_MOST_TIMES), clone, tmp_path)
    times = len(list(tmp_path.glob("*.code")))
    assert times > 1
    for time in range(1, times):
        code, lines = told(tmp_path, time)
        assert code == 1
        # DVC tells of a stage's end, and of each file of its own that it could not write; a stage, of each dataset.
        ours = {line for line in lines if not line.startswith("ERROR: ")}
        assert len(ours) <= 1, lines
        assert lines
    code, lines = told(tmp_path, times)
    # What DVC could not store at once is stored in the end.
    assert (code, [line for line in lines if not line.startswith("ERROR: ")]) == (0, [])
    assert (tmp_path / "left").read_text() == ""
    assert outs(clone) == expected(stages, undisturbed)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc here to build what sets the clock back")
@pytest.mark.slow
@pytest.mark.parametrize("stages", [SHORT, ()])
def test_with_a_clock_that_is_set_back(stages: tuple[str, ...], clone: Path, undisturbed: Path, tmp_path: Path) -> None:
    library, back = tmp_path / "clock_set_back.so", tmp_path / "back"
    source = ROOT / "tests/clock_set_back.c"
    subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    command = (RUN + " ".join(stages)).split()
    set_back = environment(LD_PRELOAD=str(library), CLOCK_SET_BACK=str(back))
    with (
        (tmp_path / "1.err").open("w") as errors,
        subprocess.Popen(command, cwd=clone, env=set_back, stdout=errors, stderr=errors) as run,
    ):
        # In the middle: what was done before is newer than what comes.
        assert waited_for((clone / "data/raw/kernel").exists)
        back.touch()
        code = run.wait()
    (tmp_path / "1.code").write_text(str(code))
    assert told(tmp_path, 1) == (0, [])
    assert outs(clone) == expected(stages, undisturbed)
    total_s = re.search(r"^ *all +(\S+)", (tmp_path / "1.err").read_text(), re.MULTILINE)
    assert total_s is not None
    assert 0 < float(total_s[1]) < _DAY_S
    again = subprocess.run(command, cwd=clone, env=set_back, capture_output=True, text=True, check=True)
    ran = {line.split("'")[1] for line in (again.stdout + again.stderr).split("\n") if line.startswith("Running stage")}
    assert ran == set()
