"""`sbd score --detector`: somebody else's detector on the kernel's connections, beside ours."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from smartsbd.contracts import tables
from smartsbd.contracts.contract import read_table, write_table
from smartsbd.detectors.foreign_detector import LIMITS
from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.judging.detector_opinions import foreign
from smartsbd.pipelines.judging.scorecard_rows import JUDGED, scorecard
from smartsbd.pipelines.labelling.labelled_connections import RUNS, of_datasets
from smartsbd.pipelines.params import read_params
from smartsbd.traces.log_writing import log_lines
from tests.night import few_now

ROOT = Path(__file__).parents[2]
KERNEL = ROOT / "data/samples/kernel"
EXAMPLES = ROOT / "docs/foreign-detectors"
#: Of each example, what compiles it, if anything does: `{}` is the program.
COMPILERS = {
    "ewma.py": None,
    "ewma.c": ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O2", "-o", "{}"],
    "ewma.rs": ["rustc", "-D", "warnings", "-O", "-o", "{}"],
}


@pytest.fixture(autouse=True)
def _in_fresh_clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project with the samples alone: tables of a run, which are judged in their place, may be in this one."""
    project = tmp_path / "project"
    (project / "data").mkdir(parents=True)
    (project / "data/samples").symlink_to(ROOT / "data/samples")
    for name in ("params.yaml", "dvc.yaml"):
        (project / name).symlink_to(ROOT / name)
    monkeypatch.chdir(project)


def ours_as_process(name: str) -> str:
    return shlex.join([sys.executable, "-m", "smartsbd.detectors.detector_process", name])


def script(path: Path, body: str) -> str:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return shlex.quote(str(path))


def command_of(example: str, folder: Path) -> list[str]:
    """The command that runs an example, compiled if it must be."""
    compiler = COMPILERS[example]
    if compiler is None:
        return [sys.executable, str(EXAMPLES / example)]
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"{compiler[0]} is not installed")
    program = folder / "program"
    subprocess.run([one.format(program) for one in compiler] + [str(EXAMPLES / example)], check=True)
    return [str(program)]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["score", "--detector", *arguments]) == 0
    return capsys.readouterr().out


def written(capsys: pytest.CaptureFixture[str], folder: Path, *arguments: str) -> dict[str, Any]:
    run(capsys, *arguments, "--json", str(folder / "card.json"))
    found: dict[str, Any] = json.loads((folder / "card.json").read_text())
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lag-excess", "rfc8382"])
def test_our_detector_as_a_process_has_our_detector_s_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    card = written(capsys, tmp_path, ours_as_process(name), "--dataset", "kernel")
    figures = {one.pop("detector"): one for one in card["figures"]}
    assert figures[JUDGED] == figures[name]
    pairs = [{**row, "detector": ""} for row in card["pairs"] if row["detector"] == JUDGED]
    assert pairs == [{**row, "detector": ""} for row in card["pairs"] if row["detector"] == name]
    # Twelve recorded, six swapped partners of those that share, and six ramps.
    assert len(pairs) == 24
    assert card["answers"] == {"asked": 24, "failed": {}, "refused": {}, "remarks": [], "ahead": 0, "cut": 8}
    assert (figures["lag-excess"]["right"], figures["lag-excess"]["none"]) == (1.0, 0)


@pytest.mark.slow
def test_of_the_harder_connections_too() -> None:
    params = read_params()
    gathered = of_datasets(["kernel_hard"], params)
    asked = foreign(ours_as_process("lag-excess"), LIMITS, trusted=False)
    card = scorecard("", asked, gathered.connections, 0, gathered.counts, params)
    figures = {one.pop("detector"): one for one in card.figures}
    assert figures[JUDGED] == figures["lag-excess"]
    assert (figures[JUDGED]["pairs"], figures[JUDGED]["wrong"], figures[JUDGED]["none"]) == (36, 0, 3)


@pytest.mark.slow
def test_examples_say_the_same(tmp_path: Path) -> None:
    connections = of_datasets(["kernel"], read_params()).connections
    said: dict[str, list[bytes]] = {}
    for example in COMPILERS:
        folder = tmp_path / example
        folder.mkdir()
        command = command_of(example, folder)
        said[example] = [
            subprocess.run(command, input=log_lines(one.token, *one.rows), stdout=subprocess.PIPE, check=True).stdout
            for one in connections
        ]
    assert all(b"V=SHARED" in lines for lines in said["ewma.py"])
    assert said["ewma.c"] == said["ewma.rs"] == said["ewma.py"]


@pytest.mark.parametrize("example", few_now(COMPILERS, now=["ewma.py"]))
def test_an_example_has_a_scorecard_and_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], example: str
) -> None:
    page, report = tmp_path / "page.html", tmp_path / "card.json"
    command = shlex.join(command_of(example, tmp_path))
    out = run(capsys, command, "--dataset", "kernel", "--html", str(page), "--json", str(report))
    card = json.loads(report.read_text())
    judged = card["figures"][0]
    assert (judged["detector"], judged["right"], judged["coverage"]) == (JUDGED, 1.0, 1.0)
    assert judged["false_sharing"]["ramps"]["shared"] > 0, "a plain correlation takes a rise for a queue"
    assert "It answered on 24 of 24 connections." in out
    text = page.read_text()
    assert "<script" not in text and "http" not in text
    for one in card["figures"]:
        assert one["detector"] in text
    for finding in card["findings"]:
        assert finding["sentence"] in out and finding["sentence"] in text


@pytest.mark.slow
def test_a_c_function_on_windows_runs_with_consent_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header = str(EXAMPLES / "alike.h")
    assert main(["score", "--detector", header, "--dataset", "kernel"]) == 3
    assert "--trust-header runs it all the same" in capsys.readouterr().err
    card = written(capsys, tmp_path, header, "--trust-header", "--dataset", "kernel")
    assert card["figures"][0]["right"] > 0.8
    assert card["answers"]["asked"] == 24 and not card["answers"]["failed"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("done", "failure"),
    [
        ("__builtin_trap();", "replay_broken failed (-4): "),
        ('for (;;) __asm__ volatile("");', "replay_broken did not end within 1 s, and was killed"),
    ],
    ids=["trap", "loop"],
)
def test_a_function_that_fails_is_counted_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], done: str, failure: str
) -> None:
    text = (EXAMPLES / "alike.h").read_text().replace("alike", "broken").replace("(void)model;", f"(void)model; {done}")
    header = tmp_path / "broken.h"
    header.write_text(text)
    folder = tmp_path / "logs"
    folder.mkdir()
    shutil.copy(KERNEL / "inputs/101.state.csv.zst", folder / "101")
    labels = tmp_path / "labels.csv"
    labels.write_text("input,shared\n101,true\n")
    given = [str(folder), "--labels", str(labels), "--seconds", "1"]
    card = written(capsys, tmp_path, str(header), "--trust-header", *given)
    assert card["answers"]["failed"] == {failure: 1}
    assert card["figures"][0]["coverage"] == 0


def test_a_detector_that_fails_is_counted_and_has_no_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It ends badly where the first RTT is above 100 ms, and else writes what is no verdict."""
    body = 'read -r line; read -r line; [ "${line##* }" -le 100000 ] || { echo too long >&2; exit 7; }; echo shared'
    card = written(capsys, tmp_path, script(tmp_path / "odd", body), "--dataset", "kernel")
    answers = card["answers"]
    assert 0 < answers["failed"]["ended with status 7"] < 24
    assert answers["failed"]["ended with status 7"] + answers["refused"]["not a verdict line"] >= 24
    assert answers["remarks"] == ["too long"]
    assert (card["figures"][0]["coverage"], card["figures"][0]["right"]) == (0, 0)


def test_a_detector_that_dates_verdicts_before_their_evidence_is_found_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says from the first event on what it knows of the number of all."""
    body = """awk 'NR == 1 { first = $2 } END { print "smartsbd: " first " " $3 " SF=0,1 V=SHARED " NR % 2 }'"""
    out = run(capsys, script(tmp_path / "seer", body), "--dataset", "kernel")
    assert "it dates verdicts before their evidence" in out


@pytest.mark.slow
def test_a_folder_with_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    rows = ["input,shared"]
    for number in (101, 102, 103):
        shutil.copy(KERNEL / f"inputs/{number}.state.csv.zst", folder)
        rows.append(f"{number}.state.csv.zst,{'true' if number % 2 else 'false'}")
    labels = tmp_path / "labels.csv"
    labels.write_text("\n".join(rows))
    card = written(capsys, tmp_path, ours_as_process("correlation"), str(folder), "--labels", str(labels))
    assert (card["connections"], card["swapped"]) == (3, 2)
    pairs = pd.DataFrame(card["pairs"])
    assert set(pairs["dataset"]) == {"mine"} and set(pairs["loss"]) == {"not known"}


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["no-such-program"], 2, "no-such-program: no such program"),
        (["cat", "logs"], 2, "DIR and --labels belong together"),
        (
            ["cat", "logs", "--labels", "x", "--dataset", "kernel"],
            2,
            "either DIR with --labels, or --dataset",
        ),
        (["cat", "--dataset", "kernel_locked"], 2, "kernel_locked is read by `sbd score --locked` alone"),
        (
            ["cat", "--dataset", "../samples/kernel"],
            2,
            "is unknown, known are ['idle_2_linux', 'idle_linux', 'kernel', ",
        ),
        (["cat", "--seconds", "0"], 2, "--seconds must be above 0"),
        (["cat", "--trust-header"], 2, "--trust-header is for a header, and cat is none"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    arguments: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", "--detector", *arguments]) == status
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_a_run_s_tables_hold_the_connections_of_their_inputs(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tables of two logs, with a validated truth, give the event lines that the logs themselves give."""
    params = read_params()
    wanted = {one.name: one for one in of_datasets(["kernel"], params).connections}
    inputs = [str(KERNEL / f"inputs/{number}.state.csv.zst") for number in (101, 102)]
    folder = tmp_path / run / "tables/mine"
    assert main(["parse", *inputs, "--out", str(folder)]) == 0
    names = read_table(tables.CONNECTION, folder / "connection.parquet").column("connection_id").to_pylist()
    truth = {column.name: [None] * len(names) for column in tables.TRUTH.columns} | {
        "connection_id": names,
        "subflow_a": [0] * len(names),
        "subflow_b": [1] * len(names),
        "from_ns": [0] * len(names),
        "shared": [True, False],
        "scenario": ["namespaces"] * len(names),
        "congestion_control": ["reno"] * len(names),
        "valid": [True] * len(names),
        "why": [""] * len(names),
    }
    (tmp_path / run / "truth").mkdir()
    write_table(tables.TRUTH, truth, tmp_path / run / "truth/mine.parquet")
    monkeypatch.chdir(tmp_path)
    found = of_datasets(["mine"], params).connections
    assert [one.pairs[0].shared for one in found] == [True, False]
    for one, number in zip(found, (101, 102), strict=True):
        assert log_lines(one.token, *one.rows) == log_lines(one.token, *wanted[f"kernel/{number}.state#0"].rows)
