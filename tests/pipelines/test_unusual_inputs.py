"""Pipes, sockets, devices and folders as inputs: every command refuses each in a line, and waits for none."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from smartsbd.pipelines.running.stage import EXIT_BAD_INPUT, EXIT_FAILED
from tests.contracts.test_regular_file import OTHERS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
LOG = ROOT / "data/samples/kernel/inputs/101.state.csv.zst"
#: Much longer than any of these commands takes, and much shorter than for ever.
_PATIENCE_S = 60
#: Their sizes are the same, so that they would be compared by content.
UNUSUAL = [*OTHERS, "dangling", "round", "linked"]


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one log, and one of everything that is no regular file."""
    monkeypatch.chdir(tmp_path)
    folder = Path("raw/inputs")
    folder.mkdir(parents=True)
    for name, make in OTHERS.items():
        make(folder / name)
    (folder / "dangling").symlink_to("nothing")
    (folder / "round").symlink_to("round")
    (folder / "linked").symlink_to("fifo")
    shutil.copy(LOG, folder)
    return folder


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=_PATIENCE_S,
    )


def check_refused(shown: subprocess.CompletedProcess[str], names: list[str]) -> None:
    """Check that each is named in one line, and that nothing else is said of it."""
    assert "Traceback" not in shown.stderr
    for name in names:
        (line,) = [line for line in shown.stderr.splitlines() if f"/{name}: " in line]
        assert "is no regular file" in line or name in ("dangling", "round"), line


@pytest.mark.parametrize("command", ["inspect", "detect"])
def test_inspect_and_detect(inputs: Path, command: str) -> None:
    shown = run("pipelines", command, *sorted(inputs.iterdir()))
    assert shown.returncode == EXIT_BAD_INPUT
    check_refused(shown, UNUSUAL)
    assert "101.state" in shown.stdout


def test_parse_into_a_folder(inputs: Path) -> None:
    there = sorted(path for path in inputs.iterdir() if path.exists())
    shown = run("pipelines", "parse", *there, "--out", "tables")
    assert shown.returncode == EXIT_BAD_INPUT, shown.stderr
    check_refused(shown, [path.name for path in there if path.name != LOG.name])
    assert f"{len(there) - 1} of {len(there)} inputs cannot be read" in shown.stderr
    assert json.loads(Path("tables/report.json").read_text())["inputs_unreadable"] == len(there) - 1


def test_the_stage_parse(inputs: Path) -> None:
    places = ("--raw", "raw", "--tables", "tables", "--report", "report.json", "--params", ROOT / "params.yaml")
    shown = run("smartsbd.pipelines.stages", "parse", "--dataset", "made", *places)
    assert shown.returncode == EXIT_FAILED
    check_refused(shown, UNUSUAL)
    count = len(UNUSUAL)
    assert f"{count} of {count + 1} inputs cannot be read, more than parse.max_unreadable" in shown.stderr
    report = json.loads(Path("report.json").read_text())
    assert report["inputs_unreadable"] == report["quarantined_by_reason"]["unreadable input"] == count
    captures = pd.read_parquet("tables/capture.parquet").set_index("name")
    assert set(captures.index) == {*UNUSUAL, LOG.name}
    assert captures["capture_id"].is_unique
    assert set(captures.loc[UNUSUAL, "size_bytes"]) == {0}
    assert set(captures.loc[UNUSUAL, "source"]) == {"unknown"}
    assert captures.loc[LOG.name, "size_bytes"] == LOG.stat().st_size


@pytest.fixture
def project(inputs: Path) -> Path:
    """The same folder, in one that counts as a project."""
    for name in ("dvc.yaml", "params.yaml"):
        shutil.copy(ROOT / name, name)
    Path("labels.csv").write_text(f"input,shared\n{LOG.name},true\n")
    return inputs


@pytest.mark.parametrize("command", [("new-dataset", "--name", "mine"), ("score",)])
def test_labelled_inputs(project: Path, command: tuple[str, ...]) -> None:
    shown = run("pipelines", *command, project, "--labels", "labels.csv")
    assert shown.returncode == EXIT_BAD_INPUT, shown.stderr
    assert "Traceback" not in shown.stderr
    refused = [name for name in UNUSUAL if name != "folder"]
    assert f"{len(refused)} problems:" in shown.stderr
    for name in refused:
        assert f": {name}: cannot be read: is no regular file\n" in shown.stderr
    # As ever: it holds other files.
    assert shown.stderr.count("folder: is no file: left out") == 1
    assert not Path("data").exists() or not list(Path("data").rglob("*.csv"))


@pytest.mark.parametrize("kind", [name for name in UNUSUAL if name != "dangling"])
@pytest.mark.parametrize("command", ["new-dataset", "score"])
def test_labels(project: Path, command: str, kind: str) -> None:
    shown = run(
        "pipelines", command, project, "--labels", project / kind, *["--name", "mine"][: 2 * (command != "score")]
    )
    assert shown.returncode == EXIT_BAD_INPUT, shown.stderr
    (line,) = shown.stderr.splitlines()
    assert f"{kind}: is no regular file" in line or kind == "round"


def test_parameters_that_are_a_pipe(project: Path) -> None:
    os.mkfifo("values.yaml")
    shown = run("pipelines", "score", project, "--labels", "labels.csv", "--params", "values.yaml")
    assert (shown.returncode, shown.stderr) == (2, "ERROR score: values.yaml: is no regular file\n")


def test_truth_that_is_a_pipe(project: Path) -> None:
    """Of the stages that read truth.csv, the one that reads it first."""
    os.mkfifo("raw/truth.csv")
    shown = run("pipelines", "score", "--locked", "--samples", "raw", "--reports", "reports")
    assert shown.returncode == EXIT_BAD_INPUT, shown.stderr
    (line,) = shown.stderr.splitlines()
    assert "raw/truth.csv: is no regular file" in line


@pytest.mark.parametrize("kind", ["fifo", "device"])
def test_a_dataset_in_git_with_one(project: Path, kind: str) -> None:
    samples = Path("samples")
    (samples / "inputs").mkdir(parents=True)
    (samples / "truth.csv").write_text("")
    shutil.move(project / kind, samples / "inputs/one")
    shown = run("smartsbd.pipelines.stages", "collect", "--dataset", "made", "--samples", samples, "--raw", "copied")
    assert shown.returncode == EXIT_BAD_INPUT, shown.stderr
    (line,) = shown.stderr.splitlines()
    assert "samples/inputs/one: is no regular file" in line
