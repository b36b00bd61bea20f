"""Families taught by the truth, and students taught by an engine too: over all splits, as candidates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from smartsbd.models.automl.candidate import Candidate, of_family
from smartsbd.models.automl.distillation import Taught, TaughtLesson, lesson_of_truth, lessons_of, taught
from smartsbd.models.automl.ground import Ground, judged
from smartsbd.models.automl.outcome import Outcomes
from smartsbd.models.automl.search import EngineSearched
from smartsbd.models.families import family_of
from smartsbd.models.families.fitted import Setting
from smartsbd.models.labelled.trial import Trial
from smartsbd.models.search.fitting import Method


@dataclass(frozen=True)
class Teaching:
    """One lesson of one family on one split.

    Attributes
    ----------
    family : str
        Name of the family.
    ground : Ground
    trial : Trial
        The split.
    lesson : TaughtLesson
    """

    family: str
    ground: Ground
    trial: Trial
    lesson: TaughtLesson

    @property
    def key(self) -> tuple[str, str, str]:
        """The parts that make one candidate: family, whose labels it has learnt, set of features."""
        return self.family, self.lesson.learnt_from, self.ground.feature_set


def teachings(
    grounds: Sequence[Ground], outcomes: Outcomes, families: Sequence[str], students: Sequence[str], teacher: str
) -> list[Teaching]:
    """Return every lesson: of the truth for all families, and of the teacher for students, where it has run.

    Parameters
    ----------
    grounds : sequence of Ground
    outcomes : Outcomes
        Of all engines.
    families, students : sequence of str
        Names of families; students are taught by the truth too.
    teacher : str
        Name of an engine.

    Returns
    -------
    list of Teaching
        By set of features, family and split.
    """
    every = []
    for ground in grounds:
        by_fold = outcomes.get((teacher, ground.feature_set), {})
        for family in dict.fromkeys([*families, *students]):
            for trial in ground.trials:
                lessons = [lesson_of_truth(ground, trial)]
                outcome = by_fold.get(trial.fold)
                if family in students and isinstance(outcome, EngineSearched):
                    lessons += lessons_of(teacher, judged(trial, outcome.probability), ground, trial)
                every += [Teaching(family, ground, trial, lesson) for lesson in lessons]
    return every


def tasks(every: Iterable[Teaching], grids: Mapping[str, Sequence[Setting]], method: Method) -> list[partial[Taught]]:
    """Return the teaching to be done, of lessons with both labels, each a call without arguments.

    Parameters
    ----------
    every : iterable of Teaching
    grids : mapping of str to sequence of Setting
        Settings to choose from, by family.
    method : Method

    Returns
    -------
    list of partial
        Each returns a :class:`~smartsbd.models.automl.distillation.Taught`, in the order of the lessons.
    """
    return [
        partial(
            taught,
            teaching.ground,
            teaching.trial,
            teaching.lesson,
            family_of(teaching.family),
            grids[teaching.family],
            method,
        )
        for teaching in every
        if teaching.lesson.teaches
    ]


def candidates(every: Iterable[Teaching], results: Iterable[Taught]) -> Iterator[Candidate]:
    """Yield a candidate for each family, teacher and set of features; it was not run if a split has not taught it.

    Parameters
    ----------
    every : iterable of Teaching
    results : iterable of Taught
        What the calls of :func:`tasks` return, in their order.

    Yields
    ------
    Candidate
        In the order of the first lesson of each.
    """
    taken = iter(results)
    splits: dict[tuple[str, str, str], int] = {}
    by_key: dict[tuple[str, str, str], list[Taught]] = {}
    for teaching in every:
        splits[teaching.key] = len(teaching.ground.trials)
        students = by_key.setdefault(teaching.key, [])
        if teaching.lesson.teaches:
            students.append(next(taken))
    for key, students in by_key.items():
        count = splits[key]
        if len(students) == count:
            yield of_family(*key, students)
        else:
            note = f"not run ({count - len(students)} of {count} splits): the teacher gave nothing, or one label alone"
            yield Candidate(*key, predictions=None, note=note)
