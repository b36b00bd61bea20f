"""One map for what several processes do: those of this machine, or the workers of a Dask scheduler."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from smartsbd.contracts.fault import Fault, printable
from smartsbd.contracts.lifetime import end_with

if TYPE_CHECKING:
    from smartsbd.pipelines.params import Params

Item = TypeVar("Item")
Result = TypeVar("Result")

#: How many processes do a dataset each beside this one, this one among them: they have the cores together.
_datasets_at_once = 1


def workers(params: Params, tasks: int | None = None) -> int:
    """Return how many processes to use on this machine.

    Parameters
    ----------
    params : Params
        ``workers``: 0 means every core this process may use.
    tasks : int, optional
        How many independent tasks there are.

    Returns
    -------
    int
        At least 1.
    """
    cores = params.workers if params.workers > 0 else len(os.sched_getaffinity(0))
    most = max(1, cores // _datasets_at_once)
    return most if tasks is None else max(1, min(most, tasks))


def mapped(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    params: Params,
    *,
    what: str,
    threads: bool = False,
    here: bool = False,
) -> Iterator[Result]:
    """Yield what `work` returns for each item, in order; errors are raised where the result is taken.

    The workers of the scheduler do it, if `params` names one; else processes forked from this one, for which neither
    `work` nor the items need be pickled.

    Parameters
    ----------
    work : callable
        Of a module that workers can import; paths in it are absolute, in folders that workers see too.
    items : sequence
    params : Params
        ``scheduler`` and ``workers``.
    what : str
        What the progress bar says.
    threads : bool
        Whether threads do it on this machine: for work that is done outside Python.
    here : bool
        Whether no other machine may do it: for work on files of this one.

    Yields
    ------
    Result
        One for each item.
    """
    at_once = workers(params, len(items))
    results: Iterator[Result]
    if params.scheduler is not None and not here:
        # Takes a second to import, and only where there is a scheduler.
        from smartsbd.pipelines.running import scheduler

        results = scheduler.mapped(work, items, params.scheduler)
    else:
        results = threaded(work, items, at_once) if threads else forked(work, items, at_once)
    yield from progress(results, what=what, total=len(items))


#: What a forked worker does, and to what: it has them from the process that forked it.
_work: Callable[[Any], Any]
_items: Sequence[Any]


def _take(parent: int, work: Callable[[Any], Any], items: Sequence[Any]) -> None:
    global _work, _items
    end_with(parent)
    # The process that forked it says that it was interrupted.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _work, _items = work, items


def _done(place: int) -> Any:
    return _work(_items[place])


def forked(work: Callable[[Item], Result], items: Sequence[Item], processes: int) -> Iterator[Result]:
    """Yield what `work` returns for each item, in order; forked processes do the work.

    Parameters
    ----------
    work : callable
    items : sequence
    processes : int
        How many; 1 is this process itself, without a fork.

    Yields
    ------
    Result
        One for each item.
    """
    if processes == 1:
        yield from map(work, items)
        return
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(processes, context, initializer=_take, initargs=(os.getpid(), work, items)) as pool:
        yield from pool.map(_done, range(len(items)))


def threaded(work: Callable[[Item], Result], items: Sequence[Item], threads: int) -> Iterator[Result]:
    """Yield what `work` returns for each item, in order; threads do the work.

    Parameters
    ----------
    work : callable
    items : sequence
    threads : int

    Yields
    ------
    Result
        One for each item.
    """
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(work, items)


def overlapped(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """Yield what `work` returns for each item, in order; a few items ahead are worked on while the caller is at one.

    Parameters
    ----------
    work : callable
    items : iterable
        Taken as they are needed, not all at once.
    threads : int

    Yields
    ------
    Result
        One for each item.
    """
    if threads == 1:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        ahead: deque[Future[Result]] = deque()
        for item in items:
            ahead.append(pool.submit(work, item))
            if len(ahead) > threads:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


def progress(items: Iterable[Item], *, what: str, total: int) -> Iterable[Item]:
    """Show a progress bar on stderr while iterating, unless quiet or not on a terminal.

    Parameters
    ----------
    items : iterable
    what : str
        What the bar says.
    total : int
        How many items there will be.

    Returns
    -------
    iterable
        The same items.
    """
    if not sys.stderr.isatty() or logging.getLogger().level > logging.INFO:
        return items
    from tqdm import tqdm

    return tqdm(items, desc=printable(what), total=total, unit="", file=sys.stderr)


def _forked_dataset(task: Callable[[], int], at_once: int) -> int:
    """Do a dataset's task in a process forked for it, one of `at_once`; return its number.

    Modules that are imported need not be imported again.
    """
    global _datasets_at_once  # noqa: PLW0603 - set in the new process alone
    parent, number = os.getpid(), os.fork()
    if number:
        return number
    end_with(parent)
    _datasets_at_once = at_once
    code = Fault.exit_code
    try:
        code = task()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else Fault.exit_code
    except BaseException:
        # Nothing above this process would show it.
        sys.excepthook(*sys.exc_info())
    finally:
        try:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
        finally:
            os._exit(code)


def datasets_at_once(tasks: Sequence[Callable[[], int]], processes: int) -> list[int]:
    """Do each dataset's task in a process of its own, `processes` at once; return their exit codes.

    Parameters
    ----------
    tasks : sequence of callable
        Each returns its exit code.
    processes : int

    Returns
    -------
    list of int
        In the order of the tasks; a process that a signal killed has its number below zero.
    """
    codes: dict[int, int] = {}
    running: dict[int, int] = {}

    def take_one() -> None:
        number, status = os.wait()
        codes[running.pop(number)] = os.waitstatus_to_exitcode(status)

    for place, task in enumerate(tasks):
        if len(running) == processes:
            take_one()
        running[_forked_dataset(task, min(processes, len(tasks)))] = place
    while running:
        take_one()
    return [codes[place] for place in range(len(tasks))]
