"""The searches of all engines: which there are, and their outcomes by engine, set of features and split."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from smartsbd.models.automl.engine import Engine, Limits
from smartsbd.models.automl.environment import installed, python_of, remedy
from smartsbd.models.automl.ground import Ground
from smartsbd.models.automl.kept import Kept, digest_of
from smartsbd.models.automl.process import ended_on_request
from smartsbd.models.automl.search import Asked, EngineSearched, NotRun, searches
from smartsbd.models.search.fitting import Method

#: By engine and set of features, then by split.
Outcomes = dict[tuple[str, str], dict[int, EngineSearched | NotRun]]

_SEARCH = ["engine", "feature_set", "fold"]


@dataclass(frozen=True)
class PlannedSearch:
    """One search, not yet started.

    Attributes
    ----------
    engine : str
        Name of the engine.
    feature_set : str
    fold : int
        The split.
    asked : Asked
    digest : str
        Of all that decides what it finds.
    """

    engine: str
    feature_set: str
    fold: int
    asked: Asked
    digest: str

    @property
    def key(self) -> tuple[str, str]:
        """Its place among :data:`Outcomes`."""
        return self.engine, self.feature_set


def planned(
    engine: Engine, grounds: Sequence[Ground], environments: Path, limits: Limits, method: Method, seed: int
) -> Iterator[PlannedSearch]:
    """Yield the searches of an engine: on each set of features one for each split.

    Parameters
    ----------
    engine : Engine
        Its environment is set up.
    grounds : sequence of Ground
    environments : Path
        Folder with the engines' environments.
    limits : Limits
    method : Method
        Has the folds over which settings are compared.
    seed : int

    Yields
    ------
    PlannedSearch
        By set of features, then by split.
    """
    for ground in grounds:
        for trial in ground.trials:
            asked = Asked(
                engine=engine,
                python=python_of(engine, environments),
                feature_names=ground.windows.feature_names,
                x=ground.windows.x[trial.train],
                shared=ground.windows.shared[trial.train],
                fold=ground.folds(trial, method),
                judged=ground.judged_x(trial),
                limits=limits,
                seed=seed,
            )
            digest = digest_of(asked, installed(engine, environments) or "")
            yield PlannedSearch(engine.name, ground.feature_set, trial.fold, asked, digest)


def ended(
    waiting: Sequence[PlannedSearch], kept: Kept, at_once: int, scratch: Path
) -> Generator[tuple[PlannedSearch, EngineSearched | NotRun], None, None]:
    """Do searches, and keep those that finish; yield each and its outcome, as they end.

    However the caller ends, by SIGTERM too, no search is left.

    Parameters
    ----------
    waiting : sequence of PlannedSearch
    kept : Kept
    at_once, scratch
        As :func:`~smartsbd.models.automl.search.searches` takes them.

    Yields
    ------
    (PlannedSearch, EngineSearched or NotRun)
        One for each search, the first to end first.
    """
    asked = [search.asked for search in waiting]
    with ended_on_request(), contextlib.closing(searches(asked, at_once, scratch)) as outcomes:
        for place, outcome in outcomes:
            if isinstance(outcome, EngineSearched):
                kept.keep(waiting[place].digest, outcome)
            yield waiting[place], outcome


def without_environment(engine: Engine, grounds: Sequence[Ground]) -> Outcomes:
    """Return the outcomes of an engine that cannot run here: of every split, why."""
    not_run = NotRun(remedy(engine))
    return {(engine.name, ground.feature_set): {trial.fold: not_run for trial in ground.trials} for ground in grounds}


def finished(outcomes: Outcomes) -> dict[str, int]:
    """Return how many searches have finished, by engine and set of features.

    Returns
    -------
    dict of str to int
        By ``engine feature_set``.

    Examples
    --------
    >>> finished({("flaml", "paper"): {0: NotRun("killed")}})
    {'flaml paper': 0}
    """
    return {
        f"{engine} {feature_set}": sum(isinstance(outcome, EngineSearched) for outcome in by_fold.values())
        for (engine, feature_set), by_fold in outcomes.items()
    }


def history(outcomes: Outcomes) -> pd.DataFrame:
    """Return every evaluation of every search that finished, one row for each, settings as JSON."""
    labels = [*_SEARCH, "number"]
    parts = [
        outcome.evaluations.assign(
            engine=engine, feature_set=feature_set, fold=fold, number=range(len(outcome.evaluations))
        )
        for (engine, feature_set), by_fold in outcomes.items()
        for fold, outcome in sorted(by_fold.items())
        if isinstance(outcome, EngineSearched)
    ]
    if not parts:
        return pd.DataFrame(columns=[*labels, "accuracy", "weight"])
    rows = pd.concat(parts, ignore_index=True)
    rows["setting"] = [json.dumps(setting, sort_keys=True) for setting in rows["setting"]]
    return rows[[*labels, *(name for name in rows.columns if name not in labels)]]


def leaderboard(evaluations: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a :func:`history` that finished, for each search the most accurate first.

    Returns
    -------
    DataFrame
        Rows of :func:`history` in that order.

    Examples
    --------
    >>> rows = {"engine": "flaml", "feature_set": "paper", "fold": 0, "number": [0, 1, 2], "accuracy": [0.5, None, 0.9]}
    >>> leaderboard(pd.DataFrame(rows))["number"].tolist()
    [2, 0]
    """
    rows = evaluations[evaluations["accuracy"].notna()]
    return rows.sort_values([*_SEARCH, "accuracy"], ascending=[True, True, True, False], kind="stable")


def members(evaluations: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a :func:`history` that are part of what their search gives."""
    return evaluations[evaluations["weight"] > 0]
