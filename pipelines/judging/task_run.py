"""A benchmark task run at a size: from a folder of its tables, or from the data of a run of the pipeline."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from smartsbd.models.labelled.labelled_connection import LabelledConnection
from smartsbd.pipelines.benchmark import task_folder
from smartsbd.pipelines.benchmark.named_split import NamedSplit
from smartsbd.pipelines.benchmark.run_connections import RunConnections, TaskNotRunError
from smartsbd.pipelines.benchmark.task import SMALLEST, BenchmarkTask
from smartsbd.pipelines.benchmark.task_file import TaskFile
from smartsbd.pipelines.benchmark.task_folder import TaskFolder
from smartsbd.pipelines.benchmark.task_score import NOT_OURS, TaskScore
from smartsbd.pipelines.benchmark.task_tables import LEARNT, TaskTables
from smartsbd.pipelines.judging.detector_opinions import ours
from smartsbd.pipelines.judging.task_verdicts import OfLabels, by_ours, connections, replayed
from smartsbd.pipelines.params import Params


@dataclass(frozen=True)
class TaskRun:
    """A task at a size, with its tables.

    Attributes
    ----------
    task : BenchmarkTask
    size : str
    tables : TaskTables
    split : NamedSplit
    source : TaskFolder or RunConnections
        Where its signals are.
    ours : bool
        Whether its tables are those of the file in git; until they have been compared, they are not.
    """

    task: BenchmarkTask
    size: str
    tables: TaskTables
    split: NamedSplit
    source: TaskFolder | RunConnections
    ours: bool = False

    @classmethod
    def of_folder(cls, folder: Path) -> TaskRun:
        """Return the task of a folder, at the size of its tables.

        Returns
        -------
        TaskRun
            Not compared with the task's file in git.

        Raises
        ------
        InputFault
            If the folder cannot be used: pipelines/benchmark/task_folder.py has every reason.
        TaskNotRunError
            If the folder has no tables.
        """
        source = TaskFolder(folder)
        size = source.file.size
        split = None if size is None else source.file.split(size)
        if size is None or split is None:
            raise TaskNotRunError(not_named(source.file, SMALLEST if size is None else size))
        source.check()
        return cls(source.file.task, size, source.tables(), split, source)

    @classmethod
    def of_run(cls, file: TaskFile, size: str, run: RunConnections) -> TaskRun:
        """Return a task at a size, of a run's data.

        Parameters
        ----------
        file : TaskFile
        size : str
        run : RunConnections

        Returns
        -------
        TaskRun
            Not compared with the task's file in git.

        Raises
        ------
        TaskNotRunError
            If the size has not been named, or a connection is not there.
        TaskChangedError
            If the labels are not those that were named.
        """
        split = file.split(size)
        if split is None:
            raise TaskNotRunError(not_named(file, size))
        run.check(split)
        made = run.tables(split)
        file.check_labels(size, made.labels_sha256())
        return cls(file.task, size, made, split, run)

    def compared(self, known: TaskFile, *, made_here: bool = False) -> TaskRun:
        """Return the same after a comparison with the task's file in git, whatever a folder says of itself.

        Where the file has no digests of the tables at this size, they are ours only if they were made here.

        Parameters
        ----------
        known : TaskFile
        made_here : bool
            Whether the pipeline that asks has made the tables itself.

        Returns
        -------
        TaskRun
            A new object; this one stays as it is.

        Raises
        ------
        TaskChangedError
            If the file names other connections, labels or tables at this size.
        """
        known.named(self.size, self.split, self.tables.labels_sha256())
        if self.size not in known.contents:
            return replace(self, ours=made_here)
        known.check_contents(
            self.size,
            self.source.contents()
            if isinstance(self.source, TaskFolder)
            else task_folder.contents(self.tables, self.split, self.source),
        )
        return replace(self, ours=True)

    def connections(self) -> Iterator[LabelledConnection]:
        """Yield the connections that are judged, each with its signals."""
        signals = (
            self.source.signals(self.split.test)
            if isinstance(self.source, TaskFolder)
            else self.source.signals(self.split)
        )
        return connections(self.task.name, self.tables, signals)

    def score(self, detector: str, on_labels: OfLabels, params: Params) -> TaskScore:
        """Return the figures of a detector's verdicts.

        Parameters
        ----------
        detector : str
            Its name.
        on_labels : OfLabels
        params : Params
            Resamples and seed of the intervals.

        Returns
        -------
        TaskScore
        """
        options = params.evaluate
        rows = self.tables.judged(on_labels)
        made = TaskScore.of(self.task, self.size, detector, rows, resamples=options.resamples, seed=options.seed)
        return made if self.ours else replace(made, why=NOT_OURS)

    def learnt(self, family: str, params: Params) -> TaskScore:
        """Return the figures of a family that learns from the training side."""
        return self.score(family, self.tables.learnt(family), params)

    def asked(self, names: Collection[str] | None, params: Params) -> list[TaskScore]:
        """Ask detectors of ours of every signal; return their figures.

        Parameters
        ----------
        names : collection of str, or None
            Which; None for all, with their default parameters.
        params : Params

        Returns
        -------
        list of TaskScore
            One for each detector.
        """
        known = {name: detector for name, detector in ours().items() if names is None or name[0] in names}
        by_detector = by_ours(self.tables, self.connections(), known)
        return [self.score(name, on_labels, params) for name, on_labels in by_detector.items()]

    def replayed(self, folder: Path, params: Params) -> list[TaskScore]:
        """Return the figures of every detector that the stage ``replay`` replays, from its opinions.

        Returns
        -------
        list of TaskScore
            One for each detector.

        Raises
        ------
        TaskNotRunError
            If the task is of a folder: there is no replay of it.
        """
        if not isinstance(self.source, RunConnections):
            raise TaskNotRunError(f"{self.task.name}: a folder has no replay")
        by_detector = replayed(self.tables, self.source, folder, params.replay.detectors)
        return [self.score(name, on_labels, params) for name, on_labels in by_detector.items()]

    def all_learnt(self, params: Params) -> list[TaskScore]:
        """Return the figures of every family."""
        return [self.learnt(family, params) for family in LEARNT]


def not_named(file: TaskFile, size: str) -> str:
    """Return what to do where the connections of a size have not been named."""
    return (
        f"its connections have not been named at {size}: `sbd benchmark name {file.task.name} --size {size}` names"
        " those of a run"
    )
