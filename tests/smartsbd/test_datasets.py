"""The benchmark's tasks as scikit-learn takes them, compared with the digests of their files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from smartsbd import datasets
from smartsbd.contracts.fault import InputFault
from tests.smartsbd.recorded import ROOT


@pytest.mark.parametrize("name", datasets.names())
def test_no_connection_is_on_both_sides_and_the_figure_is_the_leaderboards(name: str) -> None:
    task = datasets.load(name, size="XS")
    for side in (task.train, task.test):
        assert len(side.X) == len(side.y) == len(side.groups) > 0
        assert side.y.dtype == bool and set(side.X.dtypes.map(str)) == {"int32"}
        assert side.X.notna().all().all()
    assert not set(task.train.groups) & set(task.test.groups)
    assert list(task.train.X) == list(task.test.X)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(task.train.X, task.train.y)
    board = pd.read_csv(ROOT / "reports/leaderboard.csv").set_index(["task", "size", "detector"])
    assert task.score(model.predict(task.test.X)) == pytest.approx(
        board.loc[(name, "XS", "logistic"), "right"], abs=1e-6
    )
    for train, test in GroupKFold(4).split(*task.train):
        assert not set(task.train.groups.iloc[train]) & set(task.train.groups.iloc[test])


def test_the_last_verdict_of_a_label_counts_and_none_is_wrong() -> None:
    task = datasets.load("kernel-1")
    assert repr(task).startswith("<BenchmarkDataset kernel-1, size XS: 192 rows of 48 connections")
    right = task.test.y.to_numpy().astype(object)
    assert task.score(right) == 1.0
    last = np.append(task.test.groups.to_numpy()[1:] != task.test.groups.to_numpy()[:-1], True)
    assert task.score(np.where(last, right, ~task.test.y.to_numpy())) == 1.0
    assert task.score(np.where(last, np.array(None), right)) == 0.0
    with pytest.raises(ValueError, match="1 verdicts on 111 rows"):
        task.score([True])


def test_what_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="task 'kernel' is unknown, known are sites-1"):
        datasets.load("kernel")
    with pytest.raises(ValueError, match="size 'xs' is unknown"):
        datasets.load("kernel-1", size="xs")  # type: ignore[arg-type]
    monkeypatch.setattr(datasets, "_CHECKOUT", tmp_path)
    with pytest.raises(ValueError, match=r"kernel-1, size S: the dataset diverse is not there; .* profile default"):
        datasets.load("kernel-1", size="S")
    monkeypatch.setattr(datasets, "_TASKS", (tmp_path,))
    with pytest.raises(ValueError, match="neither a checkout nor the installed package"):
        datasets.load("kernel-1")


def test_a_folder_is_compared_with_the_projects_file(tmp_path: Path) -> None:
    folder = tmp_path / "given"
    shutil.copytree(ROOT / "data/benchmark/kernel-1", folder)
    assert datasets.load("kernel-1", folder=folder).is_compared
    with pytest.raises(ValueError, match="holds kernel-1 at size XS"):
        datasets.load("wide-1", folder=folder)
    task = json.loads((folder / "task.json").read_text())
    task["connections"]["XS"]["train"] = task["connections"]["XS"]["train"][1:]
    (folder / "task.json").write_text(json.dumps(task))
    with pytest.raises(InputFault):
        datasets.load("kernel-1", folder=folder)


def test_a_changed_table_is_refused_and_signals_need_not_be_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "data/benchmark/kernel-1", tmp_path / "kernel-1")
    (tmp_path / "kernel-1/signals.parquet").unlink()
    monkeypatch.setattr(datasets, "_TASKS", (tmp_path,))
    assert datasets.load("kernel-1").name == "kernel-1"
    shutil.copy(ROOT / "data/benchmark/wild-1/train.parquet", tmp_path / "kernel-1/train.parquet")
    with pytest.raises(InputFault, match=r"train\.parquet was changed"):
        datasets.load("kernel-1")
