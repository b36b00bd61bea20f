"""A wheel answers as the checkout does, in a folder whose files have the names of our folders."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
KERNEL = ROOT / "data/samples/kernel/inputs/101.state.csv.zst"
CAPTURES = [ROOT / f"data/samples/kernel_captures/inputs/102.sf{number}.pcap.zst" for number in (0, 1)]
#: Names of our folders, which a user's own files may have.
HOSTILE = ("contracts", "detectors", "export", "features", "models", "native", "pipelines", "traces")
MOST_SDIST_BYTES = 5_000_000
MOST_IMPORT_S, MOST_VERSION_S = 0.15, 0.2

pytestmark = pytest.mark.slow


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel and the source distribution that it is built of."""
    folder = tmp_path_factory.mktemp("built")
    run(Path(sys.prefix) / "bin/uv", "build", "--no-build-isolation", "--offline", "--out-dir", folder, ROOT)
    return folder


@pytest.fixture(scope="module")
def environment(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and what it names, and nothing else."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    uv = Path(sys.prefix) / "bin/uv"
    (wheel,) = built.glob("*.whl")
    run(uv, "venv", "--python", sys.executable, folder)
    run(uv, "pip", "install", "--python", folder, "-c", ROOT / "requirements/main.txt", wheel)
    return folder / "bin"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    for name in HOSTILE:
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a file of the user')\n")
    (tmp_path / "wifi.csv").write_text("\n".join(["time_s,rtt_ms", *(f"{i / 50},{30 + i % 7}" for i in range(3000))]))
    (tmp_path / "lte.csv").write_text("\n".join(["time_s,rtt_ms", *(f"{i / 50},{50 + i % 5}" for i in range(3000))]))
    return tmp_path


def test_the_package_is_all_that_it_puts_there(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"smartsbd"}
    assert len(names) == len(set(names))
    compiled = [name for name in names if name.endswith(".so")]
    assert len(compiled) == 5 and all(name.startswith("smartsbd/native/") for name in compiled)
    (source,) = built.glob("*.tar.gz")
    assert source.stat().st_size < MOST_SDIST_BYTES


@pytest.mark.parametrize(
    "arguments",
    [
        ["detect", KERNEL],
        ["detect", "--json", *CAPTURES],
        ["detect", "--together", "wifi.csv", "lte.csv"],
        ["detect", "--model", "wavelet", KERNEL],
        ["inspect", KERNEL],
    ],
    ids=["log", "captures", "tables", "baseline", "inspect"],
)
def test_it_says_what_the_checkout_says(arguments: list[str | Path], environment: Path, hostile: Path) -> None:
    answer = run(environment / "sbd", *arguments, cwd=hostile)
    assert answer == run(Path(sys.prefix) / "bin/sbd", *arguments, cwd=hostile)
    assert answer.strip()


def test_python_imports_it_there(environment: Path, hostile: Path) -> None:
    code = "import smartsbd, smartsbd.features.series, smartsbd.traces.formats; print(smartsbd.judge.__module__)"
    assert run(environment / "python", "-c", code, cwd=hostile) == "smartsbd.judging\n"


def test_the_tasks_of_the_benchmark_are_there(environment: Path, hostile: Path) -> None:
    code = "from smartsbd import datasets; print(*(len(datasets.load(name).train.X) > 0 for name in datasets.names()))"
    assert run(environment / "python", "-c", code, cwd=hostile).split() == ["True"] * 8


@pytest.mark.parametrize("command", ["scorecard", "benchmark", "doctor"])
def test_what_answers_needs_no_extra(command: str, environment: Path, hostile: Path) -> None:
    assert "usage: sbd" in run(environment / "sbd", command, "--help", cwd=hostile)


def test_it_is_there_at_once(environment: Path, hostile: Path) -> None:
    """The least of several: others work on the machine too."""
    timed = (
        "import subprocess, sys, time; start = time.perf_counter(); subprocess.run(sys.argv[1:], check=True, stdout=-3)"
    )
    timed += "; print(time.perf_counter() - start)"
    commands: dict[float, list[str | Path]] = {
        MOST_IMPORT_S: [environment / "python", "-c", "import smartsbd"],
        MOST_VERSION_S: [environment / "sbd", "--version"],
    }
    for most_s, command in commands.items():
        least_s = min(float(run(sys.executable, "-c", timed, *command, cwd=hostile)) for _ in range(7))
        assert least_s < most_s, command
