"""What a stage took is written down, its processes too; a stage does several datasets, one by one or at once."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from smartsbd.pipelines.params import Params
from smartsbd.pipelines.running import journal, parallel, stage

ROOT = Path(__file__).parents[2]


@dataclass
class Made:
    """A stage that does what it is given."""

    work: Callable[[argparse.Namespace, Params], int]

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--dataset")
        parser.add_argument("--made", type=Path)

    def run(self, arguments: argparse.Namespace, params: Params) -> int:
        return self.work(arguments, params)


def burn(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def burns(arguments: argparse.Namespace, params: Params) -> int:
    """Leave a file with the process's number and how many it would start; fail for one of the datasets."""
    burn(0.2)
    arguments.made.parent.mkdir(exist_ok=True)
    arguments.made.write_text(f"{os.getpid()} {parallel.workers(params, 100)}")
    return stage.EXIT_FAILED if arguments.dataset == "diverse" else stage.EXIT_OK


def asked(tmp_path: Path, *more: str) -> list[str]:
    return ["--params", str(ROOT / "params.yaml"), "--made", str(tmp_path / "made" / "{dataset}.txt"), *more]


@pytest.mark.parametrize("at_once", [[], ["--at-once"]])
def test_every_dataset_is_done_though_one_fails(tmp_path: Path, at_once: list[str]) -> None:
    code = stage.main("burn", Made(burns), asked(tmp_path, "--each", "search.datasets", *at_once))
    assert code == stage.EXIT_FAILED
    said = {path.stem: path.read_text().split() for path in (tmp_path / "made").iterdir()}
    assert set(said) == {"sites", "diverse"}
    here = {name for name, (number, _) in said.items() if int(number) == os.getpid()}
    assert here == (set() if at_once else {"sites", "diverse"})
    if at_once:
        half = max(1, len(os.sched_getaffinity(0)) // 2)
        assert [int(workers) for _, workers in said.values()] == [half, half]


def test_a_process_that_is_killed_is_a_failure(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def die(arguments: argparse.Namespace, _params: Params) -> int:
        if arguments.dataset == "sites":
            os.kill(os.getpid(), 9)
        return stage.EXIT_OK

    each = ["--each", "search.datasets", "--at-once"]
    assert stage.main("die", Made(die), asked(tmp_path, *each)) == stage.EXIT_FAILED
    assert "sites: its process was killed by signal 9" in caplog.text


def test_an_error_in_a_process_of_its_own_is_shown(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def stumble(arguments: argparse.Namespace, _params: Params) -> int:
        raise ValueError(f"no {arguments.dataset}")

    each = ["--each", "search.datasets", "--at-once"]
    assert stage.main("stumble", Made(stumble), asked(tmp_path, *each)) == stage.EXIT_FAILED
    shown = capfd.readouterr().err
    assert "ValueError: no sites" in shown
    assert "ValueError: no diverse" in shown


def test_a_wrong_command_line_is_usage_in_a_process_of_its_own(tmp_path: Path) -> None:
    each = ["--each", "search.datasets", "--at-once", "--nonsense"]
    assert stage.main("burn", Made(burns), asked(tmp_path, *each)) == stage.EXIT_USAGE


def test_only_what_dvc_runs_is_written_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    each = ["--each", "search.datasets", "--at-once"]
    monkeypatch.delenv("DVC_STAGE", raising=False)
    stage.main("burn", Made(burns), asked(tmp_path, *each))
    assert journal.read() == []
    monkeypatch.setenv("DVC_STAGE", "burn")
    before_s, began_s = sum(os.times()[:4]), time.time()
    stage.main("burn", Made(burns), asked(tmp_path, *each))
    (entry,) = journal.read()
    assert (entry.stage, entry.exit_code) == ("burn", stage.EXIT_FAILED)
    # Both datasets' processes burnt 0.2 s each.
    assert entry.cpu_s >= before_s + 0.4
    # In milliseconds.
    assert began_s - 0.001 < entry.ended_s < time.time() + 0.001


def test_a_line_that_was_cut_off_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    line = '{"stage": "rank@sites", "ended_s": 5.0, "wall_s": 2.0, "cpu_s": 3.0, "exit_code": 0}'
    path.write_text(f"{line}\n{line[:30]}")
    assert journal.read(path) == [journal.Entry("rank@sites", 5.0, 2.0, 3.0, 0)]
