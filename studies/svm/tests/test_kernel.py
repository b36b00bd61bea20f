"""The SVMs in the kernel: the verifier takes each of them, and each decides there as it does outside."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from smartsbd.export import compilers, header_program
from tests.kernel.conftest import BUILT, NO_ARENA, ROOT, make
from tests.kernel.test_replay import GENERATED, MOST_INSTRUCTIONS, QUICK, instructions, said, sampled

REPORTS = ROOT / "studies/svm/reports"
NAMES = sorted(path.stem.removeprefix("sbd_") for path in REPORTS.glob("sbd_*.h"))

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def headers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exported headers, and those of the study."""
    folder = tmp_path_factory.mktemp("headers")
    for path in (*GENERATED.glob("*.h"), *REPORTS.glob("*.h")):
        shutil.copy(path, folder)
    return folder


@pytest.fixture(scope="module")
def replay(headers: Path) -> Path:
    """The exported detectors and these in the kernel, fed with recorded signals."""
    build = BUILT / "svm"
    make("replay", f"BUILD={build}", f"SBD_HEADERS={headers}")
    return build / "replay"


@pytest.fixture(scope="module")
def verified(replay: Path) -> str:
    tried = subprocess.run([replay, "--verify"], capture_output=True, text=True, check=False)
    if tried.returncode and NO_ARENA in tried.stderr:
        pytest.skip(tried.stderr.strip().splitlines()[-1])
    assert tried.returncode == 0, tried.stderr
    return tried.stdout


def test_the_verifier_takes_every_svm(verified: str) -> None:
    counted = instructions(verified)
    assert len(NAMES) == 4
    for name in NAMES:
        assert 1000 < counted[name]["drain"] <= MOST_INSTRUCTIONS


@pytest.mark.usefixtures("verified")
@pytest.mark.parametrize("name", NAMES)
def test_the_kernel_decides_as_the_replay_does(name: str, replay: Path, headers: Path, tmp_path: Path) -> None:
    lines = b"".join(one.lines for one in sampled(QUICK))
    program = header_program.build(tmp_path, headers, f"sbd_{name}", compilers.installed()[0])
    outside = subprocess.run([program, "-f"], input=lines, capture_output=True, check=True).stdout.decode()
    assert said(replay, name, lines) == outside
    assert len(re.findall(r" N?SB ", outside)) > 20
