"""An AutoML engine: from labelled windows to verdicts, in a process and an environment of its own.

This package is imported by the main environment and by each engine's own; it is written for Python 3.9 and needs
nothing but the standard library until a search starts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: How an evaluation may end. The two limits are `automl.evaluation_time_s` and `automl.memory_mb`.
FINISHED, TIMED_OUT, OUT_OF_MEMORY, FAILED = "finished", "timed out", "out of memory", "failed"


@dataclass(frozen=True)
class Limits:
    """What a search may use.

    Attributes
    ----------
    evaluations : int or None
        Settings to try; with None, `time_s` ends the search.
    time_s : int
        Wall-clock time after which a search ends with what it has.
    evaluation_time_s : int
        Of one setting.
    memory_mb : int
        Address space of each process.
    cores : int
    """

    evaluations: int | None
    time_s: int
    evaluation_time_s: int
    memory_mb: int
    cores: int


@dataclass(frozen=True)
class Lesson:
    """The rows to learn from, and how.

    Attributes
    ----------
    x : (rows, features) float64
    shared : (rows,) int64
        Label, 0 or 1.
    fold : (rows,) int64
        Fold of the row's connection, from 0: settings are compared on folds held out, all of them in turn or the first.
    limits : Limits
    seed : int
    scratch : Path
        Folder for what is of no use later.
    """

    x: Any
    shared: Any
    fold: Any
    limits: Limits
    seed: int
    scratch: Path


@dataclass(frozen=True)
class Evaluation:
    """One setting that was tried.

    Attributes
    ----------
    kind : str
        Of the estimator, in the engine's words.
    status : str
        How it ended.
    accuracy : float or None
        Mean over the folds; None if it did not finish.
    time_s : float
        Wall-clock time it took.
    setting : dict
    weight : float
        In the model that the search gives; 0 if it is no part of it.
    only_trees : bool
        It is a tree or a forest on the features as they are.
    """

    kind: str
    status: str
    accuracy: float | None
    time_s: float
    setting: dict[str, Any]
    weight: float
    only_trees: bool


@dataclass(frozen=True)
class Found:
    """The result of a search.

    Attributes
    ----------
    probability : callable
        From (rows, features) float64 to the (rows,) float64 probability of a shared bottleneck.
    evaluations : list of Evaluation
        In the order they were tried.
    model_bytes : int
        Of the fitted model, pickled.
    versions : dict
        Of the packages it is made with.
    """

    probability: Callable[[Any], Any]
    evaluations: list[Evaluation]
    model_bytes: int
    versions: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Engine:
    """An AutoML engine.

    Attributes
    ----------
    name : str
        Name in parameters and tables.
    search : callable
        The search itself; runs in the engine's own process. It imports what it needs.
    environment : str or None
        Folder of its environment in the main one's; None if it is the main one.
    python : str
        Version of Python its environment needs; empty if it is the main one.
    least_evaluations : int
        Fewer cannot be asked for.
    """

    name: str
    search: Callable[[Lesson], Found]
    environment: str | None = None
    python: str = ""
    least_evaluations: int = 1
