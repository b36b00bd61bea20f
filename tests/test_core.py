"""What `make core` sets up and `make app` puts into one file: a verdict soon after, in an empty folder."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pythons import pythons

ROOT = Path(__file__).parents[1]
LOG = ROOT / "data/samples/kernel/inputs/101.state.csv.zst"
CAPTURES = [ROOT / f"data/samples/kernel_captures/inputs/102.sf{number}.pcap.zst" for number in (0, 1)]
#: The packages' cache may be cold, the machine busy.
MOST_SET_UP_S = 600
MOST_FIRST_VERDICT_S = 10
MOST_MB = 550

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The working tree, with what `make core` and `make app` made in it; its path has spaces."""
    clone = tmp_path_factory.mktemp("core") / "a clone, рядом"
    listed = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(listed, capture_output=True, check=True, text=True).stdout.split("\0"):
        if name and (ROOT / name).exists():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, clone / name, follow_symlinks=False)
    for target in ("core", "app"):
        done = subprocess.run(
            ["make", target], cwd=clone, capture_output=True, text=True, timeout=MOST_SET_UP_S, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return clone


def bare(folder: Path) -> dict[str, str]:
    """An environment in which nothing of this one is found."""
    return {"HOME": str(folder), "PATH": f"{Path(sys.executable).resolve().parent}:/usr/bin:/bin"}


def said(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, env=bare(folder), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_small(clone: Path) -> None:
    blocks = sum(path.lstat().st_blocks for path in (clone / ".venv").rglob("*"))
    assert blocks * 512 < MOST_MB << 20
    installed = {path.name for path in (clone / ".venv/lib/python3.11/site-packages").iterdir()}
    assert not installed & {"mlflow", "dvc", "jupyterlab", "distributed", "flaml", "matplotlib", "tslearn"}


def cpu_s_of_children() -> float:
    """Return what the processes that have ended took: others that run beside them do not count."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def test_the_first_verdict_is_soon_there(clone: Path, tmp_path: Path) -> None:
    before_s = cpu_s_of_children()
    shown = said([str(clone / ".venv/bin/sbd"), "detect", str(LOG)], tmp_path)
    assert cpu_s_of_children() - before_s < MOST_FIRST_VERDICT_S
    assert "subflows 0 and 1: shared, from 4.0 s on, to the end at 20.1 s" in shown


#: Whether a queue that both of two paths go through is found.
JUDGES = """
import numpy as np, smartsbd
times_s = np.arange(3_000) / 100
queue_s = abs(np.random.default_rng(1).normal(0, 0.002, 3_000).cumsum() % 0.08 - 0.04)
print(smartsbd.judge(times_s, 0.030 + queue_s, times_s, 0.045 + queue_s).shared)
"""


def test_arrays_are_judged_from_python(clone: Path, tmp_path: Path) -> None:
    """By the environment's Python, and by the one in the file, which shiv shows where it is asked to."""
    assert said([str(clone / ".venv/bin/python"), "-c", JUDGES], tmp_path) == "True\n"
    in_file = ["env", "SHIV_INTERPRETER=1", str(Path(sys.executable).resolve()), str(clone / "build/sbd.pyz")]
    assert said([*in_file, "-c", JUDGES], tmp_path) == "True\n"


def test_what_needs_another_group_says_which(clone: Path) -> None:
    sbd = str(clone / ".venv/bin/sbd")
    plot = ("detect", "--plot", "verdict.png", str(LOG))
    for command, group in ((("rank",), "train"), (("ui",), "track"), (plot, "plot")):
        done = subprocess.run([sbd, *command], cwd=clone, env=bare(clone), capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert f"in a checkout, `make core GROUPS={group}`" in done.stderr
        assert "Traceback" not in done.stderr


def test_one_file_judges_captures_and_logs_on_bare_python(clone: Path, tmp_path: Path) -> None:
    """Python's library alone, an empty home and folder, and nothing of ours on its path."""
    app = tmp_path / "sbd.pyz"
    shutil.copy(clone / "build/sbd.pyz", app)
    shutil.rmtree(clone / "build/app")
    python = str(Path(sys.executable).resolve())
    assert subprocess.run([python, "-Ic", "import numpy"], capture_output=True, check=False).returncode == 1
    of_log = said([python, "sbd.pyz", "detect", str(LOG)], tmp_path)
    assert "subflows 0 and 1: shared, from 4.0 s on, to the end at 20.1 s" in of_log
    of_captures = said([python, "sbd.pyz", "detect", *map(str, CAPTURES)], tmp_path)
    assert "102.sf0#0, by common-lag" in of_captures
    assert "ack" in said([python, "sbd.pyz", "parse", str(CAPTURES[0]), "--out", "tables"], tmp_path)
    assert "connections" in said([python, "sbd.pyz", "inspect", str(LOG)], tmp_path)


def is_another(python: str) -> bool:
    """Whether this is a Python that runs, recent enough for shiv's own part, and not ours."""
    of_version = f"import sys; sys.exit(sys.version_info < (3, 9) or sys.version_info[:2] == {sys.version_info[:2]})"
    return subprocess.run([python, "-c", of_version], capture_output=True, check=False).returncode == 0


def test_another_python_gets_one_line(clone: Path, tmp_path: Path) -> None:
    others = [path for path in pythons() if is_another(path)]
    if not others:
        pytest.skip("there is no other Python here")
    done = subprocess.run(
        [others[0], str(clone / "build/sbd.pyz"), "inspect", str(LOG)],
        env=bare(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.strip().startswith("sbd has nothing compiled for Python 3.")
    assert done.stderr.count("\n") == 1
