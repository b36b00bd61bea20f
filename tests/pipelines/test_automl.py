"""Searches by AutoML engines as a stage: the trials of the search, an engine that cannot run, a stage that is ended."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
import yaml

from smartsbd.contracts.contract import read_table
from smartsbd.contracts.tables import PREDICTION, WINDOW_KEY
from smartsbd.models.automl import engine_of
from smartsbd.models.automl.environment import remedy
from smartsbd.models.automl.ground import JudgedRows, judged
from smartsbd.models.automl.search import Asked, EngineSearched
from smartsbd.models.labelled.trial import Trial
from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.params import read_params
from smartsbd.pipelines.params.block import ParamsError
from smartsbd.pipelines.reporting.report_files import read_json
from smartsbd.pipelines.running.automl_environments import searched_otherwise
from tests.pipelines.small_project import EVALUATIONS, ROOT
from tests.processes import PATIENCE_S, waited_for

SPLITS = 2
FILES = {"accuracy.csv", "history.csv", "leaderboard.csv", "members.csv", "predictions.parquet"}


def accuracy(project: Path) -> pd.DataFrame:
    return pd.read_csv(project / "data/automl/sites/accuracy.csv")


def searches_of(folder: Path) -> list[str]:
    """Return the command lines of processes that search in a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(folder) in line and "smartsbd.models.automl." in line:
            found.append(line)
    return found


def left(folder: Path) -> list[object]:
    """Return processes and files of searches; where one program takes another's place, its command line is empty."""
    return [*searches_of(folder), *folder.iterdir()]


@pytest.fixture
def project(searched: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copy = tmp_path / "project"
    shutil.copytree(searched, copy, symlinks=True)
    monkeypatch.chdir(copy)
    return copy


def change(project: Path, **values: object) -> None:
    path = project / "params.yaml"
    params = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump(params | {"automl": params["automl"] | values}))


def test_an_engine_that_cannot_run_has_a_row_that_says_so_and_the_others_go_on(searched: Path) -> None:
    table = accuracy(searched)
    (row,) = table[table["model"] == "auto-sklearn"].to_dict("records")
    assert row["note"] == f"not run ({SPLITS} of {SPLITS} searches): {remedy(engine_of('auto-sklearn'))}"
    assert pd.isna(row["balanced"]) and pd.isna(row["cpu_s"]) and pd.isna(row["test_set"])
    ran = table[(table["model"] == "flaml") & (table["test_set"] == "sites/tiled") & (table["site"] == "all")]
    assert ran["overall"].item() > 0.8
    assert ran["evaluations"].item() == EVALUATIONS
    assert ran["note"].isna().all()
    record = read_json(searched / "data/searched/sites.json")
    assert record["finished"] == {"auto-sklearn invariant": 0, "flaml invariant": SPLITS}
    assert record["engines"]["auto-sklearn"] is None


def test_what_was_searched_in_another_environment_is_found(searched: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    params = read_params(searched / "params.yaml")
    monkeypatch.setattr(sys, "prefix", "none")
    assert searched_otherwise(searched, params) == []
    stamp = searched / "prefix/auto-sklearn/.installed"
    stamp.parent.mkdir(parents=True)
    stamp.write_text("3.9, 0123\n")
    monkeypatch.setattr(sys, "prefix", str(searched / "prefix"))
    assert searched_otherwise(searched, params) == [searched / "data/searched/sites.json"]


def test_the_tree_of_the_truth_is_that_of_the_search_on_the_same_splits(searched: Path) -> None:
    def rows(path: Path, model: str) -> pd.DataFrame:
        every = read_table(PREDICTION, searched / path).to_pandas()
        own = every[(every["model"] == model) & (every["feature_set"] == "invariant") & (every["fold"] < SPLITS)]
        own = own[(own["train_set"] == "sites/tiled") & own["test_set"].isin(["sites/tiled", "sites/triggered"])]
        order = [*WINDOW_KEY, "test_set", "fold"]
        ordered: pd.DataFrame = own.sort_values(order, ignore_index=True).drop(columns="model")
        return ordered

    mine = rows(Path("data/automl/sites/predictions.parquet"), "tree of the truth")
    assert len(mine) > 0
    pd.testing.assert_frame_equal(mine, rows(Path("data/predictions/sites.parquet"), "tree"))
    engines = rows(Path("data/automl/sites/predictions.parquet"), "flaml of the truth")
    verdicts = ["score", "shared_pred"]
    pd.testing.assert_frame_equal(engines.drop(columns=verdicts), mine.drop(columns=verdicts))


def test_history_leaderboard_and_members_are_of_every_search(searched: Path) -> None:
    folder = searched / "data/automl/sites"
    assert {path.name for path in folder.iterdir()} == FILES
    history, leaderboard, members = (
        pd.read_csv(folder / f"{name}.csv") for name in ("history", "leaderboard", "members")
    )
    of_search = ["engine", "feature_set", "fold"]
    assert history.groupby(of_search).size().to_dict() == {
        ("flaml", "invariant", fold): EVALUATIONS for fold in range(SPLITS)
    }
    assert (history.groupby(of_search)["number"].apply(list).map(lambda own: own == list(range(EVALUATIONS)))).all()
    assert members.groupby(of_search)["weight"].sum().tolist() == [1.0] * SPLITS
    for _, own in leaderboard.groupby(of_search):
        assert own["accuracy"].is_monotonic_decreasing
        assert len(own) == EVALUATIONS
    assert all(isinstance(json.loads(setting), dict) for setting in history["setting"])


@pytest.mark.slow
def test_an_engine_set_up_since_is_searched_with_and_nothing_stays_of_the_run_before(project: Path) -> None:
    change(project, evaluations={"auto-sklearn": 26, "flaml": 2}, feature_sets=["paper"], splits=1)
    assert main(["automl", "--dataset", "sites", "--environments", "none"]) == 0
    table = accuracy(project)
    assert set(table["feature_set"]) == {"paper"}
    assert set(table.loc[table["model"] == "flaml", "evaluations"]) == {2}
    assert read_json(project / "data/searched/sites.json")["asked"]["splits"] == 1


@pytest.mark.slow
def test_a_search_that_is_killed_for_its_time_gives_a_row_that_says_so(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smartsbd.models.automl.search._STARTING_S", 0)
    monkeypatch.setattr("smartsbd.models.automl.search._PATIENCE", 0)
    assert main(["automl", "--dataset", "sites", "--environments", "none"]) == 0
    table = accuracy(project)
    (row,) = table[table["model"] == "flaml"].to_dict("records")
    assert row["note"].startswith(f"not run ({SPLITS} of {SPLITS} searches): killed")
    assert pd.isna(row["balanced"])
    assert set(table.loc[table["test_set"].notna(), "learnt_from"]) == {"the truth"}
    assert read_json(project / "data/searched/sites.json")["finished"]["flaml invariant"] == 0


@pytest.mark.slow
def test_a_teacher_of_one_label_teaches_nobody_and_the_rows_say_so(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def always_shared(trial: Trial, probability: npt.NDArray[np.float64]) -> JudgedRows:
        return judged(trial, np.ones_like(probability))

    monkeypatch.setattr("smartsbd.models.automl.student.judged", always_shared)
    assert main(["automl", "--dataset", "sites", "--environments", "none"]) == 0
    table = accuracy(project)
    rows = table[table["learnt_from"].str.startswith("flaml")]
    assert len(rows) == 2
    assert rows["balanced"].isna().all()
    assert set(rows["note"]) == {f"not run ({SPLITS} of {SPLITS} splits): the teacher gave nothing, or one label alone"}


@pytest.mark.slow
def test_a_run_that_was_broken_off_goes_on_where_it_was(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage, folder = ["automl", "--dataset", "sites", "--environments", "none"], project / "data/automl/sites"
    with monkeypatch.context() as patch:
        patch.setattr("smartsbd.models.automl.student.teachings", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            main(stage)
    kept = folder.with_name("sites.kept")
    assert len(list(kept.iterdir())) == SPLITS

    def asked_for_nothing(every: Sequence[Asked], *_: object) -> Iterator[tuple[int, EngineSearched]]:
        assert not every
        yield from ()

    monkeypatch.setattr("smartsbd.models.automl.outcome.searches", asked_for_nothing)
    assert main(stage) == 0
    assert {path.name for path in folder.iterdir()} == FILES
    assert not kept.exists()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_stage_that_is_ended_leaves_no_process_no_file_and_no_result(
    project: Path, tmp_path: Path, number: signal.Signals
) -> None:
    change(project, evaluations={"flaml": 1_000_000})
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    # Where the tests run in the background of a shell, SIGINT is ignored, and so it would be here.
    command = ["env", "--default-signal=INT", sys.executable, "-m", "pipelines", "automl", "--dataset", "sites"]
    environment = os.environ | {"TMPDIR": str(scratch), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, start_new_session=True) as stage:
        try:
            assert waited_for(lambda: searches_of(scratch))
            time.sleep(3)  # until it searches
            stage.send_signal(number)
            stage.communicate(timeout=PATIENCE_S)
        finally:
            stage.kill()
    assert stage.returncode == {signal.SIGTERM: 128 + signal.SIGTERM}.get(number, -number)
    assert waited_for(lambda: not left(scratch)), left(scratch)
    assert not (project / "data/automl/sites").exists()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"students": ["oak"]}, "automl: .* families and students have"),
        ({"families": ["logistic"]}, "automl: .* families has no tree"),
        ({"evaluations": {"oracle": 3}}, "automl: .* evaluations has 'oracle', known are"),
        ({"evaluations": {"auto-sklearn": 25}}, "automl: .* evaluations of auto-sklearn is 25, must be 26 or more"),
    ],
)
def test_what_cannot_be_searched_is_refused(project: Path, values: dict[str, object], message: str) -> None:
    change(project, **values)
    with pytest.raises(ParamsError, match=message):
        read_params(project / "params.yaml")
