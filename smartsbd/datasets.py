"""The benchmark's tasks as scikit-learn takes them: features, labels and groups, to learn from and to judge.

Nothing is downloaded. Of every task the size XS comes with the package; larger sizes are of a run of the pipeline, or
of a folder that ``sbd benchmark folder`` made. Tables are compared with the digests that the task's file has.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from smartsbd.contracts.fault import UsageFault, printable

if TYPE_CHECKING:
    import os

    import numpy.typing as npt

    from smartsbd.pipelines.benchmark.task import BenchmarkTask
    from smartsbd.pipelines.benchmark.task_file import TaskFile
    from smartsbd.pipelines.benchmark.task_tables import TaskTables

__all__ = ["BenchmarkDataset", "DatasetError", "LabelledFeatures", "load", "names"]

Size = Literal["XS", "S", "M", "L"]
_CHECKOUT = Path(__file__).resolve().parents[1]
#: In a checkout, and in an installed package.
_TASKS = (_CHECKOUT / "data/benchmark", Path(__file__).resolve().parent / "benchmark")
_NS_PER_S = 1e9


class DatasetError(UsageFault, ValueError):
    """A dataset that is not there; the message says where it would come from."""


class LabelledFeatures(NamedTuple):
    """A side of a task, as ``fit(X, y)`` and ``split(X, y, groups)`` take it; a row is a moment of a pair of subflows.

    Attributes
    ----------
    X : DataFrame
        Features, integers; 0 stands for what is not known. docs/features.md says what they are.
    y : Series of bool
        Whether the pair shares a bottleneck.
    groups : Series of str
        Name of the connection that the pair is of: rows of one connection belong on one side of a split.
    """

    X: pd.DataFrame
    y: pd.Series[bool]
    groups: pd.Series[str]


@dataclass(frozen=True, repr=False)
class BenchmarkDataset:
    """A task of the benchmark at a size.

    Attributes
    ----------
    name, size, question : str
    train, test : LabelledFeatures
        To learn from, and to judge. No connection is on both sides.
    labels : DataFrame
        What is judged: ``label``, ``connection``, ``subflow_a``, ``subflow_b``, ``from_s``, ``until_s`` and ``shared``.
        A label holds for a time, in which several rows of `test` lie.
    is_compared : bool
        Whether the tables were compared with digests that the task's file has of them; so they are at size XS.

    Examples
    --------
    >>> load("kernel-1")
    <BenchmarkDataset kernel-1, size XS: 192 rows of 48 connections to learn from, 111 rows of 8 labels to judge>
    """

    name: str
    size: str
    question: str
    train: LabelledFeatures
    test: LabelledFeatures
    labels: pd.DataFrame
    is_compared: bool
    _label_of_row: npt.NDArray[np.int64]

    def __repr__(self) -> str:
        learnt = f"{len(self.train.X)} rows of {self.train.groups.nunique()} connections to learn from"
        judged = f"{len(self.test.X)} rows of {len(self.labels)} labels to judge"
        return f"<{type(self).__name__} {self.name}, size {self.size}: {learnt}, {judged}>"

    def score(self, shared_pred: npt.ArrayLike) -> float:
        """Return the leaderboard's figure: the share of all labels whose last verdict is right.

        Parameters
        ----------
        shared_pred : (rows of `test`,) array of bool
            What is said at each moment; None is no verdict. A label without a verdict counts as wrong.

        Returns
        -------
        float in [0, 1]

        Raises
        ------
        DatasetError
            If there is not one for each row.

        Examples
        --------
        >>> import numpy as np
        >>> task = load("kernel-1", size="XS")
        >>> task.score(np.ones(len(task.test.X), dtype=bool))
        0.5
        """
        said = pd.Series(pd.array(np.asarray(shared_pred, dtype=object), dtype="boolean"))
        if len(said) != len(self._label_of_row):
            raise DatasetError(f"{len(said)} verdicts on {len(self._label_of_row)} rows")
        last = said.groupby(self._label_of_row).tail(1)
        by_label = dict(zip(self._label_of_row[last.index], last.tolist(), strict=True))
        right = [
            by_label.get(label) is not None and by_label[label] is not pd.NA and bool(by_label[label]) == shared
            for label, shared in zip(self.labels["label"], self.labels["shared"], strict=True)
        ]
        return float(np.mean(right))


def names() -> tuple[str, ...]:
    """Return the names of the tasks, as :func:`load` takes them.

    Examples
    --------
    >>> names()[:4]
    ('sites-1', 'wide-1', 'wild-1', 'kernel-1')
    """
    from smartsbd.pipelines.benchmark.task import TASKS

    return tuple(TASKS)


def load(name: str, *, size: Size = "XS", folder: str | os.PathLike[str] | None = None) -> BenchmarkDataset:
    """Return a task of the benchmark at a size.

    Parameters
    ----------
    name : str
        One of :func:`names`; docs/benchmark.md says what each asks.
    size : {"XS", "S", "M", "L"}
        XS comes with the package. The others are made of the data of a run in the checkout: S of the default profile,
        M and L of the profile ``full``.
    folder : path, optional
        A folder that ``sbd benchmark folder`` made, in place of a run's data.

    Returns
    -------
    BenchmarkDataset

    Raises
    ------
    DatasetError
        If there is no such task, or its data are not there.
    TaskFileError, TaskFolderError, TaskChangedError
        If tables are not those of their digests. They are errors of input.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GroupKFold, cross_val_score
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> task = load("kernel-1", size="XS")
    >>> model = make_pipeline(StandardScaler(), LogisticRegression())
    >>> X, y, groups = task.train
    >>> scores = cross_val_score(model, X, y, groups=groups, cv=GroupKFold(4))
    >>> bool(scores.mean() > 0.8)
    True
    >>> task.score(model.fit(X, y).predict(task.test.X))
    1.0
    """
    from smartsbd.pipelines.benchmark import task_file
    from smartsbd.pipelines.benchmark.task import SIZES, SMALLEST, TASKS

    if name not in TASKS:
        raise DatasetError(f"task {printable(name)!r} is unknown, known are {', '.join(TASKS)}")
    if size not in SIZES:
        raise DatasetError(f"size {printable(str(size))!r} is unknown, known are {', '.join(SIZES)}")
    task = TASKS[name]
    home = next((place / name for place in _TASKS if (place / name / task_file.TASK_FILE).is_file()), None)
    if home is None:
        raise DatasetError(f"{name}: neither a checkout nor the installed package has {task_file.TASK_FILE}")
    known = task_file.read(home)
    if folder is not None:
        made, is_compared = _of_folder(Path(folder), task, known, size)
    elif size == SMALLEST:
        made, is_compared = _of_home(home), True
    else:
        made, is_compared = _of_run(task, known, size)
    if not is_compared:
        warnings.warn(f"{name}, size {size}: the task's file has no digests of these tables", stacklevel=2)
    return _dataset(task, size, made, is_compared=is_compared)


def _of_home(home: Path) -> TaskTables:
    """Return the tables that come with the package; they need no signals."""
    from smartsbd.pipelines.benchmark.task_folder import TaskFolder

    source = TaskFolder(home)
    source.check(without_signals=True)
    return source.tables()


def _of_folder(folder: Path, task: BenchmarkTask, known: TaskFile, size: str) -> tuple[TaskTables, bool]:
    from smartsbd.pipelines.judging.task_run import TaskRun

    given = TaskRun.of_folder(folder)
    if given.task != task or given.size != size:
        raise DatasetError(f"{printable(str(folder))} holds {given.task.name} at size {given.size}")
    compared = given.compared(known)
    return compared.tables, compared.ours


def _of_run(task: BenchmarkTask, known: TaskFile, size: str) -> tuple[TaskTables, bool]:
    """Return the tables of the data of a run in the checkout."""
    from smartsbd.models.last_verdict.dataset_tables import DatasetTables
    from smartsbd.pipelines.benchmark.run_connections import RunConnections, TaskNotRunError
    from smartsbd.pipelines.benchmark.task import PROFILES
    from smartsbd.pipelines.judging.task_run import TaskRun

    data = _CHECKOUT / "data"
    try:
        run = RunConnections.of(task, DatasetTables(data / "tables", data / "truth", data / "features", data / "tiles"))
        compared = TaskRun.of_run(known, size, run).compared(known)
    except TaskNotRunError as error:
        raise DatasetError(
            f"{task.name}, size {size}: {error}; it is of a run of the profile {PROFILES[size]} (sbd repro"
            f" {PROFILES[size]}), or of a folder that `sbd benchmark folder` made"
        ) from error
    return compared.tables, compared.ours


def _dataset(task: BenchmarkTask, size: str, made: TaskTables, *, is_compared: bool) -> BenchmarkDataset:
    from smartsbd.pipelines.benchmark.task_tables import FEATURES

    features = list(FEATURES)
    by_label = made.labels.set_index("label")
    label_of_row = made.test["label"].to_numpy()
    train = LabelledFeatures(made.train[features], made.train["shared"], made.train["connection"].rename("groups"))
    labels = made.labels.drop(columns=["row", "from_ns", "until_ns"], errors="ignore")
    for place, column in ((4, "from"), (5, "until")):
        labels.insert(place, f"{column}_s", made.labels[f"{column}_ns"] / _NS_PER_S)
    test = LabelledFeatures(
        made.test[features],
        _of_rows(by_label["shared"], label_of_row, "shared"),
        _of_rows(by_label["connection"], label_of_row, "groups"),
    )
    return BenchmarkDataset(task.name, size, task.question, train, test, labels, is_compared, label_of_row)


def _of_rows(by_label: pd.Series[Any], label_of_row: npt.NDArray[np.int64], name: str) -> pd.Series[Any]:
    return by_label.reindex(label_of_row).reset_index(drop=True).rename(name)
