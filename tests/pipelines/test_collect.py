"""The stage collect: a dataset in git is copied whole or not at all."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from smartsbd.pipelines.running import stage
from smartsbd.pipelines.stages import collect
from tests.killed_moments import ROOT, check_whole_or_none, command, ended_at_each


@pytest.fixture
def samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "samples"
    (folder / "inputs").mkdir(parents=True)
    for name in ("inputs/a", "inputs/b", "truth.csv"):
        (folder / name).write_text(name)
    return folder


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_ended_at_any_moment_it_leaves_a_whole_dataset_or_none(
    tmp_path: Path, samples: Path, number: signal.Signals
) -> None:
    words = ("--dataset", "made", "--samples", samples, "--raw", tmp_path / "raw/made")
    left = ended_at_each(command("smartsbd.pipelines.stages.collect", *words), tmp_path / "raw", number)
    check_whole_or_none(left, number)
    names = {str(path.relative_to(samples)) for path in samples.rglob("*")}
    assert left[-1].paths.keys() == {"made", *(f"made/{name}" for name in names)}


def test_a_dataset_that_is_there_is_not_written_over(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del samples
    Path("raw/made").mkdir(parents=True)
    arguments = ["--dataset", "made", "--samples", "samples", "--raw", "raw/made"]
    assert stage.main("collect", collect, ["--params", str(ROOT / "params.yaml"), *arguments]) == stage.EXIT_USAGE
    assert capsys.readouterr().err == "ERROR collect: raw/made is there already\n"
    assert list(Path("raw/made").iterdir()) == []
