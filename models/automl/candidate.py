"""Candidates after a search: engines, families and students, judged on the same held-out rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from smartsbd.contracts.tables import WINDOW_KEY
from smartsbd.models.assessment.accuracy import ALL_SITES, accuracy_of_windows
from smartsbd.models.assessment.comparison import accuracy_of, difference, right_of_windows
from smartsbd.models.automl.distillation import TRUTH, Taught
from smartsbd.models.automl.ground import Ground, judged
from smartsbd.models.automl.outcome import Outcomes
from smartsbd.models.automl.search import EngineSearched, NotRun

#: Families that the export can emit.
_FOR_A_KERNEL = ("tree", "forest")
_ROW = (*WINDOW_KEY, "test_set", "fold")
_LESS = "less_tree"


@dataclass(frozen=True)
class Candidate:
    """One model, or an engine's, over all of the splits.

    Attributes
    ----------
    model : str
        Name of the engine or family.
    learnt_from : str
        Whose labels it has learnt.
    feature_set : str
    predictions : DataFrame or None
        Rows of the ``prediction`` table; None if it was not run.
    kinds : str
        Kinds of estimators it is made of.
    kernel : bool or None
        Made of trees alone, on features as they are: comparisons and sums of integers.
    cpu_s, model_bytes, evaluations : float or None
        Means over the splits.
    note : str
        Which limits acted, or why it was not run.
    """

    model: str
    learnt_from: str
    feature_set: str
    predictions: pd.DataFrame | None
    kinds: str = ""
    kernel: bool | None = None
    cpu_s: float | None = None
    model_bytes: float | None = None
    evaluations: float | None = None
    note: str = ""


def of_engine(engine: str, ground: Ground, outcomes: Mapping[int, EngineSearched | NotRun]) -> Candidate:
    """Return an engine over all splits; if one of its searches gave nothing, it counts as not run.

    Parameters
    ----------
    engine : str
    ground : Ground
    outcomes : mapping of int to EngineSearched or NotRun
        By split.

    Returns
    -------
    Candidate
        Learnt from the truth; its note says why if it was not run.
    """
    not_run = [outcome for outcome in outcomes.values() if isinstance(outcome, NotRun)]
    if not_run:
        note = f"not run ({len(not_run)} of {len(outcomes)} searches): {not_run[0].reason}"
        return Candidate(engine, TRUTH, ground.feature_set, None, note=note)
    finished = {fold: outcome for fold, outcome in outcomes.items() if isinstance(outcome, EngineSearched)}
    members = pd.concat([search.evaluations[search.evaluations["weight"] > 0] for search in finished.values()])
    weights = (members.groupby("kind")["weight"].sum() / len(finished)).sort_values(ascending=False, kind="stable")
    predictions = [
        ground.predictions(trial, judged(trial, finished[trial.fold].probability).tests, engine)
        for trial in ground.trials
    ]
    return Candidate(
        model=engine,
        learnt_from=TRUTH,
        feature_set=ground.feature_set,
        predictions=pd.concat(predictions, ignore_index=True),
        kinds=", ".join(f"{kind} {weight:.2f}" for kind, weight in weights.items()),
        kernel=bool(members["only_trees"].all()),
        cpu_s=float(np.mean([search.cpu_s for search in finished.values()])),
        model_bytes=float(np.mean([search.model_bytes for search in finished.values()])),
        evaluations=float(np.mean([len(search.evaluations) for search in finished.values()])),
        note="; ".join(
            f"split {fold}: {acted}" for fold, search in sorted(finished.items()) for acted in search.limits_acted
        ),
    )


def of_family(family: str, learnt_from: str, feature_set: str, students: Sequence[Taught]) -> Candidate:
    """Return a family, taught one way, over all splits.

    Parameters
    ----------
    family : str
        Name of the family.
    learnt_from : str
        Whose labels it has learnt.
    feature_set : str
    students : sequence of Taught
        One for each split.

    Returns
    -------
    Candidate
        With the predictions of all splits, one after another.
    """
    leaves = [student.leaves for student in students if student.leaves is not None]
    return Candidate(
        model=family,
        learnt_from=learnt_from,
        feature_set=feature_set,
        predictions=pd.concat([student.predictions for student in students], ignore_index=True),
        kinds=f"{family}, {np.mean(leaves):.0f} leaves" if leaves else family,
        kernel=family in _FOR_A_KERNEL,
        cpu_s=float(np.mean([student.cpu_s for student in students])),
        model_bytes=float(np.mean([student.model_bytes for student in students])),
    )


def beside_engines(grounds: Sequence[Ground], outcomes: Outcomes, taught: Sequence[Candidate]) -> list[Candidate]:
    """Return all candidates: of each set of features the engines, then the families and students.

    Parameters
    ----------
    grounds : sequence of Ground
    outcomes : Outcomes
        Of all engines.
    taught : sequence of Candidate
        Of families and students.

    Returns
    -------
    list of Candidate
        Those that were not run too.
    """
    candidates = []
    for ground in grounds:
        candidates += [
            of_engine(engine, ground, by_fold)
            for (engine, feature_set), by_fold in outcomes.items()
            if feature_set == ground.feature_set
        ]
        candidates += [candidate for candidate in taught if candidate.feature_set == ground.feature_set]
    return candidates


def predictions_of(candidates: Sequence[Candidate]) -> pd.DataFrame:
    """Return the rows of the ``prediction`` table of all candidates that were run; a model's name says its teacher."""
    return pd.concat(
        [
            candidate.predictions.assign(model=f"{candidate.model} of {candidate.learnt_from}")
            for candidate in candidates
            if candidate.predictions is not None
        ],
        ignore_index=True,
    )


def _parts(judged: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    for site in sorted(judged["site"].dropna().unique()):
        yield site, judged[judged["site"] == site]
    yield ALL_SITES, judged


def table(candidates: Sequence[Candidate], reference: str, *, resamples: int, seed: int) -> pd.DataFrame:
    """Return the accuracy for each candidate, kind of window and site, with the candidate's time and size.

    Parameters
    ----------
    candidates : sequence of Candidate
        Those that were run have judged the same rows, for each set of features.
    reference : str
        Family that every balanced accuracy is compared with, paired by row: of the same features, taught by the truth.
    resamples, seed : int
        As :func:`~smartsbd.models.assessment.accuracy.accuracy_of_windows` takes them.

    Returns
    -------
    DataFrame
        The fields of :class:`Candidate` except its predictions, ``test_set``, ``site``, the accuracy, and the balanced
        accuracy less the reference's, ``less_tree``, with its interval. A candidate that was not run has one row
        without an accuracy.
    """
    references = {
        candidate.feature_set: right_of_windows(candidate.predictions)
        for candidate in candidates
        if candidate.model == reference and candidate.learnt_from == TRUTH and candidate.predictions is not None
    }
    rows: list[dict[str, Any]] = []
    for candidate in candidates:
        description = asdict(candidate)
        description.pop("predictions")
        if candidate.predictions is None:
            rows.append({**description, "test_set": None, "site": ALL_SITES})
            continue
        less = difference(right_of_windows(candidate.predictions), references[candidate.feature_set], _ROW)
        for test_set in candidate.predictions["test_set"].unique():
            compared = dict(_parts(less[less["test_set"] == test_set]))
            for site, part in _parts(candidate.predictions[candidate.predictions["test_set"] == test_set]):
                accuracy = accuracy_of_windows(part, resamples=resamples, seed=seed)
                against = accuracy_of(compared[site], resamples=resamples, seed=seed)
                rows.append(
                    {
                        **description,
                        "test_set": test_set,
                        "site": site,
                        **{name: value for name, value in asdict(accuracy).items() if name not in {"none", "coverage"}},
                        _LESS: against.balanced,
                        f"{_LESS}_low": against.balanced_low,
                        f"{_LESS}_high": against.balanced_high,
                    }
                )
    return pd.DataFrame(rows)
