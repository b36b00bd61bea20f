"""A wheel for each Python here answers as the checkout does, in a folder whose files have the names of our folders."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.pythons import python_of

ROOT = Path(__file__).parents[1]
UV = Path(sys.prefix) / "bin/uv"
#: Each where it is here.
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
KERNEL = ROOT / "data/samples/kernel/inputs/101.state.csv.zst"
CAPTURES = [ROOT / f"data/samples/kernel_captures/inputs/102.sf{number}.pcap.zst" for number in (0, 1)]
#: Names of our folders, which a user's own files may have.
HOSTILE = ("contracts", "detectors", "export", "features", "models", "native", "pipelines", "traces")
MOST_SDIST_BYTES = 5_000_000
MOST_IMPORT_S, MOST_VERSION_S = 0.15, 0.2

pytestmark = pytest.mark.slow


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> bytes:
    """Return what a program prints; it knows of this checkout only what it is given."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env={**others, **environment}, capture_output=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr).decode(errors="replace")
    return done.stdout


@pytest.fixture(scope="module", params=VERSIONS)
def python(request: pytest.FixtureRequest) -> str:
    version: str = request.param
    found = sys.executable if version == "{}.{}".format(*sys.version_info) else python_of(version)
    if found is None:
        pytest.skip(f"there is no Python {version} here")
    return found


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution."""
    folder = tmp_path_factory.mktemp("source")
    run(
        UV,
        "build",
        "--sdist",
        "--python",
        sys.executable,
        "--no-build-isolation",
        "--offline",
        "--out-dir",
        folder,
        ROOT,
    )
    (source,) = folder.glob("*.tar.gz")
    return source


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs that repair a wheel."""
    folder = tmp_path_factory.mktemp("tools") / "venv"
    run(UV, "venv", "--python", sys.executable, folder)
    locked: list[str | Path] = ["--only-binary", ":all:", "--require-hashes", "-r", ROOT / "requirements/wheels.txt"]
    run(UV, "pip", "install", "--python", folder / "bin/python", *locked)
    return folder / "bin"


@pytest.fixture(scope="module")
def wheel(python: str, source: Path, tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel for one Python, built of the source distribution and repaired."""
    folder = tmp_path_factory.mktemp("wheel")
    constraints: list[str | Path] = ["--build-constraints", ROOT / "requirements/native.txt", "--require-hashes"]
    run(UV, "build", "--wheel", "--python", python, *constraints, "--out-dir", folder / "built", source)
    (built,) = folder.glob("built/*.whl")
    search = f"{tools}{os.pathsep}{os.environ['PATH']}"
    run(tools / "auditwheel", "repair", "--wheel-dir", folder / "repaired", built, PATH=search)
    (repaired,) = folder.glob("repaired/*.whl")
    return repaired


@pytest.fixture(scope="module")
def environment(wheel: Path, python: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and what it names, and nothing else."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    run(UV, "venv", "--python", python, folder)
    run(UV, "pip", "install", "--python", folder / "bin/python", "-c", ROOT / "requirements/main.txt", wheel)
    return folder / "bin"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    for name in HOSTILE:
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a file of the user')\n")
    (tmp_path / "wifi.csv").write_text("\n".join(["time_s,rtt_ms", *(f"{i / 50},{30 + i % 7}" for i in range(3000))]))
    (tmp_path / "lte.csv").write_text("\n".join(["time_s,rtt_ms", *(f"{i / 50},{50 + i % 5}" for i in range(3000))]))
    return tmp_path


def test_the_package_is_all_that_it_puts_there(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"smartsbd"}
    assert len(names) == len(set(names))
    compiled = [name for name in names if name.endswith(".so")]
    assert len(compiled) == 5 and all(name.startswith("smartsbd/native/") for name in compiled)


def test_it_says_on_which_systems_it_runs(wheel: Path) -> None:
    """As auditwheel finds it in what is compiled: `linux` alone is what no index takes."""
    assert "manylinux" in wheel.stem


def test_the_source_is_small(source: Path) -> None:
    assert source.stat().st_size < MOST_SDIST_BYTES


@pytest.mark.parametrize(
    "arguments",
    [
        ["detect", KERNEL],
        ["detect", "--json", *CAPTURES],
        ["detect", "--together", "wifi.csv", "lte.csv"],
        ["detect", "--model", "wavelet", KERNEL],
        ["inspect", KERNEL],
        ["why", "--together", "wifi.csv", "lte.csv"],
        ["benchmark", "list"],
    ],
    ids=["log", "captures", "tables", "baseline", "inspect", "why", "benchmark"],
)
def test_it_says_what_the_checkout_says(arguments: list[str | Path], environment: Path, hostile: Path) -> None:
    answer = run(environment / "sbd", *arguments, cwd=hostile)
    checkout = [sys.executable, "-m", "smartsbd.pipelines"]
    assert answer == run(*checkout, *arguments, cwd=hostile, PYTHONPATH=str(ROOT))
    assert answer.strip()


def test_python_imports_it_there(environment: Path, hostile: Path) -> None:
    code = "import smartsbd, smartsbd.features.series, smartsbd.traces.formats"
    code += "; print(smartsbd.judge.__module__, *smartsbd.__path__)"
    module, *folders = run(environment / "python", "-c", code, cwd=hostile).decode().split()
    assert module == "smartsbd.judging"
    assert [Path(folder).is_relative_to(environment.parent) for folder in folders] == [True]


def test_the_tasks_of_the_benchmark_are_there(environment: Path, hostile: Path) -> None:
    listed = run(environment / "sbd", "benchmark", "list", cwd=hostile)
    assert b"XS 48+8" in listed and b"not named" not in listed
    code = "from smartsbd import datasets; print(*(len(datasets.load(name).train.X) > 0 for name in datasets.names()))"
    assert run(environment / "python", "-c", code, cwd=hostile).split() == [b"True"] * 8


@pytest.mark.parametrize("command", ["score", "benchmark", "doctor"])
def test_what_answers_needs_no_extra(command: str, environment: Path, hostile: Path) -> None:
    assert b"exit codes: 0 done" in run(environment / "sbd", command, "--help", cwd=hostile)


def test_it_is_there_at_once(environment: Path, hostile: Path) -> None:
    """The least processor time of several: others work on the machine too."""
    timed = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=-3)"
    timed += "; print(sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]))"
    commands: dict[float, list[str | Path]] = {
        MOST_IMPORT_S: [environment / "python", "-c", "import smartsbd"],
        MOST_VERSION_S: [environment / "sbd", "--version"],
    }
    for most_s, command in commands.items():
        least_s = min(float(run(sys.executable, "-c", timed, *command, cwd=hostile)) for _ in range(7))
        assert least_s < most_s, command
