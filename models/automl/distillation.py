"""Distillation: trees and forests, which a kernel can carry, taught by a model that it cannot.

The teacher's labels replace the truth, so windows without a known truth can be learnt from as well.

References
----------
Bucila, Caruana, Niculescu-Mizil, Model compression, KDD 2006.
"""

from __future__ import annotations

import dataclasses
import pickle
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.models.automl.ground import Ground, JudgedRows, rows_tested
from smartsbd.models.families import Family
from smartsbd.models.families.fitted import Fitted, Setting
from smartsbd.models.labelled.trial import Trial
from smartsbd.models.labelled.windows import LabelledWindows, windows_labelled_by
from smartsbd.models.search import fitting
from smartsbd.models.search.generalisation import pooled

#: Whose labels are learnt, where they are the truth.
TRUTH = "the truth"


@dataclass(frozen=True)
class TaughtLesson:
    """What a student learns on one split.

    Attributes
    ----------
    learnt_from : str
        Whose labels they are, and of which windows.
    parts : tuple of LabelledWindows
        No connection is in two of them.
    """

    learnt_from: str
    parts: tuple[LabelledWindows, ...]

    @property
    def teaches(self) -> bool:
        """Whether it holds both labels; a teacher may give only one."""
        return len(np.unique(np.concatenate([part.shared for part in self.parts]))) > 1


@dataclass(frozen=True)
class Taught:
    """A student's verdicts on the test sets, and its time and size.

    Attributes
    ----------
    predictions : DataFrame
        Rows of the ``prediction`` table.
    cpu_s : float
        Of ranking, choice and fit.
    model_bytes : int
        Of the estimator, pickled.
    leaves : int or None
        Of its trees together; None if it has none.
    """

    predictions: pd.DataFrame
    cpu_s: float
    model_bytes: int
    leaves: int | None


def without_truth(pair_window: pd.DataFrame, rule: str) -> pd.DataFrame:
    """Return the windows of one rule whose connection has no truth at all.

    Parameters
    ----------
    pair_window : DataFrame of the ``pair_window`` table
    rule : str

    Returns
    -------
    DataFrame of the ``pair_window`` table
        Rows as they are.

    Examples
    --------
    >>> rows = {"rule": ["tiled"] * 3, "connection_id": ["a", "a", "b"], "shared": [True, None, None]}
    >>> without_truth(pd.DataFrame(rows), "tiled")["connection_id"].tolist()
    ['b']
    """
    known = pair_window.loc[pair_window["shared"].notna(), "connection_id"]
    return pair_window[(pair_window["rule"] == rule) & ~pair_window["connection_id"].isin(known)]


def further_windows(trained: pd.DataFrame, others: Sequence[pd.DataFrame], rule: str) -> pd.DataFrame:
    """Return the windows of one rule for which a teacher's labels are learnt: no truth of them is used.

    Parameters
    ----------
    trained : DataFrame of the ``pair_window`` table
        Of the dataset learnt from: its windows without truth.
    others : sequence of DataFrame
        Of other datasets: all windows.
    rule : str

    Returns
    -------
    DataFrame of the ``pair_window`` table
        Rows of the dataset learnt from, then those of the others.
    """
    return pd.concat(
        [without_truth(trained, rule), *(frame[frame["rule"] == rule] for frame in others)], ignore_index=True
    )


def _relabelled(
    windows: LabelledWindows, rows: npt.NDArray[np.int64], shared: npt.NDArray[np.bool_]
) -> LabelledWindows:
    return LabelledWindows(
        key=windows.key.iloc[rows].reset_index(drop=True),
        x=windows.x[rows],
        feature_names=windows.feature_names,
        shared=shared,
        site=windows.site[rows],
        kind=windows.kind[rows],
    )


def lesson_of_truth(ground: Ground, trial: Trial) -> TaughtLesson:
    """Return the training windows of a split with their truth: what a grid search learns from."""
    return TaughtLesson(TRUTH, (_relabelled(ground.windows, trial.train, ground.windows.shared[trial.train]),))


def lessons_of(teacher: str, verdicts: JudgedRows, ground: Ground, trial: Trial) -> list[TaughtLesson]:
    """Return the training windows of a split with a teacher's labels: alone, and with the further ones, if any.

    Parameters
    ----------
    teacher : str
        Name of the teacher.
    verdicts : JudgedRows
        Of the teacher, which has learnt from this split's training windows.
    ground : Ground
    trial : Trial

    Returns
    -------
    list of TaughtLesson
        One or two.
    """
    relabelled = _relabelled(ground.windows, trial.train, verdicts.train)
    alone = TaughtLesson(teacher, (relabelled,))
    if ground.more.empty:
        return [alone]
    more = windows_labelled_by(ground.more, verdicts.more, ground.windows.feature_names)
    return [alone, TaughtLesson(f"{teacher}, {len(ground.more)} more windows", (relabelled, more))]


def student(lesson: TaughtLesson, family: Family, grid: Sequence[Setting], method: fitting.Method) -> Fitted:
    """Choose and fit a student as a search does on the training side of a split.

    Ranking of the features, choice and fit know the lesson's labels alone: what is chosen is what agrees best with them
    on connections held out.

    Parameters
    ----------
    lesson : TaughtLesson
    family : Family
    grid : sequence of Setting
        Settings to choose from.
    method : Method
        Swapped partners are not learnt from, whether or not the method says so.

    Returns
    -------
    Fitted
        On all windows of the lesson.
    """
    windows = pooled({str(place): part for place, part in enumerate(lesson.parts)})
    alone = dataclasses.replace(method, learn_partners=False)
    side = fitting.training_side(windows, np.arange(len(windows.shared)), alone)
    return fitting.chosen(windows, family, grid, side, alone)


def _leaves(estimator: Any) -> int | None:
    trees = getattr(estimator, "estimators_", [estimator])
    return sum(int(tree.get_n_leaves()) for tree in trees) if hasattr(trees[0], "get_n_leaves") else None


def taught(
    ground: Ground,
    trial: Trial,
    lesson: TaughtLesson,
    family: Family,
    grid: Sequence[Setting],
    method: fitting.Method,
) -> Taught:
    """Teach a student on a split, and let it judge the test sets.

    Parameters
    ----------
    ground : Ground
        Has the windows of the test sets.
    trial : Trial
        The split; its test sets are judged.
    lesson : TaughtLesson
        What replaces its training side.
    family, grid, method
        As :func:`student` takes them.

    Returns
    -------
    Taught
        Its predictions are of all test sets of the split.
    """
    started_s = time.process_time()
    fitted = student(lesson, family, grid, method)
    cpu_s = time.process_time() - started_s
    verdicts: Mapping[str, Any] = {
        name: fitting.predict(ground.windows, fitted, rows) for name, rows in rows_tested(trial).items()
    }
    return Taught(
        predictions=ground.predictions(trial, verdicts, family.name),
        cpu_s=cpu_s,
        model_bytes=len(pickle.dumps(fitted.estimator)),
        leaves=_leaves(fitted.estimator),
    )
