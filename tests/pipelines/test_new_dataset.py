"""`sbd new-dataset`: a folder of logs and labels becomes a dataset that the whole pipeline runs on."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from smartsbd.contracts.contract import read_table
from smartsbd.contracts.tables import TRUTH
from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.params import overlaid, read_params
from smartsbd.pipelines.running.unfinished_folder import unfinished
from tests.killed_moments import check_whole_or_none, command, ended_at_each

ROOT = Path(__file__).parents[2]
KERNEL = ROOT / "data/samples/kernel/inputs"
CONNECTIONS = 24
OVERLAY = {
    "profile": "mine",
    "simulated": [],
    "samples": ["kernel"],
    "datasets": ["mine", "kernel"],
    "validate": {"method": {"mine": "given"}},
    "rank": {"datasets": ["mine"], "repeats": 1, "permutations": 20, "half_samples": 20},
    "search": {
        "datasets": ["mine"],
        "rules": ["tiled", "triggered"],
        "feature_sets": ["paper", "invariant"],
        "top": [1],
        "neighbors": [1],
        "splits": 2,
        "test_share": 0.3,
    },
    "automl": {"datasets": ["mine"], "splits": 1, "families": ["tree"], "students": ["tree"], "teacher": "flaml"},
    "transfer": {"tested": []},
    "unseen": {"trained": "mine", "tested": "kernel"},
    "generalise": {"trained": [["mine"]], "tested": ["mine", "kernel"], "families": ["tree"]},
    "replay": {"detectors": ["correlation"], "models": ["tree_paper"]},
    "controls": {"families": ["tree"]},
    "evaluate": {"resamples": 100},
    "export": {"dataset": "mine", "models": ["tree_paper", "tree_invariant"], "generated_rows": 100},
    "tracking": {"enabled": False},
}


def log_of(shared: bool, seed: int) -> str:
    """A kernel log of 4 s of a connection with one queue, or two: base RTTs of 20 and 30 ms, Recovery every second."""
    rng = np.random.default_rng(seed)
    steps = rng.integers(-900, 901, size=(2, 400)).cumsum(axis=1)
    queues_us = 4_000 + np.abs(steps)
    queues_us[1] = queues_us[0] if shared else queues_us[1]
    lines = []
    acked = [2**32 - 300_000, 5]
    for tick in range(400):
        for subflow, base_us in ((0, 20_000), (1, 30_000)):
            time_ns = tick * 10_000_000 + 1_000 * subflow
            acked[subflow] = (acked[subflow] + 1_400) % 2**32
            events = [("UNA", acked[subflow]), ("RTT", base_us + int(queues_us[subflow, tick]))]
            if tick % 100 == 0:
                events.append(("CA", 0))
            if tick % 100 == 50:
                events.append(("CA", 3))
            prefix = f"<6>[{time_ns / 1e9:12.6f}] smartsbd: {time_ns} C={seed + 1:x} SF={subflow}"
            lines += [f"{prefix} V={kind} {value}" for kind, value in events]
        if tick % 50 == 7:
            lines.append(f"<4>[{tick / 100:12.6f}] usb 1-1: new device")
    return "\n".join(lines) + "\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(ROOT / "dvc.yaml", tmp_path)
    (tmp_path / "overlay.yaml").write_text(yaml.safe_dump({k: v for k, v in OVERLAY.items() if k != "validate"}))
    whole = yaml.safe_load(overlaid(ROOT / "params.yaml", tmp_path / "overlay.yaml"))
    whole["validate"]["method"]["mine"] = "given"
    whole["search"]["families"] = {"tree": {"max_depth": [2]}}
    whole["automl"]["evaluations"] = {"flaml": 4}
    whole["replay"]["grids"] = {"correlation": {"threshold": [0.5]}}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(whole))
    (tmp_path / "logs").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "data/samples").symlink_to(ROOT / "data/samples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def labels(project: Path, text: str) -> str:
    (project / "labels.csv").write_text(text)
    return "labels.csv"


def new_dataset(project: Path, text: str, *more: str) -> int:
    return main(["new-dataset", "logs", "--labels", labels(project, text), "--name", "mine", *more])


@pytest.mark.slow
def test_the_whole_pipeline_runs_on_it(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["input,shared"]
    for number in range(CONNECTIONS):
        shared = number % 2 == 0
        (project / f"logs/{number:02}.kern").write_text(log_of(shared, number))
        rows.append(f"{number:02}.kern,{'SB' if shared else 'NSB'}")
    assert new_dataset(project, "\n".join(rows)) == 0
    shown = capsys.readouterr()
    # 3.5 s after the first congestion, in windows of 50 * 34 ms or less: two each.
    assert "24 inputs; connections shared 12, not shared 12; windows shared 24, not shared 24" in shown.out
    assert "validate.method: add `mine: given`" in shown.out
    assert "WARNING" not in shown.err
    assert main(["collect", "-q"]) == 0
    for name, dataset in itertools.product(("parse", "validate", "extract", "difficulty"), ("mine", "kernel")):
        assert main(["stage", name, "-q", "--dataset", dataset]) == 0, name
    for name in ("rank", "swap", "search", "controls", "transfer", "unseen", "generalise"):
        assert main(["stage", name, "-q"]) == 0, name
    for name in ("evaluate", "tune", "replay", "baselines", "export", "prove", "automl", "report"):
        each = [["--dataset", dataset] for dataset in ("mine", "kernel")] if name in {"replay", "prove"} else [[]]
        for arguments in each:
            assert main(["stage", name, "-q", *arguments]) == 0, name
    parsed = json.loads((project / "reports/parse/mine.json").read_text())
    assert parsed["other_lines"] == CONNECTIONS * 8
    # 800 ACKs and RTTs and 16 changes of state a connection.
    assert parsed["records_in"] == parsed["records_out"] == CONNECTIONS * (1_600 + 16)
    chosen = json.loads((project / "reports/chosen/mine.json").read_text())
    assert chosen["tree_invariant"]["nested_accuracy"] > 0.9
    named = json.loads((project / "reports/detector.json").read_text())
    assert named["model"].startswith("mine/") and named["chosen_on"] is None
    assert (project / "export/generated/sbd_tree_invariant.h").exists()
    automl = pd.read_csv(project / "data/automl/mine/accuracy.csv")
    assert set(automl["learnt_from"]) == {"the truth", "flaml"}
    (project / "unseen.kern").write_text(log_of(True, 99))
    capsys.readouterr()
    assert main(["detect", "--json", "--model", "mine/tree_invariant", "unseen.kern"]) == 0
    assert [json.loads(line)["shared"] for line in capsys.readouterr().out.splitlines()] == [True, True]


def test_everything_that_is_missing_is_said_at_once(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    two = log_of(True, 1) + log_of(True, 2)
    (project / "logs/two.kern").write_text(two)
    third = [line.replace("SF=1", "SF=2") for line in log_of(True, 3).splitlines() if "SF=1" in line]
    (project / "logs/three.kern").write_text(log_of(True, 3) + "\n".join(third))
    (project / "logs/noise").write_bytes(b"\x00")
    (project / "logs/below").mkdir()
    for name, seed in (("a.txt", 7), ("copy.log", 7), ("two.log", 8)):
        (project / "logs" / name).write_text(log_of(True, seed))
    (project / "logs/worn").write_text(log_of(True, 4).replace("V=RTT", "V=TTR"))
    text = "\n".join(
        [
            "input,shared,token,subflow_a,subflow_b",
            "none.kern,true,,,",
            "two.kern,true,,,",
            "two.kern,true,77,,",
            "two.kern,perhaps,2,,",
            "two.kern,true,2,0,5",
            "../labels.csv,true,,,",
            "three.kern,true,,,",
            "",
            "three.kern,true,4,0,²",
            "three.kern,true,4,0,2",
            "three.kern,false,4,0,2",
        ]
    )
    assert new_dataset(project, text) == 3
    shown = capsys.readouterr().err
    assert not (project / "data/raw/mine").exists()
    for wanted in (
        "line 2, 'none.kern': there is no such input",
        "line 3, 'two.kern': it holds 2 connections: the label must name a token",
        "line 4, 'two.kern': there is no connection with token 77",
        "line 5, 'two.kern': shared is 'perhaps', must be true or false",
        "line 6, 'two.kern': subflow_a and subflow_b are ['0', '5'], must be two of [0, 1], the lower first",
        "line 7, '../labels.csv': there is no such input",
        "line 8, 'three.kern': the connection has 3 subflows: the label must name subflow_a and subflow_b",
        "line 10, 'three.kern': subflow_a and subflow_b are ['0', '²'], must be two of [0, 1, 2]",
        "line 12, 'three.kern': line 11 is about the same pair from the same moment on",
        "copy.log: is the same file as a.txt",
        "two.log: has the name of two.kern but for its suffixes",
        "noise: cannot be read: no parser knows this content",
        "worn: 800 of 1616 records refused",
    ):
        assert wanted in shown, wanted
    assert "13 problems" in shown
    assert "below: is no file: left out" in shown


def test_what_it_can_do_without_is_remarked(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in (101, 112):
        shutil.copy(KERNEL / f"{number}.state.csv.zst", project / "logs")
    (project / "logs/plain.log").write_text(log_of(True, 5).replace("V=CA", "V=LOSS").replace("V=LOSS 0", "V=LOSS 1"))
    (project / "logs/extra.log").write_text(log_of(True, 6))
    rows = ["input,shared,from_s,site", "101.state.csv.zst,true,1795231450.5,lab", "112.state.csv.zst,true,,"]
    assert new_dataset(project, "\n".join([*rows, "plain.log,true,,"])) == 0
    shown = capsys.readouterr()
    for wanted in (
        "101.state.csv.zst: is an input of kernel, which is for evaluation alone: do not train on it",
        "112.state.csv.zst: is an input of kernel",
        "112.state.csv.zst: no window: the trace ends before the window does",
        "plain.log: subflow 0 has no change of congestion state",
        "plain.log: no window: no change of congestion state of a subflow is known",
        "extra.log: has no label: nothing is learnt from it",
        "no window is labelled not shared",
        "only 3 connections are labelled shared",
    ):
        assert wanted in shown.err, wanted
    assert "plain.log: is an input" not in shown.err
    # The first of 101's two windows starts before 1795231450.5.
    assert "windows shared 1, not shared 0" in shown.out
    truth = pd.read_csv(project / "data/raw/mine/truth.csv", dtype=str)
    assert truth["from_ns"].tolist() == ["1795231450500000000", "0", "0"]
    assert truth["site"].tolist()[0] == "lab"
    assert sorted(path.name for path in (project / "data/raw/mine/inputs").iterdir()) == [
        "101.state.csv.zst",
        "112.state.csv.zst",
        "extra.log",
        "plain.log",
    ]
    assert main(["stage", "parse", "-q", "--dataset", "mine"]) == 0
    assert main(["validate", "-q", "--dataset", "mine"]) == 0
    rows = read_table(TRUTH, project / "data/truth/mine.parquet").to_pylist()
    assert {row["why"] for row in rows} == {"believed as given"}


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (["--name", "../up"], "input,shared\n", "is no name for a dataset"),
        (["--name", "mine", "--raw", "logs"], "input\n", "missing columns ['shared'], unknown columns []"),
        ([], "input,shared,colour\n", "unknown columns ['colour']"),
        ([], 'input,shared\n"', "cannot be read as CSV"),
        ([], "input,shared\na.log,1,\n", "line 2: 3 cells under 2 columns"),
        ([], "input,input,shared\n", "given ['input', 'input', 'shared']"),
        (["--name", "transfer"], "input,shared\n", "is a dataset of the pipeline's own"),
        ([], "input,shared\n", "holds no label"),
        (["--name", "kernel_locked"], "input,shared\n", "is a dataset of the pipeline's own"),
    ],
)
def test_a_name_or_labels_that_cannot_be_used(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], text: str, message: str
) -> None:
    (project / "logs/a.log").write_text(log_of(True, 1))
    assert new_dataset(project, text, *arguments) in (2, 3)
    shown = capsys.readouterr().err
    assert message in shown
    assert shown.count("\n") == 1


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1795231450500,", "from_s is '1795231450500', must be seconds"),
        ("-5,", "from_s is '-5', must be seconds"),
        ("9999999999,", "from_s is '9999999999', must be seconds"),
        (",-7", "column utilisation_a is below 0"),
    ],
)
def test_values_that_a_later_stage_would_refuse(
    project: Path, capsys: pytest.CaptureFixture[str], row: str, message: str
) -> None:
    (project / "logs/a.log").write_text(log_of(True, 1))
    assert new_dataset(project, f"input,shared,from_s,utilisation_a\na.log,1,{row}\n") == 3
    assert message in capsys.readouterr().err
    assert not (project / "data/raw/mine").exists()


def test_tokens_pairs_and_labels_in_the_folder(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two connections in one log, of which the second has three subflows; one connection with two labelled pairs."""
    third = [line.replace("SF=1", "SF=2") for line in log_of(False, 3).splitlines() if "SF=1" in line]
    (project / "logs/a.log").write_text(log_of(True, 1) + log_of(False, 3) + "\n".join(third))
    text = "input,shared,token,subflow_a,subflow_b\na.log,1,2,,\na.log,0,4,0,1\na.log,0,4,0,2\n"
    (project / "logs/labels.csv").write_text(text)
    assert main(["new-dataset", "logs", "--labels", "logs/labels.csv", "--name", "mine"]) == 0
    shown = capsys.readouterr()
    assert "1 inputs; connections shared 1, not shared 1; windows shared 2, not shared 4" in shown.out
    assert "labels.csv" not in shown.err
    assert [path.name for path in (project / "data/raw/mine/inputs").iterdir()] == ["a.log"]
    for name in ("parse", "validate", "extract"):
        assert main(["stage", name, "-q", "--dataset", "mine"]) == 0
    truth = read_table(TRUTH, project / "data/truth/mine.parquet").to_pylist()
    assert [(row["connection_id"], row["subflow_a"], row["subflow_b"], row["shared"]) for row in truth] == [
        ("mine/a#0", 0, 1, True),
        ("mine/a#1", 0, 1, False),
        ("mine/a#1", 0, 2, False),
    ]


def test_a_dataset_is_not_written_over(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "logs/a.log").write_text(log_of(True, 1))
    assert new_dataset(project, "input,shared\na.log,1\n") == 0
    capsys.readouterr()
    assert new_dataset(project, "input,shared\na.log,0\n") == 2
    assert "is there already" in capsys.readouterr().err
    assert "true" in (project / "data/raw/mine/truth.csv").read_text()


def test_labels_may_have_nanoseconds_as_a_truth_has_them(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "logs/a.log").write_text(log_of(True, 1))
    for cell in ("-7", "1.5", "x", "9" * 19):
        assert new_dataset(project, f"input,shared,from_ns\na.log,1,{cell}\n") == 3
        assert f"from_ns is '{cell}', must be nanoseconds" in capsys.readouterr().err
    assert new_dataset(project, "input,shared,from_s,from_ns\na.log,1,0,0\n") == 3
    assert "from_s and from_ns say the same" in capsys.readouterr().err
    assert new_dataset(project, "input,shared,from_ns\na.log,1,1795231450500000001\n") == 0
    assert pd.read_csv(project / "data/raw/mine/truth.csv", dtype=str)["from_ns"].tolist() == ["1795231450500000001"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_ended_at_any_moment_it_leaves_a_whole_dataset_or_none(project: Path, number: signal.Signals) -> None:
    for name, seed in (("a.log", 1), ("b.log", 2)):
        (project / "logs" / name).write_text(log_of(True, seed))
    labels(project, "input,shared\na.log,1\nb.log,0\n")
    words = ("logs", "--labels", "labels.csv", "--name", "mine", "--raw", project / "raw")
    work = command("smartsbd.pipelines.commands.new_dataset", *words, params=project / "params.yaml")
    # Some of the moments: every one of `unfinished` by itself has a test.
    left = ended_at_each(work, project / "raw", number, step=5)
    check_whole_or_none(left, number)
    whole = left[-1].paths
    assert [path for path in whole if path.startswith("mine/inputs/")] == ["mine/inputs/a.log", "mine/inputs/b.log"]
    assert str(whole["mine/truth.csv"]).count("\n") == 3


TWO = """
import multiprocessing, os, sys
from pathlib import Path
from smartsbd.pipelines.__main__ import main
import smartsbd.pipelines.commands.new_dataset as command

read, both = command.read_labels, multiprocessing.get_context("fork").Barrier(2)

def read_by_both(path):
    # Neither goes on before the other has seen that there is no such dataset.
    both.wait()
    return read(path)

command.read_labels = read_by_both

def begun(name):
    child = os.fork()
    if child:
        return child
    os.dup2(os.open(f"said-{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    os._exit(main(["new-dataset", "logs", "--labels", f"{name}.csv", "--name", "mine", "--quiet"]))

children = [begun(name) for name in sys.argv[1:]]
print(*(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))
"""


def test_of_two_at_once_one_makes_the_dataset(project: Path) -> None:
    (project / "logs/a.log").write_text(log_of(True, 1))
    words = {"yes": "true", "no": "false"}
    for name, word in words.items():
        (project / f"{name}.csv").write_text(f"input,shared\na.log,{word}\n")
    done = subprocess.run(
        [sys.executable, "-c", TWO, *words],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    codes = dict(zip(words, map(int, done.stdout.splitlines()[-1].split()), strict=True))
    assert sorted(codes.values()) == [0, 2]
    ((winner, _), (loser, _)) = sorted(codes.items(), key=lambda one: one[1])
    assert f",{words[winner]}," in (project / "data/raw/mine/truth.csv").read_text()
    (line,) = (project / f"said-{loser}").read_text().splitlines()
    assert "another run is writing it" in line or "is there already" in line
    assert (project / f"said-{winner}").read_text() == ""
    assert [path.name for path in (project / "data/raw").iterdir()] == ["mine"]


def test_what_another_run_is_writing_is_left_to_it(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "logs/a.log").write_text(log_of(True, 1))
    with unfinished(project / "data/raw/mine") as part:
        (part / "truth.csv").write_text("its own")
        assert new_dataset(project, "input,shared\na.log,1\n", "-q") == 2
        assert capsys.readouterr().err == "ERROR new-dataset: data/raw/mine: another run is writing it\n"
    assert [path.name for path in (project / "data/raw/mine").iterdir()] == ["truth.csv"]


def test_what_a_killed_run_left_is_no_dataset_and_goes(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "logs/a.log").write_text(log_of(True, 1))
    left = project / "data/raw/.mine.part/mine/inputs"
    left.mkdir(parents=True)
    (left / "old.log").write_text(log_of(True, 2))
    assert main(["stage", "parse", "-q", "--dataset", "mine"]) == 3
    capsys.readouterr()
    assert new_dataset(project, "input,shared\na.log,1\n") == 0
    assert "what a run that was killed left in .mine.part is removed" in capsys.readouterr().err
    assert [path.name for path in (project / "data/raw").iterdir()] == ["mine"]
    assert [path.name for path in (project / "data/raw/mine/inputs").iterdir()] == ["a.log"]


def test_dvc_does_not_see_what_is_not_whole(tmp_path: Path) -> None:
    """`data/raw` as a whole is what a stage depends on."""
    # Slow to import.
    from dvc.repo import Repo

    shutil.copy(ROOT / ".dvcignore", tmp_path)
    (tmp_path / "data/raw/mine").mkdir(parents=True)
    (tmp_path / "data/raw/.mine.part").mkdir()
    with Repo.init(str(tmp_path), no_scm=True) as repo:
        (_, folders, _) = next(repo.dvcignore.walk(repo.fs, str(tmp_path / "data/raw")))
    assert folders == ["mine"]


def test_a_dataset_without_an_input_that_has_a_label_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, seed in (("a.log", 1), ("b.log", 2), ("c.log", 3)):
        (project / "logs" / name).write_text(log_of(True, seed))
    assert new_dataset(project, "input,shared\na.log,1\nb.log,0\nc.log,0\n") == 0
    for name in ("b.log", "c.log"):
        (project / "data/raw/mine/inputs" / name).unlink()
    capsys.readouterr()
    assert main(["stage", "parse", "-q", "--dataset", "mine"]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert "2 of 3 inputs that it names are not in data/raw/mine/inputs, 'b.log' the first" in line
    assert not (project / "data/tables/mine").exists()


@pytest.mark.parametrize(
    ("use", "keys"),
    [
        ("--evaluate", ["datasets", "evaluation_only", "transfer.tested"]),
        ("--train", ["datasets", "search.datasets", "automl.datasets", "rank.datasets"]),
    ],
)
def test_params_are_changed_and_keep_comments_and_order(
    project: Path, capsys: pytest.CaptureFixture[str], use: str, keys: list[str]
) -> None:
    shutil.copy(ROOT / "params.yaml", project)
    before = (project / "params.yaml").read_text()
    (project / "logs/a.log").write_text(log_of(True, 1))
    assert new_dataset(project, "input,shared\na.log,1\n", use) == 0
    after = (project / "params.yaml").read_text()
    read = read_params(project / "params.yaml")
    assert all(read.value(key)[-1] == "mine" for key in keys)
    assert read.validate_.method["mine"] == "given"
    assert (read.export.dataset == "mine") is (use == "--train")
    gone = [line for line in before.splitlines() if line not in after.splitlines()]
    assert len(gone) <= len(keys) + 1 and not any("#" in line for line in gone)
    assert "datasets" in capsys.readouterr().out


def test_params_that_would_not_do_are_refused_before_a_dataset_is_made(project: Path) -> None:
    text = (ROOT / "params.yaml").read_text().replace("evaluation_only: [", "evaluation_only: [mine, ")
    (project / "params.yaml").write_text(text)
    (project / "logs/a.log").write_text(log_of(True, 1))
    assert new_dataset(project, "input,shared\na.log,1\n", "--train") == 2
    assert new_dataset(project, "input,shared\na.log,1\n", "--train", "--raw", "elsewhere") == 2
    assert (project / "params.yaml").read_text() == text
    assert not (project / "data/raw").exists() and not (project / "elsewhere").exists()
