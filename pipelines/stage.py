"""What every stage does around its work: arguments, logging, params, errors into exit codes."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from pipelines.params import PARAMS_FILE, Params, read_params
from traces.fault import Fault, InputFault, UsageFault, printable

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


#: Fewer tasks than this are not worth a process of their own: starting one costs seconds of imports.
_TASKS_PER_WORKER = 8


def workers(params: Params, tasks: int | None = None) -> int:
    """Return how many processes to use.

    Parameters
    ----------
    params : Params
        ``workers``: 0 means every core this process may use.
    tasks : int, optional
        How many independent tasks there are; a few are done by one process.
    """
    most = params.workers if params.workers > 0 else len(os.sched_getaffinity(0))
    return most if tasks is None else max(1, min(most, -(-tasks // _TASKS_PER_WORKER)))


def mapped(work: Callable[[Item], Result], items: Sequence[Item], processes: int) -> Iterator[Result]:
    """Yield what `work` returns for each item, in order, done by so many processes; errors are raised here."""
    if processes == 1:
        yield from map(work, items)
        return
    # Of use where processes are started, and slow to import where none are.
    from joblib import Parallel, delayed

    yield from Parallel(n_jobs=processes, return_as="generator")(delayed(work)(item) for item in items)


def spread(work: Callable[[Item], Result], items: Sequence[Item], params: Params, processes: int) -> Iterator[Result]:
    """Yield what `work` returns for each item, in order, done by the scheduler of `params` or by so many processes."""
    if params.scheduler is None:
        return mapped(work, items, processes)
    from pipelines import scheduler

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


def main(name: str, description: str, add_arguments: AddArguments, run: Run, argv: Sequence[str] | None = None) -> int:
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
    """
    parser = argparse.ArgumentParser(
        prog=f"sbd {name}",
        description=description,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--params", type=Path, default=PARAMS_FILE, help="parameters (default: %(default)s)")
    add_arguments(parser)
    add_verbosity(parser)
    arguments = parser.parse_args(argv)
    configure_logging(arguments, name)
    return guarded(lambda: run(arguments, read_params(arguments.params)))
