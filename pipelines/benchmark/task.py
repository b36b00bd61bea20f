"""The tasks of the benchmark. A task never changes: what would change it is a new task of the next number."""

from __future__ import annotations

from dataclasses import dataclass

from smartsbd.contracts.fault import UsageFault, printable

#: Sizes, the smallest first: XS is in git, S is of the default profile's data, M and L are of the profile ``full``.
SIZES = ("XS", "S", "M", "L")
SMALLEST = SIZES[0]
#: The profile whose data name the connections of a size; those of XS are named from any profile that has them.
PROFILES = {"S": "default", "M": "full", "L": "full"}
#: Of M, the most connections to learn from and to judge.
_MEDIUM = (200, 100)
#: The lag excess, and what learns from its features and its memory of tiles: these were chosen with it.
_OURS = ("lag-excess", "logistic", "tree", "forest")
#: The common lag's weights are fitted to connections of these tasks (docs/experiments/common-lag.md).
_COMMON = "common-lag"
#: Other parameters of these were tried on ``sites`` before the defaults stayed (docs/experiments/baselines.md).
_TRIED_ON_SITES = ("dwc-r", "emptcp-r", "rubenstein-r", "ton20-r", "trend-line")


class UnknownTaskError(UsageFault):
    """A task, or a size, that does not exist."""


@dataclass(frozen=True)
class BenchmarkTask:
    """A task: connections to learn from and connections to judge.

    Attributes
    ----------
    name : str
        Ends in its number.
    question : str
        What it asks.
    trained, tested : tuple of str
        Datasets. Where one is both, a connection's name says on which side it is.
    smallest : (int, int)
        Of XS, the most connections to learn from and to judge.
    seen_by : tuple of str
        Detectors whose thresholds or inputs were chosen with the judged connections in view.
    judged_every_s : int or None
        Seconds of a label that are judged by themselves, where the task asks how soon a verdict follows a change; None
        for the whole label at once.
    """

    name: str
    question: str
    trained: tuple[str, ...]
    tested: tuple[str, ...]
    smallest: tuple[int, int]
    seen_by: tuple[str, ...] = ()
    judged_every_s: int | None = None

    def most(self, size: str) -> tuple[int, int] | None:
        """Return the most connections to learn from and to judge at a size; None for all."""
        return {SMALLEST: self.smallest, "M": _MEDIUM}.get(size)


TASKS: dict[str, BenchmarkTask] = {
    task.name: task
    for task in (
        BenchmarkTask(
            "sites-1",
            "other connections at the places that were learnt from",
            ("sites",),
            ("sites",),
            (48, 8),
            (*_OURS, _COMMON, *_TRIED_ON_SITES),
        ),
        BenchmarkTask(
            "wide-1",
            "few rivals, deep queues, loss, senders that pause: settings far outside of those that were learnt from",
            ("diverse",),
            ("wide",),
            (48, 12),
            _OURS,
        ),
        BenchmarkTask(
            "wild-1",
            "settings outside of those of every other task, drawn by a seed that nobody chose",
            ("wide",),
            ("wild",),
            (48, 6),
        ),
        BenchmarkTask(
            "kernel-1",
            "learnt in the simulator, judged on connections of a real kernel",
            ("diverse",),
            ("kernel", "kernel_hard"),
            (48, 8),
            (*_OURS, _COMMON),
        ),
        BenchmarkTask(
            "testbed-1",
            "learnt in the simulator, judged on a testbed's connections of a real kernel, drawn as those of wide-1",
            ("diverse",),
            ("testbed",),
            (48, 10),
            (_COMMON,),
        ),
        BenchmarkTask(
            "unseen-1",
            "the ten pairs of paths of the paper's Table 6, whose settings were not learnt from",
            ("sites",),
            ("unseen",),
            (48, 4),
            (*_OURS, _COMMON),
        ),
        BenchmarkTask(
            "shift-1",
            "bottlenecks that move: shared, apart, shared again; how soon is a verdict right?",
            ("sites",),
            ("shift",),
            (48, 1),
            (*_OURS, _COMMON),
            judged_every_s=5,
        ),
        BenchmarkTask(
            "groups-1",
            "three to five subflows in groups, learnt from connections of two",
            ("diverse",),
            ("groups",),
            (48, 3),
            (*_OURS, _COMMON),
        ),
    )
}


def task_of(name: str) -> BenchmarkTask:
    """Return a task by name.

    Returns
    -------
    BenchmarkTask

    Raises
    ------
    UnknownTaskError
        If there is none.
    """
    if name not in TASKS:
        raise UnknownTaskError(f"task {printable(name)!r} is unknown, known are {list(TASKS)}")
    return TASKS[name]
