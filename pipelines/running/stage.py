"""What every stage does around its work: arguments, logging, params, datasets, errors into exit codes."""

from __future__ import annotations

import argparse
import ctypes
import gc
import logging
import multiprocessing
import os
import signal
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from contracts.fault import Fault, InputFault, UsageFault, printable
from pipelines.params import PARAMS_FILE, Params, read_params
from pipelines.running import journal
from pipelines.running.packages import remedy

EXIT_OK = 0
EXIT_FAILED = Fault.exit_code
EXIT_USAGE = UsageFault.exit_code
EXIT_BAD_INPUT = InputFault.exit_code

EXIT_CODES = """exit codes: 0 done; 1 a run or a check failed; 2 the command line or params.yaml
cannot be used; 3 an input, a table or a model cannot be used"""

Item = TypeVar("Item")
Result = TypeVar("Result")
AddArguments = Callable[[argparse.ArgumentParser], None]
Run = Callable[[argparse.Namespace, Params], int]


class QuarantineLimitError(Fault):
    """More records were refused than ``parse.max_quarantined`` allows."""


#: What stands for a dataset's name in the command line of a stage that runs for each of several.
DATASET = "{dataset}"
#: Of Linux' prctl(2): the signal that a process gets when the one that started it has ended.
_PR_SET_PDEATHSIG = 1

#: How many processes do a dataset each beside this one, this one among them: they have the cores together.
_datasets_at_once = 1


def workers(params: Params, tasks: int | None = None) -> int:
    """Return how many processes to use.

    Parameters
    ----------
    params : Params
        ``workers``: 0 means every core this process may use.
    tasks : int, optional
        How many independent tasks there are.
    """
    cores = params.workers if params.workers > 0 else len(os.sched_getaffinity(0))
    most = max(1, cores // _datasets_at_once)
    return most if tasks is None else max(1, min(most, tasks))


def _end_with_parent() -> None:
    """Have this process killed when the one that forked it has ended, however that ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


#: What a forked worker does, and to what: it has them from the process that forked it.
_work: Callable[[Any], Any]
_items: Sequence[Any]


def _take(work: Callable[[Any], Any], items: Sequence[Any]) -> None:
    global _work, _items
    _end_with_parent()
    _work, _items = work, items


def _done(place: int) -> Any:
    return _work(_items[place])


def mapped(work: Callable[[Item], Result], items: Sequence[Item], processes: int) -> Iterator[Result]:
    """Yield what `work` returns for each item, in order, done by so many processes; errors are raised here.

    The processes are forked: neither `work` nor the items need be pickled, and nothing is imported again.
    """
    if processes == 1:
        yield from map(work, items)
        return
    forked = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(processes, forked, initializer=_take, initargs=(work, items)) as pool:
        yield from pool.map(_done, range(len(items)))


def spread(work: Callable[[Item], Result], items: Sequence[Item], params: Params, processes: int) -> Iterator[Result]:
    """Yield what `work` returns for each item, in order, done by the scheduler of `params` or by so many processes."""
    if params.scheduler is None:
        return mapped(work, items, processes)
    from pipelines.running import scheduler

    return scheduler.mapped(work, items, params.scheduler)


def threaded(work: Callable[[Item], Result], items: Sequence[Item], threads: int) -> Iterator[Result]:
    """Yield what `work` returns for each item, in order, done by so many threads; errors are raised here."""
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(work, items)


def overlapped(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """Yield what `work` returns for each item, in order; a few items ahead are worked on while the caller is at one."""
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
    """Show a progress bar on stderr while iterating, unless quiet or not on a terminal."""
    if not sys.stderr.isatty() or logging.getLogger().level > logging.INFO:
        return items
    from tqdm import tqdm

    return tqdm(items, desc=what, total=total, unit="", file=sys.stderr)


def add_verbosity(parser: argparse.ArgumentParser) -> None:
    """Add -v and -q."""
    parser.add_argument("-v", "--verbose", action="count", default=0, help="more messages on stderr")
    parser.add_argument("-q", "--quiet", action="store_true", help="errors only, no progress bar")


def configure_logging(arguments: argparse.Namespace, name: str) -> None:
    """Send messages to stderr at the level -v and -q ask for, each with the command's name."""
    level = logging.ERROR if arguments.quiet else logging.DEBUG if arguments.verbose else logging.INFO
    logging.basicConfig(stream=sys.stderr, level=level, format=f"%(levelname)s {name}: %(message)s", force=True)
    for noisy in ("matplotlib", "PIL", "alembic", "mlflow", "sqlalchemy", "distributed"):
        logging.getLogger(noisy).setLevel(max(level, logging.WARNING))


def guarded(work: Callable[[], int]) -> int:
    """Do `work`; turn faults into one line on stderr and an exit code."""
    log = logging.getLogger("sbd")
    if not gc.get_freeze_count():
        # What is imported stays: no collection need look at it.
        gc.freeze()
    try:
        return work()
    except Fault as fault:
        log.error("%s", fault)
        return fault.exit_code
    except ModuleNotFoundError as missing:
        what_to_do = remedy(missing)
        if what_to_do is None:
            raise
        log.error("%s", what_to_do)
        return EXIT_FAILED
    except BrokenPipeError:
        # The reader of stdout has seen enough; what Python flushes at its end goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    except (IsADirectoryError, NotADirectoryError, PermissionError) as error:
        log.error("%s: %s", printable(str(error.filename)), error.strerror)
        return EXIT_BAD_INPUT
    except FileNotFoundError as error:
        log.error("%s: no such file: run the stage that makes it, or `dvc repro`", error.filename)
        return EXIT_BAD_INPUT


def of_dataset(argv: Sequence[str], dataset: str) -> list[str]:
    """Return the command line for one dataset: its name in place of :data:`DATASET`, and as ``--dataset``.

    Examples
    --------
    >>> of_dataset(["--tables", "data/tables/{dataset}"], "sites")
    ['--tables', 'data/tables/sites', '--dataset', 'sites']
    """
    return [*(text.replace(DATASET, dataset) for text in argv), "--dataset", dataset]


def _forked(work: Callable[[], int], at_once: int) -> int:
    """Do `work` in a process forked for it, one of so many at once; return its number.

    What is imported need not be imported again.
    """
    global _datasets_at_once  # noqa: PLW0603 - set in the new process alone
    number = os.fork()
    if number:
        return number
    _end_with_parent()
    _datasets_at_once = at_once
    code = EXIT_FAILED
    try:
        code = work()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else EXIT_FAILED
    except BaseException:
        # Nothing above this process would show it.
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def _at_once(tasks: Sequence[Callable[[], int]], processes: int) -> list[int]:
    """Return the exit code of each task, done by processes of their own, so many at once."""
    codes: dict[int, int] = {}
    running: dict[int, int] = {}

    def take_one() -> None:
        number, status = os.wait()
        codes[running.pop(number)] = os.waitstatus_to_exitcode(status)

    for place, task in enumerate(tasks):
        if len(running) == processes:
            take_one()
        running[_forked(task, min(processes, len(tasks)))] = place
    while running:
        take_one()
    return [codes[place] for place in range(len(tasks))]


def _make_folders(argv: Sequence[str]) -> None:
    """Make the folders that hold what is a dataset's own: they are there though no dataset is listed."""
    for text in argv:
        before, found, _ = text.partition(DATASET)
        if found:
            Path(f"{before}x").parent.mkdir(parents=True, exist_ok=True)


def _each(parameter: str, argv: Sequence[str], work: Callable[[Sequence[str]], int], *, at_once: bool) -> int:
    """Do every dataset that a parameter lists, one after the other or several at once."""
    own = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    own.add_argument("--params", type=Path, default=PARAMS_FILE)
    params = read_params(own.parse_known_args(argv)[0].params, whole=False)
    _make_folders(argv)
    tasks = [partial(work, of_dataset(argv, dataset)) for dataset in params.value(parameter)]
    codes = _at_once(tasks, workers(params)) if at_once else [task() for task in tasks]
    # Each dataset is done, though one before has failed.
    return next((code for code in codes if code != EXIT_OK), EXIT_OK)


def main(
    name: str,
    description: str,
    add_arguments: AddArguments,
    run: Run,
    argv: Sequence[str] | None = None,
    params_file: Path = PARAMS_FILE,
) -> int:
    """Run one stage as a program.

    Parameters
    ----------
    name : str
        Stage name.
    description : str
        The module's docstring.
    add_arguments : callable
        Adds the stage's own arguments.
    run : callable
        The stage: (arguments, params) -> exit code.
    argv : sequence of str, optional
        Command line without the program.
    params_file : Path
        Parameters, unless the command line names others.
    """
    parser = argparse.ArgumentParser(
        prog=f"sbd {name}",
        description=description,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--params", type=Path, default=params_file, help="parameters (default: %(default)s)")
    several = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    several.add_argument("--each", metavar="PARAMETER")
    several.add_argument("--at-once", action="store_true")
    given = list(sys.argv[1:] if argv is None else argv)
    asked, own = several.parse_known_args(given)
    add_arguments(parser)
    add_verbosity(parser)

    def work(own: Sequence[str]) -> int:
        arguments = parser.parse_args(own)
        configure_logging(arguments, name)
        return guarded(lambda: run(arguments, read_params(arguments.params, whole=False)))

    with journal.measured() as clock:
        if asked.each is None:
            clock.exit_code = work(given)
        else:
            clock.exit_code = guarded(lambda: _each(asked.each, own, work, at_once=asked.at_once))
    return clock.exit_code
